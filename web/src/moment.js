// SPDX-License-Identifier: Apache-2.0
// The moment that lists are about, and the tensors of a moment or of a range of steps.
import { NONE } from './run.js';

/** {c, step, last, peak}: the boundary; the step that it comes after, or before where `last`; `peak` when nothing was chosen. */
export function momentOf(ctx, withHover = false) {
  const { view, state } = ctx;
  if (withHover && state.hover !== null && state.hover !== undefined) {
    const c = view.boundary(state.hover);
    return { c, step: view.stepAt(state.hover), last: c !== state.hover + 1 };
  }
  if (view.has(state.selected)) {
    const after = view.boundaryAfter(state.selected);
    return after >= 0 ? { c: after, step: state.selected } : { c: view.boundary(view.posOf(state.selected)), step: state.selected, last: true };
  }
  const c = view.fullest(state.pool);
  return { c, step: view.stepAt(c - 1), peak: true };
}

/** "at the DRAM peak, after #12", "after #12", "from #3 to #9". */
export function momentText(ctx) {
  const { run, state } = ctx;
  if (state.range) return `from ${run.label(state.range[0])} to ${run.label(state.range[1])}`;
  const { c, step, last, peak } = momentOf(ctx);
  if (c < 0) return 'at no known moment';
  return `${peak ? `at the ${run.pools[state.pool]} peak, ` : ''}${last ? 'before' : 'after'} ${run.label(step)}`;
}

/**
 * What counts for the chosen moment or range: [{tensor, bytes, made, freed}], sizes in the unit in use. Of a moment: all that is alive.
 * Of a range: what was made or freed in it.
 */
export function tensorsOfMoment(ctx) {
  const { run, state, view } = ctx, k = state.pool;
  const lives = view.lives(k), total = state.unitOf(k) === 'total';
  if (lives.held) return [];
  const bytes = i => (total ? run.tpl.type_physical[run.ten.type[lives.id[i]]] : lives.size[i]);
  if (!state.range) {
    const { c } = momentOf(ctx);
    return c < 0 ? [] : view.aliveAt(k, c).map(i => ({ tensor: lives.id[i], bytes: bytes(i), made: false, freed: false }));
  }
  const [from, to] = state.range, out = [];
  for (let i = 0; i < lives.count; i++) {
    const t = lives.id[i], birth = run.ten.birth[t], life = run.ten.life ? run.ten.life[t] : NONE;
    const made = birth >= from && birth <= to, freed = life !== NONE && birth + life >= from && birth + life <= to;
    if (made || freed) out.push({ tensor: t, bytes: bytes(i), made, freed });
  }
  return out;
}
