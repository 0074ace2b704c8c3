// SPDX-License-Identifier: Apache-2.0
// Opens the data, draws the first graph, then everything that needs the rest of the page.
import { fill, h } from './dom.js';
import { Graphs } from './graphs.js';
import { Run } from './run.js';
import { State } from './state.js';
import { Theme } from './theme.js';
import { mountCards } from './ui/cards.js';
import { buildShell } from './ui/shell.js';
import { mountSections } from './ui/sections.js';

/** What a page shows that is opened without a fragment: the failure, else the peak. A narrow screen shows no op at first. */
function home(run) {
  const failed = run.failures.find(f => Number.isInteger(f.step) && f.step >= 0 && f.step < run.count);
  const peak = run.meta.peaks?.[run.pools[0]];
  const step = failed ? failed.step : peak?.step ?? -1;
  const rank = step >= 0 ? run.rankOf(step) : failed?.rank ?? peak?.rank ?? 0;
  return { rank, step: matchMedia('(max-width: 900px)').matches ? -1 : step };
}

async function start() {
  const app = document.getElementById('app');
  try {
    performance.mark('ttmem-start');
    const run = await Run.open();
    performance.mark('ttmem-opened');
    const state = new State(run);
    const theme = new Theme(state);
    document.title = `${run.meta.name} – memory report`;
    state.home = home(run);
    state.rank = state.home.rank;
    const shell = buildShell(run, state, theme, app);
    const graphs = new Graphs(run, state, shell.graphs);
    const drawCards = mountCards(graphs, shell.cards);
    requestAnimationFrame(() => setTimeout(() => performance.mark('ttmem-first-graph')));
    // The parser may still be reading the later sections.
    if (document.readyState === 'loading') await new Promise(done => document.addEventListener('DOMContentLoaded', done, { once: true }));
    await run.finish();
    graphs.forgetLatePools();
    drawCards();
    mountSections(run, state, graphs, shell);
    for (const e of ['hashchange', 'popstate']) addEventListener(e, () => state.readHash());
    graphs.redraw();
    performance.mark('ttmem-ready');
    document.documentElement.dataset.ready = 'yes';
  } catch (error) {
    fill(app, h('p', { class: 'boot', role: 'alert' }, `This report cannot be opened: ${error.message}`));
    console.error(error);
  }
}

start();
