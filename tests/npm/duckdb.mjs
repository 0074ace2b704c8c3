// SPDX-License-Identifier: Apache-2.0
// Runs the DuckDB query of docs/history.md over a CSV file: node tests/npm/duckdb.mjs DOCUMENT FOLDER. Prints its rows.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [document, folder] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(new URL('./package.json', import.meta.url))('@duckdb/node-api');
const query = /```sql\n(-- DuckDB\n[^`]*)```/.exec(readFileSync(document, 'utf8'))[1];
process.chdir(folder);
const connection = await (await DuckDBInstance.create(':memory:')).connect();
const rows = await (await connection.runAndReadAll(query)).getRowsJson();
for (const row of rows) console.log(row.join(' '));
