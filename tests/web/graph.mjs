// SPDX-License-Identifier: Apache-2.0
// The page of a graph capture, made by the program under test from captures whose figures follow by hand.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { HOSTILE } from '../../web/lib/odd.mjs';
import { BINARY } from './reports.mjs';
import { settle } from './browser.mjs';

class Writer {
  nodes = [];
  node(type, params = {}, more = {}) {
    this.nodes.push({ counter: this.nodes.length, node_type: type, connections: [], params, ...more });
    return this.nodes.length - 1;
  }
  start(name, ...args) {
    return this.node('function_start', { name, inputs: String(args.length) }, { arguments: args });
  }
  end(name) {
    return this.node('function_end', { name });
  }
  allocate(size, type, address) {
    const buffer = this.node('buffer', { size: String(size), type });
    this.node('buffer_allocate', { size: String(size), type, address: String(address), page_size: '2048', max_size_per_bank: String(size) }, { connections: [buffer] });
    return buffer;
  }
  free(buffer, size, type, address) {
    this.node('buffer_deallocate', { size: String(size), type, address: String(address) }, { connections: [buffer] });
  }
  program(kind, size, address = 100000) {
    this.node(`${kind}_allocate`, { size: String(size), address: String(address), core_range_set: '{[(x=0,y=0) - (x=3,y=3)]}', globally_allocated: 'false' });
  }
  release() {
    this.node('circular_buffer_deallocate_all');
  }
}

/** 3 MB of DRAM, then 64 KB of L1 under 96 KB of circular buffers and 16 KB of scratchpad; the L1 buffer stays. */
function small() {
  const w = new Writer();
  w.node('capture_start');
  w.start('ttnn::outer', 'Shape([1, 2])', 'Layout::TILE');
  const dram = w.allocate(3 << 20, 'DRAM', 4096);
  w.start('ttnn::inner');
  w.allocate(65536, 'L1', 1000000);
  w.program('circular_buffer', 65536);
  w.program('circular_buffer', 32768, 165536);
  w.program('scratchpad', 16384, 0);
  w.release();
  w.end('ttnn::inner');
  w.free(dram, 3 << 20, 'DRAM', 4096);
  w.end('ttnn::outer');
  w.node('capture_end');
  return w.nodes;
}

let made = 0;
async function open({ dir, show }, nodes, options = [], view = {}) {
  const file = join(dir, `capture-${++made}.json`), page = join(dir, `capture-${made}.html`);
  writeFileSync(file, JSON.stringify(nodes));
  try {
    execFileSync(BINARY, ['graph', '--format', 'html', '-o', page, ...options, file], { stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    if (error.status !== 1) throw error; // it does not fit
  }
  return (await show(pathToFileURL(page).href, view)).page;
}
const text = (page, selector) => page.locator(selector).first().innerText();
const cells = (page, selector) => page.locator(selector).evaluateAll(rows => rows.map(r => [...r.cells].map(c => c.textContent.trim())));

export const tests = [
  ['capture: peaks of DRAM, L1 and circular buffers are the first thing read', async ctx => {
    const page = await open(ctx, small());
    assert.match(await text(page, '[data-card="DRAM peak"]'), /3\.00 MB/);
    assert.match(await text(page, '[data-card="L1 peak"]'), /176\.0 KB/);
    assert.match(await text(page, '[data-card="Circular buffers"]'), /96\.0 KB/);
    assert.match(await text(page, '[data-card="Alive at the end"]'), /64\.0 KB in 1/);
    assert.match(await text(page, '#graph-l1 .readout'), /176\.0 KB = 96\.0 KB circular \+ 16\.0 KB scratchpad \+ 64\.0 KB buffer/);
    assert.match(await text(page, '#graph-dram .readout'), /3\.00 MB/);
    assert.equal(await page.evaluate(() => [...document.querySelectorAll('.plot canvas')].every(c => c.width > 100 && c.height > 20)), true);
  }],
  ['capture: L1 of a core, as ttmem l1 map tells it, for the call that is chosen', async ctx => {
    const file = fileURLToPath(new URL('../data/graph/matmul_add_report.json', import.meta.url)), html = join(ctx.dir, 'capture-l1.html');
    execFileSync(BINARY, ['view', file, '-o', html]);
    const { page } = await ctx.show(pathToFileURL(html).href);
    const told = JSON.parse(execFileSync(BINARY, ['l1', 'map', file, '--json'])).ops;
    const rows = await cells(page, '#l1-tightest tbody tr');
    assert.deepEqual(rows.map(r => [r[0], Number(r[1].replaceAll(',', ''))]), told.map(o => [o.op.name, o.margin_bytes]));
    // Circular buffers are those of the device operation, not of a call that it made before.
    assert.deepEqual(rows.map(r => r[0]), ['MatmulDeviceOperation', 'BinaryNgDeviceOperation']);
    await page.locator('#l1-tightest tbody tr').nth(1).click();
    await page.waitForFunction(() => document.getElementById('l1-answer').innerText.startsWith('BinaryNg'));
    assert.match(await text(page, '#l1-answer'), /1,379,136 B left, the program ends at 117,952, the lowest L1 buffer begins at 1,497,088/);
    assert.match(await text(page, '#op-title'), /BinaryNgDeviceOperation/);
    // Its caller has no program of its own: the tightest inside it stands for it.
    await page.locator('#function-table button', { hasText: 'ttnn.matmul' }).click();
    await page.waitForFunction(() => document.getElementById('l1-answer').innerText.startsWith('MatmulDevice'));
  }],
  ['capture: segments are one run in the L1 of a core: a buffer of the first is there in the second', async ctx => {
    const html = join(ctx.dir, 'segments-l1.html'), options = [];
    // 1400000 lies below 1450000: the program of the second segment has 1400000 - 105664 - 4096 B left, not 1450000 - 109760.
    for (const [name, address, circular] of [['load', 1400000, 0], ['step', 1450000, 4096]]) {
      const nodes = [];
      const node = (kind, params = {}, connections = []) => nodes.push({ counter: nodes.length, node_type: kind, params, connections, arguments: [], input_tensors: [], stacking_level: 1 });
      node('capture_start');
      node('function_start', { name: `ttnn.${name}`, inputs: '0' });
      const buffer = { size: 2048 * 64, address, type: 'L1', buffer_type: 1, layout: 'INTERLEAVED', page_size: 2048, num_cores: 0, device_id: 0, max_size_per_bank: 2048 };
      node('buffer', buffer);
      node('buffer_allocate', buffer, [2]);
      if (circular) node('circular_buffer_allocate', { size: circular, address: 105664, core_range_set: '{[0-0 - 7-7]}', globally_allocated: '0', device_id: 0 });
      node('function_end', { name: `ttnn.${name}` });
      node('capture_end');
      const file = join(ctx.dir, `segment-${name}.json`);
      writeFileSync(file, JSON.stringify(nodes));
      options.push('--segment', `${name}=${file}`);
    }
    execFileSync(BINARY, ['graph', '--format', 'html', '-o', html, ...options]);
    const { page } = await ctx.show(pathToFileURL(html).href);
    const rows = await cells(page, '#l1-tightest tbody tr');
    assert.deepEqual(rows.map(r => r.slice(0, 3)), [['ttnn.step', '1,290,240', '4,096'], ['ttnn.load', '1,294,336', '0']]);
    assert.match(await text(page, '#l1-answer'), /^ttnn\.step: 1,290,240 B left, the program ends at 109,760, the lowest L1 buffer begins at 1,400,000/);
    // The pointer on the timeline chooses, and gives the choice back when it leaves.
    const box = await page.locator('#plot-l1 .u-over').boundingBox();
    await page.mouse.move(box.x + box.width * 0.25, box.y + 20);
    await page.waitForFunction(() => document.getElementById('l1-answer').innerText.startsWith('ttnn.load'));
    await page.mouse.move(box.x + box.width * 0.75, box.y + 20);
    await page.waitForFunction(() => document.getElementById('l1-answer').innerText.startsWith('ttnn.step'));
  }],
  ['capture: the call at the L1 peak is selected; its caller and arguments are a click away', async ctx => {
    const page = await open(ctx, small());
    assert.equal(await text(page, '#op-title'), 'ttnn::inner');
    assert.match(await text(page, '#op-panel'), /ttnn::outer/);
    const row = (await cells(page, '#op-memory tr[data-row="L1 buffers"]'))[0];
    assert.deepEqual(row.slice(1), ['0 B', '64.0 KB', '+64.0 KB', '+64.0 KB']);
    assert.match((await cells(page, '#op-memory tr[data-row="program"]'))[0].join(' '), /112\.0 KB/);
    await page.click('#op-previous');
    assert.equal(await text(page, '#op-title'), 'ttnn::outer');
    assert.deepEqual(await page.locator('#op-arguments li').allInnerTexts(), ['Shape([1, 2])', 'Layout::TILE']);
    const dram = (await cells(page, '#op-memory tr[data-row="DRAM"]'))[0];
    assert.deepEqual(dram.slice(1), ['0 B', '0 B', '0 B', '+3.00 MB']);
    await page.keyboard.press('Escape');
    assert.match(await text(page, '#op-panel'), /Click a bar/);
  }],
  ['capture: a bar is a call, a point of the graph the call that runs there', async ctx => {
    const page = await open(ctx, small());
    await page.keyboard.press('Escape');
    const box = await page.locator('#plot-calls .u-over').boundingBox();
    await page.mouse.click(box.x + box.width * 0.5, box.y + box.height * 0.75);
    assert.equal(await text(page, '#op-title'), 'ttnn::inner');
    await page.mouse.click(box.x + box.width * 0.5, box.y + box.height * 0.25);
    assert.equal(await text(page, '#op-title'), 'ttnn::outer');
    const l1 = await page.locator('#plot-l1 .u-over').boundingBox();
    await page.mouse.click(l1.x + l1.width * 0.5, l1.y + 20);
    assert.equal(await text(page, '#op-title'), 'ttnn::inner');
    assert.match(await page.evaluate(() => location.hash), /^#step=\d+$/);
    await page.mouse.move(l1.x + l1.width * 0.98, l1.y + 20);
    await settle(page);
    assert.match(await text(page, '#graph-l1 .readout'), /node \d+: 64\.0 KB/);
  }],
  ['capture: tables of functions, circular buffers and what is left', async ctx => {
    const page = await open(ctx, small());
    const functions = await cells(page, '#function-table tbody tr');
    assert.deepEqual(functions.map(r => r.slice(0, 6)), [['ttnn::outer', '1', '3.00 MB', '0 B', '64.0 KB', '112.0 KB'], ['ttnn::inner', '1', '0 B', '0 B', '64.0 KB', '112.0 KB']]);
    assert.equal(functions[0][6], 'Shape([1, 2]), Layout::TILE');
    await page.fill('#function-search', 'layout::tile');
    assert.deepEqual((await cells(page, '#function-table tbody tr')).map(r => r[0]), ['ttnn::outer']);
    const circular = await cells(page, '#circular tbody tr');
    assert.deepEqual(circular[0].slice(0, 8), ['96.0 KB', 'circular buffer', 'ttnn::inner', '2', '0', '16', '198,304', '782.9 KB']);
    assert.deepEqual((await cells(page, '#end tbody tr'))[0].slice(0, 3), ['64.0 KB', '64.0 KB', 'L1']);
  }],
  ['capture: zoom goes in, and show all comes back', async ctx => {
    const page = await open(ctx, small());
    assert.equal(await page.locator('#zoom-reset').isVisible(), false);
    const box = await page.locator('#plot-l1 .u-over').boundingBox();
    await page.mouse.move(box.x + box.width * 0.2, box.y + 30);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.8, box.y + 30, { steps: 5 });
    await page.mouse.up();
    await page.waitForSelector('#zoom-reset:visible');
    await page.click('#zoom-reset');
    await page.waitForSelector('#zoom-reset', { state: 'hidden' });
  }],
  ['capture: what a core holds of L1 buffers is not known where nothing tells the banks', async ctx => {
    const w = new Writer();
    w.start('ttnn::add');
    for (const address of ['1953396066', '0']) w.node('buffer_allocate', { size: '24576', type: 'L1', layout: 'INTERLEAVED', address });
    w.program('circular_buffer', 16384);
    w.end('ttnn::add');
    const page = await open(ctx, w.nodes);
    const card = name => page.locator(`[data-card="${name}"]`).innerText();
    assert.match(await card('L1 peak'), /not known/);
    assert.match(await card('Circular buffers'), /16\.0 KB per core/);
    assert.match(await card('L1 buffers'), /48\.0 KB over all banks/);
    assert.match(await page.locator('.alive-head').innerText(), /48\.0 KB over all banks/);
    assert.match(await page.locator('#graph-l1 .readout').innerText(), /^peak 16\.0 KB$/);
    assert.match(await page.locator('#caveats').innerText(), /what a core holds of its buffers is not known/);
    await page.keyboard.press('?');
    assert.match(await page.locator('#help-keys').innerText(), /next and previous call/);
    assert.ok(await page.locator('#copy-link').isVisible());
  }],
  ['capture: what does not fit the simulated chip is said first', async ctx => {
    const w = new Writer();
    w.start('ttnn::huge');
    w.node('buffer_allocate', { size: String(2 ** 40), type: 'DRAM', address: '0', page_size: '2048' });
    w.end('ttnn::huge');
    const page = await open(ctx, w.nodes, ['--simulate', 'n150']);
    assert.match(await text(page, '.failure'), /Does not fit n150\. Out of memory in DRAM: .* in ttnn::huge/);
    assert.match(await text(page, '#simulation'), /Does not fit n150: 1 failure\./);
  }],
  ['capture: names and arguments of any kind are text and nothing else', async ctx => {
    const w = new Writer();
    for (const s of HOSTILE) {
      w.start(s, s, `${s}${s}`);
      w.allocate(4096, 'L1', 1000000);
      w.end(s);
    }
    const page = await open(ctx, w.nodes);
    for (let i = 0; i < HOSTILE.length; i++) {
      await page.evaluate(n => (location.hash = `#step=${n}`), i);
      await page.waitForFunction(n => document.querySelector('#op-arguments') && location.hash === `#step=${n}`, i);
    }
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.equal(await page.locator('#app img, #app script, #app iframe, #app b[onmouseover], #app u').count(), 0);
  }],
  ['capture: empty, cut, and freed before it was seen', async ctx => {
    const empty = await open(ctx, []);
    assert.match(await text(empty, '#op-panel'), /holds no function/);
    const w = new Writer();
    w.start('ttnn::free');
    w.free(99, 8 << 20, 'DRAM', 123456);
    const page = await open(ctx, w.nodes);
    assert.match(await text(page, '[data-card="DRAM peak"]'), /0 B/);
    assert.match((await cells(page, '#usage-table tbody tr'))[0].join(' '), /8\.00 MB/);
  }],
  ['capture: a hundred thousand calls open at once, the peak is kept', async ctx => {
    const w = new Writer();
    for (let i = 0; i < 100000; i++) {
      w.start(`op${i % 50}`, `index ${i % 100}`);
      if (i === 54321) {
        w.allocate(7 << 20, 'DRAM', 4096);
        w.free(w.nodes.length - 2, 7 << 20, 'DRAM', 4096);
      }
      w.end(`op${i % 50}`);
    }
    const page = await open(ctx, w.nodes);
    assert.match(await text(page, '#graph-dram .readout'), /7\.00 MB/);
    assert.match(await text(page, '#caveats'), /calls of at most 2 nodes are not drawn/);
    assert.equal((await cells(page, '#function-table tbody tr')).length, 50);
    await page.locator('#function-table button').first().click();
    assert.equal(await text(page, '#op-title'), 'op0');
  }],
  ['capture: several segments are one axis', async ctx => {
    const { dir, show } = ctx;
    const one = join(dir, 'one.json'), two = join(dir, 'two.json'), out = join(dir, 'both.html');
    const a = new Writer(), b = new Writer();
    a.start('load');
    a.allocate(1 << 20, 'DRAM', 4096);
    a.end('load');
    b.start('step');
    b.allocate(2 << 20, 'DRAM', 4 << 20);
    b.end('step');
    writeFileSync(one, JSON.stringify(a.nodes));
    writeFileSync(two, JSON.stringify(b.nodes));
    execFileSync(BINARY, ['graph', '--format', 'html', '-o', out, '--segment', `LOAD=${one}`, '--segment', `STEP=${two}`]);
    const { page } = await show(pathToFileURL(out).href);
    assert.equal(await text(page, 'h1'), 'LOAD, STEP');
    assert.match(await text(page, '#graph-dram .readout'), /3\.00 MB/); // what the first left and what the second added
    assert.deepEqual((await cells(page, '#usage-table tbody tr')).filter((_, i) => i % 2 === 0).map(r => r[1]), ['1.00 MB', '2.00 MB']);
  }],
  ['capture: narrow, dark and printed', async ctx => {
    const page = await open(ctx, small(), [], { width: 390, height: 800, theme: 'dark' });
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await page.emulateMedia({ media: 'print' });
    assert.ok((await page.pdf()).length > 10000);
  }],
];
