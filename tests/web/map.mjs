// SPDX-License-Identifier: Apache-2.0
// The memory map of a run with addresses, from a ttnn report database whose figures are in tests/foreign/make_db.py.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { BINARY } from './reports.mjs';

const MAKE = fileURLToPath(new URL('../foreign/make_db.py', import.meta.url));

function mapPage(dir) {
  const db = join(dir, 'map.sqlite'), html = join(dir, 'map.html');
  rmSync(db, { force: true });
  execFileSync('python3', [MAKE, '3.3', db]);
  execFileSync(BINARY, ['view', db, '-o', html]);
  return pathToFileURL(html).href;
}

export const tests = [
  ['memory map: 64 KiB between two holes are named, and the block that there would be without them', async ({ dir, show }) => {
    const { page } = await show(mapPage(dir));
    await page.evaluate(() => document.getElementById('map').scrollIntoView());
    // after op 2: a hole of 64 KiB, 64 KiB of the tensor of op 1, and the rest of the bank
    await page.evaluate(() => (location.hash = '#op=1'));
    await page.waitForFunction(() => document.getElementById('map-answer').innerText.startsWith('After #1'));
    assert.match(await page.innerText('#map-answer'), /2 holes, 1,?022\.1 free, the largest 1,?022\.0 MB per bank/);
    const row = await page.innerText('#pins tbody tr');
    assert.match(row, /0x1e4c20/); // 1920032 + 65536
    assert.match(row, /0\.063/);
    assert.match(row, /#0/);
    assert.match(row, /1,?022\.2/);
    const painted = await page.locator('#plot-map canvas').evaluate(c => new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.filter((_, i) => i % 4 === 0)).size);
    assert.ok(painted > 1);
  }],
  ['memory map: a pool without addresses says so; a log has no map', async ({ dir, show, openReport }) => {
    const { page } = await show(mapPage(dir));
    await page.evaluate(() => (location.hash = '#pool=TRACE'));
    await page.waitForFunction(() => document.getElementById('map-answer').innerText.includes('not known'));
    const other = await openReport('plain');
    assert.equal(await other.page.locator('#map').count(), 0);
  }],
];
