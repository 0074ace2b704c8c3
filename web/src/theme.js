// SPDX-License-Identifier: Apache-2.0
// Light and dark: follows the system until the reader switches; printing is always light.
const KEY = 'ttmem-theme';

export class Theme {
  constructor(state) {
    this.state = state;
    this.media = matchMedia('(prefers-color-scheme: dark)');
    try {
      this.choice = localStorage.getItem(KEY);
    } catch {
      // A file opened from disk may have no storage; the choice then lasts as long as the page.
    }
    this.apply();
    this.media.addEventListener('change', () => this.apply());
    addEventListener('beforeprint', () => this.#print(true));
    addEventListener('afterprint', () => this.#print(false));
  }
  /** Paper is light and narrow, and has no disclosure buttons. */
  #print(on) {
    this.apply(on ? 'light' : undefined);
    for (const d of document.querySelectorAll('.failure details')) d.open = on;
    this.state.printing = on;
    this.state.emit('print');
  }
  get current() {
    return this.choice === 'light' || this.choice === 'dark' ? this.choice : this.media.matches ? 'dark' : 'light';
  }
  apply(force) {
    const theme = force ?? this.current;
    if (document.documentElement.dataset.theme === theme) return;
    document.documentElement.dataset.theme = theme;
    this.state.emit('theme');
  }
  toggle() {
    this.choice = this.current === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem(KEY, this.choice);
    } catch {
      // As above.
    }
    this.apply();
  }
}
