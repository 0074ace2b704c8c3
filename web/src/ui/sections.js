// Everything that needs the whole data: panel, live list, cards of the second wave, sections, keys.
import { fill, h } from '../dom.js';
import { mb, percent } from '../format.js';
import { irSection } from './ir.js';
import { mountLiveList } from './livelist.js';
import { operationSection } from './operations.js';
import { paddingAtPeak, paddingSection } from './padding.js';
import { mountPanel } from './panel.js';
import { consumerSection, fragmentationSection, peakSection } from './peaks.js';
import { programSelect } from './programs.js';
import { weightSection } from './weights.js';

export function mountSections(run, state, ctx, shell) {
  const ir = irSection(ctx);
  const padding = paddingSection(ctx);
  const parts = [['peaks', 'Peaks', peakSection(ctx)], ['consumers', 'Consumers', consumerSection(ctx)], ['padding', 'Padding', padding.box], ['fragmentation', 'Fragmentation', fragmentationSection(ctx)],
    ['weights', 'Weights', weightSection(ctx)], ['operations', 'Operations', operationSection(ctx)], ['ir', 'IR', ir]];
  const nav = h('nav', { class: 'nav', 'aria-label': 'Sections' }, parts.map(([id, text]) => h('button', { type: 'button', class: 'tab', 'data-section': id, onclick: () => document.getElementById(id).scrollIntoView({ block: 'start' }) }, text)), programSelect(ctx));
  fill(shell.sections, nav, parts.map(p => p[2]));
  padding.chart();
  mountPanel(ctx, shell.side);
  mountLiveList(ctx, shell.side);
  lateCards(ctx);
  state.on('unit pool rank', () => lateCards(ctx));
  keys(ctx);
  start(run, state);
}

/** Padding and fragmentation as figures of the first row, once the tensors are known. */
function lateCards(ctx) {
  const { state, view } = ctx;
  const host = document.getElementById('cards-late');
  if (!host) return;
  const card = (name, value, extra, go) => h('button', { type: 'button', class: 'card', 'data-card': name, onclick: go }, h('span', { class: 'card-name' }, name), h('span', { class: 'card-value' }, value, extra && h('small', null, extra)));
  const s = view.pool(0), pad = paddingAtPeak(ctx, 0);
  fill(host, pad && card('Padding at peak', percent(pad.lost, pad.of), ' of live DRAM', () => document.getElementById('padding').scrollIntoView()),
    s.maxAt >= 0 && card('Largest free at peak', mb(s.largest[s.maxAt] * state.scale(0)), ` of ${mb(s.free[s.maxAt] * state.scale(0))} MB free`, () => document.getElementById('fragmentation').scrollIntoView()));
}

function keys(ctx) {
  const { state } = ctx;
  addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
    const act = { n: () => document.getElementById('op-next')?.click(), p: () => document.getElementById('op-previous')?.click(), '/': () => { document.getElementById('operations').scrollIntoView(); ctx.focusSearch(); }, Escape: () => state.select(-1), i: () => document.querySelector('#op-panel [data-ir=ttnn], #op-panel [data-ir]')?.click() }[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  });
}

/** The first selection: what the link names, else the failure, else the peak. */
function start(run, state) {
  if (state.readHash()) return;
  const failed = run.failures.find(f => Number.isInteger(f.step) && f.step >= 0 && f.step < run.count);
  const narrow = matchMedia('(max-width: 900px)').matches;
  if (narrow) return;
  state.reading = true;
  const peak = run.meta.peaks?.[run.pools[0]];
  if (failed) state.select(failed.step, 'start');
  else if (peak && peak.step >= 0) state.select(peak.step, 'start');
  state.reading = false;
}
