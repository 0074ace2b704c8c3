// SPDX-License-Identifier: Apache-2.0
// The server over real sockets: node tests/serve/run.mjs. Prints one line per test and a count at the end.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, mkdirSync, openSync, ftruncateSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync, closeSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { launch } from '../web/browser.mjs';
import { BINARY, makeReport } from '../web/reports.mjs';

const dir = mkdtempSync(join(tmpdir(), 'ttmem-serve-'));
const reports = join(dir, 'reports');
mkdirSync(reports);
for (const kind of ['plain', 'oom']) cpSync(makeReport(dir, kind).dir, join(reports, kind), { recursive: true });
cpSync(join(reports, 'plain'), join(reports, 'pageless'), { recursive: true });
rmSync(join(reports, 'pageless', 'plain_report.html'));
cpSync(join(reports, 'pageless'), join(reports, 'linked'), { recursive: true });
for (const file of ['plain_operations.json', 'plain_run.ttmem']) {
  rmSync(join(reports, 'linked', file));
  symlinkSync(join(dir, 'report-plain', file), join(reports, 'linked', file));
}
symlinkSync('/etc/passwd', join(reports, 'oom', 'link_memory.json'));
symlinkSync('/etc', join(reports, 'outside'));
writeFileSync(join(dir, 'secret.json'), '{"secret": 1}');
const remember = (report, ...labels) => execFileSync(BINARY, ['history', 'add', join(reports, report), '--quiet', ...labels.flatMap(l => ['--label', l])], { env: { ...process.env, TTMEM_HOME: dir, TTMEM_STORE: '' } });
remember('plain', 'model=tr<b>nd', 'branch=main', 'commit=00112233');
remember('oom/oom_memory.json', 'model=tr<b>nd', 'branch=main', 'commit=00112244');
remember('plain', 'model=trend-of-plain', 'commit=abcdef0123456789', 'branch=side', 'batch=8');

/** Starts the server; resolves with {port, child, address} once it printed its address. */
function start(args = [reports, '--port', '0'], home = dir) {
  return new Promise((done, fail) => {
    const child = spawn(BINARY, ['serve', ...args], { env: { ...process.env, TTMEM_HOME: home, TTMEM_STORE: '' } });
    let out = '', err = '';
    child.stderr.on('data', d => (err += d));
    child.stdout.on('data', d => {
      out += d;
      const m = /^(http:\/\/(\S+):(\d+)\/\S*)\n/.exec(out);
      if (m) done({ child, address: m[1], port: Number(m[3]), messages: () => err });
    });
    child.on('exit', code => fail(Object.assign(new Error(`server ended with ${code}: ${err}`), { code })));
  });
}
const ended = child => new Promise(done => child.on('exit', (code, signal) => done(code ?? signal)));

function get(port, path, { method = 'GET', headers = {}, agent } = {}) {
  return new Promise((done, fail) => {
    const request = http.request({ host: '127.0.0.1', port, path, method, headers, agent }, response => {
      const parts = [];
      response.on('data', d => parts.push(d));
      response.on('end', () => done({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) }));
      response.on('error', fail);
    });
    request.on('error', fail);
    request.end();
  });
}

/** Sends bytes as they are; resolves with everything that came back until the other side closed or fell silent. */
function raw(port, bytes, { wait = 60000 } = {}) {
  return new Promise(done => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    let out = '';
    const end = () => { clearTimeout(timer); socket.destroy(); done(out); };
    const timer = setTimeout(end, wait);
    socket.on('data', d => (out += d.toString('latin1')));
    socket.on('end', end);
    socket.on('error', end);
  });
}

const server = await start();
const { port } = server;
const file = name => readFileSync(join(reports, name));
const status = text => Number(/^HTTP\/1\.[01] (\d+)/.exec(text)?.[1] ?? 0);
const memory = pid => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);

const tests = [
  ['the list has every report with its ops, its peak and its failure', async () => {
    const { status, headers, body } = await get(port, '/');
    assert.equal(status, 200);
    assert.match(headers['content-type'], /text\/html/);
    const html = body.toString();
    const summary = JSON.parse(file('plain/plain_summary.json'));
    assert.equal(html.match(/<tr data-name/g).length, 4);
    assert.ok(html.includes(`<td class="num">${summary.records.toLocaleString('en-US')}</td>`));
    assert.ok(html.includes(`${(summary.peaks.dram.allocated_bytes_per_bank / 1048576).toFixed(2)} / `));
    assert.equal(html.match(/out of DRAM, fragmented/g).length, 1);
  }],
  ['a report whose files are of different runs has no figures in the list', async () => {
    const home = join(dir, 'mixtures');
    cpSync(join(reports, 'plain'), join(home, 'mixed'), { recursive: true });
    cpSync(join(reports, 'oom', 'oom_memory.json'), join(home, 'mixed', 'plain_memory.json'));
    const other = await start([home, '--port', '0']);
    const html = (await get(other.port, '/')).body.toString();
    assert.match(html, /its files do not belong together/);
    const summary = JSON.parse(file('plain/plain_summary.json'));
    assert.ok(!html.includes(`<td class="num">${summary.records.toLocaleString('en-US')}</td>`));
    other.child.kill();
  }],
  ['a prediction that does not fit is not said to have failed', async () => {
    const home = join(dir, 'predictions'), example = join(import.meta.dirname, '../../examples/group_norm_ttnn.mlir');
    for (const [name, ...more] of [['large'], ['held', '--device', 'p150']]) {
      cpSync(example, join(dir, `${name}.mlir`));
      spawnSync(BINARY, ['predict', join(dir, `${name}.mlir`), ...more, '--output-dir', join(home, name)], { env: { ...process.env, TTMEM_HOME: dir } });
    }
    const other = await start([home, '--port', '0']);
    const html = (await get(other.port, '/')).body.toString();
    other.child.kill();
    const states = Object.fromEntries([...html.matchAll(/<tr data-name="(\w+) .*?data-state="([^"]*)".*?<td class="state[^>]*>(.*?)<\/td>/gs)].map(m => [m[1], [m[2], m[3]]]));
    assert.deepEqual(states.held, ['predicted', 'predicted']);
    assert.equal(states.large[0], 'predicted: does not fit');
    assert.match(states.large[1], /predicted: does not fit, out of DRAM/);
  }],
  ['a run after failed ones is no rise of the trends', async () => {
    const home = join(dir, 'other-home');
    mkdirSync(home);
    const env = { ...process.env, TTMEM_HOME: home, TTMEM_STORE: '' }, log = join(home, 'model.log');
    for (const [i, options] of [['--hidden', '1024'], ['--oom'], ['--oom'], ['--hidden', '1024'], ['--hidden', '1024']].entries()) {
      execFileSync(join(dirname(BINARY), 'genlog'), ['-o', log, '--ops', '40', '--hidden', '256', ...options], { stdio: 'ignore' });
      execFileSync(BINARY, ['history', 'add', log, '--quiet', '--label', 'model=m', '--label', `run=${i}`], { env });
    }
    const other = await start([reports, '--port', '0'], home);
    const data = JSON.parse(/id="data">(.*?)<\/script>/s.exec((await get(other.port, '/trends')).body.toString())[1]);
    other.child.kill();
    const [{ points, dram_rises }] = data.models;
    assert.equal(points.length, 5);
    assert.deepEqual(points.map(p => p.failures > 0), [false, true, true, false, false]);
    assert.ok(points[1].dram < points[3].dram / 2);
    assert.deepEqual(dram_rises, []);
  }],
  ['the list leads to the trends of the history', async () => {
    assert.match((await get(port, '/')).body.toString(), /href="\/trends"/);
    const { status, body } = await get(port, '/trends');
    assert.equal(status, 200);
    const data = JSON.parse(/id="data">(.*?)<\/script>/s.exec(body.toString())[1]);
    const summary = JSON.parse(file('plain/plain_summary.json'));
    assert.equal(data.problem, null);
    assert.deepEqual(data.models.map(m => m.name), ['trend-of-plain', 'tr<b>nd']);
    const [point] = data.models[0].points;
    assert.ok(Math.abs(point.dram - summary.peaks.dram.allocated_bytes_per_bank) < 1049);
    assert.equal(point.commit, 'abcdef0123456789');
    assert.equal(point.report, '/plain/plain_report.html');
    assert.equal(data.models[1].points[1].failures, 1);
    assert.ok(!body.includes('tr<b>nd'));
  }],
  ['the list has the commit, branch and labels that the history knows', async () => {
    const html = (await get(port, '/')).body.toString();
    const row = html.split('<tr ').find(r => r.startsWith('data-name="plain"'));
    assert.match(row, /title="abcdef0123456789">abcdef0123</);
    assert.match(row, />side, batch=8</);
    assert.ok(!html.split('<tr ').find(r => r.startsWith('data-name="oom"')).includes('batch=8'));
  }],
  ['trends: a run is chosen by click and by key, leads to its report and to what changed, and is in the address', async () => {
    const browser = await launch();
    try {
      for (const [width, theme] of [[1440, 'light'], [400, 'dark']]) {
        const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: theme });
        const page = await context.newPage(), problems = [];
        page.on('pageerror', e => problems.push(String(e)));
        page.on('console', m => { if (m.type() === 'error') problems.push(m.text()); });
        await page.goto(`http://127.0.0.1:${port}/trends`);
        assert.equal(await page.locator('html').getAttribute('data-theme'), theme);
        assert.equal(await page.locator('.model').count(), 2);
        assert.equal(await page.locator('.model .fail').count(), 1);
        assert.match(await page.locator('.model .commit').first().textContent(), /^abcdef01$/);
        const first = page.locator('.model svg').first();
        await first.focus();
        await page.keyboard.press('ArrowRight');
        await page.waitForFunction(() => /run=[0-9a-f]{15}/.test(location.hash));
        assert.equal(await page.locator('.model').first().locator('.run a').first().getAttribute('href'), '/plain/plain_report.html');
        await page.locator('.model svg').nth(1).click({ position: { x: (await page.locator('.model svg').nth(1).boundingBox()).width - 20, y: 60 } });
        const chosen = page.locator('.model').nth(1).locator('.run');
        await chosen.locator('.bad').waitFor();
        assert.match(await chosen.textContent(), /1 failure/);
        const change = await chosen.locator('a', { hasText: 'run before' }).getAttribute('href');
        assert.match(change, /^\/diff\?a=run:[0-9a-f]{15}&b=run:[0-9a-f]{15}$/);
        const address = page.url();
        await page.goto(address.replace('/trends', '/trends?again'));
        await page.locator('.model').nth(1).locator('.run .bad').waitFor();
        await page.selectOption('#branch', 'side');
        assert.equal(await page.locator('.model:visible').count(), 1);
        await page.goBack();
        await page.waitForFunction(() => [...document.querySelectorAll('.model')].filter(m => !m.hidden).length === 2);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
        const diff = await get(port, change);
        assert.equal(diff.status, 200);
        assert.match(diff.body.toString(), /id="headline"/);
        assert.deepEqual(problems, []);
        await context.close();
      }
    } finally {
      await browser.close();
    }
  }],
  ['a difference of what is not in the history is refused', async () => {
    for (const word of ['run:000000000000000', 'run:..', 'run:', 'run:branch:main'])
      assert.equal((await get(port, `/diff?a=plain&b=${encodeURIComponent(word)}`)).status, 404, word);
  }],
  ['files come as they are on disk, plain and packed', async () => {
    for (const name of ['plain/plain_report.html', 'plain/plain_memory.json', 'oom/oom_operations.json', 'oom/oom_ir.json', 'oom/oom_inputs_registry.json', 'plain/plain_summary.json']) {
      const plain = await get(port, `/${name}`);
      assert.equal(plain.status, 200, name);
      assert.equal(Number(plain.headers['content-length']), plain.body.length);
      assert.ok(plain.body.equals(file(name)), name);
      const packed = await get(port, `/${name}`, { headers: { 'Accept-Encoding': 'br, gzip;q=0.5' } });
      assert.equal(packed.headers['content-encoding'], 'gzip');
      assert.ok(gunzipSync(packed.body).equals(file(name)), name);
      assert.equal((await get(port, `/${name}`, { headers: { 'Accept-Encoding': 'gzip;q=0' } })).headers['content-encoding'], undefined);
    }
  }],
  ['a page is found by its file name alone and by its folder', async () => {
    for (const path of ['/oom_report.html', '/oom', '/oom/']) assert.ok((await get(port, path)).body.equals(file('oom/oom_report.html')), path);
  }],
  ['a page that is not there is made from the JSON files', async () => {
    const { status, body } = await get(port, '/pageless/plain_report.html');
    assert.equal(status, 200);
    assert.match(body.toString('latin1'), /id="ttmem-meta"/);
  }],
  ['HEAD has the headers of GET and no body', async () => {
    const head = await get(port, '/plain/plain_memory.json', { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal(Number(head.headers['content-length']), file('plain/plain_memory.json').length);
    assert.equal(head.body.length, 0);
    const answer = await raw(port, 'HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    assert.ok(answer.endsWith('\r\n\r\n'));
  }],
  ['an unchanged file is not sent again', async () => {
    for (const headers of [{}, { 'Accept-Encoding': 'gzip' }]) {
      const first = await get(port, '/plain/plain_memory.json', { headers });
      const again = await get(port, '/plain/plain_memory.json', { headers: { ...headers, 'If-None-Match': `"other", W/${first.headers.etag}` } });
      assert.equal(again.status, 304);
      assert.equal(again.body.length, 0);
      assert.equal((await get(port, '/plain/plain_memory.json', { headers: { ...headers, 'If-None-Match': '"other"' } })).status, 200);
    }
  }],
  ['no path leads out of the reports', async () => {
    const paths = ['/../secret.json', '/..%2fsecret.json', '/%2e%2e/secret.json', '/plain/../../secret.json', '/plain/..%2f..%2fsecret.json', '/plain%2f..%2f..%2fsecret.json',
      '//etc/passwd', '/etc/passwd', '/plain//etc/passwd', '/plain/..\\..\\secret.json', '/plain/plain_memory.json%00.html', '/%00', '/plain/plain_memory.json/', '/./plain/plain_memory.json',
      '/oom/link_memory.json', '/linked/plain_report.html', '/outside/passwd', '/outside', '/plain/plain_secret.json', '/PLAIN/plain_memory.json', '/plain/.', '/.', '/%', '/%zz', '/plain/plain_memory.json?x=../../y'];
    for (const path of paths) {
      const answer = await raw(port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      const known = path.includes('?');
      assert.equal(status(answer), known ? 200 : 404, `${path}: ${answer.slice(0, 60)}`);
      assert.ok(!answer.includes('root:') && !answer.includes('secret": 1'), path);
    }
  }],
  ['only its own names are answered', async () => {
    const hosts = { 'localhost': 200, 'LOCALHOST': 200, [`localhost:${port}`]: 200, [`127.0.0.1:${port}`]: 200, '127.0.0.1': 200, '[::1]': 200, [`[::1]:${port}`]: 200,
      'evil.example': 421, 'localhost.evil.example': 421, '127.0.0.1.evil.example': 421, '10.0.0.1': 421, 'localhost:': 421, 'localhost:80x': 421, '[::1': 421, '': 421, 'evil.example:8000': 421, '0.0.0.0': 421 };
    for (const [host, wanted] of Object.entries(hosts)) {
      const answer = await raw(port, `GET /plain/plain_summary.json HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      assert.equal(status(answer), wanted, `Host: ${host}`);
    }
    assert.notEqual(status(await raw(port, 'GET / HTTP/1.0\r\n\r\n')), 200);
    assert.notEqual(status(await raw(port, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n')), 200);
  }],
  ['only GET and HEAD are answered', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'FOO']) {
      const answer = await raw(port, `${method} / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc`);
      assert.equal(status(answer), 405, method);
      assert.match(answer, /Allow: GET, HEAD/);
    }
  }],
  ['odd requests do no harm', async () => {
    const odd = ['\r\n\r\n', 'GET\r\n\r\n', 'GET /\r\n\r\n', `GET /${'a'.repeat(70000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, `GET / HTTP/1.1\r\nHost: localhost\r\n${'X: y\r\n'.repeat(20000)}\r\n`,
      'GET / HTTP/9.9\r\nHost: localhost\r\n\r\n', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', '\0\0\0\0\r\n\r\n', 'GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n', 'GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\nabc', 'GET / HTTP/1.1\r\nHost: loc'];
    for (const bytes of odd) await raw(port, Buffer.from(bytes, 'latin1'), { wait: 300 });
    assert.equal((await get(port, '/')).status, 200);
    const ranged = await get(port, '/plain/plain_memory.json', { headers: { Range: 'bytes=5-1,99999999999-' } });
    assert.ok(ranged.status === 200 && ranged.body.equals(file('plain/plain_memory.json')));
    const twice = await raw(port, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    assert.equal(twice.match(/HTTP\/1\.1 (200|404)/g).length, 2);
  }],
  ['answers carry headers that keep other sites out', async () => {
    const { headers } = await get(port, '/plain/plain_memory.json');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
    assert.equal(headers['content-security-policy'], "default-src 'none'");
    assert.equal(headers['access-control-allow-origin'], undefined);
  }],
  ['a file of 400 MB is streamed, plain and packed, in little memory', async () => {
    mkdirSync(join(reports, 'large'));
    const fd = openSync(join(reports, 'large', 'large_memory.json'), 'w');
    ftruncateSync(fd, 400 << 20);
    closeSync(fd);
    const before = memory(server.child.pid);
    for (const headers of [{}, { 'Accept-Encoding': 'gzip' }]) {
      const bytes = await new Promise((done, fail) => http.get({ host: '127.0.0.1', port, path: '/large/large_memory.json', headers }, response => {
        let n = 0;
        response.on('data', d => (n += d.length));
        response.on('end', () => done(n));
        response.on('error', fail);
      }));
      assert.ok(headers['Accept-Encoding'] ? bytes < 4 << 20 : bytes === 400 << 20, String(bytes));
    }
    rmSync(join(reports, 'large'), { recursive: true });
    assert.ok(memory(server.child.pid) - before < 30000, `${memory(server.child.pid) - before} kB more`);
  }],
  ['1,000 requests over 16 connections: no error, no descriptor or memory left behind', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
    const paths = ['/', '/plain/plain_summary.json', '/oom_report.html', '/plain/plain_memory.json', '/nothing', '/oom/oom_ir.json'];
    const round = async () => {
      const answers = await Promise.all(Array.from({ length: 1000 }, (_, i) => get(port, paths[i % paths.length], { agent, headers: i % 2 ? { 'Accept-Encoding': 'gzip' } : {} })));
      answers.forEach((a, i) => assert.equal(a.status, paths[i % paths.length] === '/nothing' ? 404 : 200));
    };
    await round();
    const memoryBefore = memory(server.child.pid);
    await round();
    agent.destroy();
    // It closes what the other side left when it gets to it.
    const opened = () => readdirSync(`/proc/${server.child.pid}/fd`).length;
    for (let i = 0; i < 600 && opened() >= 40; i++) await new Promise(done => setTimeout(done, 100));
    assert.ok(opened() < 40);
    assert.ok(memory(server.child.pid) - memoryBefore < 8000, `${memory(server.child.pid) - memoryBefore} kB more`);
  }],
  ['the list is sorted and searched in the browser, nothing else is asked for', async () => {
    const browser = await launch();
    const page = await browser.newPage();
    const asked = [], problems = [];
    page.on('request', r => asked.push(new URL(r.url()).pathname));
    page.on('console', m => { if (m.type() === 'error') problems.push(m.text()); });
    await page.goto(`http://localhost:${port}/`);
    const names = () => page.locator('tbody tr:visible td:nth-child(2)').allInnerTexts();
    await page.click('th[data-key=name] button');
    assert.deepEqual(await names(), ['linked / plain', 'oom', 'pageless / plain', 'plain']);
    await page.click('th[data-key=name] button');
    assert.deepEqual(await names(), ['plain', 'pageless / plain', 'oom', 'linked / plain']);
    await page.fill('#search', 'fragmented');
    assert.deepEqual(await names(), ['oom']);
    assert.ok((await page.locator('tr:visible .bar i').evaluate(e => e.getBoundingClientRect().width)) > 0);
    await page.click('tbody tr:visible td:nth-child(2) a');
    await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
    assert.deepEqual(asked, ['/', '/oom/oom_report.html']);
    assert.equal(await page.locator('a.back').getAttribute('href'), '/');
    await page.goBack();
    assert.equal(await page.inputValue('#search'), 'fragmented', 'the search is in the address');
    assert.deepEqual(await names(), ['oom']);
    assert.deepEqual(problems, []);
    await browser.close();
  }],
  ['without a folder the list has what ttmem run made elsewhere', async () => {
    const home = join(dir, 'home'), env = { ...process.env, TTMEM_HOME: home, TTMEM_STORE: '' };
    execFileSync(BINARY, ['run', '--quiet', '--quiet-child', '--name', 'ran', '--output-dir', join(dir, 'elsewhere'), '--', 'cat', 'examples/transformer_profile.log'], { env, stdio: 'ignore' });
    const child = spawn(BINARY, ['serve', '--port', '0'], { env });
    let said = '';
    child.stderr.on('data', d => (said += d));
    const address = await new Promise(done => child.stdout.on('data', d => done(String(d).trim())));
    const { body } = await get(Number(new URL(address).port), '/');
    assert.match(said, /1 report: 0 in \S*home\/reports, 1 of the last runs of ttmem run;/);
    assert.match(body.toString(), /home\/reports and the last runs of ttmem run/);
    assert.match(body.toString(), /data-name="ran_\d+_\d+ \/ ran"/);
    assert.match(body.toString(), /<td>Wormhole<\/td>/);
    child.kill('SIGTERM');
    await ended(child);
  }],
  ['two reports that are ticked are compared', async () => {
    const browser = await launch();
    const page = await browser.newPage();
    await page.goto(`http://localhost:${port}/#sort=name`);
    assert.ok(await page.locator('#compare').isHidden());
    for (const name of ['oom', 'plain']) await page.check(`tr[data-name="${name}"] input`);
    assert.equal(await page.innerText('#compare'), 'compare oom with plain');
    await page.click('#compare');
    await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
    assert.equal(await page.innerText('#name-a'), 'oom');
    assert.equal(await page.innerText('#name-b'), 'plain');
    await browser.close();
    assert.equal((await get(port, '/diff?a=oom&b=../oom')).status, 404);
    cpSync(join(reports, 'plain'), join(reports, 'linked'), { recursive: true });
    rmSync(join(reports, 'linked', 'plain_ir.json'));
    symlinkSync(join(reports, 'plain', 'plain_ir.json'), join(reports, 'linked', 'plain_ir.json'));
    const linked = await get(port, '/diff?a=plain&b=linked');
    assert.equal(linked.status, 404);
    assert.match(linked.body.toString(), /links, which are not followed/);
    rmSync(join(reports, 'linked'), { recursive: true });
    const nothing = await get(port, '/diff');
    assert.equal(nothing.status, 404);
    assert.match(nothing.body.toString(), /\/diff\?a=NAME&b=NAME/);
  }],
  ['one report alone is served under its name', async () => {
    const one = await start(['oom', '--port', '0']);
    assert.match(one.address, /oom_report\.html$/);
    assert.equal((await get(one.port, '/oom_report.html')).status, 200);
    assert.equal((await get(one.port, '/plain_report.html')).status, 404);
    one.child.kill('SIGINT');
    assert.equal(await ended(one.child), 130);
  }],
  ['the next free port is taken; a port that is asked for must be free', async () => {
    const first = await start([reports]), second = await start([reports]);
    assert.ok(first.port >= 8000 && second.port > first.port && second.port < 8100);
    const clash = await start([reports, '--port', String(first.port)]).then(() => null, e => e);
    assert.equal(clash?.code, 3);
    for (const s of [first, second]) { s.child.kill('SIGTERM'); await ended(s.child); }
  }],
  ['another address widens the audience, and says so', async () => {
    const wide = await start([reports, '--port', '0', '--bind', '0.0.0.0']);
    assert.match(wide.messages(), /everyone who can reach this machine/);
    assert.equal(status(await raw(wide.port, 'GET / HTTP/1.1\r\nHost: 10.1.2.3\r\nConnection: close\r\n\r\n')), 200);
    assert.equal(status(await raw(wide.port, 'GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n')), 421);
    // 127.0.0.2 is this machine too, but not the address that is listened on unless another is asked for
    const reaches = port => new Promise(done => net.connect(port, '127.0.0.2', function () { this.destroy(); done(true); }).on('error', () => done(false)));
    assert.equal(await reaches(wide.port), true);
    const narrow = await start([reports, '--port', '0']);
    assert.equal(await reaches(narrow.port), false);
    narrow.child.kill('SIGINT');
    await ended(narrow.child);
    wide.child.kill('SIGINT');
    await ended(wide.child);
    for (const bad of [['--bind', 'example.org'], ['--port', '70000'], ['--port', 'x']]) assert.equal((await start([reports, ...bad]).then(() => null, e => e))?.code, 2);
    assert.equal((await start(['nosuch']).then(() => null, e => e))?.code, 3);
  }],
  ['--live sends samples of the devices, and ends while somebody watches', async () => {
    const shm = join(dir, 'shm');
    mkdirSync(shm, { recursive: true });
    process.env.TTMEM_SHM_DIR = shm;
    const writer = join(dirname(BINARY), 'segment_writer');
    execFileSync(writer, [shm, '18446744073709551615', '2', `${process.pid}:a<b>node:1073741824:2048:0:0:0`, '999999:gone:4096:0:0:0:0:900']);
    const live = await start([reports, '--port', '0', '--live', '--device', 'n150']);
    assert.match(live.address, /\/live$/);
    const first = await new Promise((done, fail) => {
      let text = '';
      http.get({ host: '127.0.0.1', port: live.port, path: '/live/events' }, response => {
        assert.match(response.headers['content-type'], /text\/event-stream/);
        response.on('data', d => { text += d; if (text.split('\n\n').length > 2) done(text); });
        response.on('error', () => {});
      }).on('error', fail);
    });
    const sample = JSON.parse(first.split('\n\n')[0].replace(/^data: /, ''));
    assert.equal(sample.devices[0].chip, '18446744073709551615');
    assert.equal(sample.devices[0].memory.dram_bytes, 1073741824);
    assert.equal(sample.devices[0].segment.dram_bytes, 1073741824 + 4096);
    assert.equal((await get(live.port, '/live/other')).status, 404);
    assert.equal((await get(live.port, '/live/events', { headers: { Host: 'evil.example' } })).status, 421);
    const browser = await launch();
    const page = await browser.newPage();
    const problems = [];
    page.on('console', m => { if (m.type() === 'error') problems.push(m.text()); });
    await page.goto(live.address);
    await page.waitForSelector('section[data-chip="18446744073709551615"] table tr:nth-child(3)');
    const text = await page.innerText('section');
    for (const part of ['device 2', '1.00 GB of 11.99 GB, 8 %', 'a<b>node', 'dead: not in the sum']) assert.ok(text.includes(part), `${part} in ${text}`);
    assert.match(await page.innerText('#bounds'), /lower bounds with tt-metal from 2026-05-27 on/);
    execFileSync(writer, [shm, '18446744073709551615', '2'], { env: { ...process.env, SEGMENT_VERSION: '2' } });
    await page.waitForFunction(() => document.querySelector('#bounds').hidden);
    await page.screenshot();
    rmSync(join(shm, 'tt_device_18446744073709551615_memory'));
    await page.waitForFunction(() => !document.querySelector('section'));
    assert.match(await page.innerText('#state'), /no device is open/);
    assert.deepEqual(problems, []);
    live.child.kill('SIGTERM');
    assert.equal(await ended(live.child), 143);
    await browser.close();
    assert.equal((await get(port, '/live')).status, 404);
    // to other machines numbers only: no page, no command lines
    const wide = await start([reports, '--port', '0', '--live', '--bind', '0.0.0.0']);
    assert.match(wide.address, /\/metrics$/);
    assert.match((await get(wide.port, '/metrics')).body.toString(), /^ttmem_build_info/m);
    for (const path of ['/live', '/live/events']) assert.equal((await get(wide.port, path)).status, 404);
    wide.child.kill('SIGTERM');
    assert.equal(await ended(wide.child), 143);
  }],
  ['Ctrl+C ends it', async () => {
    server.child.kill('SIGINT');
    assert.equal(await ended(server.child), 130);
  }],
];

let passed = 0, failed = 0;
for (const [name, test] of tests) {
  try {
    await test();
    passed++;
    console.log(`ok      ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}\n        ${String(error.stack ?? error).split('\n').slice(0, 6).join('\n        ')}`);
  }
}
server.child.kill('SIGKILL');
rmSync(dir, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
