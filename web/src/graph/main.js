// SPDX-License-Identifier: Apache-2.0
// The page of a graph capture: memory and calls over the nodes, and the tables of `ttmem graph`.
import { sectionJson } from '../decode.js';
import { fill, h } from '../dom.js';
import { State } from '../state.js';
import { Theme } from '../theme.js';
import { Capture } from './capture.js';
import { mountPanel } from './panel.js';
import { mountSections } from './sections.js';
import { mountHelp } from '../ui/help.js';
import { buildShell } from './shell.js';
import { Timeline } from './timeline.js';

const KEYS = [['n, p', 'next and previous call'], ['c', 'copy a link to what is shown'], ['Esc', 'clear call, zoom'], ['← → + −', 'move and zoom the window, on the strip below the graphs'], ['drag, wheel', 'zoom; double click shows all'], ['Shift-drag', 'pan']];

async function start() {
  const app = document.getElementById('app');
  try {
    const data = await sectionJson('graph');
    if (!data) throw new Error('the file holds no capture');
    const capture = new Capture(data);
    const state = new State(capture);
    const theme = new Theme(state);
    document.title = `${capture.name} – graph capture`;
    const shell = buildShell(capture, state, theme, app);
    const timeline = new Timeline(capture, state, shell.graphs);
    mountPanel(capture, state, shell.side);
    mountSections(capture, state, shell.sections);
    if (!matchMedia('(max-width: 900px)').matches) state.home.step = capture.atPeak();
    state.readHash();
    for (const event of ['hashchange', 'popstate']) addEventListener(event, () => state.readHash());
    const help = mountHelp(KEYS);
    document.getElementById('help-open').addEventListener('click', () => help.toggle());
    addEventListener('keydown', e => {
      if (e.key === 'Escape' && e.target.type === 'search') return e.target.blur();
      if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) || (e.key === 'Escape' && document.getElementById('help').open)) return;
      const act = { '?': () => help.toggle(), c: () => document.getElementById('copy-link').click(), n: () => state.select(Math.min(capture.count - 1, state.selected + 1)), p: () => state.select(Math.max(-1, state.selected - 1)), Escape: () => (state.selected >= 0 ? state.select(-1) : state.resetWindow()) }[e.key];
      if (!act) return;
      e.preventDefault();
      act();
    });
    timeline.redraw();
    document.documentElement.dataset.ready = 'yes';
  } catch (error) {
    fill(app, h('p', { class: 'boot', role: 'alert' }, `This capture cannot be opened: ${error.message}`));
    console.error(error);
  }
}

start();
