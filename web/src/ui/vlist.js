// SPDX-License-Identifier: Apache-2.0
// A list of any length of which only the visible rows exist. Browsers cap the height of an element, so beyond a limit
// the scroll position is scaled instead of being a pixel per pixel offset.
//
// The list is one stop of the Tab key: rows come and go while it scrolls, and one that had the focus would take it along. The
// arrow keys walk the rows, Enter does what a click on the row does. While a row is pressed the rows stay as they are: one that is
// replaced between press and release never hears of its click.
import { frame, h } from '../dom.js';

const MAX_HEIGHT = 8e6;

export class VirtualList {
  /** options: {host, rowHeight, row(index) -> element, label} */
  constructor({ host, rowHeight, row, label, role = 'list' }) {
    this.rowHeight = rowHeight;
    this.row = row;
    this.count = 0;
    this.host = host;
    host.classList.add('vlist');
    host.tabIndex = 0;
    if (label) host.setAttribute('aria-label', label);
    host.setAttribute('role', role);
    this.spacer = h('div', { class: 'vlist-spacer' });
    this.window = h('div', { class: 'vlist-window' });
    this.spacer.append(this.window);
    host.append(this.spacer);
    this.draw = frame(() => this.render());
    this.current = -1;
    host.addEventListener('keydown', e => this.#key(e));
    host.addEventListener('scroll', this.draw, { passive: true });
    this.pressed = false;
    this.window.addEventListener('pointerdown', () => (this.pressed = true));
    for (const released of ['pointerup', 'pointercancel', 'blur']) addEventListener(released, () => this.#release());
    new ResizeObserver(this.draw).observe(host);
  }
  setCount(n) {
    if (n !== this.count) this.current = -1;
    this.count = n;
    this.full = n * this.rowHeight;
    this.height = Math.min(MAX_HEIGHT, this.full);
    this.spacer.style.height = `${this.height}px`;
    this.draw();
  }
  #release() {
    if (!this.pressed) return;
    this.pressed = false;
    this.draw();
  }
  get #ratio() {
    const view = this.host.clientHeight;
    return this.full > this.height ? (this.full - view) / Math.max(1, this.height - view) : 1;
  }
  /** Shows the first n rows and nothing else, as paper needs it; 0 goes back to scrolling. */
  still(n) {
    this.fixed = Math.min(n, this.count);
    this.render();
    this.spacer.style.height = this.fixed ? `${this.fixed * this.rowHeight}px` : `${this.height}px`;
  }
  render() {
    if (this.pressed) return;
    if (this.fixed) {
      this.window.replaceChildren(...Array.from({ length: this.fixed }, (_, i) => this.row(i)));
      this.window.style.transform = 'none';
      return;
    }
    const view = this.host.clientHeight || 400;
    const top = this.host.scrollTop * this.#ratio;
    const first = Math.max(0, Math.floor(top / this.rowHeight) - 4);
    const last = Math.min(this.count, Math.ceil((top + view) / this.rowHeight) + 4);
    const rows = [];
    for (let i = first; i < last; i++) rows.push(this.#made(i));
    // A row that was clicked has the focus; the list keeps it.
    if (this.window.contains(document.activeElement)) this.host.focus({ preventScroll: true });
    this.window.replaceChildren(...rows);
    this.window.style.transform = `translateY(${Math.round(this.host.scrollTop - (top - first * this.rowHeight))}px)`;
    this.first = first;
  }
  #made(i) {
    const row = this.row(i);
    for (const e of [row, ...row.querySelectorAll('button')]) if (e.tagName === 'BUTTON') e.tabIndex = -1;
    if (i === this.current) row.classList.add('current');
    return row;
  }
  #key(e) {
    if (e.altKey || e.ctrlKey || e.metaKey || !this.count) return;
    const page = Math.max(1, Math.floor(this.host.clientHeight / this.rowHeight) - 1);
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[e.key];
    if (by !== undefined) {
      e.preventDefault();
      const from = this.current < 0 ? Math.ceil((this.host.scrollTop * this.#ratio) / this.rowHeight) - (by > 0 ? 1 : 0) : this.current;
      this.current = Math.max(0, Math.min(this.count - 1, from + by));
      this.#follow();
    } else if (e.key === 'Enter' && this.current >= 0) {
      e.preventDefault();
      const row = this.row(this.current);
      (row.tagName === 'BUTTON' ? row : row.querySelector('button'))?.click();
    }
  }
  /** Scrolls no further than the current row asks for. */
  #follow() {
    const view = this.host.clientHeight || 400, top = this.host.scrollTop * this.#ratio;
    const at = this.current * this.rowHeight;
    if (at < top) this.host.scrollTop = at / this.#ratio;
    else if (at + this.rowHeight > top + view) this.host.scrollTop = (at + this.rowHeight - view) / this.#ratio;
    this.draw();
  }
  /** Scrolls so that a row is visible, in the middle when it was not. */
  reveal(index, force = false) {
    const view = this.host.clientHeight || 400;
    this.current = index;
    const at = index * this.rowHeight, top = this.host.scrollTop * this.#ratio;
    if (!force && at >= top && at + this.rowHeight <= top + view) return this.draw();
    this.host.scrollTop = Math.max(0, at - view / 2) / this.#ratio;
    this.draw();
  }
}
