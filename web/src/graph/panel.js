// SPDX-License-Identifier: Apache-2.0
// The selected call in full: who calls it, with what, and what it does to memory.
import { fill, h } from '../dom.js';
import { bytes, clip, count, visible } from '../format.js';
import { table } from '../ui/table.js';

const change = n => (n > 0 ? `+${bytes(n)}` : n < 0 ? `−${bytes(-n)}` : '0 B');

export function mountPanel(capture, state, host) {
  const box = h('section', { class: 'panel', id: 'op-panel', 'aria-label': 'Call', tabindex: '-1' });
  const live = h('section', { class: 'alive', 'aria-label': 'Alive at the L1 peak' });
  host.append(box, live);
  const draw = () => {
    const call = capture.calls[state.selected];
    host.classList.toggle('has-op', Boolean(call));
    fill(box, call ? details(capture, state, call) : h('p', { class: 'dim pad' }, capture.count ? 'Click a bar or a graph to see the call.' : 'The capture holds no function.'));
    box.scrollTop = 0;
  };
  state.on('selected', draw);
  draw();
  aliveAtPeak(capture, live);
}

function details(capture, state, call) {
  const f = capture.function(call), path = capture.path(call.segment, call.function).slice(0, -1);
  const go = (to, text, name) => h('button', { type: 'button', class: 'icon', id: `op-${name}`, title: `${name} call (${name[0]})`, 'aria-label': `${name} call`, disabled: to < 0 || to >= capture.count, onclick: () => state.select(to, 'panel') }, text);
  const rows = [];
  const row = (name, ...content) => rows.push(h('dt', null, name), h('dd', null, content));
  if (path.length) row('called by', h('span', { class: 'mono path' }, path.map(n => clip(n, 120)).join(' › ')));
  if (call.arguments?.length) row('arguments', h('ol', { class: 'args', id: 'op-arguments' }, call.arguments.map(a => h('li', { class: 'mono' }, visible(a) || '–'))));
  row('calls', count(f.calls), f.calls > 1 ? ` of this function here, ${bytes(f.dram_allocated_bytes)} of DRAM allocated and ${bytes(f.dram_freed_bytes)} freed in all` : '');
  if (call.duration_ns) row('time', `${(call.duration_ns / 1e6).toFixed(3)} ms`);
  row('nodes', `${count(call.begin)} to ${count(call.end)}`, capture.segments.length > 1 ? ` in ${clip(capture.segments[call.segment].name, 60)}` : '');
  const own = capture.segments[call.segment].circular_buffers.filter(r => r.function === f.name);
  for (const r of own.slice(0, 12)) row(r.kind.replace('_buffer', ''), `${bytes(r.bytes_per_core)} in ${count(r.buffer_count)} per core, ${count(r.core_count)} cores`, r.gap_bytes === null || r.gap_bytes === undefined ? '' : `, ${bytes(r.gap_bytes)} below the lowest L1 buffer`);
  const line = (name, a, b, rise) => h('tr', { 'data-row': name }, h('th', { scope: 'row' }, name), h('td', { class: 'num' }, bytes(a)), h('td', { class: 'num' }, bytes(b)), h('td', { class: `num ${b > a ? 'up' : b < a ? 'down' : ''}` }, change(b - a)), h('td', { class: 'num' }, change(rise)));
  return [h('div', { class: 'panel-head' }, h('div', { class: 'row' }, h('h2', { id: 'op-title' }, h('span', { class: 'mono' }, clip(f.name, 300))), h('span', { class: 'spacer' }), go(call.i - 1, '‹', 'previous'), go(call.i + 1, '›', 'next'),
    h('button', { type: 'button', class: 'icon close', id: 'op-close', 'aria-label': 'Close', onclick: () => state.select(-1) }, '×'))),
  h('table', { class: 'list compact', id: 'op-memory' }, h('thead', null, h('tr', null, ['', 'before', 'after', 'change', 'highest'].map((t, i) => h('th', { class: i ? 'num' : null }, t)))),
    h('tbody', null, line('DRAM', call.dram_start_bytes, call.dram_end_bytes, call.dram_rise_bytes), line(capture.coresKnown ? 'L1 buffers' : 'L1, all banks', call.l1_start_bytes, call.l1_end_bytes, call.l1_rise_bytes),
      h('tr', { 'data-row': 'program' }, h('th', { scope: 'row' }, 'program'), h('td'), h('td'), h('td'), h('td', { class: 'num' }, bytes(call.program_peak_bytes))))),
  h('dl', { class: 'facts-list' }, rows)];
}

/** What lies in L1 at its peak, beside the circular buffers. */
function aliveAtPeak(capture, box) {
  const most = s => s.l1.peak_total_bytes ?? s.alive_at_l1_peak.reduce((n, b) => n + b.size_bytes, 0);
  const segment = capture.segments.reduce((m, s) => (!m || most(s) > most(m) ? s : m), null);
  const rows = segment?.alive_at_l1_peak.slice(0, 200) ?? [];
  fill(box, h('div', { class: 'alive-head' }, h('h2', null, 'Alive at the L1 peak'),
    h('p', { class: 'answer' }, segment ? [h('b', null, bytes(most(segment))), ` ${capture.coresKnown ? 'per core' : 'over all banks, beside the circular buffers'}${segment.l1.peak_function ? ` in ${clip(segment.l1.peak_function, 60)}` : ''}`] : 'nothing')),
  h('div', { class: 'alive-rows vlist' }, table({ id: 'alive-l1', empty: 'No L1 buffer.', rows, columns: [
    { head: capture.coresKnown ? 'per core' : 'all banks', num: true, cell: r => bytes(capture.coresKnown ? r.bytes_per_core ?? r.size_bytes : r.size_bytes) },
    { head: 'buffer', cls: 'mono', cell: r => clip(r.tensor || r.function || '–', 60), title: r => clip(`${r.function ?? ''} ${r.address ? `@ ${r.address}` : ''}`, 200) }] })));
}
