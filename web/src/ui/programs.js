// SPDX-License-Identifier: Apache-2.0
// The selectors of rank and program: everything on the page follows them.
import { fill, h } from '../dom.js';
import { clip, count } from '../format.js';

const MOST_RUNS = 2000;

/** Top-level executions of a rank, with what tells them apart: {at, name, run, runs}. Programs that share a name are numbered. */
export function topRuns(run, rank) {
  const pr = run.programs;
  const mine = [];
  for (let i = 0; i < pr.name.length; i++) if (!(pr.depth[i] > 0) && (pr.rank?.[i] ?? 0) === rank) mine.push(i);
  const kinds = new Map(), sameName = new Map();
  const kindOf = i => `${pr.name[i]} ${pr.ttnn?.[i]} ${pr.ttir?.[i]}`;
  for (const i of mine) {
    const key = kindOf(i);
    if (!kinds.has(key)) {
      const numbers = (sameName.get(pr.name[i]) ?? 0) + 1;
      sameName.set(pr.name[i], numbers);
      kinds.set(key, { number: numbers, runs: 0 });
    }
    kinds.get(key).runs++;
  }
  const seen = new Map();
  return mine.map(i => {
    const kind = kinds.get(kindOf(i));
    const n = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, n);
    const name = clip(pr.names[pr.name[i]] ?? '', 40) + (sameName.get(pr.name[i]) > 1 ? ` (${kind.number})` : '');
    return { at: i, name, run: n, runs: kind.runs };
  });
}

const runText = r => (r.runs > 1 ? `${r.name}, run ${count(r.run)} of ${count(r.runs)}` : r.name);

/** The first and last operation of an execution. */
function opRange(run, i) {
  const { first_step: first, last_step: last } = run.programs;
  const from = run.recordOf[first[i]], to = run.recordOf[last[i] + 1] - 1;
  return to < from ? 'no ops' : `#${count(from)} to #${count(to)}`;
}

/** What is shown, in words; empty for the whole run. */
export function scopeText(run, state) {
  if (state.program < 0) return '';
  const found = topRuns(run, state.rank).find(r => r.at === state.program);
  const name = found ? runText(found) : run.programs.names[run.programs.name[state.program]] ?? '';
  return `${clip(name, 80)}: ${opRange(run, state.program)}`;
}

export function programSelect(run, state) {
  if (run.programs.name.length < 2) return null;
  const select = h('select', { id: 'program', 'aria-label': 'Program', onchange: () => state.setScope(state.rank, select.value === '' ? -1 : Number(select.value)) });
  let filled = -1;
  const sync = () => {
    if (filled !== state.rank) {
      const runs = topRuns(run, state.rank);
      const more = runs.length - MOST_RUNS;
      fill(select, h('option', { value: '' }, runs.length === 1 ? 'whole run' : run.meta.main_name ? `all ${count(runs.length)} runs of ${clip(run.meta.main_name, 40)}` : `all ${count(runs.length)} submitted runs`),
        runs.slice(0, MOST_RUNS).map(r => h('option', { value: String(r.at) }, `${runText(r)} · ${opRange(run, r.at)}`)),
        more > 0 && h('option', { disabled: true, value: 'more' }, `and ${count(more)} more: click one in the graph`));
      select.hidden = runs.length < 2;
      filled = state.rank;
    }
    const value = state.program < 0 ? '' : String(state.program);
    // A nested run, or one beyond the list, comes from a link.
    if (![...select.options].some(o => o.value === value)) select.append(h('option', { value }, scopeText(run, state)));
    select.value = value;
    if (state.program >= 0) select.hidden = false;
  };
  state.on('scope', sync);
  sync();
  return select;
}

/** Ranks in the order people count in, whatever came first in the log. */
export function rankSelect(run, state) {
  if (run.ranks.length < 2) return null;
  const order = run.ranks.map((name, i) => ({ name: String(name), i })).sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  const select = h('select', { id: 'rank', 'aria-label': 'Rank', onchange: () => state.setScope(Number(select.value)) },
    order.map(({ name, i }) => h('option', { value: String(i) }, `rank ${clip(name, 40)}`)));
  const sync = () => (select.value = String(state.rank));
  state.on('scope', sync);
  sync();
  return select;
}
