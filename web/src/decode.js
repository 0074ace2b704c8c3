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

function decodeColumn(bytes, at, { type, length, encoding }) {
  const Type = ARRAY[type];
  if (!Type) throw new Error(`column type ${type}`);
  const width = Type.BYTES_PER_ELEMENT;
  if (at + length * width > bytes.length) throw new Error('section is cut off');
  const out = new Type(length);
  const delta = encoding.startsWith('delta');
  if (encoding.endsWith('planes') && width === 4) {
    const p0 = bytes.subarray(at, at + length), p1 = bytes.subarray(at + length, at + 2 * length);
    const p2 = bytes.subarray(at + 2 * length, at + 3 * length), p3 = bytes.subarray(at + 3 * length, at + 4 * length);
    let sum = 0;
    for (let i = 0; i < length; i++) {
      const v = p0[i] | (p1[i] << 8) | (p2[i] << 16) | (p3[i] << 24);
      out[i] = sum = delta ? (sum + v) | 0 : v;
    }
    return out;
  }
  if (encoding.endsWith('planes') && width === 2) {
    for (let i = 0; i < length; i++) out[i] = bytes[at + i] | (bytes[at + length + i] << 8);
  } else {
    new Uint8Array(out.buffer).set(bytes.subarray(at, at + length * width));
  }
  if (delta) for (let i = 1; i < length; i++) out[i] += out[i - 1];
  return out;
}

/** {column name: typed array} of a column section; an absent section gives no columns. */
export async function sectionColumns(name) {
  const bytes = await sectionBytes(name);
  if (!bytes) return {};
  const text = new TextDecoder();
  if (text.decode(bytes.subarray(0, 4)) !== 'TTC1') throw new Error(`section ${name} is not a column section`);
  const length = new DataView(bytes.buffer).getUint32(4, true);
  const header = JSON.parse(text.decode(bytes.subarray(8, 8 + length)));
  const columns = Object.create(null);
  const align = n => (n + 7) & ~7;
  let at = align(8 + length);
  for (const column of header.columns) {
    columns[column.name] = decodeColumn(bytes, at, column);
    at = align(at + column.length * ARRAY[column.type].BYTES_PER_ELEMENT);
  }
  return columns;
}
