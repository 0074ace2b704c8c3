// TTIR and TTNN of every program: virtual lines, search, jump from an op to its line and from a line to its op.
import { fill, h } from '../dom.js';
import { bytes, clip, count, visible } from '../format.js';
import { section } from './table.js';
import { VirtualList } from './vlist.js';

const LONGEST = 3000;

/** Finds lines for ops and ops for lines: by location, and by name and result where several lines share one. */
class LocationIndex {
  constructor(run) {
    this.run = run;
    this.byName = new Map();
    this.byLine = new Map();
    const { module, name, line } = run.locations;
    for (let i = 0; i < name.length; i++) {
      const key = module[i] * 2 ** 32 + name[i];
      if (this.byName.has(key)) this.byName.get(key).push(i);
      else this.byName.set(key, [i]);
      this.byLine.set(module[i] * 2 ** 32 + line[i], i);
    }
  }
  /** The rows that fit best: same op and result, same op, any. */
  #best(rows, template) {
    const { tpl, locations } = this.run;
    const op = tpl.tpl_name[template], value = tpl.tpl_out[template] < tpl.tpl_out[template + 1] ? tpl.out_name[tpl.tpl_out[template]] : 0;
    const named = rows.filter(i => locations.op?.[i] === op);
    return named.find(i => locations.value?.[i] === value) ?? named[0] ?? rows[0];
  }
  /** {module, line, stage} of a step; TTNN before TTIR unless `stage` says otherwise. */
  lineOf(step, stage = null) {
    const { run } = this;
    const t = run.templateOf(step);
    if (t < 0 || !run.tpl.tpl_loc[t]) return null;
    const p = run.program(step);
    const own = p < 0 ? [] : [run.programs.ttnn[p], run.programs.ttir[p]].filter(m => m >= 0);
    // A program with modules of its own is not looked for in those of another.
    const order = (own.length ? own : [...run.modules.keys()]).filter(m => !stage || run.modules[m]?.stage === stage);
    for (const m of order) {
      const rows = this.byName.get(m * 2 ** 32 + run.tpl.tpl_loc[t]);
      if (rows) return { module: m, line: run.locations.line[this.#best(rows, t)], stage: run.modules[m].stage };
    }
    return null;
  }
  /** The first step that ran the op on this line, or -1. */
  stepOf(module, line) {
    const row = this.byLine.get(module * 2 ** 32 + line);
    if (row === undefined) return -1;
    const { run } = this;
    if (!this.firstStep) {
      this.firstStep = new Map();
      const seen = new Set();
      for (let s = 0; s < run.count; s++) {
        const t = run.templateOf(s);
        if (t < 0 || seen.has(t)) continue;
        seen.add(t);
        const loc = run.tpl.tpl_loc[t];
        if (!loc) continue;
        if (!this.firstStep.has(loc)) this.firstStep.set(loc, []);
        this.firstStep.get(loc).push(s);
      }
    }
    const steps = (this.firstStep.get(run.locations.name[row]) ?? []).filter(s => this.#mayRun(s, module));
    return steps.find(s => this.lineOf(s, run.modules[module].stage)?.line === line) ?? steps[0] ?? -1;
  }
  #mayRun(step, module) {
    const p = this.run.program(step);
    const { ttnn, ttir } = this.run.programs;
    return p < 0 || (ttnn[p] < 0 && ttir[p] < 0) || ttnn[p] === module || ttir[p] === module;
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
  const answer = h('p', { class: 'answer' }, `${count(run.modules.length)} modules in the log. A marked line number leads to the operation that ran it.`);
  const pick = h('select', { id: 'ir-module', 'aria-label': 'Module' }, run.modules.map((m, i) => h('option', { value: String(i) }, clip(`${m.stage.toUpperCase()} ${run.programs.names[m.program] ?? m.name} (${count(m.lines)} lines, ${bytes(m.bytes)})`, 100))));
  const search = h('input', { type: 'search', id: 'ir-search', placeholder: 'search, Enter for next', 'aria-label': 'Search in the module' });
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
  function find(next) {
    const q = search.value;
    if (!q) { fill(found); return list.draw(); }
    // Case is ignored by an expression: a lower-cased copy of a module of many MB would double the memory.
    const re = new RegExp(q.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi');
    re.lastIndex = next && marked >= 0 ? (starts[marked + 1] ?? 0) : 0;
    let m = re.exec(text);
    if (!m && re.lastIndex === 0) m = re.exec(text);
    if (!m) { fill(found, 'not found'); return list.draw(); }
    let lo = 0, hi = starts.length;
    while (lo + 1 < hi) { const mid = (lo + hi) >> 1; if (starts[mid] <= m.index) lo = mid; else hi = mid; }
    fill(found, `line ${count(lo + 1)}`);
    mark(lo, true);
    const px = (m.index - starts[lo]) * 6.65;
    rows.scrollLeft = px > rows.clientWidth * 0.7 ? px - rows.clientWidth / 2 : 0;
  }
  pick.addEventListener('change', () => show(Number(pick.value)));
  search.addEventListener('input', () => find(false));
  search.addEventListener('keydown', e => { if (e.key === 'Enter') { e.preventDefault(); find(true); } });

  ctx.openIr = async target => {
    if (!target) return;
    await show(target.module);
    box.scrollIntoView({ block: 'start' });
    mark(target.line - 1, true);
    rows.scrollLeft = 0;
    rows.focus({ preventScroll: true });
  };
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

function highlight(s, q) {
  if (!q) return s;
  const at = s.toLowerCase().indexOf(q.toLowerCase());
  return at < 0 ? s : [s.slice(0, at), h('mark', null, s.slice(at, at + q.length)), s.slice(at + q.length)];
}
