// SPDX-License-Identifier: Apache-2.0
// DRAM, L1 per core and the calls on one axis of nodes, one zoom and one cursor.
import { PLAIN } from '../axis.js';
import { Minimap } from '../charts/minimap.js';
import { fill, frame, h } from '../dom.js';
import { bytes, clip, count, niceStep } from '../format.js';
import { palette } from '../state.js';
import { PARTS } from './capture.js';
import { callsChart } from './calls.js';
import { dramChart, l1Chart, unit } from './levels.js';

export class Timeline {
  constructor(capture, state, host) {
    Object.assign(this, { capture, state, axis: PLAIN });
    this.heights = { dram: 130, l1: Math.max(150, Math.min(260, innerHeight - 520)) };
    state.extent = [-0.5, Math.max(capture.points, 8)];
    state.window = [...state.extent];
    // For the strip below: whichever of the two is used.
    const shown = capture.total[capture.l1Peak] > 0 ? capture.total : capture.dram;
    this.view = { n: capture.points + 1, pool: () => ({ alloc: shown, max: shown.reduce((m, v) => Math.max(m, v), 0) }) };
    this.#build(host);
    this.#listen();
  }
  colors() {
    return (this.palette ??= palette());
  }

  // What charts/chart.js asks for.
  recordTicks(width) {
    const { capture, state } = this;
    const [a, b] = state.window;
    const step = Math.max(1, niceStep((b - a) * capture.stride, Math.max(2, width / devicePixelRatio / 90)));
    const ticks = [];
    // A label at the very end would be cut.
    const last = Math.min(capture.nodes, (b - (b - a) * 0.03) * capture.stride);
    for (let n = Math.max(0, Math.ceil((a * capture.stride) / step) * step); n <= last; n += step) ticks.push({ x: n / capture.stride });
    return ticks;
  }
  tickLabel(x) {
    return count(Math.round(x * this.capture.stride));
  }
  hoverAt(chart, x, y) {
    this.syncing = true;
    for (const c of this.charts) if (c !== chart) c.cursorAt(x);
    this.syncing = false;
    this.at = x === null ? -1 : Math.max(0, Math.min(this.capture.points, Math.floor(x) + 1));
    this.over = x !== null && chart.under ? chart.under(x, y) : -1;
    const call = x === null ? null : this.over >= 0 ? this.over : this.capture.callAt(Math.floor(x * this.capture.stride));
    if (call !== this.state.hover) {
      this.state.hover = call;
      this.state.emit('hover');
    }
    this.#heads();
  }
  clickAt(chart, x, y) {
    const { capture, state } = this;
    const over = chart.under?.(x, y) ?? -1;
    state.select(over >= 0 ? over : capture.callAt(Math.floor(x * capture.stride)), 'graph');
  }
  /** The selected call as a shade over every graph, segment boundaries as thin lines. */
  marks(p, c) {
    const { capture, state } = this;
    const call = capture.calls[state.selected];
    p.clip(() => {
      for (const [i, n] of capture.timeline.segment_starts.entries()) {
        if (i) p.vline(p.x(n / capture.stride), c.line, [3, 3]);
      }
      if (!call) return;
      const a = p.x(call.begin / capture.stride), b = p.x((call.end + 1) / capture.stride);
      p.ctx.fillStyle = `${c.accent}1c`;
      p.ctx.fillRect(a, p.top, Math.max(p.r, b - a), p.height);
      p.vline(a, c.accent);
    });
  }

  #build(host) {
    const { capture, state } = this;
    const part = (id, title, legend) => {
      const readout = h('span', { class: 'readout' });
      const plot = h('div', { class: 'plot', id: `plot-${id}` });
      return { readout, plot, box: h('div', { class: 'graph', id: `graph-${id}` }, h('div', { class: 'graph-head' }, h('h3', null, title), h('span', { class: 'legend' }, legend), readout), plot) };
    };
    const key = (cls, text) => [h('i', { class: `key ${cls}` }), text];
    const used = PARTS.filter(p => p === 'circular' || (p === 'buffer' && capture.coresKnown) || capture.parts[p].some(v => v > 0));
    const dram = unit(Math.max(capture.dram[capture.dramPeak], -capture.dram.reduce((m, v) => Math.min(m, v), 0))).name;
    this.dram = part('dram', `DRAM, all banks, since the start, ${dram}`, null);
    this.l1 = part('l1', `L1, ${capture.coresKnown ? 'fullest core' : 'circular buffers of the fullest core'}, ${unit(capture.total[capture.l1Peak]).name}`, used.map(p => key(p, { circular: 'circular buffers', dataflow: 'dataflow buffers', scratchpad: 'scratchpads', buffer: 'buffers' }[p])));
    this.functions = part('calls', 'Functions', [key('dram', 'raises DRAM'), key('buffer', 'raises L1'), key('circular', 'circular buffers'), key('none', 'neither')]);
    this.hint = h('span', { class: 'hint' });
    this.reset = h('button', { type: 'button', class: 'link', id: 'zoom-reset', onclick: () => state.resetWindow() }, 'show all');
    const mini = h('div', { class: 'mini' });
    fill(host, h('div', { class: 'graphs-bar' }, h('span', { class: 'spacer' }), this.hint, this.reset), this.dram.box, this.l1.box, this.functions.box, mini);
    this.charts = [dramChart(this, this.dram.plot), l1Chart(this, this.l1.plot), callsChart(this, this.functions.plot)];
    this.minimap = new Minimap(this, mini);
    this.minimap.draw();
  }
  #listen() {
    const { state } = this;
    const redraw = frame(() => this.redraw());
    state.on('window', redraw);
    state.on('selected', () => { this.#reveal(); redraw(); });
    state.on('theme', () => { this.palette = null; for (const c of this.charts) c.rebuild(); this.redraw(); });
    state.on('print', () => { for (const c of this.charts) c.resize(); });
    new ResizeObserver(frame(() => { for (const c of this.charts) c.resize(); this.minimap.draw(); })).observe(this.dram.plot);
  }
  #reveal() {
    const { capture, state } = this;
    const call = capture.calls[state.selected];
    if (!call) return;
    const [a, b] = state.window, from = call.begin / capture.stride, to = call.end / capture.stride;
    if (to < a || from > b) state.setWindow(from - (b - a) / 2, from + (b - a) / 2, true);
  }
  redraw() {
    for (const c of this.charts) c.show();
    this.minimap.draw();
    this.#heads();
  }
  #heads() {
    const { capture, state } = this;
    const [a, b] = state.window, whole = b - a >= state.extent[1] - state.extent[0] - 1e-6;
    this.reset.hidden = whole;
    this.hint.textContent = whole ? 'drag or wheel to zoom, shift-drag to pan' : `${count(Math.round((b - a) * capture.stride))} of ${count(capture.nodes)} nodes`;
    const at = this.at >= 0 ? this.at : null;
    const where = at > 0 ? `node ${count((at - 1) * capture.stride)}: ` : at === 0 ? 'start: ' : 'peak ';
    const d = at ?? capture.dramPeak, l = at ?? capture.l1Peak;
    fill(this.dram.readout, where, h('b', null, bytes(capture.dram[d])));
    const parts = PARTS.filter(p => capture.parts[p][l] > 0);
    fill(this.l1.readout, where, h('b', null, bytes(capture.total[l])), parts.length > 1 ? ` = ${parts.map(p => `${bytes(capture.parts[p][l])} ${p}`).join(' + ')}` : '');
    const call = capture.calls[this.over >= 0 ? this.over : at > 0 ? capture.callAt((at - 1) * capture.stride) : -1];
    fill(this.functions.readout, call ? [h('b', null, clip(capture.nameOf(call), 60)), ` nodes ${count(call.begin)}–${count(call.end)}`] : `${count(capture.count)} calls, ${count(capture.depth)} deep`);
  }
}
