#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares a report with the truth of the generator that made the log: compare.py REPORT_PREFIX TRUTH.json [INFO.json]

INFO.json is what `ttmem info --json` says about the same log.

Prints one line per difference (at most 20) and exits 1 when there is one."""
import json
import sys

POOLS = ("DRAM", "L1", "L1_SMALL", "TRACE")
differences = 0


def differ(what, ours, truth):
    global differences
    differences += 1
    if differences <= 20:
        print(f"{what}: report {str(ours)[:200]} truth {str(truth)[:200]}")


def same(what, ours, truth):
    if ours != truth:
        differ(what, ours, truth)


def thousandths(value):
    return None if value is None else round(value * 1000)


def milli(value):
    """Bytes as the thousandths of a MB that the log has."""
    return None if value is None else round(value * 1000 / 1048576)


def check_peaks(what, ours, truth):
    ours = {pool.upper(): peak for pool, peak in ours.items() if peak}
    # a log without memory lines has bounds by its tensors: the generator tells what was printed
    same(what + " pools", sorted(p for p in ours if p in truth or ours[p]["source"] == "measured"), sorted(truth))
    for pool in set(ours) & set(truth):
        a, b = ours[pool], truth[pool]
        if a["source"] != "measured":  # a bound that is more than what was measured
            same(f"{what} {pool} is at least what was measured", a["at_least"] and milli(a["allocated_bytes_per_bank"]) > b["allocated_thousandths"], True)
            continue
        same(f"{what} {pool} allocated", milli(a["allocated_bytes_per_bank"]), b["allocated_thousandths"])
        same(f"{what} {pool} line", a["line"], b["block_line"])
        for key in ("op", "before_op"):
            same(f"{what} {pool} {key}", a[key] and a[key]["index"], b[key + "_index"])


def highest(truth):
    """Of ranks with equal peaks that of the first: the generator has what was printed first."""
    peaks = dict(truth["peaks"])
    for pool, peak in peaks.items():
        equal = [r["peaks"][pool] for r in truth["ranks"] if r["peaks"].get(pool, {}).get("allocated_thousandths") == peak["allocated_thousandths"]]
        if len(equal) > 1:
            peaks[pool] = min(equal, key=lambda p: [int(n) for n in (p["rank"] or "").split(",") if n])
    return peaks


def by_name(rows, key, fields):
    sums = {}
    for row in rows:
        total = sums.setdefault(row[key], [0] * len(fields))
        for i, field in enumerate(fields):
            total[i] += row[field]
    return {name: total for name, total in sums.items() if any(total)}


def told(truth, key):
    """Without the lines of level DEBUG frees are not known."""
    return None if key in ("deallocates", "get_devices") and not truth["op_lines"] and not truth["programs"] else truth[key]


def check_summary(summary, truth):
    for key in ("records", "op_lines", "blocks", "deallocates", "get_devices", "lines", "op_counts"):
        same(key, dict(sorted(summary[key].items())) if key == "op_counts" else summary[key],
             dict(sorted(truth[key].items())) if key == "op_counts" else told(truth, key))
    same("failures", len(summary["failures"]), truth["failures"])
    same("input_bytes", summary["input_bytes"], truth["bytes"])
    same("weights", [summary["weight_sum"]["count"], summary["weight_sum"]["total_bytes"]], [truth["weights"]["count"], truth["weights"]["bytes"]])
    same("pools", {p.upper(): [c["banks"], milli(c["capacity_bytes_per_bank"])] for p, c in summary["pools"].items() if c},
         {p: [c["num_banks"], c["total_thousandths"]] for p, c in truth["memory_config"].items()})
    same("programs", by_name(summary["programs"], "name", ("run_count", "records")), by_name(truth["programs"], "name", ("runs", "records")))
    same("const_eval", by_name(summary["const_eval"], "graph", ("run_count", "hits", "misses", "records")),
         by_name(truth["const_eval"], "graph", ("runs", "hits", "misses", "records")))
    check_peaks("peaks", summary["peaks"], highest(truth))
    ours = {r["rank"]: r for r in summary["ranks"]}
    ranks = {r["rank"]: r for r in truth["ranks"] if r["records"] or r["peaks"]}
    same("ranks", sorted(ours, key=str), sorted(ranks, key=str))
    for rank in set(ours) & set(ranks):
        same(f"rank {rank} records", ours[rank]["records"], ranks[rank]["records"])
        check_peaks(f"rank {rank}", ours[rank]["peaks"], ranks[rank]["peaks"])


def pools_of(values):
    """Allocated thousandths by pool, or None."""
    return None if not values else {pool: thousandths(value) for pool, value in values.items()}


def nonzero(values):
    return None if values is None else {pool: value for pool, value in values.items() if value is not None}


def check_record(n, memory, op, detail, has_modules):
    what = f"record {n}"
    for key in ("mlir_op", "line", "rank", "const_eval_graph"):
        same(f"{what} {key}", memory[key], detail[key])
    same(what + " index", (memory["index"], op["index"]), (n, n))
    before = {p: thousandths(v["totalBytesAllocatedPerBank_MB"]) for p, v in memory["memory"].items()}
    same(what + " before", before or None, nonzero(detail["before"]))
    same(what + " after", pools_of(memory["after"]), nonzero(detail["after"]))
    if detail["before"] and detail["after"]:
        same(what + " delta", pools_of(memory["delta_MB"]), nonzero(detail["delta"]))
    if detail["freed"]:
        same(what + " freed", pools_of(memory["freed_MB"]), nonzero(detail["freed"]))
    if detail.get("truncated") or "result" not in detail:
        return
    if detail["const_eval_graph"]:
        same(what + " cache miss", memory["const_eval_cache_miss"], detail["cache_miss"])
    if detail["result"]:
        same(what + " result", op["result"], detail["result"].split(":")[0])
        same(what + " result count", len(op["results"]), len(detail["results"]))
        same(what + " shape", op["output_shapes"][0] or None, detail["out_shape"] or None)
        layout = op["output_layout_info"]
        if layout:
            same(what + " logical bytes", layout["unpadded_bytes"], detail["out_bytes_logical"])
            same(what + " per bank bytes", layout["per_bank_bytes"], detail["out_bytes_per_bank"])
            if layout["is_tiled"]:
                same(what + " physical bytes", layout["padded_bytes"], detail["out_bytes_physical"])
    if detail["loc"] and not (detail["loc_full"] or "").startswith("fused"):
        same(what + " loc", op["loc"], detail["loc"])
    if not has_modules:
        return  # nothing tells which arguments are weights, or which lie on the device unused
    same(what + " weights", sorted(w["name"] for w in op["weights"]), sorted(detail["weights"]))
    if detail["live"] is not None:
        live = memory["unpadded_memory"]
        count = sum(live.get(p, {}).get("num_tensors", 0) for p in ("DRAM", "L1"))
        same(what + " live tensors", count, detail["live"])
        for pool, bytes_per_bank in detail["live_bytes_per_bank"].items():
            same(f"{what} live bytes per bank in {pool}", live.get(pool, {}).get("per_bank_bytes", 0), bytes_per_bank)


def check_registry(registry, truth):
    ours = [(e["ssa"], e["name"], e["type"], e["shape"], e["bytes"]) for e in registry["entries"]]
    theirs = [(f"%arg{e['index']}", e["name"], e["type"], e["shape"], e["bytes"]) for e in truth]
    same("registry", ours, theirs)


def check_info(info, truth):
    same("info: ops", info["op_lines"], truth["op_lines"])
    for key in ("blocks", "deallocates", "get_devices", "lines"):
        same("info: " + key, info[key], told(truth, key))
    same("info: bytes", info["input_bytes"], truth["bytes"])
    same("info: failures", len(info["failures"]), truth["failures"])


def main(prefix, truth_path, info_path=None):
    load = lambda path: json.load(open(path, encoding="utf-8"))
    truth = load(truth_path)
    if info_path:
        check_info(load(info_path), truth)
    check_summary(load(prefix + "_summary.json"), truth)
    if "records_detail" in truth:
        memory, ops = load(prefix + "_memory.json"), load(prefix + "_operations.json")
        same("elements", (len(memory["operations"]), len(ops)), (len(truth["records_detail"]),) * 2)
        for n, (m, o, d) in enumerate(zip(memory["operations"], ops, truth["records_detail"])):
            check_record(n, m, o, d, truth["modules"] > 0)
        check_registry(load(prefix + "_inputs_registry.json"), truth["registry"])
    if differences > 20:
        print(f"... {differences - 20} more differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
