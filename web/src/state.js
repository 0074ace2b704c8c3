// What the reader has chosen, who wants to know, and the URL fragment that carries it.
import { cssVar } from './dom.js';

export class State {
  #listeners = new Map();

  constructor(run) {
    this.run = run;
    this.rank = 0;
    this.pool = 0;
    this.unit = 'bank';
    this.program = -1;
    this.selected = -1;
    this.hover = null;
    this.window = [0, 1];
    this.extent = [0, 1];
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
    this.#writeHash();
  }
  /** Selects a step; -1 clears. `origin` lets the origin of a click keep its scroll position. */
  select(step, origin = '') {
    if (step < -1 || step >= this.run.count) return;
    if (step >= 0 && this.run.rankOf(step) !== this.rank) this.set('rank', this.run.rankOf(step));
    this.selected = step;
    this.origin = origin;
    this.emit('selected');
    this.#writeHash();
  }
  setWindow(a, b) {
    const [lo, hi] = this.extent;
    const width = Math.min(hi - lo, Math.max(8, b - a));
    let from = (a + b) / 2 - width / 2;
    from = Math.max(lo, Math.min(hi - width, from));
    if (from === this.window[0] && from + width === this.window[1]) return;
    this.window = [from, from + width];
    this.emit('window');
  }
  resetWindow() {
    this.setWindow(...this.extent);
  }

  /** Value of a thousandth-per-bank figure in the unit in use, in MB. */
  scale(pool) {
    return (this.unit === 'total' ? this.run.banks(pool) : 1) / 1000;
  }
  get unitText() {
    return this.unit === 'total' ? 'MB total' : 'MB per bank';
  }

  #writeHash() {
    if (this.reading) return;
    const { run } = this;
    const parts = [];
    if (this.selected >= 0) parts.push(run.isRecord(this.selected) ? `op=${run.recordOf[this.selected]}` : `step=${this.selected}`);
    if (this.pool) parts.push(`pool=${run.pools[this.pool]}`);
    if (this.unit !== 'bank') parts.push(`unit=${this.unit}`);
    if (this.rank && this.selected < 0) parts.push(`rank=${run.ranks[this.rank]}`);
    const hash = parts.length ? `#${parts.join('&')}` : ' ';
    if (hash !== location.hash) history.replaceState(null, '', parts.length ? hash : location.pathname + location.search);
  }
  /** Takes the selection from the fragment; what it does not name or cannot name stays as it is. */
  readHash() {
    const { run } = this;
    const q = new URLSearchParams(location.hash.slice(1));
    this.reading = true;
    const number = k => (/^\d{1,9}$/.test(q.get(k) ?? '') ? Number(q.get(k)) : -1);
    const pool = run.pools.indexOf(q.get('pool'));
    if (pool >= 0) this.set('pool', pool);
    if (q.get('unit') === 'total') this.set('unit', 'total');
    const rank = run.ranks.findIndex(r => String(r) === q.get('rank'));
    if (rank >= 0) this.set('rank', rank);
    const op = number('op'), step = number('step');
    const target = op >= 0 && op < run.records.length ? run.records[op] : step >= 0 && step < run.count ? step : -1;
    if (target >= 0) this.select(target, 'url');
    this.reading = false;
    return target >= 0;
  }
}

/** Colours of the theme in use, for the canvases. */
export function palette() {
  const names = ['bg', 'fg', 'dim', 'line', 'grid', 'accent', 'alloc', 'weight', 'activation', 'const-eval', 'input', 'rest', 'capacity', 'failure', 'panel'];
  return Object.fromEntries(names.map(n => [n, cssVar(`--${n}`)]));
}
