// SPDX-License-Identifier: Apache-2.0
// The two further line graphs on the shared axis: free against the largest free block, logical against padded.
import { mb } from '../format.js';
import { Chart, plotter } from './chart.js';
import { stepLine } from './columns.js';
import { argMax, argMin } from './decimate.js';
import { fade } from './memory.js';

const largest = s => (s.length ? s[argMax(s, 0, s.length)] : 0);

/**
 * Where the graph of free memory ends: at the most there is in the window; where little is left at some place, near that little, so
 * that 25 of 1,000 MB can be read. `cut`: the lines go on above. Where little is in use, the graph begins near what is left at least.
 */
function freeTop(ctx, s) {
  const [from, to] = ctx.measured(ctx.state.pool);
  if (to <= from) return { bottom: 0, top: 0, high: 0, cut: false };
  const low = s.free[argMin(s.free, from, to)], high = s.free[argMax(s.free, from, to)], least = Math.min(low, s.largest[argMin(s.largest, from, to)]);
  const gap = s.worst > 0 && s.worstAt >= from && s.worstAt < to ? s.free[s.worstAt] * 1.15 : 0;
  const near = Math.max(low * 4, high * 0.04, gap), cut = near < high * 0.6;
  if (!cut && least > high * 0.8) {
    const room = Math.max(high - least, high * 1e-4);
    return { bottom: least - room * 0.35, top: high + room * 0.15, high, cut };
  }
  return { bottom: 0, top: cut ? near : high * 1.08, high, cut };
}

export function freeChart(ctx, host) {
  const { state } = ctx;
  const pool = () => ctx.view.pool(state.pool);
  const scaled = v => v * state.scale(state.pool);
  return new Chart(ctx, {
    host, height: ctx.heights.free, xLabels: true,
    series: c => [
      stepLine(c.rest, 1),
      stepLine(c.activation, 1.5),
    ],
    bands: c => [{ series: [1, 2], fill: fade(c.failure) }],
    data: () => ({ arrays: [pool().free, pool().largest], scale: state.scale(state.pool), length: ctx.view.bounds }),
    range: () => {
      const { bottom, top } = freeTop(ctx, pool());
      return [scaled(bottom), Math.max(scaled(top), 1e-6)];
    },
    draw: (u, c) => {
      const p = plotter(u);
      const { high, cut } = freeTop(ctx, pool());
      if (cut) p.text(`↑ up to ${mb(scaled(high))}`, p.left + p.width - 4 * p.r, p.top + 9 * p.r, c.dim, c.bg, 'right');
      ctx.overlay(p, c);
      const s = pool();
      if (s.worst <= 0) return;
      const x = p.x(s.worstAt - 0.5);
      if (x < p.left || x > p.left + p.width) return;
      const scale = state.scale(state.pool);
      const a = Math.max(p.top, p.y(s.free[s.worstAt] * scale)), b = p.y(s.largest[s.worstAt] * scale);
      p.ctx.strokeStyle = c.failure;
      p.ctx.lineWidth = Math.max(1, p.r);
      p.ctx.beginPath();
      p.ctx.moveTo(x + 0.5, a);
      p.ctx.lineTo(x + 0.5, b);
      p.ctx.stroke();
      const right = x > p.left + p.width * 0.7;
      p.text(`widest gap ${mb(s.worst * scale)}`, x + (right ? -6 : 6) * p.r, Math.min(p.top + p.height - 8 * p.r, b + 12 * p.r), c.fg, c.bg, right ? 'right' : 'left');
    },
  });
}

const without = (all, lost) => all.map((v, i) => v - lost[i]);

/** All that is alive, and the same without its padding. */
export function paddingChart(ctx, host) {
  const { state } = ctx;
  const sums = () => {
    const s = ctx.view.padding(state.pool);
    return state.unitOf(state.pool) === 'total' ? [s.physical, without(s.physical, s.lost)] : [s.bank, without(s.bank, s.bankLost)];
  };
  return new Chart(ctx, {
    host, height: ctx.heights.padding, xLabels: true,
    series: c => [
      stepLine(c['const-eval'], 1.5),
      stepLine(c.activation, 1.5, fade(c.activation)),
    ],
    bands: c => [{ series: [1, 2], fill: fade(c['const-eval']) }],
    data: () => ({ arrays: sums(), scale: 1 / 1048576, length: ctx.view.bounds }),
    range: () => [0, Math.max((largest(sums()[0]) / 1048576) * 1.08, 1e-6)],
    draw: (u, c) => ctx.overlay(plotter(u), c),
  });
}
