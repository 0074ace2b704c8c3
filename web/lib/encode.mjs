// SPDX-License-Identifier: Apache-2.0
// Writes the page's data sections as DATA.md defines them. The C writer does the same; this one feeds the
// samples and the tests, so the two can be compared.
import { gzipSync } from 'node:zlib';

const WIDTH = { u8: 1, u16: 2, u32: 4, i32: 4, f64: 8 };

/** One column: {name, type, values, encoding}. `values` is any array of numbers. */
export function column(name, type, values, encoding = type === 'u8' || type === 'f64' ? 'raw' : 'deltas') {
  return { name, type, values, encoding };
}

/** Changes from value to value: the expected one taken off, the sign in the lowest bit, the bytes that all but a few need. */
function deltas(values) {
  const n = values.length, few = Math.floor(n / 1024);
  const folded = base => Array.from(values, (v, i) => ((v | 0) - (i ? values[i - 1] | 0 : 0) - base) | 0).map(d => ((d << 1) ^ (d >> 31)) >>> 0);
  const wider = (list, k) => list.filter(v => v >= 2 ** (8 * k)).length;
  const usual = n > 2 ? ((values[2] | 0) - (values[1] | 0)) | 0 : 0;
  const same = wider(folded(usual), 0) <= few && wider(folded(0), 0) > few;
  const base = same ? usual : 0, list = folded(base);
  let planes = 0;
  while (planes < 4 && wider(list, planes) > few) planes++;
  const exceptions = [...list.keys()].filter(i => list[i] >= 2 ** (8 * planes));
  const out = Buffer.alloc(n * planes + exceptions.length * 8);
  list.forEach((v, i) => {
    if (v < 2 ** (8 * planes)) for (let k = 0; k < planes; k++) out[k * n + i] = (v >>> (8 * k)) & 255;
  });
  exceptions.forEach((i, e) => {
    out.writeUInt32LE(i, n * planes + e * 8);
    out.writeUInt32LE(list[i], n * planes + e * 8 + 4);
  });
  return { out, header: { base, planes, exceptions: exceptions.length } };
}

/** {out: its bytes, header: what the header tells beside name, type, length and encoding}. */
function encodeColumn({ type, values, encoding }) {
  const n = values.length;
  if (type === 'f64') return { out: Buffer.from(Float64Array.from(values).buffer) };
  if (encoding === 'deltas') return deltas(values);
  const width = WIDTH[type];
  const out = Buffer.alloc(n * width);
  for (let i = 0; i < n; i++)
    for (let k = 0; k < width; k++) out[encoding === 'planes' ? k * n + i : i * width + k] = ((values[i] | 0) >>> (8 * k)) & 255;
  return { out };
}

const pad8 = n => (8 - (n % 8)) % 8;

/** A section's bytes before compression: magic, header length, header, columns on 8 byte boundaries. */
export function packSection(columns) {
  const coded = columns.map(encodeColumn);
  const header = Buffer.from(JSON.stringify({
    columns: columns.map((c, i) => ({ name: c.name, type: c.type, length: c.values.length, encoding: c.encoding, ...coded[i].header })),
  }));
  const head = Buffer.alloc(8);
  head.write('TTC1', 0, 'latin1');
  head.writeUInt32LE(header.length, 4);
  const parts = [head, header, Buffer.alloc(pad8(8 + header.length))];
  for (const { out } of coded) parts.push(out, Buffer.alloc(pad8(out.length)));
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
