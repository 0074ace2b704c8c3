// SPDX-License-Identifier: Apache-2.0
// What is recorded beside the devices: the axis of time, host memory by process, the KV cache, and holes of the map that are clicked.
// The folder is written here, so that every figure is known.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { BINARY } from './reports.mjs';

const START = 1787415567000000000n; // unix ns
const BASE = 1048640, BANK = 2048; // 24 KB in twelve banks

const MS = 1000000n;
const allocated = (id, address, bytes, ms) => `- mesh_buffer_allocated:\n    id: ${id}\n    address: ${address}\n    size: ${bytes}\n    device_local_size: ${bytes}\n    buffer_type: DRAM\n    timestamp_ns: ${START + BigInt(ms) * MS}\n`;
const deallocated = (id, address, ms) => `- mesh_buffer_deallocated:\n    id: ${id}\n    address: ${address}\n    timestamp_ns: ${START + BigInt(ms) * MS}\n`;
const entry = (id, name, ms) => `- runtime_entry:\n    mesh_workload_id: ${id}\n    runtime_id: ${id}\n    name: ${name}\n    parameters: 'Not captured'\n    trace_id: 4294967295\n    timestamp_ns: ${START + BigInt(ms) * MS}\n`;

/**
 * Ops at 0, 10, 20, 30, 1000 ms: nearly all of the time passes between the last two. Three buffers side by side; the middle one goes,
 * and one that is larger does not fit into its hole.
 */
function besidePage(dir, { host = true } = {}) {
  const folder = join(dir, host ? 'beside' : 'alone'), inspector = join(folder, 'inspector'), html = join(folder, 'page.html');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(inspector, { recursive: true });
  const at = i => BASE + i * BANK;
  writeFileSync(join(inspector, 'mesh_buffers_log.yaml'), allocated(1, at(0), 24576, 0) + allocated(2, at(1), 24576, 9) + allocated(3, at(2), 24576, 19) + deallocated(2, at(1), 25) + allocated(4, at(3), 49152, 29) + allocated(5, at(5), 24576, 999));
  writeFileSync(join(inspector, 'mesh_workloads_log.yaml'), [['MatmulDeviceOperation', 1], ['SoftmaxDeviceOperation', 10], ['ReshapeViewDeviceOperation', 20], ['MatmulDeviceOperation', 30], ['SoftmaxDeviceOperation', 1000]].map(([name, ms], i) => entry(i + 1, name, ms)).join(''));
  writeFileSync(join(inspector, 'programs_log.yaml'), [1, 10, 20].map((ms, i) => `- program_created:\n    id: ${i}\n    timestamp_ns: ${START + BigInt(ms) * MS}\n`).join(''));
  writeFileSync(join(inspector, 'startup.yaml'), `startup_time:\n  system_clock_iso: '2026-08-22T16:19:27Z'\n  system_clock_ns: ${START}\n  high_resolution_clock_ns: ${START}\n`);
  if (host) {
    const line = o => `${JSON.stringify(o)}\n`;
    const sample = (t, pid, mb) => line({ t_ms: t, log_bytes: 0, pid, rss_bytes: mb * 1048576 });
    writeFileSync(join(folder, 'm_host.jsonl'), `{"ttmem_host":1,"start_unix_ns":${START - 500n * MS},"root_pid":7,"machine_bytes":68719476736,"cgroup_limit_bytes":${4096 * 1048576}}\n` +
      line({ t_ms: 0, log_bytes: 0, pid: 7, start: 1, name: 'python3', command: 'python3' }) + line({ t_ms: 0, log_bytes: 0, pid: 8, start: 2, name: 'engine', command: 'engine' }) +
      sample(0, 7, 64) + sample(100, 8, 3072) + sample(505, 8, 1024) + sample(525, 8, 512) +
      line({ t_ms: 525, log_bytes: 0, available_bytes: 9e9, hugepages_bytes: 256 * 1048576, cgroup_bytes: 600 * 1048576, cgroup_limit_bytes: 4096 * 1048576 }) +
      line({ t_ms: 1600, log_bytes: 0, end: true, status: 0, signal: 0, kernel_kills: 0, largest_rss_bytes: 3072 * 1048576, unreadable_processes: 0 }));
    mkdirSync(join(folder, 'tt_telemetry'));
    const kv = (ms, free) => line({ schema: 1, layer: 'scheduler', ts: Number(START / MS + BigInt(ms)) / 1000, step: ms, kv_util: 1 - free / 100, num_free_blocks: free, num_total_blocks: 100, preempted: 0 });
    writeFileSync(join(folder, 'tt_telemetry', 'scheduler.jsonl'), kv(5, 90) + kv(15, 40) + kv(500, 5));
  }
  execFileSync(BINARY, ['view', inspector, '-o', html]);
  return pathToFileURL(html).href;
}


export const tests = [
  ['beside: why a figure is a bound is said as it is of this input', async ({ dir, show }) => {
    const html = join(dir, 'bounds.html');
    execFileSync(BINARY, ['view', fileURLToPath(new URL('../../examples/inspector', import.meta.url)), '-o', html]);
    const { page } = await show(pathToFileURL(html).href);
    const told = `${await page.innerText('[data-peak=DRAM]')} ${await page.innerText('#caveats')}`;
    assert.match(told, /of some buffers the bytes per bank are lower bounds/);
    assert.doesNotMatch(told, /submits only|memory lines are measured|in the log/);
  }],
  ['beside: host memory has a line per process under that of the devices, with limit, huge pages and KV cache', async ({ dir, show }) => {
    const { page } = await show(besidePage(dir));
    const legend = await page.innerText('#graph-host .legend');
    assert.match(legend, /engine 8/);
    assert.match(legend, /python3 7/);
    assert.match(legend, /huge pages/);
    assert.match(legend, /KV cache/);
    assert.match(await page.innerText('#graph-host .readout'), /peak 3,072\.0 MB in engine/);
    // under the graph of memory, over what is alive
    const order = await page.evaluate(() => [...document.querySelectorAll('.graph')].map(g => g.id));
    assert.equal(order.indexOf('graph-host'), order.indexOf('graph-memory') + 1);
    const box = await page.locator('#plot-host .u-over').boundingBox();
    await page.mouse.move(box.x + box.width - 3, box.y + 20);
    await page.waitForFunction(() => document.querySelector('#graph-host .readout').innerText.includes('512'));
    assert.match(await page.innerText('#graph-host .readout'), /engine 8 512\.0 MB/);
    assert.match(legend, /programs kept/);
    const colours = await page.locator('#plot-host canvas').evaluate(c => new Set(new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size);
    assert.ok(colours > 4, `${colours} colours`);
  }],
  ['beside: the axis switches from op order to time and back, and the link keeps it', async ({ dir, show }) => {
    const { page } = await show(besidePage(dir));
    // In op order the step at 30 ms stands in the second half; in time everything but the last op is at the left.
    const at = () => page.evaluate(() => {
      const c = document.querySelector('#plot-memory canvas');
      return c.toDataURL().length;
    });
    const before = await at();
    // labels along the axis: drawn text at the foot of the lowest graph
    const labels = () => page.locator('#plot-free canvas').evaluate(c => {
      const g = c.getContext('2d'), foot = Math.round(16 * devicePixelRatio);
      return g.getImageData(0, c.height - foot, c.width, foot).data.filter((v, i) => i % 4 === 3 && v > 0).length;
    });
    assert.ok((await labels()) > 20);
    assert.equal(await page.getAttribute('#axis-op', 'aria-checked'), 'true');
    await page.click('#axis-time');
    await page.waitForFunction(() => location.hash.includes('axis=time'));
    assert.equal(await page.getAttribute('#axis-time', 'aria-checked'), 'true');
    assert.notEqual(await at(), before);
    assert.ok((await labels()) > 20);
    // a click in the middle of the time between 30 ms and 1000 ms means the op at 30 ms
    const box = await page.locator('#plot-memory .u-over').boundingBox();
    await page.mouse.click(box.x + box.width * 0.75, box.y + box.height - 20);
    await page.waitForFunction(() => location.hash.includes('op=3'));
    await page.mouse.move(box.x + box.width * 0.5, box.y + 10);
    await page.mouse.wheel(0, -400);
    await page.waitForFunction(() => !document.getElementById('zoom-reset').hidden);
    await page.click('#zoom-reset');
    await page.click('#axis-op');
    await page.waitForFunction(() => !location.hash.includes('axis='));
    const url = new URL(page.url());
    await page.goto(`${url.origin === 'null' ? 'file://' : url.origin}${url.pathname}#op=3&axis=time`);
    await page.reload();
    await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
    assert.equal(await page.getAttribute('#axis-time', 'aria-checked'), 'true');
  }],
  ['beside: a hole that is clicked tells what bounds it, since when and by which op', async ({ dir, show }) => {
    const { page } = await show(besidePage(dir));
    await page.evaluate(() => (location.hash = '#op=3'));
    await page.waitForFunction(() => document.getElementById('map-answer').innerText.startsWith('After #3'));
    // the place of buffer 2: between that of op 0 and that of op 2
    const address = `0x${(BASE + BANK).toString(16)}`;
    await page.locator('#holes button', { hasText: address }).click();
    const said = await page.innerText('#hole-answer');
    assert.match(said, new RegExp(`Hole of 0\\.002 MB per bank at ${address} to 0x${(BASE + 2 * BANK).toString(16)}, after #3`));
    assert.match(said, /Below: 0\.002 MB per bank at 0x100040 since #0 ttnn\.matmul/);
    assert.match(said, /Above: 0\.002 MB per bank at 0x101040 since #2 ttnn\.reshape \(0\.0\d\d s\), to the end of the run/);
    // the map shows what is used; the whole pool on demand
    assert.match(await page.innerText('#map-whole'), /whole pool, 1,02\d\.\d MB more/);
    // by a click into the map: high above everything is the largest hole
    await page.locator('#plot-map').scrollIntoViewIfNeeded();
    const box = await page.locator('#plot-map .u-over').boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + 5);
    await page.waitForFunction(() => document.getElementById('hole-answer').innerText.includes('Above: the end of the pool'));
  }],
  ['beside: without times and a recording there is no host memory, and of a log no axis of time', async ({ dir, show, openReport }) => {
    const { page } = await show(besidePage(dir, { host: false }));
    assert.equal(await page.locator('#graph-host').count(), 1); // programs that are kept
    assert.match(await page.innerText('#graph-host'), /^Programs kept/);
    assert.equal(await page.locator('#axis-time').count(), 1);
    const other = await openReport('plain');
    assert.equal(await other.page.locator('#axis-time').count(), 0);
    await other.page.evaluate(() => (location.hash = '#axis=time'));
    await other.page.waitForFunction(() => document.getElementById('problem').innerText.includes('does not record when'));
  }],
  ['beside: fits 400 px, light and dark', async ({ dir, show }) => {
    for (const theme of ['light', 'dark']) {
      const { page } = await show(besidePage(dir), { width: 400, height: 800, theme });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 400, `${wide} px`);
      assert.ok((await page.locator('#graph-host .legend').boundingBox()).width <= 400);
    }
  }],
];
