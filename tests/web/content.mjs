// SPDX-License-Identifier: Apache-2.0
// The figures on the page against figures worked out here from the simulated run, without the page's code.
import assert from 'node:assert/strict';

const text = (page, selector) => page.locator(selector).first().innerText();
const milli = v => (v / 1000 >= 100 ? (v / 1000).toFixed(1) : v / 1000 >= 10 ? (v / 1000).toFixed(2) : (v / 1000).toFixed(v === 0 ? 1 : 3)).replace(/\B(?=(\d{3})+(?!\d)\.)/g, ',');
const records = sim => sim.steps.flags.map((f, i) => [f, i]).filter(([f]) => f & 1).map(([, i]) => i);
const blockOf = sim => new Map(sim.blocks.step.map((s, b) => [s, b]));

export const tests = [
  ['all sections are there, in order', async ({ open }) => {
    const { page } = await open('decoder');
    assert.deepEqual(await page.locator('#sections > section > h2').allInnerTexts(), ['Peak Memory Analysis', 'By module', 'Sizes', 'Top Memory Consumers', 'Freed late', 'Tile Padding Overhead', 'Fragmentation', 'Weights', 'Ops', 'IR']);
    for (const id of ['memory', 'alive', 'free']) assert.ok(await page.locator(`#plot-${id} canvas`).isVisible());
  }],
  ['cards show the peaks and the weights', async ({ open }) => {
    const { page, sim } = await open('decoder');
    const dram = await text(page, '[data-card=DRAM]');
    assert.ok(dram.includes(milli(sim.peak[0].allocated)) && dram.includes('4,080.0'), dram);
    const total = sim.registry.filter(e => e[3] === 'parameter').reduce((a, e) => a + e[6], 0) / 1048576;
    assert.ok((await text(page, '[data-card=weights]')).includes(`${total.toFixed(2)} MB`));
  }],
  ['only a peak that is a lower bound has the mark of one', async ({ open }) => {
    const { page } = await open('decoder');
    assert.equal(await page.locator('[data-card=DRAM] .mark').count(), 0);
    assert.equal(await page.locator('[data-card=L1] .mark').count(), 1);
  }],
  ['a peak card names the op that reached it', async ({ open }) => {
    const { page, sim } = await open('decoder');
    const before = sim.peak[0].before_step;
    const reached = records(sim).filter(s => s < before).length - 1;
    assert.ok((await text(page, '[data-peak=DRAM]')).includes(`#${reached} `));
    assert.equal(await page.locator('[data-peak]').count(), 4);
  }],
  ['the page opens on the peak and lists what is alive there, largest first, up to the whole', async ({ open }) => {
    const { page, sim } = await open('decoder');
    assert.match(await text(page, '#alive-title'), /DRAM peak/);
    const at = sim.peak[0].before_step;
    const alive = sim.tensors.filter(t => t.birth < at && at <= t.death && sim.types[t.type].pool === 0).sort((a, b) => sim.types[b.type].bank - sim.types[a.type].bank);
    assert.ok((await text(page, '#alive-answer')).includes(`in ${alive.length} tensors`));
    const first = await text(page, '#alive-list .live');
    assert.ok(first.includes(sim.types[alive[0].type].shape), first);
    const values = (await page.locator('#alive-list .live .num').allInnerTexts()).map(Number);
    assert.deepEqual(values, [...values].sort((a, b) => b - a));
  }],
  ['top lists are right', async ({ open }) => {
    const { page, sim } = await open('decoder');
    const block = blockOf(sim), rec = records(sim);
    const level = rec.map((s, i) => [sim.blocks.alloc[0][sim.steps.after[s]] ?? -1, i]).sort((a, b) => b[0] - a[0] || a[1] - b[1])[0];
    const growth = rec.map((s, i) => [sim.steps.after[s] < 0 ? -1 : sim.blocks.alloc[0][sim.steps.after[s]] - sim.blocks.alloc[0][block.get(s)], i]).sort((a, b) => b[0] - a[0] || a[1] - b[1])[0];
    const l = await text(page, '#top-level tbody tr'), g = await text(page, '#top-growth tbody tr');
    assert.ok(l.startsWith(`#${level[1]}`) && l.includes(milli(level[0])), l);
    assert.ok(g.startsWith(`#${growth[1]}`) && g.includes(`+${milli(growth[0])}`), g);
    assert.equal(level[0], sim.peak[0].allocated);
    assert.equal(await page.locator('#top-level tbody tr').count(), 10);
  }],
  ['padding names the share at the peak and a layout that avoids it', async ({ open }) => {
    const { page, sim } = await open('decoder');
    const at = sim.peak[0].before_step;
    let logical = 0, physical = 0;
    for (const t of sim.tensors) {
      const y = sim.types[t.type];
      if (y.pool === 0 && t.birth < at && at <= t.death) { logical += y.logical; physical += y.physical; }
    }
    assert.ok((await text(page, '#padding-answer')).includes(`${Math.round((100 * (physical - logical)) / logical)} % padding on top of what is alive`));
    assert.match(await text(page, '#top-padding tbody tr'), /1x32x4x1048576.*1x32x32x1048576[\s\S]*row major/);
  }],
  ['fragmentation names the widest gap', async ({ open }) => {
    const { page, sim } = await open('decoder');
    const worst = Math.max(...sim.blocks.gap[0]);
    assert.ok((await text(page, '#fragments tbody tr')).includes(milli(worst)));
  }],
  ['a failed run says why at the top, with advice and the message', async ({ open }) => {
    const { page, sim } = await open('oom');
    const line = page.locator('#failure .failure').first();
    assert.ok((await line.innerText()).includes(sim.failures[0].title) && (await line.innerText()).includes(sim.failures[0].verdict));
    await line.locator('summary').click();
    assert.ok((await line.innerText()).includes(sim.failures[0].text) && (await line.innerText()).includes(sim.failures[0].advice[0]));
    const box = await line.boundingBox();
    assert.ok(box.y < 100);
    const at = records(sim).length - 1;
    assert.ok((await text(page, '#op-title')).startsWith(`#${at} `));
  }],
  ['an op panel has values, attributes, memory before and after, location, line', async ({ open }) => {
    const { page, sim } = await open('decoder', { hash: '#op=400' });
    const s = records(sim)[400], block = blockOf(sim);
    const row = await text(page, '#op-memory tr[data-pool=DRAM]');
    assert.ok(row.includes(milli(sim.blocks.alloc[0][block.get(s)])) && row.includes(milli(sim.blocks.alloc[0][sim.steps.after[s]])), row);
    const panel = await text(page, '#op-panel');
    for (const part of ['in', 'out', 'location', 'program', 'main', 'log', `line ${sim.steps.line[s].toLocaleString('en-US')}`]) assert.ok(panel.includes(part), `${part} in ${panel}`);
  }],
  ['caveats and missing records are on the page', async ({ open }) => {
    const { page } = await open('decoder');
    assert.match(await text(page, '#caveats'), /circular buffers/);
    const bare = await open('bare');
    assert.match(await text(bare.page, '#absent'), /By module, Sizes, Freed late, Padding\. It needs op lines; TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG/);
    assert.match(await text(bare.page, '#absent'), /Weights, IR\. It needs module dumps; TTXLA_LOGGER_LEVEL=DEBUG/);
    assert.ok(!/LOGGER_LEVEL/.test(await text(bare.page, '#caveats')), 'said once');
  }],
  ['a failed run opens on what ended it, with what to do; all failures can be opened', async ({ open }) => {
    const { page } = await open('failures');
    const boxes = page.locator('#failure > .failure');
    assert.equal(await boxes.count(), 3);
    assert.match(await boxes.first().innerText(), /^This failure ended the run.*\n?.*To do: free the cache/s);
    assert.equal(await page.locator('.failure-first').count(), 1);
    assert.equal(await text(page, '#more-failures summary'), '4 more failures in the log');
    await page.click('#more-failures summary');
    assert.equal(await page.locator('#more-failures .failure').count(), 4);
    assert.ok(await page.locator('#more-failures .failure').last().isVisible());
  }],
];
