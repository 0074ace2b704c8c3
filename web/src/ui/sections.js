// SPDX-License-Identifier: Apache-2.0
// Everything that needs the whole data: panel, live list, sections, keys.
import { fill, h } from '../dom.js';
import { visible } from '../format.js';
import { momentOf } from '../moment.js';
import { mountHelp } from './help.js';
import { fitSection } from './fit.js';
import { irSection } from './ir.js';
import { l1Section } from './l1.js';
import { lateSection } from './late.js';
import { leakSection } from './leaks.js';
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
  const l1 = l1Section(ctx);
  const fit = fitSection(ctx);
  const leaks = leakSection(ctx);
  const tensors = run.ten.count > 0, measured = run.blockStep.length > 0;
  // [id, tab, section, is there anything to show, what of a log it needs]
  const all = [['peaks', 'Peaks', peakSection(ctx), measured || tensors, 'memory'], ['modules', 'By module', moduleSection(ctx), tensors, 'op'], ['sizes', 'Sizes', sizeSection(ctx), tensors, 'op'],
    ['consumers', 'Consumers', consumerSection(ctx), measured, 'memory'], ['late', 'Freed late', lateSection(ctx), tensors && run.records.length, 'op'], ['padding', 'Padding', padding.box, tensors, 'op'], ['fragmentation', 'Fragmentation', fragmentationSection(ctx), measured, 'memory'], ['leaks', 'Leaks', leaks, leaks, ''], ['fit', 'What would fit', fit, fit, ''], ['map', 'Memory map', map?.box, map, ''], ['l1', 'L1 of a core', l1, l1, ''],
    ['weights', 'Weights', weightSection(ctx), run.registry.length, 'module'], ['operations', 'Ops', operationSection(ctx), run.records.length, 'op'], ['ir', 'IR', ir, run.modules.length, 'module']];
  const parts = all.filter(p => p[3]);
  const show = id => parts.some(p => p[0] === id) && document.getElementById(id)?.scrollIntoView({ block: 'start' });
  state.on('section', () => state.reading && show(state.fields.get('section')));
  const nav = h('nav', { class: 'nav', 'aria-label': 'Sections' }, parts.map(([id, text]) => h('button', { type: 'button', class: 'tab', 'data-section': id, onclick: () => { state.setField('section', id, true); show(id); } }, text)));
  fill(shell.sections, nav, parts.map(p => p[2]), absent(run, all.filter(p => !p[3] && p[4])));
  if (tensors) padding.chart();
  map?.chart();
  ctx.addBeside();
  mountPanel(ctx, shell.side);
  mountLiveList(ctx, shell.side);
  mountPin(ctx, shell.side);
  keys(ctx);
  // A log of failures alone: no graphs of nothing.
  if (!run.count && !tensors) for (const e of [shell.graphs, shell.side]) e.hidden = true;
  // Where nothing was measured, the page opens on what holds most as far as the op lines tell.
  const most = state.home.step < 0 && !run.meta.peaks?.[run.pools[0]] && innerWidth > 900 ? ctx.view.fullest(0) : -1;
  if (most > 0) state.home.step = ctx.view.stepAt(most - 1);
  state.readHash();
}

/** What has no data here, in one line per reason: what it would need, and how to get that. */
function absent(run, parts) {
  if (!parts.length) return null;
  const missing = run.meta.missing ?? [], reasons = new Map(), absentIn = `Not in this ${run.meta.input_word ?? 'log'}`;
  for (const [, name, , , needs] of parts) {
    const why = missing.find(m => m.what.startsWith(needs)) ?? (missing.length === 1 ? missing[0] : null);
    // Said here, it is not said again at the foot.
    for (const e of why ? document.querySelectorAll('#caveats [data-missing]') : []) if (e.dataset.missing === why.what) e.remove();
    if (!document.querySelector('#caveats li')) document.querySelector('#caveats h2')?.remove();
    const text = why ? `${why.what}${why.setting ? `; ${why.setting}` : ''}` : '';
    reasons.set(text, [...(reasons.get(text) ?? []), name]);
  }
  return h('section', { class: 'section', id: 'absent', 'aria-label': absentIn }, [...reasons].map(([why, names]) =>
    h('p', { class: 'answer' }, h('b', null, `${absentIn}: ${names.join(', ')}. `), why ? visible(`It needs ${why}.`) : '')));
}

function keys(ctx) {
  const { state } = ctx;
  const help = mountHelp();
  const click = selector => { const found = document.querySelector(selector); found?.click(); return Boolean(found); };
  document.getElementById('help-open')?.addEventListener('click', () => help.toggle());
  const acts = {
    n: () => click('#op-next') || openMoment(ctx), p: () => click('#op-previous') || openMoment(ctx), i: () => click('#op-panel [data-ir=ttnn]') || click('#op-panel [data-ir]'), m: () => click('.nav [data-section=modules]'), c: () => click('#copy-link'), '?': () => help.toggle(),
    '/': () => { document.getElementById('operations')?.scrollIntoView(); ctx.focusSearch(); },
    Escape: () => letGo(ctx),
  };
  addEventListener('keydown', e => {
    // Esc leaves a search, so that the other keys work again.
    if (e.key === 'Escape' && e.target.type === 'search') return e.target.blur();
    if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) || !acts[e.key]) return;
    if (document.getElementById('help').open && e.key === 'Escape') return;
    e.preventDefault();
    acts[e.key]();
  });
}

/** Where no op is open, a walk begins at the one that the lists are about. */
function openMoment(ctx) {
  const { step } = momentOf(ctx);
  if (step >= 0) ctx.state.select(step, 'panel');
}

/** One thing at a time, the latest kind of choice first. */
function letGo({ state }) {
  if (state.range) state.setRange(null);
  else if (state.fields.has('beside')) state.setField('beside', '', true);
  else if (state.pins.length) state.pin(-1);
  else if (state.selected >= 0) state.select(-1);
  else state.resetWindow();
}
