// SPDX-License-Identifier: Apache-2.0
// What the reader has chosen, who wants to know, and the URL fragment that carries it. A choice of op, tensor, range, program or
// rank and a zoom are entries of the browser's history; pool and unit change the entry they are in.
import { cssVar } from './dom.js';

/** What sections keep in the address: the section on show, searches, the module and line of the IR, the group of "by module". */
const FIELDS = ['section', 'search', 'weight', 'irline', 'by', 'open', 'beside'];

export class State {
  #listeners = new Map();

  constructor(run) {
    this.run = run;
    this.rank = 0;
    this.program = -1;
    this.pool = 0;
    this.unit = 'bank';
    this.axis = 'op';
    this.selected = -1;
    this.hover = null;
    this.problem = '';
    /** Tensors that are pinned: none, one, or two that are compared. */
    this.pins = [];
    /** Steps [from, to] whose sums are shown; null for none. */
    this.range = null;
    /** What was typed and chosen in the sections, by its key in the address. */
    this.fields = new Map();
    this.window = [0, 1];
    this.extent = [0, 1];
    /** What an address without a fragment shows. */
    this.home = { rank: 0, step: -1 };
  }
  on(events, f) {
    for (const e of events.split(' ')) {
      if (!this.#listeners.has(e)) this.#listeners.set(e, []);
      this.#listeners.get(e).push(f);
    }
  }
  emit(event) {
    for (const f of this.#listeners.get(event) ?? []) f(this);
  }

  set(key, value) {
    if (this[key] === value) return;
    this[key] = value;
    this.emit(key);
    this.#write(false);
  }
  /** Narrows everything to one rank and, if `program` is not -1, to one execution of a program. */
  setScope(rank, program = -1) {
    if (rank === this.rank && program === this.program) return;
    this.rank = rank;
    this.program = program;
    if (this.selected >= 0 && !this.#inScope(this.selected)) this.#choose(-1, '');
    this.emit('scope');
    this.#write(true);
  }
  #inScope(step) {
    const { run, program } = this;
    return run.rankOf(step) === this.rank && (program < 0 || (step >= run.programs.first_step[program] && step <= run.programs.last_step[program]));
  }
  #choose(step, origin) {
    this.selected = step;
    this.origin = origin;
    this.emit('selected');
  }
  /** Selects a step; -1 clears. `origin` lets the origin of a click keep its scroll position. */
  select(step, origin = '') {
    if (step < -1 || step >= this.run.count) return;
    // A walk from op to op is one entry.
    const walks = origin === 'panel' && this.walking;
    this.walking = origin === 'panel';
    if (step >= 0 && !this.#inScope(step)) {
      this.rank = this.run.rankOf(step);
      this.program = -1;
      this.emit('scope');
    }
    this.#tell('');
    this.#choose(step, origin);
    this.#write(!walks);
  }
  /** Pins a tensor; `beside` keeps the one that is there to compare them. A tensor that is pinned already lets go. -1: all let go. */
  pin(tensor, beside = false) {
    const had = this.pins.includes(tensor);
    if (tensor < 0) this.pins = [];
    else if (had) this.pins = this.pins.filter(i => i !== tensor);
    else this.pins = beside && this.pins.length ? [this.pins[0], tensor] : [tensor];
    this.emit('pins');
    this.#write(true);
  }
  /** `more`: the same choice as before, dragged further. */
  setRange(range, more = false) {
    if (String(range) === String(this.range)) return;
    this.range = range;
    this.emit('range');
    this.#write(!more);
  }
  /** A field of a section: '' is its default. `push`: a choice of its own, not a letter typed. */
  setField(key, value, push = false) {
    if ((this.fields.get(key) ?? '') === value) return;
    if (value === '') this.fields.delete(key); else this.fields.set(key, value);
    this.emit(key);
    this.#write(push);
  }
  #tell(problem) {
    if (problem === this.problem) return;
    this.problem = problem;
    this.emit('problem');
  }
  /** `follows`: the window only follows another choice, which is the entry of the history. */
  setWindow(a, b, follows = false) {
    const [lo, hi] = this.extent;
    const width = Math.min(hi - lo, Math.max(8, b - a));
    let from = (a + b) / 2 - width / 2;
    from = Math.max(lo, Math.min(hi - width, from));
    if (from === this.window[0] && from + width === this.window[1]) return;
    this.window = [from, from + width];
    this.emit('window');
    // A zoom is many small steps: the address follows when it rests.
    clearTimeout(this.resting);
    this.zooms = !follows && !this.reading;
    this.resting = setTimeout(() => this.#write(this.zooms), 200);
  }
  resetWindow() {
    this.setWindow(...this.extent);
  }

  /** Where the log does not tell the number of banks there is only the total. */
  unitOf(pool) {
    if (this.run.per(pool) === 'per core') return 'bank'; // cores differ: one of them does not tell what all hold
    return this.run.banksKnown(pool) ? this.unit : 'total';
  }
  /** Value of a thousandth-per-bank figure in the unit in use, in MB. */
  scale(pool) {
    return (this.unitOf(pool) === 'total' ? this.run.banks(pool, this.run.firstBlock(this.rank)) : 1) / 1000;
  }
  unitText(pool = this.pool) {
    return this.unitOf(pool) === 'total' ? 'MB total' : `MB ${this.run.per(pool)}`;
  }

  #hash() {
    const { run } = this;
    const parts = [];
    if (this.selected >= 0) parts.push(run.isRecord(this.selected) ? `op=${run.recordOf[this.selected]}` : `step=${this.selected}`);
    if (this.program >= 0) parts.push(`program=${this.program}`);
    if (this.pool) parts.push(`pool=${run.pools[this.pool]}`);
    if (this.unit !== 'bank') parts.push(`unit=${this.unit}`);
    if (this.axis !== 'op') parts.push(`axis=${this.axis}`);
    const [a, b] = this.window, whole = b - a >= this.extent[1] - this.extent[0] - 1e-6;
    if (!whole) parts.push(`zoom=${a.toFixed(1)},${b.toFixed(1)}`);
    if (this.pins.length) parts.push(`pin=${this.pins.join(',')}`);
    if (this.range) parts.push(`range=${this.range.join(',')}`);
    for (const [key, value] of this.fields) parts.push(`${key}=${encodeURIComponent(value)}`);
    if (run.ranks.length > 1) parts.push(`rank=${encodeURIComponent(run.ranks[this.rank])}`);
    return parts.length ? `#${parts.join('&')}` : '';
  }
  #write(push) {
    if (this.reading) return;
    const hash = this.#hash();
    if (hash === location.hash) return;
    this.known = hash;
    history[push ? 'pushState' : 'replaceState'](null, '', hash || location.pathname + location.search);
  }

  /**
   * Takes everything from the fragment; true when it names something to select. What the report does not have is said, not replaced
   * by something else.
   */
  readHash() {
    if (this.known === location.hash) return this.selected >= 0;
    this.known = location.hash;
    this.walking = false;
    const { run } = this;
    const q = new URLSearchParams(location.hash.slice(1));
    const wrong = [];
    const find = (key, otherwise, place, what) => {
      if (!q.has(key)) return otherwise;
      const at = place(q.get(key));
      if (at < 0) wrong.push(what(q.get(key).slice(0, 40)));
      return at < 0 ? otherwise : at;
    };
    const number = (text, end) => (/^\d{1,9}$/.test(text) && Number(text) < end ? Number(text) : -1);
    const ops = run.records.length, runs = run.programs?.name.length ?? 0;
    const range = ops ? `its ops are #0 to #${(ops - 1).toLocaleString('en-US')}` : 'it has none';
    const pool = find('pool', 0, v => run.pools.indexOf(v), v => `There is no pool ${v} in this report.`);
    const unit = find('unit', 0, v => ['bank', 'total'].indexOf(v), v => `There is no unit ${v}.`);
    const axis = find('axis', 0, v => (v === 'time' && !run.time ? -1 : ['op', 'time'].indexOf(v)), v => (v === 'time' ? 'This report does not record when its ops ran.' : `There is no axis ${v}.`));
    const program = find('program', -1, v => number(v, runs), v => `There is no program run ${v} in this report: it has ${runs}.`);
    const op = find('op', -1, v => number(v, ops), v => `Op #${v} does not exist in this report: ${range}.`);
    const step = find('step', -1, v => number(v, run.count), v => `Step ${v} does not exist in this report: it has ${run.count}.`);
    const rank = find('rank', -1, v => run.ranks.findIndex(r => String(r) === v), v => `There is no rank ${v} in this report.`);
    find('beside', -1, v => run.ranks.findIndex(r => String(r) === v), v => `There is no rank ${v} in this report.`);
    const pair = (key, end) => {
      const numbers = (q.get(key) ?? '').split(',').map(v => number(v, end));
      return numbers.length <= 2 && numbers.every(n => n >= 0) ? numbers : (q.has(key) && wrong.push(`There is no ${key} ${q.get(key).slice(0, 40)} in this report.`), []);
    };
    const pins = pair('pin', run.ten?.count ?? 0), span = pair('range', run.count);
    const zoom = (q.get('zoom') ?? '').split(',').map(Number);
    const target = op >= 0 ? run.records[op] : step >= 0 ? step : q.has('op') || q.has('step') ? -1 : this.home.step;
    this.reading = true;
    this.set('pool', pool);
    this.set('unit', ['bank', 'total'][unit]);
    this.set('axis', ['op', 'time'][axis]);
    if (program >= 0) this.setScope(run.programs.rank?.[program] ?? 0, program);
    else this.setScope(rank >= 0 ? rank : target >= 0 ? run.rankOf(target) : this.home.rank);
    const fits = target < 0 || this.#inScope(target) || op >= 0 || step >= 0;
    this.pins = pins;
    this.emit('pins');
    this.range = span.length === 2 ? span : null;
    this.emit('range');
    for (const key of FIELDS) {
      const value = q.get(key) ?? '';
      if ((this.fields.get(key) ?? '') === value) continue;
      if (value === '') this.fields.delete(key); else this.fields.set(key, value);
      this.emit(key);
    }
    this.select(fits ? target : -1, 'url');
    if (zoom.length === 2 && zoom.every(Number.isFinite)) this.setWindow(...zoom); else this.resetWindow();
    this.#tell(wrong.join(' '));
    this.reading = false;
    return op >= 0 || step >= 0;
  }
}

/** Colours of the theme in use, for the canvases. */
export function palette() {
  const names = ['bg', 'fg', 'dim', 'line', 'grid', 'accent', 'alloc', 'weight', 'activation', 'const-eval', 'input', 'kv_cache', 'temporary', 'reshape_map', 'table', 'binary', 'circular_buffer', 'rest', 'capacity', 'failure', 'panel'];
  return Object.fromEntries(names.map(n => [n, cssVar(`--${n}`)]));
}
