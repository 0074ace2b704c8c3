// SPDX-License-Identifier: Apache-2.0
// A replay with a change (see ui/fit.js) over the graph of the run as it was: the highest of every so many steps.

export function drawReplay(p, c, ctx) {
  const { replay, view, state, run } = ctx;
  if (!replay || replay.pool !== state.pool || replay.rank !== view.rank) return;
  const scale = state.scale(state.pool);
  p.ctx.strokeStyle = c.accent;
  p.ctx.lineWidth = Math.max(1, 1.5 * p.r);
  p.ctx.setLineDash([6 * p.r, 3 * p.r]);
  p.ctx.beginPath();
  replay.levels.forEach((level, i) => {
    const from = p.x(view.posOf(i * replay.per)), to = p.x(view.posOf(Math.min((i + 1) * replay.per, run.count))), y = p.y(level * scale);
    if (i === 0) p.ctx.moveTo(from, y);
    else p.ctx.lineTo(from, y);
    p.ctx.lineTo(to, y);
  });
  p.ctx.stroke();
  p.ctx.setLineDash([]);
  document.documentElement.dataset.replay = replay.name;
}
