// SPDX-License-Identifier: Apache-2.0
// Calls as bars, callers above what they call, coloured by what they do to memory.
import { Chart, CHART_FONT, plotter } from '../charts/chart.js';
import { clip } from '../format.js';

const LANE = 17, LANES = 14;

const kindOf = call => (call.dram_rise_bytes > 0 ? 'alloc' : call.l1_rise_bytes > 0 ? 'activation' : call.program_peak_bytes > 0 ? 'const-eval' : null);

export function callsChart(ctx, host) {
  const { capture, state } = ctx;
  const lanes = Math.max(1, Math.min(LANES, capture.depth));
  const flat = new Float64Array(capture.points + 1);
  const chart = new Chart(ctx, {
    host, height: lanes * LANE + 32, xLabels: true,
    series: () => [{ stroke: 'transparent', points: { show: false } }],
    data: () => ({ arrays: [flat], scale: 1, length: capture.points + 1 }),
    range: () => [0, lanes],
    draw: (u, c) => {
      const p = plotter(u);
      cover(p, c);
      p.clip(() => draw(p, c));
      ctx.marks(p, c);
    },
  });
  /** The scale of the lanes says nothing: their numbers and lines go. */
  const cover = (p, c) => {
    p.ctx.fillStyle = c.bg;
    p.ctx.fillRect(0, p.top - 8 * p.r, p.left - 1, p.height + 15 * p.r);
    p.ctx.fillRect(p.left - 1, p.top - 8 * p.r, p.width + 2, p.height + 8 * p.r + 1);
  };
  const draw = (p, c) => {
    const tall = p.height / lanes, ends = new Float64Array(lanes).fill(-1);
    p.ctx.font = CHART_FONT.replace('11px', `${11 * p.r}px`);
    p.ctx.textBaseline = 'middle';
    p.ctx.textAlign = 'left';
    const [x0, x1] = state.window;
    for (const call of capture.calls) {
      const from = call.begin / capture.stride, to = (call.end + 1) / capture.stride;
      if (from > x1) break;
      const lane = call.depth - 1;
      if (to < x0 || lane >= lanes) continue;
      const a = p.x(from), b = Math.max(a + 1, p.x(to));
      // What is narrower than a pixel and stands behind another one would not be seen.
      if (b <= ends[lane]) continue;
      ends[lane] = b;
      const y = p.top + lane * tall, kind = kindOf(call);
      p.ctx.fillStyle = kind ? `${c[kind]}59` : c.grid;
      p.ctx.fillRect(a, y + p.r, Math.max(1, b - a - p.r), tall - 2 * p.r);
      if (b - a > 4 * p.r) {
        p.ctx.fillStyle = kind ? c[kind] : c.capacity;
        p.ctx.fillRect(a, y + p.r, Math.max(1, 2 * p.r), tall - 2 * p.r);
      }
      const left = Math.max(a, p.left) + 6 * p.r, room = Math.floor((Math.min(b, p.left + p.width) - left - 2 * p.r) / (6.7 * p.r));
      if (room < 3) continue;
      p.ctx.fillStyle = c.fg;
      p.ctx.fillText(shorten(capture.nameOf(call), room), left, y + tall / 2);
    }
  };
  chart.under = (x, y) => {
    const lane = Math.floor((y / (chart.u.bbox.height / devicePixelRatio)) * lanes) + 1, node = x * capture.stride;
    for (const call of capture.calls) {
      if (call.begin > node) break;
      if (call.depth === lane && call.end + 1 > node) return call.i;
    }
    return -1;
  };
  return chart;
}

/** `tt::tt_metal::create_device_tensor` says most at its end. */
function shorten(name, room) {
  if (name.length <= room) return clip(name, room + 1);
  const last = name.slice(name.lastIndexOf('::') + (name.includes('::') ? 2 : 0));
  return clip(last, room);
}
