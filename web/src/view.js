// SPDX-License-Identifier: Apache-2.0
// What is shown of the run laid out on the x axis: one rank, the whole of it or one execution of a program. Position -> step,
// and the series that the graphs draw.
//
// Boundary c is the state before the step at position c. It is drawn at x = c - 1, over the interval of the step before
// it, so that the level over a step is what that step left behind and a peak belongs to the op that reached it. When more of
// the rank follows what is shown, there is one boundary more than there are steps: what the last one left.
import { CLASSES, NONE } from './run.js';

// Place of each class in the stack of live tensors, from the bottom.
const ORDER = ['weight', 'const-eval', 'kv_cache', 'input', 'table', 'binary', 'reshape_map', 'activation', 'temporary'];
const STACK = CLASSES.map(c => ORDER.indexOf(c));

// How many of the latest rises a fall is compared with.
const LOOK_BACK = 2000;

/** Takes `fall` thousandths off the open rises; `close(piece, part)` is told about each that ends. */
function giveBack(open, fall, close) {
  for (let i = open.length - 1; i >= Math.max(0, open.length - LOOK_BACK); i--) {
    // Two printed figures, each rounded to a thousandth.
    if (Math.abs(open[i].size - fall) > 1) continue;
    close(open[i], open[i].size);
    open.splice(i, 1);
    return;
  }
  while (fall > 0 && open.length) {
    const last = open[open.length - 1], part = Math.min(fall, last.size);
    close(last, part);
    last.size -= part;
    fall -= part;
    if (!last.size) open.pop();
  }
}

export class View {
  constructor(run, rank, program = -1) {
    this.run = run;
    this.rank = rank;
    const from = program < 0 ? 0 : run.programs.first_step[program];
    const to = program < 0 ? run.count : Math.max(from, run.programs.last_step[program] + 1);
    this.offset = from;
    let next = to < run.count ? to : -1;
    if (run.ranks.length > 1) {
      const steps = [];
      for (let s = from; s < to; s++) if (run.stepRank[s] === rank) steps.push(s);
      this.steps = Uint32Array.from(steps);
      this.n = steps.length;
      while (next >= 0 && run.stepRank[next] !== rank) next = next + 1 < run.count ? next + 1 : -1;
    } else {
      this.steps = null;
      this.n = to - from;
    }
    this.next = next;
    this.bounds = this.n + (next >= 0 ? 1 : 0);
    this.series = [];
    this.bands = [];
    this.pads = [];
  }
  stepAt(pos) {
    return pos < 0 || pos >= this.n ? -1 : this.steps ? this.steps[pos] : pos + this.offset;
  }
  /** The step whose memory block shows a boundary. */
  stepOfBoundary(c) {
    return c === this.n ? this.next : this.stepAt(c);
  }
  /** How many of the steps shown are not after `step`. */
  upTo(step) {
    if (!this.steps) return Math.max(0, Math.min(this.n, step + 1 - this.offset));
    let lo = 0, hi = this.n;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if (this.steps[mid] <= step) lo = mid + 1; else hi = mid;
    }
    return lo;
  }
  /** Position of the first step shown that is not before `step`; -1 for no step. */
  posOf(step) {
    if (step < 0) return -1;
    return this.upTo(step - 1);
  }
  has(step) {
    return step >= 0 && this.stepAt(this.posOf(step)) === step;
  }

  /** {alloc, free, largest}: per boundary, held until the next memory block; -1 before the first. `limits`: where the capacity changes. */
  pool(k) {
    if (this.series[k]) return this.series[k];
    const { run, bounds: n } = this;
    const alloc = new Int32Array(n), free = new Int32Array(n), largest = new Int32Array(n);
    let a = -1, f = -1, l = -1, max = -1, maxAt = -1, seen = false;
    let worst = -1, worstAt = -1;
    const limits = [];
    for (let c = 0; c < n; c++) {
      const b = run.blockOf[c === this.n ? this.next : this.steps ? this.steps[c] : c + this.offset];
      if (b >= 0 && run.alloc[k] && run.alloc[k][b] >= 0) {
        a = run.alloc[k][b];
        f = run.freeAt(b, k);
        l = run.largestAt(b, k);
        seen = true;
        if (!limits.length || limits[limits.length - 1].total !== run.total(k, b)) limits.push({ at: c, total: run.total(k, b) });
        if (a > max) { max = a; maxAt = c; }
        if (f - l > worst) { worst = f - l; worstAt = c; }
      }
      alloc[c] = a;
      free[c] = f;
      largest[c] = l;
    }
    return (this.series[k] = { alloc, free, largest, max, maxAt, worst, worstAt, seen, limits });
  }

  /** Was the pool measured at this boundary, or is its level held from an earlier block? */
  measuredAt(k, c) {
    const { run } = this;
    const step = this.stepOfBoundary(c);
    return step >= 0 && run.allocAt(run.blockOf[step], k) >= 0;
  }
  /** Capacity of a pool at a boundary, thousandths per bank: it changes when the device is opened with other banks. */
  capacityAt(k, c) {
    const { limits } = this.pool(k);
    let total = limits.length ? limits[0].total : this.run.capacity(k);
    for (const l of limits) if (l.at <= c) total = l.total;
    return total;
  }
  /** The largest capacity of a pool in what is shown. */
  capacity(k) {
    const { limits } = this.pool(k);
    return limits.length ? Math.max(...limits.map(l => l.total)) : this.run.capacity(k);
  }

  /** Boundary at which position `pos` shows what it left behind; the last step of a log has none and shows what it found. */
  boundary(pos) {
    return Math.max(0, Math.min(this.bounds - 1, pos + 1));
  }

  /**
   * Boundary that shows what a step left. It is further on than right after the step when the step ran a program, or when only
   * steps that are not ops lie in between, as at the end of a program. -1 when nothing shown tells.
   */
  boundaryAfter(step) {
    const { run } = this;
    const behind = this.posOf(step) + 1, b = run.afterBlock(step);
    const measured = b < 0 ? -1 : run.blockStep[b];
    const ranProgram = run.blockOf[step] >= 0 && run.program(this.stepOfBoundary(behind)) !== run.program(step);
    const c = measured >= 0 && (ranProgram || run.recordOf[measured] - run.recordOf[step] <= 1) ? this.posOf(measured) : behind;
    return c < this.bounds ? c : -1;
  }

  /**
   * Live tensors of a pool from the bottom of the stack to its top, as boundaries [from, to) they cover: by class, inside a class
   * by birth. The order is the same everywhere in the run, so what lives long lies flat at the bottom of its class. Sizes are bytes
   * per bank; of the whole tensor where the number of banks is not known. Without tensors: what is held since which step (`held`).
   */
  lives(k) {
    if (this.bands[k]) return this.bands[k];
    const { run } = this;
    const { ten, tpl } = run;
    if (!ten.count) return (this.bands[k] = this.#held(k));
    const sizes = run.banksKnown(k) ? tpl.type_bank : tpl.type_physical;
    const first = this.stepAt(0), last = this.next >= 0 ? this.next : this.stepAt(this.n - 1);
    const mine = i => tpl.type_pool[ten.type[i]] === k && sizes[ten.type[i]] > 0 && (ten.rank ? ten.rank[i] : 0) === this.rank && ten.birth[i] < last && (!ten.life || ten.life[i] === NONE || ten.birth[i] + ten.life[i] >= first);
    const place = i => STACK[ten.cls ? ten.cls[i] : 1] ?? STACK.length;
    const starts = new Uint32Array(STACK.length + 2);
    for (let i = 0; i < ten.count; i++) if (mine(i)) starts[place(i) + 1]++;
    for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
    const total = starts[starts.length - 1];
    const id = new Uint32Array(total), from = new Int32Array(total), to = new Int32Array(total), size = new Float64Array(total);
    for (let i = 0; i < ten.count; i++) {
      if (!mine(i)) continue;
      const at = starts[place(i)]++;
      id[at] = i;
      size[at] = sizes[ten.type[i]];
      from[at] = this.upTo(ten.birth[i]);
      const life = ten.life ? ten.life[i] : NONE, death = ten.birth[i] + life;
      to[at] = life === NONE || (this.next >= 0 && death >= this.next) ? this.bounds : this.upTo(death);
    }
    return (this.bands[k] = { id, from, to, size, count: total });
  }

  /**
   * What the levels alone tell, by the rule of the other outputs: a rise is held since the op before it; a fall gives back the
   * latest rise of its size, else the latest ones; a device that is opened again holds nothing of before. `id` is that op's
   * step, -1 for what was there at the start, -1 - n for what was there when the device was opened for the nth time again.
   */
  #held(k) {
    const { run } = this, { alloc } = this.pool(k);
    const open = [], done = [];
    const close = (piece, size, c) => size && done.push({ ...piece, to: c, size });
    const openings = (run.meta.reopened ?? []).filter(([, rank]) => rank === this.rank);
    let level = 0, op = -1, any = false, opened = 0;
    for (let c = 0; c < this.bounds; c++) {
      for (; opened < openings.length && this.stepOfBoundary(c) >= openings[opened][0]; opened++) {
        for (const piece of open.splice(0)) close(piece, piece.size, c);
        level = 0;
        any = false;
      }
      if (this.measuredAt(k, c)) {
        const change = alloc[c] - level;
        if (change > 0) open.push({ from: c, step: any ? op : -1 - opened, size: change });
        else if (change < 0) giveBack(open, -change, (piece, size) => close(piece, size, c));
        level = alloc[c];
        any = true;
      }
      const step = this.stepAt(c);
      if (step >= 0 && run.isRecord(step)) op = step;
    }
    for (const piece of open) close(piece, piece.size, this.bounds);
    done.sort((a, b) => a.from - b.from || b.to - a.to);
    const column = (type, f) => type.from(done, f);
    return { held: true, id: column(Int32Array, d => d.step), from: column(Int32Array, d => d.from), to: column(Int32Array, d => d.to), size: column(Float64Array, d => d.size * 1048.576), count: done.length };
  }
  /** Since when something is held, in words: the step of lives(), or what stands for it. */
  since(step) {
    const { run } = this;
    if (step >= 0) return `${run.label(step)} ${run.name(step)}`;
    const openings = (run.meta.reopened ?? []).filter(([, rank]) => rank === this.rank);
    return step === -1 ? 'the start' : `the opening at line ${openings[-2 - step][2]}`;
  }

  /** What is held at a boundary since which step, [[step, bytes per bank]], largest first; for runs without tensors. */
  heldAt(k, c) {
    const l = this.lives(k), sum = new Map();
    if (!l.held) return [];
    for (let i = 0; i < l.count; i++) if (l.from[i] <= c && c < l.to[i]) sum.set(l.id[i], (sum.get(l.id[i]) ?? 0) + l.size[i]);
    return [...sum].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  }

  /** Indices into lives(k) alive at a boundary, largest first. */
  aliveAt(k, c) {
    const l = this.lives(k);
    const out = [];
    if (l.held) return out;
    for (let i = 0; i < l.count; i++) if (l.from[i] <= c && c < l.to[i]) out.push(i);
    return out.sort((a, b) => l.size[b] - l.size[a] || a - b);
  }

  /** Class -> bytes per bank that are in no tensor at a boundary, by rule: what operations before it left in DRAM. */
  computedAt(k, c) {
    const sum = new Map();
    if (k !== 0) return sum;
    const step = c === this.n ? (this.next >= 0 ? this.next : this.run.count) : this.stepAt(c);
    for (const [left, gone, rank, cls, size] of this.run.meta.computed ?? []) {
      if (left >= step) break;
      if (rank === this.rank && (gone < 0 || gone > step)) sum.set(cls, (sum.get(cls) ?? 0) + size);
    }
    return sum;
  }

  /** Bytes per bank that no tensor explained before any operation ran, as far as they are still there: operations left none of them. */
  beforeOps(c) {
    const step = c === this.n ? (this.next >= 0 ? this.next : this.run.count) : this.stepAt(c);
    let bytes = 0;
    for (const [at, rank, size] of this.run.meta.before_ops ?? []) {
      if (at > step) break;
      if (rank === this.rank) bytes = size;
    }
    return bytes;
  }

  /**
   * {logical, physical, lost, bank, bankLogical, bankLost} in bytes per boundary: elements, all memory and padding of what is
   * alive in a pool; `max`, `maxAt` of `bank`. The shares of a tensor are the same in every bank. Memory in no tensor has no
   * elements and no padding, so elements and padding may add up to less.
   */
  padding(k) {
    if (this.pads[k]) return this.pads[k];
    const { run, bounds: n } = this;
    const l = this.lives(k);
    const make = () => new Float64Array(n + 1);
    const sum = { logical: make(), physical: make(), lost: make(), bank: make(), bankLogical: make(), bankLost: make() };
    const { type_logical: lo, type_physical: ph } = run.tpl;
    for (let i = 0; i < l.count && !l.held; i++) {
      const t = run.ten.type[l.id[i]];
      const lost = run.paddingOf(t), share = lost / ph[t] || 0;
      const a = l.from[i], b = l.to[i];
      if (b <= a) continue;
      const ofElements = lo[t] > 0 ? l.size[i] * (1 - share) : 0;
      sum.logical[a] += lo[t]; sum.logical[b] -= lo[t];
      sum.physical[a] += ph[t]; sum.physical[b] -= ph[t];
      sum.bank[a] += l.size[i]; sum.bank[b] -= l.size[i];
      sum.lost[a] += lost; sum.lost[b] -= lost;
      sum.bankLogical[a] += ofElements; sum.bankLogical[b] -= ofElements;
      sum.bankLost[a] += l.size[i] * share; sum.bankLost[b] -= l.size[i] * share;
    }
    for (const s of Object.values(sum)) for (let c = 1; c <= n; c++) s[c] += s[c - 1];
    sum.max = 0;
    sum.maxAt = -1;
    for (let c = 0; c < n; c++) if (sum.bank[c] > sum.max) { sum.max = sum.bank[c]; sum.maxAt = c; }
    sum.level = sum.bank.subarray(0, n);
    return (this.pads[k] = sum);
  }

  /** The boundary where a pool is fullest: measured, else by what the known tensors add up to; -1 for neither. */
  fullest(k) {
    const s = this.pool(k);
    return s.seen ? s.maxAt : this.run.ready ? this.padding(k).maxAt : -1;
  }
}
