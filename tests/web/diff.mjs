// SPDX-License-Identifier: Apache-2.0
// The page of ttmem diff: both runs over each other, both ops of a place.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BINARY } from './reports.mjs';

const OPTIONS = ['--paths', '--ops', '60', '--warmup', '1', '--batch', '1', '--seq', '33', '--hidden', '1024', '--const-eval', '0'];

function diffPage(dir, change, more = []) {
  const genlog = join(dirname(BINARY), 'genlog'), a = join(dir, 'before.log'), b = join(dir, 'after.log'), page = join(dir, 'diff.html');
  execFileSync(genlog, ['-o', a, ...OPTIONS, ...more]);
  execFileSync(genlog, ['-o', b, ...OPTIONS, ...more, '--change', change]);
  execFileSync(BINARY, ['diff', a, b, '--format', 'html', '-o', page]);
  const json = JSON.parse(execFileSync(BINARY, ['diff', a, b, '--json'], { maxBuffer: 1 << 26 }));
  return { url: pathToFileURL(page).href, json };
}

export const tests = [
  ['diff: the page says what the JSON says, and shows both ops at the peak', async ({ dir, show }) => {
    const { url, json } = diffPage(dir, 'dtype');
    const { page } = await show(url);
    assert.equal(await page.locator('#headline').innerText(), json.headline);
    const cards = page.locator('#ops > div'), peak = json.pools.dram.after.op.index;
    assert.equal(await cards.count(), 2);
    assert.ok((await cards.nth(1).innerText()).startsWith(`#${peak} `));
    assert.match(await cards.nth(0).innerText(), /bf16/);
    assert.match(await cards.nth(1).locator('.changed').innerText(), /f32/);
    // Module, file and line; the whole location when asked for.
    assert.match(await cards.nth(1).locator('p').nth(1).innerText(), /^model\.layers\.\d+\.\w+ +net\.py:\d+$/);
    assert.match(await cards.nth(1).locator('p').nth(1).getAttribute('title'), /^\d+\|Model\[model\]\|/);
    await page.keyboard.press('ArrowRight');
    assert.ok((await cards.nth(1).innerText()).startsWith(`#${peak + 1} `));
  }],
  ['diff: an op that one run lacks has no partner; a row of the table leads to it', async ({ dir, show }) => {
    const { url, json } = diffPage(dir, 'extra-op');
    const { page } = await show(url);
    const added = json.op_changes.changes[0].added_ops[0].op;
    await page.locator('tr[data-place]', { hasText: `#${added.index} ` }).first().click();
    const cards = page.locator('#ops > div');
    assert.match(await cards.nth(0).innerText(), /has no such op/);
    assert.ok((await cards.nth(1).innerText()).startsWith(`#${added.index} ttnn.multiply`));
    await page.locator('#pools button', { hasText: 'L1' }).click();
    assert.equal(await page.locator('#pools button[aria-pressed="true"]').innerText(), 'L1');
  }],
  ['diff: rows that say the same of layer after layer are one, which opens, by mouse and by keyboard', async ({ dir, show }) => {
    for (const width of [1440, 400]) {
      const { url, json } = diffPage(dir, 'leak', ['--ops', '300']);
      const { page } = await show(url, { width });
      const kept = json.pools.dram.tensors.filter(t => t.change_bytes_per_bank_by_cause.kept && t.change_bytes_per_bank === json.pools.dram.tensors[0].change_bytes_per_bank);
      assert.ok(kept.length > 2);
      const head = page.locator('tr:has(button.fold)').first(), button = head.locator('button.fold'), each = head.locator('xpath=..').locator('tr[data-place]');
      assert.match(await head.innerText(), new RegExp(`${kept.length} x ttnn.matmul +model.layers.\\*.mlp +net.py:\\d+, each; \\+[0-9.]+ MB in all, first #${kept[0].op_after.index}`));
      assert.equal(await each.count(), kept.length);
      assert.ok(await each.first().isHidden());
      await head.click();
      assert.ok(await each.last().isVisible());
      assert.equal(await button.getAttribute('aria-expanded'), 'true');
      await each.nth(1).click();
      assert.ok((await page.locator('#ops > div').nth(1).innerText()).startsWith(`#${kept[1].op_after.index} `));
      await button.press('Enter');
      assert.ok(await each.first().isHidden());
    }
  }],
  ['diff: the address keeps place, zoom and pool, and Back goes back one place', async ({ dir, show }) => {
    const { url } = diffPage(dir, 'dtype');
    const { page } = await show(`${url}#at=12&zoom=5,30&pool=L1`);
    const cards = page.locator('#ops > div');
    assert.ok((await cards.nth(0).innerText()).startsWith('#12 '));
    assert.equal(await page.locator('#pools button[aria-pressed="true"]').innerText(), 'L1');
    await page.keyboard.press('ArrowRight');
    assert.match(page.url(), /#at=13&zoom=5,30&pool=L1$/);
    await page.goBack();
    await page.waitForFunction(() => document.querySelector('#ops > div').innerText.startsWith('#12 '));
    await page.keyboard.press('?');
    assert.match(await page.locator('#help-keys').innerText(), /copy a link/);
    await page.keyboard.press('?');
    assert.ok(await page.locator('#help').isHidden());
    assert.ok(await page.locator('#copy-link').isVisible());
    const other = await show(`${url}#at=zzz&zoom=9&pool=none`);
    assert.equal(await other.page.locator('#ops > div').count(), 2);
  }],
];
