// SPDX-License-Identifier: Apache-2.0
// Starts Chromium for tests and measurements: offline by construction, own profile, every request and message recorded.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const BROWSER = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(p => p && existsSync(p));

export async function launch(extra = []) {
  if (!BROWSER) throw new Error('no chromium found; set CHROMIUM to its path');
  return chromium.launch({
    executablePath: BROWSER,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', ...extra],
  });
}

/** Runs in the page before its scripts: counts what it still has to do (frames, timers, sections being opened) and its changes. */
function watch() {
  const work = (window.pendingWork = { open: new Set(), changes: 0, frame: requestAnimationFrame.bind(window), timer: setTimeout.bind(window) });
  const wrap = (start, stop, applies) => {
    const begin = window[start].bind(window), end = window[stop].bind(window);
    window[start] = (f, ...rest) => {
      const id = begin((...args) => { work.open.delete(`${start} ${id}`); f(...args); }, ...rest);
      if (applies(...rest)) work.open.add(`${start} ${id}`);
      return id;
    };
    window[stop] = id => { work.open.delete(`${start} ${id}`); end(id); };
  };
  wrap('requestAnimationFrame', 'cancelAnimationFrame', () => true);
  wrap('setTimeout', 'clearTimeout', (delay = 0) => delay < 1000);
  const { arrayBuffer } = Response.prototype;
  Response.prototype.arrayBuffer = function () {
    const key = {};
    work.open.add(key);
    return arrayBuffer.call(this).finally(() => work.open.delete(key));
  };
  new MutationObserver(list => (work.changes += list.length)).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
}

/** Waits until the page has nothing left to do and has not changed for some frames, however long that takes on a busy machine. */
export const settle = page => page.evaluate(async () => {
  const work = window.pendingWork;
  for (let quiet = 0, i = 0; quiet < 3 && i < 2000; i++) {
    const before = work.changes;
    await new Promise(done => work.frame(() => work.timer(done)));
    quiet = work.open.size === 0 && work.changes === before ? quiet + 1 : 0;
  }
});

/** `script`: runs in the page before its own scripts. A page with `problems` (console errors, exceptions) and `requests` (anything but the file itself). */
export async function open(browser, url, { width = 1280, height = 720, theme = 'light', ready = true, watched = true, script } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, acceptDownloads: true });
  const page = await context.newPage();
  const problems = [], requests = [];
  page.on('console', m => { if (m.type() === 'error' || m.type() === 'warning') problems.push(m.text()); });
  page.on('pageerror', e => problems.push(String(e)));
  page.on('request', r => { if (!r.url().startsWith('file:') && !r.url().startsWith('data:') && !r.url().startsWith('blob:')) requests.push(r.url()); });
  if (watched) await page.addInitScript(watch);
  if (script) await page.addInitScript(script);
  await page.goto(url);
  if (ready) await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes', null, { timeout: 60000 });
  if (ready && watched) await settle(page);
  return { context, page, problems, requests };
}
