// SPDX-License-Identifier: Apache-2.0
// The keys of the page and what its words mean, on "?".
import terms from '../../../docs/glossary.md';
import { fill, h } from '../dom.js';

export const PAGE_KEYS = [
  ['n, p', 'next and previous op'], ['i', 'its line in the TTNN module'], ['/', 'search ops'], ['m', 'by module'],
  ['c', 'copy a link to what is shown'], ['Esc', 'clear range, second rank, highlights, op, zoom'], ['← →', 'pools, when their tab has the focus; on the strip below the graphs the window'], ['+ −', 'zoom on that strip'],
  ['drag, wheel', 'zoom; double click shows all'], ['Shift-drag', 'pan'], ['Alt-drag', 'choose a range and see its sums'], ['click a band or row', 'highlight the tensor; Shift-click a second one to compare'],
];

export function mountHelp(keys = PAGE_KEYS) {
  const box = h('dialog', { id: 'help', 'aria-labelledby': 'help-h' });
  const list = (id, rows) => h('dl', { class: 'keys', id }, rows.map(([k, t]) => [h('dt', null, k), h('dd', null, t)]));
  fill(box, h('p', { class: 'help-close' }, h('button', { type: 'button', class: 'button', id: 'help-close', onclick: () => box.close() }, 'close')),
    h('h2', { id: 'help-h' }, 'Keys'), list('help-keys', keys),
    h('h2', null, 'Words'), list('help-words', terms), h('p', { class: 'dim' }, 'More about each in docs/glossary.md of ttmem.'));
  document.body.append(box);
  return { toggle: () => (box.open ? box.close() : box.showModal()) };
}
