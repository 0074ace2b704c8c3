// SPDX-License-Identifier: Apache-2.0
// What passes leave behind, by op: the rows of ttmem summary. A click selects the op where it last left something.
import { h } from '../dom.js';
import { MIB, bytes, clip, count, mb } from '../format.js';
import { placeText } from '../places.js';
import { opLink, section, table } from './table.js';

/** null where passes leave nothing behind, or where it is not known. */
export function leakSection(ctx) {
  const { run, state } = ctx;
  const leaks = run.meta.leaks;
  const rows = (leaks?.rows ?? []).filter(r => Array.isArray(r) && r[0] < run.count)
    .map(([step, shape, dtype, pool, certain, passes, of, tensors, size, line]) => ({ step, shape, dtype, pool, certain, passes, of, tensors, size, line }));
  if (!rows.length) return null;
  const certain = rows.every(r => r.certain), most = rows[0], per = run.perOf(rows.map(r => r.pool));
  const answer = h('p', { class: 'answer', id: 'leaks-answer' },
    certain ? [h('b', null, `${count(leaks.count)} op${leaks.count === 1 ? '' : 's'} leave${leaks.count === 1 ? 's' : ''} memory behind in each pass`), ', most of it ', opLink(run, state, most.step), ' ', h('span', { class: 'mono' }, clip(run.name(most.step), 40)), `: ${bytes(most.size / most.passes)} ${run.per(most.pool)} per pass.`]
      : [h('b', null, 'Passes leave memory behind'), '; none of these fits the growth: which of them stays, if any, is not known.'],
    leaks.end ? ` ${leaks.end[0].toUpperCase()}${leaks.end.slice(1)}.` : '');
  return section('leaks', 'Left Behind by Passes', answer,
    table({ id: 'left-behind', rows, pick: r => state.select(r.step, 'table'), columns: [
      { head: 'op', cell: r => opLink(run, state, r.step) }, { head: 'name', cls: 'mono op-name', cell: r => clip(run.name(r.step), 40) },
      { head: 'location', cls: 'mono wide', cell: r => clip(placeText(run.loc(r.step)), 60), title: r => clip(run.loc(r.step), 400) },
      { head: 'tensor', cls: 'mono', cell: r => clip(`${r.shape} ${r.dtype}`, 60) }, { head: 'pool', cls: 'minor', cell: r => run.pools[r.pool] ?? '' },
      { head: `${per} per pass`, num: true, cell: r => bytes(r.size / Math.max(1, r.passes)) }, { head: 'passes', cls: 'minor', num: true, cell: r => `${count(r.passes)} of ${count(r.of)}` },
      { head: 'tensors', cls: 'minor', num: true, cell: r => count(r.tensors) }, { head: `in all, MB ${per}`, cls: 'minor', num: true, cell: r => mb(r.size / MIB) },
      { head: 'IR line', cls: 'minor', num: true, cell: r => (r.line ? count(r.line) : '–') }] }),
    leaks.count > rows.length ? h('p', { class: 'dim' }, `and ${count(leaks.count - rows.length)} more ops`) : null);
}
