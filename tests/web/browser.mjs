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

/** A page with `problems` (console errors, exceptions) and `requests` (anything but the file itself). */
export async function open(browser, url, { width = 1280, height = 720, theme = 'light', ready = true } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, acceptDownloads: true });
  const page = await context.newPage();
  const problems = [], requests = [];
  page.on('console', m => { if (m.type() === 'error' || m.type() === 'warning') problems.push(m.text()); });
  page.on('pageerror', e => problems.push(String(e)));
  page.on('request', r => { if (!r.url().startsWith('file:') && !r.url().startsWith('data:') && !r.url().startsWith('blob:')) requests.push(r.url()); });
  await page.goto(url);
  if (ready) await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes', null, { timeout: 60000 });
  return { context, page, problems, requests };
}
