// SPDX-License-Identifier: Apache-2.0
// The two graphs of bytes: DRAM as a line, L1 as what lies on a core one above the other.
import { Chart, plotter } from '../charts/chart.js';
import { stepLine } from '../charts/columns.js';
import { fade } from '../charts/memory.js';
import { bytes } from '../format.js';

export const unit = max => (max >= 1048576 ? { scale: 1 / 1048576, name: 'MB' } : max >= 1024 ? { scale: 1 / 1024, name: 'KB' } : { scale: 1, name: 'B' });
const largest = a => a.reduce((m, v) => Math.max(m, v), 0);
const smallest = a => a.reduce((m, v) => Math.min(m, v), 0);

function peak(p, c, at, value, scale, color) {
  if (!(value > 0)) return;
  const x = p.x(at - 0.5), y = p.y(value * scale);
  if (x < p.left - 1 || x > p.left + p.width + 1) return;
  p.ctx.fillStyle = color;
  p.ctx.beginPath();
  p.ctx.arc(x, y, 3 * p.r, 0, 7);
  p.ctx.fill();
  const right = x > p.left + p.width * 0.6;
  p.text(`peak ${bytes(value)}`, x + (right ? -8 : 8) * p.r, Math.max(p.top + 9 * p.r, y - 7 * p.r), c.fg, c.bg, right ? 'right' : 'left');
}

function capacity(p, c, value, scale) {
  if (!value) return;
  const y = p.y(value * scale), fits = y >= p.top - 1, below = y < p.top + p.height - 16 * p.r;
  if (fits) {
    p.ctx.strokeStyle = c.capacity;
    p.ctx.lineWidth = Math.max(1, Math.round(p.r));
    p.ctx.setLineDash([5 * p.r, 4 * p.r]);
    p.ctx.beginPath();
    p.ctx.moveTo(p.left, y + 0.5);
    p.ctx.lineTo(p.left + p.width, y + 0.5);
    p.ctx.stroke();
    p.ctx.setLineDash([]);
  }
  p.text(`${fits ? 'capacity' : '↑ capacity'} ${bytes(value)}`, p.left + p.width - 4 * p.r, (fits ? y : p.top + 1) + (below ? 9 : -9) * p.r, c.dim, c.bg, 'right');
}

export function dramChart(ctx, host) {
  const { capture } = ctx;
  const max = largest(capture.dram), min = smallest(capture.dram), { scale } = unit(Math.max(max, -min));
  return new Chart(ctx, {
    host, height: ctx.heights.dram, signed: true,
    series: c => [stepLine(c.alloc, 1.5, fade(c.alloc))],
    data: () => ({ arrays: [capture.dram], scale, length: capture.points + 1 }),
    range: () => [Math.min(0, min * 1.1) * scale, (max > 0 ? max * 1.2 : min < 0 ? -min * 0.12 : 1) * scale],
    draw: (u, c) => {
      const p = plotter(u);
      ctx.marks(p, c);
      capacity(p, c, capture.capacity.dram_bytes, scale);
      peak(p, c, capture.dramPeak, max, scale, c.alloc);
    },
  });
}

export function l1Chart(ctx, host) {
  const { capture } = ctx;
  const max = largest(capture.total), limit = capture.capacity.l1_bytes ?? 0;
  const { scale } = unit(max);
  // Near the capacity the graph shows it, else the peak fills the height.
  const top = (limit && max >= limit * 0.3 ? Math.max(max, limit) * 1.1 : Math.max(max, 1) * 1.2) * scale;
  const strong = color => (color.startsWith('#') ? `${color}8c` : color);
  return new Chart(ctx, {
    host, height: ctx.heights.l1,
    series: c => [c['const-eval'], c.weight, c.input, c.activation].map((color, k) => stepLine(k === 3 ? c.fg : color, 1, k === 0 ? strong(color) : undefined)),
    bands: c => [[2, 1, c.weight], [3, 2, c.input], [4, 3, c.activation]].map(([a, b, color]) => ({ series: [a, b], fill: strong(color) })),
    data: () => ({ arrays: capture.levels, scale, length: capture.points + 1 }),
    range: () => [0, top],
    draw: (u, c) => {
      const p = plotter(u);
      ctx.marks(p, c);
      capacity(p, c, limit, scale);
      peak(p, c, capture.l1Peak, max, scale, c.fg);
    },
  });
}
