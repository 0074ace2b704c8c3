// SPDX-License-Identifier: Apache-2.0
// The tables of the capture, one section per question.
import { fill, h } from '../dom.js';
import { bytes, clip, count } from '../format.js';
import { saveCsv } from '../ui/csv.js';
import { section, table } from '../ui/table.js';
import { l1Parts } from './l1.js';

const ROWS = 500;
const num = (head, value) => ({ head, num: true, cell: r => value(r) });
const text = (head, value, cls = 'mono') => ({ head, cls, cell: r => value(r) });
const size = n => (n === null || n === undefined ? '–' : n < 0 ? `−${bytes(-n)}` : bytes(n));

export function mountSections(capture, state, host) {
  const many = capture.segments.length > 1;
  const each = make => capture.segments.map((s, i) => [many && h('h3', null, clip(s.name, 120)), make(s, i)]);
  const parts = [['usage', 'Usage', usage(capture)], ['alive', 'Alive at the peaks', each(s => [lives('At the DRAM peak', s.alive_at_dram_peak), lives('At the L1 peak', s.alive_at_l1_peak)])],
    ['circular', 'Circular buffers', each((s, i) => circular(capture, state, s, i))], ['functions', 'Functions', functions(capture, state)],
    ['tensors', 'Tensors', each(tensors)], ['end', 'Alive at the end', each(s => lives(null, s.alive_at_end))]];
  const l1 = l1Parts(capture, state);
  if (l1) parts.splice(2, 0, ['l1', 'L1 of a core', l1]);
  if (capture.segments.some(s => s.simulation)) parts.push(['simulation', 'Simulated', each(simulation)]);
  const nav = h('nav', { class: 'nav', 'aria-label': 'Sections' }, parts.map(([id, name]) => h('button', { type: 'button', class: 'tab', 'data-section': id, onclick: () => document.getElementById(id).scrollIntoView({ block: 'start' }) }, name)));
  fill(host, nav, parts.map(([id, name, content]) => section(id, name, content)));
}

function limited(rows, make) {
  return [make(rows.slice(0, ROWS)), rows.length > ROWS && h('p', { class: 'dim' }, `and ${count(rows.length - ROWS)} more: ttmem graph --json lists them all`)];
}

function usage(capture) {
  const rows = capture.segments.flatMap(s => [{ s, own: true, dram: s.dram, l1: s.l1 }, { s, own: false, dram: s.upstream.dram, l1: s.upstream.l1 }]);
  return [h('p', { class: 'answer dim' }, 'DRAM over all banks of a chip, from the start of the segment. L1 on the fullest core. Beside these, the sums of tt-metal\u2019s own extractors.'),
    table({ id: 'usage-table', rows, columns: [
      text('segment', r => (r.own ? clip(r.s.name, 60) : 'by upstream\u2019s rules'), ''),
      num('DRAM peak', r => size(r.dram.peak_bytes)), num('allocated', r => size(r.dram.allocated_bytes)), num('freed', r => size(r.dram.freed_bytes)),
      num('L1 peak', r => size(r.l1.peak_total_bytes)), num('circular', r => size(r.l1.peak_cb_bytes)), num('buffers', r => size(r.l1.peak_buffer_bytes)),
      num('dataflow', r => size(r.l1.peak_dataflow_bytes)), num('scratchpad', r => size(r.l1.peak_scratchpad_bytes))] })];
}

function lives(title, rows) {
  return [title && h('h3', null, title), limited(rows, shown => table({ rows: shown, empty: 'Nothing.', columns: [
    num('bytes', r => size(r.size_bytes)), num('per core', r => size(r.bytes_per_core)), text('type', r => r.pool.toUpperCase(), ''), text('tensor', r => clip(r.tensor ?? '–', 80)),
    text('allocated in', r => clip(r.function ?? '–', 80)), num('address', r => (r.address ? count(r.address) : '–'))] }))];
}

function circular(capture, state, s, segment) {
  const byName = new Map(s.functions.map(f => [f.name, f.function_id]));
  const link = r => {
    const to = byName.has(r.function) ? capture.longestCall(segment, byName.get(r.function)) : -1;
    return to < 0 ? clip(r.function ?? '–', 80) : h('button', { type: 'button', class: 'link mono', onclick: () => state.select(to, 'table') }, clip(r.function, 80));
  };
  return [h('p', { class: 'answer dim' }, 'Per core of a range, in the fullest program. Gap: from their end to the lowest L1 buffer; below zero they clash.'),
    limited(s.circular_buffers, rows => table({ rows, empty: 'None.', columns: [num('per core', r => size(r.bytes_per_core)), text('kind', r => r.kind.replaceAll('_', ' '), ''), text('function', link), num('buffers', r => count(r.buffer_count)),
      num('borrowed', r => count(r.borrowed_count)), num('cores', r => count(r.core_count)), num('end', r => (r.region_end ? count(r.region_end) : '–')), num('gap', r => size(r.gap_bytes)), text('core ranges', r => clip(r.core_ranges ?? '–', 200), 'mono wide')] }))];
}

/** Every function below its caller, in the order of first calls. */
function treeOf(segment) {
  const below = new Map();
  for (const f of segment.functions) {
    const list = below.get(f.parent ?? 0);
    if (list) list.push(f);
    else below.set(f.parent ?? 0, [f]);
  }
  const rows = [], todo = [...(below.get(0) ?? [])].reverse().map(f => [f, 0]);
  while (todo.length) {
    const [f, depth] = todo.pop();
    rows.push({ f, depth });
    for (const child of [...(below.get(f.function_id) ?? [])].reverse()) todo.push([child, depth + 1]);
  }
  return rows;
}

function functions(capture, state) {
  const all = capture.segments.flatMap((s, segment) => treeOf(s).map(r => ({ ...r, segment })));
  const search = h('input', { type: 'search', id: 'function-search', placeholder: 'search functions and arguments', 'aria-label': 'Search functions' });
  const box = h('div', { id: 'function-rows' });
  let shown = all;
  const draw = () => {
    const q = search.value.trim().toLowerCase();
    shown = q ? all.filter(r => r.f.name.toLowerCase().includes(q) || r.f.arguments?.some(a => a.toLowerCase().includes(q))) : all;
    fill(box, limited(shown, rows => table({ id: 'function-table', rows, empty: 'No function of that name.', columns: [
      text('function', r => h('button', { type: 'button', class: 'link mono tree-name', onclick: () => state.select(capture.longestCall(r.segment, r.f.function_id), 'table') }, `${q ? '' : '  '.repeat(Math.min(r.depth, 16))}${clip(r.f.name, 120)}`)),
      num('calls', r => count(r.f.calls)), num('DRAM rise', r => size(r.f.dram_rise_bytes)), num('DRAM change', r => size(r.f.dram_allocated_bytes - r.f.dram_freed_bytes)), num('L1 rise', r => size(r.f.l1_rise_bytes)),
      num('circular', r => size(r.f.program_peak_bytes)), text('arguments of the first call', r => clip(r.f.arguments?.join(', ') || '–', 160), 'mono wide')] })));
  };
  search.addEventListener('input', draw);
  draw();
  const csv = h('button', { type: 'button', class: 'button', onclick: () => saveCsv(`${capture.name}_functions.csv`, ['segment', 'depth', 'function', 'calls', 'dram_rise_bytes', 'dram_allocated_bytes', 'dram_freed_bytes', 'l1_rise_bytes', 'program_peak_bytes', 'arguments'], shown.length, i => {
    const { f, depth, segment } = shown[i];
    return [capture.segments[segment].name, depth, f.name, f.calls, f.dram_rise_bytes, f.dram_allocated_bytes, f.dram_freed_bytes, f.l1_rise_bytes, f.program_peak_bytes, f.arguments?.join(', ') ?? ''];
  }) }, 'CSV');
  return [h('div', { class: 'bar-row' }, search, csv), box];
}

function tensors(s) {
  return [h('p', { class: 'answer' }, `${count(s.output_tensors.length)} output, ${count(s.intermediate_tensor_count)} intermediate.`),
    table({ rows: s.output_tensors.slice(0, ROWS), empty: 'No output tensor.', columns: [text('shape', r => clip(r.shape ?? '–', 100)), text('type', r => clip(r.dtype ?? '–', 60)), num('bytes', r => size(r.size_bytes)), text('memory', r => r.pool?.toUpperCase() ?? '–', '')] })];
}

function simulation(s) {
  if (!s.simulation) return null;
  return [h('p', { class: 'answer' }, h('b', null, s.simulation.fits ? `Fits ${s.simulation.chip}.` : `Does not fit ${s.simulation.chip}: ${count(s.simulation.failure_count)} ${s.simulation.failure_count === 1 ? 'failure' : 'failures'}.`)),
    table({ rows: s.simulation.simulated_pools, columns: [text('memory', r => r.pool.toUpperCase(), ''), num('peak per bank', r => size(r.peak_bytes_per_bank)), num('of', r => size(r.capacity_bytes_per_bank)), num('free at the end', r => size(r.free_bytes_per_bank)), num('largest block', r => size(r.largest_free_bytes_per_bank))] }),
    s.simulation.failures.length ? table({ rows: s.simulation.failures, columns: [num('node', r => count(r.counter)), text('kind', r => r.kind.replaceAll('_', ' '), ''), text('memory', r => r.pool.toUpperCase(), ''), num('bytes', r => size(r.size_bytes)), num('free per bank', r => size(r.free_bytes_per_bank)), num('largest block', r => size(r.largest_free_bytes_per_bank)), text('function', r => clip(r.function ?? '–', 80))] }) : null];
}
