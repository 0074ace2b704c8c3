// SPDX-License-Identifier: Apache-2.0
// What is alive at the moment though its last use is past: which tensors, since when, and the peak without them.
import { fill, frame, h, whenSeen } from '../dom.js';
import { MIB, clip, count, mb } from '../format.js';
import { momentOf, momentText, tensorsOfMoment } from '../moment.js';
import { placeText } from '../places.js';
import { copiesOf, peakWithout } from '../uses.js';
import { pinned } from '../charts/overlay.js';
import { pinLink } from './pin.js';
import { opLink, section, table } from './table.js';

// The uses of a tensor are found by walking its life: of the largest ones only, and few are shown.
const LOOKED_AT = 200, LISTED = 20;

/** [{tensor, bytes, last, free, uses}] of a moment, largest first: used last before it, freed after it. `known`: how many have uses that the log tells. */
export function lateTensors(ctx) {
  const { run } = ctx, { step, last: before } = momentOf(ctx);
  const items = tensorsOfMoment(ctx).sort((a, b) => b.bytes - a.bytes).slice(0, LOOKED_AT);
  let known = 0;
  const list = items.flatMap(({ tensor, bytes }) => {
    // What is never freed may be used after the log: its life is not walked for nothing.
    const t = run.tensor(tensor);
    if (t.producer < 0 || t.death < 0) return [];
    const uses = pinned(ctx, tensor);
    if (uses.kept) return [];
    known++;
    // What no op takes is done with when it is made.
    const last = uses.last >= 0 ? uses.last : t.producer;
    return last >= 0 && (before ? last < step - 1 : last < step) && uses.free > step ? [{ tensor, bytes, last, free: uses.free, uses }] : [];
  });
  return { list, known };
}

export function lateSection(ctx) {
  const { run, state } = ctx;
  const answer = h('p', { class: 'answer', id: 'late-answer' }), rows = h('div', { class: 'wide', id: 'late-rows' });
  const box = section('late', 'Freed late', answer, rows);
  const draw = frame(() => {
    const { view } = ctx, k = state.pool, s = view.pool(k);
    if (state.range) {
      fill(answer, 'This is for one moment, not a range: clear the range to see it.');
      return fill(rows);
    }
    const { list, known } = lateTensors(ctx), sum = list.reduce((a, i) => a + i.bytes, 0);
    if (!list.length) {
      fill(answer, known ? `Nothing that is alive ${momentText(ctx)} was last used before it, among ${count(known)} ${known === 1 ? 'tensor' : 'tensors'} whose uses the log records.` : `The log does not record the uses of any tensor that is alive ${momentText(ctx)}.`);
      return fill(rows);
    }
    // What a model does in one pass it does in all: the peak of the run falls only when every pass frees them.
    const all = s.seen ? [...new Map(list.flatMap(i => copiesOf(run, i.tensor, i.uses)).map(i => [i.tensor, i])).values()] : [];
    fill(answer, h('b', null, `${mb(sum / MIB)} ${state.unitText()} in ${count(list.length)} ${list.length === 1 ? 'tensor' : 'tensors'}`), ` alive ${momentText(ctx)} was used last before it.`,
      s.seen ? [` Freed after their last use${all.length > list.length ? ', in every pass' : ''}, the peak would be `, h('b', null, `${mb(s.max * state.scale(k))} → ${mb(peakWithout(view, k, all) * state.scale(k))}`), '.'] : '');
    fill(rows, table({
      id: 'late-table', rows: list.slice(0, LISTED), pick: r => state.pin(r.tensor),
      columns: [{ head: 'tensor', cls: 'mono', cell: r => pinLink(ctx, r.tensor, clip(`${run.tensor(r.tensor).type.shape} ${run.tensor(r.tensor).type.dtype}`, 60)) }, { head: 'MB', num: true, cell: r => mb(r.bytes / MIB) },
        { head: 'made by', cls: 'mono wide', cell: r => clip(placeText(run.loc(run.tensor(r.tensor).producer)) || run.name(run.tensor(r.tensor).producer), 60) },
        { head: 'last use', cell: r => opLink(run, state, r.last) }, { head: 'freed after', cell: r => { const at = run.recordUpTo(r.free); return at >= 0 ? opLink(run, state, run.records[at]) : '–'; } }],
    }), list.length > LISTED ? h('p', { class: 'dim' }, `and ${count(list.length - LISTED)} smaller ones`) : null);
  });
  const again = whenSeen(box, draw);
  state.on('selected pool unit scope range', again);
  again();
  return box;
}
