// SPDX-License-Identifier: Apache-2.0
// What is drawn over every graph: the lives of pinned tensors with their uses, and the chosen range.
import { usesOf } from '../uses.js';

/** The uses of a pinned tensor, worked out once. */
export function pinned(ctx, tensor) {
  ctx.uses ??= new Map();
  if (!ctx.uses.has(tensor)) {
    if (ctx.uses.size > 400) ctx.uses.clear();
    ctx.uses.set(tensor, usesOf(ctx.run, tensor));
  }
  return ctx.uses.get(tensor);
}

const MOST_TICKS = 500;

export function drawPins(ctx, p, c) {
  const { run, state, view } = ctx;
  if (!run.ready) return;
  state.pins.forEach((tensor, n) => {
    const t = run.tensor(tensor);
    if ((run.ten.rank ? run.ten.rank[tensor] : 0) !== view.rank) return;
    const { steps, last } = pinned(ctx, tensor);
    const from = p.x(view.upTo(t.birth) - 1), to = t.death < 0 ? p.left + p.width : p.x(view.upTo(t.death) - 1);
    const color = n ? c.capacity : c.accent;
    p.ctx.fillStyle = `${color}14`;
    p.ctx.fillRect(from, p.top, to - from, p.height);
    p.vline(from, color, [2, 2]);
    if (t.death >= 0) p.vline(to, color, [2, 2]);
    // The uses as ticks along the top; the last one is longer.
    p.ctx.fillStyle = color;
    for (const s of steps.slice(0, MOST_TICKS)) if (view.has(s)) p.ctx.fillRect(p.x(view.posOf(s) + 0.5), p.top, Math.max(1, p.r), 5 * p.r);
    if (last >= 0 && view.has(last)) p.ctx.fillRect(p.x(view.posOf(last) + 0.5), p.top, 2 * Math.max(1, p.r), 12 * p.r);
  });
}

export function drawRange(ctx, p, c) {
  const { state, view } = ctx;
  if (!state.range) return;
  const a = p.x(view.posOf(state.range[0])), b = p.x(view.posOf(state.range[1]) + 1);
  p.ctx.fillStyle = `${c.input}26`;
  p.ctx.fillRect(a, p.top, b - a, p.height);
  p.vline(a, c.input);
  p.vline(b, c.input);
}
