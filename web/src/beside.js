// SPDX-License-Identifier: Apache-2.0
// What was recorded beside the devices: when steps began, programs that are kept, processes on the host, the KV cache.
import { NONE } from './run.js';

const KB_PER_MB = 1024;

/** From the columns of section `beside` and its members of `meta`: {time, programs, host, machine, kv}, null where not told. */
export function readBeside(meta, c) {
  const unit = (meta.time?.unit_ns ?? 0) / 1e6;
  const time = meta.time && c.step_time ? { step: s => c.step_time[s] * unit, end: meta.time.end_ms ?? 0, hostStart: meta.time.host_start_ms ?? null, bySamples: meta.time.source === 'samples' } : null;
  const start = meta.time?.host_start_ms ?? 0;
  const at = ms => ms + start;
  return { time, programs: c.step_programs ?? null, host: host(meta.host, c, at), machine: machine(meta.host, c, at), kv: kv(meta.kv, c) };
}

function host(meta, c, at) {
  if (!meta || !c.host_process) return null;
  const lines = (meta.processes ?? []).map(([pid, name]) => ({ pid, name, t: [], step: [], mb: [], peak: 0 }));
  for (let i = 0; i < c.host_process.length; i++) {
    const line = lines[c.host_process[i]];
    if (!line) continue;
    const mb = (c.host_kb?.[i] ?? 0) / KB_PER_MB;
    line.t.push(at(c.host_ms?.[i] ?? 0));
    line.step.push(c.host_step ? c.host_step[i] : -1);
    line.mb.push(mb);
    if (mb > line.peak) line.peak = mb;
  }
  return lines.filter(l => l.peak > 0).sort((a, b) => b.peak - a.peak);
}

function machine(meta, c, at) {
  if (!meta || !c.machine_ms) return null;
  const line = key => {
    const column = c[key];
    const out = { t: [], step: [], mb: [], peak: 0 };
    for (let i = 0; column && i < column.length; i++) {
      if (column[i] === NONE) continue;
      out.t.push(at(c.machine_ms[i]));
      out.step.push(c.machine_step ? c.machine_step[i] : -1);
      out.mb.push(column[i] / KB_PER_MB);
      out.peak = Math.max(out.peak, column[i] / KB_PER_MB);
    }
    return out.peak > 0 ? out : null;
  };
  return { huge: line('machine_huge_kb'), cgroup: line('machine_cgroup_kb'), limit: meta.cgroup_limit_kb ? meta.cgroup_limit_kb / KB_PER_MB : 0 };
}

function kv(meta, c) {
  if (!meta || !c.kv_used) return null;
  const line = { t: [], step: [], share: [], peak: 0, blocks: meta.blocks ?? null, ofSlots: Boolean(meta.of_slots) };
  for (let i = 0; i < c.kv_used.length; i++) {
    line.t.push(c.kv_ms?.[i] ?? 0);
    line.step.push(c.kv_step ? c.kv_step[i] : -1);
    line.share.push(c.kv_used[i] / 10000);
    line.peak = Math.max(line.peak, c.kv_used[i] / 10000);
  }
  return line;
}

/**
 * Positions of samples in a view: by time on an axis of time; else inside the step that was the last one printed, evenly. NaN for
 * samples of steps that are not shown.
 */
export function placeSamples(line, view, axis) {
  const n = line.t.length, x = new Float64Array(n);
  if (axis.time) {
    for (let i = 0; i < n; i++) x[i] = axis.bwd(line.t[i]);
    return x;
  }
  const whole = view.offset === 0;
  for (let i = 0; i < n;) {
    let end = i;
    while (end < n && line.step[end] === line.step[i]) end++;
    const step = line.step[i];
    const pos = step < 0 ? (whole ? -1 : NaN) : view.upTo(step) - 1;
    const shown = step < 0 || (pos >= 0 && (view.n === 0 || step <= view.stepAt(view.n - 1) || view.next < 0));
    for (let k = i; k < end; k++) x[k] = shown ? pos + (k - i) / (end - i) : NaN;
    i = end;
  }
  return x;
}

/** Index of the last sample at or before a position; -1. `x` rises, apart from NaN. */
export function sampleAt(x, at) {
  let best = -1;
  let lo = 0, hi = x.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (Number.isNaN(x[mid])) {
      // views of one program: walk
      best = -1;
      for (let i = 0; i < x.length; i++) if (x[i] <= at) best = i;
      return best;
    }
    if (x[mid] <= at) { best = mid; lo = mid + 1; } else hi = mid;
  }
  return best;
}
