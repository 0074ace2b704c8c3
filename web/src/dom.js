// SPDX-License-Identifier: Apache-2.0
// Elements from plain values. Text only ever becomes a text node, so nothing from a log can turn into markup.

export function h(tag, attrs, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attrs ?? {})) {
    if (v === null || v === undefined || v === false) continue;
    if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
    else if (k === 'class') e.className = v;
    else if (k in e && typeof v !== 'string') e[k] = v;
    else e.setAttribute(k, v === true ? '' : v);
  }
  add(e, children);
  return e;
}

export function add(e, children) {
  for (const c of children.flat(Infinity)) if (c !== null && c !== undefined && c !== false) e.append(c instanceof Node ? c : String(c));
  return e;
}

export function fill(e, ...children) {
  e.replaceChildren();
  return add(e, children);
}

export const cssVar = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Runs `f` once in the next frame however often it is asked for. */
export function frame(f) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      f();
    });
  };
}

/** Runs `draw` when it is asked for while `box` is near the screen, else when it comes there. */
export function whenSeen(box, draw) {
  let seen = false, stale = false;
  new IntersectionObserver(entries => {
    seen = entries[entries.length - 1].isIntersecting;
    if (seen && stale) {
      stale = false;
      draw();
    }
  }, { rootMargin: '200px' }).observe(box);
  return () => {
    if (seen) draw(); else stale = true;
  };
}
