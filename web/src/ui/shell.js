// The frame of the page: header with its switches, failure line, cards, graphs on the left, the panel on the right.
import { fill, h } from '../dom.js';
import { bytes, clip, count, mb, percent, visible } from '../format.js';

export function buildShell(run, state, theme, app) {
  const failure = h('div', { id: 'failure' });
  const cards = h('div', { class: 'cards', id: 'cards' });
  const graphs = h('section', { class: 'graphs', id: 'graphs', 'aria-label': 'Graphs' });
  const sections = h('div', { id: 'sections' });
  const side = h('aside', { class: 'side', id: 'side', 'aria-label': 'Selected operation and live tensors' });
  fill(app, header(run, state, theme), failureLine(run, state, failure), cards,
    h('div', { class: 'body' }, h('main', { class: 'main' }, graphs, sections), side), footer(run));
  const draw = () => fill(cards, summaryCards(run, state));
  state.on('unit', draw);
  draw();
  return { graphs, sections, side, cards };
}

function header(run, state, theme) {
  const { meta } = run;
  const dram = run.configs[0]?.[0];
  const facts = [meta.chip, dram && `${dram[0]} × ${mb(dram[1] / 1000).replace(/\.0+$/, '')} MB DRAM`, `${count(meta.ops ?? run.records.length)} ops`,
    run.programs.name.length > 1 && `${count(run.programs.name.length)} program runs`, meta.created];
  const unit = h('div', { class: 'switch', role: 'radiogroup', 'aria-label': 'Unit' }, [['bank', 'per bank'], ['total', 'total']].map(([value, text]) =>
    h('button', { type: 'button', role: 'radio', id: `unit-${value}`, onclick: () => state.set('unit', value) }, text)));
  const sync = () => [...unit.children].forEach((b, i) => b.setAttribute('aria-checked', state.unit === ['bank', 'total'][i]));
  state.on('unit', sync);
  sync();
  return h('header', { class: 'top' }, h('h1', { title: visible(meta.name) }, clip(meta.name ?? '', 80)),
    h('span', { class: 'facts' }, facts.filter(Boolean).map(f => h('span', null, clip(String(f), 60)))),
    h('span', { class: 'spacer' }), rankSelect(run, state), unit,
    h('button', { type: 'button', class: 'icon', id: 'theme', title: 'Light or dark', 'aria-label': 'Switch between light and dark', onclick: () => theme.toggle() }, '◐'));
}

function rankSelect(run, state) {
  if (run.ranks.length < 2) return null;
  const select = h('select', { id: 'rank', 'aria-label': 'Rank', onchange: () => { state.select(-1); state.set('rank', Number(select.value)); } },
    run.ranks.map((r, i) => h('option', { value: String(i) }, `rank ${r}`)));
  state.on('rank', () => (select.value = String(state.rank)));
  return select;
}

function failureLine(run, state, box) {
  if (!run.failures.length) return null;
  fill(box, run.failures.slice(0, 5).map(f => {
    const at = Number.isInteger(f.step) && f.step >= 0 && f.step < run.count ? f.step : -1;
    return h('section', { class: 'failure', 'aria-label': 'Failure' },
      h('p', null, h('b', null, clip(f.title, 120)), ' ', clip(f.verdict, 400), ' ',
        at >= 0 && h('button', { type: 'button', class: 'link failure-op', onclick: () => state.select(at, 'failure') }, `at ${run.label(at)}`)),
      h('details', null, h('summary', null, 'what to do'),
        f.advice?.length ? h('ul', null, f.advice.map(a => h('li', null, visible(a)))) : null,
        h('pre', { class: 'message' }, visible(f.text ?? '')), f.line ? h('p', { class: 'dim' }, `line ${count(f.line)} of the log`) : null));
  }), run.failures.length > 5 && h('p', { class: 'dim' }, `and ${count(run.failures.length - 5)} more in the log`));
  return box;
}

function summaryCards(run, state) {
  const { meta } = run;
  const cards = [];
  run.pools.forEach((pool, k) => {
    const p = meta.peaks?.[pool];
    if (!p || (k > 1 && !(p.allocated > 0))) return;
    const scale = state.scale(k);
    const note = caveat(run, k);
    cards.push(h('button', { type: 'button', class: 'card', 'data-card': pool, title: note ? note : null, onclick: () => { state.set('pool', k); if (p.step >= 0) state.select(p.step, 'card'); } },
      h('span', { class: 'card-name' }, `${pool} peak`, note && h('sup', { class: 'mark' }, '≥')),
      h('span', { class: 'card-value' }, mb(p.allocated * scale), h('small', null, ` / ${mb(p.capacity * scale)} MB${state.unit === 'total' ? '' : '/bank'}`)),
      h('span', { class: 'bar' }, bar(p.allocated, p.capacity)), h('span', { class: 'card-extra' }, percent(p.allocated, p.capacity))));
  });
  if (meta.weights?.count) cards.push(h('div', { class: 'card', 'data-card': 'weights' }, h('span', { class: 'card-name' }, 'Weights'), h('span', { class: 'card-value' }, bytes(meta.weights.bytes), h('small', null, ` in ${count(meta.weights.count)}`))));
  return [...cards, h('div', { class: 'cards-late', id: 'cards-late' })];
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
    ...(meta.missing ?? []).map(m => ['Not in this log: ', `${m.what}${m.setting ? `. ${m.setting}` : ''}`])];
  return h('footer', { class: 'foot', id: 'caveats' }, list.length ? [h('h2', null, 'What these figures leave out'), h('ul', null, list.map(([a, b]) => h('li', null, h('b', null, a), visible(b))))] : null,
    h('p', { class: 'dim' }, clip(`${meta.generator ?? 'ttmem'} · ${meta.source?.path ?? ''}${meta.source?.bytes ? ` · ${bytes(meta.source.bytes)}` : ''}${meta.source?.lines ? ` · ${count(meta.source.lines)} lines` : ''}`, 200)));
}
