// SPDX-License-Identifier: Apache-2.0
// Addresses over time: every tensor of the pool as a rectangle, from the step that made it to the one that freed it, at the
// addresses it takes in each bank. What stays white is free.
import { CLASSES } from '../run.js';
import { MIB } from '../format.js';
import { Chart, plotter } from './chart.js';

/** {base, bytes} of the pool in view; null where it is not known. */
export function regionOf(ctx) {
  const { run, state } = ctx;
  const found = run.meta.regions?.find(r => r[0] === state.rank && r[1] === state.pool);
  return found ? { base: found[2], bytes: found[3] } : null;
}

/**
 * The part of the region that is drawn: all of it, or where most of it is free throughout, the side of that gap that holds more,
 * with a little of the gap. {base, bytes, left: bytes beyond}.
 */
export function shownRegion(ctx, whole) {
  const region = regionOf(ctx);
  if (!region || whole) return region && { ...region, left: 0 };
  const lives = ctx.view.lives(ctx.state.pool), end = region.base + region.bytes;
  const order = Array.from({ length: lives.count }, (_, i) => i).sort((a, b) => ctx.run.ten.address[lives.id[a]] - ctx.run.ten.address[lives.id[b]]);
  let at = region.base, gap = { from: at, to: at };
  for (const i of order) {
    const from = ctx.run.ten.address[lives.id[i]];
    if (from - at > gap.to - gap.from) gap = { from: at, to: from };
    at = Math.max(at, from + lives.size[i]);
  }
  if (end - at > gap.to - gap.from) gap = { from: at, to: end };
  if (!lives.count || gap.to - gap.from < region.bytes / 2) return { ...region, left: 0 };
  const upper = end - gap.to > gap.from - region.base;
  const bytes = (upper ? end - gap.to : gap.from - region.base) * 1.09;
  return { base: upper ? end - bytes : region.base, bytes, left: region.bytes - bytes };
}

/** `chosen` gives the hole that was clicked: {boundary, at, size}, or null. */
export function mapChart(ctx, host, chosen = () => null, shown = () => null) {
  const { run, state } = ctx;
  const region = () => shown() ?? { base: 0, bytes: MIB };
  const chart = new Chart(ctx, {
    host, height: 260, xLabels: true,
    series: () => [{ stroke: 'transparent', points: { show: false } }],
    data: () => ({ arrays: [ctx.view.pool(state.pool).alloc], scale: 0, length: ctx.view.bounds }),
    range: () => [region().base / MIB, (region().base + region().bytes) / MIB],
    drawUnder: (u, c) => {
      const p = plotter(u);
      p.clip(() => paint(p, c));
    },
    draw: (u, c) => {
      const p = plotter(u);
      ctx.overlay(p, c);
      p.clip(() => mark(p, c));
    },
  });

  function mark(p, colors) {
    const hole = chosen();
    if (!hole) return;
    const left = p.x(hole.boundary - 1), right = Math.max(left + 4 * p.r, p.x(hole.boundary)), low = p.y(hole.at / MIB), high = p.y((hole.at + hole.size) / MIB);
    p.ctx.strokeStyle = colors.failure;
    p.ctx.lineWidth = 2 * p.r;
    p.ctx.strokeRect(left, high, right - left, Math.max(2 * p.r, low - high));
  }

  function paint(p, colors) {
    const lives = ctx.view.lives(state.pool);
    const [x0, x1] = state.window;
    for (let i = 0; i < lives.count; i++) {
      if (lives.to[i] - 1 < x0 || lives.from[i] - 1 > x1) continue;
      const id = lives.id[i], at = run.ten.address[id];
      const left = p.x(lives.from[i] - 1), right = Math.max(left + 1, p.x(lives.to[i] - 1));
      const low = p.y(at / MIB), high = Math.min(low - 1, p.y((at + lives.size[i]) / MIB));
      p.ctx.fillStyle = colors[CLASSES[run.ten.cls ? run.ten.cls[id] : 1]];
      p.ctx.fillRect(left, high, right - left, low - high);
      if (low - high > 3 * p.r && right - left > 3 * p.r) {
        p.ctx.strokeStyle = colors.bg;
        p.ctx.lineWidth = 1;
        p.ctx.strokeRect(left + 0.5, high + 0.5, right - left - 1, low - high - 1);
      }
    }
  }

  chart.under = (x, y) => {
    const u = chart.u;
    const boundary = Math.floor(u.posToVal(x, 'x')) + 1, address = u.posToVal(y, 'y') * MIB;
    const lives = ctx.view.lives(state.pool);
    for (let i = lives.count - 1; i >= 0; i--) {
      const at = run.ten.address[lives.id[i]];
      if (lives.from[i] <= boundary && boundary < lives.to[i] && at <= address && address < at + lives.size[i]) return i;
    }
    return null;
  };
  return chart;
}
