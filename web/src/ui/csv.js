// SPDX-License-Identifier: Apache-2.0
// CSV by RFC 4180. A text cell that a spreadsheet would run as a formula is preceded by an apostrophe.

function cell(v) {
  if (v === null || v === undefined) return '';
  if (typeof v === 'number') return String(v);
  let s = String(v);
  if (/^[=+\-@\t\r]/.test(s)) s = `'${s}`;
  return /[",\n\r]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s;
}

/** Downloads rows(i) for i in [0, count) as a file. */
export function saveCsv(name, head, count, row) {
  const parts = [`${head.map(cell).join(',')}\r\n`];
  let chunk = '';
  for (let i = 0; i < count; i++) {
    chunk += `${row(i).map(cell).join(',')}\r\n`;
    if (chunk.length > 1 << 20) {
      parts.push(chunk);
      chunk = '';
    }
  }
  parts.push(chunk);
  const url = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }));
  const a = document.createElement('a');
  a.href = url;
  a.download = name.replace(/[^\w.-]+/g, '_');
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
