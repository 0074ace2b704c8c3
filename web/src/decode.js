// SPDX-License-Identifier: Apache-2.0
// Opens the data sections that the writer put into the page (web/DATA.md).

const ARRAY = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array, f64: Float64Array };

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** The gunzipped bytes of a section, or null if the page has none of that name. The element is dropped to free its text. */
export async function sectionBytes(name) {
  const element = document.getElementById(`ttmem-${name}`);
  if (!element) return null;
  const packed = fromBase64(element.textContent);
  element.remove();
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function sectionJson(name) {
  const bytes = await sectionBytes(name);
  return bytes && JSON.parse(new TextDecoder().decode(bytes));
}

/** Bytes that a column takes in its section. */
function columnSize({ type, length, encoding, planes, exceptions }) {
  return encoding === 'deltas' ? length * planes + exceptions * 8 : length * ARRAY[type].BYTES_PER_ELEMENT;
}

/** Changes against an expected one, in as few bytes as nearly all of them need; the others are told apart, by their place. */
function decodeDeltas(bytes, at, { length: n, base, planes, exceptions }) {
  const out = new Int32Array(n); // also of unsigned columns: one kind of array keeps the loops fast
  const wide = new DataView(bytes.buffer, bytes.byteOffset + at + n * planes, exceptions * 8);
  const p = [0, 1, 2, 3].map(k => (k < planes ? bytes.subarray(at + k * n, at + (k + 1) * n) : null));
  let sum = 0, i = 0;
  for (let e = 0; e <= exceptions; e++) {
    const end = e < exceptions ? wide.getUint32(e * 8, true) : n;
    sum = decodePart(p, planes, out, i, Math.min(end, n), base, sum);
    if (end >= n) break;
    const v = wide.getUint32(e * 8 + 4, true);
    out[end] = sum = (sum + base + ((v >>> 1) ^ -(v & 1))) | 0;
    i = end + 1;
  }
  return out;
}

function decodePart([p0, p1, p2, p3], planes, out, from, end, base, sum) {
  if (from >= end) return sum;
  if (planes === 0) for (let i = from; i < end; i++) out[i] = sum = (sum + base) | 0;
  else if (planes === 1) {
    for (let i = from; i < end; i++) {
      const v = p0[i];
      out[i] = sum = (sum + base + ((v >> 1) ^ -(v & 1))) | 0;
    }
  } else if (planes === 2) {
    for (let i = from; i < end; i++) {
      const v = p0[i] | (p1[i] << 8);
      out[i] = sum = (sum + base + ((v >> 1) ^ -(v & 1))) | 0;
    }
  } else {
    for (let i = from; i < end; i++) {
      const v = p0[i] | (p1[i] << 8) | (p2[i] << 16) | (p3 ? p3[i] << 24 : 0);
      out[i] = sum = (sum + base + ((v >>> 1) ^ -(v & 1))) | 0;
    }
  }
  return sum;
}

function decodeColumn(bytes, at, column) {
  const { type, length, encoding } = column, Type = ARRAY[type];
  if (!Type) throw new Error(`column type ${type}`);
  if (at + columnSize(column) > bytes.length) throw new Error('section is cut off');
  const width = Type.BYTES_PER_ELEMENT;
  if (encoding === 'deltas') return new Type(decodeDeltas(bytes, at, column).buffer);
  const out = new Type(length);
  if (encoding === 'planes' && width === 4) {
    const p0 = bytes.subarray(at, at + length), p1 = bytes.subarray(at + length, at + 2 * length);
    const p2 = bytes.subarray(at + 2 * length, at + 3 * length), p3 = bytes.subarray(at + 3 * length, at + 4 * length);
    for (let i = 0; i < length; i++) out[i] = p0[i] | (p1[i] << 8) | (p2[i] << 16) | (p3[i] << 24);
  } else if (encoding === 'raw') {
    new Uint8Array(out.buffer).set(bytes.subarray(at, at + length * width));
  } else {
    throw new Error(`encoding ${encoding} of ${type}`);
  }
  return out;
}

/** {column name: typed array} of a column section; an absent section gives no columns. */
export async function sectionColumns(name) {
  const bytes = await sectionBytes(name);
  return bytes ? readColumns(bytes, name) : {};
}

export function readColumns(bytes, name) {
  const text = new TextDecoder();
  if (text.decode(bytes.subarray(0, 4)) !== 'TTC1') throw new Error(`section ${name} is not a column section`);
  const length = new DataView(bytes.buffer).getUint32(4, true);
  const header = JSON.parse(text.decode(bytes.subarray(8, 8 + length)));
  const columns = Object.create(null);
  const align = n => (n + 7) & ~7;
  let at = align(8 + length);
  for (const column of header.columns) {
    columns[column.name] = decodeColumn(bytes, at, column);
    at = align(at + columnSize(column));
  }
  return columns;
}
