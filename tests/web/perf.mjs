// SPDX-License-Identifier: Apache-2.0
// Measures the page on large runs: node tests/web/perf.mjs [KIND|PAGE.html ...]. Prints size, time to the first graph, time of
// a frame while panning, zooming and hovering, memory of the tab; for a page of one's own in one line, for bench/page.sh.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launch, open } from './browser.mjs';

const dist = join(dirname(fileURLToPath(import.meta.url)), '../../web/dist');
const LIMITS = { '20k': { size: 2 }, '360k': { size: 20, first: 1500, frame: 32, memory: 400 }, '400k': { size: 4, first: 1000, frame: 32, memory: 200 }, 'distinct-360k': { size: 20, first: 1500, frame: 32, memory: 400 } };
const kinds = process.argv.slice(2).filter(a => !a.startsWith('-'));
let failed = 0;
const median = list => [...list].sort((a, b) => a - b)[list.length >> 1];
const p95 = list => [...list].sort((a, b) => a - b)[Math.floor(list.length * 0.95)];

for (const kind of kinds.length ? kinds : Object.keys(LIMITS)) {
  const given = kind.endsWith('.html');
  const file = given ? resolve(kind) : join(dist, `sample-${kind}.html`);
  const stale = !given && (!existsSync(file) || statSync(file).mtimeMs < statSync(join(dist, 'page.html')).mtimeMs);
  // Made in a process of its own: the collector of a process that just made 100 MB would run into the measurement.
  if (stale) execFileSync(process.execPath, [join(dist, '../sample.mjs'), kind], { stdio: 'ignore' });
  const browser = await launch(['--enable-precise-memory-info']);
  const url = pathToFileURL(file).href;
  const loads = [];
  let session;
  for (let i = 0; i < 5; i++) {
    await session?.context.close();
    session = await open(browser, url, { watched: false });
    loads.push(await session.page.evaluate(() => Object.fromEntries(performance.getEntriesByType('mark').map(m => [m.name, m.startTime]))));
  }
  const { page } = session;
  const mark = name => median(loads.map(l => l[name]));
  // What a hand sees: the time from frame to frame while it zooms, pans and hovers. Of three tries the best counts, since others use the
  // machine; on a busy one it is waiting for a processor that takes long. What a frame costs is the time that the page's thread works on it.
  const tries = [], costs = [];
  for (let i = 0; i < 3; i++) {
    await browser.startTracing(page, { categories: ['cc', 'toplevel'] });
    tries.push(await page.evaluate(frames));
    const { traceEvents } = JSON.parse(await browser.stopTracing());
    costs.push(traceEvents.filter(e => e.ph === 'X' && e.name === 'ProxyMain::BeginMainFrame').map(e => (e.tdur ?? e.dur) / 1000));
  }
  const cost = costs.reduce((a, b) => (p95(a) < p95(b) ? a : b));
  const best = name => tries.map(t => t[name]).reduce((a, b) => (p95(a) < p95(b) ? a : b));
  const zoom = best('zoom'), pan = best('pan'), hover = best('hover');
  const client = await session.context.newCDPSession(page);
  await client.send('HeapProfiler.collectGarbage');
  const heap = await page.evaluate(() => performance.memory.usedJSHeapSize);
  const rss = tabMemory();
  const size = statSync(file).size / 1048576;
  const limit = LIMITS[kind] ?? {};
  const row = { 'size MB': [size, limit.size], 'first graph ms': [mark('ttmem-first-graph'), limit.first], 'first load ms': [loads[0]['ttmem-first-graph']], 'all ready ms': [mark('ttmem-ready')], 'zoom frame ms (median)': [median(zoom)], 'zoom frame ms (p95)': [p95(zoom)], 'pan frame ms (p95)': [p95(pan)], 'hover frame ms (p95)': [p95(hover)], 'cost of a frame ms (p95)': [p95(cost), limit.frame], 'JS heap MB': [heap / 1048576], 'tab memory MB': [rss, limit.memory] };
  await browser.close();
  if (session.problems.length) console.log('  problems:', session.problems);
  if (given) {
    console.log(`${size.toFixed(2)} ${mark('ttmem-first-graph').toFixed(0)} ${p95(cost).toFixed(1)} ${rss.toFixed(0)}`);
    continue;
  }
  console.log(kind);
  for (const [name, [value, max]] of Object.entries(row)) {
    const bad = max !== undefined && value > max;
    failed += bad;
    console.log(`  ${name.padEnd(24)} ${value.toFixed(name.includes('MB') ? 2 : 1).padStart(9)}${max === undefined ? '' : `  of ${max}`}${bad ? '  OVER' : ''}`);
  }
}
process.exitCode = failed ? 1 : 0;

/** Runs in the page: the times between frames of three gestures, each as a hand makes it. */
async function frames() {
  const frame = () => new Promise(done => requestAnimationFrame(done));
  const over = document.querySelector('#plot-memory .u-over');
  const box = over.getBoundingClientRect();
  const wheel = turn => over.dispatchEvent(new WheelEvent('wheel', { ...turn, clientX: box.left + box.width * 0.6, clientY: box.top + 40, bubbles: true, cancelable: true }));
  const gesture = async (count, move) => {
    const times = [];
    await frame();
    for (let i = 0, last = performance.now(); i < count; i++) {
      move(i);
      await frame();
      const now = performance.now();
      times.push(now - last);
      last = now;
    }
    return times;
  };
  const zoom = await gesture(100, i => wheel({ deltaY: i < 50 ? -60 : 60 }));
  for (let i = 0; i < 20; i++) wheel({ deltaY: -60 });
  const pan = await gesture(60, i => wheel({ deltaX: i < 30 ? 80 : -80 }));
  const hover = [];
  for (const id of ['plot-memory', 'plot-alive', 'plot-free']) {
    const plot = document.querySelector(`#${id} .u-over`);
    const { left, top, width, height } = plot?.getBoundingClientRect() ?? {};
    if (plot) hover.push(...(await gesture(30, i => plot.dispatchEvent(new MouseEvent('mousemove', { clientX: left + (width * (i + 1)) / 32, clientY: top + height * 0.7, bubbles: true, cancelable: true })))));
  }
  for (let i = 0; i < 30; i++) wheel({ deltaY: 60 });
  return { zoom, pan, hover };
}

/** Private memory of the largest renderer among this browser's processes, from /proc. */
function tabMemory() {
  let most = 0;
  for (const pid of readdirSync('/proc').filter(p => /^\d+$/.test(p))) {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (!line.includes('--type=renderer')) continue;
      const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
      const kb = name => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
      most = Math.max(most, kb('Private_Clean') + kb('Private_Dirty'));
    } catch {
      // The process ended, or is not ours to read.
    }
  }
  return most / 1024;
}
