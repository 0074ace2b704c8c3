// SPDX-License-Identifier: Apache-2.0
// Bundles src/ into pages, each one file with script and style inline and a policy that allows exactly these two: page.html (a report),
// graph.html (a graph capture), index.html (the list of reports), diff.html (two runs compared), live.html (devices now), trends.html (the history). node web/build.mjs [--debug] [--out FOLDER]
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const minify = !process.argv.includes('--debug');
const outFlag = process.argv.indexOf('--out');
const out = outFlag > 0 ? process.argv[outFlag + 1] : join(here, 'dist');
const common = { bundle: true, minify, write: false, legalComments: 'none', charset: 'utf8', logLevel: 'warning' };

const PAGES = [
  { name: 'page.html', html: 'src/page.html', script: 'src/main.js', style: 'src/css/page.css', marks: ['TITLE', 'FIRST', 'REST'] },
  { name: 'graph.html', html: 'src/graph/graph.html', script: 'src/graph/main.js', style: 'src/graph/graph.css', marks: ['TITLE', 'FIRST', 'REST'] },
  { name: 'index.html', html: 'src/index/index.html', title: 'ttmem reports', script: 'src/index/index.js', style: 'src/index/index.css', marks: ['FOLDER', 'ROWS'] },
  { name: 'diff.html', html: 'src/diff/diff.html', script: 'src/diff/diff.js', style: 'src/diff/diff.css', marks: ['TITLE', 'HEADLINE', 'BODY', 'DATA'] },
  { name: 'trends.html', html: 'src/trends/trends.html', title: 'ttmem trends', script: 'src/trends/trends.js', style: 'src/trends/trends.css', marks: ['DATA'] },
  { name: 'live.html', html: 'src/live/live.html', title: 'ttmem live', script: 'src/live/live.js', style: 'src/live/live.css', marks: [], asksServer: true },
];

const hash = text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The terms of docs/glossary.md with their meanings, as a module: the page and the document say the same. */
const glossary = {
  name: 'glossary',
  setup(plan) {
    plan.onLoad({ filter: /glossary\.md$/ }, ({ path }) => {
      const rows = [...readFileSync(path, 'utf8').matchAll(/^\| ([^|]+) \| (.+) \|$/gm)].filter(([, term]) => term !== 'term');
      if (rows.length < 10) throw new Error('the glossary has lost its table');
      return { contents: JSON.stringify(rows.map(([, term, text]) => [term, text.replaceAll(/[`*]/g, '')])), loader: 'json' };
    });
  },
};

async function bundle(entry, options) {
  const result = await build({ ...common, plugins: [glossary], ...options, entryPoints: [join(here, entry)] });
  return result.outputFiles[0].text;
}

function fill(html, values) {
  for (const [mark, value] of Object.entries(values)) {
    const parts = html.split(`@@${mark}@@`);
    if (parts.length === 1 && mark === 'LICENCE') continue;
    if (parts.length !== 2) throw new Error(`a page must hold ${mark} once`);
    html = parts.join(value.replaceAll('@@', '@ @'));
  }
  return html;
}

async function make(page) {
  const script = await bundle(page.script, { format: 'iife', target: 'es2022' });
  const style = await bundle(page.style, { target: 'chrome100' });
  // Inside a script element only these end or change it; the page would be broken, so fail here.
  if (/<\/script|<!--/i.test(script)) throw new Error('the bundle holds text that ends its own element');
  if (/<\/style/i.test(style)) throw new Error('the style sheet ends its own element');
  if (/@@TTMEM_/.test(script + style)) throw new Error('a mark inside the bundle');
  // The licence of the bundled library travels with every page.
  const licence = readFileSync(join(here, '../node_modules/uplot/LICENSE'), 'utf8').replaceAll('--', '- -').trim();
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data:;${page.asksServer ? " connect-src 'self';" : ''} base-uri 'none'; form-action 'none'`;
  const head = readFileSync(join(here, 'src/head.html'), 'utf8').replace('@@TITLE@@', page.title ?? '@@TTMEM_TITLE@@');
  const html = fill(readFileSync(join(here, page.html), 'utf8').replace('@@HEAD@@', head), { LICENCE: `uPlot\n\n${licence}`, POLICY: policy, STYLE: style, SCRIPT: script });
  for (const mark of page.marks) if (html.split(`@@TTMEM_${mark}@@`).length !== 2) throw new Error(`${page.name} must hold ${mark} once`);
  writeFileSync(join(out, page.name), html);
  console.log(`${page.name}: ${(Buffer.byteLength(html) / 1024).toFixed(1)} kB (script ${(script.length / 1024).toFixed(1)}, style ${(style.length / 1024).toFixed(1)})`);
}

mkdirSync(out, { recursive: true });
for (const page of PAGES) await make(page);
