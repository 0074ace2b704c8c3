// SPDX-License-Identifier: Apache-2.0
// The registry of weights and inputs, searchable and sorted by size.
import { fill, h } from '../dom.js';
import { MIB, bytes, clip, count, mb } from '../format.js';
import { weightsInBlocks } from './blockfloat.js';
import { saveCsv } from './csv.js';
import { section } from './table.js';
import { VirtualList } from './vlist.js';

export function weightSection(ctx) {
  const { run, state } = ctx;
  const { registry } = run;
  const isWeight = e => e.type === 'parameter' || e.type === 'constant';
  const weights = registry.filter(e => isWeight(e) && e.buffer === e.index); // one buffer may be handed to several programs
  const { count: number, bytes: total } = run.meta.weights ?? { count: weights.length, bytes: weights.reduce((a, e) => a + e.bytes, 0) };
  const largest = weights.reduce((a, e) => (a && a.bytes >= e.bytes ? a : e), null);
  const answer = h('p', { class: 'answer' }, weights.length ? [h('b', null, `${bytes(total)} in ${count(number)} weights`), ', the largest ', h('span', { class: 'mono' }, clip(largest.name, 100)), ` with ${bytes(largest.bytes)}.`] : 'The log names no weights (they come with the module dump: TTXLA_LOGGER_LEVEL=DEBUG).');
  const blocks = weights.length && run.banksKnown(0) ? weightsInBlocks(ctx, 0) : null;
  if (blocks && blocks.then < blocks.now) answer.append(` At the ${run.pools[0]} peak they, and what const-eval made of them, hold ${mb(blocks.now / MIB)} MB per bank; in bfloat8_b it would be ${mb(blocks.then / MIB)}, `, h('b', null, `${mb((blocks.now - blocks.then) / MIB)} less`), ', by size alone.');
  if (!registry.length) return section('weights', 'Weights', answer);
  let shown = [];
  const search = h('input', { type: 'search', id: 'weight-search', placeholder: 'search name, shape, type', 'aria-label': 'Search weights', oninput: () => filter() });
  const found = h('span', { class: 'dim', id: 'weight-count' });
  const rows = h('div', { class: 'rows' });
  const box = section('weights', 'Weights', answer, h('div', { class: 'bar-row' }, search, found, h('span', { class: 'spacer' }), h('button', { type: 'button', class: 'button', onclick: () => saveCsv(`${run.meta.name}_weights.csv`, ['index', 'name', 'type', 'shape', 'dtype', 'bytes'], shown.length, i => [shown[i].index, shown[i].name, shown[i].type, shown[i].shape, shown[i].dtype, shown[i].bytes]) }, 'CSV')),
    h('div', { class: 'vtable', id: 'weight-table' }, h('div', { class: 'vrow vhead weights-grid' }, ['#', 'name', 'type', 'shape', 'dtype', 'size'].map((t, i) => h('span', { class: ['num minor', null, 'minor', null, 'minor', 'num'][i] }, t))), rows));
  const list = new VirtualList({
    host: rows, rowHeight: 24, label: 'Weights and inputs', row: i => {
      const e = shown[i];
      return h('div', { class: 'vrow weights-grid' }, h('span', { class: 'num minor' }, String(e.index)), h('span', { class: 'mono', title: clip(e.name, 400) }, clip(e.name, 140)), h('span', { class: 'minor' }, h('i', { class: `key ${isWeight(e) ? (e.type === 'constant' ? 'const-eval' : 'weight') : 'input'}` }), clip(`${e.type}${e.kv ? ', KV cache' : ''}`, 40)), h('span', { class: 'mono' }, clip(e.shape, 60)), h('span', { class: 'mono minor' }, clip(e.dtype, 20)), h('span', { class: 'num' }, bytes(e.bytes)));
    },
  });
  const filter = () => {
    const q = search.value.trim().toLowerCase();
    state.setField('weight', search.value.trim());
    shown = registry.filter(e => !q || `${e.name} ${e.shape} ${e.type} ${e.dtype} ${e.ssa}`.toLowerCase().includes(q)).sort((a, b) => b.bytes - a.bytes || a.index - b.index);
    fill(found, q ? `${count(shown.length)} of ${count(registry.length)}` : `${count(registry.length)} entries`);
    rows.style.height = `${Math.min(12, Math.max(1, shown.length)) * 24}px`;
    list.setCount(shown.length);
  };
  state.on('weight', () => {
    const asked = state.fields.get('weight') ?? '';
    if (asked === search.value.trim()) return;
    search.value = asked;
    filter();
  });
  filter();
  return box;
}
