// SPDX-License-Identifier: Apache-2.0
// Which boundaries of a series to draw so that no peak and no dip is lost: per pixel column each series' smallest and
// largest value, and the two ends of the window. Between them the line runs inside the same column.

const BLOCK = 64;
const summaries = new WeakMap();

/** Where the smallest and largest value of every block of 64 is; worked out once per series. */
function summary(s) {
  let found = summaries.get(s);
  if (found) return found;
  const n = Math.ceil(s.length / BLOCK);
  const lo = new Uint32Array(n), hi = new Uint32Array(n);
  for (let b = 0; b < n; b++) {
    let l = b * BLOCK, h = l;
    const end = Math.min(s.length, l + BLOCK);
    for (let i = l + 1; i < end; i++) {
      if (s[i] < s[l]) l = i;
      if (s[i] > s[h]) h = i;
    }
    lo[b] = l;
    hi[b] = h;
  }
  found = { lo, hi };
  summaries.set(s, found);
  return found;
}

/** Index of the first largest value in [a, b), b > a. */
export function argMax(s, a, b) {
  const { hi } = summary(s);
  let best = a, i = a;
  while (i < b) {
    if (i % BLOCK === 0 && i + BLOCK <= b) {
      const c = hi[i / BLOCK];
      if (s[c] > s[best]) best = c;
      i += BLOCK;
    } else {
      if (s[i] > s[best]) best = i;
      i++;
    }
  }
  return best;
}

/** The same for the smallest. */
export function argMin(s, a, b) {
  const { lo } = summary(s);
  let best = a, i = a;
  while (i < b) {
    if (i % BLOCK === 0 && i + BLOCK <= b) {
      const c = lo[i / BLOCK];
      if (s[c] < s[best]) best = c;
      i += BLOCK;
    } else {
      if (s[i] < s[best]) best = i;
      i++;
    }
  }
  return best;
}

export function decimate(series, from, to, columns) {
  const n = to - from;
  if (n <= columns * 3) {
    const all = new Uint32Array(Math.max(0, n));
    for (let i = 0; i < all.length; i++) all[i] = from + i;
    return all;
  }
  const out = new Uint32Array(2 + 2 * columns * series.length);
  let count = 0;
  const pick = [];
  for (let col = 0; col < columns; col++) {
    const a = from + Math.floor((n * col) / columns), b = from + Math.floor((n * (col + 1)) / columns);
    if (b <= a) continue;
    pick.length = 0;
    if (col === 0) pick.push(a);
    if (col === columns - 1) pick.push(b - 1);
    for (const s of series) pick.push(argMin(s, a, b), argMax(s, a, b));
    pick.sort((p, q) => p - q);
    for (let k = 0; k < pick.length; k++) if (k === 0 || pick[k] !== pick[k - 1]) out[count++] = pick[k];
  }
  return out.subarray(0, count);
}

/** Per pixel column the boundary with the largest value: where the bands of that column are taken. */
export function columnPeaks(series, from, to, columns) {
  const n = to - from;
  const out = new Int32Array(columns);
  for (let col = 0; col < columns; col++) {
    const a = from + Math.floor((n * col) / columns);
    const b = Math.max(a + 1, from + Math.floor((n * (col + 1)) / columns));
    out[col] = a < series.length ? argMax(series, a, Math.min(b, series.length)) : a;
  }
  return out;
}
