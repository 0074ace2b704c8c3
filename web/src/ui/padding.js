// Tile padding overhead: logical against padded over the run, the ten worst results, and the layout that would avoid it.
import { paddingChart } from '../charts/lines.js';
import { fill, h } from '../dom.js';
import { MIB, clip, count, mb, percent } from '../format.js';
import { opLink, section, table } from './table.js';

/** Padding share of the live set at the peak of a pool, or null when nothing alive has a known size. */
export function paddingAtPeak(ctx, k) {
  const { view } = ctx;
  const at = view.pool(k).maxAt;
  if (at < 0) return null;
  const s = view.padding(k);
  return s.physical[at] > 0 ? { lost: s.physical[at] - s.logical[at], of: s.physical[at] } : null;
}

/** The results with the most padding: first execution of each distinct (op, type), by padded - logical bytes. */
function worst(ctx, n) {
  const { run, view, state } = ctx;
  const { tpl } = run;
  const seen = new Map();
  const list = [];
  for (let r = 0; r < run.records.length; r++) {
    const s = run.records[r], t = run.templateOf(s);
    if (t < 0 || run.rankOf(s) !== view.rank) continue;
    if (seen.has(t)) { seen.get(t).times++; continue; }
    const entry = { s, times: 1, type: -1, lost: 0 };
    seen.set(t, entry);
    for (let i = tpl.tpl_out[t]; i < tpl.tpl_out[t + 1]; i++) {
      const y = tpl.out_type[i];
      if (!(y < tpl.type_pool.length) || tpl.type_pool[y] !== state.pool) continue;
      const d = tpl.type_physical[y] - tpl.type_logical[y];
      if (d > entry.lost) Object.assign(entry, { lost: d, type: y });
    }
    if (entry.lost > 0) list.push(entry);
  }
  return list.sort((a, b) => b.lost - a.lost || a.s - b.s).slice(0, n);
}

export function paddingSection(ctx) {
  const { run, state } = ctx;
  const answer = h('p', { class: 'answer', id: 'padding-answer' });
  const plot = h('div', { class: 'plot', id: 'plot-padding' });
  const lists = h('div');
  const box = section('padding', 'Tile Padding Overhead', answer,
    h('div', { class: 'graph-head' }, h('h3', null, 'Live tensors over the run'), h('span', { class: 'legend' }, h('i', { class: 'key padded' }), 'padded', h('i', { class: 'key logical' }), 'logical')), plot, lists);
  const draw = () => {
    const k = state.pool;
    const p = paddingAtPeak(ctx, k);
    const total = state.unit === 'total';
    const banks = run.banks(k);
    const size = v => mb(v / MIB / (total ? 1 : banks));
    const rows = worst(ctx, 10);
    fill(answer, p ? [h('b', null, `${percent(p.lost, p.of)} of what is alive at the ${run.pools[k]} peak is padding`), ` (${size(p.lost)} of ${size(p.of)} ${state.unitText}).`,
      rows[0] ? [' Largest: ', opLink(run, state, rows[0].s), ' ', h('span', { class: 'mono' }, `${clip(run.type(rows[0].type).shape, 50)} → ${clip(run.type(rows[0].type).padded, 50) || 'page alignment'}`), '.'] : '']
      : `No tensor with a known size is alive at the ${run.pools[k]} peak.`);
    const y = r => run.type(r.type);
    fill(lists, h('h3', null, `Top 10 results by padding, ${total ? 'MB total' : 'MB per bank'}`), table({
      id: 'top-padding', rows, pick: r => state.select(r.s, 'table'), empty: `No result in ${run.pools[k]} is padded.`,
      columns: [{ head: 'op', cell: r => opLink(run, state, r.s) }, { head: 'operation', cls: 'mono', cell: r => clip(run.name(r.s), 40) }, { head: 'times', num: true, cell: r => count(r.times) },
        { head: 'logical', cls: 'mono', cell: r => `${clip(y(r).shape, 40)} ${y(r).dtype}` }, { head: 'padded', cls: 'mono', cell: r => clip(y(r).padded, 40) || '–' },
        { head: 'padding', num: true, cell: r => size(r.lost) }, { head: 'overhead', num: true, cell: r => `${Math.round((100 * r.lost) / Math.max(1, y(r).logical))} %` },
        { head: 'would avoid it', cls: 'wide', cell: r => (y(r).advice ? `${clip(y(r).advice, 120)} (−${size(y(r).physical - y(r).better)})` : '–'), title: r => clip(y(r).advice, 400) }],
    }));
  };
  state.on('pool unit rank', draw);
  draw();
  return { box, chart: () => ctx.addChart(paddingChart, plot) };
}
