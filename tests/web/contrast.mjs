// SPDX-License-Identifier: Apache-2.0
// Contrast by WCAG 2: text at least 4.5:1 against what is behind it (3:1 when large), marks at least 3:1. Measured on the page as it
// is drawn, in both themes: every element that holds text, what it stands on, and the colours of the canvases.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SHADES } from '../../web/src/charts/shades.js';
import { settle } from './browser.mjs';

/** Runs in the page: the pairs below their limit, and how many were measured. */
export function measure(shades) {
  const parse = color => {
    const m = /rgba?\(([^)]+)\)/.exec(color);
    if (m) {
      const [r, g, b, a = 1] = m[1].split(/[ ,/]+/).map(Number);
      return { r, g, b, a };
    }
    const s = /color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.]+))?\)/.exec(color);
    if (s) return { r: s[1] * 255, g: s[2] * 255, b: s[3] * 255, a: s[4] === undefined ? 1 : Number(s[4]) };
    const x = /^#(..)(..)(..)$/.exec(color);
    return x ? { r: parseInt(x[1], 16), g: parseInt(x[2], 16), b: parseInt(x[3], 16), a: 1 } : { r: 0, g: 0, b: 0, a: 0 };
  };
  const over = (top, below) => ({ r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a), b: top.b * top.a + below.b * (1 - top.a), a: 1 });
  const light = ({ r, g, b }) => [r, g, b].map(v => v / 255).map(v => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (a, b) => {
    const [hi, lo] = [light(a), light(b)].sort((x, y) => y - x);
    return (hi + 0.05) / (lo + 0.05);
  };
  const behind = e => {
    const layers = [];
    for (let x = e; x; x = x.parentElement) {
      const c = parse(getComputedStyle(x).backgroundColor);
      if (c.a > 0) layers.push(c);
      if (c.a === 1) break;
    }
    return layers.reverse().reduce((below, c) => over(c, below), { r: 255, g: 255, b: 255, a: 1 });
  };
  const failed = new Map();
  let texts = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    const e = node.parentElement;
    if (!node.data.trim() || !e.checkVisibility?.({ visibilityProperty: true }) || e.closest('script, style, noscript')) continue;
    const style = getComputedStyle(e);
    const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 700;
    const least = size >= 24 || (bold && size >= 18.66) ? 3 : 4.5;
    const back = behind(e), r = ratio(over(parse(style.color), back), back);
    texts++;
    if (r < least) failed.set(`${e.tagName.toLowerCase()}.${e.className || e.id} "${node.data.trim().slice(0, 20)}" ${r.toFixed(2)}`, r);
  }
  const css = name => parse(getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  const bg = css('bg');
  // Written on the canvases: axis, labels, capacity, failure. Drawn there: lines, bands, marks.
  for (const name of ['fg', 'dim', 'failure']) if (ratio(css(name), bg) < 4.5) failed.set(`canvas text --${name} ${ratio(css(name), bg).toFixed(2)}`, 0);
  for (const name of ['accent', 'alloc', 'weight', 'activation', 'const-eval', 'input', 'rest', 'capacity', 'failure']) if (ratio(css(name), bg) < 3) failed.set(`mark --${name} ${ratio(css(name), bg).toFixed(2)}`, 0);
  const shaded = (name, share) => ratio(over({ ...css(name), a: share }, bg), bg);
  for (const [name, share] of [['weight', shades.band], ['activation', shades.band], ['const-eval', shades.band], ['input', shades.band], ['rest', shades.hatch]]) if (shaded(name, share) < 3) failed.set(`band --${name} ${shaded(name, share).toFixed(2)}`, 0);
  for (const e of document.querySelectorAll('i.key:not(.rest):not(.pad), .bar .fill')) {
    if (!e.checkVisibility()) continue;
    const own = parse(getComputedStyle(e).backgroundColor), r = ratio(over(own, behind(e.parentElement)), behind(e.parentElement));
    if (own.a > 0 && r < 3) failed.set(`mark ${e.className} ${r.toFixed(2)}`, r);
  }
  // The edges by which a control is known.
  for (const e of document.querySelectorAll('select, input, .button, .icon, .switch')) {
    if (!e.checkVisibility() || e.disabled) continue;
    const back = behind(e.parentElement), r = ratio(over(parse(getComputedStyle(e).borderTopColor), back), back);
    if (r < 3) failed.set(`edge ${e.tagName.toLowerCase()}.${e.className || e.id} ${r.toFixed(2)}`, r);
  }
  return { texts, failed: [...failed.keys()] };
}

export const tests = ['light', 'dark'].flatMap(theme => [
  [`${theme}: text and marks of a report stand out`, async ({ open }) => {
    for (const kind of ['oom', 'ranks', 'bare']) {
      const { page } = await open(kind, { theme });
      for (const d of await page.locator('.failure details').all()) await d.evaluate(e => (e.open = true));
      await page.locator('#ir, #absent').last().scrollIntoViewIfNeeded();
      await settle(page);
      const { texts, failed } = await page.evaluate(measure, SHADES);
      assert.ok(texts > 150, `${texts} texts`);
      assert.equal(failed.join('; '), '', kind);
    }
  }],
  [`${theme}: selected, hovered and disabled text stands out`, async ({ open }) => {
    const { page } = await open('decoder', { theme, hash: '#op=0' });
    await page.locator('#op-table .rows .vrow').first().click();
    await page.locator('#op-table .rows .vrow').first().hover();
    await page.fill('#ir-search', 'ttnn');
    await settle(page);
    const { failed } = await page.evaluate(measure, SHADES);
    assert.equal(failed.join('; '), '');
  }],
  [`${theme}: the list of reports stands out`, async ({ dir, browser }) => {
    const row = '<tr data-name="a" data-date="1" data-ops="2" data-share="480" data-state="failed"><td><a href="x">a</a></td><td>2026-03-16 10:00</td><td class="num">1,606</td><td class="num">490.20 / 1022.17 MB</td><td><span class="bar"><i></i></span></td><td class="state failed">⚠ out of DRAM</td><td class="files"><a href="y">memory</a></td></tr>';
    const html = readFileSync(new URL('../../web/dist/index.html', import.meta.url), 'utf8').replace('@@TTMEM_FOLDER@@', '/home/me/.ttmem/reports').replace('@@TTMEM_ROWS@@', row).replace('@@TTMEM_UNREAD@@', '');
    const file = join(dir, `index-${theme}.html`);
    writeFileSync(file, html);
    const page = await browser.newPage({ colorScheme: theme });
    await page.goto(pathToFileURL(file).href);
    const { texts, failed } = await page.evaluate(measure, SHADES);
    await page.close();
    assert.ok(texts > 10);
    assert.equal(failed.join('; '), '');
  }],
]);
