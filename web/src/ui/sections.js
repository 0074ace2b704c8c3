// SPDX-License-Identifier: Apache-2.0
// Everything that needs the whole data: panel, live list, sections, keys.
import { fill, h } from '../dom.js';
import { mountHelp } from './help.js';
import { irSection } from './ir.js';
import { mountLiveList } from './livelist.js';
import { mapSection } from './map.js';
import { moduleSection } from './modules.js';
import { operationSection } from './operations.js';
import { paddingSection } from './padding.js';
import { mountPanel } from './panel.js';
import { mountPin } from './pin.js';
import { consumerSection, fragmentationSection, peakSection } from './peaks.js';
import { sizeSection } from './sizes.js';
import { weightSection } from './weights.js';

export function mountSections(run, state, ctx, shell) {
  const ir = irSection(ctx);
  const padding = paddingSection(ctx);
  const map = mapSection(ctx);
  const parts = [['peaks', 'Peaks', peakSection(ctx)], ['modules', 'By module', moduleSection(ctx)], ['sizes', 'Sizes', sizeSection(ctx)], ['consumers', 'Consumers', consumerSection(ctx)], ['padding', 'Padding', padding.box], ['fragmentation', 'Fragmentation', fragmentationSection(ctx)], ...(map ? [['map', 'Memory map', map.box]] : []),
    ['weights', 'Weights', weightSection(ctx)], ['operations', 'Operations', operationSection(ctx)], ['ir', 'IR', ir]];
  const show = id => parts.some(p => p[0] === id) && document.getElementById(id)?.scrollIntoView({ block: 'start' });
  state.on('section', () => state.reading && show(state.fields.get('section')));
  const nav = h('nav', { class: 'nav', 'aria-label': 'Sections' }, parts.map(([id, text]) => h('button', { type: 'button', class: 'tab', 'data-section': id, onclick: () => { state.setField('section', id, true); show(id); } }, text)));
  fill(shell.sections, nav, parts.map(p => p[2]));
  padding.chart();
  map?.chart();
  ctx.addBeside();
  mountPanel(ctx, shell.side);
  mountLiveList(ctx, shell.side);
  mountPin(ctx, shell.side);
  keys(ctx);
  // Where nothing was measured, the page opens on what holds most as far as the op lines tell.
  const most = state.home.step < 0 && !run.meta.peaks?.[run.pools[0]] && innerWidth > 900 ? ctx.view.fullest(0) : -1;
  if (most > 0) state.home.step = ctx.view.stepAt(most - 1);
  state.readHash();
}

function keys(ctx) {
  const { state } = ctx;
  const help = mountHelp();
  const click = selector => document.querySelector(selector)?.click();
  document.getElementById('help-open')?.addEventListener('click', () => help.toggle());
  const acts = {
    n: () => click('#op-next'), p: () => click('#op-previous'), i: () => click('#op-panel [data-ir=ttnn], #op-panel [data-ir]'), m: () => click('.nav [data-section=modules]'), c: () => click('#copy-link'), '?': () => help.toggle(),
    '/': () => { document.getElementById('operations').scrollIntoView(); ctx.focusSearch(); },
    Escape: () => letGo(ctx),
  };
  addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) || !acts[e.key]) return;
    if (document.getElementById('help').open && e.key === 'Escape') return;
    e.preventDefault();
    acts[e.key]();
  });
}

/** One thing at a time, the latest kind of choice first. */
function letGo({ state }) {
  if (state.range) state.setRange(null);
  else if (state.pins.length) state.pin(-1);
  else state.select(-1);
}
