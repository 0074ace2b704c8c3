// SPDX-License-Identifier: Apache-2.0
// L1 of a core: of a ttnn database (figures of tests/data/ttnn/make_graph_report.py) and of messages of programs that were refused.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { BINARY } from './reports.mjs';

const MAKE = fileURLToPath(new URL('../data/ttnn/make_graph_report.py', import.meta.url));

function databasePage(dir, change = '') {
  const work = join(dir, 'l1'), html = join(dir, 'l1.html');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
  execFileSync('python3', [MAKE, '1'], { cwd: work });
  execFileSync(BINARY, ['export', 'graph_capture.json', '--format', 'ttnn-visualizer', '-o', 'db'], { cwd: work });
  if (change) execFileSync('python3', ['-c', `import sqlite3; db = sqlite3.connect("db/db.sqlite"); db.execute("${change}"); db.commit()`], { cwd: work });
  execFileSync(BINARY, ['view', 'db', '-o', html], { cwd: work });
  return pathToFileURL(html).href;
}

export const tests = [
  ['L1 of a core: margin, parts and cores of the op that is chosen, and under the pointer', async ({ dir, show }) => {
    const { page } = await show(databasePage(dir));
    await page.evaluate(() => (location.hash = '#op=1'));
    await page.waitForFunction(() => document.getElementById('l1-answer')?.innerText.startsWith('#1'));
    // 100,000 B above 105,664; the buffer inside the op begins at 1,380,352
    assert.match(await page.innerText('#l1-answer'), /1,174,688 B left, the program ends at 205,664, the lowest L1 buffer begins at 1,380,352/);
    const parts = await page.locator('#l1-part-list tbody tr').allInnerTexts();
    assert.deepEqual(parts.map(p => p.split('\t')[1]), ['firmware, kernel ring', 'circular buffers', 'free', 'L1 buffers']);
    assert.match(parts[1], /105,664\s+100,000/);
    const widths = await page.locator('#l1-bar i').evaluateAll(list => list.map(e => parseFloat(e.style.width)));
    assert.ok(Math.abs(widths[1] - (100 * 100000) / 1499136) < 0.01);
    assert.equal(await page.locator('#l1-cores .fullest').count(), 1);
    assert.ok(await page.locator('#l1-cores .used').count() >= 1);
    await page.evaluate(() => (location.hash = '#op=0'));
    await page.waitForFunction(() => document.getElementById('l1-answer').innerText.startsWith('#0'));
    assert.match(await page.innerText('#l1-answer'), /1,295,168 B left/);
    // the pointer over the end of the graph shows the last op, and leaving it the chosen one
    await page.evaluate(() => scrollTo(0, 0));
    const box = await page.locator('#plot-memory .u-over').boundingBox();
    await page.mouse.move(box.x + box.width - 3, box.y + 20);
    await page.waitForFunction(() => !document.getElementById('l1-answer').innerText.startsWith('#0'));
  }],
  ['L1 that is allocated core by core is not said to be per bank, in any section', async ({ dir, show }) => {
    const { page } = await show(databasePage(dir, 'update buffer_chunks set chunk_address = chunk_address + 64 where bank_id = 3'));
    await page.evaluate(() => (location.hash = '#op=1&pool=L1'));
    await page.waitForFunction(() => document.getElementById('l1-answer')?.innerText.startsWith('#1'));
    assert.match(await page.innerText('[data-card="L1"]'), /MB\/core/);
    assert.equal(await page.innerText('#op-memory th'), 'MB per bank, L1 per core');
    assert.equal(await page.innerText('#map h3'), 'Addresses in one core over the run, MB; other cores differ');
    // what one core holds does not tell what all hold
    const core = await page.innerText('[data-card="L1"]');
    await page.evaluate(() => (location.hash = '#op=1&pool=L1&unit=total'));
    await page.waitForFunction(() => /MB total/.test(document.getElementById('op-memory').innerText));
    assert.equal(await page.innerText('[data-card="L1"]'), core);
    // lines about DRAM apart; sections are drawn when they are seen
    await page.evaluate(() => document.getElementById('sizes').scrollIntoView());
    await page.waitForFunction(() => /MB per core/.test(document.getElementById('sizes-answer').innerText));
    const dram = await page.innerText('[data-card="DRAM"]');
    const lines = (await page.evaluate(() => document.body.innerText)).split('\n').filter(l => /per bank|\/bank/.test(l) && !/DRAM|L1 per core/.test(l) && !dram.includes(l));
    assert.deepEqual(lines, []);
  }],
  ['L1 of a core: a log with a program that was refused says by how much, and what it does not tell', async ({ dir, show }) => {
    const log = join(dir, 'clash.log'), html = join(dir, 'clash.html');
    writeFileSync(log, 'TT_THROW: Statically allocated circular buffers in program 9066 clash with L1 buffers on core range [(x=1,y=0) - (x=2,y=0)]. L1 buffer allocated at 413824 and static circular buffer region ends at 417952\n');
    execFileSync(BINARY, ['view', log, '-o', html]);
    const { page } = await show(pathToFileURL(html).href);
    assert.match(await page.innerText('#l1-answer'), /line 1: 4,128 B too many, the program ends at 417,952, the lowest L1 buffer begins at 413,824/);
    assert.equal(await page.locator('#l1-cores .used').count(), 2);
    assert.match(await page.innerText('#l1-tightest tbody tr'), /-4,128\s+\?\s+417,952\s+413,824/);
  }],
];
