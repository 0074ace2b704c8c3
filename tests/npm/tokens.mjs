// SPDX-License-Identifier: Apache-2.0
// Counts tokens of files with the tokenizers that agents have: node tests/npm/tokens.mjs FILE... A line for each: FILE O200K CL100K
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const need = createRequire(new URL('./package.json', import.meta.url));
const encodings = ['o200k_base', 'cl100k_base'].map((name) => need(`gpt-tokenizer/encoding/${name}`));
for (const path of process.argv.slice(2)) {
  const text = readFileSync(path, 'utf8');
  // what looks like a mark of a model is text of a log like any other
  console.log(path, ...encodings.map(({ encode }) => encode(text, { disallowedSpecial: new Set() }).length));
}
