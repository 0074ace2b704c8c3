// SPDX-License-Identifier: Apache-2.0
// Writes the page's data sections as DATA.md defines them. The C writer does the same; this one feeds the
// samples and the tests, so the two can be compared.
import { gzipSync } from 'node:zlib';

const WIDTH = { u8: 1, u16: 2, u32: 4, i32: 4, f64: 8 };

/** One column: {name, type, values, encoding}. `values` is any array of numbers. */
export function column(name, type, values, encoding = type === 'u8' || type === 'f64' ? 'raw' : 'delta-planes') {
  return { name, type, values, encoding };
}

function encodeColumn({ type, values, encoding }) {
  const n = values.length;
  if (type === 'f64') return Buffer.from(Float64Array.from(values).buffer);
  const width = WIDTH[type];
  const out = Buffer.alloc(n * width);
  const delta = encoding.startsWith('delta');
  const planes = encoding.endsWith('planes');
  let prev = 0;
  for (let i = 0; i < n; i++) {
    const v = values[i] | 0;
    const d = delta ? (v - prev) | 0 : v;
    prev = v;
    for (let k = 0; k < width; k++) out[planes ? k * n + i : i * width + k] = (d >>> (8 * k)) & 255;
  }
  return out;
}

const pad8 = n => (8 - (n % 8)) % 8;

/** A section's bytes before compression: magic, header length, header, columns on 8 byte boundaries. */
export function packSection(columns) {
  const header = Buffer.from(JSON.stringify({
    columns: columns.map(c => ({ name: c.name, type: c.type, length: c.values.length, encoding: c.encoding })),
  }));
  const head = Buffer.alloc(8);
  head.write('TTC1', 0, 'latin1');
  head.writeUInt32LE(header.length, 4);
  const parts = [head, header, Buffer.alloc(pad8(8 + header.length))];
  for (const c of columns) {
    const bytes = encodeColumn(c);
    parts.push(bytes, Buffer.alloc(pad8(bytes.length)));
  }
  return Buffer.concat(parts);
}

export function element(id, payload) {
  return `<script type="text/plain" id="ttmem-${id}">${gzipSync(payload, { level: 6 }).toString('base64')}</script>\n`;
}

/** A string table: id 0 is the empty string; equal strings share an id. */
export class Strings {
  #ids = new Map([['', 0]]);
  #list = [''];
  id(s) {
    let id = this.#ids.get(s);
    if (id === undefined) {
      id = this.#list.length;
      this.#ids.set(s, id);
      this.#list.push(s);
    }
    return id;
  }
  columns(prefix) {
    const bytes = this.#list.map(s => Buffer.from(s));
    const offsets = [0];
    for (const b of bytes) offsets.push(offsets[offsets.length - 1] + b.length);
    return [column(`${prefix}_offset`, 'u32', offsets), column(prefix, 'u8', Buffer.concat(bytes))];
  }
}

const escapeHtml = s => s.replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);

/** Puts title and sections into the built page. `first` is read before the script runs, `rest` after it. */
export function fillTemplate(template, title, first, rest) {
  const put = (text, mark, value) => {
    const at = text.indexOf(mark);
    if (at < 0) throw new Error(`template lacks ${mark}`);
    return text.slice(0, at) + value + text.slice(at + mark.length);
  };
  let page = put(template, '@@TTMEM_TITLE@@', escapeHtml(title));
  page = put(page, '@@TTMEM_FIRST@@', first);
  return put(page, '@@TTMEM_REST@@', rest);
}
