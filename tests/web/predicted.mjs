// SPDX-License-Identifier: Apache-2.0
// Memory that is in no tensor: computed for a log, replayed for a prediction.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BINARY } from './reports.mjs';
import { settle } from './browser.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const answer = async page => (await page.locator('#alive-answer').innerText()).replace(/\s+/g, ' ');

function report(dir, name, file) {
  const out = join(dir, name);
  execFileSync(BINARY, ['analyze', join(root, file), '--output-dir', out, '--name', name, '--force']);
  return join(out, `${name}_report.html`);
}

export const tests = [
  ['a log: what no tensor explains is charged to the map of the reshape, as computed', async ({ dir, browserOpen }) => {
    const page = await browserOpen(report(dir, 'computed', 'tests/data/reshape_map.log'));
    await page.evaluate(() => (location.hash = '#op=1'));
    await settle(page);
    // after #1: 1,310,720 + 2 x 1,228,800 bytes in tensors, a map of 1,612,800 and two binaries of 2,048
    const text = await answer(page);
    for (const part of ['reshape_map (computed) 1.538', 'binary (computed) 0.004']) assert.ok(text.includes(part), `${part} in ${text}`);
    assert.ok(text.includes('unattributed 0.002'), text); // the program that brought the argument in
    assert.ok((await page.locator('#alive-list').innerText()).includes('maps of tiled reshapes: in no tensor of the log'));
    assert.equal(await page.locator('#predicted').count(), 0);
    // a click on one of these words opens "?" at it
    for (const word of ['computed', 'unattributed']) {
      await page.locator(`#alive-list [data-word=${word}]`).first().click();
      assert.equal(await page.locator('#help').evaluate(e => e.open && document.activeElement.textContent), word);
      await page.keyboard.press('Escape');
    }
  }],
  ['a prediction: says so in its head, selects the op that fails, shows maps under their class', async ({ dir, browserOpen }) => {
    const page = await browserOpen(report(dir, 'predicted', 'examples/group_norm_ttnn.mlir'));
    await settle(page);
    assert.equal(await page.locator('#predicted').innerText(), 'predicted, nothing ran');
    assert.ok((await page.locator('#op-title').innerText()).includes('ttnn.multiply'));
    const text = await answer(page);
    assert.ok(text.includes('reshape_map 10.21'), text);
    assert.ok(!text.includes('unattributed') && !text.includes('computed'), text);
    // two tensors of 15 times 245 MB padding on 2 x 245 + 122.5 MB of elements; the map and the binaries are neither
    const padding = await page.locator('#padding-answer').innerText();
    assert.ok(padding.startsWith('1200 % padding') || padding.startsWith('1200.0 % padding'), padding);
    const legend = await page.locator('#graph-alive .legend').innerText();
    assert.ok(legend.includes('reshape_map') && !legend.includes('kv_cache'), legend);
  }],
  ['what would fit: the figures of ttmem fit, only where a run failed or came near the end; a click selects the op and draws the replay', async ({ dir, browserOpen }) => {
    const page = await browserOpen(report(dir, 'would-fit', 'examples/group_norm_ttnn.mlir'));
    await settle(page);
    const rows = await page.locator('#fits tbody tr').allInnerTexts();
    assert.ok(rows.some(r => r.startsWith('bf16 activations') && r.includes('510.4')), rows.join('; '));
    await page.locator('#fits tbody tr', { hasText: 'no padding in %4' }).first().click();
    await settle(page);
    assert.ok((await page.locator('#op-title').innerText()).includes('ttnn.subtract'));
    assert.ok((await page.locator('#fit-replay').innerText()).includes('no padding in %4'));
    // the replay is drawn over the graph: its pixels change, and are back after a second click
    const shot = async () => (await page.locator('#graph-memory').first().screenshot()).toString('base64');
    const row = page.locator('#fits tbody tr', { hasText: 'free args_0' }).first();
    await row.click();
    await settle(page);
    const drawn = await shot();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.replay), 'free args_0 after last use');
    await row.click();
    await settle(page);
    assert.notEqual(await shot(), drawn);
    const other = await browserOpen(report(dir, 'enough-room', 'examples/transformer_profile.log'));
    await settle(other);
    assert.equal(await other.locator('#fit').count(), 0);
  }],
];
