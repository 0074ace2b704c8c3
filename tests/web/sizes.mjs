// SPDX-License-Identifier: Apache-2.0
// What depends on the size of the screen and on the theme: wide and narrow, light and dark, each with all of them. Nothing is wider than
// the screen, no text lies over another, neither in the page nor on its graphs, all of it stands out, and the keys work.
import assert from 'node:assert/strict';
import { SHADES } from '../../web/src/charts/shades.js';
import { settle } from './browser.mjs';
import { measure } from './contrast.mjs';

const SCREENS = [[1440, 900], [400, 800]].flatMap(([width, height]) => ['light', 'dark'].map(theme => ({ width, height, theme })));

/** Runs before the page: keeps what is written on each canvas since it was cleared. */
function record() {
  const { fillText, clearRect } = CanvasRenderingContext2D.prototype;
  window.written = new Map();
  CanvasRenderingContext2D.prototype.clearRect = function (...rest) {
    window.written.set(this.canvas, []);
    return clearRect.apply(this, rest);
  };
  CanvasRenderingContext2D.prototype.fillText = function (s, x, y, ...rest) {
    const w = this.measureText(s).width, left = x - (this.textAlign === 'right' ? w : this.textAlign === 'center' ? w / 2 : 0);
    if (s.trim() && this.canvas.isConnected) window.written.get(this.canvas)?.push({ s, left, right: left + w, y, baseline: this.textBaseline, size: parseFloat(this.font.replace(/^[^0-9]*/, '')) });
    return fillText.call(this, s, x, y, ...rest);
  };
}

/** Runs in the page: texts over each other on a canvas. */
function labels() {
  const out = [];
  for (const [canvas, list] of window.written) {
    if (!canvas.isConnected) continue;
    const boxes = list.map(d => {
      const middle = d.baseline === 'middle' ? d.y : d.baseline === 'top' || d.baseline === 'hanging' ? d.y + d.size / 2 : d.y - d.size / 2;
      return { ...d, top: middle - d.size * 0.35, bottom: middle + d.size * 0.35 };
    });
    boxes.forEach((a, i) => {
      for (const b of boxes.slice(i + 1)) if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom && b.top < a.bottom) out.push(`${canvas.closest('[id]')?.id}: "${a.s}" over "${b.s}"`);
    });
  }
  return out;
}

/** Runs in the page: what is wider than the screen, and texts of the page over each other. */
function layout() {
  const out = [], width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) out.push(`the page is ${document.documentElement.scrollWidth} wide`);
  const rolls = e => { for (let x = e; x && x !== document.body; x = x.parentElement) if (/auto|scroll|hidden|clip/.test(getComputedStyle(x).overflowX)) return true; return false; };
  const rects = [];
  const walker = document.createTreeWalker(document.getElementById('app'), NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    const e = node.parentElement;
    if (!node.data.trim() || !e.checkVisibility({ visibilityProperty: true }) || e.closest('.rows, select, option')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const r of range.getClientRects()) {
      if (r.width < 2) continue;
      if (r.right > width + 1 && !rolls(e)) out.push(`"${node.data.trim().slice(0, 30)}" ends at ${Math.round(r.right)}`);
      const card = e.closest('.card');
      if (card && r.right > card.getBoundingClientRect().right + 1) out.push(`"${node.data.trim().slice(0, 30)}" leaves its card`);
      const seen = { text: node.data.trim().slice(0, 30), node, e, left: r.left, right: r.right, top: r.top, bottom: r.bottom };
      // What a box cuts off is not seen.
      for (let x = e; x && x !== document.body; x = x.parentElement) {
        const style = getComputedStyle(x), box = x.getBoundingClientRect();
        if (style.overflowX !== 'visible') Object.assign(seen, { left: Math.max(seen.left, box.left), right: Math.min(seen.right, box.right) });
        if (style.overflowY !== 'visible') Object.assign(seen, { top: Math.max(seen.top, box.top), bottom: Math.min(seen.bottom, box.bottom) });
      }
      if (seen.right > seen.left && seen.bottom > seen.top) rects.push(seen);
    }
  }
  const fixed = e => { for (let x = e; x; x = x.parentElement) if (/fixed|sticky/.test(getComputedStyle(x).position)) return x; return null; };
  rects.forEach(r => (r.layer = fixed(r.e)));
  rects.sort((a, b) => a.top - b.top);
  rects.forEach((a, i) => {
    for (let j = i + 1; j < rects.length && rects[j].top < a.bottom; j++) {
      const b = rects[j];
      if (a.node !== b.node && a.layer === b.layer && a.left < b.right - 2 && b.left < a.right - 2 && a.bottom - b.top > 4) out.push(`"${a.text}" over "${b.text}"`);
    }
  });
  return [...new Set(out)];
}

export const tests = SCREENS.map(screen => [`screen: ${screen.width} px, ${screen.theme}: nothing too wide, no text over another, contrast, keys`, async ({ open, openReport }) => {
  const pages = [];
  for (const kind of ['planted', 'failures', 'ranks']) pages.push([kind, (await open(kind, { ...screen, script: record })).page]);
  pages.push(['layers', (await openReport('layers', { ...screen, script: record })).page]);
  for (const [kind, page] of pages) {
    const sound = async what => {
      await settle(page);
      assert.deepEqual(await page.evaluate(layout), [], `${kind}: ${what}`);
      assert.deepEqual(await page.evaluate(labels), [], `${kind}: ${what}: graphs`);
      assert.equal((await page.evaluate(measure, SHADES)).failed.join('; '), '', `${kind}: ${what}: contrast`);
    };
    await sound('as it opens');
    // The largest tensor pinned, by keyboard. The failures happen before there is one.
    if (kind !== 'failures') {
      await page.focus('#alive-list');
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
      await page.locator('#pin-title').waitFor();
      assert.ok(await page.locator('#pin-close').isVisible(), 'a way to let go');
      await sound('pinned');
      await page.locator('#pin-close').click();
      assert.ok(await page.locator('#pin-panel').isHidden());
    }
    await page.keyboard.press('m');
    await sound('by module');
    await page.keyboard.press('?');
    assert.ok(await page.locator('#help').evaluate(e => e.open && e.scrollWidth <= e.clientWidth));
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await sound('the next op');
  }
}]);
