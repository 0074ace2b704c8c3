// SPDX-License-Identifier: Apache-2.0
// Tensors that are pinned, ranges, sizes, modules, the address that carries them, and the bands: on a run whose facts are planted.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { placeOf, placeText } from '../../web/src/places.js';
import { LAYERS, ODD } from '../../web/lib/planted.mjs';
import { settle } from './browser.mjs';

const text = (page, selector) => page.locator(selector).first().innerText();
const fact = (page, name) => text(page, `#pin-panel [data-fact="${name}"]`);
const over = (page, id) => page.locator(`#plot-${id} .u-over`).boundingBox();
/** What is far below the screen is drawn when it comes there. */
const show = async (page, id) => { await page.locator(id).scrollIntoViewIfNeeded(); await settle(page); };
const MIB = 1048576;
const shown = v => (v >= 100 ? v.toFixed(1) : v >= 10 ? v.toFixed(2) : v.toFixed(3));
const label = (sim, step) => `#${sim.steps.flags.slice(0, step).filter(f => f & 1).length}`;
/** Row of the live list whose tensor has a shape. */
const live = (page, shape) => page.locator('#alive-list .live', { hasText: shape }).first();
/** A tensor is alive before step s when birth < s <= death. */
const aliveAtPeak = ({ tensors, peak: [{ before_step: s }] }) => tensors.filter(t => t.birth < s && (t.death === 0xffffffff || t.death >= s));
async function pinBig(open, options = {}) {
  const opened = await open('planted', options);
  await live(opened.page, '12288x1024').click();
  await settle(opened.page);
  return opened;
}
/** Where boundary c of the planted run is on a graph. */
async function at(page, sim, id, c, part) {
  const b = await over(page, id), steps = sim.steps.flags.length;
  return { x: b.x + (b.width * (c + 0.5)) / (steps + 1), y: b.y + b.height * part };
}

export const tests = [
  ['pin: locations are read as module, class, file and line', () => {
    assert.deepEqual(placeOf('0|Net[net]|Linear[net.layers[3].fc]|/src/net.py:40|forward|52|aten__mm'), { module: 'net.layers.3.fc', cls: 'Linear', file: '/src/net.py', line: 52, op: 'aten__mm' });
    assert.deepEqual(placeOf('jit(main)/layers_3/attention/dot_general'), { module: 'layers.3.attention', cls: '', file: '', line: 0, op: 'dot_general' });
    assert.deepEqual(placeOf('/src/net.py:47:11'), { module: '', cls: '', file: '/src/net.py', line: 47, op: '' });
    assert.deepEqual(placeOf('unknown|unknown|-1|unknownxla__device_data').module, '');
    assert.equal(placeOf('dot.12', '"dot.12"("/p/vae.py":112:0)').line, 112);
    assert.equal(placeText('dot.12'), 'dot.12');
    assert.equal(placeText('0|Net[net]|Linear[net.layers[3].fc]|/src/net.py:40|forward|52|aten__mm'), 'net.layers.3.fc  net.py:52');
    for (const odd of ['', '|', '||[', 'a[b]|', '"', '1|2|3', '/', 'x:y:z']) assert.ok(placeOf(odd));
  }],
  ['pin: producer, every use also through a view, last use, free, and what freeing there would save', async ({ open }) => {
    const { page, sim } = await pinBig(open);
    const { truth } = sim, l = s => label(sim, s);
    assert.match(await fact(page, 'made by'), new RegExp(`^${l(truth.made)} ttnn.matmul`));
    assert.equal(await fact(page, 'used by'), truth.uses.map(l).join(', '));
    assert.match(await fact(page, 'last use'), new RegExp(`^${l(truth.last)} ttnn.add`));
    assert.equal(await fact(page, 'freed'), `after ${l(truth.end)}`);
    assert.equal(await fact(page, 'module'), 'net.stem Linear');
    assert.equal(await fact(page, 'source'), 'net.py:41');
    assert.equal(await fact(page, 'padding'), 'none');
    assert.match(await fact(page, 'in bfloat8_b'), /^1\.06 MB, 960\.0 KB less, by size alone$/);
    // The peak is after the softmax, when all is alive; without the tensor it is lower by its size, and so is every level since its last use.
    const now = Math.max(...sim.blocks.alloc[0]), then = Math.max(...sim.blocks.alloc[0].map((v, b) => v - (sim.blocks.step[b] > truth.last && sim.blocks.step[b] <= truth.late.death ? truth.bank(truth.big) / 1048.576 : 0)));
    assert.ok(then < now - 1000);
    assert.match(await fact(page, 'freed at its last use'), new RegExp(`^peak ${shown(now / 1000)} → ${shown(then / 1000)}`));
  }],
  ['pin: the list of the moment stays, and a second click lets go', async ({ open }) => {
    const { page } = await pinBig(open);
    const title = await text(page, '#alive-title'), op = await text(page, '#op-title');
    await page.locator('#alive-list .live').nth(3).click();
    await settle(page);
    assert.equal(await text(page, '#alive-title'), title);
    assert.equal(await text(page, '#op-title'), op);
    await page.locator('#alive-list .live').nth(3).click();
    await settle(page);
    assert.ok(await page.locator('#pin-panel').isHidden());
  }],
  ['pin: a click counts when the list scrolls between press and release', async ({ open }) => {
    const { page } = await open('planted');
    const row = page.locator('#alive-list .live').nth(2), { x, y, width, height } = await row.boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.evaluate(() => (document.querySelector('#alive-list').scrollTop += 4));
    await settle(page);
    await page.mouse.up();
    await settle(page);
    assert.ok(await page.locator('#pin-panel').isVisible());
    assert.ok(await page.evaluate(() => document.querySelector('#alive-list .live.selected')), 'and the list is drawn again after it');
  }],
  ['pin: a file and line inside the whole location are its source, of the op and of the tensor', async ({ open }) => {
    const { page } = await open('ranks');
    const whole = await text(page, '#op-loc'), [, file, line] = /"([^"]*\.py)":(\d+)/.exec(whole);
    const source = `${file.slice(file.lastIndexOf('/') + 1)}:${line}`;
    assert.equal(await text(page, '#op-source'), source);
    await page.locator('#op-panel [data-tensor]').last().click();
    await page.waitForFunction(() => document.querySelector('#pin-panel dd[data-fact="source"]'));
    assert.equal(await text(page, '#pin-panel dd[data-fact="source"]'), source);
  }],
  ['pin: two are compared', async ({ open }) => {
    const { page } = await pinBig(open);
    await live(page, '4608x1024').click({ modifiers: ['Shift'] });
    await settle(page);
    assert.equal(await text(page, '#pin-title'), 'Two highlighted tensors');
    const tensors = await page.locator('#pin-panel [data-fact=tensor]').allInnerTexts();
    assert.match(tensors[0], /12288x1024/);
    assert.match(tensors[1], /4608x1024/);
    assert.match(page.url(), /pin=\d+,\d+/);
    await page.keyboard.press('Escape');
    await settle(page);
    assert.ok(await page.locator('#pin-panel').isHidden());
    assert.ok(await page.locator('#op-title').isVisible());
  }],
  ['pin: operands and results of an op are links, and lead from op to op', async ({ open }) => {
    const { page, sim } = await open('planted');
    const { truth } = sim;
    await page.evaluate(hash => (location.hash = hash), `#op=${label(sim, truth.last).slice(1)}`);
    await page.locator('#op-title', { hasText: 'ttnn.add' }).waitFor();
    await settle(page);
    // The operand is the view: it has no tensor of its own. The result has.
    await page.locator('#op-panel dd [data-tensor]').last().click();
    await settle(page);
    assert.match(await fact(page, 'made by'), /ttnn.add/);
    assert.match(await fact(page, 'used by'), /^(#\d+, ){11}#\d+ and 1 more$/); // the layers and the softmax
    await page.locator('#pin-panel .more-uses').click();
    assert.match(await fact(page, 'used by'), /^(#\d+, ){12}#\d+$/);
    await page.locator('#pin-panel [data-fact="used by"] button').first().click();
    await settle(page);
    assert.match(await text(page, '#op-title'), /ttnn.matmul/);
    await page.locator('#op-panel dd [data-tensor]').first().click();
    await settle(page);
    assert.ok(await page.locator('#pin-panel').isHidden(), 'the operand is what was pinned: it lets go');
  }],
  ['what is made of one weight is called by it, in the list and on its band', async ({ openReport }) => {
    const { page, report } = await openReport('plain', { width: 1440, height: 900 });
    const rows = await page.locator('#alive-list .live:has(.key.const-eval)').evaluateAll(list => list.map(e => [Number(e.dataset.step), e.querySelector('.mono .dim')?.textContent.trim() ?? '']));
    const records = report.operations.filter(o => o.mlir_op === 'ttcore.load_cached');
    assert.ok(rows.length && records.length);
    const modules = rows.map(([, name]) => name).filter(name => !name.startsWith('%'));
    assert.ok(modules.length, `none of ${JSON.stringify(rows)}`);
    for (const name of modules) assert.match(name, /^(layers|blocks)\.\d+\.\w+$|^\w+$/);
  }],
  ['pin: a weight is used by the ops that take it', async ({ open }) => {
    const { page, sim } = await open('planted');
    // The smallest of the list: the last row.
    await page.evaluate(() => (document.getElementById('alive-list').scrollTop = 1e6));
    await settle(page);
    await live(page, 'net.head.weight').click();
    await settle(page);
    assert.equal(await fact(page, 'made by'), 'an argument of the program');
    assert.equal(await fact(page, 'used by'), label(sim, sim.truth.made));
    assert.equal(await fact(page, 'module'), 'net.head');
    assert.match(await fact(page, 'freed at its last use'), /outlives/);
  }],
  ['bands: by class, weights at the bottom, what lives long below what is born later, the unattributed on top', async ({ open }) => {
    const { page, sim } = await open('planted');
    const c = sim.truth.end, all = sim.blocks.alloc[0][c] * 1048.576;
    const read = async height => {
      const p = await at(page, sim, 'alive', c, 0);
      const b = await over(page, 'alive'), top = Math.max(...sim.blocks.alloc[0]) * 1048.576 * 1.06;
      await page.mouse.move(p.x, b.y + b.height * (1 - height / top));
      await settle(page);
      return text(page, '#graph-alive .readout');
    };
    const { bank, usual, wide, big } = sim.truth, weight = sim.types[sim.tensors[0].type].bank;
    assert.match(await read(weight + bank(big) / 2), /12288x1024/);
    assert.match(await read(weight + bank(big) + bank(usual) / 2), /1536x1024/);
    let below = weight + bank(big) + 2 * bank(usual);
    for (let i = 0; i < ODD; i++) below += bank(usual);
    assert.match(await read(below + bank(wide) / 2), /4608x1024/);
    assert.match(await read(all - 400 * 1024), /unattributed/);
  }],
  ['bands: a spike that is two pixels wide has the colour of its tensors, not of the outline', async ({ open }) => {
    const { page } = await open('oom', { width: 1440, height: 900 });
    const blue = await page.evaluate(() => {
      const c = document.querySelector('#plot-alive canvas'), g = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
      const [r, , b] = /^#(..)(..)(..)/.exec(getComputedStyle(document.documentElement).getPropertyValue('--alloc').trim()).slice(1).map(v => parseInt(v, 16));
      // The tallest upright run of the outline's colour: an edge of a spike would be as tall as the spike.
      let most = 0;
      for (let x = 0; x < c.width; x++) {
        for (let y = 0, run = 0; y < c.height; y++) {
          const i = (y * c.width + x) * 4;
          run = g[i + 3] > 60 && Math.abs(g[i] - r) < 24 && Math.abs(g[i + 2] - b) < 24 ? run + 1 : 0;
          // The line of the selection runs through the whole graph and is no edge.
          if (run > most && run < 150) most = run;
        }
      }
      return most;
    });
    assert.ok(blue < 12, `an edge of ${blue} pixels`);
  }],
  ['bands: what is held by difference is a band too, and a click leads to its op', async ({ open }) => {
    const { page } = await open('bare');
    const b = await over(page, 'alive');
    await page.mouse.move(b.x + b.width * 0.5, b.y + b.height * 0.9);
    await settle(page);
    assert.match(await text(page, '#graph-alive .readout'), /held since .* by difference/);
    assert.match(await text(page, '#alive-answer'), /held by difference/);
    const rows = await page.locator('#alive-list .held .num').allInnerTexts();
    assert.ok(rows.length > 0);
  }],
  ['axis: a window is as tall as what it shows, a double click shows the whole', async ({ open }) => {
    const { page, sim } = await open('planted', { hash: `#zoom=0,9` });
    const ticks = () => page.evaluate(() => document.querySelector('#plot-memory canvas').toDataURL());
    const near = await ticks();
    const b = await over(page, 'memory');
    await page.mouse.dblclick(b.x + b.width / 2, b.y + 40);
    await page.mouse.move(2, 2);
    await settle(page);
    assert.notEqual(await ticks(), near);
    assert.ok(!/zoom=/.test(page.url()), page.url());
    assert.ok(sim);
  }],
  ['modules: repeated layers fold, the odd one is named, and unfolds', async ({ open }) => {
    const { page, sim } = await open('planted');
    const { bank, usual, wide } = sim.truth;
    await show(page, '#modules');
    const answer = await text(page, '#modules-answer');
    assert.match(answer, new RegExp(`${LAYERS} × net\\.layers\\.\\*, ${shown(bank(usual) / MIB)} MB each; unlike the others: layers\\.${ODD} with ${shown(bank(wide) / MIB)} MB`));
    assert.ok(await page.locator(`#icicle [data-path="net.layers.*"]`).isVisible());
    await page.locator('#icicle [data-path="net.layers.*"]').click();
    await settle(page);
    assert.match(page.url(), /open=net\.layers/);
    assert.match(await text(page, '#crumbs'), /net\.layers/);
    await page.goBack();
    await settle(page);
    assert.equal(await page.locator('#icicle [data-depth="0"]').innerText(), `all ${shown(aliveAtPeak(sim).reduce((a, t) => a + bank(t.type), 0) / MIB)}`);
    await page.click('#by-source');
    await settle(page);
    await page.click('#module-table [data-path="net.py"]');
    await settle(page);
    assert.match(await text(page, '#module-table'), /net\.py:60/);
    assert.match(page.url(), /by=source/);
  }],
  ['range: who made, who freed, net; by module too', async ({ open }) => {
    const { page, sim } = await open('planted');
    const { truth } = sim, b = await over(page, 'memory'), steps = sim.steps.flags.length;
    const x = c => b.x + (b.width * (c + 1.5)) / (steps + 1);
    await page.keyboard.down('Alt');
    await page.mouse.move(x(truth.layers[0].birth), b.y + 40);
    await page.mouse.down();
    await page.mouse.move(x(truth.layers[LAYERS - 1].birth), b.y + 40, { steps: 3 });
    await page.mouse.up();
    await page.keyboard.up('Alt');
    await settle(page);
    await show(page, '#modules');
    await show(page, '#sizes');
    assert.match(page.url(), new RegExp(`range=${truth.layers[0].birth},${truth.layers[LAYERS - 1].birth}`));
    const made = ((LAYERS - 1) * truth.bank(truth.usual) + truth.bank(truth.wide)) / MIB;
    assert.match(await text(page, '#range-makers h3'), new RegExp(`^Made ${shown(made)}, freed 0\\.0, net ${shown(made)}`));
    assert.match(await text(page, '#range-ops'), new RegExp(`ttnn.matmul.*${LAYERS}`, 's'));
    assert.match(await text(page, '#modules-answer'), new RegExp(`^${shown(made)} made, 0\\.0 freed`));
    // The whole drag was one choice.
    await page.goBack();
    await settle(page);
    assert.ok(!/range=/.test(page.url()), page.url());
    await page.goForward();
    await settle(page);
    assert.match(page.url(), /range=/);
    await page.keyboard.press('Escape');
    await settle(page);
    assert.ok(!/range=/.test(page.url()));
  }],
  ['keys: Shift-click on a band compares, i leads to the TTNN line, Esc leaves a search, a zoom is a choice of its own', async ({ openReport }) => {
    const { page } = await openReport('layers', { width: 1440, height: 900 });
    await page.locator('#alive-list .live').nth(1).click();
    await settle(page);
    const [, first] = /pin=(\d+)/.exec(page.url()), b = await over(page, 'alive');
    await page.keyboard.down('Shift');
    await page.mouse.click(b.x + b.width / 2, b.y + b.height - 6);
    await page.keyboard.up('Shift');
    await settle(page);
    assert.match(page.url(), new RegExp(`pin=${first},\\d+`));
    await page.mouse.move(2, 2);
    await page.keyboard.press('i');
    await settle(page);
    assert.match(await page.locator('#ir select').evaluate(e => e.selectedOptions[0].textContent), /^TTNN/);
    await page.keyboard.press('/');
    await page.keyboard.type('softmax');
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(() => document.activeElement.tagName), 'BODY');
    await page.evaluate(() => scrollTo(0, 0));
    const m = await over(page, 'memory');
    await page.mouse.move(m.x + m.width * 0.3, m.y + 40);
    await page.mouse.down();
    await page.mouse.move(m.x + m.width * 0.6, m.y + 40, { steps: 3 });
    await page.mouse.up();
    await page.waitForFunction(() => /zoom=/.test(location.hash));
    await page.goBack();
    await settle(page);
    assert.ok(!/zoom=/.test(page.url()) && /pin=/.test(page.url()), page.url());
  }],
  ['padding: results of one type are one row over layers and passes', async ({ openReport }) => {
    const { page, report } = await openReport('layers', { width: 1440, height: 900 });
    const rows = await page.locator('#top-padding tbody tr').evaluateAll(list => list.map(tr => [...tr.cells].map(td => td.textContent)));
    assert.equal(new Set(rows.map(r => `${r[1]} ${r[3]}`)).size, rows.length);
    const padded = report.operations.filter(o => o.mlir_op === rows[0][1] && o.outputs?.some(t => `${t.logical_shape ?? t.shape} ${t.dtype}` === rows[0][3]));
    assert.ok(Number(rows[0][2]) >= 3 && (!padded.length || Number(rows[0][2]) === padded.length), `${rows[0][2]} ${padded.length}`);
  }],
  ['sizes: the histogram counts what is alive, by power of two and class', async ({ open }) => {
    const { page, sim } = await open('planted');
    const alive = aliveAtPeak(sim);
    const bins = new Map();
    for (const t of alive) {
      const to = 2 ** Math.ceil(Math.log2(sim.truth.bank(t.type)));
      bins.set(to, (bins.get(to) ?? 0) + 1);
    }
    await show(page, '#sizes');
    const rows = (await page.locator('#histogram .bin').allInnerTexts()).map(r => r.split('\n')).filter(r => /×/.test(r[1] ?? ''));
    assert.deepEqual(rows.map(r => Number(r[1].split(' ')[0])), [...bins].sort((a, b) => a[0] - b[0]).map(b => b[1]));
  }],
  ['address: pins, range, zoom, search and section open again elsewhere, and Back goes back one choice', async ({ open }) => {
    const { page } = await pinBig(open);
    await page.fill('#op-search', 'softmax');
    await page.click('.nav [data-section=sizes]');
    await settle(page);
    const url = page.url(), hash = url.slice(url.indexOf('#'));
    for (const part of ['pin=', 'search=softmax', 'section=sizes']) assert.ok(hash.includes(part), hash);
    const other = await open('planted', { hash: `${hash}&zoom=2,14` });
    assert.match(await fact(other.page, 'tensor'), /12288x1024/);
    assert.equal(await other.page.inputValue('#op-search'), 'softmax');
    assert.match(await text(other.page, '.graphs-bar .hint'), /^12 of/);
    assert.ok(await other.page.evaluate(() => document.getElementById('sizes').getBoundingClientRect().top < innerHeight));
    await page.goBack();
    await settle(page);
    assert.ok(page.url().includes('pin=') && !page.url().includes('section='));
    await page.goBack();
    await settle(page);
    assert.ok(!page.url().includes('pin='));
    const wrong = await open('planted', { hash: '#pin=99999&range=3' });
    assert.match(await text(wrong.page, '#problem'), /no pin 99999/i);
  }],
  ['keys: "?" lists them, Esc closes, and everything fits 400 pixels in both themes', async ({ open }) => {
    for (const theme of ['light', 'dark']) {
      const { page } = await pinBig(open, { width: 1440, height: 900, theme });
      await page.keyboard.press('?');
      assert.ok(await page.locator('#help').isVisible());
      assert.match(await text(page, '#help'), /n, p/);
      // The words are those of the document.
      const terms = [...readFileSync(new URL('../../docs/glossary.md', import.meta.url), 'utf8').matchAll(/^\| ([^|]+) \| (.+) \|$/gm)].filter(row => row[1] !== 'term');
      assert.deepEqual(await page.locator('#help-words dt').allTextContents(), terms.map(t => t[1]));
      const said = await page.locator('#help-words dd').allTextContents();
      assert.deepEqual(said, terms.map(t => t[2].replaceAll(/[`*]/g, '')));
      // Each can be reached from the index above them.
      assert.deepEqual(await page.locator('#help-index button').allTextContents(), terms.map(t => t[1]));
      for (const term of [terms[0][1], 'lower bound', terms.at(-1)[1]]) {
        await page.locator('#help-index').getByRole('button', { name: term, exact: true }).click();
        const word = page.locator('#help-words dt', { hasText: new RegExp(`^${term}$`) });
        assert.ok(await word.evaluate(e => e === document.activeElement && e.getBoundingClientRect().top >= 0 && e.getBoundingClientRect().bottom <= innerHeight), term);
        await page.locator('#help').evaluate(e => e.scrollTo(0, 0));
      }
      await page.keyboard.press('Escape');
      assert.ok(await page.locator('#help').isHidden());
      assert.ok(await page.locator('#pin-panel').isVisible(), 'Esc closed the dialog and nothing else');
      const small = await open('planted', { width: 400, height: 800, theme, hash: page.url().slice(page.url().indexOf('#')) });
      assert.ok((await small.page.evaluate(() => document.documentElement.scrollWidth)) <= 400);
      await small.page.keyboard.press('?');
      assert.ok(await small.page.locator('#help').evaluate(e => e.scrollWidth <= e.clientWidth && e.getBoundingClientRect().right <= 400 && e.getBoundingClientRect().height <= 800), 'the help fits');
    }
  }],
  ['what passes leave behind is a table with the figures of the summary', async ({ openReport }) => {
    for (const options of [{ width: 1440, theme: 'light' }, { width: 400, theme: 'dark' }]) {
      const { report, page } = await openReport('leak', options);
      const { leaks } = report.summary;
      const rows = await page.locator('#left-behind tbody tr').evaluateAll(list => list.map(tr => [...tr.cells].map(td => td.textContent)));
      assert.equal(rows.length, leaks.ops.length);
      rows.forEach((cells, i) => {
        assert.equal(cells[0], `#${leaks.ops[i].op.index}`);
        assert.equal(cells[1], leaks.ops[i].op.name);
        assert.equal(cells[5], `${(leaks.ops[i].bytes_per_bank_per_pass / 1024).toFixed(1)} KB`);
        assert.equal(cells[6], `${leaks.ops[i].passes} of ${leaks.ops[i].passes_seen}`);
        assert.equal(cells[9], String(leaks.ops[i].ir_line));
      });
      assert.match(await page.locator('#leaks-answer').textContent(), /^2 ops leave memory behind in each pass.*reaches the bank's end/);
      await page.locator('#left-behind tbody tr').first().locator('td').nth(1).click();
      await page.waitForFunction(n => location.hash.includes(`op=${n}`), leaks.ops[0].op.index);
    }
  }],
  ['a run whose passes leave nothing has no such table', async ({ openReport }) => {
    const { page } = await openReport('plain');
    assert.equal(await page.locator('#leaks').count(), 0);
  }],
];
