# SPDX-License-Identifier: Apache-2.0
"""Numbers that are written into segments of shared memory come back from Prometheus: scraped from ttmem serve --live, through the node
exporter's textfile collector, and pushed through the Pushgateway. python3 tests/metrics/metrics.py BUILD [-v]"""
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(sys.argv.pop(1))
TTMEM, WRITER = (os.path.join(BUILD, name) for name in ('ttmem', 'segment_writer'))
GB = 1 << 30
SERIAL = 18446744073709551557  # beyond what a double holds: a label, not a value
WAIT = 60


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def get(url, headers=None):
    request = urllib.request.Request(url, headers=headers or {})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.headers, answer.read().decode()


def until(what, ask):
    """What `ask` gives once it is true; the machine may be busy, so a condition is waited for."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        try:
            found = ask()
            if found:
                return found
        except (OSError, urllib.error.URLError):
            pass
        time.sleep(0.1)
    raise AssertionError(f'{what}: not within {WAIT} s')


class Machine:
    """Segments of two chips, one process that lives and one that died."""

    def __init__(self):
        self.work = tempfile.mkdtemp(prefix='ttmem-metrics-')
        self.shm = os.path.join(self.work, 'shm')
        self.text = os.path.join(self.work, 'textfile')
        self.children = []
        for folder in (self.shm, self.text):
            os.mkdir(folder)
        self.env = dict(os.environ, TTMEM_SHM_DIR=self.shm, HOME=self.work, TTMEM_HOME=os.path.join(self.work, '.ttmem'), TTMEM_STORE='')
        # the name is hostile: quotes, backslash; segment_writer keeps what stands between colons
        self.alive = self.hold(str(SERIAL), '0', f'self:py"t\\hon:{8 * GB}:2097152:64:128:65536', f'999999:gone:{GB}:0:0:0:0:900')
        self.hold('12', '1', f'self:other:{3 * GB + 1}:0:0:0:0')

    def hold(self, *words):
        child = subprocess.Popen([WRITER, '--hold', self.shm, *words], stdout=subprocess.PIPE, text=True)
        self.children.append(child)
        return int(child.stdout.readline())

    def start(self, *words, **more):
        child = subprocess.Popen(words, env=self.env, cwd=self.work, **more)
        self.children.append(child)
        return child

    def ttmem(self, *words, status=0):
        done = subprocess.run([TTMEM, *words], env=self.env, cwd=self.work, capture_output=True, text=True)
        assert done.returncode == status, (words, done.returncode, done.stderr)
        return done.stdout

    def close(self):
        for child in self.children:
            child.kill()
            child.wait()
            if child.stdout:
                child.stdout.close()
        shutil.rmtree(self.work)


def samples(text):
    """name{labels} -> value of a document."""
    found = {}
    for line in text.splitlines():
        if not line.startswith('#'):
            series, value = line.rsplit(' ', 1)
            assert series not in found, series
            found[series] = value
    return found


def promtool(*words, text=None):
    return subprocess.run(['promtool', *words], input=text, capture_output=True, text=True)


class Metrics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.machine = m = Machine()
        m.ttmem('top', '--once', '--prometheus', '--device', 'n150', '-o', os.path.join(m.text, 'ttmem.prom'))
        serve = m.start(TTMEM, 'serve', '--live', '--device', 'n150', '--port', '0', '--quiet', stdout=subprocess.PIPE, text=True)
        cls.serve = int(re.search(r':(\d+)/live', serve.stdout.readline()).group(1))
        cls.node, cls.push, cls.prometheus = free_port(), free_port(), free_port()
        m.start('prometheus-node-exporter', f'--web.listen-address=127.0.0.1:{cls.node}', '--collector.disable-defaults',
                '--collector.textfile', f'--collector.textfile.directory={m.text}', stderr=subprocess.DEVNULL)
        m.start('prometheus-pushgateway', f'--web.listen-address=127.0.0.1:{cls.push}', stderr=subprocess.DEVNULL)
        with open(os.path.join(m.work, 'prometheus.yml'), 'w') as config:
            config.write('global: {scrape_interval: 1s}\nrule_files: [' + os.path.join(TOP, 'examples/prometheus/ttmem.rules.yml') + ']\nscrape_configs:\n')
            for name, port in (('ttmem', cls.serve), ('node', cls.node), ('push', cls.push)):
                config.write(f'  - {{job_name: {name}, honor_labels: true, static_configs: [{{targets: ["127.0.0.1:{port}"]}}]}}\n')
        m.start('prometheus', '--config.file=prometheus.yml', f'--storage.tsdb.path={m.work}/data', f'--web.listen-address=127.0.0.1:{cls.prometheus}',
                stderr=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.machine.close()

    def query(self, expression):
        url = f'http://127.0.0.1:{self.prometheus}/api/v1/query?' + urllib.parse.urlencode({'query': expression})
        answer = json.loads(get(url)[1])
        self.assertEqual(answer['status'], 'success', answer)
        return [(one['metric'], one['value'][1]) for one in answer['data']['result']]

    def series(self, expression, count=1):
        return until(expression, lambda: (lambda got: got if len(got) == count else None)(self.query(expression)))

    def check_numbers(self, job):
        pools = {'dram': 8 * GB, 'l1': 2097152, 'l1_small': 64, 'trace': 128, 'cb': 65536}
        got = self.series(f'tt_memory_allocated_bytes{{job="{job}",asic="{SERIAL}"}}', 5)
        self.assertEqual({labels['pool']: int(value) for labels, value in got}, pools)
        self.assertEqual({labels['chip'] for labels, _ in got}, {'0'})
        [(labels, value)] = self.series(f'tt_memory_allocated_bytes{{job="{job}",asic="12",pool="dram"}}')
        self.assertEqual(int(value), 3 * GB + 1)
        [(labels, value)] = self.series(f'tt_memory_process_allocated_bytes{{job="{job}",asic="{SERIAL}",pool="dram"}}')
        self.assertEqual((labels['process'], labels['pid'], int(value)), ('py"t\\hon', str(self.machine.alive), 8 * GB))
        # 12 banks of 1 GiB, less what the allocator keeps: as ttmem top --device n150 shows it
        top = json.loads(self.machine.ttmem('top', '--once', '--json', '--device', 'n150'))
        [(labels, value)] = self.series(f'tt_memory_capacity_bytes{{job="{job}",asic="12",pool="dram"}}')
        self.assertEqual(int(value), top['devices'][0]['capacity']['dram_bytes'])
        self.assertEqual({labels['chip']: value for labels, value in self.series(f'tt_memory_stale_processes{{job="{job}"}}', 2)}, {'0': '1', '1': '0'})
        for _, value in self.series(f'tt_memory_last_update_timestamp_seconds{{job="{job}"}}', 2):
            self.assertLess(abs(float(value) - time.time()), 300)
        resident = self.series(f'tt_host_memory_resident_bytes{{job="{job}",pid="{self.machine.alive}"}}')
        with open(f'/proc/{self.machine.alive}/statm') as statm:
            pages = int(statm.read().split()[1])
        self.assertLess(abs(int(resident[0][1]) - pages * os.sysconf('SC_PAGE_SIZE')), 1 << 20)

    def test_scraped_from_the_server(self):
        self.check_numbers('ttmem')
        self.assertEqual(self.series('up{job="ttmem"}')[0][1], '1')

    def test_through_the_node_exporter(self):
        self.check_numbers('node')
        self.assertEqual(self.series('node_textfile_scrape_error')[0][1], '0')

    def test_both_text_formats(self):
        url = f'http://127.0.0.1:{self.serve}/metrics'
        headers, plain = get(url)
        self.assertEqual(headers['Content-Type'], 'text/plain; version=0.0.4; charset=utf-8')
        self.assertNotIn('# EOF', plain)
        self.assertNotIn('# UNIT', plain)
        self.assertIn('# TYPE ttmem_scrape_errors_total counter', plain)
        headers, new = get(url, {'Accept': 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5'})
        self.assertEqual(headers['Content-Type'], 'application/openmetrics-text; version=1.0.0; charset=utf-8')
        self.assertTrue(new.endswith('\n# EOF\n'))
        self.assertIn('# UNIT tt_memory_allocated_bytes bytes', new)
        self.assertIn('# TYPE ttmem_scrape_errors counter', new)
        self.assertIn('lower bound', new)
        self.assertEqual(set(samples(plain)), set(samples(new)))
        headers, _ = get(url, {'Accept': 'application/openmetrics-text;q=0, */*'})
        self.assertIn('text/plain', headers['Content-Type'])
        for text in (plain, new):  # each family once, its samples together
            names = [line.split('{')[0].split(' ')[0] for line in text.splitlines() if not line.startswith('#')]
            runs = [name for i, name in enumerate(names) if not i or names[i - 1] != name]
            self.assertEqual(len(runs), len(set(runs)))

    def test_promtool_has_nothing_to_say(self):
        with open(os.path.join(self.machine.text, 'ttmem.prom')) as file:
            done = promtool('check', 'metrics', text=file.read())
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, '', ''))

    def test_without_process_labels(self):
        text = self.machine.ttmem('top', '--prometheus', '--no-process-labels')
        self.assertNotIn('pid=', text)
        self.assertIn('tt_host_memory_resident_bytes ', text)
        self.assertEqual(promtool('check', 'metrics', text=text).returncode, 0)

    def test_lies_and_files_that_are_none_do_not_spoil_the_rest(self):
        machine = self.machine
        subprocess.run([WRITER, '--lie', machine.shm, '41'], check=True)
        open(os.path.join(machine.shm, 'tt_device_42_memory'), 'w').close()
        try:
            text = machine.ttmem('top', '--prometheus')
        finally:
            for chip in (41, 42):
                os.unlink(os.path.join(machine.shm, f'tt_device_{chip}_memory'))
        found = samples(text)  # no series twice
        self.assertEqual(found['ttmem_scrape_errors_total{reason="short"}'], '1')
        done = promtool('check', 'metrics', text=text)
        self.assertEqual((done.returncode, done.stderr), (0, ''))

    def test_no_device(self):
        empty = os.path.join(self.machine.work, 'empty')
        os.makedirs(empty, exist_ok=True)
        text = self.machine.ttmem('top', '--once', '--prometheus', '--shm', empty)
        self.assertRegex(text, r'\nttmem_build_info\{version="[0-9.]+"\} 1\n$')
        self.assertNotIn('tt_memory', text)

    def test_rules(self):
        rules = os.path.join(TOP, 'examples/prometheus/ttmem.rules.yml')
        done = promtool('check', 'rules', rules)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn('3 rules found', done.stdout)
        with open(os.path.join(TOP, 'tests/metrics/rules.test.yml')) as file:
            text = file.read().replace('RULES', rules)
        path = os.path.join(self.machine.work, 'rules.test.yml')
        with open(path, 'w') as file:
            file.write(text)
        done = promtool('test', 'rules', path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = promtool('check', 'config', os.path.join(TOP, 'examples/prometheus/prometheus.yml'))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_panel_of_the_dashboard_shows_something(self):
        with open(os.path.join(TOP, 'examples/prometheus/grafana-dashboard.json')) as file:
            board = json.load(file)
        self.assertEqual(len(board['panels']), 4)
        for panel in board['panels']:
            for target in panel['targets']:
                expression = target['expr'].replace('$instance', '.*')
                until(target['expr'], lambda: self.query(expression))

    def test_other_addresses_get_numbers_only(self):
        serve = self.machine.start(TTMEM, 'serve', '--live', '--bind', '0.0.0.0', '--port', '0', '--quiet', stdout=subprocess.PIPE, text=True)
        port = int(re.search(r':(\d+)/metrics', serve.stdout.readline()).group(1))
        self.assertIn('tt_memory_allocated_bytes', get(f'http://127.0.0.1:{port}/metrics', {'Host': f'10.1.2.3:{port}'})[1])
        for path, host, status in (('/live', '127.0.0.1', 404), ('/live/events', '127.0.0.1', 404), ('/metrics', 'evil.example', 421)):
            with self.assertRaises(urllib.error.HTTPError) as told:
                get(f'http://127.0.0.1:{port}{path}', {'Host': host})
            self.assertEqual(told.exception.code, status)
            told.exception.close()

    def test_measures_of_a_run_are_pushed(self):
        machine = self.machine
        log = os.path.join(TOP, 'examples/transformer_profile.log')
        for branch, commit in (('main', 'aaaa1111'), ('main', 'bbbb2222'), ('side', 'cccc3333')):
            machine.ttmem('history', 'add', log, '--quiet', '--label', 'model=net', '--label', f'branch={branch}', '--label', f'commit={commit}')
        text = machine.ttmem('history', 'export', '--format', 'prometheus')
        done = promtool('check', 'metrics', text=text)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, '', ''))
        request = urllib.request.Request(f'http://127.0.0.1:{self.push}/metrics/job/ttmem-ci', data=text.encode(), method='PUT')
        until('push', lambda: urllib.request.urlopen(request, timeout=20).status == 200)
        check = json.loads(machine.ttmem('summary', log, '--json'))
        peak = check['peaks']['dram']['allocated_bytes_per_bank']
        got = self.series('ttmem_run_dram_peak_bytes_per_bank{model="net"}', 2)
        self.assertEqual({(labels['branch'], labels['commit']): int(value) for labels, value in got}, {('main', 'bbbb2222'): peak, ('side', 'cccc3333'): peak})


if __name__ == '__main__':
    unittest.main()
