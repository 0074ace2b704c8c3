// SPDX-License-Identifier: Apache-2.0
// TTIR and TTNN of every program: virtual lines, search, jump from an op to its line and from a line to its op.
import { fill, h } from '../dom.js';
import { bytes, clip, count, visible } from '../format.js';
import { section } from './table.js';
import { VirtualList } from './vlist.js';

const LONGEST = 3000;

/** `%5` of `%5#1`. */
const bare = value => value.split(/[#:]/)[0];

/**
 * Finds lines for ops and ops for lines. The runtime prints the ops of the TTNN module with the names they have there, so function,
 * op and value name one line; several functions and lines share a location, which also leads to the TTIR module.
 */
class LocationIndex {
  constructor(run) {
    this.run = run;
    this.byName = new Map();
    this.functions = new Map();
    this.byLine = new Map();
    const { module, name, line, op, value, fn } = run.locations;
    const put = (map, key, i) => {
      const held = map.get(key);
      if (held === undefined) map.set(key, i);
      else if (Array.isArray(held)) held.push(i);
      else map.set(key, [held, i]);
    };
    let place = null, lastModule = -1, lastFn = -1;
    for (let i = 0; i < name.length; i++) {
      const f = fn?.[i] ?? 0;
      if (module[i] !== lastModule || f !== lastFn) {
        const key = `${(lastModule = module[i])} ${run.str.get((lastFn = f))}`;
        if (!this.functions.has(key)) this.functions.set(key, new Map());
        place = this.functions.get(key);
      }
      if (name[i]) put(this.byName, module[i] * 2 ** 32 + name[i], i);
      put(place, (op?.[i] ?? 0) * 2 ** 32 + (value?.[i] ?? 0), i);
      this.byLine.set(module[i] * 2 ** 32 + line[i], i);
    }
  }
  /** {op, value, fn, loc} of a step as the module would have it: value is its result, or its first operand without one. */
  #wanted(step) {
    const { run } = this;
    const { tpl } = run;
    const t = run.templateOf(step);
    if (t < 0) return null;
    const out = tpl.tpl_out[t] < tpl.tpl_out[t + 1] ? tpl.out_name[tpl.tpl_out[t]] : 0;
    const value = out || (tpl.tpl_in[t] < tpl.tpl_in[t + 1] ? tpl.in_name[tpl.tpl_in[t]] : 0);
    return { op: tpl.tpl_name[t], value, fn: run.programName(step), loc: tpl.tpl_loc[t] };
  }
  /** Rows of a function with the op and value. One of several results has a number after it that the module's line lacks. */
  #exact(m, want) {
    const { run } = this;
    const inside = want.value ? this.functions.get(`${m} ${want.fn}`) : null;
    if (!inside) return [];
    const text = run.str.get(want.value);
    if (bare(text) === text) return [inside.get(want.op * 2 ** 32 + want.value) ?? []].flat();
    return [...inside.values()].flat().filter(i => run.locations.op?.[i] === want.op && run.str.get(run.locations.value?.[i]) === bare(text));
  }
  #row(m, want) {
    const { run } = this;
    const { locations: l } = run;
    const same = this.#exact(m, want).find(i => l.name[i] === want.loc || !l.name[i] || !want.loc);
    if (same !== undefined || !want.loc) return same;
    const rows = [this.byName.get(m * 2 ** 32 + want.loc) ?? []].flat();
    const named = rows.filter(i => l.op?.[i] === want.op);
    return named.find(i => l.value?.[i] === want.value) ?? named[0] ?? rows[0];
  }
  /** {module, line, stage} of a step; TTNN before TTIR unless `stage` says otherwise. */
  lineOf(step, stage = null) {
    const { run } = this;
    const want = this.#wanted(step);
    if (!want) return null;
    const p = run.program(step);
    const own = p < 0 ? [] : [run.programs.ttnn[p], run.programs.ttir[p]].filter(m => m >= 0);
    // A program with modules of its own is not looked for in those of another.
    const order = (own.length ? own : [...run.modules.keys()]).filter(m => !stage || run.modules[m]?.stage === stage);
    for (const m of order) {
      const row = this.#row(m, want);
      if (row !== undefined) return { module: m, line: run.locations.line[row], stage: run.modules[m].stage };
    }
    return null;
  }
  /** The first step that ran the op on this line, or -1. */
  stepOf(module, line) {
    if (!this.byLine.has(module * 2 ** 32 + line)) return -1;
    this.firstStep ??= this.#firstSteps();
    return this.firstStep.get(module * 2 ** 32 + line) ?? -1;
  }
  /** Line -> the first step that leads to it, for both stages; each distinct op of a program is looked up once. */
  #firstSteps() {
    const { run } = this;
    const first = new Map(), seen = new Set();
    for (let s = 0; s < run.count; s++) {
      const t = run.templateOf(s);
      if (t < 0) continue;
      const p = run.program(s);
      const key = p < 0 ? `${t}` : `${t} ${run.programs.name[p]} ${run.programs.ttnn[p]} ${run.programs.ttir[p]}`;
      if (seen.has(key)) continue;
      seen.add(key);
      for (const stage of ['ttnn', 'ttir']) {
        const at = this.lineOf(s, stage);
        if (at && !first.has(at.module * 2 ** 32 + at.line)) first.set(at.module * 2 ** 32 + at.line, s);
      }
    }
    return first;
  }
}

export function irSection(ctx) {
  const { run, state } = ctx;
  const index = new LocationIndex(run);
  ctx.irLine = (step, stage) => index.lineOf(step, stage);
  if (!run.modules.length) {
    ctx.openIr = () => {};
    return section('ir', 'IR', h('p', { class: 'answer' }, 'The log has no module dump: TTXLA_LOGGER_LEVEL=DEBUG gives it.'));
  }
  let current = -1, text = '', starts = new Uint32Array(1), marked = -1;
  const answer = h('p', { class: 'answer' }, `${count(run.modules.length)} ${run.modules.length === 1 ? 'module' : 'modules'} in the log. A marked line number leads to the op that ran it.`);
  const pick = h('select', { id: 'ir-module', 'aria-label': 'Module' }, moduleNames(run).map((name, i) => h('option', { value: String(i) }, clip(`${name}, ${count(run.modules[i].lines)} lines, ${bytes(run.modules[i].bytes)}`, 100))));
  const search = h('input', { type: 'search', id: 'ir-search', placeholder: 'search; Enter next, Shift+Enter back', 'aria-label': 'Search in the module' });
  const found = h('span', { class: 'dim', id: 'ir-found', role: 'status' });
  const rows = h('div', { class: 'rows code', id: 'ir-lines' });
  const list = new VirtualList({ host: rows, rowHeight: 18, label: 'Module text', row: i => line(i) });
  const box = section('ir', 'IR', answer, h('div', { class: 'bar-row' }, pick, search, found), h('div', { class: 'vtable' }, rows));

  const lineText = i => text.slice(starts[i], (starts[i + 1] ?? text.length + 1) - 1);
  function line(i) {
    const raw = lineText(i);
    const step = index.stepOf(current, i + 1);
    const cut = raw.length > LONGEST;
    return h('div', { class: `code-line${i === marked ? ' marked' : ''}`, 'data-line': String(i + 1) },
      step >= 0 ? h('button', { type: 'button', class: 'line-no link', title: `${run.label(step)} ${clip(run.name(step), 60)}`, onclick: () => state.select(step, 'ir') }, String(i + 1)) : h('span', { class: 'line-no' }, String(i + 1)),
      h('span', { class: 'line-text' }, highlight(visible(cut ? raw.slice(0, LONGEST) : raw).replaceAll('␉', '    '), search.value), cut && h('span', { class: 'dim' }, ` … ${count(raw.length - LONGEST)} more characters`)));
  }
  async function show(module) {
    if (module === current) return;
    current = module;
    pick.value = String(module);
    marked = -1;
    text = await run.moduleText(module);
    if (current !== module) return;
    const at = [0];
    for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) at.push(i + 1);
    starts = Uint32Array.from(at);
    list.setCount(starts.length);
    rows.scrollTop = 0;
  }
  const mark = (i, force) => {
    marked = i;
    list.reveal(i, force);
  };
  /** The match before the marked line, else the last one. */
  function previous(re) {
    let before = null, last = null;
    for (let m = re.exec(text); m && !(before && m.index >= starts[marked]); m = re.exec(text)) {
      if (marked >= 0 && m.index < starts[marked]) before = m;
      else last = m;
    }
    return before ?? last;
  }
  /** way: 1 to the next match, -1 to the one before, 0 to the first. */
  function find(way) {
    const q = search.value;
    if (!q) { fill(found); return list.draw(); }
    // Case is ignored by an expression: a lower-cased copy of a module of many MB would double the memory.
    const re = new RegExp(q.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi');
    if (way > 0 && marked >= 0) re.lastIndex = starts[marked + 1] ?? 0;
    const m = way < 0 ? previous(re) : re.exec(text) ?? re.exec(text);
    if (!m) { fill(found, 'not found'); return list.draw(); }
    let lo = 0, hi = starts.length;
    while (lo + 1 < hi) { const mid = (lo + hi) >> 1; if (starts[mid] <= m.index) lo = mid; else hi = mid; }
    fill(found, `line ${count(lo + 1)}`);
    mark(lo, true);
    const px = (m.index - starts[lo]) * 6.65;
    rows.scrollLeft = px > rows.clientWidth * 0.7 ? px - rows.clientWidth / 2 : 0;
  }
  pick.addEventListener('change', () => show(Number(pick.value)));
  search.addEventListener('input', () => find(0));
  search.addEventListener('keydown', e => { if (e.key === 'Enter') { e.preventDefault(); find(e.shiftKey ? -1 : 1); } });

  ctx.openIr = async target => {
    if (!target) return;
    await show(target.module);
    box.scrollIntoView({ block: 'start' });
    mark(target.line - 1, true);
    rows.scrollLeft = 0;
    rows.focus({ preventScroll: true });
    state.setField('irline', `${target.module}:${target.line}`, true);
  };
  state.on('irline', () => {
    const m = state.reading && /^(\d+):(\d+)$/.exec(state.fields.get('irline') ?? '');
    if (m && run.modules[m[1]]) show(Number(m[1])).then(() => mark(Math.min(starts.length, Number(m[2])) - 1, true));
  });
  // Follow the selection quietly: the module on show marks the op's line if it has one.
  state.on('selected', async () => {
    if (state.selected < 0 || state.origin === 'ir') return;
    const target = index.lineOf(state.selected, run.modules[current]?.stage) ?? index.lineOf(state.selected);
    if (!target) return;
    await show(target.module);
    mark(target.line - 1, true);
  });
  // Opened when it comes near the screen: a module can be many MB.
  new IntersectionObserver((entries, o) => {
    if (!entries.some(e => e.isIntersecting)) return;
    o.disconnect();
    if (current < 0) show(Math.max(0, run.modules.findIndex(m => m.stage === 'ttnn')));
  }, { rootMargin: '400px' }).observe(box);
  return box;
}

/** Stage and program of every module; those that share a name are numbered as the programs are. */
function moduleNames(run) {
  const plain = run.modules.map(m => `${m.stage.toUpperCase()} ${clip(run.programs.names[m.program] ?? m.name ?? '', 60)}`);
  const seen = new Map();
  return plain.map(name => {
    seen.set(name, (seen.get(name) ?? 0) + 1);
    return plain.filter(n => n === name).length > 1 ? `${name} (${seen.get(name)})` : name;
  });
}

function highlight(s, q) {
  if (!q) return s;
  const at = s.toLowerCase().indexOf(q.toLowerCase());
  return at < 0 ? s : [s.slice(0, at), h('mark', null, s.slice(at, at + q.length)), s.slice(at + q.length)];
}
