// SPDX-License-Identifier: Apache-2.0
// What would make it fit: changes that were tried by a replay of all allocations, best first. A click selects the op to change.
import { h } from '../dom.js';
import { MIB, clip, mb } from '../format.js';
import { opLink, section, table } from './table.js';

/** null where the run neither failed nor came near the end of a bank. */
export function fitSection(ctx) {
  const { run, state } = ctx;
  const fit = run.meta.fit;
  if (!fit?.rows?.length) return null;
  const rows = fit.rows.map(([name, peak, enough, exact, step, setting, assumption, off]) => ({ name, peak, enough, exact, step, setting, assumption, off }));
  const pool = run.pools[fit.pool] ?? 'DRAM';
  const goal = fit.fits ? `a peak of at most ${mb(fit.target / MIB)} in ${pool}` : 'that it fits';
  const answer = fit.set.length
    ? h('p', { class: 'answer', id: 'fit-answer' }, h('b', null, fit.set.join(' + ')), ` is the smallest set that is enough; the target is ${goal}.`)
    : h('p', { class: 'answer', id: 'fit-answer' }, `No set of these changes is enough; the target is ${goal}.`);
  return section('fit', 'What Would Fit', answer,
    table({ id: 'fits', rows, pick: r => r.step >= 0 && state.select(r.step, 'table'), columns: [
      { head: 'change', cell: r => clip(r.name, 60), title: r => r.name },
      { head: 'op', cell: r => (r.step >= 0 ? opLink(run, state, r.step) : '') },
      { head: 'new peak per bank', num: true, cell: r => mb(r.peak / MIB) },
      { head: 'change', num: true, cell: r => `${r.peak <= fit.peak ? '-' : '+'}${mb(Math.abs(fit.peak - r.peak) / MIB)}` },
      { head: 'enough', cell: r => (r.enough ? 'yes' : 'no') },
      { head: 'how', cls: 'wide', cell: r => (r.exact ? 'exact' : `estimate, +-${mb(r.off / MIB)}`), title: r => r.assumption },
      { head: 'what to do', cls: 'wide', cell: r => r.setting ?? '' }] }));
}
