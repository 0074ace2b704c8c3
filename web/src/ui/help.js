// SPDX-License-Identifier: Apache-2.0
// The keys of the page and what its words mean, on "?". A click on an element with data-word opens it at that word.
import terms from '../../../docs/glossary.md';
import { fill, h } from '../dom.js';

export const PAGE_KEYS = [
  ['n, p', 'next and previous op'], ['i', 'its line in the TTNN module'], ['/', 'search ops'], ['m', 'by module'],
  ['c', 'copy a link to what is shown'], ['Esc', 'clear range, second rank, highlights, op, zoom'], ['← →', 'pools, when their tab has the focus; on the strip below the graphs the window'], ['+ −', 'zoom on that strip'],
  ['drag, wheel', 'zoom; double click shows all'], ['Shift-drag', 'pan'], ['Alt-drag', 'choose a range and see its sums'], ['click a band or row', 'highlight the tensor; Shift-click a second one to compare'],
];

const placeOf = term => `word-${term.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;

export function mountHelp(keys = PAGE_KEYS) {
  const box = h('dialog', { id: 'help', 'aria-labelledby': 'help-h' });
  const list = (id, rows, place) => h('dl', { class: 'keys', id }, rows.map(([k, t]) => [h('dt', place ? { id: place(k), tabindex: '-1' } : null, k), h('dd', null, t)]));
  const go = term => {
    const word = document.getElementById(placeOf(term));
    word?.scrollIntoView({ block: 'start' });
    word?.focus({ preventScroll: true });
  };
  fill(box, h('p', { class: 'help-close' }, h('button', { type: 'button', class: 'button', id: 'help-close', onclick: () => box.close() }, 'close')),
    h('h2', { id: 'help-h' }, 'Keys'), list('help-keys', keys),
    h('h2', null, 'Words'), h('p', { id: 'help-index' }, terms.map(([term], i) => [i ? ' · ' : '', h('button', { type: 'button', class: 'link', onclick: () => go(term) }, term)])),
    list('help-words', terms, placeOf));
  document.body.append(box);
  document.addEventListener('click', e => {
    const word = e.target.closest?.('[data-word]')?.dataset.word;
    if (!word) return;
    if (!box.open) box.showModal();
    go(word);
  });
  return { toggle: () => (box.open ? box.close() : box.showModal()) };
}
