// SPDX-License-Identifier: Apache-2.0
// Everything that needs the whole data: panel, live list, sections, keys.
import { fill, h } from '../dom.js';
import { irSection } from './ir.js';
import { mountLiveList } from './livelist.js';
import { mapSection } from './map.js';
import { operationSection } from './operations.js';
import { paddingSection } from './padding.js';
import { mountPanel } from './panel.js';
import { consumerSection, fragmentationSection, peakSection } from './peaks.js';
import { weightSection } from './weights.js';

export function mountSections(run, state, ctx, shell) {
  const ir = irSection(ctx);
  const padding = paddingSection(ctx);
  const map = mapSection(ctx);
  const parts = [['peaks', 'Peaks', peakSection(ctx)], ['consumers', 'Consumers', consumerSection(ctx)], ['padding', 'Padding', padding.box], ['fragmentation', 'Fragmentation', fragmentationSection(ctx)], ...(map ? [['map', 'Memory map', map.box]] : []),
    ['weights', 'Weights', weightSection(ctx)], ['operations', 'Operations', operationSection(ctx)], ['ir', 'IR', ir]];
  const nav = h('nav', { class: 'nav', 'aria-label': 'Sections' }, parts.map(([id, text]) => h('button', { type: 'button', class: 'tab', 'data-section': id, onclick: () => document.getElementById(id).scrollIntoView({ block: 'start' }) }, text)));
  fill(shell.sections, nav, parts.map(p => p[2]));
  padding.chart();
  map?.chart();
  ctx.addBeside();
  mountPanel(ctx, shell.side);
  mountLiveList(ctx, shell.side);
  keys(ctx);
  // Where nothing was measured, the page opens on what holds most as far as the op lines tell.
  const most = state.home.step < 0 && !run.meta.peaks?.[run.pools[0]] && innerWidth > 900 ? ctx.view.fullest(0) : -1;
  if (most > 0) state.home.step = ctx.view.stepAt(most - 1);
  state.readHash();
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
