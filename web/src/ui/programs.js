// The program selector: narrows the graphs to one execution and the table to the program.
import { h } from '../dom.js';
import { clip, count } from '../format.js';

export function programSelect(ctx) {
  const { run, state } = ctx;
  const pr = run.programs;
  if (pr.name.length < 2) return null;
  const top = [];
  for (let i = 0; i < pr.name.length && top.length < 2000; i++) if (!(pr.depth[i] > 0)) top.push(i);
  const times = new Map();
  const select = h('select', { id: 'program', 'aria-label': 'Program' }, h('option', { value: '' }, `all programs (${count(pr.name.length)} runs)`), top.map(i => {
    const n = (times.get(pr.name[i]) ?? 0) + 1;
    times.set(pr.name[i], n);
    return h('option', { value: String(i) }, `${clip(pr.names[pr.name[i]], 40)}${n > 1 ? ` · run ${count(n)}` : ''} · ${run.label(pr.first_step[i])}`);
  }));
  select.addEventListener('change', () => {
    if (select.value === '') {
      state.resetWindow();
      state.set('program', -1);
      return;
    }
    const i = Number(select.value);
    if ((pr.rank?.[i] ?? 0) !== state.rank) state.set('rank', pr.rank[i]);
    state.setWindow(ctx.view.posOf(pr.first_step[i]) - 1, ctx.view.posOf(pr.last_step[i]) + 1);
    state.set('program', pr.name[i]);
  });
  return select;
}
