# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin: python3 tests/pytest/test_plugin.py BUILD [-v]. Each test writes a file of tests whose children print generated logs, runs
pytest on it, and looks at its report."""
import doctest
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as tree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "python"))
OOM = (
    "TT_FATAL: Out of Memory: Not enough space to allocate 58720256 B DRAM buffer across 12 banks, where each bank needs to store 4894720 B, "
    "but bank size is 1071821792 B (allocated: 888424448 B, free: 183397344 B, largest free block: 3382944 B)"
)


class PluginTest(unittest.TestCase):
    def setUp(self):
        self.work = Path(tempfile.mkdtemp(prefix="plugin-"))
        self.addCleanup(shutil.rmtree, self.work)
        for name, more in (("small", []), ("large", ["--hidden", "2048", "--batch", "4"])):
            subprocess.run([BUILD / "genlog", "-o", self.work / (name + ".log"), "--ops", "40", *more], check=True, stderr=subprocess.DEVNULL)

    def pytest(self, text, *options, status=0, plugin=True):
        head = "import os, subprocess, sys, pytest\ndef prints(name):\n    subprocess.run(['cat', name + '.log'], check=True)\n"
        (self.work / "test_it.py").write_text(head + text)
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "TTMEM_PROGRAM": str(BUILD / "ttmem"), "PYTHONDONTWRITEBYTECODE": "1"}
        for name in ("TTMLIR_RUNTIME_LOGGER_FILE", "TTXLA_LOGGER_FILE", "PYTEST_ADDOPTS"):
            environment.pop(name, None)
        words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--color=no", "-rN", *(["-p", "ttmem.pytest_plugin"] if plugin else []), *options]
        done = subprocess.run(words, cwd=self.work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, status, done.stdout[-3000:])
        return done.stdout

    def peak(self, name, pool="DRAM"):
        """As ttmem's own summary has it: the plugin reads the same, so that this is a test of the way there."""
        import json

        out = subprocess.run([BUILD / "ttmem", "summary", self.work / (name + ".log"), "--json"], check=True, stdout=subprocess.PIPE).stdout
        return json.loads(out)["peaks"][pool.lower()]

    def test_without_the_option_nothing_happens(self):
        out = self.pytest("@pytest.mark.limit_device_memory('0%')\n@pytest.mark.limit_host_memory('1 B')\ndef test_a(): prints('large')\n", "--strict-markers")
        self.assertNotIn("ttmem", out)
        self.assertFalse((self.work / "ttmem-logs").exists())

    def test_a_log_for_each_test_and_the_highest_at_the_end(self):
        out = self.pytest("def test_small(): prints('small')\ndef test_large(): prints('large')\ndef test_none(): print('hello')\n", "--ttmem", "--ttmem-dir", "kept")
        logs = {path.name.split("__")[1].split(".")[0]: path.read_bytes() for path in (self.work / "kept").iterdir()}
        self.assertEqual(set(logs), {"test_small", "test_large", "test_none"})
        for name in ("small", "large"):
            self.assertEqual(logs["test_" + name], (self.work / (name + ".log")).read_bytes())
        rows = re.findall(r"^ *([0-9.]+) MB +([0-9.]+) % .*(test_\w+)$", out, re.M)
        self.assertEqual([row[2] for row in rows], ["test_large", "test_small"])
        for megabytes, percent, name in rows:
            peak = self.peak(name[5:])
            self.assertEqual(megabytes, "%.1f" % (peak["allocated_bytes_per_bank"] / 2**20))
            self.assertEqual(percent, "%.1f" % (100 * peak["allocated_bytes_per_bank"] / peak["capacity_bytes_per_bank"]))

    def test_at_most_ten_are_shown(self):
        out = self.pytest("@pytest.mark.parametrize('n', range(12))\ndef test_many(n): prints('small')\n", "--ttmem")
        self.assertEqual(len(re.findall(r"%.*test_many\[", out)), 10)
        self.assertIn("... and 2 more", out)

    def test_what_is_captured_stays_captured(self):
        out = self.pytest("def test_fails():\n    os.write(1, b'to one\\n')\n    os.write(2, b'to two\\n')\n    print('by python')\n    assert 0\n", "--ttmem", status=1)
        for text in ("to one", "to two", "by python"):
            self.assertIn(text, out)
        out = self.pytest("def test_passes(): prints('small')\n", "--ttmem")
        self.assertNotIn("Executing operation", out)
        out = self.pytest("def test_passes(): os.write(1, b'seen\\n')\n", "--ttmem", "-s")
        self.assertIn("seen", out)

    def test_device_limit(self):
        share = 100 * self.peak("large")["allocated_bytes_per_bank"] / self.peak("large")["capacity_bytes_per_bank"]
        marks = "@pytest.mark.limit_device_memory('%s', pool='%s')\n"
        body = "def test_%d(): prints('large')\n"
        text = ""
        for i, (limit, pool) in enumerate([("%f%%" % (share + 0.1), "dram"), ("%f%%" % (share - 0.1), "dram"), ("1 KB", "l1"), ("1 KB", "dram"), ("lots", "dram"), ("1%", "dirt")]):
            text += marks % (limit, pool) + body % i
        out = self.pytest(text + "@pytest.mark.limit_device_memory('10%')\ndef test_silent(): pass\n", "--ttmem", status=1)
        self.assertIn("passed", out)
        self.assertRegex(out, r"the peak of dram is [0-9.]+ MB per bank, [0-9.]+ % of a bank after #\d+ ttnn\.\w+; the limit is")
        self.assertIn("'lots' is not an amount", out)
        self.assertIn("pool is one of dram, l1", out)
        self.assertIn("no memory blocks of dram", out)
        self.assertNotIn("INTERNALERROR", out)
        l1 = self.peak("large", "L1")["allocated_bytes_per_bank"]
        failed = set(re.findall(r"^_+ (test_\w+) _+$", out, re.M))
        self.assertEqual(failed, {"test_1", "test_3", "test_4", "test_5", "test_silent"} | ({"test_2"} if l1 > 1024 else set()))

    def test_a_bound_does_not_keep_a_limit(self):
        subprocess.run([BUILD / "genlog", "-o", self.work / "rough.log", "--ops", "40", "--level", "program"], check=True, stderr=subprocess.DEVNULL)
        out = self.pytest("@pytest.mark.limit_device_memory('99%')\ndef test_a(): prints('rough')\n", "--ttmem", status=1)
        self.assertIn("may have been higher", out)
        self.assertRegex(out, r">=[0-9.]+ MB")

    def test_what_ran_out_of_memory_keeps_no_limit(self):
        """It never had what it asked for: its peak is below the limit because it failed. The test itself passes."""
        subprocess.run([BUILD / "genlog", "-o", self.work / "oom.log", "--ops", "40", "--oom"], check=True, stderr=subprocess.DEVNULL)
        out = self.pytest("@pytest.mark.limit_device_memory('99%')\ndef test_a(): prints('oom')\n", "--ttmem", status=1)
        self.assertRegex(out, r"it ran out of memory \(dram-\w+\), so that it needs more than the [0-9.]+ .B per bank of dram that were allocated")

    def test_failures_are_explained_whatever_of_the_output_is_shown(self):
        subprocess.run([BUILD / "genlog", "-o", self.work / "oom.log", "--ops", "40", "--oom"], check=True, stderr=subprocess.DEVNULL)
        text = ("def test_raises():\n    prints('oom')\n    raise RuntimeError('no')\n"
                "@pytest.mark.limit_device_memory('1 KB')\ndef test_limit(): prints('oom')\n")
        for option in ("--show-capture=no", "--show-capture=log", "--show-capture=all"):
            out = self.pytest(text, "--ttmem", option, status=1)
            self.assertEqual(len(re.findall(r"^-+ ttmem explain -+$", out, re.M)), 2, option)
            self.assertEqual(len(re.findall(r"^Out of DRAM", out, re.M)), 2, option)
            self.assertEqual("Captured stdout" in out, option.endswith("all"))

    def test_l1_of_a_log_is_without_circular_buffers(self):
        """It is judged, and everything that shows it says what it leaves out."""
        out = self.pytest("@pytest.mark.limit_device_memory('99%', pool='l1')\ndef test_a(): prints('large')\n"
                          "@pytest.mark.limit_device_memory('0%', pool='l1')\ndef test_b(): prints('large')\n", "--ttmem", "--junitxml=out.xml", status=1)
        self.assertIn("1 failed, 1 passed", out)
        self.assertRegex(out, r"the peak of l1 is .*; the limit is 0%; L1 leaves out circular buffers")
        self.assertRegex(out, r"% +>=[0-9.]+ K?B .*test_a")
        self.assertIn("\n>=: L1 leaves out circular buffers and what an op allocates inside\n", out)
        for case in tree.parse(self.work / "out.xml").iter("testcase"):
            properties = {one.get("name"): one.get("value") for one in case.iter("property")}
            self.assertEqual(properties["ttmem.l1.peak_bytes_per_bank.caveat"], "L1 leaves out circular buffers and what an op allocates inside")
            self.assertNotIn("ttmem.dram.peak_bytes_per_bank.caveat", properties)

    def test_host_limit(self):
        text = (
            "def child(): subprocess.run([sys.executable, '-c', 'b = bytearray(300 << 20)'], check=True)\n"
            "@pytest.mark.limit_host_memory('150 MB')\ndef test_over(): child()\n"
            "@pytest.mark.limit_host_memory('10 GB')\ndef test_under(): child()\n"
            "@pytest.mark.limit_host_memory('150 MB')\ndef test_own():\n    b = bytearray(300 << 20)\n"
            "@pytest.mark.limit_host_memory('150 MB')\ndef test_after(): pass\n"
        )
        out = self.pytest(text, "--ttmem", status=1)
        self.assertEqual(set(re.findall(r"^_+ (test_\w+) _+$", out, re.M)), {"test_over", "test_own"})
        self.assertRegex(out, r"a process of the test had 3\d\d\.\d MB of resident memory on the host; the limit is 150 MB")

    def test_leaks(self):
        """Two logs whose ends differ by a known amount."""
        ends = {}
        for name in ("small", "large"):
            out = subprocess.run([BUILD / "ttmem", "export", self.work / (name + ".log"), "--format", "csv", "--table", "blocks"], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
            column = out[0].split(",").index("dram_allocated_bytes_per_bank")
            ends[name] = int(out[-1].split(",")[column])
        grown = ends["large"] - ends["small"]
        self.assertGreater(grown, 0)
        text = (
            "calls = []\n"
            "def grows():\n    calls.append(1)\n    prints('small' if len(calls) % 2 else 'large')\n"
            f"@pytest.mark.limit_device_leaks('{grown - 1} B', warmups=1)\ndef test_over(): grows()\n"
            f"@pytest.mark.limit_device_leaks('{grown} B', warmups=1)\ndef test_at(): grows()\n"
            "@pytest.mark.limit_device_leaks('0 B', warmups=2)\ndef test_same(): prints('large')\n"
            "@pytest.mark.limit_device_leaks('0 B')\ndef test_nothing(): pass\n"
        )
        out = self.pytest(text, "--ttmem", status=1)
        self.assertEqual(set(re.findall(r"^_+ (test_\w+) _+$", out, re.M)), {"test_over", "test_nothing"})
        self.assertIn("of DRAM per bank stay allocated after the test that were not before it", out)

    def test_leaks_of_every_rank_count(self):
        """mpirun tags a rank "1,0"; the rank that leaks is the one with less memory."""

        def block(rank, megabytes):
            view = "MemoryView{numBanks: %d, totalBytesPerBank: %.3f MB, totalBytesAllocatedPerBank: %.3f MB, totalBytesFreePerBank: %.3f MB, largestContiguousBytesFreePerBank: %.3f MB}"
            pools = (("DRAM", 12, 1024, megabytes), ("L1", 64, 1.25, 0), ("L1_SMALL", 64, 0.0625, 0), ("TRACE", 12, 0, 0))
            return "".join("%s Always |     INFO | Device %s memory state: %s\n" % (rank, name, view % (banks, there, used, there - used, there - used)) for name, banks, there, used in pools)

        for name, tags in (("one", ["[1,1]<stdout>:"]), ("two", ["[1,0]<stdout>:", "[1,1]<stdout>:"])):
            held = {"[1,0]<stdout>:": [100] * 5, "[1,1]<stdout>:": [10, 20, 30, 40, 50]}
            (self.work / (name + ".log")).write_text("".join(block(tag, held[tag][i]) for i in range(5) for tag in tags))
        text = (
            "@pytest.mark.limit_device_leaks('39 MB', warmups=0)\n@pytest.mark.parametrize('name', ['one', 'two'])\ndef test_over(name): prints(name)\n"
            "@pytest.mark.limit_device_leaks('40 MB', warmups=0)\n@pytest.mark.parametrize('name', ['one', 'two'])\ndef test_at(name): prints(name)\n"
            "@pytest.mark.limit_device_leaks('0 B', warmups=1)\ndef test_same(): prints('two')\n"
        )
        out = self.pytest(text, "--ttmem", status=1)
        self.assertIn("2 failed, 3 passed", out)
        self.assertEqual(re.findall(r"ttmem: (40\.0 MB of DRAM per bank .*); the limit is 39 MB", out),
                         ["40.0 MB of DRAM per bank stay allocated after the test that were not before it, by rank 1,1" + of for of in ("", " of 2")])

    def test_marks_are_read_as_documented(self):
        cases = {
            "limit_device_memory('0%', 'l1')": "the peak of l1 is",
            "limit_device_memory(limit='0%')": "the peak of dram is",
            "limit_device_memory(limit='0%', pool='l1')": "the peak of l1 is",
            "limit_device_memory('80%', 'l1_smal')": "pool is one of dram, l1, l1_small, trace, not 'l1_smal'",
            "limit_device_memory('80%', pol='l1')": "got an unexpected keyword argument 'pol'",
            "limit_device_memory()": "missing a required argument: 'limit'",
            "limit_device_memory('80%', 'dram', 3)": "too many positional arguments",
            "limit_device_memory('nan%')": "'nan%' is not a percentage",
            "limit_device_memory('-5%')": "'-5%' is not a percentage",
            "limit_device_memory('inf')": "'inf' is not an amount",
            "limit_device_memory('80')": "'80' needs a unit",
            "limit_device_leaks(limit='lots')": "'lots' is not an amount",
            "limit_device_leaks('1 MB', warmups='two')": "warmups takes the number of calls before the one that counts, such as 2, not 'two'",
            "limit_device_leaks('1 MB', warmup=2)": "got an unexpected keyword argument 'warmup'",
            "limit_host_memory(limit='1 B')": "resident memory on the host; the limit is 1 B",
            "limit_host_memory('24 GB', 'dram')": "too many positional arguments",
        }
        text = "".join("@pytest.mark.%s\ndef test_%d(): prints('large')\n" % (mark, i) for i, mark in enumerate(cases))
        out = self.pytest(text, "--ttmem", status=1)
        self.assertIn("%d failed in" % len(cases), out)
        for i, (mark, told) in enumerate(cases.items()):
            [said] = re.findall(r"^_+ test_%d _+\nttmem: ((?!ttmem: ).*)$" % i, out, re.M)
            self.assertIn(told, said, mark)

    def segments(self, text, *options, status=0):
        """pytest with a folder of segments; in the tests, holds(BYTES) makes this process hold so much DRAM of chip 12, and twice that of L1."""
        shm = self.work / "shm"
        shm.mkdir(exist_ok=True)
        head = f"def holds(number):\n    subprocess.run([{str(BUILD / 'segment_writer')!r}, {str(shm)!r}, '12', '1', '%d:py:%d:%d:0:0:0' % (os.getpid(), number, 2 * number), '1:init:77:0:0:0:0'], check=True)\n"
        os.environ["TTMEM_SHM_DIR"] = str(shm)
        try:
            return self.pytest(head + text, *options, status=status)
        finally:
            del os.environ["TTMEM_SHM_DIR"]

    def test_what_a_test_leaves_in_shared_memory(self):
        text = (
            "def test_none(): pass\n"
            "def test_leaves(): holds(5 << 20)\n"
            "def test_keeps(): pass\n"
            "def test_more(): holds(6 << 20)\n"
            "def test_frees(): holds(0)\n"
        )
        out = self.segments(text, "--ttmem", "--junitxml=out.xml")
        self.assertEqual(re.findall(r"^ *(\S+ MB) +DRAM +(\S+ MB) +L1 +.*(test_\w+)$", out, re.M), [("5.0 MB", "10.0 MB", "test_leaves"), ("1.0 MB", "2.0 MB", "test_more")])
        left = {}
        for case in tree.parse(self.work / "out.xml").iter("testcase"):
            values = {one.get("name"): one.get("value") for one in case.iter("property")}
            left[case.get("name")] = values.get("ttmem.dram.left_bytes")
        # before the first segment there is nothing to tell
        self.assertEqual(left, {"test_none": None, "test_leaves": str(5 << 20), "test_keeps": "0", "test_more": str(1 << 20), "test_frees": str(-6 << 20)})

    def test_leaks_by_shared_memory(self):
        text = (
            "@pytest.mark.limit_device_leaks('0 B', warmups=1)\ndef test_same(): holds(1000)\n"
            "calls = []\n"
            "@pytest.mark.limit_device_leaks('4 KB', warmups=2)\ndef test_little():\n    calls.append(1)\n    holds(1000 + 4096 * len(calls))\n"
            "@pytest.mark.limit_device_leaks('4 KB', warmups=0)\ndef test_much(): holds(1 << 20)\n"
        )
        out = self.segments(text, "--ttmem", status=1)
        self.assertIn("2 passed", out)
        self.assertIn("1 failed", out)
        self.assertRegex(out, r"limit_device_leaks\('4 KB'\): the log of the test has no memory blocks of DRAM: .*; 10[0-9.]+ KB stay allocated over all banks, by shared memory")

    def test_a_segment_of_others_is_not_of_the_test(self):
        out = self.segments("def test_a():\n    holds(0)\n", "--ttmem")
        self.assertNotIn("left allocated", out)

    def test_segments_with_xdist(self):
        out = self.segments("def test_a(): holds(3 << 20)\n", "--ttmem", "-n", "1")
        self.assertRegex(out, r" 3\.0 MB +DRAM +6\.0 MB +L1 +.*test_a")

    def test_a_failing_test_is_explained(self):
        text = f"OOM = {OOM!r}\ndef test_child():\n    os.write(2, OOM.encode() + b'\\n')\n    assert 0\ndef test_raised(): raise RuntimeError(OOM)\ndef test_other(): assert 0\n"
        out = self.pytest(text, "--ttmem", status=1)
        self.assertEqual(len(re.findall(r"^-+ ttmem explain -+$", out, re.M)), 2)
        self.assertEqual(out.count("Out of DRAM: fragmented, short by 1,511,776 B per bank"), 2)

    def test_failures_of_fixtures_are_explained(self):
        text = (
            f"OOM = {OOM!r}\n"
            "@pytest.fixture\ndef raises(): raise RuntimeError(OOM)\n"
            "@pytest.fixture\ndef prints_it():\n    subprocess.run(['echo', OOM], check=True)\n    raise ValueError\n"
            "@pytest.fixture\ndef ends_badly():\n    yield\n    raise RuntimeError(OOM)\n"
            "@pytest.fixture\ndef other(): assert 0\n"
            "def test_a(raises): pass\ndef test_b(prints_it): pass\ndef test_c(ends_badly): pass\ndef test_d(other): pass\n"
        )
        out = self.pytest(text, "--ttmem", status=1)
        self.assertEqual(len(re.findall(r"^-+ ttmem explain -+$", out, re.M)), 3)
        self.assertEqual(out.count("Out of DRAM: fragmented, short by 1,511,776 B per bank"), 3)

    def test_the_log_of_an_earlier_run_explains_nothing(self):
        self.pytest(f"def test_dies():\n    os.write(2, {OOM!r}.encode())\n    assert 0\n", "--ttmem", status=1)
        out = self.pytest("@pytest.fixture(autouse=True)\ndef dies(): os.kill(os.getpid(), 9)\ndef test_dies(): pass\n", "--ttmem", "--forked", status=1)
        self.assertNotIn("Out of DRAM", out)

    def test_printed_by_the_test_itself(self):
        """In every way that pytest captures; once in the log, and once in what pytest shows."""
        text = (
            "small = open('small.log').read()\n"
            "def test_print(): print(small, end='')\n"
            "def test_bytes():\n    sys.stdout.buffer.write(small.encode())\n    sys.stdout.buffer.flush()\n"
            "def test_lines(): sys.stderr.writelines(small.splitlines(True))\n"
            "def test_mixed():\n    half = len(small) // 2\n    print(small[:half], end='', flush=True)\n    os.write(1, small[half:].encode())\n"
            "def test_fork():\n    pid = os.fork()\n    if not pid:\n        print(small, end='', flush=True)\n        os._exit(0)\n    os.waitpid(pid, 0)\n"
            "def test_capsys(capsys):\n    print(small, end='')\n    assert capsys.readouterr().out == small\n"
            "def test_shown():\n    print('by python')\n    os.write(1, b'by descriptor\\n')\n    assert 0\n"
        )
        small = (self.work / "small.log").read_text()
        for capture in ("fd", "sys", "tee-sys", "no"):
            out = self.pytest(text, "--ttmem", "--capture=" + capture, status=1)
            self.assertIn("1 failed, 6 passed", out, capture)
            for path in (self.work / "ttmem-logs").iterdir():
                if "test_shown" not in path.name:
                    self.assertEqual(path.read_text(), small, (capture, path.name))
            if capture == "fd":
                for line in ("by python", "by descriptor"):
                    self.assertEqual(out.count(line + "\n"), 1, out[-3000:])

    def test_printed_by_a_test_that_dies(self):
        text = f"OOM = {OOM!r}\ndef test_prints():\n    print(OOM)\n    os.kill(os.getpid(), 9)\n"
        for way in (("--forked",), ("-n", "1", "--max-worker-restart=0")):
            out = self.pytest(text, "--ttmem", *way, status=1)
            self.assertEqual(out.count("Out of DRAM: fragmented, short by 1,511,776 B per bank"), 1, way)

    def test_logger_files_are_read(self):
        text = (
            "import pathlib\n"
            "base = os.path.join(os.getcwd(), 'runtime.log')\n"
            "os.environ['TTMLIR_RUNTIME_LOGGER_FILE'] = base\n"
            "def test_a():\n    pathlib.Path('runtime.%d.log' % os.getpid()).write_bytes(pathlib.Path('small.log').read_bytes())\n"
            "def test_b():\n    with open('runtime.%d.log' % os.getpid(), 'ab') as f: f.write(pathlib.Path('large.log').read_bytes())\n"
        )
        out = self.pytest(text, "--ttmem")
        self.assertEqual(re.findall(r"%.*(test_\w)$", out, re.M), ["test_b", "test_a"])
        for name, log in (("a", "small"), ("b", "large")):
            [kept] = (self.work / "ttmem-logs").glob("*test_" + name + ".*")
            self.assertEqual(kept.read_bytes(), (self.work / (log + ".log")).read_bytes())

    def test_logger_files_that_begin_again_are_read_from_their_beginning(self):
        """The same first bytes, and longer than before: only the middle tells that the file is another."""
        small, large = ((self.work / (name + ".log")).read_bytes() for name in ("small", "large"))
        texts = {"a": small, "b": small[:5000] + large, "c": small[:4000]}
        text = "import pathlib\nbase = os.path.join(os.getcwd(), 'runtime.log')\nos.environ['TTMLIR_RUNTIME_LOGGER_FILE'] = base\n"
        for name, content in texts.items():
            (self.work / ("text_" + name)).write_bytes(content)
            text += "def test_%s(): pathlib.Path(base).write_bytes(pathlib.Path('text_%s').read_bytes())\n" % (name, name)
        text += "def test_d():\n    os.unlink(base)\n    pathlib.Path(base).write_bytes(pathlib.Path('text_a').read_bytes())\ndef test_e(): pass\n"
        self.pytest(text, "--ttmem")
        for name, content in (*texts.items(), ("d", small), ("e", b"")):
            [kept] = (self.work / "ttmem-logs").glob("*test_" + name + ".*")
            self.assertEqual(kept.read_bytes(), content, name)

    def test_properties_are_in_junit(self):
        self.pytest("def test_a(): prints('large')\n", "--ttmem", "--junitxml=out.xml")
        case = next(tree.parse(self.work / "out.xml").iter("testcase"))
        properties = {one.get("name"): one.get("value") for one in case.iter("property")}
        self.assertEqual(properties["ttmem.dram.peak_bytes_per_bank"], str(self.peak("large")["allocated_bytes_per_bank"]))
        self.assertGreater(int(properties["ttmem.host.peak_bytes"]), 1 << 20)
        self.assertTrue(Path(properties["ttmem.log"]).is_file())

    SEVERAL = (
        "@pytest.mark.parametrize('n', range(6))\ndef test_many(n): prints('small' if n else 'large')\n"
        "@pytest.mark.limit_device_memory('1 KB')\ndef test_over(): prints('small')\n"
        f"OOM = {OOM!r}\ndef test_oom(): raise RuntimeError(OOM)\n"
    )

    def test_with_xdist(self):
        out = self.pytest(self.SEVERAL, "--ttmem", "-n", "2", status=1)
        self.assertIn("2 failed, 6 passed", out)
        self.assertEqual(re.findall(r"%.*(test_\S+)$", out, re.M)[0], "test_many[0]")
        self.assertIn("; the limit is 1 KB", out)
        self.assertEqual(len(re.findall(r"^-+ ttmem explain -+$", out, re.M)), 1)
        self.assertEqual(len(list((self.work / "ttmem-logs").iterdir())), 8)

    def test_with_forked(self):
        crash = "def test_dies():\n    os.write(2, OOM.encode() + b'\\n')\n    os.kill(os.getpid(), 9)\n"
        out = self.pytest(self.SEVERAL + crash, "--ttmem", "--forked", status=1)
        self.assertIn("3 failed, 6 passed", out)
        self.assertEqual(re.findall(r"%.*(test_\S+)$", out, re.M)[0], "test_many[0]")
        self.assertEqual(len(re.findall(r"^-+ ttmem explain -+$", out, re.M)), 2)

    def test_the_example_model(self):
        out = self.pytest(f"def test_model(): subprocess.run([sys.executable, {str(ROOT / 'examples/model.py')!r}], check=True)\n", "--ttmem")
        self.assertRegex(out, r"490\.2 MB +48\.0 %.*test_model")

    def test_an_installed_package_is_found_by_its_entry_point(self):
        sys.path.insert(0, str(ROOT / "packaging"))
        import ttmem_build

        site = self.work / "site"
        (site / "ttmem-0.dist-info").mkdir(parents=True)
        (site / "ttmem-0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: ttmem\nVersion: 0\n")
        (site / "ttmem-0.dist-info" / "entry_points.txt").write_text(ttmem_build.ENTRY_POINTS)
        (site / "ttmem").symlink_to(ROOT / "python" / "ttmem")
        environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([sys.executable, "-m", "pytest", "--help"], cwd=self.work, env=environment, stdout=subprocess.PIPE, text=True)
        self.assertIn("--ttmem-dir", done.stdout)

    def test_documentation_strings(self):
        import ttmem._pytest_log
        import ttmem._pytest_marks

        for module, least in ((ttmem._pytest_log, 1), (ttmem._pytest_marks, 3)):
            done = doctest.testmod(module)
            self.assertEqual(done.failed, 0)
            self.assertGreaterEqual(done.attempted, least)


if __name__ == "__main__":
    unittest.main()
