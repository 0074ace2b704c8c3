// SPDX-License-Identifier: Apache-2.0
// Measures the page on large runs: node tests/web/perf.mjs [KIND|PAGE.html ...]. Prints size, time to the first graph, time of pan,
// zoom and hover steps, memory of the tab; for a page of one's own in one line, for bench/page.sh.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launch, open } from './browser.mjs';

const dist = join(dirname(fileURLToPath(import.meta.url)), '../../web/dist');
const LIMITS = { '20k': { size: 2 }, '360k': { size: 20, first: 1500, step: 32, memory: 400 }, '400k': { size: 4, first: 1000, step: 32, high: 32, memory: 200 }, 'distinct-360k': { size: 20, first: 1500, step: 32, memory: 400 } };
const kinds = process.argv.slice(2).filter(a => !a.startsWith('-'));
let failed = 0;

for (const kind of kinds.length ? kinds : Object.keys(LIMITS)) {
  const given = kind.endsWith('.html');
  const file = given ? resolve(kind) : join(dist, `sample-${kind}.html`);
  const stale = !given && (!existsSync(file) || statSync(file).mtimeMs < statSync(join(dist, 'page.html')).mtimeMs);
  // Made in a process of its own: the collector of a process that just made 100 MB would run into the measurement.
  if (stale) execFileSync(process.execPath, [join(dist, '../sample.mjs'), kind], { stdio: 'ignore' });
  const browser = await launch(['--enable-precise-memory-info']);
  const median = list => [...list].sort((a, b) => a - b)[list.length >> 1];
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
  const steps = await page.evaluate(async () => {
    const over = document.querySelector('#plot-memory .u-over');
    const box = over.getBoundingClientRect();
    const frame = () => new Promise(done => requestAnimationFrame(() => done()));
    const times = [];
    for (let i = 0; i < 60; i++) {
      const wheel = i < 20 ? { deltaY: -60 } : i < 40 ? { deltaX: 80 } : { deltaY: 60 };
      await frame();
      const start = performance.now();
      over.dispatchEvent(new WheelEvent('wheel', { ...wheel, clientX: box.left + box.width * 0.6, clientY: box.top + 40, bubbles: true, cancelable: true }));
      // The redraw runs in the next frame's callbacks; a task after that frame sees it done.
      await frame();
      await frame();
      times.push({ wall: performance.now() - start, work: Number(document.documentElement.dataset.draw) });
    }
    return times;
  });
  // Hover: the pointer over each graph, as a hand moves it.
  const hovers = await page.evaluate(async () => {
    const frame = () => new Promise(done => requestAnimationFrame(() => done()));
    const times = [];
    for (const id of ['plot-memory', 'plot-alive', 'plot-free']) {
      const over = document.querySelector(`#${id} .u-over`);
      if (!over) continue;
      const box = over.getBoundingClientRect();
      for (let i = 0; i < 30; i++) {
        await frame();
        const start = performance.now();
        over.dispatchEvent(new MouseEvent('mousemove', { clientX: box.left + (box.width * (i + 1)) / 32, clientY: box.top + box.height * 0.7, bubbles: true, cancelable: true }));
        const sync = performance.now() - start;
        const later = performance.now();
        await frame();
        times.push({ work: sync, wall: performance.now() - later });
      }
    }
    return times;
  });
  const client = await session.context.newCDPSession(page);
  await client.send('HeapProfiler.collectGarbage');
  const heap = await page.evaluate(() => performance.memory.usedJSHeapSize);
  const rss = tabMemory();
  const work = median(steps.map(s => s.work)), worst = Math.max(...steps.map(s => s.work));
  const p95 = list => [...list].sort((a, b) => a - b)[Math.floor(list.length * 0.95)];
  const size = statSync(file).size / 1048576;
  const limit = LIMITS[kind] ?? {};
  const row = { 'size MB': [size, limit.size], 'first graph ms': [mark('ttmem-first-graph'), limit.first], 'first load ms': [loads[0]['ttmem-first-graph']], 'all ready ms': [mark('ttmem-ready')], 'step ms (median)': [work, limit.step], 'step ms (p95)': [p95(steps.map(s => s.work)), limit.high], 'step ms (worst)': [worst], 'hover ms (p95)': [p95(hovers.map(s => s.work)), limit.high], 'JS heap MB': [heap / 1048576], 'tab memory MB': [rss, limit.memory] };
  await browser.close();
  if (session.problems.length) console.log('  problems:', session.problems);
  if (given) {
    console.log(`${size.toFixed(2)} ${mark('ttmem-first-graph').toFixed(0)} ${work.toFixed(1)} ${rss.toFixed(0)}`);
    continue;
  }
  console.log(kind);
  for (const [name, [value, max]] of Object.entries(row)) {
    const bad = max !== undefined && value > max;
    failed += bad;
    console.log(`  ${name.padEnd(18)} ${value.toFixed(name.includes('MB') ? 2 : 1).padStart(9)}${max === undefined ? '' : `  of ${max}`}${bad ? '  OVER' : ''}`);
  }
}
process.exitCode = failed ? 1 : 0;

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
