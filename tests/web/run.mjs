// SPDX-License-Identifier: Apache-2.0
// Drives the real page in Chromium: node tests/web/run.mjs [name part]. Prints one line per test and a count at the end.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { makePage } from '../../web/sample.mjs';
import { tests as accessTests } from './access.mjs';
import { tests as besideTests } from './beside.mjs';
import { launch, open } from './browser.mjs';
import { tests as contentTests } from './content.mjs';
import { tests as diffTests } from './diff.mjs';
import { tests as contrastTests } from './contrast.mjs';
import { tests as edgeTests } from './edge.mjs';
import { tests as graphTests } from './graph.mjs';
import { tests as interactionTests } from './interaction.mjs';
import { tests as l1Tests } from './l1.mjs';
import { tests as mapTests } from './map.mjs';
import { tests as pinTests } from './pin.mjs';
import { tests as predictedTests } from './predicted.mjs';
import { tests as realTests } from './real.mjs';
import { makeReport, olderReport, readReport, BINARY } from './reports.mjs';
import { tests as sizeTests } from './sizes.mjs';
import { tests as unitTests } from './unit.mjs';

// The pages of the simulated runs are made from the bundle as it is now.
execFileSync(process.execPath, [fileURLToPath(new URL('../../web/build.mjs', import.meta.url))]);

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

/** A report of a generated log; made once. */
function once(key, make) {
  if (!made.has(key)) made.set(key, make());
  return made.get(key);
}
const report = kind => once(`report ${kind}`, () => makeReport(dir, kind));
/** The same report without its page: made from the JSON files. */
function fromFiles(kind) {
  return once(`files ${kind}`, () => {
    const out = join(dir, `files-${kind}`);
    cpSync(report(kind).dir, out, { recursive: true });
    rmSync(join(out, `${kind}_report.html`));
    execFileSync(BINARY, ['view', out]);
    return readReport(out, kind);
  });
}

const suites = [unitTests, contentTests, interactionTests, edgeTests, diffTests, contrastTests, realTests, graphTests, l1Tests, mapTests, predictedTests, besideTests, pinTests, accessTests, sizeTests];
for (const [name, test] of suites.flat()) {
  if (only && !name.includes(only)) continue;
  const sessions = [];
  const show = async (url, options = {}) => {
    const session = await open(browser, url, options);
    sessions.push({ ...session, quiet: true });
    return session;
  };
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
      dir,
      show,
      openReport: async (kind, options) => ({ report: report(kind), ...(await show(report(kind).url, options)) }),
      openFiles: async kind => ({ report: fromFiles(kind), ...(await show(fromFiles(kind).url)) }),
      openOlder: async (kind, form) => {
        const older = once(`older ${kind} ${form}`, () => olderReport(dir, kind, form, report(kind)));
        return { report: older, ...(await show(older.url)) };
      },
      browserOpen: async file => (await show(pathToFileURL(file).href)).page,
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
