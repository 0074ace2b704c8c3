// SPDX-License-Identifier: Apache-2.0
// Sizes of the tensors of a moment or range: how many and how much, by power of two and class; for a range also who made and freed.
import { fill, frame, h, whenSeen } from '../dom.js';
import { MIB, clip, count, mb } from '../format.js';
import { momentText, tensorsOfMoment } from '../moment.js';
import { CLASSES } from '../run.js';
import { opLink, section, table } from './table.js';

const label = bytes => (bytes >= MIB ? `${count(bytes / MIB)} MB` : bytes >= 1024 ? `${count(bytes / 1024)} KB` : `${count(bytes)} B`);

/** Rows of the histogram: [{from, count, sum, byClass}], smallest first, without gaps. */
export function histogram(run, items) {
  const bins = new Map();
  for (const { tensor, bytes } of items) {
    const e = Math.max(10, Math.ceil(Math.log2(bytes)));
    if (!bins.has(e)) bins.set(e, { to: 2 ** e, count: 0, sum: 0, byClass: CLASSES.map(() => 0) });
    const bin = bins.get(e);
    bin.count++;
    bin.sum += bytes;
    bin.byClass[run.ten.cls ? run.ten.cls[tensor] : 1] += bytes;
  }
  const keys = [...bins.keys()].sort((a, b) => a - b), out = [];
  for (let e = keys[0]; e <= keys[keys.length - 1]; e++) out.push(bins.get(e) ?? { to: 2 ** e, count: 0, sum: 0, byClass: CLASSES.map(() => 0) });
  return out;
}

export function sizeSection(ctx) {
  const { run, state } = ctx;
  const answer = h('p', { class: 'answer', id: 'sizes-answer' });
  const chart = h('div', { class: 'histogram', id: 'histogram', role: 'table', 'aria-label': 'Tensors by size' });
  const makers = h('div', { id: 'range-makers' });
  const box = section('sizes', 'Sizes', answer, chart, makers);
  const draw = frame(() => {
    const items = tensorsOfMoment(ctx), bins = items.length ? histogram(run, items) : [];
    const sum = items.reduce((a, i) => a + i.bytes, 0), most = Math.max(1, ...bins.map(b => b.sum));
    const half = halfIn(items, sum);
    fill(answer, items.length ? [h('b', null, `${count(items.length)} tensors ${state.range ? 'made or freed' : 'alive'} ${momentText(ctx)}`), `: ${mb(sum / MIB)} ${state.unitText()}, half of it in the ${count(half)} largest.`] : `No known tensor ${state.range ? 'is made or freed' : 'is alive'} ${momentText(ctx)}.`);
    fill(chart, bins.map(b => {
      const bar = h('span', { class: 'bar-stack', role: 'presentation' }, b.byClass.map((v, i) => {
        if (!v) return null;
        const part = h('i', { class: `key ${CLASSES[i]}`, title: `${run.className(i)} ${mb(v / MIB)}` });
        part.style.width = `${(100 * v) / most}%`;
        return part;
      }));
      return h('div', { class: 'bin', role: 'row' }, h('span', { class: 'num dim', role: 'cell' }, `≤ ${label(b.to)}`), h('span', { class: 'num', role: 'cell' }, b.count ? `${count(b.count)} ×` : ''), h('span', { class: 'num', role: 'cell' }, b.count ? mb(b.sum / MIB) : ''), bar);
    }));
    fill(makers, state.range ? rangeTable(ctx, items) : h('p', { class: 'dim' }, 'Alt-drag over a graph, or "sum up the window", shows who made and freed memory in a range.'));
  });
  const again = whenSeen(box, draw);
  state.on('selected pool unit scope range', again);
  again();
  return box;
}

function halfIn(items, sum) {
  let left = sum / 2, n = 0;
  for (const b of items.map(i => i.bytes).sort((x, y) => y - x)) {
    if (left <= 0) break;
    left -= b;
    n++;
  }
  return n;
}

/** Who made and who freed what was made and freed in the range, by name of the op: the ten that moved most. */
function rangeTable(ctx, items) {
  const { run, state } = ctx, rows = new Map();
  const row = (name, s) => rows.get(name) ?? rows.set(name, { name, s, times: 0, made: 0, freed: 0 }).get(name);
  for (const { tensor, bytes, made, freed } of items) {
    const t = run.tensor(tensor);
    if (made) {
      const r = t.producer >= 0 ? row(run.name(t.producer), t.producer) : row(run.className(t.cls), -1);
      r.made += bytes;
      r.times++;
    }
    if (freed) row(t.producer >= 0 ? run.name(t.producer) : run.className(t.cls), t.producer).freed += bytes;
  }
  const list = [...rows.values()].sort((a, b) => Math.max(b.made, b.freed) - Math.max(a.made, a.freed)).slice(0, 10);
  const made = items.reduce((a, i) => a + (i.made ? i.bytes : 0), 0), freed = items.reduce((a, i) => a + (i.freed ? i.bytes : 0), 0);
  return [h('h3', null, `Made ${mb(made / MIB)}, freed ${mb(freed / MIB)}, net ${mb((made - freed) / MIB)} ${state.unitText()}, by the op that made it`), table({
    id: 'range-ops', rows: list, columns: [{ head: 'op', cls: 'mono', cell: r => clip(r.name, 60) }, { head: 'first', cell: r => (r.s >= 0 ? opLink(run, state, r.s) : '–') }, { head: 'tensors made', num: true, cell: r => count(r.times) }, { head: 'made', num: true, cell: r => mb(r.made / MIB) }, { head: 'freed', num: true, cell: r => mb(r.freed / MIB) }, { head: 'net', num: true, cell: r => mb((r.made - r.freed) / MIB) }],
  })];
}
