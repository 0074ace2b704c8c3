// Opens the data, draws the first graph, then everything that needs the rest of the page.
import { fill, h } from './dom.js';
import { Graphs } from './graphs.js';
import { Run } from './run.js';
import { State } from './state.js';
import { Theme } from './theme.js';
import { buildShell } from './ui/shell.js';
import { mountSections } from './ui/sections.js';

async function start() {
  const app = document.getElementById('app');
  try {
    performance.mark('ttmem-start');
    const run = await Run.open();
    performance.mark('ttmem-opened');
    const state = new State(run);
    const theme = new Theme(state);
    document.title = `${run.meta.name} – memory report`;
    const shell = buildShell(run, state, theme, app);
    state.reading = true;
    if (run.failures[0]?.rank) state.set('rank', run.failures[0].rank);
    const main = run.meta.peaks?.[run.pools[0]];
    if (run.ranks.length > 1 && !run.failures.length && main) state.set('rank', main.rank ?? 0);
    state.reading = false;
    const graphs = new Graphs(run, state, shell.graphs);
    requestAnimationFrame(() => setTimeout(() => performance.mark('ttmem-first-graph')));
    // The parser may still be reading the later sections.
    if (document.readyState === 'loading') await new Promise(done => document.addEventListener('DOMContentLoaded', done, { once: true }));
    await run.finish();
    for (const v of graphs.views) if (v) v.series.length = Math.min(1, v.series.length);
    mountSections(run, state, graphs, shell);
    addEventListener('hashchange', () => state.readHash());
    graphs.redraw();
    performance.mark('ttmem-ready');
    document.documentElement.dataset.ready = 'yes';
  } catch (error) {
    fill(app, h('p', { class: 'boot', role: 'alert' }, `This report cannot be opened: ${error.message}`));
    console.error(error);
  }
}

start();
