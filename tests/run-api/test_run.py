# SPDX-License-Identifier: Apache-2.0
"""Runs as data in Python: python3 tests/run-api/test_run.py [-v], with TTMEM_RUN_LIBRARY and TTMEM_PROGRAM set. Expected figures are those
of the program's own answers, or of the log."""
import csv
import doctest
import gc
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import ttmem  # noqa: E402
import ttmem._chart  # noqa: E402
import ttmem.run  # noqa: E402

EXAMPLE = str(ROOT / "examples/transformer_profile.log")
PROGRAM = os.environ["TTMEM_PROGRAM"]


def program(*words):
    return subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


class RunTest(unittest.TestCase):
    def setUp(self):
        self.run_ = ttmem.load(EXAMPLE)

    def test_tables_are_those_of_the_export(self):
        for name in self.run_.tables:
            rows = list(csv.reader(io.StringIO(program("export", EXAMPLE, "--format", "csv", "--table", name))))
            table = self.run_.table(name)
            self.assertEqual(table.columns, rows[0], name)
            self.assertEqual(len(table), len(rows) - 1, name)
            for at in {0, len(table) // 2, len(table) - 1} if len(table) else ():
                got = ["" if cell is None else str(cell) for cell in table.row(at)]
                self.assertEqual(got, [cell.lstrip("'") if cell.startswith("'") else cell for cell in rows[at + 1]], name)

    def test_summary_peak_and_ranks(self):
        told = json.loads(program("summary", EXAMPLE, "--json"))
        self.assertEqual(self.run_.summary, told)
        for pool in ("dram", "l1"):
            peak = self.run_.peak(pool)
            for key in ("allocated_bytes_per_bank", "capacity_bytes_per_bank", "banks", "source", "at_least", "caveat"):
                self.assertEqual(getattr(peak, key), told["peaks"][pool][key], key)
            self.assertEqual(peak.op_index, told["peaks"][pool]["op"]["index"])
            self.assertAlmostEqual(peak.used_percent, told["peaks"][pool]["used_percent"], 2)
        self.assertEqual(self.run_.ranks, told["ranks"])
        with self.assertRaises(ValueError):
            self.run_.peak("dirt")

    def test_a_prediction_is_not_measured(self):
        run = ttmem.load(str(ROOT / "examples/group_norm_ttnn.mlir"))
        self.assertTrue(run.summary["predicted"])
        self.assertEqual(run.peak("dram").source, "predicted")
        self.assertEqual(run.summary["peaks"]["dram"]["source"], "predicted")

    def test_what_an_input_tells_to_the_byte_is_exact_in_tables(self):
        """Captures and modules: not rounded to the thousandths of a MB that logs print."""
        for path in ("tests/data/graph/matmul_add_report.json", "examples/group_norm_ttnn.mlir"):
            run = ttmem.load(str(ROOT / path))
            for pool in ("dram", "l1"):
                told, peak = run.summary["peaks"].get(pool), run.peak(pool)
                if not told:
                    continue
                at = (path, pool)
                self.assertEqual(told["allocated_bytes_per_bank"] % 32, 0, at)
                self.assertEqual(peak.allocated_bytes_per_bank, told["allocated_bytes_per_bank"], at)
                self.assertEqual(peak.capacity_bytes_per_bank, told["capacity_bytes_per_bank"], at)
                self.assertEqual(max(run.blocks()[pool + "_allocated_bytes_per_bank"].values), told["allocated_bytes_per_bank"], at)
                for row in run.blocks():
                    self.assertEqual((getattr(row, pool + "_allocated_bytes_per_bank") or 0) % 32, 0, at)
                for row in run.ops():
                    self.assertEqual((getattr(row, pool + "_after_bytes_per_bank") or 0) % 32, 0, at)
            capacity = {row.pool: row.capacity_bytes_per_bank for row in run.table("pools")}
            for pool, told in run.summary["peaks"].items():
                if told and told["capacity_bytes_per_bank"] and pool in capacity:
                    self.assertEqual(capacity[pool], told["capacity_bytes_per_bank"], (path, pool))

    def test_tensors_at_the_peak_are_those_of_live(self):
        told = json.loads(program("live", EXAMPLE, "--at", "peak", "--limit", "0", "--json"))
        alive = self.run_.tensors(at="peak")
        self.assertEqual(len(alive), len(told["tensors"]))
        self.assertEqual(sum(alive["bytes_per_bank"]), sum(one["bytes_per_bank"] for one in told["tensors"]))
        self.assertEqual(alive["bytes_per_bank"], sorted(alive["bytes_per_bank"], reverse=True))
        self.assertGreater(len(self.run_.tensors()), len(alive))
        self.assertGreater(len(self.run_.tensors(at=100)), 0)
        for bad in ("start", 1.5, 10**9):
            with self.assertRaises((ValueError, ttmem.TtmemError)):
                self.run_.tensors(at=bad)

    def test_columns_are_views_that_keep_their_run(self):
        values = ttmem.load(EXAMPLE).blocks()["dram_allocated_bytes_per_bank"].values
        gc.collect()
        self.assertEqual(max(values), 513993081)
        self.assertTrue(values.readonly)
        self.assertEqual((values.format, values.itemsize), ("q", 8))
        column = self.run_.ops()["name"]
        with self.assertRaises(TypeError):
            column.values
        self.assertEqual(column[-1], list(column)[-1])
        with self.assertRaises(IndexError):
            column[len(column)]

    def test_nulls(self):
        column = self.run_.blocks()["before_op"]
        rows = list(csv.DictReader(io.StringIO(program("export", EXAMPLE, "--format", "csv", "--table", "blocks"))))
        self.assertEqual([cell for cell in column], [int(row["before_op"]) if row["before_op"] else None for row in rows])
        self.assertGreater(column.nulls, 0)
        self.assertEqual(column.nulls, sum(cell is None for cell in column))

    def test_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("no NumPy")
        column = self.run_.blocks()["dram_allocated_bytes_per_bank"]
        array = column.numpy()
        self.assertEqual(array.max(), 513993081)
        self.assertEqual(array.__array_interface__["data"][0], numpy.frombuffer(column.values, dtype=numpy.int64).__array_interface__["data"][0])
        self.assertFalse(array.flags.writeable or array.flags.owndata)

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        frame = self.run_.ops().to_pandas()
        self.assertEqual(frame.shape, (494, len(self.run_.ops().columns)))
        self.assertEqual(frame["dram_after_bytes_per_bank"].max(), 513993081)
        blocks = self.run_.blocks().to_pandas()
        self.assertTrue(pandas.isna(blocks["before_op"]).any())
        self.assertEqual(self.run_.tensors(at="peak").to_pandas()["bytes_per_bank"].is_monotonic_decreasing, True)

    def test_closing(self):
        with ttmem.load(EXAMPLE) as run:
            self.assertEqual(run.name, "transformer")
        with self.assertRaises(ValueError):
            run.ops()["name"]
        run.close()

    def test_errors(self):
        with self.assertRaisesRegex(ttmem.TtmemError, "missing.log"):
            ttmem.load("missing.log")
        with tempfile.NamedTemporaryFile(suffix=".log") as empty:
            with self.assertRaises(ttmem.TtmemError):
                ttmem.load(empty.name)
        with self.assertRaises(KeyError):
            self.run_.table("dirt")
        with self.assertRaises(KeyError):
            self.run_.ops()["dirt"]
        for at in (-1, -5, True, "Peak", 1.0):
            with self.assertRaisesRegex(ValueError, "at is 'peak' or the number of an op"):
                self.run_.tensors(at=at)
        with self.assertRaisesRegex(ValueError, "a pool is one of"):
            self.run_.tensors(pool="foo")
        with self.assertRaisesRegex(IndexError, "no row -9999"):
            self.run_.ops()["name"][-9999]
        for path, why in (("", "is empty"), ("-", "stdin")):
            with self.assertRaisesRegex(ttmem.TtmemError, why):
                ttmem.load(path)
        with self.assertRaisesRegex(ValueError, "NUL"):
            ttmem.load(EXAMPLE + "\0.gz")

    def test_rows_have_a_field_for_every_column(self):
        for name in self.run_.tables:
            fields = self.run_.table(name)._row._fields
            self.assertEqual([field[:-1] if field == "class_" else field for field in fields], self.run_.table(name).columns)
        tensors = self.run_.tensors()
        self.assertEqual(tensors.row(0).class_, tensors["class"][0])

    def test_several_logs_are_ranks(self):
        with tempfile.TemporaryDirectory() as folder:
            logs = []
            for name in ("a", "b"):
                logs.append(Path(folder) / (name + ".log"))
                logs[-1].write_bytes(Path(EXAMPLE).read_bytes())
            run = ttmem.load(*logs)
            self.assertEqual(len(run.ranks), 2)
            self.assertEqual(len(run.ops()), 2 * 494)

    def test_diff_explain_predict(self):
        self.assertEqual(ttmem.diff(self.run_, EXAMPLE), json.loads(program("diff", EXAMPLE, EXAMPLE, "--json")))
        text = (
            "Out of Memory: Not enough space to allocate 58720256 B DRAM buffer across 12 banks, where each bank needs to store 4894720 B, but bank size is "
            "1071821792 B (allocated: 888424448 B, free: 183397344 B, largest free block: 3382944 B)"
        )
        [failure] = ttmem.explain(text)
        self.assertEqual(failure["shortfall_bytes_per_bank"], 4894720 - 3382944)
        self.assertEqual(ttmem.explain(""), [])
        with tempfile.TemporaryDirectory() as folder:  # a name is not a text: "no failure" would be an answer about the name
            log = Path(folder) / "failed.log"
            log.write_text(text + "\n")
            [failure] = ttmem.explain(log)
            self.assertEqual(failure["shortfall_bytes_per_bank"], 4894720 - 3382944)
            with self.assertRaisesRegex(ValueError, "the text itself"):
                ttmem.explain(str(log))
            with open(log) as file, self.assertRaisesRegex(TypeError, "TextIOWrapper"):
                ttmem.explain(file)
        module = str(ROOT / "examples/group_norm_ttnn.mlir")
        self.assertEqual(ttmem.predict(module, device="n150"), json.loads(program("predict", module, "--json", "--device", "n150")))
        with self.assertRaisesRegex(ttmem.TtmemError, "^cannot open .missing.mlir.:"):
            ttmem.predict("missing.mlir")
        with self.assertRaises(ttmem.TtmemError):
            ttmem.diff(EXAMPLE, "missing.log")

    def test_a_notebook_shows_chart_and_page(self):
        picture = self.run_._repr_svg_()
        self.assertTrue(picture.startswith("<svg") and picture.endswith("</svg>"))
        self.assertIn("peak 490.2 MB, 48.0 % of a bank", picture)
        import xml.etree.ElementTree as tree

        points = tree.fromstring(picture).find("{http://www.w3.org/2000/svg}polyline").get("points").split()
        self.assertLessEqual(len(points), 600)
        # the highest point is the peak: 48 % of the way from the bottom (196) to the capacity (28)
        self.assertAlmostEqual(min(float(point.split(",")[1]) for point in points), 196 - 168 * 513993081 / 1071821881, 1)
        with tempfile.TemporaryDirectory() as folder:
            page = self.run_.page(os.path.join(folder, "page.html"))
            self.assertIn("ttmem-meta", Path(page.path).read_text())
            self.assertRegex(page._repr_html_(), r'^<iframe srcdoc="&lt;!doctype html')

    def test_doctests(self):
        here = os.getcwd()
        os.chdir(ROOT)
        try:
            for module in (ttmem.run, ttmem._chart):
                result = doctest.testmod(module)
                self.assertEqual(result.failed, 0)
                self.assertGreater(result.attempted, 0)
        finally:
            os.chdir(here)

    def test_everything_public_has_hints_and_a_docstring(self):
        import inspect

        for name in ("load", "diff", "explain", "predict"):
            function = getattr(ttmem, name)
            self.assertTrue(function.__doc__, name)
            self.assertTrue(inspect.signature(function).return_annotation is not inspect.Signature.empty, name)
        for name, member in inspect.getmembers(ttmem.Run, inspect.isfunction):
            if not name.startswith("__"):
                self.assertIsNot(inspect.signature(member).return_annotation, inspect.Signature.empty, name)


if __name__ == "__main__":
    unittest.main()
