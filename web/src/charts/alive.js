// SPDX-License-Identifier: Apache-2.0
// What is alive: live tensors as stacked bands. Painted pixel by pixel: per pixel column the live set at the boundary of
// that column with the highest allocation, so the cost depends on the width of the graph and not on the number of ops,
// and no peak is lost. An id per pixel answers "what is under the cursor".
import { CLASSES } from '../run.js';
import { tensorName } from '../tree.js';
import { Chart, plotter } from './chart.js';
import { topLine } from './columns.js';
import { argMax, columnPeaks } from './decimate.js';
import { SHADES } from './shades.js';

const REST = -2, EMPTY = -1;
// A band that is this wide and tall, in CSS pixels, carries its name.
const LABEL = { width: 90, height: 15 };

export function aliveChart(ctx, host) {
  const { state } = ctx;
  const paint = new BandPaint(ctx);
  const chart = new Chart(ctx, {
    host, height: ctx.heights.alive,
    series: c => [topLine(c.alloc, 1, () => !ctx.run.ready)],
    data: () => ({ arrays: [ctx.view.pool(state.pool).alloc], scale: state.scale(state.pool), length: ctx.view.bounds }),
    range: () => ctx.yFit(state.pool),
    // Over the line: the outline of a narrow spike would hide its colour.
    draw: (u, c) => {
      if (ctx.run.ready) paint.draw(plotter(u), c);
      ctx.overlay(plotter(u), c);
    },
  });
  chart.under = (x, y) => paint.under(x, y);
  return chart;
}

class BandPaint {
  constructor(ctx) {
    this.ctx = ctx;
    this.ids = new Int32Array(0);
    this.w = this.h = 0;
    this.labels = [];
  }

  /** The live tensor (index into view.lives) at CSS pixel x, y of the plotting area; null for none, 'rest' for the rest. */
  under(x, y) {
    const r = devicePixelRatio;
    const px = Math.floor(x * r), py = this.h - 1 - Math.floor(y * r);
    if (px < 0 || py < 0 || px >= this.w || py >= this.h) return null;
    const id = this.ids[px * this.h + py];
    return id === EMPTY ? null : id === REST ? 'rest' : id;
  }

  draw(p, colors) {
    const w = Math.floor(p.width), hgt = Math.floor(p.height);
    if (w < 2 || hgt < 2) return;
    if (this.ids.length !== w * hgt) {
      this.ids = new Int32Array(w * hgt);
      this.image = new ImageData(w, hgt);
    }
    this.w = w;
    this.h = hgt;
    this.#stack(w, hgt);
    this.#colour(w, hgt, colors);
    this.canvas ??= document.createElement('canvas');
    if (this.canvas.width !== w || this.canvas.height !== hgt) Object.assign(this.canvas, { width: w, height: hgt });
    this.canvas.getContext('2d', { willReadFrequently: true }).putImageData(this.image, 0, 0);
    p.ctx.drawImage(this.canvas, Math.round(p.left), Math.round(p.top));
    this.#name(p, colors);
  }

  /** Names on the bands that have room for them, as far as the name fits. */
  #name(p, colors) {
    for (const { n, from, to, at } of this.labels) {
      const room = Math.floor((to - from - 10 * p.r) / (6.7 * p.r));
      const text = this.ctx.clipText(bandName(this.ctx, n), room);
      if (text.length > 5) p.text(text, Math.round(p.left) + from + 5 * p.r, Math.round(p.top) + this.h - at, colors.fg, colors.bg);
    }
  }

  #stack(w, hgt) {
    const { ctx, ids } = this;
    const { state, view } = ctx;
    const [x0, x1] = state.window;
    const k = state.pool;
    const { alloc } = view.pool(k);
    const lives = view.lives(k);
    ids.fill(EMPTY);
    const from = Math.max(0, Math.floor(x0) + 1), to = Math.min(view.bounds, Math.ceil(x1) + 1);
    if (to <= from) return;
    const span = x1 - x0;
    // Columns of the drawing that the boundaries cover; at deep zoom one boundary covers many columns.
    const cols = new Int32Array(w);
    const { axis } = ctx;
    if (axis.time) {
      const t0 = axis.fwd(x0), t1 = axis.fwd(x1);
      const at = i => Math.floor(axis.bwd(t0 + ((t1 - t0) * i) / w)) + 1;
      for (let i = 0, a = at(0); i < w; i++) {
        const b = at(i + 1);
        cols[i] = b <= 0 && a < 0 ? -1 : a >= view.bounds ? -1 : argMax(alloc, Math.max(0, a), Math.max(Math.max(0, a) + 1, Math.min(b, view.bounds)));
        a = b;
      }
    } else if (span > w) {
      const picked = columnPeaks(alloc, Math.floor(x0) + 1, Math.floor(x0) + 1 + Math.ceil(span), w);
      for (let i = 0; i < w; i++) cols[i] = picked[i] < view.bounds ? picked[i] : -1;
    } else {
      for (let i = 0; i < w; i++) {
        const c = Math.floor(x0 + ((i + 0.5) / w) * span) + 1;
        cols[i] = c >= 0 && c < view.bounds ? c : -1;
      }
    }
    const [low, top] = ctx.yFit(k).map(v => v / state.scale(k));
    const unit = hgt / (top - low), bottom = low, r = devicePixelRatio;
    this.unit = unit;
    const bytesToMilli = 1 / 1048.576;
    const base = new Float64Array(w).fill(-bottom * unit);
    // First column whose boundary is at or after c. Columns are even over the window, so a guess is off by one at most.
    // Columns outside the run count as before the first boundary on the left and as after the last on the right.
    for (let i = 0; i < w; i++) if (cols[i] < 0 && i > w / 2) cols[i] = view.bounds;
    const lo = from, hi = to, start = Math.floor(x0) + 1, perCell = w / (span > w ? Math.ceil(span) : span);
    const columnOf = c => {
      let i = axis.time ? firstColumn(cols, c) : ((c - start) * perCell) | 0;
      if (i < 0) i = 0; else if (i > w) i = w;
      while (i > 0 && cols[i - 1] >= c) i--;
      while (i < w && cols[i] < c) i++;
      return i;
    };
    const { from: f, to: t, size, count } = lives;
    this.labels.length = 0;
    for (let n = 0; n < count; n++) {
      if (t[n] <= lo || f[n] >= hi) continue;
      const a = columnOf(f[n] > lo ? f[n] : lo), end = t[n] < hi ? t[n] : hi;
      if (a >= w || cols[a] >= end) continue;
      const tall = size[n] * bytesToMilli * unit;
      let i = a, low = 0, high = hgt;
      for (; i < w && cols[i] < end; i++) {
        const y0 = base[i], y1 = y0 + tall;
        base[i] = y1;
        if (y0 > low) low = y0;
        if (y1 < high) high = y1;
        const first = i * hgt + Math.max(0, Math.round(y0)), last = i * hgt + Math.min(hgt, Math.round(y1));
        for (let q = first; q < last; q++) ids[q] = n;
      }
      if (high - low >= LABEL.height * r && i - a >= LABEL.width * r) this.labels.push({ n, from: a, to: i, at: (low + high) / 2 });
    }
    // What no tensor accounts for lies on top, so that it does not lift the bands.
    for (let i = 0; i < w; i++) {
      if (cols[i] < 0 || cols[i] >= view.bounds || !(alloc[cols[i]] > 0)) continue;
      const first = Math.max(0, Math.round(base[i])), last = Math.min(hgt, Math.round((alloc[cols[i]] - bottom) * unit));
      if (last > first) ids.fill(REST, i * hgt + first, i * hgt + last);
    }
  }

  #colour(w, hgt, colors) {
    const { ctx, ids, image } = this;
    const { run, view, state } = ctx;
    const { id, size, held } = view.lives(state.pool);
    const out = new Uint32Array(image.data.buffer);
    const bg = rgb(colors.bg);
    // What is held by difference has the place after the classes.
    const tones = [...CLASSES, 'rest'].map(n => rgb(colors[n]));
    const full = tones.map(t => pack(mix(t, bg, SHADES.band)));
    const light = tones.map(t => pack(mix(t, bg, SHADES.padding)));
    const edge = tones.map(t => pack(mix(t, bg, SHADES.edge)));
    const pinned = tones.map(t => pack(mix(t, bg, SHADES.pinned)));
    const accent = pack(rgb(colors.accent));
    const restA = pack(mix(rgb(colors.rest), bg, SHADES.hatch)), restB = pack(mix(rgb(colors.rest), bg, SHADES.hatched));
    const r = Math.max(1, Math.round(devicePixelRatio));
    const hatch = 6 * r, pad = 4 * r;
    const { type_physical: ph } = run.tpl;
    const ten = run.ten;
    // Padding is the upper part of a band, a lighter hatch.
    for (let x = 0; x < w; x++) {
      const column = x * hgt;
      let y = 0;
      while (y < hgt) {
        const v = ids[column + y];
        let end = y + 1;
        while (end < hgt && ids[column + end] === v) end++;
        if (v === EMPTY) {
          for (let q = y; q < end; q++) out[(hgt - 1 - q) * w + x] = 0;
        } else if (v === REST) {
          for (let q = y; q < end; q++) out[(hgt - 1 - q) * w + x] = (x + q) % hatch < r ? restA : restB;
        } else {
          const i = id[v], cls = held ? CLASSES.length : ten.cls ? ten.cls[i] : 1, type = held ? -1 : ten.type[i];
          const share = ph?.[type] > 0 ? 1 - run.paddingOf(type) / ph[type] : 1;
          const pin = !held && state.pins.includes(i);
          const tall = end - y;
          // By the size, not by the pixels of this column: rounding would break the edge into dashes.
          const edged = (size[v] / 1048.576) * this.unit >= 5 * r;
          const solid = y + Math.round(tall * Math.min(1, share));
          for (let q = y; q < end; q++) out[(hgt - 1 - q) * w + x] = pin ? pinned[cls] : q < solid || (x + q) % pad < r ? full[cls] : light[cls];
          if (pin) out[(hgt - 1 - y) * w + x] = accent;
          if (pin || edged) for (let q = Math.max(y, end - r); q < end; q++) out[(hgt - 1 - q) * w + x] = pin ? accent : edge[cls];
          // A vertical edge only where the neighbours are wide enough to be seen as bands.
          if (x > 0 && edged && !pin && x + 6 * r < w && ids[column - hgt + y] !== v && ids[column + 6 * r * hgt + y] === v) {
            for (let q = y; q < end; q++) if (ids[column - hgt + q] !== v) out[(hgt - 1 - q) * w + x] = edge[cls];
          }
        }
        y = end;
      }
    }
  }
}

/** What a band is called: the weight, else where its op stands in the model, else its shape; of what is held, since when. */
export function bandName(ctx, n) {
  const { run, view, state } = ctx, lives = view.lives(state.pool);
  if (lives.held) return `held since ${view.since(lives.id[n])}`;
  const t = run.tensor(lives.id[n]);
  return [tensorName(run, t), t.type.shape].filter(Boolean).join('  ');
}

/** Columns rise: the first that is not before boundary c. */
function firstColumn(cols, c) {
  let lo = 0, hi = cols.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (cols[mid] < c) lo = mid + 1; else hi = mid;
  }
  return lo;
}

function rgb(color) {
  const m = /^#(..)(..)(..)/.exec(color);
  return m ? [parseInt(m[1], 16), parseInt(m[2], 16), parseInt(m[3], 16)] : [128, 128, 128];
}
const mix = (a, b, k) => a.map((v, i) => Math.round(v * k + b[i] * (1 - k)));
// Canvas bytes are R, G, B, A; every machine a browser runs on is little-endian.
const pack = ([r, g, b]) => (0xff000000 | (b << 16) | (g << 8) | r) >>> 0;
