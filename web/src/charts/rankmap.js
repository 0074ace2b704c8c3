// SPDX-License-Identifier: Apache-2.0
// All ranks at a glance: a row per rank, its ops from left to right, each cell the share of the bank that is full at most. A
// click opens the rank's graphs; a click with shift puts a second rank beside it.
import { fill, h } from '../dom.js';
import { clip, count, mb, percent } from '../format.js';
import { GUTTER } from './chart.js';

const COLUMNS = 400, TALLEST = 300, ROW = 14, FULL = 0.9;

/** Highest level of every rank in each of the columns, thousandths per bank; -1 before the first memory block. */
export function rankCells(run, pool) {
  const ranks = run.ranks.length;
  // Millions of steps before the first picture: no calls, no look-ups inside the loops.
  const steps = new Uint32Array(ranks), seen = new Uint32Array(ranks), { stepRank, blockOf, count: n } = run, levels = run.alloc[pool];
  if (stepRank) for (let s = 0; s < n; s++) steps[stepRank[s]]++;
  else steps[0] = n;
  const cells = new Int32Array(ranks * COLUMNS).fill(-1), capacity = new Float64Array(ranks), peak = new Int32Array(ranks).fill(-1);
  for (let s = 0; levels && s < n; s++) {
    const rank = stepRank ? stepRank[s] : 0, block = blockOf[s], place = seen[rank]++;
    const level = block < 0 ? -1 : levels[block];
    if (level < 0) continue;
    const at = rank * COLUMNS + Math.floor((place * COLUMNS) / steps[rank]);
    if (level > cells[at]) cells[at] = level;
    if (level > peak[rank]) peak[rank] = level;
    if (!capacity[rank]) capacity[rank] = run.total(pool, block);
  }
  for (let rank = 0; rank < ranks; rank++) {
    for (let c = 1; c < COLUMNS; c++) {
      const at = rank * COLUMNS + c;
      if (cells[at] < 0) cells[at] = cells[at - 1];
    }
  }
  return { cells, capacity, peak };
}

export class RankMap {
  constructor(ctx, host) {
    this.ctx = ctx;
    const { run, state } = ctx;
    this.order = run.ranks.map((_, i) => i).sort((a, b) => String(run.ranks[a]).localeCompare(String(run.ranks[b]), 'en', { numeric: true }));
    this.canvas = h('canvas', { class: 'rankmap', id: 'rankmap', tabindex: '0', role: 'slider', 'aria-label': 'Ranks; arrow keys choose one' });
    this.pair = h('canvas', { class: 'rankpair', id: 'rankpair', hidden: true, role: 'img' });
    this.readout = h('span', { class: 'readout' });
    this.scale = h('span');
    this.box = h('div', { class: 'graph', id: 'graph-ranks' }, h('div', { class: 'graph-head' }, h('h3', null, `${count(run.ranks.length)} ranks over time`),
      h('span', { class: 'legend' }, h('i', { class: 'key alloc' }), this.scale), this.readout), this.canvas, this.pair);
    host.append(this.box);
    this.canvas.style.height = `${Math.max(24, Math.min(TALLEST, run.ranks.length * ROW))}px`;
    this.canvas.addEventListener('mousemove', e => this.#hover(e));
    this.canvas.addEventListener('mouseleave', () => this.#say());
    this.canvas.addEventListener('click', e => this.#click(e));
    this.canvas.addEventListener('keydown', e => this.#key(e));
    state.on('scope pool beside', () => this.draw());
  }
  /** The second rank, -1 where there is none; it is in the address. */
  get other() {
    const { run, state } = this.ctx, name = state.fields.get('beside');
    return name === undefined ? -1 : run.ranks.findIndex(r => String(r) === name);
  }
  #beside(rank) {
    this.ctx.state.setField('beside', rank < 0 ? '' : String(this.ctx.run.ranks[rank]), true);
  }
  #data() {
    const { run, state } = this.ctx;
    if (this.pool !== state.pool || !this.data) {
      this.data = rankCells(run, state.pool);
      this.pool = state.pool;
    }
    return this.data;
  }
  #at(e) {
    const box = this.canvas.getBoundingClientRect();
    const row = Math.floor(((e.clientY - box.top) / box.height) * this.order.length);
    const x = (e.clientX - box.left - GUTTER) / (box.width - GUTTER - 12);
    return { rank: this.order[Math.max(0, Math.min(this.order.length - 1, row))], column: Math.max(0, Math.min(COLUMNS - 1, Math.floor(x * COLUMNS))) };
  }
  #click(e) {
    const { state } = this.ctx;
    const { rank } = this.#at(e);
    if (e.shiftKey) {
      this.#beside(rank === state.rank || rank === this.other ? -1 : rank);
    } else {
      state.setScope(rank);
    }
  }
  #key(e) {
    const { state } = this.ctx;
    const d = { ArrowUp: -1, ArrowDown: 1 }[e.key];
    if (!d) return;
    e.preventDefault();
    const at = this.order.indexOf(state.rank) + d;
    if (at < 0 || at >= this.order.length) return;
    if (e.shiftKey) {
      this.#beside(this.order[at]);
    } else {
      state.setScope(this.order[at]);
    }
  }
  #hover(e) {
    const { rank, column } = this.#at(e);
    const { cells, capacity } = this.#data();
    const level = cells[rank * COLUMNS + column];
    if (level < 0) this.#say();
    else fill(this.readout, 'rank ', h('b', null, clip(String(this.ctx.run.ranks[rank]), 40)), ` ${mb(level / 1000)} MB ${this.ctx.run.per(this.ctx.state.pool)}`, capacity[rank] ? `, ${percent(level, capacity[rank])}` : '');
  }
  #say() {
    const { run, state } = this.ctx;
    const { peak } = this.#data();
    const name = r => clip(String(run.ranks[r]), 40);
    const figure = r => (peak[r] < 0 ? 'not measured' : `${mb(peak[r] / 1000)} MB ${run.per(state.pool)}`);
    fill(this.readout, 'rank ', h('b', null, name(state.rank)), ` peak ${figure(state.rank)}`,
      this.other >= 0 ? [', rank ', h('b', null, name(this.other)), ` ${figure(this.other)}`] : ', shift-click one to see it beside');
    this.canvas.setAttribute('aria-valuetext', `rank ${name(state.rank)}`);
    this.canvas.setAttribute('aria-valuenow', String(this.order.indexOf(state.rank)));
    this.canvas.setAttribute('aria-valuemax', String(this.order.length - 1));
    this.canvas.setAttribute('aria-valuemin', '0');
  }
  #sized(c) {
    const r = devicePixelRatio;
    const w = Math.max(10, Math.round(c.clientWidth * r)), hgt = Math.round(c.clientHeight * r);
    if (c.width !== w || c.height !== hgt) {
      c.width = w;
      c.height = hgt;
    }
    const g = c.getContext('2d');
    g.clearRect(0, 0, w, hgt);
    const left = Math.round(GUTTER * r);
    return { g, w, h: hgt, left, wide: w - left - Math.round(12 * r), r };
  }
  /** The cells as a picture of one pixel each; stretched when drawn. */
  #picture(colors) {
    const { cells, capacity, peak } = this.#data();
    const key = `${this.pool} ${colors.alloc} ${colors.failure}`;
    if (this.painted === key) return this.image;
    const rows = this.order.length, image = new ImageData(COLUMNS, rows);
    const usual = rgb(colors.alloc), full = rgb(colors.failure);
    let top = 1;
    for (const v of peak) top = Math.max(top, v);
    // Where no rank uses half of its bank, the fullest is the darkest.
    const shares = this.order.map(rank => (capacity[rank] ? peak[rank] / capacity[rank] : 1)), most = Math.max(...shares);
    const darkest = most > 0 && most < 0.5 ? most : 1;
    const share = `share of the ${this.ctx.run.per(this.ctx.state.pool).replace('per ', '')} in use`;
    this.scale.textContent = darkest < 1 ? `${share}, up to ${percent(darkest, 1)}` : share;
    this.order.forEach((rank, row) => {
      // where the capacity is not known, the highest peak stands for it
      const whole = capacity[rank] || top;
      for (let c = 0; c < COLUMNS; c++) {
        const level = cells[rank * COLUMNS + c];
        if (level < 0) continue;
        const share = Math.min(1, level / whole);
        image.data.set([...(share > FULL ? full : usual), Math.round(255 * (0.06 + 0.94 * Math.min(1, share / darkest)))], (row * COLUMNS + c) * 4);
      }
    });
    this.image = h('canvas', { width: COLUMNS, height: rows });
    this.image.getContext('2d').putImageData(image, 0, 0);
    this.painted = key;
    return this.image;
  }
  draw() {
    const { state } = this.ctx;
    this.#say();
    if (this.canvas.clientWidth < GUTTER + 40) return;
    const { cells, peak } = this.#data();
    const colors = this.ctx.colors();
    const p = this.#sized(this.canvas), rows = this.order.length;
    p.g.imageSmoothingEnabled = false;
    p.g.drawImage(this.#picture(colors), p.left, 0, p.wide, p.h);
    for (const rank of [this.other, state.rank]) {
      const row = this.order.indexOf(rank);
      if (row < 0) continue;
      const y = Math.round((row * p.h) / rows), tall = Math.round(((row + 1) * p.h) / rows) - y;
      p.g.strokeStyle = rank === state.rank ? colors.accent : colors.fg;
      p.g.lineWidth = Math.max(1, p.r);
      p.g.strokeRect(p.left - 0.5, y + 0.5, p.wide + 1, Math.max(2, tall - 1));
    }
    this.#names(p, colors);
    this.#pairUp(cells, peak, colors);
  }
  /** Names where rows are tall enough, else of every nth. */
  #names(p, colors) {
    const { run } = this.ctx;
    const rows = this.order.length, every = Math.max(1, Math.ceil((12 * p.r * rows) / p.h));
    p.g.fillStyle = colors.dim;
    p.g.font = `${Math.round(10 * p.r)}px sans-serif`;
    p.g.textAlign = 'right';
    p.g.textBaseline = 'middle';
    for (let row = 0; row < rows; row += every) {
      const y = Math.min(p.h - 5 * p.r, Math.max(5 * p.r, ((row + 0.5) * p.h) / rows)); // the first and the last stay whole
      p.g.fillText(clip(String(run.ranks[this.order[row]]), 9), p.left - 6 * p.r, y, p.left - 8 * p.r);
    }
  }
  /** Two ranks, one above the other, on one scale. */
  #pairUp(cells, peak, colors) {
    const { run, state } = this.ctx;
    this.pair.hidden = this.other < 0 || this.other === state.rank;
    if (this.pair.hidden) return;
    const p = this.#sized(this.pair);
    const both = [state.rank, this.other], top = Math.max(1, ...both.map(r => peak[r]));
    both.forEach((rank, i) => {
      const floor = Math.round(((i + 1) * p.h) / 2) - 1, room = p.h / 2 - 6 * p.r;
      p.g.fillStyle = i ? colors.activation : colors.alloc;
      p.g.globalAlpha = 0.6;
      for (let c = 0; c < COLUMNS; c++) {
        const level = Math.max(0, cells[rank * COLUMNS + c]);
        const x = p.left + Math.floor((c * p.wide) / COLUMNS), end = p.left + Math.floor(((c + 1) * p.wide) / COLUMNS);
        const tall = Math.round((room * level) / top);
        p.g.fillRect(x, floor - tall, Math.max(1, end - x), tall);
      }
      p.g.globalAlpha = 1;
      p.g.fillStyle = colors.dim;
      p.g.font = `${Math.round(10 * p.r)}px sans-serif`;
      p.g.textAlign = 'right';
      p.g.textBaseline = 'middle';
      p.g.fillText(clip(String(run.ranks[rank]), 9), p.left - 6 * p.r, floor - room / 2, p.left - 8 * p.r);
    });
    this.pair.setAttribute('aria-label', `Ranks ${both.map(r => clip(String(run.ranks[r]), 40)).join(' and ')} one above the other`);
  }
}

/** Red, green and blue of a colour as style sheets write it. */
function rgb(color) {
  const g = h('canvas', { width: 1, height: 1 }).getContext('2d');
  g.fillStyle = color;
  g.fillRect(0, 0, 1, 1);
  return [...g.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}
