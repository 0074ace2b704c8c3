// SPDX-License-Identifier: Apache-2.0
// Pure parts of the page, run in Node.
import assert from 'node:assert/strict';
import { column, packSection } from '../../web/lib/encode.mjs';
import { paintColumns, stepLine } from '../../web/src/charts/columns.js';
import { columnPeaks, decimate } from '../../web/src/charts/decimate.js';
import { readColumns } from '../../web/src/decode.js';
import { bytes, mb, niceStep, signed, visible } from '../../web/src/format.js';
import { moduleOfWeight } from '../../web/src/places.js';
import { StringTable } from '../../web/src/strings.js';
import { View } from '../../web/src/view.js';
import { blockShare } from '../../web/src/ui/blockfloat.js';

function table(list) {
  const parts = list.map(s => new TextEncoder().encode(s));
  const offsets = new Uint32Array(list.length + 1);
  parts.forEach((p, i) => (offsets[i + 1] = offsets[i] + p.length));
  return new StringTable(offsets, Uint8Array.from(parts.flatMap(p => [...p])));
}

/** A run without tensors: one pool, a block before every op, thousandths of a MB. */
function levels(alloc, reopened) {
  return { count: alloc.length, ranks: [''], ten: { count: 0 }, meta: { reopened }, blockOf: Int32Array.from(alloc, (_, i) => i), alloc: [Int32Array.from(alloc)],
    allocAt: (b) => alloc[b], freeAt: () => 0, largestAt: () => 0, total: () => 1000, capacity: () => 1000, isRecord: () => true, label: i => `#${i}`, name: () => 'op' };
}

export const tests = [
  ['columns of changes are read back: none, small, large ones, jumps among small ones', () => {
    const n = 5000, jumps = Array.from({ length: n }, (_, i) => 400 + (i % 13) * 9);
    jumps[700] = 2 ** 31 - 1;
    jumps[n - 1] = -1;
    let seed = 1;
    const lists = {
      same: [new Array(n).fill(7), 'u32'], steps: [Array.from({ length: n }, (_, i) => i + (i > 2000)), 'u32'], small: [Array.from({ length: n }, (_, i) => (i % 5) - 3), 'i32'],
      jumps: [jumps, 'i32'], wide: [Array.from({ length: n }, () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0)), 'u32'], three: [Array.from({ length: n }, (_, i) => (i % 2) * 5000000), 'u32'],
      none: [[], 'u32'], one: [[4294967295], 'u32'], flags: [Array.from({ length: n }, (_, i) => i % 200), 'u8'],
    };
    const section = packSection(Object.entries(lists).map(([name, [values, type]]) => column(name, type, values)));
    const read = readColumns(new Uint8Array(section), 'test');
    for (const [name, [values]] of Object.entries(lists)) assert.deepEqual([...read[name]], values, name);
    const header = JSON.parse(section.subarray(8, 8 + section.readUInt32LE(4)).toString()).columns;
    assert.deepEqual(header.map(c => [c.name, c.planes, c.exceptions]).slice(0, 6), [['same', 0, 1], ['steps', 0, 2], ['small', 1, 0], ['jumps', 1, 4], ['wide', 4, 0], ['three', 3, 0]]);
    const at = 8 + section.readUInt32LE(4);
    assert.throws(() => readColumns(new Uint8Array(section.subarray(0, at + 3000)), 'test'), /cut off/);
  }],
  ['a device that is opened again holds nothing of before', () => {
    const held = (run, c) => new View(run, 0).heldAt(0, c).map(([step, size]) => [step, Math.round(size / 1048.576)]);
    const rises = [10, 30, 60, 100, 150, 150];
    assert.deepEqual(held(levels(rises), 4), [[3, 50], [2, 40], [1, 30], [0, 20], [-1, 10]]);
    const run = levels(rises, [[3, 0, 812]]);
    assert.deepEqual(held(run, 2), [[1, 30], [0, 20], [-1, 10]]);
    assert.deepEqual(held(run, 4), [[-2, 100], [3, 50]]);
    const view = new View(run, 0);
    assert.deepEqual([-1, -2, 3].map(step => view.since(step)), ['the start', 'the opening at line 812', '#3 op']);
    assert.deepEqual(held(levels(rises, [[3, 1, 812]]), 4), held(levels(rises), 4), 'of another rank');
  }],
  ['decimation keeps a spike of one step among 360,000', () => {
    const a = new Int32Array(360000).fill(100);
    a[123457] = 9000;
    a[222222] = 1;
    const picks = decimate([a], 0, a.length, 800);
    assert.ok(picks.includes(123457) && picks.includes(222222));
    assert.ok(picks.length <= 800 * 4);
    assert.ok([...columnPeaks(a, 0, a.length, 800)].includes(123457));
  }],
  ['decimation returns every step when there is room', () => {
    assert.equal(decimate([new Int32Array(50)], 10, 40, 800).length, 30);
    assert.equal(decimate([new Int32Array(0)], 0, 0, 800).length, 0);
  }],
  ['a dense line is painted up to every spike, with its area, and not where nothing was measured', () => {
    globalThis.devicePixelRatio ??= 1;
    const n = 1000, width = 100, painted = [];
    const ys = Array.from({ length: n }, (_, i) => (i === 505 ? 90 : i >= 800 ? null : 10));
    const ctx = { save() {}, restore() {}, beginPath() {}, rect() {}, clip() {}, fillRect(...box) { painted.push([this.fillStyle, ...box]); } };
    const u = { ctx, data: [Float64Array.from(ys, (_, i) => i), ys], bbox: { left: 5, top: 7, width, height: 100 }, scales: { x: { min: 0, max: n }, y: { min: 0, max: 100 } } };
    paintColumns(u, 1, [stepLine('line', 1, 'area')], undefined, v => v);
    const covers = (style, x, y) => painted.some(([s, a, b, w, h]) => s === style && x >= a && x < a + w && y >= b && y < b + h);
    assert.ok(covers('line', 5 + 50, 7 + 10) && covers('line', 5 + 50, 7 + 89), 'the spike from its foot to its top');
    assert.ok(!covers('line', 5 + 51, 7 + 50) && covers('line', 5 + 51, 7 + 90) && covers('area', 5 + 51, 7 + 95), 'the column after it');
    assert.ok(!painted.some(([, x, , w]) => x + w > 5 + 81), 'nothing where no level is known');
    assert.equal(stepLine('line', 1).paths(u), null, 'uPlot strokes no path of it');
    assert.ok(painted.length < 12, 'equal neighbours are one rectangle');
  }],
  ['decimation keeps order', () => {
    const a = Int32Array.from({ length: 5000 }, (_, i) => (i * 7919) % 1013);
    const picks = decimate([a], 0, a.length, 100);
    for (let i = 1; i < picks.length; i++) assert.ok(picks[i] > picks[i - 1]);
  }],
  ['string search finds in either case, never across two strings', () => {
    const t = table(['', 'ttnn.MatMul', 'ttnn.add', 'mulADD', 'é漢']);
    assert.deepEqual([...t.matches('matmul')], [0, 1, 0, 0, 0]);
    assert.deepEqual([...t.matches('add')], [0, 0, 1, 1, 0]);
    assert.deepEqual([...t.matches('lttnn')], [0, 0, 0, 0, 0]);
    assert.deepEqual([...t.matches('漢')], [0, 0, 0, 0, 1]);
    assert.equal(t.get(4), 'é漢');
    assert.equal(t.get(99), '');
  }],
  ['figures are formatted with unit size, grouping and a real minus', () => {
    assert.equal(mb(3109.879), '3,109.9');
    assert.equal(mb(0.062), '0.062');
    assert.equal(mb(0), '0.0');
    assert.equal(mb(null), '–');
    assert.equal(signed(12.5), '+12.50');
    assert.equal(signed(-12.5), '−12.50');
    assert.equal(bytes(1048576 * 2685.25), '2,685.25 MB');
    assert.equal(bytes(512), '512 B');
    assert.equal(niceStep(4080, 4), 2000);
  }],
  ['the module of a weight, as each framework names it', () => {
    assert.equal(moduleOfWeight('model.layers.3.mlp.down_proj.weight'), 'model.layers.3.mlp.down_proj');
    assert.equal(moduleOfWeight("params['params']['layers_3']['kernel']"), 'layers.3');
    assert.equal(moduleOfWeight('l__self___layers_6_mlp_down_weight'), 'layers.6.mlp_down');
    assert.equal(moduleOfWeight('l__self___norm_layer_bias'), 'norm_layer');
    assert.equal(moduleOfWeight('l__self___model_rotary_emb_inv_freq'), 'model_rotary_emb');
    assert.equal(moduleOfWeight('arg0'), '');
  }],
  ['bfloat8_b: a tile of 1,088 bytes instead of 2,048 or 4,096', () => {
    assert.equal(blockShare({ dtype: 'bf16', storage: '', layout: 'tile 32x32, interleaved' }), 1088 / 2048);
    assert.equal(blockShare({ dtype: 'f32', storage: '', layout: 'tile 32x32, interleaved' }), 1088 / 4096);
    assert.equal(blockShare({ dtype: 'bf16', storage: 'bfp_bf8', layout: 'tile 32x32, interleaved' }), 1);
    assert.equal(blockShare({ dtype: 'bf16', storage: '', layout: 'row major, interleaved' }), 1);
    assert.equal(blockShare({ dtype: 'si32', storage: '', layout: 'tile 32x32, interleaved' }), 1);
  }],
  ['control and direction characters become visible', () => {
    assert.equal(visible('a\u0000b\u001b[31m\u202e'), 'a␀b␛[31m\\u202e');
  }],
];
