// SPDX-License-Identifier: Apache-2.0
// One core's L1 from 0 to its top for the op that is chosen or under the pointer: firmware, what the program takes, free, L1 buffers; the
// cores that the program lies on; the tightest ops.
import { fill, h } from '../dom.js';
import { clip, count } from '../format.js';
import { momentOf } from '../moment.js';
import { opLink, section, table } from './table.js';

const LISTED = 20, MOST_CELLS = 32;
const grouped = n => `${count(n)} B`;

/** The ops of the member "l1" of a page, the tightest first. */
export function l1Ops(l1) {
  return (Array.isArray(l1?.ops) ? l1.ops : []).filter(Array.isArray)
    .map(([step, layout, margin, circular, dataflow, scratchpad, end, lowest, buffers, bytes, grid, line, name, top]) => ({ step, layout, margin, circular, dataflow, scratchpad, end, lowest, buffers, bytes, grid, line, name, top }));
}

/** [name, class, from, to, end unknown] from the bottom; what a message alone does not tell is one part. */
export function l1Parts(op, layout) {
  const [base, top, small] = layout, drawn = Math.max(op.top, op.end, op.lowest);
  const end = op.top || drawn, low = op.lowest >= 0 ? op.lowest : op.circular < 0 ? end : Math.min(top || end, end);
  const beyond = ['beyond the end', 'failed', end, op.end];
  if (op.circular < 0) return [['firmware, kernel ring and program', 'program', 0, Math.min(op.end, end)], ['free', 'free', op.end, low], ['L1 buffers', 'buffers', low, end, !op.top], beyond].filter(p => p[3] > p[2]);
  const d = base + op.circular, s = d + op.dataflow;
  return [['firmware, kernel ring', 'firmware', 0, base], ['circular buffers', 'program', base, Math.min(d, end)], ['dataflow buffers', 'dataflow', d, s], ['scratchpads', 'scratch', s, s + op.scratchpad],
    ['more, on other cores', 'other', d, op.dataflow + op.scratchpad ? 0 : Math.min(op.end, end)],
    ['free', 'free', op.end, low], ['L1 buffers', 'buffers', low, top || end], ['L1_SMALL', 'small', top, top + small], beyond].filter(p => p[3] > p[2]);
}

/** A cell per core, the fuller the darker; null where no core is known. */
function gridOf(areas) {
  if (!areas?.length) return null;
  const columns = 1 + Math.max(...areas.map(a => a[2])), rows = 1 + Math.max(...areas.map(a => a[3]));
  if (columns > MOST_CELLS || rows > MOST_CELLS) return null;
  const most = Math.max(...areas.map(a => a[4])), fullest = areas.find(a => a[4] === most);
  const cells = [];
  for (let y = 0; y < rows; y++) for (let x = 0; x < columns; x++) {
    const a = areas.find(r => x >= r[0] && x <= r[2] && y >= r[1] && y <= r[3]);
    const cell = h('i', { class: `core${a ? ' used' : ''}${a === fullest && x === a[0] && y === a[1] ? ' fullest' : ''}`, title: `(${x},${y}): ${a ? (a[4] ? `${grouped(a[4])} of the program` : 'in the program') : 'not in the program'}` });
    if (a) cell.style.opacity = String(most ? 0.25 + (0.75 * a[4]) / most : 1);
    cells.push(cell);
  }
  const box = h('div', { class: 'cores', id: 'l1-cores', role: 'img', 'aria-label': `${count(columns)} by ${count(rows)} cores` }, cells);
  box.style.gridTemplateColumns = `repeat(${columns}, 12px)`;
  const used = areas.reduce((n, a) => n + (a[2] - a[0] + 1) * (a[3] - a[1] + 1), 0);
  return [h('h3', null, `${count(used)} ${used === 1 ? 'core' : 'cores'}${most ? `, the fullest (${fullest[0]},${fullest[1]}): ${grouped(most)} of the program` : ''}`), box];
}

/**
 * The parts of the section: `now` tells the op to draw (null: none), `nameOf` what it is called, `pick` what a click on a row does,
 * `perCore` whether cores differ. `draw` draws it again.
 */
export function l1Map({ l1, ops, now, nameOf, pick, perCore }) {
  const answer = h('p', { class: 'answer', id: 'l1-answer' }), bar = h('div', { class: 'l1-bar', id: 'l1-bar', role: 'img' }), parts = h('div', { class: 'wide', id: 'l1-parts' }), cores = h('div');
  const draw = () => {
    const op = now();
    bar.hidden = !op;
    if (!op) {
      fill(answer, l1.count > ops.length ? `Not among the ${count(ops.length)} tightest of ${count(l1.count)} ops.` : 'Nothing is in L1 then.');
      fill(parts);
      return fill(cores);
    }
    const list = l1Parts(op, l1.layouts?.[op.layout] ?? [0, 0, 0, 0]), end = Math.max(op.top, op.end, op.lowest, 1);
    fill(answer, nameOf(op), ': ', h('b', null, op.margin < 0 ? `${grouped(-op.margin)} too many` : `${grouped(op.margin)} left`), `, the program ends at ${count(op.end)}`,
      op.lowest >= 0 ? `, the lowest L1 buffer begins at ${count(op.lowest)}` : `, what can be used ends at ${count(op.end + op.margin)}`, l1.program_known || op.line ? '.' : '. Circular buffers are not in the input: an upper bound.', l1.assumed ? ' The device is not known: its memory is assumed.' : '', perCore ? ' L1 is allocated core by core: other cores differ.' : '');
    const size = ([, , from, to, open]) => (open ? 'not known' : grouped(to - from));
    fill(bar, list.map(part => {
      const [name, cls, from, to, open] = part;
      const e = h('i', { class: `l1-${cls}`, title: open ? `${name}: from ${count(from)} on` : `${name}: ${count(from)} to ${count(to)}, ${size(part)}` });
      e.style.left = `${(100 * from) / end}%`;
      e.style.width = `${(100 * (to - from)) / end}%`;
      return e;
    }));
    bar.setAttribute('aria-label', list.map(part => `${part[0]} ${size(part)}`).join(', '));
    fill(parts, table({ id: 'l1-part-list', rows: list, columns: [{ head: '', cell: r => h('i', { class: `l1-key l1-${r[1]}` }) }, { head: 'part', cell: r => r[0] }, { head: 'from', num: true, cell: r => count(r[2]) }, { head: 'bytes', num: true, cell: r => (r[4] ? 'not known' : count(r[3] - r[2])) }] }));
    fill(cores, gridOf(l1.grids?.[op.grid]));
  };
  const tight = table({
    id: 'l1-tightest', rows: ops.slice(0, LISTED), pick: o => pick(o, draw),
    columns: [{ head: 'op', cell: o => nameOf(o) }, { head: 'margin, B', num: true, cell: o => (o.margin < 0 ? `-${count(-o.margin)}` : count(o.margin)) }, { head: 'program, B', num: true, cell: o => (o.circular < 0 ? '?' : count(o.circular + o.dataflow + o.scratchpad)) },
      { head: 'ends at', num: true, cell: o => count(o.end) }, { head: 'lowest L1 buffer', num: true, cell: o => (o.lowest >= 0 ? count(o.lowest) : '–') }],
  });
  return { draw, parts: [answer, bar, parts, cores, h('h3', null, `The tightest ops${l1.count > LISTED ? ` (${LISTED} of ${count(l1.count)})` : ''}`), h('div', { class: 'wide' }, tight)] };
}

/** null for a run that does not tell where anything lies in L1. */
export function l1Section(ctx) {
  const { run, state } = ctx;
  const { l1 } = run.meta, ops = l1Ops(l1).filter(o => o.step < run.count && (o.step >= 0 || o.line > 0));
  if (!ops.length) return null;
  const byStep = new Map();
  for (const op of ops) if (op.step >= 0 && !byStep.has(op.step)) byStep.set(op.step, op);
  let picked = null;
  /** The op at the moment, else the one before it that is known; the tightest where nothing was chosen. */
  const now = () => {
    const hovers = state.hover !== null && state.hover !== undefined;
    if (!hovers && picked) return picked;
    if (!hovers && !ctx.view.has(state.selected)) return ops[0];
    const { step } = momentOf(ctx, true), at = run.recordUpTo(step);
    return at >= 0 ? byStep.get(run.records[at]) ?? null : null;
  };
  const { draw, parts } = l1Map({
    l1, ops, now, perCore: run.meta.l1_per_core,
    nameOf: op => (op.step >= 0 ? [opLink(run, state, op.step), ` ${clip(run.name(op.step), 40)}`] : [clip(op.name || 'a program', 40), ` refused, line ${count(op.line)}`]),
    pick: (o, again) => (o.step >= 0 ? state.select(o.step, 'table') : ((picked = o), again())),
  });
  state.on('selected', () => { picked = null; });
  state.on('hover selected scope', draw);
  draw();
  return section('l1', 'L1 of a core', ...parts);
}
