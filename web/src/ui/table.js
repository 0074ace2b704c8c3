// SPDX-License-Identifier: Apache-2.0
// Small tables for top lists, in plain markup: they print, and a screen reader reads them.
import { h } from '../dom.js';

/** columns: [{head, num, cls, cell(row) -> text or node, title(row)}]; a click on a row calls pick(row). */
export function table({ id, columns, rows, pick, empty = 'Nothing to show.' }) {
  if (!rows.length) return h('p', { class: 'dim', id }, empty);
  const cls = c => [c.num ? 'num' : '', c.cls ?? ''].join(' ').trim() || null;
  return h('table', { class: 'list', id },
    h('thead', null, h('tr', null, columns.map(c => h('th', { class: cls(c), scope: 'col' }, c.head)))),
    h('tbody', null, rows.map(r => {
      const tr = h('tr', pick && { class: 'pick' }, columns.map(c => h('td', { class: cls(c), title: c.title?.(r) }, c.cell(r))));
      if (pick) tr.addEventListener('click', e => { if (!e.target.closest('button')) pick(r); });
      return tr;
    })));
}

/** The name of an op as the link that selects it. */
export function opLink(run, state, step, text = null) {
  if (step < 0) return h('span', { class: 'dim' }, 'before the first op');
  return h('button', { type: 'button', class: 'link op', 'data-step': String(step), onclick: () => state.select(step, 'link') }, text ?? run.label(step));
}

export function section(id, title, ...children) {
  return h('section', { class: 'section', id, 'aria-labelledby': `${id}-h` }, h('h2', { id: `${id}-h` }, title), children);
}
