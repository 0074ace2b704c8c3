// SPDX-License-Identifier: Apache-2.0
// A table of strings that stay UTF-8 bytes until one is shown: a report can hold hundreds of thousands of them.

const decoder = new TextDecoder();

export class StringTable {
  constructor(offsets, bytes) {
    this.offsets = offsets ?? new Uint32Array(2);
    this.bytes = bytes ?? new Uint8Array(0);
    this.cache = new Map();
  }
  get length() {
    return this.offsets.length - 1;
  }
  get(id) {
    if (!id || id >= this.length) return '';
    let s = this.cache.get(id);
    if (s === undefined) {
      s = decoder.decode(this.bytes.subarray(this.offsets[id], this.offsets[id + 1]));
      if (this.cache.size > 20000) this.cache.clear();
      this.cache.set(id, s);
    }
    return s;
  }
  /** Marks (1) every string that contains `needle`, ASCII letters in either case. Works on the bytes: no string is made. */
  matches(needle) {
    const found = new Uint8Array(this.length);
    const want = new TextEncoder().encode(needle);
    const fold = c => (c >= 65 && c <= 90 ? c + 32 : c);
    const n = want.length;
    if (n === 0) return found.fill(1);
    for (let i = 0; i < n; i++) want[i] = fold(want[i]);
    const { bytes, offsets } = this;
    const first = want[0], upper = first >= 97 && first <= 122 ? first - 32 : first;
    const end = bytes.length - n;
    let id = 0;
    for (let at = 0; at <= end; at++) {
      const c = bytes[at];
      if (c !== first && c !== upper) continue;
      let k = 1;
      while (k < n && fold(bytes[at + k]) === want[k]) k++;
      if (k < n) continue;
      while (offsets[id + 1] <= at) id++;
      if (at + n > offsets[id + 1]) continue;
      found[id] = 1;
      at = offsets[id + 1] - 1;
    }
    return found;
  }
}
