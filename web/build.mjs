// Bundles src/ into dist/page.html: one file, script and style inline, with a policy that allows exactly these two.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const minify = !process.argv.includes('--debug');
const common = { bundle: true, minify, write: false, legalComments: 'none', charset: 'utf8', logLevel: 'warning' };

const js = await build({ ...common, entryPoints: [join(here, 'src/main.js')], format: 'iife', target: 'es2022' });
const css = await build({ ...common, entryPoints: [join(here, 'src/css/page.css')], target: 'chrome100' });

const script = js.outputFiles[0].text;
const style = css.outputFiles[0].text;
// Inside a script element only these end or change it; the page would be broken, so fail here.
if (/<\/script|<!--/i.test(script)) throw new Error('the bundle holds text that ends its own element');
if (/<\/style/i.test(style)) throw new Error('the style sheet ends its own element');

const hash = text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data:; base-uri 'none'; form-action 'none'`;

let page = readFileSync(join(here, 'src/page.html'), 'utf8');
const put = (mark, value) => {
  const parts = page.split(mark);
  if (parts.length !== 2) throw new Error(`page.html must hold ${mark} once`);
  page = parts.join(value.replaceAll('@@', '@ @'));
};
if (/@@TTMEM_/.test(script + style)) throw new Error('a mark inside the bundle');
// The licence of the bundled library travels with every page.
const licence = readFileSync(join(here, '../node_modules/uplot/LICENSE'), 'utf8').replaceAll('--', '- -').trim();
put('@@LICENCE@@', `uPlot\n\n${licence}`);
put('@@POLICY@@', policy);
put('@@STYLE@@', style);
put('@@SCRIPT@@', script);
for (const mark of ['TITLE', 'FIRST', 'REST'])
  if (page.split(`@@TTMEM_${mark}@@`).length !== 2) throw new Error(`page.html must hold ${mark} once`);

mkdirSync(join(here, 'dist'), { recursive: true });
writeFileSync(join(here, 'dist/page.html'), page);
console.log(`dist/page.html: ${(Buffer.byteLength(page) / 1024).toFixed(1)} kB (script ${(script.length / 1024).toFixed(1)}, style ${(style.length / 1024).toFixed(1)})`);
