// SPDX-License-Identifier: Apache-2.0
// The history: per model the peaks of its runs in order, a step line with a mark for each run. What is chosen is in the address:
// #run=ID&pool=l1&branch=main&search=words&from=ID&to=ID (the last two zoom the model of the run).
import { Theme } from '../theme.js';

const data = JSON.parse(document.getElementById('data').textContent);
const SVG = 'http://www.w3.org/2000/svg';
const LEFT = 64, RIGHT = 12, TOP = 22, BOTTOM = 34, HEIGHT = 180, COMMIT_WIDTH = 58, MOST_DOTS = 400;
/** A bank of L1 is a core, also where cores are allocated one by one. */
const per = () => (state.pool === 'l1' ? 'per core' : 'per bank');
const POOLS = [['dram', 'DRAM'], ['l1', 'L1']];
const byId = name => document.getElementById(name);
const state = { run: '', pool: 'dram', branch: '', search: '', from: '', to: '' };

function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) node.setAttribute(key, value);
  node.append(...children);
  return node;
}
function svg(name, attributes, text) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

const mb = bytes => (bytes / 1048576).toLocaleString('en-US', { minimumFractionDigits: 3, maximumFractionDigits: 3 });
const day = ms => new Date(ms).toISOString().slice(0, 10);
const when = ms => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
const short = commit => commit.slice(0, 8);

// --- what is chosen ---

function read() {
  const q = new URLSearchParams(location.hash.slice(1));
  for (const key of Object.keys(state)) state[key] = q.get(key) ?? (key === 'pool' ? 'dram' : '');
  if (!POOLS.some(([key]) => key === state.pool)) state.pool = 'dram';
}
/** A choice is a step of Back; typing and moving by keys are not. */
function choose(changes, push = true) {
  Object.assign(state, changes);
  const q = new URLSearchParams(Object.entries(state).filter(([key, value]) => value && !(key === 'pool' && value === 'dram')));
  const address = q.size ? `#${q}` : location.pathname + location.search;
  if (push) history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  render();
}

// --- a model ---

/** A round step for the axis of amounts, at most four lines. */
function axisStep(span) {
  const mega = span / 1048576 / 4, ten = 10 ** Math.floor(Math.log10(mega || 1));
  return [1, 2, 5, 10].map(k => k * ten).find(k => k >= mega) * 1048576;
}

class Model {
  constructor(model) {
    this.model = model;
    this.info = el('p', { class: 'run', 'aria-live': 'polite' });
    this.figure = svg('svg', { role: 'img', tabindex: '0' });
    this.count = el('span', { class: 'dim' });
    this.whole = el('button', { type: 'button', hidden: '' }, 'show all');
    this.whole.addEventListener('click', () => choose({ from: '', to: '' }));
    this.node = el('section', { class: 'model', 'aria-label': model.name || 'no model' }, el('div', { class: 'head' }, el('h2', {}, model.name || '(no model)'), this.count, this.whole), this.figure, this.info);
    this.figure.addEventListener('keydown', e => this.#key(e));
    this.figure.addEventListener('pointerdown', e => this.#down(e));
    this.figure.addEventListener('pointermove', e => this.#move(e));
    this.figure.addEventListener('pointerup', e => this.#up(e));
    this.figure.addEventListener('pointerleave', () => { if (!this.drag) this.#hover(-1); });
    this.figure.addEventListener('dblclick', () => choose({ from: '', to: '' }));
  }
  get matches() {
    return state.search.toLowerCase().split(/\s+/).every(word => this.model.name.toLowerCase().includes(word) || this.model.points.some(p => `${p.commit} ${p.branch} ${p.labels} ${p.id}`.toLowerCase().includes(word)));
  }
  /** Runs of the branch that have the pool, inside the zoom. */
  #points() {
    const { points } = this.model, rises = new Set(this.model[`${state.pool}_rises`]);
    let list = points.map((p, i) => ({ ...p, value: p[state.pool], whole: p[`${state.pool}_of`], least: p[`${state.pool}_at_least`], rise: rises.has(i) }))
      .filter(p => p.value >= 0 && (!state.branch || p.branch === state.branch));
    this.all = list;
    const from = list.findIndex(p => p.id === state.from), to = list.findIndex(p => p.id === state.to);
    this.zoomed = from >= 0 && to > from;
    if (this.zoomed) list = list.slice(from, to + 1);
    return list;
  }
  #x(i) { return this.points.length > 1 ? LEFT + (i / (this.points.length - 1)) * (this.width - LEFT - RIGHT) : (LEFT + this.width - RIGHT) / 2; }
  #y(v) { return HEIGHT - BOTTOM - ((v - this.low) / (this.top - this.low)) * (HEIGHT - TOP - BOTTOM); }
  #nearest(e) {
    const x = e.clientX - this.figure.getBoundingClientRect().left, n = this.points.length;
    return n ? Math.max(0, Math.min(n - 1, Math.round(((x - LEFT) / (this.width - LEFT - RIGHT || 1)) * (n - 1)))) : -1;
  }
  draw() {
    this.points = this.#points();
    this.node.hidden = !this.matches || !this.all.length;
    if (this.node.hidden) return;
    const { points, figure } = this, n = points.length;
    this.width = Math.max(280, this.node.clientWidth || document.body.clientWidth - 32);
    // The axis fits what is shown, so that a rise of 2 % can be seen; where values are far apart it begins at 0.
    const highest = points.reduce((m, p) => Math.max(m, p.value), 1), lowest = points.reduce((m, p) => Math.min(m, p.value), highest);
    const near = highest - lowest < highest / 4, span = near ? Math.max(highest - lowest, highest / 25) * 1.2 : highest * 1.04;
    const step = axisStep(span);
    this.low = near ? Math.max(0, Math.floor(((highest + lowest - span) / 2) / step) * step) : 0;
    this.top = this.low + Math.max(1, Math.ceil((highest * 1.0001 - this.low) / step)) * step;
    const failed = points.filter(p => p.failures > 0).length, risen = points.filter(p => p.rise).length;
    this.count.textContent = `${n.toLocaleString('en-US')} ${n === 1 ? 'run' : 'runs'}${this.zoomed ? ` of ${this.all.length.toLocaleString('en-US')}` : ''}, ${failed} failed, ${risen} ${risen === 1 ? 'rise' : 'rises'}`;
    this.whole.hidden = !this.zoomed;
    const pool = POOLS.find(([key]) => key === state.pool)[1];
    figure.setAttribute('viewBox', `0 0 ${this.width} ${HEIGHT}`);
    figure.setAttribute('aria-label', `${this.model.name}: ${pool} peak of ${this.count.textContent}; the last is ${mb(points[n - 1].value)} MB ${per()}. Arrow keys choose a run.`);
    const parts = [];
    for (let v = this.low; v <= this.top + step / 2; v += step) {
      parts.push(svg('line', { class: 'grid', x1: LEFT, x2: this.width - RIGHT, y1: this.#y(v), y2: this.#y(v) }));
      parts.push(svg('text', { x: LEFT - 6, y: this.#y(v) + 4, 'text-anchor': 'end' }, `${(v / 1048576).toLocaleString('en-US', { maximumFractionDigits: 3 })}${v + step > this.top + step / 2 ? ' MB' : ''}`));
    }
    const whole = points[n - 1].whole;
    if (whole > this.low && whole <= this.top) parts.push(svg('line', { class: 'full', x1: LEFT, x2: this.width - RIGHT, y1: this.#y(whole), y2: this.#y(whole) }));
    else if (whole > 0) parts.push(svg('text', { x: this.width - RIGHT, y: 12, 'text-anchor': 'end' }, `capacity ${(whole / 1048576).toLocaleString('en-US', { maximumFractionDigits: 0 })} ↑`));
    let path = '';
    points.forEach((p, i) => (path += i ? `H${this.#x(i)}V${this.#y(p.value)}` : `M${this.#x(i)} ${this.#y(p.value)}`));
    points.forEach((p, i) => { if (p.rise) parts.push(svg('line', { class: 'up', x1: this.#x(i), x2: this.#x(i), y1: TOP, y2: HEIGHT - BOTTOM })); });
    parts.push(svg('path', { class: 'step', d: path }));
    points.forEach((p, i) => {
      if (p.failures > 0) parts.push(svg('path', { class: 'fail', d: `M${this.#x(i)} ${this.#y(p.value) - 6}l6 6l-6 6l-6 -6z` }));
      else if (n <= MOST_DOTS) parts.push(svg('circle', { class: 'dot', cx: this.#x(i), cy: this.#y(p.value), r: 3 }));
    });
    this.#axis(parts);
    this.cursor = svg('g', {});
    parts.push(this.cursor);
    figure.replaceChildren(...parts);
    this.#show(points.findIndex(p => p.id === state.run));
  }
  /** Commits as far as there is room, the first and the last date below them. */
  #axis(parts) {
    const n = this.points.length, end = this.width - RIGHT - (n > 1 ? COMMIT_WIDTH : 0);
    this.#tick(parts, 0);
    for (let i = 1, room = LEFT + COMMIT_WIDTH; i < n - 1; i++) {
      const x = this.#x(i);
      if (x - COMMIT_WIDTH / 2 < room || x + COMMIT_WIDTH / 2 > end) continue;
      this.#tick(parts, i);
      room = x + COMMIT_WIDTH / 2;
    }
    if (n > 1) this.#tick(parts, n - 1);
  }
  #tick(parts, i) {
    const p = this.points[i], n = this.points.length, anchor = n === 1 ? 'middle' : i === 0 ? 'start' : i === n - 1 ? 'end' : 'middle';
    parts.push(svg('text', { class: 'commit', x: this.#x(i), y: HEIGHT - BOTTOM + 14, 'text-anchor': anchor }, p.commit ? short(p.commit) : `#${p.id.slice(0, 6)}`));
    if (i === 0 || i === n - 1) parts.push(svg('text', { x: this.#x(i), y: HEIGHT - 5, 'text-anchor': anchor }, day(p.ms)));
  }
  #hover(i) { this.#show(i >= 0 ? i : this.points.findIndex(p => p.id === state.run)); }
  #show(i) {
    if (this.node.hidden) return;
    if (i < 0) {
      this.cursor.replaceChildren();
      const last = this.points[this.points.length - 1];
      this.info.replaceChildren(el('span', { class: 'dim' }, `last: ${when(last.ms)} UTC, ${mb(last.value)} MB ${per()}`));
      return;
    }
    const p = this.points[i], x = this.#x(i), y = this.#y(p.value);
    this.cursor.replaceChildren(svg('line', { class: 'at', x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM }), svg('circle', { class: 'chosen', cx: x, cy: y, r: 6 }));
    this.info.replaceChildren(...this.#words(p, this.all.indexOf(p)));
  }
  #words(p, at) {
    const before = this.all[at - 1], out = [];
    const share = p.whole > 0 ? `, ${Math.round((p.value / p.whole) * 100)} % of ${mb(p.whole)}` : '';
    out.push(el('strong', {}, `${p.least ? 'at least ' : ''}${mb(p.value)} MB ${per()}`), `${share}`);
    if (before) out.push(`, ${p.value >= before.value ? '+' : '−'}${mb(Math.abs(p.value - before.value))} from the run before`);
    if (p.failures > 0) out.push(' ', el('span', { class: 'bad' }, p.failures === 1 ? '1 failure' : `${p.failures} failures`));
    if (p.rise) out.push(' ', el('span', { class: 'bad' }, 'rose and stayed'));
    out.push(el('br'), el('span', { class: 'mono' }, [when(p.ms) + ' UTC', p.commit && short(p.commit), p.branch, p.labels].filter(Boolean).join('  ')), ' ');
    if (p.report) out.push(el('a', { href: p.report }, 'report'));
    else out.push(el('span', { class: 'dim' }, 'no report here '));
    if (before) out.push(el('a', { href: `/diff?a=run:${before.id}&b=run:${p.id}` }, 'what changed since the run before'));
    const rise = this.all.findLastIndex((q, i) => q.rise && i < at);
    if (rise > 0 && rise - 1 !== at - 1) out.push(el('a', { href: `/diff?a=run:${this.all[rise - 1].id}&b=run:${p.id}` }, 'since before the last rise'));
    return out;
  }
  #key(e) {
    const n = this.points.length, now = this.points.findIndex(p => p.id === state.run);
    const to = { ArrowLeft: now < 0 ? n - 1 : now - 1, ArrowRight: now < 0 ? n - 1 : now + 1, Home: 0, End: n - 1 }[e.key];
    if (e.key === 'Escape') choose({ run: '', from: '', to: '' });
    else if (e.key === 'Enter' && now >= 0 && this.points[now].report) location.href = this.points[now].report;
    else if (to === undefined) return;
    else if (to >= 0 && to < n) choose({ run: this.points[to].id }, false);
    e.preventDefault();
  }
  #down(e) {
    if (e.button) return;
    this.drag = { x: e.clientX, at: this.#nearest(e), wide: false };
    this.figure.setPointerCapture(e.pointerId);
  }
  #move(e) {
    const at = this.#nearest(e);
    if (this.drag && Math.abs(e.clientX - this.drag.x) > 6) this.drag.wide = true;
    this.#hover(at);
    if (!this.drag?.wide) return;
    const [a, b] = [this.#x(this.drag.at), this.#x(at)].sort((p, q) => p - q);
    this.cursor.prepend(svg('rect', { class: 'band', x: a, y: TOP, width: b - a, height: HEIGHT - TOP - BOTTOM }));
  }
  #up(e) {
    const { drag } = this, at = this.#nearest(e);
    this.drag = null;
    if (!drag || at < 0) return;
    if (drag.wide && drag.at !== at) {
      const [a, b] = [drag.at, at].sort((p, q) => p - q);
      choose({ from: this.points[a].id, to: this.points[b].id });
    } else choose({ run: this.points[at].id });
  }
}

// --- the page ---

const models = data.models.map(m => new Model(m));
byId('models').append(...models.map(m => m.node));
const branches = [...new Set(data.models.flatMap(m => m.points.map(p => p.branch)).filter(Boolean))].sort();
byId('branch').append(el('option', { value: '' }, 'all'), ...branches.map(b => el('option', { value: b }, b)));
const buttons = POOLS.map(([key, name]) => {
  const button = el('button', { type: 'button' }, name);
  button.addEventListener('click', () => choose({ pool: key }));
  byId('pools').append(button, ' ');
  return [key, button];
});

function render() {
  for (const [key, button] of buttons) button.setAttribute('aria-pressed', String(state.pool === key));
  byId('branch').value = state.branch;
  if (document.activeElement !== byId('search')) byId('search').value = state.search;
  for (const model of models) model.draw();
  const shown = models.filter(m => !m.node.hidden).length;
  byId('shown').textContent = `${shown === models.length ? shown : `${shown} of ${models.length}`} ${models.length === 1 ? 'model' : 'models'}${data.cut ? ', the newest' : ''}`;
  byId('none').hidden = shown > 0 && !data.problem;
  byId('none').textContent = data.problem ?? (models.length ? 'No run matches.' : 'The history is empty: ttmem history add RUN puts a run into it.');
}
byId('branch').addEventListener('change', e => choose({ branch: e.target.value, from: '', to: '' }));
byId('search').addEventListener('input', e => choose({ search: e.target.value.trim() }, false));
const theme = new Theme({ emit() {} });
byId('theme').addEventListener('click', () => theme.toggle());
addEventListener('popstate', () => { read(); render(); });
addEventListener('resize', render);
read();
render();
