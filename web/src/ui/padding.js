// SPDX-License-Identifier: Apache-2.0
// Tile padding overhead: logical against padded over the run, the ten worst results, and the layout that would avoid it.
import { paddingChart } from '../charts/lines.js';
import { fill, h } from '../dom.js';
import { MIB, clip, count, mb, percent } from '../format.js';
import { opLink, section, table } from './table.js';

/** Padding in the live set where a pool is fullest, and what it stands on top of: bytes of whole tensors and per bank without it; null when
 * nothing there has a known size. */
export function paddingAtPeak(ctx, k) {
  const { view } = ctx;
  const at = view.fullest(k);
  if (at < 0 || !ctx.run.shapesKnown) return null;
  const s = view.padding(k);
  return s.logical[at] > 0 ? { lost: s.lost[at], of: s.logical[at], bankLost: s.bankLost[at], bankOf: s.bankLogical[at] } : null;
}

/** The results with the most padding, by padded - logical bytes: the layers' results of one type, and those of all passes, are one row. */
function worst(ctx, n) {
  const { run, view, state } = ctx;
  const { tpl } = run;
  const seen = new Map();
  const list = [];
  for (let pos = 0; pos < view.n; pos++) {
    const s = view.stepAt(pos), t = run.templateOf(s);
    if (t < 0 || !run.isRecord(s)) continue;
    if (seen.has(t)) { seen.get(t).times++; continue; }
    const entry = { s, times: 1, type: -1, lost: 0 };
    seen.set(t, entry);
    for (let i = tpl.tpl_out[t]; i < tpl.tpl_out[t + 1]; i++) {
      const y = tpl.out_type[i];
      if (!(y < tpl.type_pool.length) || tpl.type_pool[y] !== state.pool) continue;
      const d = run.paddingOf(y);
      if (d > entry.lost) Object.assign(entry, { lost: d, type: y });
    }
    if (entry.lost > 0) list.push(entry);
  }
  const folded = new Map();
  for (const entry of list) {
    const key = `${tpl.tpl_name[run.templateOf(entry.s)]} ${entry.type}`, row = folded.get(key);
    if (row) row.times += entry.times; else folded.set(key, entry);
  }
  return [...folded.values()].sort((a, b) => b.lost - a.lost || a.s - b.s).slice(0, n);
}

/** Bytes of a tensor type that are padding, in the unit in use: of the whole tensor, or of the share in one bank. */
export function paddingBytes(state, type) {
  const { lost } = type;
  return state.unitOf(type.pool) === 'total' || !(type.bank > 0) || !lost ? lost : (type.bank * lost) / type.physical;
}

export function paddingSection(ctx) {
  const { run, state } = ctx;
  const answer = h('p', { class: 'answer', id: 'padding-answer' });
  const plot = h('div', { class: 'plot', id: 'plot-padding' });
  const lists = h('div');
  const graph = h('div', null, h('div', { class: 'graph-head' }, h('h3', null, 'Live tensors over the run'), h('span', { class: 'legend' }, h('i', { class: 'key padded' }), 'padded', h('i', { class: 'key logical' }), 'logical')), plot);
  const box = section('padding', 'Tile Padding Overhead', answer, graph, lists);
  const draw = () => {
    const k = state.pool;
    const p = paddingAtPeak(ctx, k);
    const total = state.unitOf(k) === 'total', unit = state.unitText(k);
    const size = v => mb(v / MIB);
    const saved = y => paddingBytes(state, y) * ((y.physical - y.better) / y.lost);
    const rows = worst(ctx, 10);
    const where = ctx.view.pool(k).seen ? `at the ${run.pools[k]} peak` : `when the known ${run.pools[k]} tensors are largest`;
    ctx.hide(!(ctx.view.padding(k).max > 0), graph);
    fill(answer, p ? [h('b', null, `${percent(p.lost, p.of)} padding on top of what is alive ${where}`), ` (${size(total ? p.lost : p.bankLost)} on ${size(total ? p.of : p.bankOf)} ${unit}).`,
      rows[0] ? [' Largest over the run: ', opLink(run, state, rows[0].s), ' ', h('span', { class: 'mono' }, `${clip(run.type(rows[0].type).shape, 50)} → ${clip(run.type(rows[0].type).padded, 50) || 'page alignment'}`), '.'] : '']
      : run.shapesKnown ? `No tensor with a known size is alive ${where}.` : 'Not known: shapes of tensors are not in the input.');
    const y = r => run.type(r.type);
    fill(lists, h('h3', null, `Top 10 kinds of results by padding, ${unit}`), table({
      id: 'top-padding', rows, pick: r => state.select(r.s, 'table'), empty: `No result in ${run.pools[k]} is padded.`,
      columns: [{ head: 'op', cell: r => opLink(run, state, r.s) }, { head: 'name', cls: 'mono op-name', cell: r => clip(run.name(r.s), 40) }, { head: 'times', cls: 'minor', num: true, cell: r => count(r.times) },
        { head: 'logical', cls: 'mono', cell: r => `${clip(y(r).shape, 40)} ${y(r).dtype}` }, { head: 'padded', cls: 'mono minor', cell: r => clip(y(r).padded, 40) || '–' },
        { head: 'padding', num: true, cell: r => size(paddingBytes(state, y(r))) }, { head: 'overhead', cls: 'minor', num: true, cell: r => `${Math.round((100 * r.lost) / Math.max(1, y(r).logical))} %` },
        { head: 'would avoid it', cls: 'advice', cell: r => (y(r).advice ? `${clip(y(r).advice, 400)} (−${size(saved(y(r)))})` : '–') }],
    }));
  };
  state.on('pool unit scope', draw);
  draw();
  return { box, chart: () => ctx.addChart(paddingChart, plot) };
}
