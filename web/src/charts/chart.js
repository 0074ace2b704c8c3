// SPDX-License-Identifier: Apache-2.0
// A uPlot on the shared x axis: same gutters, same zoom, same cursor. Kinds of graph supply series and extra drawing.
import uPlot from 'uplot';
import { niceStep } from '../format.js';
import { paintColumns } from './columns.js';
import { decimate } from './decimate.js';

export const GUTTER = 62;
const RIGHT = 12;
const FONT = '11px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';
export const CHART_FONT = FONT;

export class Chart {
  /**
   * options: {host, height, xLabels, series: [uPlot series], draw(u, colors), data() -> {arrays, scale}, range() -> [lo, hi], signed}
   * `arrays` are per boundary; the chart decimates them to the window. A negative value is a gap unless `signed`.
   */
  constructor(ctx, options) {
    this.ctx = ctx;
    this.options = options;
    this.#make();
    new IntersectionObserver(entries => {
      this.onScreen = entries[entries.length - 1].isIntersecting || Boolean(ctx.state.printing);
      if (this.onScreen && this.stale) this.update();
    }, { rootMargin: '100px' }).observe(this.host);
  }

  #make() {
    const { host, height, xLabels, series, bands } = this.options;
    const { state } = this.ctx;
    const colors = this.ctx.colors();
    this.host = host;
    host.replaceChildren();
    const lines = series(colors), shades = bands?.(colors), paints = lines.map(l => ({ ...l })), between = shades?.map(b => ({ ...b }));
    const axis = { stroke: colors.dim, font: FONT, ticks: { show: false }, grid: { stroke: colors.grid, width: 1 } };
    this.u = new uPlot({
      width: Math.max(120, host.clientWidth), height,
      padding: [6, RIGHT, xLabels ? 0 : 4, 0],
      legend: { show: false },
      cursor: {
        y: false, points: { show: false }, drag: { x: true, y: false, setScale: false, dist: 4 },
        bind: { dblclick: () => () => { state.resetWindow(); return null; } },
      },
      scales: { x: { time: false, range: () => state.window, distr: 100, fwd: v => this.ctx.axis.fwd(v), bwd: v => this.ctx.axis.bwd(v) }, y: { range: () => this.options.range() } },
      axes: [
        { ...axis, size: xLabels ? 22 : 0, gap: 4, filter: (_, splits) => splits, splits: () => this.ctx.recordTicks(this.u?.bbox.width ?? 800).map(t => t.x), values: (_, splits) => (xLabels ? splits.map(x => this.ctx.tickLabel(x)) : splits.map(() => '')) },
        { ...axis, size: GUTTER, gap: 6, splits: (_, __, lo, hi) => this.#splits(lo, hi, height), values: (_, splits) => splits.map(v => tick(v, splits)) },
      ],
      series: [{}, ...lines],
      bands: shades,
      hooks: {
        // A page being laid out for print can leave no room at all.
        drawAxes: [u => painted(u, () => this.options.drawUnder?.(u, colors))],
        drawSeries: [(u, si) => paintColumns(u, si, paints, between, v => this.ctx.axis.fwd(v))],
        draw: [u => painted(u, () => this.options.draw?.(u, colors))],
        setSelect: [u => this.#selected(u)],
        setCursor: [u => this.#hover(u)],
      },
    }, this.#data(), host);
    this.#events();
  }

  #splits(lo, hi, height) {
    let step = niceStep(hi - lo, Math.max(2, height / 42));
    if ((hi - lo) / step < 2) step = niceStep(hi - lo, 3);
    const out = [];
    for (let v = Math.ceil(lo / step) * step; v <= hi + step * 1e-6; v += step) out.push(Number(v.toPrecision(12)));
    return out;
  }

  #data() {
    const { state } = this.ctx;
    const { arrays, scale, length } = this.options.data();
    const [x0, x1] = state.window;
    const from = Math.max(0, Math.floor(x0)), to = Math.min(length, Math.ceil(x1) + 2);
    const width = Math.max(100, (this.u?.bbox.width ?? (this.options.host.clientWidth - GUTTER - RIGHT) * devicePixelRatio) | 0);
    const picks = this.#picks(arrays, from, Math.max(from, to), width);
    const xs = new Float64Array(picks.length + 1);
    const ys = arrays.map(() => new Array(picks.length + 1));
    for (let i = 0; i < picks.length; i++) {
      xs[i] = picks[i] - 1;
      for (let k = 0; k < arrays.length; k++) {
        const v = arrays[k][picks[i]];
        ys[k][i] = v < 0 && !this.options.signed ? null : v * scale;
      }
    }
    // The last level is held to the end of its step.
    const last = picks.length ? picks[picks.length - 1] : -1;
    xs[picks.length] = last;
    for (const y of ys) y[picks.length] = picks.length ? y[picks.length - 1] : null;
    return [xs, ...ys];
  }

  /** On an axis of time a pixel may hold many steps beside one that holds none: columns are of time then. */
  #picks(arrays, from, to, width) {
    const { axis } = this.ctx;
    if (!axis.time || to - from <= width * 3) return decimate(arrays, from, to, width);
    const parts = 64, t0 = axis.fwd(from - 1), t1 = axis.fwd(to - 1), out = [];
    let begin = from;
    for (let i = 1; i <= parts && begin < to; i++) {
      const end = i === parts ? to : Math.min(to, Math.max(begin, Math.floor(axis.bwd(t0 + ((t1 - t0) * i) / parts)) + 1));
      if (end > begin) out.push(decimate(arrays, begin, end, Math.ceil(width / parts)));
      begin = end;
    }
    const all = new Uint32Array(out.reduce((n, o) => n + o.length, 0));
    out.reduce((n, o) => (all.set(o, n), n + o.length), 0);
    return all;
  }

  update() {
    this.stale = false;
    this.u.setData(this.#data(), true);
  }
  /** Updates now if on the screen, else when it comes there. */
  show() {
    if (this.onScreen !== false) this.update();
    else this.stale = true;
  }
  /** Theme or size changed: build anew, the only way to change uPlot's strokes. */
  rebuild() {
    this.u.destroy();
    this.u = null;
    this.#make();
  }
  /** Whether this is the lowest graph, which carries the numbers of the ops. */
  labelled(on) {
    if (Boolean(this.options.xLabels) === on) return;
    this.options.xLabels = on;
    this.rebuild();
  }
  resize() {
    // A sheet of A4 is about 700 pixels wide between its margins; canvases do not reflow when printed.
    const w = this.ctx.state.printing ? 690 : Math.max(120, this.host.clientWidth);
    if (w !== this.u.width || this.stale) {
      this.u.setSize({ width: w, height: this.options.height });
      this.update();
    }
  }

  #selected(u) {
    const { state } = this.ctx;
    const { left, width } = u.select;
    if (width < 4) return;
    this.dragged = performance.now();
    u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
    state.setWindow(u.posToVal(left, 'x'), u.posToVal(left + width, 'x'));
  }
  #hover(u) {
    if (this.ctx.syncing) return;
    const { left, top } = u.cursor;
    this.ctx.hoverAt(this, left === undefined || left < 0 ? null : u.posToVal(left, 'x'), top);
  }
  /** Shows the cursor line at x without telling others. */
  cursorAt(x) {
    const u = this.u;
    if (!u) return;
    const left = x === null ? -10 : u.valToPos(x, 'x');
    u.setCursor({ left: x === null || left < 0 ? -10 : left, top: x === null ? -10 : 1 }, false);
  }

  #events() {
    const { state } = this.ctx;
    const over = this.u.over;
    over.addEventListener('wheel', e => {
      const [a, b] = state.window, { fwd, bwd } = this.ctx.axis, lo = fwd(a), hi = fwd(b);
      const width = over.clientWidth || 1;
      // Nothing left to zoom out of: the wheel scrolls the page.
      const whole = b - a >= state.extent[1] - state.extent[0] - 1e-6;
      if (whole && (e.deltaY > 0 || Math.abs(e.deltaX) > Math.abs(e.deltaY))) return;
      e.preventDefault();
      if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
        const d = ((e.deltaX || e.deltaY) / width) * (hi - lo);
        state.setWindow(bwd(lo + d), bwd(hi + d));
        return;
      }
      const at = lo + ((e.clientX - over.getBoundingClientRect().left) / width) * (hi - lo);
      const f = Math.exp(Math.max(-120, Math.min(120, e.deltaY)) * 0.003);
      state.setWindow(bwd(at - (at - lo) * f), bwd(at + (hi - at) * f));
    }, { passive: false });
    // Shift + drag or the middle button pans; the capture phase keeps uPlot from starting its own selection.
    over.addEventListener('mousedown', e => {
      if (e.button === 0 && e.altKey && this.ctx.chooseRange) return this.#range(e);
      if (!(e.button === 1 || (e.button === 0 && e.shiftKey))) return;
      e.preventDefault();
      e.stopImmediatePropagation();
      const start = e.clientX, [a, b] = state.window, { fwd, bwd } = this.ctx.axis, lo = fwd(a), hi = fwd(b);
      let panned = false;
      const move = m => {
        panned = panned || Math.abs(m.clientX - start) >= 4;
        if (!panned) return;
        const d = ((start - m.clientX) / over.clientWidth) * (hi - lo);
        state.setWindow(bwd(lo + d), bwd(hi + d));
      };
      const up = m => {
        removeEventListener('mousemove', move);
        removeEventListener('mouseup', up);
        // Without a way it is a click, which may pin a second tensor; uPlot, which did not see it begin, would take it for a drag.
        if (!panned && e.button === 0) this.#click(m);
        this.dragged = performance.now();
      };
      addEventListener('mousemove', move);
      addEventListener('mouseup', up);
    }, true);
    over.addEventListener('click', e => {
      if (performance.now() - (this.dragged ?? -1e9) >= 250) this.#click(e);
    });
  }
  #click(e) {
    const box = this.u.over.getBoundingClientRect();
    this.ctx.clickAt(this, this.u.posToVal(e.clientX - box.left, 'x'), e.clientY - box.top, e.shiftKey);
  }
  /** Alt + drag chooses a range of steps. */
  #range(e) {
    e.preventDefault();
    e.stopImmediatePropagation();
    const at = m => this.u.posToVal(m.clientX - this.u.over.getBoundingClientRect().left, 'x');
    const from = at(e);
    let more = false;
    const move = m => {
      this.ctx.chooseRange(from, at(m), more);
      more = true;
    };
    const up = () => {
      removeEventListener('mousemove', move);
      removeEventListener('mouseup', up);
      this.dragged = performance.now();
    };
    addEventListener('mousemove', move);
    addEventListener('mouseup', up);
  }
}

/** uPlot remembers what it has set on the canvas: what a hook sets must be gone after it. */
function painted(u, draw) {
  if (u.bbox.width <= 20) return;
  u.ctx.save();
  draw();
  u.ctx.restore();
}

function tick(v, splits) {
  const step = splits.length > 1 ? Math.abs(splits[1] - splits[0]) : Math.abs(v) || 1;
  const digits = step >= 1 ? 0 : Math.min(4, Math.ceil(-Math.log10(step)));
  return Math.abs(v) >= 10000 && step >= 1000 ? `${(v / 1000).toFixed(step >= 1000 ? 0 : 1)}k` : v.toFixed(digits);
}

/** Pixel helpers for draw hooks: CSS pixels inside the plotting area. */
export function plotter(u) {
  const r = devicePixelRatio;
  const { ctx } = u;
  return {
    ctx, r, left: u.bbox.left, top: u.bbox.top, width: u.bbox.width, height: u.bbox.height,
    x: v => Math.round(u.valToPos(v, 'x', true)), y: v => Math.round(u.valToPos(v, 'y', true)),
    /** Text with a halo of the background, so that it stays readable over lines. */
    text(s, x, y, color, halo, align = 'left') {
      ctx.font = FONT.replace('11px', `${11 * r}px`);
      ctx.textAlign = align;
      ctx.textBaseline = 'middle';
      ctx.lineWidth = 3 * r;
      ctx.lineJoin = 'round';
      ctx.strokeStyle = halo;
      ctx.strokeText(s, x, y);
      ctx.fillStyle = color;
      ctx.fillText(s, x, y);
    },
    vline(x, color, dash = []) {
      ctx.strokeStyle = color;
      ctx.lineWidth = Math.max(1, Math.round(r));
      ctx.setLineDash(dash.map(d => d * r));
      ctx.beginPath();
      const at = Math.round(x) + 0.5;
      ctx.moveTo(at, u.bbox.top);
      ctx.lineTo(at, u.bbox.top + u.bbox.height);
      ctx.stroke();
      ctx.setLineDash([]);
    },
    clip(f) {
      ctx.save();
      ctx.beginPath();
      ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
      ctx.clip();
      f();
      ctx.restore();
    },
  };
}
