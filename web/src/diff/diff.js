// SPDX-License-Identifier: Apache-2.0
// Both runs of `ttmem diff` over each other: one place on the axis per pair of aligned ops, or per op that only one run has.
import { niceStep } from '../format.js';
import { mountHelp } from '../ui/help.js';
import { copyLink, helpButton, wayBack } from '../ui/shell.js';

const data = JSON.parse(document.getElementById('data').textContent);
const box = document.getElementById('chart'), canvas = box.querySelector('canvas'), panel = document.getElementById('ops');
const n = data.a.at.length;
const state = { pool: 0, from: 0, to: n, selected: -1, drag: null };

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const mb = milli => (milli / 1000).toFixed(3);

/** Value of a side at a place; an op that the side lacks shows the state before it. */
function curve(side) {
  const values = side.reached[state.pool], out = new Float64Array(n);
  let last = 0;
  for (let i = 0; i < n; i++) {
    const op = side.at[i];
    if (op >= 0 && values && values[op] >= 0) last = values[op];
    out[i] = last;
  }
  return out;
}
let curves = [];

function place(i, width) { return ((i - state.from) / (state.to - state.from)) * width; }

function level(v, height, top) { return height - 18 - (v / top) * (height - 30); }

/** Lines at round numbers of MB; the top one is named where it is. */
function drawGrid(ctx, width, height, top) {
  const step = niceStep(top / 1000, 5) * 1000;
  ctx.lineWidth = 1;
  for (let v = step; v < top * 0.97; v += step) {
    const at = Math.round(level(v, height, top)) + 0.5;
    ctx.strokeStyle = css('--grid');
    ctx.beginPath();
    ctx.moveTo(0, at);
    ctx.lineTo(width, at);
    ctx.stroke();
    ctx.fillStyle = css('--dim');
    if (at > 26) ctx.fillText(`${+(v / 1000).toFixed(3)}`, 4, at - 3);
  }
}

function drawCurve(ctx, values, width, height, top, color, lineWidth) {
  ctx.strokeStyle = color;
  ctx.lineWidth = lineWidth;
  ctx.beginPath();
  const y = v => level(v, height, top);
  const step = Math.max(1, Math.floor((state.to - state.from) / width));
  for (let i = state.from; i < state.to; i += step) {
    let low = Infinity, high = -Infinity;
    for (let k = i; k < Math.min(i + step, state.to); k++) {
      low = Math.min(low, values[k]);
      high = Math.max(high, values[k]);
    }
    const x = place(i, width);
    if (i === state.from) ctx.moveTo(x, y(values[i]));
    if (step > 1) { ctx.lineTo(x, y(high)); ctx.lineTo(x, y(low)); }
    ctx.lineTo(x, y(values[Math.min(i + step, state.to) - 1]));
    ctx.lineTo(place(Math.min(i + step, state.to), width), y(values[Math.min(i + step, state.to) - 1]));
  }
  ctx.stroke();
}

/** Stripes where only one run has an op. */
function drawAlone(ctx, width, height) {
  for (const [side, other, color] of [[data.a, data.b, css('--rest')], [data.b, data.a, css('--alloc')]]) {
    ctx.fillStyle = color;
    ctx.globalAlpha = 0.18;
    for (let i = state.from; i < state.to; i++)
      if (side.at[i] >= 0 && other.at[i] < 0) ctx.fillRect(place(i, width), 0, Math.max(1, width / (state.to - state.from)), height - 18);
    ctx.globalAlpha = 1;
  }
}

function draw() {
  const ratio = devicePixelRatio || 1, width = box.clientWidth, height = box.clientHeight;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const ctx = canvas.getContext('2d');
  ctx.scale(ratio, ratio);
  ctx.font = `11px ${css('--mono')}`;
  ctx.fillStyle = css('--dim');
  if (!n) { ctx.fillText('The ops of both runs are not known: nothing to draw.', 12, 24); return; }
  let top = 1;
  for (const values of curves) for (let i = state.from; i < state.to; i++) top = Math.max(top, values[i]);
  drawAlone(ctx, width, height);
  drawGrid(ctx, width, height, top);
  drawCurve(ctx, curves[0], width, height, top, css('--rest'), 2.5);
  drawCurve(ctx, curves[1], width, height, top, css('--alloc'), 1.25);
  ctx.fillStyle = css('--dim');
  ctx.fillText(`${mb(top)} MB`, 4, 11);
  ctx.fillText(`pair ${state.from}`, 4, height - 5);
  ctx.textAlign = 'right';
  ctx.fillText(`pair ${state.to - 1} of ops`, width - 4, height - 5);
  ctx.textAlign = 'left';
  if (state.selected >= state.from && state.selected < state.to) {
    ctx.strokeStyle = css('--accent');
    ctx.lineWidth = 1;
    ctx.strokeRect(place(state.selected, width), 0.5, Math.max(1, width / (state.to - state.from)), height - 18);
  }
  if (state.drag) {
    ctx.fillStyle = css('--accent');
    ctx.globalAlpha = 0.15;
    ctx.fillRect(state.drag.x, 0, state.drag.now - state.drag.x, height - 18);
    ctx.globalAlpha = 1;
  }
}

function line(parent, text, className) {
  const p = document.createElement('p');
  p.className = `mono ${className || ''}`;
  p.textContent = text;
  parent.append(p);
  return p;
}

function card(side, other, i) {
  const div = document.createElement('div'), op = side.at[i];
  if (op < 0) {
    div.className = 'none';
    line(div, `${side.name}: has no such op`);
    return div;
  }
  const kind = side.kinds[side.kind[op]], twin = other.at[i] >= 0 ? other.kinds[other.kind[other.at[i]]] : null;
  const title = document.createElement('p'), strong = document.createElement('b');
  strong.textContent = `#${side.index[op]} ${kind[0]}`;
  title.append(strong, `  ${side.name}`);
  div.append(title);
  line(div, kind[1] || 'no location', twin && twin[3] !== kind[3] ? 'changed' : '').title = kind[3] ?? '';
  line(div, kind[2] || 'no result', twin && twin[2] !== kind[2] ? 'changed' : '');
  for (const [pool, name] of data.pools.entries())
    if (side.reached[pool] && side.reached[pool][op] >= 0) line(div, `${name} ${mb(side.reached[pool][op])} MB ${name === 'L1' ? 'per core' : 'per bank'}`);
  line(div, side.held[op] < 0 ? 'its result is not freed' : `its result is freed ${side.held[op]} ops later`);
  if (side.line[op]) line(div, `line ${side.line[op]}`, 'dim');
  return div;
}

function select(i) {
  if (!n) return;
  state.selected = Math.max(0, Math.min(n - 1, i));
  if (state.selected < state.from || state.selected >= state.to) {
    const half = Math.floor((state.to - state.from) / 2);
    state.from = Math.max(0, Math.min(n - 2 * half, state.selected - half));
    state.to = Math.min(n, state.from + Math.max(1, 2 * half));
  }
  panel.replaceChildren(card(data.a, data.b, state.selected), card(data.b, data.a, state.selected));
  draw();
  keep(true);
}

/** What is chosen is in the address: place, zoom, pool. A choice of an op is an entry of the browser's history. */
let reading = false;
function keep(push) {
  if (reading) return;
  const parts = [state.selected >= 0 && `at=${state.selected}`, (state.from || state.to !== n) && `zoom=${state.from},${state.to}`, state.pool && `pool=${data.pools[state.pool]}`].filter(Boolean);
  const hash = parts.length ? `#${parts.join('&')}` : location.pathname + location.search;
  if (hash !== location.hash) history[push ? 'pushState' : 'replaceState'](null, '', hash);
}
function follow() {
  const q = new URLSearchParams(location.hash.slice(1)), [from, to] = (q.get('zoom') ?? '').split(',').map(Number);
  reading = true;
  [state.from, state.to] = from >= 0 && from < to && to <= n ? [Math.floor(from), Math.ceil(to)] : [0, n];
  show(Math.max(0, data.pools.indexOf(q.get('pool'))));
  const place = /^\d{1,9}$/.test(q.get('at') ?? '') ? Number(q.get('at')) : data.start;
  if (place >= 0) select(place);
  reading = false;
}
for (const event of ['hashchange', 'popstate']) addEventListener(event, follow);

const at = x => Math.floor(state.from + (x / box.clientWidth) * (state.to - state.from));
box.addEventListener('pointerdown', e => { state.drag = { x: e.offsetX, now: e.offsetX }; box.setPointerCapture(e.pointerId); });
box.addEventListener('pointermove', e => { if (state.drag) { state.drag.now = e.offsetX; draw(); } });
box.addEventListener('pointerup', e => {
  const drag = state.drag;
  state.drag = null;
  if (!drag) return;
  if (Math.abs(e.offsetX - drag.x) < 4) { select(at(e.offsetX)); return; }
  const from = Math.max(0, at(Math.min(drag.x, e.offsetX))), to = Math.min(n, at(Math.max(drag.x, e.offsetX)) + 1);
  if (to > from) { state.from = from; state.to = to; }
  draw();
  keep(false);
});
function whole() { state.from = 0; state.to = n; draw(); keep(false); }
box.addEventListener('dblclick', whole);
document.getElementById('whole').addEventListener('click', whole);
const help = mountHelp([['← →', 'the pair of ops before and after'], ['c', 'copy a link to what is shown'], ['Esc', 'show everything'], ['drag', 'zoom; double click shows everything'], ['click', 'both ops of a place; a row of a table leads to its op']]);
document.addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey || (document.getElementById('help').open && e.key !== '?')) return;
  if (e.key === '?') help.toggle();
  else if (e.key === 'c') document.getElementById('copy-link').click();
  else if (e.key === 'ArrowRight') select(state.selected + 1);
  else if (e.key === 'ArrowLeft') select(state.selected - 1);
  else if (e.key === 'Escape') whole();
});
document.getElementById('theme').addEventListener('click', () => {
  document.documentElement.dataset.theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  draw();
});
if (matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.dataset.theme = 'dark';

function show(pool) {
  state.pool = pool;
  curves = [curve(data.a), curve(data.b)];
  for (const button of document.querySelectorAll('#pools button')) button.setAttribute('aria-pressed', String(+button.dataset.pool === pool));
  draw();
  keep(false);
}
data.pools.forEach((name, pool) => {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'icon';
  button.dataset.pool = pool;
  button.textContent = name;
  button.addEventListener('click', () => show(pool));
  document.getElementById('pools').append(button);
});
/** A report of the list leads to its page; a run of the history has none. */
function named(key) {
  const box = document.getElementById(`name-${key}`), id = wayBack() ? new URLSearchParams(location.search).get(key) : null;
  if (!id || id.startsWith('run:')) return box.append(data[key].name);
  const link = document.createElement('a');
  link.href = `/${encodeURIComponent(id)}/`;
  link.textContent = data[key].name;
  box.append(link);
}
named('a');
named('b');
const bar = document.getElementById('top'), back = wayBack();
if (back) bar.prepend(back);
bar.insertBefore(copyLink(), document.getElementById('theme'));
bar.insertBefore(helpButton(), document.getElementById('theme'));
document.getElementById('help-open').addEventListener('click', () => help.toggle());
for (const row of document.querySelectorAll('[data-place]')) row.addEventListener('click', () => select(+row.dataset.place));
/** Rows that are alike are one: its button shows each. */
for (const button of document.querySelectorAll('button.fold')) {
  button.closest('tr').addEventListener('click', () => {
    const open = button.getAttribute('aria-expanded') !== 'true';
    button.setAttribute('aria-expanded', String(open));
    for (const row of button.closest('tbody').rows) row.hidden = !open && row !== button.closest('tr');
  });
}
new ResizeObserver(draw).observe(box);
follow();
document.documentElement.dataset.ready = 'yes';
