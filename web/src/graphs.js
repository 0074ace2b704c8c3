// SPDX-License-Identifier: Apache-2.0
// The instrument: three graphs and a minimap on one x axis, one zoom and one cursor.
import { axisOf, timeLabel } from './axis.js';
import { aliveChart, bandName } from './charts/alive.js';
import { argMax, argMin } from './charts/decimate.js';
import { hostAt, hostChart, hostLines } from './charts/host.js';
import { freeChart } from './charts/lines.js';
import { memoryChart } from './charts/memory.js';
import { Minimap } from './charts/minimap.js';
import { drawPins, drawRange } from './charts/overlay.js';
import { RankMap } from './charts/rankmap.js';
import { fill, frame, h } from './dom.js';
import { bytes, clip, count, mb, niceStep, percent } from './format.js';
import { CLASSES, USUAL_CLASSES } from './run.js';
import { palette } from './state.js';
import { View } from './view.js';

/** Graph heights that fill the first screen and no more: 720 px of window leave about 430 for the three. */
function heights(failed, beside) {
  const room = Math.max(400, Math.min(innerWidth > 900 ? 760 : 400, innerHeight - (failed ? 318 : 288) - (beside ? 146 : 0)));
  return { memory: Math.round(room * 0.39), alive: Math.round(room * 0.39), free: Math.round(room * 0.22), padding: 150, host: 120 };
}

const KEPT_VIEWS = 6;

export class Graphs {
  constructor(run, state, host) {
    this.run = run;
    this.state = state;
    this.views = new Map();
    this.charts = [];
    this.heights = heights(run.failures.length > 0, Boolean(run.meta.host || run.meta.kv));
    this.setScope();
    this.#build(host);
    this.#listen();
  }
  get view() {
    const { rank, program } = this.state;
    const key = `${rank} ${program}`;
    if (!this.views.has(key)) {
      if (this.views.size > KEPT_VIEWS) this.views.clear();
      this.views.set(key, new View(this.run, rank, program));
    }
    return this.views.get(key);
  }
  /** The first graph is drawn before the figures of the other pools are there. */
  forgetLatePools() {
    for (const v of this.views.values()) v.series.length = Math.min(1, v.series.length);
  }
  setScope() {
    const { state, view } = this;
    state.extent = [-1, Math.max(view.n, 8)];
    state.window = [...state.extent];
    this.setAxis();
  }
  /** How positions stand on the x axis, of what is shown. */
  setAxis() {
    this.axis = axisOf(this.run, this.view, this.state.axis === 'time');
  }
  colors() {
    return (this.palette ??= palette());
  }
  clipText(s, n) {
    return n < 3 ? '' : clip(s, n);
  }
  /**
   * The peak of a pool in what is shown: {allocated, capacity, step, before_step, line}; null when the pool was not measured. For
   * the whole run it is the one of the writer, which every output of ttmem names.
   */
  peak(k) {
    const { run, state, view } = this;
    const told = run.meta.peaks?.[run.pools[k]];
    if (told && (!told.at_least || run.banksKnown(k)) && state.program < 0 && (run.ranks.length < 2 || (told.rank ?? 0) === state.rank)) return told;
    const s = view.pool(k);
    if (!s.seen) return null;
    let pos = s.maxAt - 1;
    while (pos >= 0 && !run.isRecord(view.stepAt(pos))) pos--;
    const before = view.stepOfBoundary(s.maxAt);
    return { allocated: s.max, capacity: run.total(k, run.blockOf[before]), step: view.stepAt(pos), before_step: before, line: 0 };
  }
  /** What the minimap draws: the measured level, else what the known tensors add up to. */
  silhouette() {
    const { run, view, state } = this;
    const measured = view.pool(state.pool);
    if (measured.seen || !run.ready) return measured;
    const known = view.padding(state.pool);
    return { alloc: known.level, max: known.max };
  }
  /** Why a pool has no graph; empty when it has one. */
  poolMissing(k) {
    const { run } = this;
    const name = run.pools[k], peak = run.meta.peaks?.[name];
    if (peak) return peak.allocated > 0 || run.capacity(k) > 0 ? '' : `no ${name} memory is set aside in this run`;
    if (!run.ready) return `the log has no ${name} figures`;
    return run.ten.count && this.view.padding(k).maxAt >= 0 ? '' : `the log has no ${name} figures`;
  }
  /** Lowest and highest level of a pool in the window, thousandths per bank. */
  #levels(pool) {
    const { alloc, max } = this.view.pool(pool);
    if (this.whole()) return { low: 0, high: max };
    const [from, to] = this.measured(pool);
    return to > from ? { low: alloc[argMin(alloc, from, to)], high: alloc[argMax(alloc, from, to)] } : { low: 0, high: max };
  }
  /** The boundaries [from, to) of the window at which a pool has a level: all since its first memory block. */
  measured(pool) {
    const { view, state } = this, { limits } = view.pool(pool);
    const first = limits.length ? limits[0].at : view.bounds;
    return this.whole() ? [first, view.bounds] : [Math.max(first, Math.floor(state.window[0])), Math.min(view.bounds, Math.ceil(state.window[1]) + 2)];
  }
  whole() {
    const [a, b] = this.state.window;
    return b - a >= this.state.extent[1] - this.state.extent[0] - 1e-6;
  }
  /** The bottom of a graph: 0, unless what changes in the window would be too flat to see. */
  #bottom(low, high) {
    return high - low < 0.35 * high && !this.whole() ? Math.max(0, low - 0.25 * Math.max(high - low, high * 0.01)) : 0;
  }
  /** Range of the allocation graph: up to the capacity when the window comes near it, else to the highest level with some air. */
  yTop(pool) {
    const { low, high } = this.#levels(pool);
    const cap = this.view.capacity(pool), scale = this.state.scale(pool), bottom = this.#bottom(low, high);
    const near = bottom > 0 ? cap - high < (high - bottom) : high >= cap * 0.3;
    const top = cap > 0 && near ? cap + (cap - bottom) * 0.11 : high + Math.max(high - bottom, 0) * 0.18;
    return [bottom * scale, Math.max(top || cap || 1, bottom + 1e-3) * scale];
  }
  /** The same for the bands, which need no room for a capacity. */
  yFit(pool) {
    const { low, high } = this.#levels(pool), scale = this.state.scale(pool);
    const known = this.run.ready && this.whole() ? this.view.padding(pool).max / 1048.576 : 0;
    const bottom = this.#bottom(low, high), top = Math.max(high, known);
    return [bottom * scale, Math.max(top + (top - bottom) * 0.06, bottom + 1) * scale];
  }

  /** Ticks at round record numbers; x is the position of that record. */
  recordTicks(width) {
    const { run, view, state, axis } = this;
    const [a, b] = state.window;
    if (axis.time) return this.#timeTicks(width, a, b);
    const first = view.stepAt(Math.max(0, Math.floor(a))), last = view.stepAt(Math.min(view.n - 1, Math.ceil(b)));
    if (first < 0 || last < 0) return [];
    const r0 = run.recordOf[first], r1 = run.recordOf[last];
    const step = Math.max(1, niceStep(r1 - r0, width / devicePixelRatio / 110));
    const ticks = [];
    this.ticks = new Map();
    for (let r = Math.ceil(r0 / step) * step; r <= r1 && ticks.length < 60; r += step) {
      const s = run.records[r];
      if (s === undefined) break;
      const x = view.posOf(s);
      // A label is as wide as its digits on both sides of x; at the right edge it would be cut.
      if (x < a || x > b || ((b - x) / (b - a)) * (width / devicePixelRatio) + 10 < 3.4 * `#${count(r)}`.length) continue;
      ticks.push({ x });
      this.ticks.set(x, `#${count(r)}`);
    }
    return ticks;
  }
  #timeTicks(width, a, b) {
    const { fwd, bwd } = this.axis, from = fwd(a), to = fwd(b);
    const step = niceStep(to - from, width / devicePixelRatio / 110);
    const ticks = [];
    this.ticks = new Map();
    for (let t = Math.ceil(from / step) * step; t <= to && ticks.length < 60; t += step) {
      const x = bwd(t), label = timeLabel(t, step);
      if (((to - t) / (to - from)) * (width / devicePixelRatio) + 10 < 3.4 * label.length) continue;
      ticks.push({ x });
      this.ticks.set(x, label);
    }
    return ticks;
  }
  tickLabel(x) {
    return this.ticks?.get(x) ?? '';
  }

  /** Drawn over every graph: the selected op, the lives of what is pinned, the range. */
  overlay(p, c) {
    const { state, view } = this;
    p.clip(() => {
      drawRange(this, p, c);
      drawPins(this, p, c);
      if (!view.has(state.selected)) return;
      const pos = view.posOf(state.selected);
      const a = p.x(pos), b = p.x(pos + 1);
      if (b < p.left || a > p.left + p.width) return;
      if (b - a > 3 * p.r) {
        p.ctx.fillStyle = `${c.accent}22`;
        p.ctx.fillRect(a, p.top, b - a, p.height);
      }
      p.vline(b - a > 3 * p.r ? a : (a + b) / 2, c.accent);
    });
  }

  #build(host) {
    const { run, state } = this;
    const tabs = h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Memory pool' });
    this.tabs = run.pools.map((name, k) => {
      const tab = h('button', { type: 'button', role: 'tab', class: 'tab', 'data-pool': name, onclick: () => state.set('pool', k) }, name);
      tab.addEventListener('keydown', e => {
        const d = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
        if (!d) return;
        const open = this.tabs.filter(t => !t.disabled);
        const next = open[(open.indexOf(tab) + d + open.length) % open.length];
        next.focus();
        next.click();
      });
      return tab;
    });
    tabs.append(...this.tabs);
    const part = (id, title, hint) => {
      const readout = h('span', { class: 'readout' });
      const plot = h('div', { class: 'plot', id: `plot-${id}` });
      return { readout, plot, box: h('div', { class: 'graph', id: `graph-${id}` }, h('div', { class: 'graph-head' }, h('h3', null, title), hint, readout), plot) };
    };
    this.note = h('p', { class: 'graph-note', id: 'graph-note', hidden: true });
    this.memory = part('memory', 'Memory usage over time', h('span', { class: 'legend' }, h('i', { class: 'key rug' }), 'weight op'));
    this.alive = part('alive', 'What is alive', h('span', { class: 'legend' }, CLASSES.map((c, i) => h('span', { class: 'legend-class', 'data-of': String(i), hidden: i >= USUAL_CLASSES }, h('i', { class: `key ${c}` }), h('span', { 'data-class': String(i) }, c))), h('span', { class: 'legend-class' }, h('i', { class: 'key rest' }), 'unattributed'), h('span', { class: 'legend-class' }, h('i', { class: 'key pad' }), 'padding')));
    this.free = part('free', 'Free memory', h('span', { class: 'legend' }, h('i', { class: 'key free' }), 'free', h('i', { class: 'key largest' }), 'largest free block'));
    this.zoomText = h('span', { class: 'hint' });
    const reset = h('button', { type: 'button', class: 'link', id: 'zoom-reset', onclick: () => state.resetWindow() }, 'show all');
    this.reset = reset;
    this.sumUp = h('button', { type: 'button', class: 'link', id: 'range-set', onclick: () => (state.range ? state.setRange(null) : this.chooseRange(...state.window)) }, 'sum up the window');
    const mini = (this.mini = h('div', { class: 'mini' }));
    const ranks = h('div', { class: 'ranks' });
    this.part = part;
    this.axisSwitch = h('div', { class: 'switch', role: 'radiogroup', 'aria-label': 'Axis', id: 'axis', hidden: true });
    fill(host, ranks, h('div', { class: 'graphs-bar' }, tabs, this.axisSwitch, h('span', { class: 'spacer' }), this.zoomText, this.sumUp, reset), this.note,
      this.memory.box, this.alive.box, this.free.box, mini);
    this.charts = [memoryChart(this, this.memory.plot), aliveChart(this, this.alive.plot), freeChart(this, this.free.plot)];
    this.minimap = new Minimap(this, mini);
    this.minimap.draw();
    this.ranks = run.ranks.length > 1 ? new RankMap(this, ranks) : null;
    this.ranks?.draw();
    this.#heads();
  }

  /** What comes with the rest of the data: the axis of time, and what was recorded beside the devices. */
  addBeside() {
    const { run, state } = this;
    if (run.time) this.#offerTime();
    const { host, kv } = run.beside;
    const shown = hostLines(this);
    if (!shown.length) return;
    const more = (host?.length ?? 0) - shown.filter(l => l.unit === 'mb' && !l.dash).length;
    const legend = h('span', { class: 'legend' }, shown.map(l => [h('i', { class: 'key', 'data-color': l.color }), clip(l.name, 30)]), more > 0 && `and ${count(more)} more`);
    this.host = this.part('host', host?.length ? 'Host memory, MB' : kv ? (kv.ofSlots ? 'Slots of the batch' : 'KV cache') : 'Programs kept', legend);
    for (const key of legend.querySelectorAll('[data-color]')) key.style.background = `var(--${key.dataset.color})`;
    this.memory.box.after(this.host.box);
    this.addChart(hostChart, this.host.plot);
    this.#heads();
  }
  #offerTime() {
    const { run, state } = this;
    const names = [['op', 'ops'], ['time', 'time']];
    const title = run.time.bySamples ? 'When ops ran, by the samples of host memory: good to a tenth of a second' : 'When ops ran';
    fill(this.axisSwitch, names.map(([value, text]) => h('button', { type: 'button', role: 'radio', id: `axis-${value}`, title: value === 'time' ? title : 'Every op has the same width', onclick: () => state.set('axis', value) }, text)));
    const sync = () => [...this.axisSwitch.children].forEach((b, i) => {
      b.setAttribute('aria-checked', state.axis === names[i][0]);
      b.tabIndex = state.axis === names[i][0] ? 0 : -1;
    });
    this.axisSwitch.addEventListener('keydown', e => {
      if (!/^Arrow/.test(e.key)) return;
      e.preventDefault();
      const other = [...this.axisSwitch.children].find(b => b !== document.activeElement);
      other.focus();
      other.click();
    });
    state.on('axis', sync);
    sync();
    this.axisSwitch.hidden = false;
  }

  addChart(make, host) {
    const chart = make(this, host);
    this.charts.push(chart);
    return chart;
  }

  #listen() {
    const { state } = this;
    const redraw = frame(() => this.redraw());
    state.on('window pool unit pins range', () => redraw());
    state.on('selected', () => { this.#reveal(); redraw(); });
    state.on('scope', () => { this.setScope(); if (this.axis.time) for (const c of this.charts) c.rebuild(); redraw(); });
    state.on('axis', () => { this.setAxis(); for (const c of this.charts) c.rebuild(); this.#heads(); redraw(); });
    state.on('pool unit scope', () => this.#heads());
    state.on('theme', () => { this.palette = null; for (const c of this.charts) c.rebuild(); this.redraw(); this.ranks?.draw(); });
    state.on('print', () => { for (const c of this.charts) c.resize(); });
    new ResizeObserver(frame(() => { for (const c of this.charts) c.resize(); this.minimap.draw(); this.ranks?.draw(); })).observe(this.memory.plot);
  }
  redraw() {
    const started = performance.now();
    for (const c of this.charts) c.show();
    this.minimap.draw();
    this.#heads();
    // Where measurements read the cost of a step. uPlot paints in microtasks; this one is queued after them.
    queueMicrotask(() => (document.documentElement.dataset.draw = (performance.now() - started).toFixed(2)));
  }
  /** Brings the selection into the window without changing the zoom. */
  #reveal() {
    const { state, view } = this;
    if (!view.has(state.selected)) return;
    const pos = view.posOf(state.selected), [a, b] = state.window;
    if (pos < a || pos > b - 1) state.setWindow(pos - (b - a) / 2, pos + (b - a) / 2, true);
  }

  /** Positions on the x axis -> the range of steps between them. `more`: a drag goes on. */
  chooseRange(a, b, more = false) {
    const { view, state } = this, clamp = x => Math.max(0, Math.min(view.n - 1, Math.floor(x)));
    if (view.n) state.setRange([view.stepAt(clamp(Math.min(a, b))), view.stepAt(clamp(Math.max(a, b)))], more);
  }
  hoverAt(chart, x, y) {
    const { state, view } = this;
    const pos = x === null ? null : Math.max(-1, Math.min(view.n - 1, Math.floor(x)));
    this.hoverX = x;
    this.syncing = true;
    for (const c of this.charts) if (c !== chart) c.cursorAt(x);
    this.syncing = false;
    this.underCursor = x !== null && chart.under ? chart.under(chart.u.cursor.left, y) : null;
    if (pos !== state.hover) {
      state.hover = pos;
      state.emit('hover');
    }
    this.#heads();
  }
  clickAt(chart, x, y, shift = false) {
    const { state, view } = this;
    const pos = Math.max(0, Math.min(view.n - 1, Math.floor(x)));
    if (view.n === 0 || chart.clicked?.(chart.u.cursor.left, y)) return;
    const hit = chart.under?.(chart.u.cursor.left, y);
    const lives = typeof hit === 'number' ? view.lives(state.pool) : null;
    // A click on a band asks about the tensor and keeps the moment; anywhere else it asks for the op at that place.
    if (lives && !lives.held) return state.pin(lives.id[hit], shift);
    const since = lives ? lives.id[hit] : -1;
    state.select(since >= 0 ? since : view.stepAt(this.#busiest(pos)), 'graph');
  }
  /** When a pixel covers many steps, the one with the highest level under the cursor is meant. */
  #busiest(pos) {
    const { state, view } = this;
    const { alloc } = view.pool(state.pool);
    const half = Math.floor((state.window[1] - state.window[0]) / Math.max(200, this.memory.plot.clientWidth));
    let best = pos;
    for (let p = Math.max(0, pos - half); p <= Math.min(view.bounds - 2, pos + half); p++) if (alloc[p + 1] > (alloc[best + 1] ?? -1)) best = p;
    return best;
  }

  /** One line above each graph: the figure at the cursor, else the figure that matters. */
  #heads() {
    const { run, state, view } = this;
    this.#tabs();
    const k = state.pool, s = view.pool(k), scale = state.scale(k);
    const [a, b] = state.window;
    const whole = this.whole();
    this.reset.hidden = whole;
    this.sumUp.hidden = !view.n || (whole && !state.range);
    this.sumUp.textContent = state.range ? 'clear the range' : 'sum up the window';
    this.zoomText.textContent = whole ? (view.n ? 'drag or wheel to zoom, shift-drag to pan, alt-drag for sums' : '') : `${count(Math.round(b - a))} of ${count(view.n)} steps`;
    const bare = !s.seen && run.ready;
    this.note.hidden = !bare;
    this.memory.box.hidden = this.free.box.hidden = bare;
    // Neither measured nor known: no graph of nothing.
    this.hide(bare && view.fullest(k) < 0, this.alive.box, this.mini);
    this.charts[1]?.labelled(bare);
    if (bare) fill(this.note, this.#unmeasured(k));
    if (!s.seen) {
      fill(this.memory.readout);
      fill(this.free.readout);
      const c = state.hover === null || state.hover === undefined ? view.fullest(k) : view.boundary(state.hover);
      fill(this.alive.readout, bare && c >= 0 ? this.#aliveText(k, c) : null);
      return;
    }
    if (this.host) fill(this.host.readout, this.#hostText());
    const at = state.hover === null || state.hover === undefined ? -1 : view.boundary(state.hover);
    const c = at >= 0 ? at : s.maxAt;
    const step = at >= 0 ? view.stepAt(state.hover) : view.stepAt(s.maxAt - 1);
    const name = run.ready && step >= 0 ? ` ${clip(run.name(step), 40)}` : '';
    const cap = view.capacityAt(k, c);
    const where = at >= 0 ? [h('b', null, run.label(step)), name, ' '] : ['peak ', ''];
    fill(this.memory.readout, ...where, h('b', null, mb(s.alloc[c] * scale)), ` of ${mb(cap * scale)} ${state.unitText(k)}, ${percent(s.alloc[c], cap)}`);
    if (run.ready) fill(this.alive.readout, this.#aliveText(k, c));
    const f = at >= 0 ? at : s.worstAt;
    if (f >= 0) fill(this.free.readout, at >= 0 ? '' : s.worst > 0 ? 'widest gap: ' : '', h('b', null, mb(s.free[f] * scale)), ' free, largest free block ', h('b', null, mb(s.largest[f] * scale)));
  }
  #hostText() {
    const { state } = this;
    const hovers = state.hover !== null && state.hover !== undefined;
    if (!hovers) {
      const top = this.run.beside.host?.[0];
      return top ? ['peak ', h('b', null, `${mb(top.peak)} MB`), ` in ${clip(top.name || 'a process', 30)}`] : '';
    }
    return hostAt(this, this.hoverX ?? state.hover + 1).slice(0, 3).map((l, i) => [i ? ', ' : '', `${clip(l.name, 24)} `, h('b', null, l.text)]);
  }
  /** Hides boxes or shows them again; a graph that was hidden has no width. */
  hide(hidden, ...boxes) {
    if (boxes.every(b => b.hidden === hidden)) return;
    for (const b of boxes) b.hidden = hidden;
    if (!hidden) for (const c of this.charts) c.resize();
  }
  /** Runs with every step of a pan: touches the page only where something changed. */
  #tabs() {
    const { run, state } = this;
    this.tabs.forEach((t, k) => {
      const missing = this.poolMissing(k), chosen = String(k === state.pool);
      if (t.getAttribute('aria-selected') !== chosen) t.setAttribute('aria-selected', chosen);
      t.tabIndex = k === state.pool ? 0 : -1;
      if (t.title !== missing) t.title = missing;
      t.disabled = missing !== '';
    });
    if (!run.ready || this.named) return;
    this.named = true;
    for (const e of this.alive.box.querySelectorAll('[data-class]')) e.textContent = run.className(Number(e.dataset.class));
    for (const e of this.alive.box.querySelectorAll('[data-of]')) if (Number(e.dataset.of) >= USUAL_CLASSES) e.hidden = !run.ten.cls?.includes(Number(e.dataset.of));
  }
  /** Said in place of the graphs of measured memory. */
  #unmeasured(k) {
    const { run } = this;
    const setting = (run.meta.missing ?? []).map(m => m.setting ?? '').find(t => t.includes('MEMORY_LOG'));
    const known = this.view.fullest(k) >= 0;
    return [h('b', null, `The log has no ${run.pools[k]} memory lines`), known ? ': nothing below is measured. What is alive is worked out from the op lines, and the number of banks is not known, so sizes are those of whole tensors.' : '.',
      setting ? ` To get them: ${setting}.` : ''];
  }
  /** Do the known tensors add up to more than the log says is allocated? The figures of the log are rounded to thousandths. */
  above(k, c) {
    const sum = this.view.padding(k).bank[c] / 1048.576, all = this.view.pool(k).alloc[c];
    return sum > Math.max(all * 1.02, all + 2);
  }
  #aliveText(k, c) {
    const { run, view, state } = this;
    const u = this.underCursor;
    if (u === 'rest') return view.computedAt(k, c).size ? 'in no tensor of the log: what is computed of it is in the list' : 'unattributed: allocated, but no tensor of the log accounts for it';
    if (typeof u === 'number' && view.lives(k).held) return [h('b', null, clip(bandName(this, u), 70)), ` ${mb((view.lives(k).size[u] / 1048576) * state.scale(k) * 1000)}, by difference`];
    if (typeof u === 'number') {
      const t = run.tensor(view.lives(k).id[u]);
      const total = state.unitOf(k) === 'total';
      return [h('b', null, t.type.shape.slice(0, 40)), ` ${t.type.dtype} ${run.className(t.cls)} `, h('b', null, bytes(total ? t.type.physical : t.type.bank)), total ? ' in total' : ` ${run.per(k)}`];
    }
    if (!view.pool(k).seen) return [h('b', null, mb((view.padding(k).bank[c] / 1048.576) * state.scale(k))), ` ${state.unitText(k)} in known tensors`];
    const sum = view.padding(k).bank[c] / 1048.576;
    const all = view.pool(k).alloc[c];
    if (this.above(k, c)) return ['known tensors add up to ', h('b', null, mb(sum * state.scale(k))), ', more than ', view.measuredAt(k, c) ? 'is allocated' : 'the last memory line holds'];
    return `${percent(Math.min(sum, all), all)} attributed to tensors`;
  }
}
