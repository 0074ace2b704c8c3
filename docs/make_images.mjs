// SPDX-License-Identifier: Apache-2.0
// Makes the pictures of the documents from the example and from generated logs: node docs/make_images.mjs [build folder]. To be looked at
// before they are committed.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launch, open, settle } from '../tests/web/browser.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const build = resolve(process.argv[2] ?? join(here, '../build'));
const work = mkdtempSync(join(tmpdir(), 'ttmem-images-'));
const example = join(here, '../examples/transformer_profile.log'), module = join(here, '../examples/group_norm_ttnn.mlir');

function page(name, ...options) {
  const html = join(work, `${name}.html`), log = options.length ? join(work, `${name}_profile.log`) : name === 'failed' ? module : example;
  if (options.length) execFileSync(join(build, 'genlog'), ['-o', log, ...options]);
  execFileSync(join(build, 'ttmem'), ['view', log, '-o', html, '--quiet']);
  return pathToFileURL(html).href;
}
const click = selector => async page => { await page.locator(selector).first().click(); await settle(page); };

const layers = ['--paths', '--ops', '330', '--hidden', '2048', '--seq', '1000', '--batch', '4', '--const-eval', '10', '--change', 'keep', '--seed', '3'];
const PICTURES = [
  { name: 'report', url: page('transformer') },
  { name: 'ir', url: page('transformer'), hash: '#section=ir', act: click('#op-panel [data-ir=ttnn]') },
  { name: 'failed', url: page('failed') },
  { name: 'pin', url: page('layers', ...layers), act: click('#alive-list .live:nth-child(3)') },
  { name: 'modules', url: page('layers', ...layers), hash: '#section=modules' },
  { name: 'ranks', url: page('ranks', '--ops', '150', '--ranks', '4', '--hidden', '2048', '--seq', '1000', '--batch', '4') },
];

const browser = await launch();
for (const { name, url, hash = '', act } of PICTURES) {
  const { page, context } = await open(browser, url + hash, { width: 1440, height: 900 });
  if (act) await act(page);
  // Where the log lay is of no interest.
  await page.evaluate(() => document.querySelector('.foot > p:last-child').remove());
  await page.screenshot({ path: join(here, 'images', `${name}.png`) });
  await context.close();
}
await browser.close();
rmSync(work, { recursive: true, force: true });
