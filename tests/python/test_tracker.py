# SPDX-License-Identifier: Apache-2.0
"""python/ttmem: the example of the training documentation, with and without ttnn."""

import contextlib
import gc
import io
import json
import os
import sys
import unittest
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent.parent / "python"))
shared = Path(os.environ.get("TTMEM_DATA", here.parent.parent.parent / "shared" / "data")) / "graph_capture"

from ttmem import MemoryUsageTracker, RunMode, TtmemError  # noqa: E402

MB = 1 << 20


def node(counter, node_type, connections=(), **params):
    return {"counter": counter, "node_type": node_type, "params": params or None, "connections": list(connections)}


def capture(size, address, freed=True):
    """One DRAM buffer, as ttnn records it."""
    buffer = dict(size=size, type="DRAM", device_id=0, address=address, page_size=2048, num_cores=0, buffer_type=0)
    nodes = [node(0, "capture_start"), node(1, "buffer", size=size, type="DRAM"), node(2, "buffer_allocate", [1], **buffer)]
    if freed:
        nodes.append(node(3, "buffer_deallocate", [1], **buffer))
    return nodes + [node(len(nodes), "capture_end")]


class Case(unittest.TestCase):
    def setUp(self):
        os.environ["TTMEM_NO_TTNN"] = "1"
        MemoryUsageTracker.clear()

    def tearDown(self):
        MemoryUsageTracker.clear()


class ByHand(Case):
    def test_the_training_example_runs(self):
        guard = MemoryUsageTracker.begin_capture()
        MemoryUsageTracker.buffer_allocate(1863 * MB, address=64)
        MemoryUsageTracker.snapshot("MODEL_CREATION")
        MemoryUsageTracker.buffer_allocate(3708 * MB, address=1 << 40)
        MemoryUsageTracker.snapshot("OPTIMIZER_CREATION")
        MemoryUsageTracker.snapshot("FORWARD_PASS")
        MemoryUsageTracker.snapshot("BACKWARD_PASS")
        MemoryUsageTracker.end_capture("ITERATION_COMPLETE")
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            MemoryUsageTracker.print_memory_usage()
        names = MemoryUsageTracker.get_trace_names()
        self.assertEqual(
            names, ["MODEL_CREATION", "OPTIMIZER_CREATION", "FORWARD_PASS", "BACKWARD_PASS", "ITERATION_COMPLETE"]
        )
        self.assertIn("Overall DRAM Peak: 5571.00 MB, Final DRAM Usage: 5571.00 MB\n\n", out.getvalue())
        self.assertEqual(MemoryUsageTracker.get_dram_usage("OPTIMIZER_CREATION").peak, 3708 * MB)
        MemoryUsageTracker.clear()
        guard.release()

    def test_a_destroyed_guard_ends_and_clears(self):
        guard = MemoryUsageTracker.begin_capture()
        MemoryUsageTracker.snapshot("one")
        del guard
        gc.collect()
        self.assertEqual(MemoryUsageTracker.get_trace_names(), [])
        with MemoryUsageTracker.begin_capture():
            MemoryUsageTracker.snapshot("two")
        self.assertEqual(MemoryUsageTracker.get_trace_names(), [])

    def test_errors_have_the_texts_of_tt_train(self):
        with self.assertRaisesRegex(RuntimeError, "^MemoryUsageTracker: Cannot snapshot - capture is not active$"):
            MemoryUsageTracker.snapshot("x")
        with MemoryUsageTracker.begin_capture():
            with self.assertRaisesRegex(RuntimeError, "^MemoryUsageTracker: Capture already active$"):
                MemoryUsageTracker.begin_capture()
            MemoryUsageTracker.snapshot("same")
            MemoryUsageTracker.snapshot("same")
            with self.assertRaisesRegex(RuntimeError, r"Trace 'same' is ambiguous \(2 segments share this name\)"):
                MemoryUsageTracker.get_dram_usage("same")
            with self.assertRaisesRegex(TtmemError, "Trace 'x' not found"):
                MemoryUsageTracker.get_l1_usage("x")
            self.assertEqual([name for name, _ in MemoryUsageTracker.get_dram_usage_all()], ["same", "same"])

    def test_a_buffer_type_that_is_none(self):
        for wrong in ("SRAM", None, object()):
            with self.assertRaisesRegex(ValueError, "is not one of DRAM, L1"):
                MemoryUsageTracker.buffer_allocate(1024, wrong)

    def test_a_mode_that_is_none_is_named(self):
        for wrong in ("nonsense", 7, object()):
            with self.assertRaisesRegex(ValueError, "is not one of NORMAL, NO_DISPATCH"):
                MemoryUsageTracker.begin_capture(wrong)
        MemoryUsageTracker.begin_capture("NO_DISPATCH").release()  # nothing is left active

    def test_l1_is_counted_per_core(self):
        with MemoryUsageTracker.begin_capture(RunMode.NORMAL):
            MemoryUsageTracker.buffer_allocate(65536, type="L1", id=1, size_per_bank=2048)
            MemoryUsageTracker.circular_buffer_allocate(1024, [(0, 0, 3, 7)])
            MemoryUsageTracker.dataflow_buffer_allocate(2048, [(0, 0, 3, 7)])
            MemoryUsageTracker.scratchpad_allocate(512, [(4, 0, 7, 7)])
            MemoryUsageTracker.program_release()
            MemoryUsageTracker.buffer_deallocate(type="L1", id=1)
            MemoryUsageTracker.snapshot("L1")
            self.assertEqual(MemoryUsageTracker.get_l1_usage("L1"), (1024, 2048, 2048, 512, 2048 + 1024 + 2048))
            self.assertEqual(MemoryUsageTracker.get_l1_usage_all()[0][1].peak_cb, 1024)

    def test_no_dispatch_says_what_does_not_fit(self):
        MemoryUsageTracker.set_chip("n150")
        with MemoryUsageTracker.begin_capture("NO_DISPATCH"):
            MemoryUsageTracker.function_start("ttnn::matmul")
            self.assertGreater(MemoryUsageTracker.buffer_allocate(1 << 30, page_size=2048), 0)
            self.assertEqual(MemoryUsageTracker.buffer_allocate(13 << 30, page_size=2048), 0)
            MemoryUsageTracker.function_end()
            fit = MemoryUsageTracker.fit()
            self.assertEqual((fit.events, fit.failures, fit.function), (2, 1, "ttnn::matmul"))

    def test_recorded_captures_are_segments(self):
        MemoryUsageTracker.add_segment("list", capture(4096, 64))
        MemoryUsageTracker.add_segment("report", {"version": 1, "graph": capture(8192, 64), "devices": []})
        MemoryUsageTracker.add_segment("text", json.dumps(capture(100, 64, freed=False)))
        usage = dict(MemoryUsageTracker.get_dram_usage_all())
        self.assertEqual(usage["list"], (4096, 4096, 4096))
        self.assertEqual(usage["report"], (8192, 8192, 8192))
        self.assertEqual(usage["text"], (100, 100, 0))
        segments = MemoryUsageTracker.json()["segments"]
        self.assertEqual(segments[1]["upstream"]["dram"]["peak_bytes"], 8192)

    @unittest.skipUnless(shared.is_dir(), "../shared/data is not there")
    def test_a_real_capture_gives_its_known_peaks(self):
        expected = json.loads((shared / "expected_peaks.json").read_text())
        for name, peaks in expected.items():
            MemoryUsageTracker.add_segment(name, (shared / name).read_bytes())
            usage = MemoryUsageTracker.get_l1_usage(name)
            self.assertEqual(usage.peak_cb, peaks["peak_cb"])
            self.assertEqual(usage.peak_l1, peaks["peak_l1"])
            self.assertEqual(usage.peak_total, peaks["peak_total"])


class WithTtnn(Case):
    """Against the stand-in, which replays captures."""

    def setUp(self):
        super().setUp()
        del os.environ["TTMEM_NO_TTNN"]
        sys.path.insert(0, str(here / "standin"))
        import ttnn

        self.ttnn = ttnn
        ttnn.graph.__init__()

    def tearDown(self):
        super().tearDown()
        sys.path.remove(str(here / "standin"))
        sys.modules.pop("ttnn", None)

    def test_every_segment_is_a_capture_of_ttnn(self):
        graph = self.ttnn.graph
        graph.recorded = [capture(1000, 64, freed=False), capture(500, 2048), capture(0, 0)[:1]]
        guard = MemoryUsageTracker.begin_capture(graph.RunMode.NO_DISPATCH)
        MemoryUsageTracker.snapshot("MODEL")
        MemoryUsageTracker.snapshot("STEP")
        MemoryUsageTracker.end_capture()
        begin = ("begin", "NO_DISPATCH")
        self.assertEqual(graph.calls, [begin, ("end", None), begin, ("end", None), begin, ("end", None)])
        usage = MemoryUsageTracker.get_dram_usage_all()
        self.assertEqual([name for name, _ in usage], ["MODEL", "STEP", "END_TRACE"])
        self.assertEqual([u.peak for _, u in usage], [1000, 500, 0])
        self.assertIn("Cumulative Current 0.00 MB", MemoryUsageTracker.summary())
        self.assertFalse(graph.active)
        guard.release()

    def test_clearing_ends_the_capture_of_ttnn(self):
        MemoryUsageTracker.begin_capture()
        gc.collect()
        self.assertFalse(self.ttnn.graph.active)
        guard = MemoryUsageTracker.begin_capture(self.ttnn.graph.RunMode.NORMAL)
        self.assertTrue(self.ttnn.graph.active)
        MemoryUsageTracker.clear()
        self.assertFalse(self.ttnn.graph.active)
        guard.release()


if __name__ == "__main__":
    unittest.main()
