// SPDX-License-Identifier: Apache-2.0
// The first row: peaks, weights, padding and fragmentation of what is shown, each as one figure.
import { fill, h } from '../dom.js';
import { bytes, count, mb, percent } from '../format.js';
import { paddingAtPeak } from './padding.js';
import { bar, boundNote, caveat, isBound } from './shell.js';

export function mountCards(ctx, host) {
  const draw = () => fill(host, peakCards(ctx), weightCard(ctx.run), ctx.run.ready && [paddingCard(ctx), freeCard(ctx)]);
  ctx.state.on('unit scope', draw);
  draw();
  return draw;
}

function peakCards(ctx) {
  const { run, state } = ctx;
  return run.pools.map((pool, k) => {
    const p = ctx.peak(k);
    if (!p || (k > 1 && !(p.allocated > 0))) return null;
    const scale = state.scale(k), note = p.at_least ? boundNote(p, run, k) : caveat(run, k);
    return h('button', { type: 'button', class: 'card', 'data-card': pool, title: note || null, onclick: () => { state.set('pool', k); if (p.step >= 0) state.select(p.step, 'card'); } },
      h('span', { class: 'card-name' }, `${pool} peak`, isBound(p, run, k) && h('sup', { class: 'mark' }, '≥')),
      h('span', { class: 'card-value' }, p.at_least && h('small', null, 'at least '), mb(p.allocated * scale), h('small', null, `${p.capacity > 0 ? ` / ${mb(p.capacity * scale)}` : ''} MB${state.unitOf(k) === 'total' ? '' : run.per(k).replace('per ', '/')}`)),
      h('span', { class: 'bar' }, bar(p.allocated, p.capacity)), h('span', { class: 'card-extra' }, percent(p.allocated, p.capacity)));
  });
}

const plain = (name, value, extra) => [h('span', { class: 'card-name' }, name), h('span', { class: 'card-value' }, value, extra && h('small', null, extra))];
const leading = (name, section, ...content) => h('button', { type: 'button', class: 'card', 'data-card': name, onclick: () => document.getElementById(section).scrollIntoView() }, plain(name, ...content));

function weightCard(run) {
  const w = run.meta.weights;
  return w?.count ? h('div', { class: 'card', 'data-card': 'weights' }, plain('Weights of the model', bytes(w.bytes), ` in ${count(w.count)}`)) : null;
}

function paddingCard(ctx) {
  const pad = paddingAtPeak(ctx, 0);
  return pad && leading(ctx.view.pool(0).seen ? 'Padding at peak' : 'Padding, when most is alive', 'padding', percent(pad.lost, pad.of), ` on top of live ${ctx.run.pools[0]}`);
}

function freeCard(ctx) {
  const { state } = ctx, s = ctx.view.pool(0), scale = state.scale(0);
  return s.maxAt >= 0 && leading('Largest free at peak', 'fragmentation', mb(s.largest[s.maxAt] * scale), ` of ${mb(s.free[s.maxAt] * scale)} MB${state.unitOf(0) === 'total' ? '' : '/bank'} free`);
}
