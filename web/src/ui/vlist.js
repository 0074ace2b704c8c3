// A list of any length of which only the visible rows exist. Browsers cap the height of an element, so beyond a limit
// the scroll position is scaled instead of being a pixel per pixel offset.
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
    host.addEventListener('scroll', this.draw, { passive: true });
    new ResizeObserver(this.draw).observe(host);
  }
  setCount(n) {
    this.count = n;
    this.full = n * this.rowHeight;
    this.height = Math.min(MAX_HEIGHT, this.full);
    this.spacer.style.height = `${this.height}px`;
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
    for (let i = first; i < last; i++) rows.push(this.row(i));
    this.window.replaceChildren(...rows);
    this.window.style.transform = `translateY(${Math.round(this.host.scrollTop - (top - first * this.rowHeight))}px)`;
    this.first = first;
  }
  /** Scrolls so that a row is visible, in the middle when it was not. */
  reveal(index, force = false) {
    const view = this.host.clientHeight || 400;
    const at = index * this.rowHeight, top = this.host.scrollTop * this.#ratio;
    if (!force && at >= top && at + this.rowHeight <= top + view) return this.draw();
    this.host.scrollTop = Math.max(0, at - view / 2) / this.#ratio;
    this.draw();
  }
}
