// SPDX-License-Identifier: Apache-2.0
// Pages of generated logs against the JSON files that were written with them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HOSTILE } from '../../web/lib/odd.mjs';
import { mb, signed, percent } from '../../web/src/format.js';
import { BINARY } from './reports.mjs';
import { settle } from './browser.mjs';

const text = (page, selector) => page.locator(selector).first().innerText();
const milli = v => Math.round(v * 1000);
const shown = v => (v === null || v === undefined ? '–' : mb(v));
const allocated = (record, pool) => record.memory[pool]?.totalBytesAllocatedPerBank_MB;

async function select(page, op) {
  await page.evaluate(n => (location.hash = `#op=${n}`), op);
  await page.waitForFunction(n => document.getElementById('op-title')?.textContent.startsWith(`#${n} `), op);
}

/** Indices spread over the records, with the first and last ones. */
function spread(n, want = 24) {
  const step = Math.max(1, Math.floor(n / want));
  return [...new Set([0, n - 1, ...Array.from({ length: want }, (_, i) => i * step)])].filter(i => i < n);
}

async function checkOps(page, report, { lines = true } = {}) {
  const { operations: records } = report.memory.operations ? report.memory : { operations: report.memory };
  for (const i of spread(records.length)) {
    const record = records[i], op = report.operations[i];
    await select(page, i);
    assert.equal((await text(page, '#op-title')).trim(), `#${i} ${record.mlir_op}`);
    const row = page.locator('#op-memory tr[data-pool=DRAM] td');
    if (allocated(record, 'DRAM') !== undefined) {
      const cells = await row.allInnerTexts();
      assert.equal(cells[0], shown(allocated(record, 'DRAM')), `before #${i}`);
      if (record.after !== undefined) {
        assert.equal(cells[1], shown(record.after?.DRAM), `after #${i}`);
        assert.equal(cells[2], record.delta_MB?.DRAM === undefined ? '–' : signed(record.delta_MB.DRAM), `change #${i}`);
      }
    }
    await settle(page);
    const panel = await text(page, '#op-panel');
    for (const shape of [...op.input_shapes, ...op.output_shapes].filter(Boolean)) assert.ok(panel.includes(shape), `${shape} in #${i}`);
    for (const weight of op.weights) assert.ok(panel.includes(weight.name), `${weight.name} in #${i}`);
    if (lines) assert.ok(panel.includes(`line ${record.line.toLocaleString('en-US')}`), `line of #${i}`);
  }
}

const highest = (records, pool) => records.map((r, i) => [allocated(r, pool) ?? -1, i]).sort((a, b) => b[0] - a[0] || a[1] - b[1])[0];

export const tests = [
  ['ranks on different devices: every rank has its own tensors, banks and capacity', async ({ openReport }) => {
    const { page, report } = await openReport('two-devices');
    const rank = name => page.selectOption('#rank', String(report.memory.metadata.ranks.indexOf(name)));
    const says = (selector, expected) => page.waitForFunction(([s, t]) => document.querySelector(s).innerText.replace(/\s+/g, ' ').includes(t), [selector, expected]);
    await rank(null);
    await says('#graph-memory .readout', 'peak 10.04 of 1,000.0 MB per bank, 1.0 %');
    await says('.facts', '12 × 1,000 MB DRAM');
    await rank('1,0');
    await says('#graph-memory .readout', 'peak 2,041.5 of 4,000.0 MB per bank, 51 %');
    await says('.facts', '7 × 4,000 MB DRAM');
    await says('#alive-answer', '2,041.5 MB per bank in 0 tensors');
    await says('#peaks .answer', 'DRAM is highest before the first op: 2,041.5 of 4,000.0 MB per bank, 51 %.');
    assert.equal(await page.locator('[data-card="Padding at peak"]').count(), 0);
    await page.click('#unit-total');
    await says('#graph-memory .readout', `peak ${mb(7 * 2041.5)} of ${mb(7 * 4000)} MB total, 51 %`);
  }],
  ['labels of several failures, programs and the capacity do not lie over each other', async ({ openReport, browser }) => {
    const { report } = await openReport('failures');
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    await page.addInitScript(() => {
      const { fillText, clearRect } = CanvasRenderingContext2D.prototype;
      const ours = c => c.canvas.closest('#plot-memory');
      CanvasRenderingContext2D.prototype.clearRect = function (...rest) {
        if (ours(this)) window.drawn = [];
        return clearRect.apply(this, rest);
      };
      CanvasRenderingContext2D.prototype.fillText = function (s, x, y, ...rest) {
        const w = this.measureText(s).width, left = x - (this.textAlign === 'right' ? w : this.textAlign === 'center' ? w / 2 : 0);
        if (ours(this)) window.drawn.push({ s, left, right: left + w, y });
        return fillText.call(this, s, x, y, ...rest);
      };
    });
    await page.goto(report.url);
    await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
    const drawn = (await page.evaluate(() => window.drawn)).filter(d => /^Out of|capacity|^main/.test(d.s));
    await page.close();
    assert.ok(drawn.filter(d => d.s.startsWith('Out of')).length > 1 && drawn.some(d => d.s.includes('capacity')), JSON.stringify(drawn));
    const over = drawn.flatMap((a, i) => drawn.slice(i + 1).filter(b => Math.abs(a.y - b.y) < 8 && a.left < b.right && b.left < a.right).map(b => `${a.s} over ${b.s}`));
    assert.deepEqual(over, []);
  }],
  ['a run measured around its submit: the list beside the peak has the figure of the peak', async ({ openReport }) => {
    const { page } = await openReport('submits');
    await page.waitForFunction(() => /^Alive after #2\s+DRAM peak$/.test(document.getElementById('alive-title').innerText));
    assert.match(await text(page, '#alive-answer'), /^9\.000 MB per bank in/);
    await select(page, 0);
    await page.waitForFunction(() => /^Alive after #0$/.test(document.getElementById('alive-title').innerText));
    assert.match(await text(page, '#alive-answer'), /^5\.000 MB per bank in/);
    assert.ok(!(await text(page, '#alive-title')).includes('peak'));
  }],
  ['known tensors that add up to more than is allocated are called so', async ({ openReport }) => {
    const { page } = await openReport('unseen-frees');
    await select(page, 1);
    await page.waitForFunction(() => /^0\.010 MB per bank allocated; the \d known tensors add up to 0\.0\d\d: not all of them can still be alive/.test(document.getElementById('alive-answer').innerText));
    assert.ok(!(await text(page, '#graph-alive')).includes('100 % attributed'));
  }],
  ...['plain', 'oom', 'programs', 'torn', 'memory-only', 'ranks'].map(kind => [`${kind}: cards and peak cards have the peaks of the JSON files`, async ({ openReport }) => {
    const { page, report } = await openReport(kind);
    const names = report.memory.metadata.ranks;
    for (const [pool, peak] of Object.entries(report.memory.metadata.peaks)) {
      if (names.length > 1) await page.selectOption('#rank', String(names.indexOf(peak.rank)));
      await settle(page);
      const card = page.locator(`[data-card="${pool}"]`);
      if (await card.count()) assert.ok((await card.innerText()).includes(mb(peak.allocated_MB)), `${pool} card`);
      const peakCard = await text(page, `[data-peak="${pool}"]`);
      if (!peak.capacity_MB) assert.match(peakCard, /no memory is set aside/);
      else assert.ok(peakCard.includes(mb(peak.allocated_MB)), `${pool}: ${peakCard}`);
      if (!peak.allocated_MB) continue;
      if (peak.op_index !== null) assert.ok(peakCard.includes(`#${peak.op_index} `), `${pool}: ${peakCard}`);
      assert.ok(peakCard.includes(`line ${peak.line.toLocaleString('en-US')}`), `${pool}: ${peakCard}`);
    }
  }]),
  ...['plain', 'oom', 'programs', 'torn'].map(kind => [`${kind}: the panel of an op has the values of both JSON files`, async ({ openReport }) => {
    const { page, report } = await openReport(kind);
    await checkOps(page, report);
  }]),
  ['the attributes and the location are shown in full', async ({ openReport }) => {
    const { page, report } = await openReport('plain');
    const at = report.operations.findIndex(o => o.attributes && o.loc_full && o.loc_full.includes('fused'));
    const plain = at >= 0 ? at : report.operations.findIndex(o => o.attributes && o.loc);
    await select(page, plain);
    await settle(page);
    const op = report.operations[plain];
    assert.ok((await text(page, '#op-panel')).replace(/\s+/g, '').includes(op.attributes.replace(/\s+/g, '')));
    const loc = await text(page, '#op-loc');
    assert.ok(loc === op.loc_full || loc === op.loc, `${loc} is ${op.loc_full}`);
  }],
  ['top consumers and growth are those of the records', async ({ openReport }) => {
    const { page, report } = await openReport('plain');
    const records = report.memory.operations;
    const [level, at] = records.map((r, i) => [r.after?.DRAM ?? -1, i]).sort((a, b) => b[0] - a[0] || a[1] - b[1])[0];
    assert.equal(at, report.memory.metadata.peaks.DRAM.op_index);
    const first = await text(page, '#top-level tbody tr');
    assert.ok(first.startsWith(`#${at}`) && first.includes(mb(level)), first);
    const growth = records.map((r, i) => [r.delta_MB?.DRAM ?? -Infinity, i]).sort((a, b) => b[0] - a[0] || a[1] - b[1])[0];
    const grown = await text(page, '#top-growth tbody tr');
    assert.ok(grown.startsWith(`#${growth[1]}`) && grown.includes(signed(growth[0])), grown);
  }],
  ['padding and the tensors alive at the peak are those of the summary', async ({ openReport }) => {
    const { page, report } = await openReport('plain');
    const padding = report.summary.padding_at_peak.dram;
    assert.ok((await text(page, '#alive-answer')).includes(`in ${padding.tensor_count} tensors`));
    assert.ok((await text(page, '#padding-answer')).includes(`${percent(padding.padding_bytes, padding.logical_bytes)} padding on top`));
  }],
  ['the widest gap is at least that of the records, and a block of the log has it', async ({ openReport }) => {
    const { page, report } = await openReport('plain');
    const worst = Math.max(...report.memory.operations.map(r => milli(r.memory.DRAM.totalBytesFreePerBank_MB) - milli(r.memory.DRAM.largestContiguousBytesFreePerBank_MB)));
    const log = readFileSync(report.log, 'latin1');
    const gaps = [...log.matchAll(/DRAM memory state: MemoryView\{.*?totalBytesFreePerBank: ([\d.]+) MB, largestContiguousBytesFreePerBank: ([\d.]+) MB/g)].map(m => milli(m[1]) - milli(m[2]));
    assert.ok(gaps.length > 100 && Math.max(...gaps) >= worst);
    assert.ok((await text(page, '#fragments tbody tr')).includes(mb(Math.max(...gaps) / 1000)));
  }],
  ['weights are those of the registry', async ({ openReport }) => {
    const { page, report } = await openReport('plain');
    assert.ok((await text(page, '[data-card=weights]')).includes(`in ${report.registry.metadata.total_weights}`));
    const name = report.registry.entries.find(e => e.type === 'parameter').name;
    await page.fill('#weight-search', name);
    await settle(page);
    assert.ok((await text(page, '#weight-count')).startsWith(`${report.registry.entries.filter(e => e.name.includes(name)).length} of`));
  }],
  ['an op leads to its own line of the TTNN module, and the line back to an op of that text', async ({ openReport }) => {
    const { page, report } = await openReport('plain');
    const lines = report.ir.ttnn.text.split('\n');
    let checked = 0;
    for (const i of spread(report.operations.length, 40)) {
      const op = report.operations[i];
      if (!op.loc || !op.result || op.const_eval_graph) continue;
      await select(page, i);
      const label = page.locator('[data-ir=ttnn]');
      if (!(await label.count())) continue;
      const line = Number((await label.innerText()).split(':')[1]);
      const own = lines[line - 1] ?? '';
      assert.ok(own.includes(op.mlir_op), `#${i} ${op.mlir_op} leads to line ${line}: ${own.slice(0, 120)}`);
      assert.ok(own.trim().startsWith(`${op.result.split(':')[0]}`), `#${i} ${op.result} leads to line ${line}: ${own.slice(0, 120)}`);
      checked++;
    }
    assert.ok(checked > 15, `${checked} ops have a line`);
    await page.click('[data-ir=ttnn]');
    await page.waitForSelector('.code-line.marked');
    const marked = Number(await page.getAttribute('.code-line.marked', 'data-line'));
    assert.equal(await text(page, '.code-line.marked .line-text'), lines[marked - 1].replaceAll('\t', '    '));
    await page.click('.code-line.marked .line-no');
    const title = await text(page, '#op-title');
    assert.ok(lines[marked - 1].includes(title.split(' ')[1]), title);
  }],
  ['the module text is the one of the JSON file', async ({ openReport }) => {
    const { page, report } = await openReport('torn');
    await page.locator('#ir').scrollIntoViewIfNeeded();
    await page.waitForSelector('#ir-lines .code-line');
    const options = await page.locator('#ir-module option').allInnerTexts();
    const lines = t => (t.split('\n').length - 1).toLocaleString('en-US');
    assert.ok(options.some(o => o.startsWith('TTIR') && o.includes(`${lines(report.ir.ttir.text)} lines`)), options.join('; '));
    assert.ok(options.some(o => o.startsWith('TTNN') && o.includes(`${lines(report.ir.ttnn.text)} lines`)), options.join('; '));
  }],
  ['a failed run says why at the top and opens on the op that failed', async ({ openReport }) => {
    const { page, report } = await openReport('oom');
    const failure = report.memory.metadata.failures[0];
    const line = page.locator('#failure .failure').first();
    assert.match(await line.innerText(), new RegExp(`${failure.pool}.*${failure.verdict}`, "i"));
    assert.ok((await line.boundingBox()).y < 100);
    assert.ok((await text(page, '#op-title')).startsWith(`#${failure.op.index} `));
    await line.locator('summary').click();
    const all = await line.innerText();
    assert.ok(all.includes(failure.advice[0]) && /Out of Memory/i.test(all), all);
  }],
  ['the table finds what the JSON file holds; CSV has its figures', async ({ openReport }) => {
    const { page, report } = await openReport('plain');
    await page.fill('#op-search', 'ttnn.matmul');
    await settle(page);
    const wanted = report.operations.filter(o => o.mlir_op === 'ttnn.matmul');
    assert.ok((await text(page, '#op-count')).startsWith(`${wanted.length} of ${report.operations.length}`), await text(page, '#op-count'));
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#op-csv')]);
    const [head, ...rows] = readFileSync(await download.path(), 'utf8').trim().split('\r\n');
    const before = head.split(',').findIndex(h => /DRAM before/.test(h));
    assert.equal(rows.length, wanted.length);
    rows.forEach((row, k) => {
      const cells = row.match(/("([^"]|"")*"|[^,]*)(,|$)/g).map(c => c.replace(/,$/, ''));
      assert.equal(Number(cells[0].replace('#', '')), wanted[k].index);
      assert.equal(milli(cells[before]), milli(allocated(report.memory.operations[wanted[k].index], 'DRAM')));
    });
    await page.fill('#op-search', '');
    await page.selectOption('#op-kind', 'w');
    await settle(page);
    assert.ok((await text(page, '#op-count')).startsWith(`${report.operations.filter(o => o.is_weight_op).length} of`));
  }],
  ['total is per bank times the banks, tabs show the other pools', async ({ openReport }) => {
    const { page, report } = await openReport('plain');
    const { peaks, memory_config: config } = report.memory.metadata;
    await page.click('#unit-total');
    await settle(page);
    assert.ok((await text(page, '[data-card=DRAM]')).includes(mb(peaks.DRAM.allocated_MB * config.DRAM.num_banks)));
    await page.click('#unit-bank');
    await page.click('.tab[data-pool=L1]');
    await settle(page);
    assert.ok((await text(page, '#graph-memory .readout')).includes(mb(peaks.L1.allocated_MB)));
  }],
  ['each rank has its own ops and its own peak', async ({ openReport }) => {
    const { page, report } = await openReport('ranks');
    const names = report.memory.metadata.ranks;
    assert.deepEqual(await page.locator('#rank option').allInnerTexts(), ['rank 1,0', 'rank 1,1', 'rank 1,2', 'rank 1,10'].filter(n => names.includes(n.slice(5))));
    for (const [i, name] of names.entries()) {
      await page.selectOption('#rank', String(i));
      await settle(page);
      const mine = report.memory.operations.filter(r => r.rank === name).length;
      assert.ok((await text(page, '#op-count')).startsWith(mine.toLocaleString('en-US')), await text(page, '#op-count'));
    }
  }],
  ['ranks are listed in the order of their numbers', async ({ openReport }) => {
    const { page, report } = await openReport('many-ranks');
    assert.equal(report.memory.metadata.ranks.length, 12);
    assert.deepEqual(await page.locator('#rank option').allInnerTexts(), Array.from({ length: 12 }, (_, i) => `rank 1,${i}`));
  }],
  ['programs can be chosen, and each leads to its own module', async ({ openReport }) => {
    const { page, report } = await openReport('programs');
    assert.ok((await page.locator('#program option').count()) > 3);
    for (const program of [0, 1, 2]) {
      const at = report.operations.findIndex(o => o.program_index === program && o.loc && o.result && !o.const_eval_graph && o.mlir_op.startsWith('ttnn.'));
      const op = report.operations[at];
      await select(page, at);
      const wanted = (await text(page, '[data-ir=ttnn]')).split(':')[1];
      await page.click('[data-ir=ttnn]');
      await page.waitForSelector(`.code-line.marked[data-line="${wanted}"]`);
      await settle(page);
      const module = report.ir.programs.find(p => p.program_index === program);
      const line = Number(await page.getAttribute('.code-line.marked', 'data-line'));
      assert.ok(module.ttnn.text.split('\n')[line - 1].includes(op.mlir_op));
    }
  }],
  ['every op leads to its line, also those whose location is unknown', async ({ openReport }) => {
    const { page, report } = await openReport('plain');
    const lines = report.ir.ttnn.text.split('\n');
    // Which function a line is in, worked out from the text alone.
    let inside = '';
    const functions = lines.map(l => (inside = /^\s*func\.func.*?@(\w+)\(/.exec(l)?.[1] ?? inside));
    const unknown = report.operations.filter(o => !o.loc && o.result);
    assert.ok(unknown.length > 10, `${unknown.length} ops without a location`);
    for (const op of [...unknown.slice(0, 12), ...spread(report.operations.length).map(i => report.operations[i])]) {
      await select(page, op.index);
      const line = Number((await text(page, '[data-ir=ttnn]')).split(':')[1]);
      const own = lines[line - 1].trim();
      assert.ok(own.includes(op.mlir_op) && (!op.result || own.startsWith(`${op.result.split(':')[0]} `) || own.startsWith(`${op.result.split(':')[0]}:`)), `#${op.index} ${op.result} ${op.mlir_op} leads to ${line}: ${own.slice(0, 90)}`);
      if (op.const_eval_graph) assert.equal(functions[line - 1], op.const_eval_graph, `#${op.index}`);
    }
  }],
  ['a log without memory lines: sizes of whole tensors, nothing per bank, bands as high as the tensors', async ({ openReport }) => {
    const { page, report } = await openReport('ops-only');
    assert.equal(report.memory.metadata.blocks, 0);
    assert.ok(!(await page.locator('#unit-bank').isVisible()));
    assert.match(await text(page, '#graph-note'), /no DRAM memory lines/);
    for (const s of ['#graph-memory', '#graph-free', '#top-level']) assert.ok(!(await page.locator(s).isVisible()), s);
    assert.ok(!/per bank|no memory figures/i.test(await text(page, '#app')));
    assert.match(await text(page, '#alive-answer'), /MB total in \d+ tensors/);
    // The first in the list is the largest, and its size is that of its padded type.
    const first = await text(page, '#alive-list .live');
    const shape = first.match(/[\dx]{3,}/)[0];
    const layouts = report.operations.flatMap(o => [o.output_layout_info]).filter(l => l?.logical_shape === shape);
    assert.ok(layouts.some(l => first.includes(mb(l.padded_bytes / 1048576))), first);
    // Nothing is clipped: the highest column of the bands stays under the top of the graph.
    const free = await page.evaluate(() => {
      const c = document.querySelector('#plot-alive canvas'), u = document.querySelector('#plot-alive .u-over');
      const r = devicePixelRatio, a = c.getBoundingClientRect(), b = u.getBoundingClientRect();
      const d = c.getContext('2d').getImageData((b.left - a.left) * r, (b.top - a.top) * r, b.width * r, 3).data;
      let empty = 0;
      for (let i = 0; i < d.length; i += 4) empty += d[i + 3] === 0 || (d[i] > 225 && d[i + 1] > 225 && d[i + 2] > 225) ? 1 : 0;
      return empty / (d.length / 4);
    });
    assert.ok(free > 0.95, `top rows are ${free} empty`);
  }],
  ['without modules weights are not called inputs', async ({ openReport }) => {
    const { page } = await openReport('no-modules');
    assert.match(await text(page, '#graph-alive .legend'), /weight or input/);
    assert.match(await text(page, '#caveats'), /Weights and inputs cannot be told apart/);
    assert.match(await text(page, '#alive-answer'), /weight or input/);
    assert.ok(!(await page.locator('#op-kind').isVisible()));
  }],
  ['deallocations are no consumers', async ({ openReport }) => {
    const { page, report } = await openReport('memory-only');
    assert.ok(!report.memory.operations.some(r => r.op_type === 'DeallocateOp'));
    for (const id of ['#top-level', '#top-growth']) assert.ok(!(await text(page, id)).includes('DeallocateOp'), id);
  }],
  ['without op lines, what is held is named by difference', async ({ openReport }) => {
    const { page, report } = await openReport('memory-only');
    const held = report.summary.held_at_peak;
    assert.ok(held.length > 3);
    await page.waitForSelector('.live.held');
    const first = await page.locator('.live.held').first().innerText();
    const op = held[0].op_index ?? held[0].op?.index ?? null;
    assert.ok(op === null ? /held since the start/.test(first) : first.includes(`held since #${op} `), first);
    assert.match(first, /by difference/);
  }],
  ['a page of 20,000 operations, all of them distinct, has at most 2 MB', async ({ openReport }) => {
    const { page, report } = await openReport('long');
    assert.ok(report.operations.length >= 20000);
    assert.ok(statSync(report.html).size <= 2000000, `${statSync(report.html).size} bytes`);
    await select(page, 15000);
    await page.waitForSelector('[data-ir=ttnn]');
  }],
  ['what the log lacks is said, with the setting that gives it', async ({ openReport }) => {
    const { page, report } = await openReport('memory-only');
    const caveats = `${await text(page, '#caveats')} ${await text(page, '#absent')}`;
    for (const missing of report.memory.metadata.missing) assert.ok(caveats.includes(missing.setting), missing.setting);
    assert.match(await text(page, '#absent'), /IR.*TTXLA_LOGGER_LEVEL=DEBUG/);
  }],
  ['a hostile log shows as text and runs nothing', async ({ openReport }) => {
    const { page, report } = await openReport('hostile');
    assert.equal(report.operations.length, HOSTILE.length + 1);
    for (let op = 0; op <= HOSTILE.length; op++) {
      await select(page, op);
      await page.waitForSelector('#op-loc');
    }
    assert.ok((await text(page, '#op-loc')).length > 100000);
    await select(page, 0);
    await page.waitForFunction(wanted => document.getElementById('op-loc')?.textContent.includes(wanted), HOSTILE[0]);
    await page.fill('#op-search', '</script>');
    await settle(page);
    await page.hover('#plot-alive .u-over');
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.equal(await page.locator('#app img, #app script, #app iframe').count(), 0);
    const html = readFileSync(report.html, 'latin1');
    assert.equal(html.match(/<\/script>/g).length, html.match(/<script[ >]/g).length);
  }],
  ['the name of a report is hostile too', async ({ openReport, dir, browserOpen }) => {
    const { report } = await openReport('hostile');
    const out = join(dir, 'named.html');
    const odd = join(dir, '<img src=x onerror=window.pwned=1>&"\'.log');
    execFileSync('cp', [report.log, odd]);
    execFileSync(BINARY, ['view', odd, '-o', out]);
    const page = await browserOpen(out);
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.match(await page.title(), /<img src=x onerror=window\.pwned=1>&"'/);
  }],
  ['a report that holds a page of its own is taken as it is', async ({ openReport, dir }) => {
    const { report } = await openReport('plain');
    const out = join(dir, 'copy.html');
    execFileSync(BINARY, ['view', report.dir, '-o', out]);
    assert.ok(readFileSync(out).equals(readFileSync(report.html)));
  }],
  ['the JSON files alone give a page with the same figures', async ({ openReport, openFiles }) => {
    const { report } = await openReport('plain');
    const { page } = await openFiles('plain');
    await checkOps(page, report);
    for (const [pool, peak] of Object.entries(report.memory.metadata.peaks)) if (peak.capacity_MB) assert.ok((await text(page, `[data-peak="${pool}"]`)).includes(mb(peak.allocated_MB)), pool);
    assert.ok((await text(page, '[data-card=weights]')).includes(`in ${report.registry.metadata.total_weights}`));
  }],
  ...['list', 'object'].map(form => [`a report of the Python profiler (${form}) gives a page`, async ({ openReport, openOlder }) => {
    const { report } = await openReport('plain');
    const { page, report: older } = await openOlder('plain', form);
    await checkOps(page, { ...report, memory: older.memory, operations: older.operations }, { lines: false });
    const records = report.memory.operations;
    assert.ok((await text(page, '[data-peak="DRAM"]')).includes(mb(highest(records, 'DRAM')[0])));
    // Memory between the ops is not in these files: their peaks are lower bounds, and marked.
    assert.match(await text(page, '[data-card=DRAM]'), /≥/);
    assert.match(await text(page, '[data-peak=DRAM]'), /≥ Lower bound/);
    assert.equal(await page.locator('[data-ir=ttnn]').count() > 0, form === 'object');
    if (form === 'list') assert.match(await text(page, '#absent'), /Not in this log: .*IR/);
    // Without the registry file nothing tells weights from inputs.
    assert.equal(/weight or input/.test(await text(page, '#graph-alive .legend')), form === 'list');
  }]),
  ['a note of whoever made the report stands at the foot of the page, as text', async ({ dir, show, openReport }) => {
    const { report } = await openReport('plain');
    const out = join(dir, 'noted');
    execFileSync(BINARY, ['analyze', report.log, '--output-dir', out, '--name', 'noted', '--quiet', '--note', 'job 4711 <b>']);
    const { page } = await show(pathToFileURL(join(out, 'noted_report.html')).href);
    assert.equal(await page.locator('#note').textContent(), 'job 4711 <b>');
  }],
];
