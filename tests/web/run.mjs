// Drives the real page in Chromium: node tests/web/run.mjs [name part]. Prints one line per test and a count at the end.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makePage } from '../../web/sample.mjs';
import { launch, open } from './browser.mjs';
import { tests as contentTests } from './content.mjs';
import { tests as edgeTests } from './edge.mjs';
import { tests as interactionTests } from './interaction.mjs';
import { tests as unitTests } from './unit.mjs';

const only = process.argv[2];
const dir = mkdtempSync(join(tmpdir(), 'ttmem-web-'));
const browser = await launch();
const made = new Map();
let passed = 0, failed = 0;

/** The page of a sample kind: {sim, url}; made once. */
function sample(kind) {
  if (!made.has(kind)) {
    const { sim, html } = makePage(kind);
    const file = join(dir, `${kind}.html`);
    writeFileSync(file, html);
    made.set(kind, { sim, html, url: pathToFileURL(file).href });
  }
  return made.get(kind);
}

for (const [name, test] of [...unitTests, ...contentTests, ...interactionTests, ...edgeTests]) {
  if (only && !name.includes(only)) continue;
  const sessions = [];
  try {
    await test({
      sample,
      browser,
      async open(kind, { hash = '', quiet = true, ...options } = {}) {
        const { sim, url } = sample(kind);
        const session = await open(browser, url + hash, options);
        sessions.push({ ...session, quiet });
        return { sim, ...session };
      },
    });
    for (const s of sessions) {
      if (s.quiet && s.problems.length) throw new Error(`console: ${s.problems.join(' | ')}`);
      if (s.requests.length) throw new Error(`requests left the page: ${s.requests.join(' ')}`);
    }
    passed++;
    console.log(`ok      ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}\n        ${String(error.stack ?? error).split('\n').slice(0, 6).join('\n        ')}`);
  }
  for (const s of sessions) await s.context.close();
}

await browser.close();
rmSync(dir, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
