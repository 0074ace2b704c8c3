// SPDX-License-Identifier: Apache-2.0
// The whole run in one strip: silhouette of the pool, the window as a brush. Drag inside moves it, drag elsewhere draws
// a new one, a double click shows everything. Arrow keys work when it has the focus.
import { h } from '../dom.js';
import { GUTTER } from './chart.js';
import { argMax, columnPeaks } from './decimate.js';

export class Minimap {
  constructor(ctx, host) {
    this.ctx = ctx;
    this.canvas = h('canvas', { class: 'minimap', tabindex: '0', role: 'slider', 'aria-label': 'Window of the graphs; arrow keys pan, plus and minus zoom, Home shows everything' });
    host.append(this.canvas);
    this.canvas.addEventListener('mousedown', e => this.#drag(e));
    this.canvas.addEventListener('dblclick', () => ctx.state.resetWindow());
    this.canvas.addEventListener('keydown', e => this.#key(e));
  }
  #key(e) {
    const { state, axis } = this.ctx;
    const [a, b] = state.window.map(axis.fwd), w = b - a;
    const show = (from, to) => state.setWindow(axis.bwd(from), axis.bwd(to));
    const act = {
      ArrowLeft: () => show(a - w * 0.1, b - w * 0.1), ArrowRight: () => show(a + w * 0.1, b + w * 0.1),
      '+': () => show(a + w * 0.15, b - w * 0.15), '=': () => show(a + w * 0.15, b - w * 0.15),
      '-': () => show(a - w * 0.2, b + w * 0.2), Home: () => state.resetWindow(), '0': () => state.resetWindow(),
    }[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  }
  draw() {
    const { state, view } = this.ctx;
    const colors = this.ctx.colors();
    const c = this.canvas, r = devicePixelRatio;
    const w = Math.max(10, Math.round(c.clientWidth * r)), hgt = Math.round(c.clientHeight * r);
    if (c.width !== w || c.height !== hgt) {
      c.width = w;
      c.height = hgt;
    }
    if (c.clientWidth < GUTTER + 40) return;
    const g = c.getContext('2d');
    g.clearRect(0, 0, w, hgt);
    const left = Math.round(GUTTER * r), wide = w - left - Math.round(12 * r);
    const { alloc, max } = this.ctx.silhouette?.() ?? view.pool(state.pool);
    const last = alloc.length - 1;
    g.fillStyle = colors.grid;
    g.fillRect(left, hgt - 1, wide, 1);
    if (view.n > 0 && max > 0) {
      const peaks = this.#peaks(alloc, wide);
      g.fillStyle = colors.alloc;
      g.globalAlpha = 0.45;
      for (let i = 0; i < wide; i++) {
        const v = Math.max(0, alloc[Math.min(last, peaks[i])]);
        const t = Math.round(((hgt - 3) * v) / max);
        g.fillRect(left + i, hgt - t, 1, t);
      }
      g.globalAlpha = 1;
    }
    const { fwd } = this.ctx.axis;
    const [lo, hi] = state.extent.map(fwd), [a, b] = state.window.map(fwd);
    const xa = left + ((a - lo) / (hi - lo)) * wide, xb = left + ((b - lo) / (hi - lo)) * wide;
    g.fillStyle = colors.bg;
    g.globalAlpha = 0.7;
    g.fillRect(left, 0, xa - left, hgt);
    g.fillRect(xb, 0, left + wide - xb, hgt);
    g.globalAlpha = 1;
    g.strokeStyle = colors.accent;
    g.lineWidth = Math.max(1, r);
    g.strokeRect(Math.round(xa) + 0.5, 0.5, Math.max(2, Math.round(xb - xa) - 1), hgt - 1);
  }
  #peaks(alloc, wide) {
    const { state, axis } = this.ctx;
    if (!axis.time) return columnPeaks(alloc, 0, alloc.length, wide);
    const [lo, hi] = state.extent.map(axis.fwd), out = new Int32Array(wide), end = alloc.length;
    const at = i => Math.max(0, Math.min(end - 1, Math.floor(axis.bwd(lo + ((hi - lo) * i) / wide)) + 1));
    for (let i = 0; i < wide; i++) out[i] = argMax(alloc, at(i), Math.max(at(i) + 1, at(i + 1)));
    return out;
  }
  #at(e) {
    const box = this.canvas.getBoundingClientRect();
    const { state, axis } = this.ctx;
    const [lo, hi] = state.extent.map(axis.fwd);
    return axis.bwd(lo + ((e.clientX - box.left - GUTTER) / (box.width - GUTTER - 12)) * (hi - lo));
  }
  #drag(e) {
    if (e.button !== 0) return;
    e.preventDefault();
    this.canvas.focus({ preventScroll: true });
    const { state } = this.ctx;
    const start = this.#at(e);
    const [a, b] = state.window, all = state.extent;
    const whole = b - a >= all[1] - all[0] - 1;
    const pan = !whole && start >= a && start <= b;
    const move = m => {
      const now = this.#at(m);
      if (pan) state.setWindow(a + now - start, b + now - start);
      else if (Math.abs(now - start) > (all[1] - all[0]) / 500) state.setWindow(Math.min(start, now), Math.max(start, now));
    };
    const up = () => {
      removeEventListener('mousemove', move);
      removeEventListener('mouseup', up);
    };
    if (!pan && !whole) state.setWindow(start - (b - a) / 2, start + (b - a) / 2);
    addEventListener('mousemove', move);
    addEventListener('mouseup', up);
  }
}
