// SPDX-License-Identifier: Apache-2.0
// All operations in one virtual table: search, filters, sort by any column, CSV of what is shown.
import { fill, h } from '../dom.js';
import { clip, count, mb, signed } from '../format.js';
import { placeText } from '../places.js';
import { FLAG } from '../run.js';
import { saveCsv } from './csv.js';
import { section } from './table.js';
import { VirtualList } from './vlist.js';

/** One row per column: key gives the number sorted by, text what is shown, plain what is exported. */
function columns(ctx) {
  const { run, state } = ctx;
  const several = run.programs.names.length > 1;
  const k = () => state.pool, s = () => state.scale(state.pool);
  const before = x => run.allocAt(run.blockOf[x], k()), after = x => run.allocAt(run.afterBlock(x), k());
  const value = v => (v < 0 ? '–' : mb(v * s()));
  const number = v => (v === null || v < 0 ? null : v / 1000);
  const out = x => {
    const { tpl } = run, t = run.templateOf(x);
    return t < 0 || tpl.tpl_out[t] === tpl.tpl_out[t + 1] ? null : run.type(tpl.out_type[tpl.tpl_out[t]]);
  };
  const outText = x => { const y = out(x); return y ? `${y.shape} ${y.storage || y.dtype}` : ''; };
  return [
    { head: '#', num: true, key: x => x, text: x => String(run.recordOf[x]), plain: x => run.recordOf[x] },
    { head: 'name', mono: true, byText: x => run.name(x), text: x => clip(run.name(x), 60), plain: x => run.name(x) },
    { head: 'location', minor: true, mono: true, byText: x => run.loc(x), text: x => clip(placeText(run.loc(x)), 120), plain: x => run.loc(x) },
    { head: 'result', mono: true, byText: outText, text: x => clip(outText(x), 60), plain: outText },
    several && { head: 'program', minor: true, byText: x => run.programName(x), text: x => clip(run.programName(x), 40), plain: x => run.programName(x) },
    { head: 'before', minor: true, num: true, key: before, text: x => value(before(x)), plain: x => number(before(x)) },
    { head: 'after', num: true, key: after, text: x => value(after(x)), plain: x => number(after(x)) },
    { head: 'change', num: true, change: true, key: x => run.delta(x, k()) ?? -2147483648, text: x => { const d = run.delta(x, k()); return d === null ? '–' : signed(d * s()); }, plain: x => { const d = run.delta(x, k()); return d === null ? null : d / 1000; } },
    { head: 'largest free', minor: true, num: true, key: x => run.largestAt(run.blockOf[x], k()), text: x => value(run.largestAt(run.blockOf[x], k())), plain: x => number(run.largestAt(run.blockOf[x], k())) },
    { head: 'line', minor: true, num: true, key: x => run.line?.[x] ?? 0, text: x => (run.line?.[x] ? count(run.line[x]) : '–'), plain: x => run.line?.[x] ?? null },
  ].filter(Boolean);
}

export function operationSection(ctx) {
  const { run, state } = ctx;
  const cols = columns(ctx);
  const grid = cols.some(c => c.head === 'program') ? 'ops-grid with-program' : 'ops-grid';
  let shown = run.records, sort = { col: 0, down: false };
  const search = h('input', { type: 'search', id: 'op-search', placeholder: 'search name, location, shape, weight', 'aria-label': 'Search ops' });
  const name = select('op-name', 'Op', opNames(run));
  const program = select('op-program', 'Program', run.programs.names.map((n, i) => [String(i), clip(n, 60)]));
  const kind = select('op-kind', 'Weight or activation', [['w', 'weight ops'], ['a', 'activation ops']]);
  // Without a registry nobody knows which operands are weights.
  kind.hidden = !run.registry.length;
  const found = h('span', { class: 'dim', id: 'op-count', role: 'status' });
  const rows = h('div', { class: 'rows tall' });
  const heads = cols.map((c, i) => h('button', { type: 'button', class: [c.num ? 'num' : '', c.minor ? 'minor' : ''].join(' ').trim() || null, onclick: () => { sort = { col: i, down: sort.col === i ? !sort.down : Boolean(c.num && i) }; order(); } }, c.head));
  const csv = h('button', { type: 'button', class: 'button', id: 'op-csv', onclick: () => saveCsv(`${run.meta.name}_operations.csv`, cols.map(c => (['before', 'after', 'change', 'largest free'].includes(c.head) ? `${run.pools[state.pool]} ${c.head} MB ${run.per(state.pool)}` : c.head)), shown.length, i => cols.map(c => c.plain(shown[i]))) }, 'CSV');
  const box = section('operations', 'Ops', h('div', { class: 'bar-row' }, search, name, program, kind, found, h('span', { class: 'spacer' }), csv),
    h('div', { class: 'vtable', id: 'op-table' }, h('div', { class: `vrow vhead ${grid}` }, heads), rows));
  const list = new VirtualList({
    host: rows, rowHeight: 24, label: 'Ops', row: i => {
      const x = shown[i];
      const tr = h('button', { type: 'button', class: `vrow ${grid}${x === state.selected ? ' selected' : ''}`, 'data-op': String(run.recordOf[x]), onclick: () => state.select(x, 'operations') },
        cols.map(c => h('span', { title: c.mono ? clip(c.plain(x), 400) : null, class: [c.num ? 'num' : '', c.mono ? 'mono' : '', c.minor ? 'minor' : '', c.change && run.delta(x, state.pool) > 0 ? 'up' : ''].join(' ').trim() || null }, c.text(x))));
      if (run.flags[x] & FLAG.WEIGHT) tr.children[1].prepend(h('i', { class: 'key weight dot', title: 'weight op' }));
      return tr;
    },
  });

  const order = () => {
    const c = cols[sort.col];
    const out = Uint32Array.from(shown);
    const keys = new Float64Array(run.count);
    const sign = sort.down ? -1 : 1;
    if (c.key) for (const x of out) keys[x] = c.key(x);
    else {
      // Rank the distinct texts once; then only numbers are compared.
      const ranks = new Map();
      const texts = new Array(out.length);
      for (let i = 0; i < out.length; i++) ranks.set((texts[i] = c.byText(out[i])), 0);
      [...ranks.keys()].sort().forEach((t, i) => ranks.set(t, i));
      for (let i = 0; i < out.length; i++) keys[out[i]] = ranks.get(texts[i]);
    }
    if (sort.col === 0 && !sort.down) out.sort();
    else out.sort((a, b) => sign * (keys[a] - keys[b]) || a - b);
    shown = out;
    heads.forEach((b, i) => b.setAttribute('aria-sort', i === sort.col ? (sort.down ? 'descending' : 'ascending') : 'none'));
    list.setCount(shown.length);
    list.host.scrollTop = 0;
    list.draw();
  };
  const all = () => {
    const { view } = ctx;
    let n = 0;
    for (let pos = 0; pos < view.n; pos++) n += run.flags[view.stepAt(pos)] & FLAG.RECORD;
    return n;
  };
  const filter = () => {
    state.setField('search', search.value.trim());
    shown = matching(ctx, { text: search.value.trim(), name: name.value, program: program.value, kind: kind.value });
    fill(found, `${count(shown.length)} of ${count(all())} ops`);
    order();
  };
  let timer = 0;
  search.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(filter, 120); });
  for (const e of [name, program, kind]) e.addEventListener('change', filter);
  state.on('scope', filter);
  state.on('pool unit', () => (cols[sort.col].num ? order() : list.draw()));
  state.on('selected', () => {
    if (state.selected >= 0 && state.origin !== 'operations') {
      const at = shown.indexOf(state.selected);
      if (at >= 0) return list.reveal(at);
    }
    list.draw();
  });
  state.on('search', () => {
    const asked = state.fields.get('search') ?? '';
    if (asked === search.value.trim()) return;
    search.value = asked;
    filter();
  });
  filter();
  ctx.focusSearch = () => search.focus();
  return box;
}

function select(id, label, options) {
  return h('select', { id, 'aria-label': label, hidden: options.length < 2 && id === 'op-program' }, h('option', { value: '' }, `${label}: all`), options.map(([v, t]) => h('option', { value: v }, t)));
}

/** Distinct op names with their number of executions, most frequent first. */
function opNames(run) {
  const n = new Map();
  for (const s of run.records) {
    const t = run.templateOf(s);
    if (t >= 0) n.set(run.tpl.tpl_name[t], (n.get(run.tpl.tpl_name[t]) ?? 0) + 1);
  }
  return [...n].sort((a, b) => b[1] - a[1]).slice(0, 500).map(([id, c]) => [String(id), `${clip(run.str.get(id), 60)} (${count(c)})`]);
}

/** Templates (1) whose name, location, shapes, element types, layouts or weights hold the text. */
function templatesWith(run, text) {
  const { tpl } = run;
  const hit = run.str.matches(text), small = text.toLowerCase();
  const types = new Uint8Array(tpl.type_shape?.length ?? 0);
  for (let y = 0; y < types.length; y++) types[y] = ['shape', 'dtype', 'storage', 'layout', 'padded'].some(c => hit[tpl[`type_${c}`][y]]) || typeText(run, y).includes(small) ? 1 : 0;
  const weights = run.registry.map(w => w.name.toLowerCase().includes(small));
  const found = new Uint8Array(tpl.tpl_name?.length ?? 0);
  const some = (from, to, test) => {
    for (let i = from; i < to; i++) if (test(i)) return true;
    return false;
  };
  for (let t = 0; t < found.length; t++) {
    found[t] = hit[tpl.tpl_name[t]] || hit[tpl.tpl_loc[t]] || some(tpl.tpl_out[t], tpl.tpl_out[t + 1], i => types[tpl.out_type[i]])
      || some(tpl.tpl_in[t], tpl.tpl_in[t + 1], i => types[tpl.in_type[i]]) || some(tpl.tpl_weight[t], tpl.tpl_weight[t + 1], i => weights[tpl.weight[i]]) ? 1 : 0;
  }
  return found;
}

/** A type as the table shows it. */
const typeText = (run, y) => `${run.str.get(run.tpl.type_shape[y])} ${run.str.get(run.tpl.type_storage[y]) || run.str.get(run.tpl.type_dtype[y])}`.toLowerCase();

function matching(ctx, { text, name, program, kind }) {
  const { run, view } = ctx;
  const { tpl } = run;
  const templates = text ? templatesWith(run, text) : null;
  const number = /^#?([\d,]+)$/.exec(text)?.[1].replaceAll(',', '');
  const out = new Uint32Array(view.n);
  let n = 0;
  for (let pos = 0; pos < view.n; pos++) {
    const s = view.stepAt(pos);
    if (!run.isRecord(s)) continue;
    const t = run.templateOf(s);
    if (templates && !templates[t] && !(number && run.recordOf[s] === Number(number))) continue;
    if (name && (t < 0 || tpl.tpl_name[t] !== Number(name))) continue;
    if (program !== '' && run.programs.name[run.program(s)] !== Number(program)) continue;
    if (kind && Boolean(run.flags[s] & FLAG.WEIGHT) !== (kind === 'w')) continue;
    out[n++] = s;
  }
  return out.subarray(0, n);
}
