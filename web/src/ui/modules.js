// SPDX-License-Identifier: Apache-2.0
// Memory in the model's own words: an icicle and a table by module path, operation and shape, or by source line, of a moment or a range.
import { fill, frame, h, whenSeen } from '../dom.js';
import { MIB, clip, count, mb, percent } from '../format.js';
import { momentText, tensorsOfMoment } from '../moment.js';
import { NO_MODULE, hasModules, treeOf } from '../tree.js';
import { section } from './table.js';

const ROW = 22, MOST_BOXES = 600, MOST_ROWS = 200;

export function moduleSection(ctx) {
  const { run, state } = ctx;
  const answer = h('p', { class: 'answer', id: 'modules-answer' });
  const ways = [['', 'module'], ['source', 'file and line']].map(([value, text]) => h('button', { type: 'button', role: 'radio', id: `by-${value || 'module'}`, 'aria-checked': String(value === (state.fields.get('by') ?? '')), onclick: () => state.setField('by', value, true) }, text));
  const icicle = h('div', { class: 'icicle', id: 'icicle', role: 'img', 'aria-label': 'Memory by module' });
  const crumbs = h('p', { class: 'crumbs', id: 'crumbs' });
  const rows = h('div', { id: 'module-table' });
  const box = section('modules', 'By module', answer, h('div', { class: 'bar-row' }, h('div', { class: 'switch', role: 'radiogroup', 'aria-label': 'Group by' }, ways), crumbs), icicle, rows);
  const unfolded = new Set(), expanded = new Set();
  let texts = null, serial = 0;

  const draw = frame(async () => {
    const mine = ++serial, by = state.fields.get('by') ?? '';
    texts ??= await run.texts();
    if (mine !== serial) return;
    ways.forEach((b, i) => b.setAttribute('aria-checked', String(['', 'source'][i] === by)));
    const items = tensorsOfMoment(ctx), tree = treeOf(run, texts, items, by, unfolded);
    const focus = find(tree, state.fields.get('open') ?? '') ?? tree;
    fill(answer, answerText(ctx, tree, by));
    icicle.hidden = rows.hidden = !items.length;
    if (!items.length) return fill(crumbs);
    fill(crumbs, focus === tree ? null : [h('button', { type: 'button', class: 'link', id: 'crumb-all', onclick: () => state.setField('open', '', true) }, 'all'), ` › ${clip(focus.path, 160)}`]);
    icicle.setAttribute('aria-label', `${mb(focus.sum / MIB)} MB by ${by === 'source' ? 'source line' : 'module'}; the table below has the same figures`);
    fill(icicle, boxes(ctx, focus));
    icicle.style.height = `${Math.max(1, ...[...icicle.children].map(e => Number(e.dataset.depth) + 1)) * ROW}px`;
    fill(rows, tableOf(ctx, focus, { unfolded, expanded, again: draw }));
  });
  const again = whenSeen(box, draw);
  state.on('selected pool unit scope range by open', again);
  again();
  return box;
}

/** The branch with a path; null when the moment has none. */
function find(n, path) {
  if (n.path === path) return n;
  for (const c of n.list) if (path === c.path || path.startsWith(`${c.path}.`)) return find(c, path);
  return null;
}

const title = n => (n.times ? `${count(n.times)} × ${n.path}` : n.name || 'all');

function eachText(n) {
  if (!n.times) return '';
  if (n.odd.length * 2 > n.times) return `${mb(n.least / MIB)} to ${mb(n.most / MIB)} MB each`;
  const odd = n.odd.length && !n.made && !n.freed ? `; unlike the others: ${n.odd.slice(0, 4).map(o => `${clip(o.path.split('.').slice(-2).join('.'), 60)} with ${mb(o.sum / MIB)} MB`).join(', ')}${n.odd.length > 4 ? ` and ${count(n.odd.length - 4)} more` : ''}` : '';
  return `${mb(n.each / MIB)} MB each${odd}`;
}

function answerText(ctx, tree, by) {
  const { state } = ctx, when = momentText(ctx);
  if (!tree.count) return state.range ? `No known tensor is made or freed ${when}.` : `No known tensor is alive ${when}.`;
  if (by !== 'source' && !hasModules(tree)) return [`The locations name no modules (TT-XLA writes them with XLA_HLO_DEBUG=1): by op and shape, ${when}.`];
  const without = by === 'source' ? null : tree.list.find(c => c.name === NO_MODULE);
  const top = tree.list.find(c => c !== without) ?? tree.list[0];
  const what = state.range ? [h('b', null, `${mb(tree.made / MIB)} made, ${mb(tree.freed / MIB)} freed`), ` ${state.unitText()} ${when}; most in `] : [h('b', null, `${percent(top.sum, tree.sum)} of ${mb(tree.sum / MIB)} ${state.unitText()}`), ` in known tensors ${when} is in `];
  return [...what, h('span', { class: 'mono' }, clip(top.path, 100)), '.', repeated(tree), without && !state.range ? ` ${percent(without.sum, tree.sum)} belongs to ops and arguments whose locations name no module (TT-XLA writes them with XLA_HLO_DEBUG=1).` : ''];
}

/** The largest layer that repeats: how much each takes, and the odd one. */
function repeated(tree) {
  let best = null;
  const walk = n => { if (n.times && (!best || n.sum > best.sum)) best = n; n.list.forEach(walk); };
  walk(tree);
  return best ? [' ', h('span', { class: 'mono' }, clip(title(best), 80)), `, ${eachText(best)}.`] : null;
}

/** Boxes of the icicle: width by size, depth downwards; what is too narrow to see is left to the table. */
function boxes(ctx, focus) {
  const { state } = ctx, out = [];
  const place = (n, left, width, depth) => {
    if (out.length >= MOST_BOXES || width < 0.15) return;
    const text = [n.times ? `${count(n.times)} × ${n.name}` : n.name || 'all', ' ', mb(n.sum / MIB)].join('');
    const e = h('button', { type: 'button', class: `ice d${depth % 4}`, tabindex: '-1', 'data-depth': String(depth), 'data-path': n.path, title: clip(`${title(n)}\n${mb(n.sum / MIB)} ${state.unitText()} in ${count(n.count)} tensors${n.times ? `, ${eachText(n)}` : ''}`, 600), onclick: () => state.setField('open', n.path, true) }, width > 3 ? clip(text, 80) : '');
    e.style.left = `${left}%`;
    e.style.width = `${width}%`;
    e.style.top = `${depth * ROW}px`;
    out.push(e);
    let at = left;
    for (const c of n.list) {
      const w = n.sum > 0 ? (width * c.sum) / n.sum : 0;
      place(c, at, w, depth + 1);
      at += w;
    }
  };
  place(focus, 0, 100, 0);
  return out;
}

function tableOf(ctx, focus, { unfolded, expanded, again }) {
  const { state } = ctx, range = Boolean(state.range), out = [];
  const toggle = (set, key) => { if (set.has(key)) set.delete(key); else set.add(key); again(); };
  const add = (n, depth) => {
    if (out.length >= MOST_ROWS) return;
    // An only branch is open: there is nothing to choose.
    const open = depth === 0 || expanded.has(n.path) !== (n.list.length === 1 || (depth === 1 && focus.list.length === 1));
    const fold = n.folds && depth > 0 && (open || unfolded.has(n.folds)) && h('button', { type: 'button', class: 'link', onclick: () => toggle(unfolded, n.folds) }, unfolded.has(n.folds) ? 'fold' : 'unfold');
    const name = h('td', { class: 'mono' }, n.list.length ? h('button', { type: 'button', class: 'link twist', 'aria-expanded': String(open), 'data-path': n.path, onclick: () => toggle(expanded, n.path) }, open ? '▾' : '▸') : h('span', { class: 'twist' }), clip(n.times ? `${count(n.times)} × ${n.name}` : n.name, 120), n.times ? h('span', { class: 'dim' }, ` ${clip(eachText(n), 160)}`) : null, fold ? [' ', fold] : null);
    name.style.paddingLeft = `${depth * 14}px`;
    const size = v => h('td', { class: 'num' }, mb(v / MIB));
    if (depth > 0) out.push(h('tr', null, name, range ? [size(n.made), size(n.freed), h('td', { class: `num ${n.made > n.freed ? 'up' : ''}` }, mb((n.made - n.freed) / MIB))] : [size(n.sum), h('td', { class: 'num' }, percent(n.sum, focus.sum))], h('td', { class: 'num minor' }, count(n.count)), h('td', { class: 'num minor' }, mb(n.largest / MIB))));
    if (open) n.list.forEach(c => add(c, depth + 1));
  };
  add(focus, 0);
  const heads = ['where', ...(range ? ['made', 'freed', 'net'] : [state.unitText(), 'share']), 'tensors', 'largest'];
  return [h('table', { class: 'list' }, h('thead', null, h('tr', null, heads.map((t, i) => h('th', { scope: 'col', class: i ? (i >= heads.length - 2 ? 'num minor' : 'num') : null }, t)))), h('tbody', null, out)), out.length >= MOST_ROWS && h('p', { class: 'dim' }, `the first ${MOST_ROWS} rows`)];
}
