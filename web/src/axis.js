// SPDX-License-Identifier: Apache-2.0
// The x axis: positions of steps, or the time at which they began. Everything that is drawn keeps its position; only where a
// position stands on the screen changes. `fwd` turns a position into milliseconds, `bwd` turns it back.

/** Every position has the same width. */
export const PLAIN = { time: false, fwd: x => x, bwd: x => x };

/** Axis of a view in op order, or in time where the report tells when steps began. */
export function axisOf(run, view, time) {
  return time && run.time && view.n > 0 ? timeAxis(run, view) : PLAIN;
}

function timeAxis(run, view) {
  const { step, end, hostStart } = run.time;
  const n = view.n, at = new Float64Array(n + 2);
  for (let i = 0; i < n; i++) at[i + 1] = step(view.stepAt(i));
  at[n + 1] = Math.max(at[n], view.next >= 0 ? step(view.next) : end);
  // What was sampled before the first step lies left of it.
  const whole = view.offset === 0 && hostStart !== null;
  at[0] = whole ? Math.min(at[1], hostStart) : at[1];
  const span = at[n + 1] - at[0] || 1, mean = span / (n + 1);
  if (at[0] === at[1]) at[0] -= mean;
  // Steps of one moment stay apart by a little, so that every place on the screen has one position.
  for (let i = 1; i < n + 2; i++) at[i] += (i * span * 1e-7) / n;
  const last = n + 1;
  const fwd = x => {
    const p = x + 1;
    if (p <= 0) return at[0] + p * mean;
    if (p >= last) return at[last] + (p - last) * mean;
    const i = Math.floor(p);
    return at[i] + (p - i) * (at[i + 1] - at[i]);
  };
  const bwd = t => {
    if (t <= at[0]) return (t - at[0]) / mean - 1;
    if (t >= at[last]) return last - 1 + (t - at[last]) / mean;
    let lo = 0, hi = last;
    while (hi - lo > 1) {
      const mid = (lo + hi) >> 1;
      if (at[mid] <= t) lo = mid; else hi = mid;
    }
    return lo + (t - at[lo]) / (at[lo + 1] - at[lo]) - 1;
  };
  return { time: true, fwd, bwd };
}

/** 12.5 s, 340 ms, 2:05 min: as fine as neighbours on the axis are apart. */
export function timeLabel(ms, step) {
  if (step < 1) return `${ms.toFixed(Math.min(3, Math.ceil(-Math.log10(step))))} ms`;
  if (Math.abs(ms) < 1000 && step < 1000) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(step >= 1000 ? 0 : Math.min(3, Math.ceil(3 - Math.log10(step))))} s`;
}
