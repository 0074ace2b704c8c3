// SPDX-License-Identifier: Apache-2.0
// The page by keyboard and for screen readers: names, roles, focus; and the questions that a reader comes with.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { settle } from './browser.mjs';
import { BINARY } from './reports.mjs';

/** Runs in the page: what a screen reader could not name, ids that are there twice, controls that Tab does not reach. */
function audit() {
  const shown = e => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== 'hidden';
  const byIds = ids => ids.split(/\s+/).map(id => document.getElementById(id)?.textContent ?? '').join(' ');
  const name = e => (e.getAttribute('aria-label') ?? (e.hasAttribute('aria-labelledby') ? byIds(e.getAttribute('aria-labelledby')) : '') ?? '').trim()
    || (e.labels?.[0]?.textContent ?? '').trim() || e.textContent.trim() || (e.getAttribute('title') ?? '').trim();
  const out = [];
  for (const e of document.querySelectorAll('button, a[href], input, select, textarea, [role=img], [role=slider], [role=radiogroup], [role=list], section, nav, aside, [tabindex="0"]'))
    if (shown(e) && !name(e)) out.push(`no name: ${e.outerHTML.slice(0, 120)}`);
  const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) out.push(`twice: #${id}`);
  for (const e of document.querySelectorAll('[role=radiogroup]')) if (shown(e) && [...e.querySelectorAll('[role=radio]')].filter(r => r.getAttribute('aria-checked') === 'true').length !== 1) out.push(`radiogroup without one choice: ${e.outerHTML.slice(0, 120)}`);
  for (const e of document.querySelectorAll('[aria-labelledby], [aria-controls]')) for (const a of ['aria-labelledby', 'aria-controls']) for (const id of (e.getAttribute(a) ?? '').split(/\s+/).filter(Boolean)) if (!document.getElementById(id)) out.push(`${a} leads nowhere: ${id}`);
  for (const t of document.querySelectorAll('table')) if (shown(t) && !t.querySelector('th')) out.push(`a table without heads: ${t.id}`);
  const levels = [...document.querySelectorAll('h1, h2, h3, h4')].filter(shown).map(e => Number(e.tagName[1]));
  if (levels.filter(l => l === 1).length !== 1) out.push(`${levels.filter(l => l === 1).length} h1`);
  if (!document.querySelector('main')) out.push('no main');
  if (!document.documentElement.lang) out.push('no language');
  return out;
}

const fact = (page, name) => page.locator(`#pin-panel dd[data-fact="${name}"]`).innerText();
const SIZES = [{ width: 1440, height: 900, theme: 'light' }, { width: 400, height: 800, theme: 'dark' }];

export const tests = [
  ['access: everything has a name and a role, at 1440 and 400 px, light and dark', async ({ open, openReport }) => {
    for (const options of SIZES) {
      for (const kind of ['planted', 'failures', 'ranks', 'bare']) {
        const { page } = await open(kind, options);
        assert.deepEqual(await page.evaluate(audit), [], `${kind} ${options.width}`);
      }
      const { page } = await openReport('layers', options);
      assert.deepEqual(await page.evaluate(audit), [], `layers ${options.width}`);
    }
  }],
  ['access: the op, the pin, the section and the help by keyboard alone', async ({ open }) => {
    const { page } = await open('planted');
    const before = await page.locator('#op-title').innerText();
    await page.keyboard.press('n');
    await settle(page);
    assert.notEqual(await page.locator('#op-title').innerText(), before);
    await page.keyboard.press('p');
    await page.keyboard.press('?');
    assert.equal(await page.locator('#help').evaluate(e => e.open), true);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('#help').evaluate(e => e.open), false);
    await page.locator('#op-panel [data-tensor]').first().focus();
    await page.keyboard.press('Enter');
    await page.locator('#pin-title').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('#pin-panel').isHidden(), true);
    await page.keyboard.press('/');
    assert.equal(await page.evaluate(() => document.activeElement.type), 'search');
    for (const tab of await page.locator('.nav .tab').all()) {
      await tab.focus();
      await page.keyboard.press('Enter');
    }
  }],
  ['access: what says something by colour keeps it where the system sets the colours; nothing moves by itself', async ({ open }) => {
    const { page } = await open('planted');
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
    assert.equal(await page.locator('.key').first().evaluate(e => getComputedStyle(e).forcedColorAdjust), 'none');
    assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  }],
  ['ten questions are answered by the page alone', async ({ openReport }) => {
    const { page, report } = await openReport('layers', { width: 1440, height: 900 });
    const ask = (...words) => JSON.parse(execFileSync(BINARY, [...words, '--json', '--quiet']));
    const { peaks } = report.summary, live = ask('live', report.log, '--limit', '0'), [holder] = live.tensors;
    const mb = bytes => (bytes / 1048576).toFixed(2);
    // 1 the peak, 2 what holds it
    assert.ok((await page.locator('#cards').innerText()).includes(mb(peaks.dram.allocated_bytes_per_bank)));
    const first = page.locator('#alive-list .live').first();
    assert.ok((await first.innerText()).includes(`${holder.shape} ${holder.dtype}`));
    await first.click();
    await settle(page);
    // 3 its layer, 4 its source line, 5 its producer
    const module = /\[(model\.layers\[\d+\]\.\w+)\]\|/.exec(holder.op.location)[1].replace(/\[(\d+)\]/, '.$1');
    assert.ok((await fact(page, 'module')).startsWith(module));
    assert.equal(await fact(page, 'source'), `net.py:${/\|forward\|(\d+)\|/.exec(holder.op.location)[1]}`);
    assert.equal(await fact(page, 'made by'), `#${holder.op.index} ${holder.op.name}`);
    // 6 its last use
    assert.ok((await fact(page, 'last use')).startsWith(`#${holder.last_used_op_index} `));
    assert.match(await fact(page, 'freed at its last use'), /freed there already/);
    // 7 what is freed late: the results that the MLP blocks keep; a tab of its own has what ttmem late says
    const late = ask('late', report.log);
    await page.click('.nav [data-section=late]');
    await page.locator('#late-table').waitFor();
    assert.match(await page.locator('#late-answer').innerText(), new RegExp(`in ${late.tensors.length} tensors alive after #\\d+ was used last before it.*${mb(late.peak.allocated_bytes_per_bank)} → ${mb(late.freed_at_last_use.allocated_bytes_per_bank)}`));
    const uses = await page.locator('#late-table tbody tr').evaluateAll(rows => rows.map(r => [...r.cells].map(c => c.innerText)));
    assert.deepEqual(new Set(uses.map(r => r[3])), new Set(late.tensors.map(t => `#${t.last_used_by_op.index}`)));
    const kept = live.tensors.find(t => t.last_used_op_index !== null && t.freed_after_op_index - t.last_used_op_index > 100);
    await page.locator('#alive-list .live', { hasText: `#${kept.op.index} ` }).first().click();
    await settle(page);
    const alone = late.tensors.find(t => t.op.index === kept.op.index), then = late.peak.allocated_bytes_per_bank - alone.lowers_peak_bytes_per_bank;
    assert.match(await fact(page, 'freed at its last use'), new RegExp(`^peak ${mb(late.peak.allocated_bytes_per_bank)} → ${mb(then)}, all 3 times it is made; alive for \\d+ ops without use`));
    // 8 the odd layer: the one whose attention is running
    assert.match(await page.locator('#modules-answer').innerText(), new RegExp(`\\d × model\\.layers\\.\\*.*unlike the others: layers\\.${module.split('.')[2]} with`));
    // 9 what padding wastes
    const sum = live.sum, share = (100 * (sum.padded_bytes - sum.logical_bytes)) / sum.logical_bytes;
    assert.ok((await page.locator('#padding-answer').innerText()).startsWith(`${share.toFixed(1)} % padding`));
    // 10 whether bfloat8_b would help
    assert.match(await page.locator('#weights .answer').innerText(), /in bfloat8_b it would be [\d.]+, [\d.]+ less, by size alone/);
    assert.match(await fact(page, 'in bfloat8_b'), /less, by size alone/);
  }],
];
