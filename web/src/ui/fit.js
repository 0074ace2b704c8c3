// SPDX-License-Identifier: Apache-2.0
// What would make it fit: changes that were tried by a replay of all allocations, best first. A click draws that replay over the
// timeline and selects the op to change.
import { h } from '../dom.js';
import { MIB, clip, mb } from '../format.js';
import { opLink, section, table } from './table.js';

const ENOUGH = { fits: 'yes', may_fit: 'maybe', does_not_fit: 'no' };

/** null where the run neither failed nor came near the end of a bank. */
export function fitSection(ctx) {
  const { run, state } = ctx;
  const fit = run.meta.fit;
  if (!fit?.rows?.length) return null;
  const rows = fit.rows.map(([name, peak, verdict, exact, step, setting, assumption, off, levels, room]) => ({ name, peak, verdict, exact, step, setting, assumption, off, levels, room }));
  const pool = run.pools[fit.pool] ?? 'DRAM';
  const goal = fit.fits ? `a peak of at most ${mb(fit.target / MIB)} in ${pool}` : 'to fit';
  const answer = fit.set.length
    ? h('p', { class: 'answer', id: 'fit-answer' }, h('b', null, fit.set.join(' + ')), fit.certain ? ` is the smallest set that is enough; the target is ${goal}.` : ` may be enough, but no set is certain to be; the target is ${goal}.`)
    : h('p', { class: 'answer', id: 'fit-answer' }, `No set of these changes is enough; the target is ${goal}.`);
  const note = h('p', { class: 'dim', id: 'fit-replay' }, 'A click on a row draws its replay over the timeline.');
  const pick = r => {
    const off = ctx.replay?.name === r.name;
    ctx.replay = off || !r.levels ? null : { name: r.name, levels: r.levels, per: fit.per, pool: fit.pool, rank: fit.rank };
    note.textContent = ctx.replay ? `Over the timeline: the replay with "${r.name}". A second click removes it.` : r.levels ? 'A click on a row draws its replay over the timeline.' : 'Its replay is not drawn: it is of another device, or too far down the list.';
    if (ctx.replay && state.pool !== fit.pool) state.set('pool', fit.pool);
    if (r.step >= 0 && !off) state.select(r.step, 'table');
    ctx.redraw();
  };
  return section('fit', 'What Would Fit', answer, note,
    table({ id: 'fits', rows, pick, columns: [
      { head: 'change', cell: r => clip(r.name, 60), title: r => r.name },
      { head: 'op', cell: r => (r.step >= 0 ? opLink(run, state, r.step) : '') },
      { head: `new peak ${run.per(fit.pool)}`, num: true, cell: r => mb(r.peak / MIB) },
      { head: 'change', num: true, cell: r => `${r.peak <= fit.peak ? '-' : '+'}${mb(Math.abs(fit.peak - r.peak) / MIB)}` },
      { head: 'room in one piece', num: true, cell: r => (r.room == null ? '-' : mb(r.room / MIB)) },
      { head: 'enough', cell: r => ENOUGH[r.verdict] },
      { head: 'how', cls: 'wide', cell: r => (r.exact ? 'exact' : `estimate, +-${mb(r.off / MIB)}`), title: r => r.assumption },
      { head: 'what to do', cls: 'wide', cell: r => r.setting ?? '' }] }));
}
