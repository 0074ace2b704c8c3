// SPDX-License-Identifier: Apache-2.0
// Memory usage over time: the step line of every block, capacity, programs, weight ops, peak and failure.
import { FLAG } from '../run.js';
import { mb } from '../format.js';
import { Chart, plotter } from './chart.js';
import { stepLine } from './columns.js';
import { drawReplay } from './replay.js';

export function memoryChart(ctx, host) {
  const { state } = ctx;
  const pool = () => ctx.view.pool(state.pool);
  return new Chart(ctx, {
    host, height: ctx.heights.memory,
    series: c => [stepLine(c.alloc, 1.5, fade(c.alloc))],
    data: () => ({ arrays: [pool().alloc], scale: state.scale(state.pool), length: ctx.view.bounds }),
    range: () => ctx.yTop(state.pool),
    draw: (u, c) => {
      const p = plotter(u);
      p.clip(() => {
        programs(p, c, ctx);
        weightMarks(p, c, ctx, u);
        capacity(p, c, ctx);
        drawReplay(p, c, ctx);
      });
      marks(p, c, ctx);
    },
  });
}

export const fade = color => (color.startsWith('#') ? `${color}1f` : color);

/** The capacity as a dashed line; it steps where the device was opened with other banks. */
function capacity(p, c, ctx) {
  const { state } = ctx;
  const scale = state.scale(state.pool);
  const { limits } = ctx.view.pool(state.pool);
  const steps = limits.length ? limits : [{ at: 0, total: ctx.run.capacity(state.pool) }];
  const last = steps[steps.length - 1];
  if (!(last.total > 0)) return;
  const right = p.left + p.width;
  p.ctx.strokeStyle = c.capacity;
  p.ctx.lineWidth = Math.max(1, Math.round(p.r));
  p.ctx.setLineDash([5 * p.r, 4 * p.r]);
  p.ctx.beginPath();
  steps.forEach(({ at, total }, i) => {
    const y = p.y(total * scale) + 0.5;
    if (i === 0) p.ctx.moveTo(p.left, y);
    else p.ctx.lineTo(p.x(at - 1), y);
    p.ctx.lineTo(i + 1 < steps.length ? p.x(steps[i + 1].at - 1) : right, y);
  });
  p.ctx.stroke();
  p.ctx.setLineDash([]);
  const { text, y, fits } = capacityLabel(p, ctx);
  p.text(text, right - 4 * p.r, (fits ? y : p.top + 1) + 9 * p.r, c.dim, c.bg, 'right');
}

/** What is written at the capacity, and whether its line is inside the graph; null without a capacity. */
function capacityLabel(p, ctx) {
  const { state, view, run } = ctx;
  const { limits } = view.pool(state.pool);
  const total = (limits.length ? limits[limits.length - 1].total : run.capacity(state.pool)) * state.scale(state.pool);
  if (!(total > 0)) return null;
  const y = p.y(total), fits = y >= p.top - 1;
  return { y, fits, text: `${fits ? 'capacity' : '↑ capacity'} ${mb(total)}` };
}

/** Thin verticals where a top level program starts, its name beside it as far as there is room. */
function programs(p, c, ctx) {
  const { run, state, view } = ctx;
  const pr = run.programs;
  const [x0, x1] = state.window;
  let free = -Infinity, lastLine = -Infinity;
  // A capacity above the graph is written at the right end of the line of names.
  const above = capacityLabel(p, ctx);
  const end = p.left + p.width - (above && !above.fits ? (above.text.length * 6.7 + 12) * p.r : 0);
  for (let i = 0; i < pr.name.length; i++) {
    if (pr.depth[i] > 0 || (pr.rank?.[i] ?? 0) !== view.rank || pr.last_step[i] < view.stepAt(0)) continue;
    const from = view.posOf(pr.first_step[i]), to = view.posOf(pr.last_step[i]) + 1;
    if (to < x0 || from > x1) continue;
    const x = p.x(from);
    // Too close together, the boundaries shrink to ticks at the top.
    if (x > p.left && x - lastLine >= 5 * p.r) {
      if (p.x(to) - x >= 40 * p.r) p.vline(x, c.line);
      else {
        p.ctx.fillStyle = c.capacity;
        p.ctx.fillRect(x, p.top, Math.max(1, Math.round(p.r)), 5 * p.r);
      }
      lastLine = x;
    }
    const left = Math.max(x, p.left) + 4 * p.r;
    const room = Math.min(p.x(to), end) - left;
    if (left < free || room < 40 * p.r) continue;
    p.ctx.font = `${11 * p.r}px system-ui, sans-serif`;
    let name = ctx.clipText(pr.names[pr.name[i]], Math.floor(room / (6.4 * p.r)));
    if (!name) continue;
    p.text(name, left, p.top + 9 * p.r, c.dim, c.bg);
    free = left + p.ctx.measureText(name).width + 10 * p.r;
  }
}

/** A rug of weight ops along the bottom, and dots on the line as soon as they can be told apart. */
function weightMarks(p, c, ctx) {
  const { run, state, view } = ctx;
  const [x0, x1] = state.window;
  const from = Math.max(0, Math.floor(x0)), to = Math.min(view.n, Math.ceil(x1));
  const seen = new Uint8Array(p.width + 2);
  const perCell = p.width / (x1 - x0);
  let n = 0;
  const dots = [];
  for (let pos = from; pos < to; pos++) {
    const s = view.steps ? view.steps[pos] : pos;
    if (!(run.flags[s] & FLAG.WEIGHT)) continue;
    n++;
    seen[Math.max(0, Math.min(p.width, ctx.axis.time ? p.x(pos) - p.left : ((pos - x0) * perCell) | 0))] = 1;
    if (dots.length <= 400) dots.push(pos);
  }
  if (!n) return;
  p.ctx.fillStyle = c.weight;
  const wide = Math.max(1, Math.round(Math.min(perCell, 3 * p.r)));
  const y = p.top + p.height - 4 * p.r;
  for (let x = 0; x < seen.length; x++) if (seen[x]) p.ctx.fillRect(p.left + x, y, wide, 4 * p.r);
  if (dots.length > 400 || perCell < 5 * p.r) return;
  const { alloc } = view.pool(state.pool), scale = state.scale(state.pool);
  for (const pos of dots) {
    const v = alloc[Math.min(view.bounds - 1, pos + 1)];
    if (v < 0) continue;
    p.ctx.beginPath();
    p.ctx.arc(p.x(pos + 0.5), p.y(v * scale), 2.5 * p.r, 0, 7);
    p.ctx.fill();
  }
}

/** Peak, selection and failure: the three places a reader looks for. */
function marks(p, c, ctx) {
  const { state, view, run } = ctx;
  const s = view.pool(state.pool);
  const inside = x => x >= p.left - 1 && x <= p.left + p.width + 1;
  ctx.overlay(p, c);
  if (s.maxAt >= 0 && s.max > 0) {
    const x = p.x(s.maxAt - 0.5), y = p.y(s.max * state.scale(state.pool));
    if (inside(x)) {
      p.ctx.fillStyle = c.alloc;
      p.ctx.beginPath();
      p.ctx.arc(x, y, 3 * p.r, 0, 7);
      p.ctx.fill();
      const right = x > p.left + p.width * 0.6;
      const label = `peak ${mb(s.max * state.scale(state.pool))}`;
      p.text(label, x + (right ? -8 : 8) * p.r, Math.max(p.top + 22 * p.r, y - 1), c.fg, c.bg, right ? 'right' : 'left');
    }
  }
  const labels = [];
  for (const f of run.failures) {
    if (!Number.isInteger(f.step) || !view.has(f.step)) continue;
    const x = p.x(view.posOf(f.step) + 0.5);
    if (!inside(x)) continue;
    p.vline(x, c.failure);
    // On the side with more room, shortened to it.
    const left = x - p.left, right = p.left + p.width - x;
    const room = Math.floor((Math.max(left, right) - 12 * p.r) / (6.7 * p.r));
    const title = ctx.clipText(f.title, Math.min(60, room)), wide = (6.7 * title.length + 12) * p.r;
    const span = left > right ? [x - wide, x] : [x, x + wide];
    // Each in the first row that is free there; beyond three rows the line alone has to do.
    const row = [0, 1, 2].find(i => !labels.some(l => l.row === i && l.span[0] < span[1] && span[0] < l.span[1]));
    if (row === undefined) continue;
    labels.push({ row, span });
    p.text(title, x + (left > right ? -6 : 6) * p.r, p.top + p.height * 0.3 + row * 15 * p.r, c.failure, c.bg, left > right ? 'right' : 'left');
  }
}
