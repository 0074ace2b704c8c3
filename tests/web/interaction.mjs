// SPDX-License-Identifier: Apache-2.0
// What a reader does: zoom, pan, select, search, export, jump, switch.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { settle } from './browser.mjs';

const milli = v => (v / 1000 >= 100 ? (v / 1000).toFixed(1) : v / 1000 >= 10 ? (v / 1000).toFixed(2) : (v / 1000).toFixed(v === 0 ? 1 : 3)).replace(/\B(?=(\d{3})+(?!\d)\.)/g, ',');
const text = (page, selector) => page.locator(selector).first().innerText();
const over = (page, id = 'memory') => page.locator(`#plot-${id} .u-over`).boundingBox();
const shown = async page => {
  const t = await text(page, '.graphs-bar .hint');
  return /of/.test(t) ? Number(t.split(' ')[0].replaceAll(',', '')) : Infinity;
};

export const tests = [
  ['tabs switch the pool everywhere', async ({ open }) => {
    const { page } = await open('decoder');
    await page.click('[data-pool=L1]');
    await settle(page);
    assert.equal(await page.getAttribute('.tab[data-pool=L1]', 'aria-selected'), 'true');
    assert.match(await text(page, '#graph-memory .readout'), /of 1\.340/);
    assert.match(page.url(), /pool=L1/);
    assert.match(await text(page, '#consumers .answer'), /L1/);
    await page.keyboard.press('ArrowLeft');
    assert.equal(await page.getAttribute('.tab[data-pool=DRAM]', 'aria-selected'), 'true');
  }],
  ['wheel zooms, drag zooms, double click resets', async ({ open }) => {
    const { page } = await open('decoder');
    const b = await over(page);
    await page.mouse.move(b.x + b.width / 2, b.y + 60);
    await page.mouse.wheel(0, -120);
    await settle(page);
    const wheel = await shown(page);
    assert.ok(wheel < 1017);
    await page.mouse.move(b.x + b.width * 0.3, b.y + 60);
    await page.mouse.down();
    await page.mouse.move(b.x + b.width * 0.5, b.y + 60, { steps: 5 });
    await page.mouse.up();
    await settle(page);
    assert.ok((await shown(page)) < wheel * 0.3);
    await page.mouse.dblclick(b.x + b.width * 0.5, b.y + 60);
    await settle(page);
    assert.equal(await shown(page), Infinity);
  }],
  ['shift and drag pans, the minimap moves the window, keys work on it', async ({ open }) => {
    const { page } = await open('decoder');
    await page.focus('.minimap');
    for (let i = 0; i < 4; i++) await page.keyboard.press('+');
    await settle(page);
    const n = await shown(page);
    assert.ok(n < 400);
    // What the graph shows, as a picture.
    const picture = () => page.evaluate(() => document.querySelector('#plot-memory canvas').toDataURL());
    await page.mouse.move(5, 5);
    await settle(page);
    const before = await picture();
    const b = await over(page);
    await page.keyboard.down('Shift');
    await page.mouse.move(b.x + 300, b.y + 60);
    await page.mouse.down();
    await page.mouse.move(b.x + 200, b.y + 60, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await settle(page);
    assert.equal(await shown(page), n);
    assert.notEqual(await picture(), before);
    await page.focus('.minimap');
    await page.keyboard.press('Home');
    await settle(page);
    assert.equal(await shown(page), Infinity);
  }],
  ['a click on the graph selects, the address keeps it, and opens the same op elsewhere', async ({ open }) => {
    const { page } = await open('decoder');
    const b = await over(page);
    await page.mouse.click(b.x + b.width * 0.4, b.y + 60);
    await settle(page);
    const title = await text(page, '#op-title');
    assert.match(page.url(), /#(op|step)=\d+/);
    const second = await open('decoder', { hash: page.url().slice(page.url().indexOf('#')) });
    assert.equal(await text(second.page, '#op-title'), title);
  }],
  ['a link to what the report does not have says so and shows nothing else instead', async ({ open }) => {
    const last = (await open('decoder')).sim.steps.flags.filter(f => f & 1).length - 1;
    for (const [hash, said] of [['#op=99999999', `Op #99999999 does not exist in this report: its ops are #0 to #${last.toLocaleString('en-US')}.`], ['#op=-1', 'Op #-1 does not exist'], ['#op=<script>', 'Op #<script> does not exist'], ['#step=900000', 'Step 900000 does not exist']]) {
      const { page } = await open('decoder', { hash });
      assert.ok((await text(page, '#op-missing')).includes(said), said);
      assert.ok((await text(page, '#problem')).includes(said), said);
      assert.equal(await page.locator('#op-title').count(), 0);
    }
    for (const [hash, said] of [['#pool=none', 'There is no pool none'], ['#program=77', 'There is no program run 77'], ['#rank=9', 'There is no rank 9'], ['#unit=x', 'There is no unit x']]) {
      const { page } = await open('decoder', { hash });
      assert.ok((await text(page, '#problem')).includes(said), said);
      assert.ok((await text(page, '#op-title')).startsWith('#'));
    }
    const { page } = await open('decoder', { hash: '#%ff' });
    assert.ok((await text(page, '#op-title')).startsWith('#'));
    assert.ok(!(await page.locator('#problem').isVisible()));
  }],
  ['the message about a bad link goes when something is selected', async ({ open }) => {
    const { page } = await open('decoder', { hash: '#op=99999999' });
    await page.click('#top-growth tbody tr .op');
    assert.ok(!(await page.locator('#problem').isVisible()));
    assert.equal(await page.locator('#op-missing').count(), 0);
  }],
  ['the map of ranks opens a rank, and with shift puts two side by side', async ({ open }) => {
    const { page } = await open('ranks');
    const box = await page.locator('#rankmap').boundingBox();
    const names = await page.locator('#rank option').allTextContents();
    const shown = () => page.$eval('#rank', s => s.selectedOptions[0].textContent);
    const row = i => ({ position: { x: box.width / 2, y: ((i + 0.5) * box.height) / names.length } });
    for (const i of [names.length - 1, 0]) {
      await page.locator('#rankmap').click(row(i));
      assert.equal(await shown(), names[i]);
      assert.match(await text(page, '#graph-ranks .readout'), /peak .* per bank/);
    }
    assert.ok(!(await page.locator('#rankpair').isVisible()));
    await page.locator('#rankmap').click({ ...row(1), modifiers: ['Shift'] });
    assert.equal(await shown(), names[0]);
    assert.ok(await page.locator('#rankpair').isVisible());
    // both are in the address, and Back takes the second away
    assert.ok((await page.evaluate(() => location.hash)).includes(`beside=${names[1].replace('rank ', '')}`));
    const link = await page.evaluate(() => location.hash);
    const again = await open('ranks', { hash: link });
    assert.ok(await again.page.locator('#rankpair').isVisible());
    await page.goBack();
    await page.waitForFunction(() => document.getElementById('rankpair').hidden);
    await page.goForward();
    await page.waitForFunction(() => !document.getElementById('rankpair').hidden);
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.getElementById('rankpair').hidden && !location.hash.includes('beside'));
    await page.locator('#rankmap').press('ArrowDown');
    assert.equal(await shown(), names[1]);
    const painted = await page.$eval('#rankmap', c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(v => v > 0));
    assert.ok(painted);
  }],
  ['Back and Forward walk the selections and stay on the page', async ({ open }) => {
    const { page } = await open('ranks');
    const home = await text(page, '#op-title');
    const seen = [];
    for (const row of [2, 5]) {
      await page.locator('#top-growth tbody tr .op').nth(row).click();
      seen.push(await text(page, '#op-title'));
    }
    await page.selectOption('#program', { index: 2 });
    await page.waitForSelector('#scope');
    const scope = await text(page, '#scope'), url = page.url();
    const titled = wanted => page.waitForFunction(t => document.getElementById('op-title')?.innerText === t, wanted);
    await page.goBack();
    await titled(seen[1]);
    assert.equal(await page.locator('#scope').count(), 0);
    await page.goBack();
    await titled(seen[0]);
    await page.goBack();
    await titled(home);
    for (let i = 0; i < 3; i++) await page.goForward();
    await page.waitForSelector('#scope');
    assert.equal(await text(page, '#scope'), scope);
    assert.equal(page.url(), url);
  }],
  ['a walk from op to op is one step of the history', async ({ open }) => {
    const { page } = await open('decoder', { hash: '#op=100' });
    for (let i = 0; i < 4; i++) await page.click('#op-next');
    await page.waitForFunction(() => document.getElementById('op-title').innerText.startsWith('#104 '));
    await page.goBack();
    await page.waitForFunction(() => document.getElementById('op-title').innerText.startsWith('#100 '));
  }],
  ['the cursor shows on all graphs and the list beside follows it', async ({ open }) => {
    const { page } = await open('decoder');
    const b = await over(page);
    const before = await text(page, '#alive-title');
    await page.mouse.move(b.x + b.width * 0.2, b.y + 50);
    await settle(page);
    assert.notEqual(await text(page, '#alive-title'), before);
    await page.mouse.move(5, 5);
    await settle(page);
    assert.equal(await text(page, '#alive-title'), before);
  }],
  ['a click on a band pins the tensor and keeps the moment', async ({ open }) => {
    const { page, sim } = await open('decoder');
    const b = await over(page, 'alive');
    const x = b.x + (b.width * (sim.peak[0].before_step + 0.5)) / (sim.steps.flags.length + 1);
    const title = await text(page, '#op-title');
    await page.mouse.move(x, b.y + b.height * 0.3);
    await settle(page);
    assert.match(await text(page, '#graph-alive .readout'), /1x32x4x1048576 f32 activation/);
    await page.mouse.click(x, b.y + b.height * 0.3);
    await settle(page);
    assert.match(await text(page, '#pin-panel [data-fact=tensor]'), /1x32x4x1048576 f32 activation/);
    assert.equal(await text(page, '#op-title'), title);
  }],
  ['previous and next walk the records, by button and by key', async ({ open }) => {
    const { page } = await open('decoder', { hash: '#op=100' });
    await page.click('#op-next');
    assert.ok((await text(page, '#op-title')).startsWith('#101 '));
    await page.click('#op-previous');
    await page.keyboard.press('n');
    await page.keyboard.press('n');
    assert.ok((await text(page, '#op-title')).startsWith('#102 '));
    // A narrow page opens no op: the first key opens the one that its list is about.
    const narrow = await open('decoder', { width: 400 });
    const peak = /#\d+/.exec(await text(narrow.page, '.alive h2'))[0];
    await narrow.page.keyboard.press('n');
    await settle(narrow.page);
    assert.ok((await text(narrow.page, '#op-title')).startsWith(`${peak} `));
    await narrow.page.keyboard.press('n');
    await settle(narrow.page);
    assert.ok((await text(narrow.page, '#op-title')).startsWith(`#${Number(peak.slice(1)) + 1} `));
  }],
  ['the table searches, filters, sorts and selects', async ({ open }) => {
    const { page, sim } = await open('decoder');
    await page.fill('#op-search', 'CONV2D');
    await settle(page);
    const n = sim.steps.flags.filter((f, i) => f & 1 && /conv2d/i.test(JSON.stringify([...sim.templateIds][sim.steps.template[i]][0]))).length;
    assert.ok((await text(page, '#op-count')).startsWith(`${n} of`));
    await page.fill('#op-search', '');
    await page.selectOption('#op-kind', 'w');
    await settle(page);
    const w = sim.steps.flags.filter(f => (f & 3) === 3).length;
    assert.ok((await text(page, '#op-count')).startsWith(`${w} of`));
    await page.selectOption('#op-kind', '');
    await page.click('#op-table .vhead button:has-text("change")');
    await settle(page);
    const growth = await text(page, '#top-growth tbody tr');
    const row = page.locator('#op-table .rows .vrow').first();
    assert.ok((await row.innerText()).startsWith(growth.split('\t')[0].replace('#', '').trim()));
    await row.click();
    await settle(page);
    assert.ok((await text(page, '#op-title')).startsWith(growth.split('\t')[0].trim()));
  }],
  ['CSV holds what is shown', async ({ open }) => {
    const { page } = await open('decoder');
    await page.fill('#op-search', 'conv2d');
    await settle(page);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#op-csv')]);
    const lines = readFileSync(await download.path(), 'utf8').trim().split('\r\n');
    assert.equal(lines.length - 1, Number((await text(page, '#op-count')).split(' ')[0]));
    assert.match(lines[0], /DRAM before MB per bank/);
    assert.ok(lines.slice(1).every(l => l.includes('ttnn.conv2d')));
    assert.equal(download.suggestedFilename(), 'vae-decoder-1024_operations.csv');
  }],
  ['an op jumps to its line in the IR, and the line leads back', async ({ open }) => {
    const { page, sim } = await open('decoder', { hash: '#op=300' });
    const label = await text(page, '[data-ir=ttnn]');
    const line = Number(label.split(':')[1]);
    const loc = await text(page, '#op-panel .loc');
    const module = sim.modules.findIndex(m => m.stage === 'ttnn');
    assert.equal(sim.locations.find(l => l[0] === module && l[1] === loc)[2], line);
    await page.click('[data-ir=ttnn]');
    await page.waitForSelector(`.code-line.marked[data-line="${line}"]`);
    await settle(page);
    assert.equal(sim.modules[module].text.split('\n')[line - 1].slice(0, 60), (await text(page, '.code-line.marked .line-text')).slice(0, 60));
    await page.click(`.code-line[data-line="${line + 1}"] .line-no`);
    await settle(page);
    assert.ok((await text(page, '#op-title')).startsWith('#301 '));
  }],
  ['the IR is searched', async ({ open }) => {
    const { page, sim } = await open('decoder');
    await page.locator('#ir').scrollIntoViewIfNeeded();
    await page.waitForSelector('#ir-lines .code-line');
    await page.fill('#ir-search', 'ttnn.UPSAMPLE');
    await settle(page);
    const lines = sim.modules.find(m => m.stage === 'ttnn').text.split('\n');
    const hits = lines.map((l, i) => (l.includes('ttnn.upsample') ? i + 1 : 0)).filter(Boolean);
    assert.equal(await text(page, '#ir-found'), `line ${hits[0]}`);
    const says = line => page.waitForFunction(t => document.getElementById('ir-found').innerText === t, `line ${line}`);
    await page.press('#ir-search', 'Enter');
    await says(hits[1]);
    await page.press('#ir-search', 'Shift+Enter');
    await says(hits[0]);
    await page.press('#ir-search', 'Shift+Enter');
    await says(hits[hits.length - 1]);
    await page.press('#ir-search', 'Enter');
    await says(hits[0]);
  }],
  ['a module of 40 MB scrolls, is searched and jumped into', async ({ open }) => {
    const { page } = await open('big-module', { hash: '#op=0' });
    await page.click('[data-ir=ttnn]');
    await page.waitForSelector('.code-line.marked[data-line="399001"]');
    assert.ok((await page.locator('#ir-lines .code-line').count()) < 80);
    // the lines are made anew while the view settles: one look at both
    await page.waitForFunction(() => {
      const marked = document.querySelector('.code-line.marked')?.getBoundingClientRect(), box = document.getElementById('ir-lines').getBoundingClientRect();
      return marked && marked.y >= box.y && marked.y < box.y + box.height;
    });
    await page.fill('#ir-search', 'NEEDLE');
    await page.waitForSelector('.code-line.marked[data-line="399991"]');
    await page.evaluate(() => (document.getElementById('ir-lines').scrollTop = 0));
    await page.waitForSelector('.code-line[data-line="1"]');
  }],
  ['weights are searched', async ({ open }) => {
    const { page, sim } = await open('decoder');
    await page.fill('#weight-search', 'up_blocks.2');
    await settle(page);
    assert.ok((await text(page, '#weight-count')).startsWith(`${sim.registry.filter(e => e[2].includes('up_blocks.2')).length} of`));
  }],
  ['the theme follows the system and can be switched', async ({ open }) => {
    const { page } = await open('decoder', { theme: 'dark' });
    const theme = () => page.evaluate(() => [document.documentElement.dataset.theme, getComputedStyle(document.body).backgroundColor]);
    assert.deepEqual(await theme(), ['dark', 'rgb(17, 21, 26)']);
    await page.click('#theme');
    assert.deepEqual(await theme(), ['light', 'rgb(255, 255, 255)']);
    await page.evaluate(() => localStorage.clear());
  }],
  ['per bank and total differ by the number of banks', async ({ open }) => {
    const { page, sim } = await open('decoder');
    await page.click('#unit-total');
    await settle(page);
    const total = ((sim.peak[0].allocated * 7) / 1000).toFixed(1).replace(/\B(?=(\d{3})+(?!\d)\.)/g, ',');
    assert.ok((await text(page, '[data-card=DRAM]')).includes(total));
    assert.ok((await text(page, '#graph-memory .readout')).includes(total));
    assert.match(page.url(), /unit=total/);
  }],
  ['cards, peaks, lists and operations follow the rank', async ({ open }) => {
    const { page, sim } = await open('ranks');
    const figures = [];
    for (const rank of [0, 1]) {
      await page.selectOption('#rank', String(rank));
      await settle(page);
      const mine = sim.steps.flags.filter((f, i) => f & 1 && sim.steps.rank[i] === rank).length;
      assert.ok((await text(page, '#op-count')).startsWith(`${mine.toLocaleString('en-US')} of ${mine.toLocaleString('en-US')}`));
      const peak = Math.max(...sim.blocks.step.map((s, b) => (sim.steps.rank[s] === rank ? sim.blocks.alloc[0][b] : -1)));
      assert.ok((await text(page, '[data-card=DRAM]')).includes(milli(peak)), `rank ${rank}`);
      assert.ok((await text(page, '[data-peak=DRAM]')).includes(milli(peak)), `rank ${rank}`);
      assert.ok((await text(page, '#top-level tbody tr')).includes(milli(peak)), `rank ${rank}`);
      figures.push(peak);
    }
    assert.match(page.url(), /rank=1/);
    const again = await open('ranks', { hash: page.url().slice(page.url().indexOf('#')) });
    assert.equal(await again.page.inputValue('#rank'), '1');
    assert.ok((await text(again.page, '[data-card=DRAM]')).includes(milli(figures[1])));
    const one = await open('single');
    assert.equal(await one.page.locator('#rank').count(), 0);
  }],
  ['heading, cards, lists and operations follow the program, and the address keeps it', async ({ open }) => {
    const { page, sim } = await open('ranks');
    await page.selectOption('#rank', '0');
    const options = await page.locator('#program option').allInnerTexts();
    const runs = sim.programs.map((p, i) => ({ ...p, i })).filter(p => p.depth === 0 && p.rank === 0);
    assert.equal(options.length, runs.length + 1);
    assert.equal(options[0], `all ${runs.length} submitted runs`);
    assert.match(options[1], /^prefill, run 1 of \d+ · #0 to #\d/);
    const chosen = runs[2];
    await page.selectOption('#program', String(chosen.i));
    await settle(page);
    const mine = s => s >= chosen.first && s <= chosen.last && sim.steps.rank[s] === 0;
    const ops = sim.steps.flags.filter((f, i) => f & 1 && mine(i)).length;
    assert.ok((await text(page, '#op-count')).startsWith(`${ops.toLocaleString('en-US')} of ${ops.toLocaleString('en-US')}`));
    // The state after the last step is the next block of the rank.
    const next = sim.blocks.step.find(s => s > chosen.last && sim.steps.rank[s] === 0);
    const peak = Math.max(...sim.blocks.step.map((s, b) => (mine(s) || s === next ? sim.blocks.alloc[0][b] : -1)));
    for (const selector of ['[data-card=DRAM]', '[data-peak=DRAM]', '#graph-memory .readout']) assert.ok((await text(page, selector)).includes(milli(peak)), selector);
    assert.match(await text(page, '#scope'), new RegExp(`^${chosen.name}, run`));
    assert.match(page.url(), new RegExp(`program=${chosen.i}`));
    const again = await open('ranks', { hash: page.url().slice(page.url().indexOf('#')) });
    assert.equal(await text(again.page, '#scope'), await text(page, '#scope'));
    assert.equal(await text(again.page, '[data-card=DRAM]'), await text(page, '[data-card=DRAM]'));
    await page.selectOption('#program', '');
    await settle(page);
    assert.equal(await page.locator('#scope').count(), 0);
  }],
  ['an op outside of the chosen program widens the view to it', async ({ open }) => {
    const { page } = await open('ranks', { hash: '#program=2&rank=0' });
    await page.evaluate(() => (location.hash = '#op=0'));
    await page.waitForFunction(() => document.getElementById('op-title')?.innerText.startsWith('#0 '));
    assert.equal(await page.locator('#scope').count(), 0);
  }],
  ['the panel counts padding in the unit of the switch', async ({ open }) => {
    const { page, sim } = await open('decoder');
    const id = sim.templates.findIndex(t => t.outs.length && sim.types[t.outs[0][1]].padded && sim.types[t.outs[0][1]].pool === 0);
    const step = sim.steps.template.indexOf(id), type = sim.types[sim.templates[id].outs[0][1]];
    const size = n => (n >= 1048576 ? `${(n / 1048576).toFixed(2).replace(/\B(?=(\d{3})+(?!\d)\.)/g, ',')} MB` : `${(n / 1024).toFixed(1)} KB`);
    await page.evaluate(op => (location.hash = `#op=${op}`), sim.steps.flags.slice(0, step).filter(f => f & 1).length);
    await page.waitForSelector('#op-panel dl');
    const share = 1 - type.logical / type.physical;
    assert.ok((await text(page, '#op-panel')).includes(`${size(type.bank)} per bank, ${size(type.bank * share)} of it padding`), await text(page, '#op-panel'));
    await page.click('#unit-total');
    await page.waitForFunction(wanted => document.getElementById('op-panel').innerText.includes(wanted), `${size(type.physical)} in total, ${size(type.physical - type.logical)} of it padding`);
    assert.ok(!(await text(page, '#op-panel')).includes('per bank'));
  }],
  ['the table finds shapes and weights', async ({ open }) => {
    const { page, sim } = await open('decoder');
    const uses = test => sim.steps.flags.filter((f, i) => f & 1 && test(sim.templates[sim.steps.template[i]])).length;
    const count = async wanted => page.waitForFunction(n => document.getElementById('op-count').innerText.startsWith(`${n} of`), wanted.toLocaleString('en-US'));
    const shape = '1x32x4x1048576';
    await page.fill('#op-search', shape);
    await count(uses(t => [...t.ins, ...t.outs].some(([, y]) => sim.types[y].shape.includes(shape))));
    const weight = sim.registry[3][2];
    await page.fill('#op-search', weight);
    await count(uses(t => t.weights.some(w => sim.registry[w][2].includes(weight))));
  }],
];
