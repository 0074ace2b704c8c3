// SPDX-License-Identifier: Apache-2.0
// The capture as the page reads it: series per point, calls in the order of their starts, functions by segment and id.
// A point stands for `stride` nodes; series[c] is the level after point c - 1, series[0] that before the first node.

export const PARTS = ['circular', 'dataflow', 'scratchpad', 'buffer'];

function series(values, first = 0) {
  const out = new Float64Array(values.length + 1);
  out[0] = first;
  out.set(values, 1);
  return out;
}

function largestAt(values) {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}

export class Capture {
  constructor(data) {
    Object.assign(this, { data, name: data.name, segments: data.segments, capacity: data.capacity ?? {} });
    const t = data.timeline;
    this.timeline = t;
    this.stride = Math.max(1, t.stride);
    this.nodes = t.nodes;
    this.points = t.dram.length;
    this.dram = series(t.dram);
    // Sizes of L1 buffers are those over all banks where nothing tells how many banks there are: none of a core then.
    this.coresKnown = data.segments.every(s => s.l1.peak_buffer_bytes !== null);
    this.l1AllBanks = this.coresKnown ? 0 : t.l1_buffer.reduce((m, v) => Math.max(m, v), 0);
    this.#stack(t);
    this.dramPeak = largestAt(this.dram);
    this.l1Peak = largestAt(this.total);
    this.calls = t.calls.map((c, i) => ({ ...c, i })).sort((a, b) => a.begin - b.begin || a.depth - b.depth);
    this.calls.forEach((c, i) => { c.i = i; c.end = Math.max(c.begin, Math.min(c.end, t.nodes - 1)); });
    this.depth = this.calls.reduce((d, c) => Math.max(d, c.depth), 0);
  }
  /** What lies on a core, from the bottom up. Each kind is its maximum over cores, so together they may exceed the fullest core. */
  #stack(t) {
    const n = this.points;
    this.parts = Object.fromEntries(PARTS.map(p => [p, new Float64Array(n + 1)]));
    this.levels = PARTS.map(() => new Float64Array(n + 1));
    for (let i = 0; i < n; i++) {
      let left = t.program[i], sum = 0;
      PARTS.forEach((p, k) => {
        const v = p === 'buffer' ? (this.coresKnown ? t.l1_buffer[i] : 0) : Math.min(left, t[p][i]);
        if (p !== 'buffer') left -= v;
        sum += v;
        this.parts[p][i + 1] = v;
        this.levels[k][i + 1] = sum;
      });
    }
    this.total = this.levels[PARTS.length - 1];
  }

  // What State asks of a run.
  get count() {
    return this.calls.length;
  }
  pools = [];
  ranks = [''];
  records = [];
  rankOf() {
    return 0;
  }
  isRecord() {
    return false;
  }

  function(call) {
    return this.functionOf(call.segment, call.function);
  }
  functionOf(segment, id) {
    return (this.byId ??= this.segments.map(s => new Map(s.functions.map(f => [f.function_id, f])))) [segment]?.get(id) ?? { name: '', calls: 0 };
  }
  nameOf(call) {
    return this.function(call).name;
  }
  /** Names from the outermost caller down to the function itself. */
  path(segment, id) {
    const names = [];
    for (let f = this.functionOf(segment, id); f.name && names.length < 64; f = this.functionOf(segment, f.parent)) names.unshift(f.name);
    return names;
  }
  /** The innermost call that runs at a node; -1 for none. */
  callAt(node) {
    let best = -1;
    for (const c of this.calls) {
      if (c.begin > node) break;
      if (c.end >= node && (best < 0 || c.depth >= this.calls[best].depth)) best = c.i;
    }
    return best;
  }
  /** The call at the L1 peak, or at that of DRAM when L1 is not used. */
  atPeak() {
    const c = this.total[this.l1Peak] > 0 ? this.l1Peak : this.dramPeak;
    return c > 0 ? this.callAt((c - 1) * this.stride) : -1;
  }
  longestCall(segment, id) {
    let best = -1;
    for (const c of this.calls) if (c.segment === segment && c.function === id && (best < 0 || c.end - c.begin > this.calls[best].end - this.calls[best].begin)) best = c.i;
    return best;
  }
}
