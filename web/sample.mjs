// SPDX-License-Identifier: Apache-2.0
// Makes report pages from simulated runs: node web/sample.mjs [kind] [out.html], kinds below.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fillTemplate } from './lib/encode.mjs';
import { decoder, transformer } from './lib/models.mjs';
import { bare, bigModule, empty, failures, hostile, single } from './lib/odd.mjs';
import { planted } from './lib/planted.mjs';

const here = dirname(fileURLToPath(import.meta.url));

export const KINDS = {
  decoder: () => decoder(),
  oom: () => decoder({ name: 'decoder-oom', fail: true }),
  ranks: () => transformer({ name: 'two-ranks', ops: 6000, layers: 8, ranks: 2 }),
  '20k': () => transformer({ name: 'llama-20k', ops: 20000 }),
  '360k': () => transformer({ name: 'llama-360k', ops: 360000 }),
  '400k': () => transformer({ name: 'llama-400k', ops: 400300 }),
  '3m': () => transformer({ name: 'llama-3m', ops: 3000000 }),
  'distinct-360k': () => transformer({ name: 'distinct-360k', ops: 360000, distinct: true }),
  planted, failures, hostile, bare, empty, single, 'big-module': bigModule,
};

export function makePage(kind) {
  const sim = KINDS[kind]();
  const template = readFileSync(join(here, 'dist/page.html'), 'utf8');
  const [first, rest] = sim.sections(sim.extra);
  return { sim, html: fillTemplate(template, sim.name, first, rest) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const kinds = process.argv[2] && process.argv[2] !== 'all' ? [process.argv[2]] : Object.keys(KINDS);
  for (const kind of kinds) {
    const out = process.argv[3] ?? join(here, 'dist', `sample-${kind}.html`);
    mkdirSync(dirname(out), { recursive: true });
    const { sim, html } = makePage(kind);
    writeFileSync(out, html);
    console.log(`${out}: ${(html.length / 1048576).toFixed(2)} MB, ${sim.steps.flags.length} steps, ${sim.templates.length} templates, ${sim.tensors.length} tensors`);
  }
}
