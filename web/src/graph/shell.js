// SPDX-License-Identifier: Apache-2.0
// Header, verdict, cards and the frame of the page.
import { fill, h } from '../dom.js';
import { bytes, clip, count, percent, visible } from '../format.js';
import { bar, copyLink, helpButton, wayBack } from '../ui/shell.js';

export function buildShell(capture, state, theme, app) {
  const graphs = h('section', { class: 'graphs', id: 'graphs', 'aria-label': 'Graphs' });
  const sections = h('div', { id: 'sections' });
  const side = h('aside', { class: 'side', id: 'side', 'aria-label': 'Selected call' });
  fill(app, header(capture, theme), verdicts(capture), h('div', { class: 'cards', id: 'cards' }, cards(capture, state)),
    h('div', { class: 'body' }, h('main', { class: 'main' }, graphs, sections), side), footer(capture));
  return { graphs, sections, side };
}

const total = (capture, f) => capture.segments.reduce((sum, s) => sum + f(s), 0);

function header(capture, theme) {
  const calls = total(capture, s => s.functions.reduce((n, f) => n + f.calls, 0));
  const ns = total(capture, s => s.duration_ns ?? 0);
  const facts = ['graph capture', capture.segments.length > 1 && `${count(capture.segments.length)} segments`, `${count(capture.nodes)} nodes`, `${count(calls)} calls`,
    ns > 0 && `${(ns / 1e6).toFixed(3)} ms`, capture.segments.some(s => s.no_dispatch) && 'no dispatch'];
  return h('header', { class: 'top' }, wayBack(), h('h1', { title: visible(capture.name) }, clip(capture.name ?? '', 80)),
    h('span', { class: 'facts' }, facts.filter(Boolean).map(f => h('span', null, f))), h('span', { class: 'spacer' }), copyLink(), helpButton(),
    h('button', { type: 'button', class: 'icon', id: 'theme', title: 'Light or dark', 'aria-label': 'Switch between light and dark', onclick: () => theme.toggle() }, '◐'));
}

const kind = f => ({ dataflow_buffer: 'Dataflow buffers', scratchpad: 'Scratchpads' })[f.program_memory] ?? 'Circular buffers';
const WHY = {
  out_of_memory: f => `${bytes(f.requested_bytes_per_bank)} per bank wanted, ${bytes(f.free_bytes_per_bank)} free.`,
  fragmented: f => `${bytes(f.requested_bytes_per_bank)} per bank wanted, ${bytes(f.free_bytes_per_bank)} free, largest free block ${bytes(f.largest_free_bytes_per_bank)}.`,
  beyond_l1: f => `${kind(f)} end at ${count(f.region_end)}, beyond the end of L1.`,
  circular_buffer_clash: f => `${kind(f)} end at ${count(f.region_end)}, the lowest L1 buffer begins at ${count(f.lowest_l1_address ?? 0)}.`,
};
const TITLE = { out_of_memory: 'Out of memory', fragmented: 'Out of memory: fragmented', beyond_l1: 'Beyond L1', circular_buffer_clash: 'Clash with L1 buffers' };

/** Where a replay in the simulated allocator failed. */
function verdicts(capture) {
  return capture.segments.filter(s => s.simulation && !s.simulation.fits).map(s => {
    const f = s.simulation.failures[0];
    return h('section', { class: 'failure', 'aria-label': 'Failure' }, h('p', null, h('b', null, `Does not fit ${s.simulation.chip}. ${TITLE[f.kind] ?? f.kind}`), ` in ${f.pool.toUpperCase()}: `, WHY[f.kind]?.(f) ?? '',
      ` First at node ${count(f.counter)}`, f.function ? [' in ', h('span', { class: 'mono' }, clip(f.function, 80))] : null, s.simulation.failure_count > 1 ? `, ${count(s.simulation.failure_count)} in all.` : '.'));
  });
}

function cards(capture, state) {
  const { capacity } = capture;
  const card = (name, value, extra, part, whole, go) => h(go ? 'button' : 'div', { type: go ? 'button' : null, class: 'card', 'data-card': name, onclick: go },
    h('span', { class: 'card-name' }, name), h('span', { class: 'card-value' }, value, extra && h('small', null, extra)),
    whole ? [h('span', { class: 'bar' }, bar(part, whole)), h('span', { class: 'card-extra' }, percent(part, whole))] : null);
  const jump = c => () => state.select(c > 0 ? capture.callAt((c - 1) * capture.stride) : -1, 'card');
  const dram = capture.segments.reduce((m, s) => Math.max(m, s.dram.peak_bytes), 0);
  const highest = l1 => l1.peak_total_bytes ?? l1.peak_cb_bytes ?? 0;
  const top = capture.segments.reduce((m, s) => (!m || highest(s.l1) > highest(m) ? s.l1 : m), null), known = capture.coresKnown;
  const end = capture.segments[capture.segments.length - 1];
  const alive = end ? end.alive_at_end.reduce((n, b) => n + b.size_bytes, 0) : 0;
  return [card('DRAM peak', bytes(dram), capacity.dram_bytes ? ` / ${bytes(capacity.dram_bytes)}` : ' all banks', dram, capacity.dram_bytes, jump(capture.dramPeak)),
    top && card('L1 peak', known ? bytes(top.peak_total_bytes) : 'not known', known && capacity.l1_bytes ? ` / ${bytes(capacity.l1_bytes)} per core` : ' per core', top.peak_total_bytes, known ? capacity.l1_bytes : 0, jump(capture.l1Peak)),
    top && card('Circular buffers', bytes(top.peak_cb_bytes), ' per core'), top && (known ? card('L1 buffers', bytes(top.peak_buffer_bytes), ' per core') : card('L1 buffers', bytes(capture.l1AllBanks), ' over all banks')),
    end && card('Alive at the end', bytes(alive), ` in ${count(end.alive_at_end.length)} buffers`, 0, 0, () => document.getElementById('end').scrollIntoView())];
}

const ENDS = { cut: 'is cut: everything before the cut is counted', empty: 'is empty', not_json: 'ends in text that is not JSON' };
const PROBLEMS = { unreadable_nodes: 'nodes could not be read', wrong_values: 'values are not what they should be and are taken as missing', unknown_nodes: 'nodes are of a kind that this version does not know', out_of_order: 'counters are not the position of their node', stray_bytes: 'bytes stand between nodes' };

function footer(capture) {
  const notes = [];
  for (const s of capture.segments) {
    if (ENDS[s.ending]) notes.push([s.name, ENDS[s.ending]]);
    for (const [k, text] of Object.entries(PROBLEMS)) if (s.problems[k]) notes.push([s.name, `${count(s.problems[k])} ${text}`]);
    if (s.upstream?.l1?.old_rule) notes.push([s.name, 'without bytes per bank, L1 buffers are spread over the cores by the older formula']);
  }
  if (!capture.coresKnown) notes.push(['L1', 'what a core holds of its buffers is not known: neither bytes per bank nor addresses show the banks (ttmem graph --interleaved-cores N)']);
  const { calls_left_out: left, shortest_call: shortest } = capture.timeline;
  if (left) notes.push(['timeline', `${count(left)} calls of at most ${count(shortest)} nodes are not drawn; the tables count them`]);
  if (capture.stride > 1) notes.push(['timeline', `one point stands for ${count(capture.stride)} nodes and shows the highest of them`]);
  return h('footer', { class: 'foot', id: 'caveats' }, notes.length ? [h('h2', null, 'What these figures leave out'), h('ul', null, notes.map(([a, b]) => h('li', null, h('b', null, `${clip(a, 80)}: `), b)))] : null,
    h('p', { class: 'dim' }, clip(`${capture.data.generator ?? 'ttmem'} · ${capture.segments.map(s => s.path).join(' · ')}`, 300)));
}
