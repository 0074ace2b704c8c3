// SPDX-License-Identifier: Apache-2.0
// Hostile text, odd runs, policy, keyboard, narrow screens, print.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { HOSTILE } from '../../web/lib/odd.mjs';
import { settle } from './browser.mjs';

const text = (page, selector) => page.locator(selector).first().innerText();

export const tests = [
  ['hostile text shows as text and runs nothing', async ({ open }) => {
    const { page } = await open('hostile');
    for (let op = 0; op < 13; op++) {
      await page.evaluate(n => (location.hash = `#op=${n}`), op);
      await page.waitForFunction(n => document.getElementById('op-title').textContent.startsWith(`#${n} `), op);
      await page.waitForSelector('#op-loc');
    }
    assert.ok((await text(page, '#op-loc')).length > 100000);
    await page.evaluate(() => (location.hash = '#op=1'));
    await settle(page);
    assert.ok((await text(page, '#op-loc')).includes(HOSTILE[1]));
    await page.fill('#op-search', '</script>');
    await settle(page);
    await page.locator('#ir').scrollIntoViewIfNeeded();
    await page.waitForSelector('#ir-lines .code-line');
    await page.hover('#plot-alive .u-over');
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.equal(await page.locator('#app img, #app script, #app iframe, #app b[onmouseover], #app u').count(), 0);
  }],
  ['hostile cells are safe in CSV', async ({ open }) => {
    const { page } = await open('hostile');
    await page.fill('#op-search', 'HYPERLINK');
    await settle(page);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#op-csv')]);
    const csv = readFileSync(await download.path(), 'utf8');
    assert.ok(csv.includes(`"'=HYPERLINK(""http`));
    assert.ok(!/,=HYPERLINK|,"=HYPERLINK/.test(csv));
  }],
  ['no data can end its element', async ({ sample }) => {
    const { html } = sample('hostile');
    const tail = html.slice(html.indexOf('id="ttmem-meta"'));
    for (const m of tail.matchAll(/<script type="text\/plain" id="ttmem-[\w-]+">([^<]*)<\/script>/g)) assert.match(m[1], /^[A-Za-z0-9+/]+=*$/);
    assert.equal(html.match(/<\/script>/g).length, html.match(/<script[ >]/g).length);
  }],
  ['the policy forbids other scripts, styles, and connections', async ({ open }) => {
    const { page } = await open('single', { quiet: false });
    const result = await page.evaluate(async () => {
      const s = document.createElement('script');
      s.textContent = 'window.injected = 1';
      document.body.append(s);
      const connected = await fetch('data:text/plain,x').then(() => true, () => false);
      // The debugger's own calls may evaluate text; a task of the page may not.
      const evaluated = await new Promise(done => setTimeout(() => { try { done(Function('return true')()); } catch { done(false); } }));
      return [window.injected, connected, evaluated];
    });
    assert.deepEqual(result, [undefined, false, false]);
  }],
  ...['bare', 'empty', 'single', 'ranks', '20k'].map(kind => [`a ${kind} run opens without an error, every tab and switch`, async ({ open }) => {
    const { page } = await open(kind);
    for (const tab of await page.locator('.tabs .tab:enabled').all()) await tab.click();
    if (kind !== 'empty') await page.click('#unit-total');
    if (kind !== 'empty') {
      await page.hover('#plot-memory .u-over');
      await page.click('#plot-memory .u-over', { position: { x: 40, y: 30 } });
    } else for (const s of ['#plot-memory', '#plot-alive', '#plot-free', '#plot-padding', '.minimap']) assert.ok(!(await page.locator(s).isVisible()), `no empty ${s}`);
    await page.keyboard.press('n');
    await page.click('#theme');
    await page.evaluate(() => localStorage.clear());
    await settle(page);
    assert.equal(await page.locator('[role=alert]').count(), 0);
    if (kind === 'empty') assert.match(await text(page, '#absent'), /Peaks.*It needs memory lines; TT_RUNTIME_MEMORY_LOG_LEVEL=operation/);
  }]),
  ['a page without data or with a cut section says so', async ({ sample, browser }) => {
    const { html } = sample('single');
    for (const broken of [html.replace(/<script type="text\/plain" id="ttmem-meta">[^<]*<\/script>/, ''), html.replace(/(id="ttmem-mem">[^<]{40})[^<]*/, '$1')]) {
      const page = await browser.newPage();
      await page.setContent(broken);
      await page.waitForSelector('[role=alert]');
      assert.match(await text(page, '[role=alert]'), /cannot be opened/);
      await page.close();
    }
  }],
  ['everything is reached with the keyboard and shows its focus', async ({ open }) => {
    const { page } = await open('decoder');
    const seen = new Set();
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      const f = await page.evaluate(() => {
        const e = document.activeElement;
        const style = getComputedStyle(e);
        return { id: e.id || e.className || e.tagName, outline: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 };
      });
      seen.add(String(f.id));
      assert.ok(f.outline, `no focus ring on ${f.id}`);
    }
    for (const id of ['unit-bank', 'theme', 'minimap']) assert.ok([...seen].some(s => s.includes(id)), `${id} not reached: ${[...seen].join(', ')}`);
  }],
  ['Tab passes a list in one step, arrows walk its rows and Enter opens one', async ({ open }) => {
    const { page } = await open('decoder');
    const focus = () => page.evaluate(() => document.activeElement.id || document.activeElement.className);
    await page.focus('#op-table .vhead button:last-child');
    await page.keyboard.press('Tab');
    assert.match(await focus(), /vlist/);
    await page.keyboard.press('Tab');
    assert.equal(await focus(), 'ir-module');
    for (const rows of ['#op-table .rows', '#alive-list']) {
      await page.focus(rows);
      await page.keyboard.press('Home');
      for (let i = 0; i < 30; i++) await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowUp');
      await settle(page);
      const seen = await page.evaluate(s => {
        const list = document.querySelector(s), row = list.querySelector('.current');
        const a = row.getBoundingClientRect(), b = list.getBoundingClientRect();
        return { focus: document.activeElement === list, ring: getComputedStyle(row).outlineStyle, inside: a.top >= b.top - 1 && a.bottom <= b.bottom + 1 };
      }, rows);
      assert.deepEqual(seen, { focus: true, ring: 'solid', inside: true }, rows);
    }
    await page.focus('#op-table .rows');
    await page.keyboard.press('Home');
    for (let i = 0; i < 29; i++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.getElementById('op-title').innerText.startsWith('#29 '));
    assert.equal(await page.locator('#op-table .rows button:not([tabindex="-1"])').count(), 0);
    // A list that has the focus keeps its rows while one is clicked, however slowly.
    const row = page.locator('#op-table .rows [data-op="25"]');
    const box = await row.boundingBox();
    await page.mouse.move(box.x + 40, box.y + box.height / 2);
    await page.mouse.down();
    await settle(page);
    await page.mouse.up();
    await page.waitForFunction(() => document.getElementById('op-title').innerText.startsWith('#25 '));
  }],
  ['the unit switch is one stop, its arrows switch', async ({ open }) => {
    const { page } = await open('decoder');
    await page.focus('#unit-bank');
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => document.activeElement.id === 'unit-total' && document.activeElement.getAttribute('aria-checked') === 'true');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'copy-link');
  }],
  ['390 pixels wide: nothing overflows, the panel is a sheet that closes', async ({ open }) => {
    for (const kind of ['decoder', 'oom', 'hostile', 'ranks']) {
      const { page } = await open(kind, { width: 390, height: 844 });
      const wide = await page.evaluate(() => [...document.querySelectorAll('#app *')].filter(e => e.getBoundingClientRect().right > 391 && !e.closest('.vtable, .list, .nav, .plot, .vlist')).map(e => `${e.tagName}.${e.className}#${e.id}`).slice(0, 4));
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390, `${kind}: ${wide.join(' ')}`);
    }
    const { page } = await open('decoder', { width: 390, height: 844, hash: '#op=30' });
    assert.ok(await page.locator('#op-close').isVisible());
    await page.click('#op-close');
    assert.ok(!(await page.locator('#op-close').isVisible()));
  }],
  ['at 390 pixels the tables fit too', async ({ open }) => {
    for (const kind of ['decoder', 'hostile']) {
      const { page } = await open(kind, { width: 390, height: 844 });
      const wide = await page.evaluate(() => [...document.querySelectorAll('.list, #op-table, #weight-table')].filter(e => e.checkVisibility() && (e.getBoundingClientRect().right > 391 || e.scrollWidth > e.clientWidth + 1)).map(e => `${e.id || e.className} ${e.scrollWidth} > ${e.clientWidth}`));
      assert.deepEqual(wide, [], kind);
    }
  }],
  ['at 1280 pixels no column of a table is cut off, and advice is readable in full', async ({ open }) => {
    for (const kind of ['decoder', 'ranks', 'oom']) {
      const { page } = await open(kind);
      const wide = await page.evaluate(() => [...document.querySelectorAll('.list, #op-table, #weight-table')].filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1).map(e => e.id || e.className));
      assert.deepEqual(wide, [], kind);
      const ends = await page.evaluate(() => [...document.querySelectorAll('#op-table .vhead button')].map((b, i) => [b.innerText, Math.abs(b.getBoundingClientRect().right - document.querySelector('#op-table .rows .vrow').children[i].getBoundingClientRect().right)]).filter(([, d]) => d > 1.5));
      assert.deepEqual(ends, [], 'heads stand over their columns');
      for (const cell of await page.locator('td.advice').all()) assert.ok(await cell.evaluate(e => e.scrollWidth <= e.clientWidth + 1 && !e.innerText.includes('…')));
    }
  }],
  ['a pool for which no memory is set aside has no tab and no figure', async ({ open }) => {
    const { page } = await open('decoder');
    assert.ok(await page.locator('.tab[data-pool=TRACE]').isDisabled());
    assert.match(await page.getAttribute('.tab[data-pool=TRACE]', 'title'), /no TRACE memory is set aside/);
    assert.match(await text(page, '[data-peak=TRACE]'), /^TRACE\s+no memory is set aside for it in this run$/);
  }],
  ['steps that are no operations are called by name', async ({ open }) => {
    const { page, sim } = await open('decoder');
    const free = sim.steps.flags.findIndex(f => f & 8);
    const before = sim.steps.flags.slice(0, free).filter(f => f & 1).length - 1;
    await page.evaluate(s => (location.hash = `#step=${s}`), free);
    await page.waitForFunction(t => document.getElementById('op-title')?.innerText.startsWith(t), `deallocate after #${before}`);
    assert.ok(!/#\d+\+/.test(await text(page, '#app')));
  }],
  ['1280x720 shows the answer without scrolling', async ({ open }) => {
    const { page } = await open('decoder');
    for (const s of ['#cards', '#plot-memory', '#plot-alive', '#plot-free', '#op-title', '#alive-answer', '#alive-list .live >> nth=2']) {
      const b = await page.locator(s).first().boundingBox();
      assert.ok(b && b.y >= 0 && b.y + b.height <= 720, s);
    }
  }],
  ['prints on white with graphs, cards and top tables', async ({ open }) => {
    const { page } = await open('decoder', { theme: 'dark' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
    for (const s of ['#plot-memory', '#cards', '#top-level', '#top-padding', '#caveats']) assert.ok(await page.locator(s).isVisible(), s);
    for (const s of ['#operations', '.nav', '#theme']) assert.ok(!(await page.locator(s).isVisible()), s);
    const list = await page.evaluate(() => {
      const host = document.getElementById('alive-list').getBoundingClientRect();
      return { rows: [...document.querySelectorAll('#alive-list .live')].map(e => e.getBoundingClientRect().bottom - host.bottom), more: document.querySelector('.alive-more').innerText };
    });
    assert.equal(list.rows.length, 12);
    assert.ok(list.rows.every(d => d < 1), 'every printed row is whole');
    assert.match(list.more, /^and \d+ smaller ones$/);
    assert.ok((await page.pdf()).length > 20000);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    await page.emulateMedia({ media: 'screen' });
    assert.ok(!(await page.locator('.alive-more').isVisible()));
  }],
];
