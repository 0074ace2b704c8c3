// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them. Memory comes in thousandths of a MB per bank, sizes of tensors in bytes.

const grouped = new Intl.NumberFormat('en-US');
export const count = n => grouped.format(n);

function decimals(v) {
  const a = Math.abs(v);
  return a >= 100 ? 1 : a >= 10 ? 2 : a === 0 ? 1 : 3;
}

const group = s => s.replace(/\B(?=(\d{3})+(?!\d)\.)/g, ',');

/** A MB value with as many decimals as matter for its size. */
export function mb(v) {
  if (v === null || v === undefined || Number.isNaN(v)) return '–';
  return group(v.toFixed(decimals(v))).replace('-', '−');
}

export function signed(v) {
  if (v === null || v === undefined) return '–';
  return v > 0 ? `+${mb(v)}` : mb(v);
}

export function percent(part, whole) {
  if (!(whole > 0) || part < 0) return '–';
  const p = (100 * part) / whole;
  return `${p >= 10 || p === 0 ? Math.round(p) : p.toFixed(1)} %`;
}

export const MIB = 1048576;

export function bytes(n) {
  if (n === null || n === undefined) return 'not known';
  if (n >= MIB) return `${group((n / MIB).toFixed(2))} MB`;
  if (n >= 1024) return `${(n / 1024).toFixed(1)} KB`;
  return `${count(n)} B`;
}

/** Text from a log made safe to look at: control and direction characters show as pictures or codes, the rest as it is. */
export function visible(s) {
  return String(s ?? '').replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, c => {
    const k = c.charCodeAt(0);
    if (k < 0x20) return String.fromCharCode(0x2400 + k);
    if (k === 0x7f) return '\u2421';
    return `\\u${k.toString(16).padStart(4, '0')}`;
  });
}

export function clip(s, n = 160) {
  const t = visible(s.length > 4 * n ? s.slice(0, 4 * n) : s);
  return t.length > n ? `${t.slice(0, n - 1)}…` : t;
}

/** Round tick distance for about `n` ticks over `range`. */
export function niceStep(range, n) {
  const raw = range / Math.max(1, n);
  const power = 10 ** Math.floor(Math.log10(raw || 1));
  const r = raw / power;
  return (r <= 1 ? 1 : r <= 2 ? 2 : r <= 5 ? 5 : 10) * power;
}
