// SPDX-License-Identifier: Apache-2.0
// The frame of the page: header with its switches, failure line, cards, graphs on the left, the panel on the right.
import { fill, h } from '../dom.js';
import { bytes, clip, count, mb, visible } from '../format.js';
import { programSelect, rankSelect, scopeText } from './programs.js';

export function buildShell(run, state, theme, app) {
  const failure = h('div', { id: 'failure' });
  const cards = h('div', { class: 'cards', id: 'cards' });
  const graphs = h('section', { class: 'graphs', id: 'graphs', 'aria-label': 'Graphs' });
  const sections = h('div', { id: 'sections' });
  const side = h('aside', { class: 'side', id: 'side', 'aria-label': 'Selected op and live tensors' });
  fill(app, header(run, state, theme), problemLine(state), failureLine(run, state, failure), cards,
    h('div', { class: 'body' }, h('main', { class: 'main' }, graphs, sections, footer(run)), side));
  return { graphs, sections, side, cards };
}

/** "24 program runs, 4 of main": const-evals and other nested programs are the rest. */
function programRuns({ program_runs: all, main_runs: main, main_name: name }) {
  if (!all) return null;
  return `${count(all)} program run${all === 1 ? '' : 's'}${main && main !== all ? `, ${count(main)} ${name ? `of ${clip(name, 40)}` : 'of them submitted'}` : ''}`;
}

function header(run, state, theme) {
  const { meta } = run;
  const facts = h('span', { class: 'facts' });
  const tell = () => {
    const scope = scopeText(run, state);
    const dram = run.config(run.firstBlock(state.rank), 0);
    // The chip is told from the first banks of the log.
    const same = !dram || dram.every((v, i) => v === run.configs[0][0]?.[i]);
    const device = [same && meta.chip, dram && `${dram[0]} × ${mb(dram[1] / 1000).replace(/\.0+$/, '')} MB DRAM`];
    const ranks = run.ranks.length > 1 && `${count(run.ranks.length)} ranks`;
    const shown = scope ? [h('b', { id: 'scope' }, scope)] : [meta.predicted && h('b', { id: 'predicted' }, 'predicted, nothing ran'), ...device, `${count(meta.ops ?? run.records.length)} ops`, programRuns(meta), ranks, meta.created];
    fill(facts, shown.filter(Boolean).map(f => h('span', null, typeof f === 'string' ? clip(f, 60) : f)));
  };
  state.on('scope', tell);
  tell();
  const unit = h('div', { class: 'switch', role: 'radiogroup', 'aria-label': 'Unit', hidden: !run.pools.some((_, k) => run.banksKnown(k)) }, [['bank', run.meta.l1_per_core ? 'per bank, L1 per core' : 'per bank'], ['total', 'total']].map(([value, text]) =>
    h('button', { type: 'button', role: 'radio', id: `unit-${value}`, onclick: () => state.set('unit', value) }, text)));
  unit.addEventListener('keydown', e => {
    if (!/^Arrow/.test(e.key)) return;
    e.preventDefault();
    const other = [...unit.children].find(b => b !== document.activeElement);
    other.focus();
    other.click();
  });
  const sync = () => [...unit.children].forEach((b, i) => {
    b.setAttribute('aria-checked', state.unit === ['bank', 'total'][i]);
    b.tabIndex = state.unit === ['bank', 'total'][i] ? 0 : -1;
  });
  state.on('unit', sync);
  sync();
  return h('header', { class: 'top' }, wayBack(), h('h1', { title: visible(meta.name) }, clip(meta.name ?? '', 80)),
    facts, h('span', { class: 'spacer' }), rankSelect(run, state), programSelect(run, state), unit, copyLink(), helpButton(),
    h('button', { type: 'button', class: 'icon', id: 'theme', title: 'Light or dark', 'aria-label': 'Switch between light and dark', onclick: () => theme.toggle() }, '◐'));
}

/** Sent by ttmem serve: the way back to the list. */
export function wayBack() {
  return location.protocol.startsWith('http') && h('a', { class: 'back', href: '/', title: 'All reports' }, '‹ reports');
}
export function helpButton() {
  return h('button', { type: 'button', class: 'icon', id: 'help-open', title: 'Keys and words (?)', 'aria-label': 'Keys and words' }, '?');
}

/** Everything that is chosen is in the address. */
export function copyLink() {
  const button = h('button', { type: 'button', class: 'button', id: 'copy-link', title: 'Copy a link to what is shown (c)', 'aria-label': 'Copy a link to what is shown' }, 'link');
  const tell = text => { button.textContent = text; setTimeout(() => (button.textContent = 'link'), 900); };
  button.addEventListener('click', () => copy(location.href).then(() => tell('copied'), () => tell('not allowed')));
  return button;
}
/** A page opened as a file may not have the clipboard of the browser. */
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = h('textarea', { class: 'offscreen' }, text);
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (!done) throw new Error('not allowed');
}

/** What a link asks for and the report does not have. */
function problemLine(state) {
  const box = h('p', { class: 'problem', id: 'problem', role: 'status', hidden: true });
  state.on('problem', () => {
    fill(box, visible(state.problem));
    box.hidden = !state.problem;
  });
  return box;
}

/** How it ended, in the words of the other reports. */
function outcomeText(f, predicted) {
  if (predicted) return 'Predicted:';
  if (f.caught === undefined || f.caught === null) return 'Whether it ended the run is not known.';
  return `${f.caught ? 'This failure was caught' : 'This failure ended the run'}${f.outcome ? `: ${clip(f.outcome, 80)}` : ''}.`;
}

const SHOWN_FAILURES = 3, MOST_FAILURES = 500;

function failureLine(run, state, box) {
  if (!run.failures.length) return null;
  // The one that ended the run stands first, open.
  const order = [...run.failures].sort((a, b) => (b.caught === false) - (a.caught === false));
  const rest = order.slice(SHOWN_FAILURES, MOST_FAILURES);
  fill(box, order.slice(0, SHOWN_FAILURES).map((f, i) => failureBox(run, state, f, i === 0)),
    rest.length ? h('details', { class: 'more-failures', id: 'more-failures' }, h('summary', null, `${count(order.length - SHOWN_FAILURES)} more failures in the log`), rest.map(f => failureBox(run, state, f, false)), order.length > MOST_FAILURES ? h('p', { class: 'dim' }, `the first ${MOST_FAILURES}`) : null) : null);
  return box;
}

function failureBox(run, state, f, open) {
  const at = Number.isInteger(f.step) && f.step >= 0 && f.step < run.count ? f.step : -1;
  const outcome = h('span', { class: 'failure-outcome' }, outcomeText(f, run.meta.predicted)), known = f.caught !== undefined && f.caught !== null;
  const first = f.advice?.find(a => /enough/.test(a)) ?? f.advice?.[0];
  return h('section', { class: f.caught ? 'failure caught' : 'failure', 'aria-label': f.caught ? 'Failure that was caught' : 'Failure' },
    // What is known comes first.
    h('p', null, known ? [outcome, ' '] : null, h('b', null, clip(f.title, 120), /[.:!?…]$/.test(f.title) || !f.verdict ? '' : '.'), ' ', clip(f.verdict, 400), ' ',
      at >= 0 && h('button', { type: 'button', class: 'link failure-op', onclick: () => state.select(at, 'failure') }, `at ${run.label(at)}`), known ? null : [' ', outcome]),
    open && first ? h('p', { class: 'failure-first' }, h('b', null, 'To do: '), visible(first)) : null,
    h('details', null, h('summary', null, f.advice?.length > 1 ? `what to do, ${count(f.advice.length)} ways` : 'what to do'),
      f.advice?.length ? h('ul', null, f.advice.map(a => h('li', null, visible(a)))) : null,
      h('pre', { class: 'message' }, visible(f.text ?? '')), f.line ? h('p', { class: 'dim' }, `line ${count(f.line)} of the log${run.ranks.length > 1 ? `, rank ${clip(run.ranks[f.rank] ?? '', 40)}` : ''}`) : null));
}

/** Why a peak is a lower bound. */
export function boundNote(peak, run, pool) {
  const said = caveat(run, pool);
  if (['measured', 'predicted'].includes(peak.source) && said.startsWith('Lower bound')) return said;
  return peak.why ?? 'it may have been higher';
}

/** Whether a peak is a lower bound: not every caveat says so. */
export function isBound(peak, run, pool) {
  return peak.at_least || caveat(run, pool).startsWith('Lower bound');
}

export function caveat(run, pool) {
  return (run.meta.caveats ?? []).filter(c => c.pools?.includes(pool)).map(c => c.text).join(' ');
}

/** A share as a meter; its width is set by script, which the page's policy allows. */
export function bar(part, whole) {
  const e = h('i', { class: 'fill' });
  e.style.width = whole > 0 ? `${Math.min(100, (100 * Math.max(0, part)) / whole).toFixed(1)}%` : '0';
  return e;
}

function footer(run) {
  const { meta } = run;
  const list = [...(meta.caveats ?? []).map(c => [c.pools?.length ? `${c.pools.map(k => run.pools[k]).join(', ')}: ` : '', c.text]),
    ...(meta.roles_known === false && run.count ? [['', 'Weights and inputs cannot be told apart: the module dump or registry, which says what the arguments of a program are, is not there.']] : []),
    ...(meta.missing ?? []).map(m => [`Not in this ${meta.input_word ?? 'log'}: `, `${m.what}${m.setting ? `; ${m.setting}` : ''}`, m.what])];
  return h('footer', { class: 'foot', id: 'caveats' }, list.length ? [h('h2', null, 'What these figures leave out'), h('ul', null, list.map(([a, b, what]) => h('li', { 'data-missing': what ?? null }, h('b', null, a), visible(b))))] : null,
    meta.note ? h('p', { id: 'note' }, visible(meta.note)) : null,
    h('p', { class: 'dim' }, clip(`${meta.generator ?? 'ttmem'} · ${meta.source?.path ?? ''}${meta.source?.bytes ? ` · ${bytes(meta.source.bytes)}` : ''}${meta.source?.lines ? ` · ${count(meta.source.lines)} lines` : ''}`, 200)));
}
