// SPDX-License-Identifier: Apache-2.0
// Host memory under that of the devices: a line per process, the limit of the cgroup, huge pages; and the KV cache as a share.
import { placeSamples, sampleAt } from '../beside.js';
import { clip, count, mb } from '../format.js';
import { Chart, plotter } from './chart.js';

export const HOST_COLORS = ['alloc', 'weight', 'activation', 'const-eval', 'input', 'rest'];

/** Lines that are drawn: the largest processes, what the machine said, the KV cache; each with its positions in the view. */
export function hostLines(ctx) {
  const { run, view, axis } = ctx;
  const key = `${ctx.state.rank} ${ctx.state.program} ${axis.time}`;
  if (ctx.hostKept?.key === key) return ctx.hostKept.lines;
  const { host, machine, kv, programs } = run.beside;
  const lines = (host ?? []).slice(0, HOST_COLORS.length).map((p, i) => ({ name: `${p.name || 'process'} ${p.pid}`, color: HOST_COLORS[i], y: p.mb, unit: 'mb', x: placeSamples(p, view, axis), peak: p.peak }));
  if (machine?.huge) lines.push({ name: 'huge pages', color: 'dim', dash: [2, 2], y: machine.huge.mb, unit: 'mb', x: placeSamples(machine.huge, view, axis), peak: machine.huge.peak });
  if (kv) lines.push({ name: kv.ofSlots ? 'slots of the batch' : 'KV cache', color: 'failure', dash: [6, 3], y: kv.share, unit: 'share', x: placeSamples(kv, view, axis), peak: 0 });
  if (programs) lines.push(programLine(programs, view, axis));
  ctx.hostKept = { key, lines };
  return lines;
}

/** Programs that the runtime keeps: changes only. */
function programLine(programs, view, axis) {
  const line = { name: 'programs kept', color: 'fg', dash: [1, 3], y: [], x: [], unit: 'count', peak: 0, most: 1 };
  for (let i = 0; i < view.n; i++) {
    const n = programs[view.stepAt(i)];
    if (line.y.length && n === line.y[line.y.length - 1]) continue;
    line.x.push(i);
    line.y.push(n);
    line.most = Math.max(line.most, n);
  }
  return line;
}

/** Where shares and counts stand on an axis of MB: full, or the most that there were, is a little below its top. */
const scaleOf = (line, high) => (line.unit === 'mb' ? 1 : line.unit === 'share' ? high / 1.15 : high / 1.15 / line.most);

/** What the lines show at a position, largest first: [{name, text}]. */
export function hostAt(ctx, x) {
  const out = [];
  for (const line of hostLines(ctx)) {
    const i = sampleAt(line.x, x);
    if (i < 0 || (line.unit === 'mb' && !(line.y[i] > 0))) continue;
    const text = { mb: () => `${mb(line.y[i])} MB`, share: () => `${Math.round(line.y[i] * 100)} %`, count: () => count(line.y[i]) }[line.unit]();
    out.push({ name: line.name, size: line.unit === 'mb' ? line.y[i] : -1, text });
  }
  return out.sort((a, b) => b.size - a.size);
}

export function hostChart(ctx, host) {
  const { state } = ctx;
  const top = () => {
    const { machine } = ctx.run.beside;
    // Without processes the axis is that of the only other line.
    const most = ctx.run.beside.host?.length ? Math.max(1, ...hostLines(ctx).map(l => l.peak)) : ctx.run.beside.kv ? 1 : Math.max(1, ...hostLines(ctx).map(l => l.most ?? 0));
    // The limit counts as soon as the run comes near it.
    return machine?.limit && most > machine.limit * 0.3 ? Math.max(most, machine.limit) * 1.12 : most * 1.15;
  };
  return new Chart(ctx, {
    host, height: ctx.heights.host,
    series: () => [{ stroke: 'transparent', points: { show: false } }],
    data: () => ({ arrays: [ctx.view.pool(state.pool).alloc], scale: 0, length: ctx.view.bounds }),
    range: () => [0, top()],
    draw: (u, c) => {
      const p = plotter(u), high = top();
      p.clip(() => {
        limit(p, c, ctx, high);
        for (const line of hostLines(ctx)) paint(p, c, line, scaleOf(line, high));
      });
      ctx.overlay(p, c);
    },
  });
}

/** Steps from sample to sample; of those in one pixel column the highest and the last. */
function paint(p, c, line, scale) {
  const { ctx } = p;
  ctx.strokeStyle = c[line.color];
  ctx.lineWidth = 1.5 * p.r;
  ctx.setLineDash((line.dash ?? []).map(d => d * p.r));
  ctx.beginPath();
  let last = null, column = null, high = 0, first = true;
  const put = () => {
    if (column === null) return;
    if (first) ctx.moveTo(column, p.y(last)); else ctx.lineTo(column, p.y(before));
    ctx.lineTo(column, p.y(high));
    ctx.lineTo(column, p.y(last));
    first = false;
    before = last;
  };
  let before = 0;
  for (let i = 0; i < line.x.length; i++) {
    if (Number.isNaN(line.x[i])) continue;
    const x = p.x(line.x[i]), y = line.y[i] * scale;
    if (x !== column) {
      put();
      column = x;
      high = y;
    }
    high = Math.max(high, y);
    last = y;
  }
  put();
  if (!first) ctx.lineTo(p.left + p.width, p.y(last));
  ctx.stroke();
  ctx.setLineDash([]);
}

function limit(p, c, ctx, high) {
  const { machine } = ctx.run.beside;
  if (!machine?.limit) return;
  const y = p.y(machine.limit) + 0.5, fits = machine.limit <= high;
  if (fits) {
    p.ctx.strokeStyle = c.capacity;
    p.ctx.lineWidth = Math.max(1, Math.round(p.r));
    p.ctx.setLineDash([5 * p.r, 4 * p.r]);
    p.ctx.beginPath();
    p.ctx.moveTo(p.left, y);
    p.ctx.lineTo(p.left + p.width, y);
    p.ctx.stroke();
    p.ctx.setLineDash([]);
  }
  p.text(clip(`${fits ? '' : '↑ '}cgroup limit ${mb(machine.limit)}`, 60), p.left + p.width - 4 * p.r, (fits ? y : p.top + 1) + 9 * p.r, c.dim, c.bg, 'right');
}
