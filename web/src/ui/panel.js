// SPDX-License-Identifier: Apache-2.0
// The selected op in full: values, attributes, weights, memory before and after, padding, place in log and IR.
import { fill, h } from '../dom.js';
import { bytes, clip, count, mb, percent, signed, visible } from '../format.js';
import { placeOf, placeText, sourceText } from '../places.js';
import { FLAG } from '../run.js';
import { paddingBytes } from './padding.js';
import { pinLink, tensorsOf } from './pin.js';

export function mountPanel(ctx, host) {
  const { run, state } = ctx;
  const box = h('section', { class: 'panel', id: 'op-panel', 'aria-label': 'Op', 'aria-live': 'off', tabindex: '-1' });
  host.append(box);
  let serial = 0;
  const draw = async () => {
    const mine = ++serial;
    const step = state.selected;
    host.classList.toggle('has-op', step >= 0);
    if (step < 0) {
      fill(box, state.problem ? h('p', { class: 'pad', id: 'op-missing' }, visible(state.problem)) : null, h('p', { class: 'dim pad' }, run.count ? 'Click a graph, a row or a band to see its op.' : 'The log holds no ops.'));
      return;
    }
    fill(box, head(ctx, step), memory(ctx, step), h('div', { class: 'panel-late' }));
    box.scrollTop = 0;
    const texts = await run.texts();
    if (mine === serial) fill(box.lastChild, details(ctx, step, texts));
  };
  state.on('selected unit scope problem', draw);
  draw();
}

function neighbour(ctx, step, d) {
  const { view } = ctx;
  for (let p = view.posOf(step) + d; p >= 0 && p < view.n; p += d) {
    const s = view.stepAt(p);
    if (ctx.run.isRecord(s)) return s;
  }
  return -1;
}

function head(ctx, step) {
  const { run, state } = ctx;
  const go = (d, text, name, key) => {
    const to = neighbour(ctx, step, d);
    return h('button', { type: 'button', class: 'icon', id: `op-${name}`, title: `${name} op (${key})`, 'aria-label': `${name} op`, disabled: to < 0, onclick: () => state.select(to, 'panel') }, text);
  };
  const places = ['ttir', 'ttnn'].map(stage => ctx.irLine(step, stage)).filter(Boolean);
  const jump = ir => h('button', { type: 'button', class: 'button', 'data-ir': ir.stage, title: `line ${ir.line} of the ${ir.stage.toUpperCase()} module${ir.stage === 'ttnn' ? ' (i)' : ''}`, onclick: () => ctx.openIr(ir) }, `${ir.stage.toUpperCase()}:${ir.line}`);
  const f = run.flags[step];
  const tags = [f & FLAG.WEIGHT && ['weight', 'weight op'], f & FLAG.CACHE_MISS && ['const-eval', 'cache miss'], f & FLAG.TRUNCATED && ['rest', 'line cut off in the log'], f & FLAG.BARE && ['rest', 'no op line in the log']].filter(Boolean);
  return h('div', { class: 'panel-head' },
    h('div', { class: 'row' }, h('h2', { id: 'op-title' }, `${run.label(step)} `, h('span', { class: 'mono' }, clip(run.name(step), 300))), h('span', { class: 'spacer' }),
      go(-1, '‹', 'previous', 'p'), go(1, '›', 'next', 'n'),
      h('button', { type: 'button', class: 'icon close', id: 'op-close', title: 'close', 'aria-label': 'Close', onclick: () => state.select(-1) }, '×')),
    h('div', { class: 'row' }, h('p', { class: 'mono loc', title: clip(run.loc(step), 2000) }, clip(placeText(run.loc(step)), 300) || h('span', { class: 'dim' }, 'no location')), h('span', { class: 'spacer' }),
      places.length ? places.map(jump) : h('button', { type: 'button', class: 'button', disabled: true, title: 'the log has no module with this location' }, 'IR')),
    tags.length ? h('p', { class: 'tags' }, tags.map(([c, t]) => h('span', null, h('i', { class: `key ${c}` }), t))) : null);
}

/** Before, after and change per pool; pools that never hold anything are left out. */
function memory(ctx, step) {
  const { run, state, view } = ctx;
  const own = run.blockOf[step], after = run.afterBlock(step);
  const rows = [];
  run.pools.forEach((pool, k) => {
    if (!view.pool(k).seen || (view.pool(k).max <= 0 && k > 0)) return;
    const s = state.scale(k);
    const v = (b, f) => (b < 0 ? null : run[f](b, k));
    const show = x => (x === null || x < 0 ? '–' : mb(x * s));
    const d = run.delta(step, k);
    rows.push(h('tr', { 'data-pool': pool }, h('th', { scope: 'row' }, pool), h('td', { class: 'num' }, show(v(own, 'allocAt'))), h('td', { class: 'num' }, show(v(after, 'allocAt'))),
      h('td', { class: `num ${d > 0 ? 'up' : d < 0 ? 'down' : ''}` }, d === null ? '–' : signed(d * s)), h('td', { class: 'num dim' }, show(v(after >= 0 ? after : own, 'largestAt')))));
  });
  if (!rows.length) return null;
  return h('table', { class: 'list compact', id: 'op-memory' }, h('thead', null, h('tr', null, h('th', null, `${state.unitText(0)}${ctx.run.meta.l1_per_core ? ', L1 per core' : ''}`), ['before', 'after', 'change', 'largest free after'].map(t => h('th', { class: 'num' }, t)))), h('tbody', null, rows));
}

function typeLine(ctx, v, tensor = -1) {
  const { run, state } = ctx;
  const t = run.type(v.type);
  if (!t) return h('div', { class: 'value' }, h('span', { class: 'mono' }, clip(v.name, 60)), h('span', { class: 'dim' }, ' not a device tensor'));
  const total = state.unitOf(t.pool) === 'total' || !(t.bank > 0); // a size per bank may be unknown where the total is not
  const taken = t.physical > 0 ? `${bytes(total ? t.physical : t.bank)} ${total ? 'in total' : run.per(t.pool)}` : 'size not known';
  const lost = paddingBytes(state, t);
  const pad = lost > 0 ? `, ${bytes(lost)} of it padding${t.padded ? ` (${t.padded})` : ''}` : '';
  return h('div', { class: 'value' }, tensor >= 0 ? pinLink(ctx, tensor, clip(v.name, 40)) : h('span', { class: 'mono ssa' }, clip(v.name, 40)), ' ', h('span', { class: 'mono' }, clip(t.shape, 80), ' ', t.storage || t.dtype), ' ',
    h('span', { class: 'dim' }, clip(`${t.layout}${t.grid ? ` on ${t.grid}` : ''}${t.pool < 4 ? ` in ${run.pools[t.pool]}` : ''} · ${taken}${pad}`, 300)));
}

function details(ctx, step, texts) {
  const { run, state, view } = ctx;
  const t = run.templateOf(step);
  const rows = [];
  const row = (name, ...content) => rows.push(h('dt', null, name), h('dd', null, content));
  const ins = run.values(t, 'in'), outs = run.values(t, 'out');
  const many = (list, f) => [list.slice(0, 40).map(f), list.length > 40 && h('p', { class: 'dim' }, `and ${count(list.length - 40)} more`)];
  const tensors = tensorsOf(ctx, step);
  if (ins.length) row('in', many(ins, v => typeLine(ctx, v, tensors.get(v.name) ?? -1)));
  if (outs.length) row('out', many(outs, v => typeLine(ctx, v, tensors.get(v.name) ?? -1)));
  for (const v of outs) {
    const y = run.type(v.type);
    if (y?.advice && y.lost > 0) row('padding', h('span', null, `${percent(y.lost, y.logical)} on top of the result. Would avoid it: `, visible(y.advice)));
  }
  const weights = t < 0 ? [] : run.weightsOf(t);
  if (weights.length) row('weights', many(weights, w => h('div', { class: 'value' }, h('span', { class: 'mono' }, clip(w.name, 200)), ' ', h('span', { class: 'dim' }, `${clip(w.shape, 60)} ${w.dtype} · ${bytes(w.bytes)}`))));
  const attrs = t < 0 ? '' : texts.get(run.tpl.tpl_attrs?.[t]);
  if (attrs) row('attributes', h('pre', { class: 'long' }, visible(attrs)));
  const full = t < 0 ? '' : texts.get(run.tpl.tpl_loc_full?.[t]) || run.loc(step);
  const place = placeOf(run.loc(step), full);
  if (place.module) row('module', h('span', { class: 'mono', id: 'op-module' }, clip(place.module, 200), place.cls && h('span', { class: 'dim' }, ` ${clip(place.cls, 60)}`)));
  if (place.file) row('source', h('span', { class: 'mono', id: 'op-source', title: visible(place.file) }, clip(sourceText(place), 120)));
  if (full) row('location', h('pre', { class: 'long', id: 'op-loc' }, visible(full)));
  const program = run.program(step);
  if (program >= 0) row('program', h('span', { class: 'mono' }, clip(run.programName(step), 120)), run.graph?.[step] >= 0 ? h('span', { class: 'dim' }, ` const-eval graph ${run.graph[step]}`) : null);
  const next = neighbour(ctx, step, 1);
  if (next >= 0) {
    const freed = run.pools.map((p, k) => [p, run.allocAt(run.afterBlock(step), k), run.allocAt(run.blockOf[next], k), k]).filter(([, a, b]) => a >= 0 && b >= 0 && a !== b);
    if (freed.length) row('then freed', freed.map(([p, a, b, k]) => `${p} ${signed((b - a) * state.scale(k))}`).join(', '));
  }
  row('log', run.line?.[step] ? `line ${count(run.line[step])}` : 'line not known', run.ranks.length > 1 ? `, rank ${run.ranks[view.rank]}` : '');
  return h('dl', { class: 'facts-list' }, rows);
}
