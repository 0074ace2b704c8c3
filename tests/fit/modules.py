# SPDX-License-Identifier: Apache-2.0
"""What ttmem fit promises of a change is what ttmem predict finds when the program itself is changed so.
modules.py TTMEM SEEDS: every change that can be made to the text of a random program, for every seed."""
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

from programs import Program


def ask(ttmem, *words):
    done = subprocess.run([ttmem, *words, "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(words)}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def predicted(ttmem, folder, program, *options):
    path = os.path.join(folder, "changed.mlir")
    with open(path, "w") as f:
        f.write(program.text())
    answer = ask(ttmem, "predict", path, *options)["programs"][0]
    failure = answer["failure"]
    return {
        "fits": failure is None,
        "peak": answer["peak"]["allocated_bytes_per_bank"],
        "failure": failure and tuple(failure[k + "_bytes_per_bank"] for k in ("requested", "allocated", "free", "largest_free")),
    }


def promised(result):
    failure = result["failure"]
    return {
        "fits": failure is None,
        "peak": result["peak_bytes_per_bank"],
        "failure": failure and tuple(failure[k + "_bytes_per_bank"] for k in ("requested", "allocated", "free", "largest_free")),
    }


def difference(fit, real):
    """Empty when they are the same; a program that does not fit has no peak of its own to compare."""
    if fit["fits"] != real["fits"]:
        return f"fits: {fit['fits']} promised, {real['fits']} found"
    if fit["fits"] and fit["peak"] != real["peak"]:
        return f"peak: {fit['peak']} promised, {real['peak']} found"
    if fit["failure"] != real["failure"]:
        return f"failure: {fit['failure']} promised, {real['failure']} found"
    return ""


def off_bounds(result, says, real, off):
    """An estimate: where it says that it fits or does not, so it is; where both fit the peak is within what it may be off."""
    word = "fits" if real["fits"] else "does_not_fit"
    if result["verdict"] not in (word, "may_fit"):
        return f"{result['verdict']} promised, {word} found"
    if says["fits"] and real["fits"] and abs(says["peak"] - real["peak"]) > off:
        return f"peak: {says['peak']} promised, {real['peak']} found, may be off by {off}"
    # may_fit is for what is near: with its bound it neither fits for certain nor is certain not to
    failure = result["failure"]
    missing = failure["requested_bytes_per_bank"] - failure["largest_free_bytes_per_bank"] if failure else 0
    crosses = failure or result["peak_bytes_per_bank"] + off > result["capacity_bytes_per_bank"]
    room = result["margin_bytes_per_bank"] is not None and result["margin_bytes_per_bank"] < off
    near = missing <= off and says["peak"] - off <= result["capacity_bytes_per_bank"]
    if (result["verdict"] == "may_fit") != bool((crosses or room) and near):
        return f"{result['verdict']}: peak {says['peak']}, room {result['margin_bytes_per_bank']}, off by {off}"
    return ""


def changed(program, name):
    """The program with the change, and options of predict; None where the text cannot be changed so."""
    found = re.fullmatch(r"free (%\d+) after last use", name)
    if found:
        return program.free_early([found.group(1)]), []
    found = re.fullmatch(r"place (%\d+) first", name)
    if found:
        return program.place_first(found.group(1)), []
    boards = re.fullmatch(r"on (n300|p100|p150)", name)
    if boards:
        return program, ["--device", boards.group(1)]
    group = re.fullmatch(r"(bfp8|bfp4|bf16) weights (\S+)", name)
    if group:
        element, of = {"bfp8": ("bfp_bf8", None), "bfp4": ("bfp_bf4", None), "bf16": ("bf16", "f32")}[group.group(1)]
        return program.weights_as(element, group.group(2), of), []
    kind = re.fullmatch(r"bf16 activations of ttnn\.(\w+)", name)
    if kind:
        return program.activations_as("bf16", kind.group(1)), []
    simple = {
        "free everything after last use": lambda: (program.free_early(), []),
        "largest arguments first": lambda: (program.largest_first(), []),
        "const-eval first": lambda: (program.const_eval_first(), []),
        "no program cache": lambda: (program, ["--no-program-cache"]),
        "bf16 activations": lambda: (program.activations_as("bf16"), []),
        "bf16 const-eval": lambda: (program.const_evals_as("bf16"), []),
        "bf16 weights": lambda: (program.weights_as("bf16", None, "f32"), []),
        "bfp8 weights": lambda: (program.weights_as("bfp_bf8"), []),
        "bfp4 weights": lambda: (program.weights_as("bfp_bf4"), []),
    }
    return simple[name]() if name in simple else None


def made_so(program, names):
    """All of the changes, one after another."""
    options = []
    for name in names:
        made = changed(program, name)
        if not made:
            return None
        program, options = made[0], options + made[1]
    return program, options


def check_sets(ttmem, folder, path, program, base, seed):
    """The smallest set for a lower peak: it reaches it, and where it is said to be the smallest, nothing smaller does."""
    errors, tried, most = [], 0, {}
    for percent in (97, 90, 80):
        target = base * percent // 100
        fit = ask(ttmem, "fit", path, "--target", f"{target}B", "--exact")
        chosen = fit["smallest_set"]
        own = [c["name"] for c in fit["changes"] if c["exact"] and not c["other_device"] and changed(program, c["name"])]
        own = [name for name in own if not name.startswith("free everything")]

        def reaches(names):
            other = made_so(program, names)
            real = predicted(ttmem, folder, other[0], *other[1])
            return real["fits"] and real["peak"] <= target

        size = chosen["change_count"] if chosen else 3
        if chosen and chosen["exact"] and all(n in own for n in chosen["changes"]):
            tried += 1
            most[size] = most.get(size, 0) + 1
            other = made_so(program, chosen["changes"])
            error = difference(promised(chosen), predicted(ttmem, folder, other[0], *other[1]))
            if error or not reaches(chosen["changes"]):
                errors.append(f"seed {seed}, target {percent} %, {' + '.join(chosen['changes'])}: {error or 'not reached'}")
            # as asked for by name
            named = ask(ttmem, "fit", path, "--target", f"{target}B", *[w for n in chosen["changes"] for w in ("--try", n)])
            if size and promised(named["tried_set"]) != promised(chosen):
                errors.append(f"seed {seed}, target {percent} %: --try says something else")
        if chosen and not chosen["proven_smallest"]:
            continue
        for smaller in range(1, min(size, 3)):
            for names in itertools.combinations(own, smaller):
                tried += 1
                if reaches(names):
                    errors.append(f"seed {seed}, target {percent} %: {' + '.join(names)} is enough, {size} were said to be needed")
    return tried, errors, most


def main():
    ttmem, seeds = sys.argv[1], int(sys.argv[2])
    pairs, wrong, sets, kinds, sizes = 0, 0, 0, {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, seeds + 1):
            program = Program(seed)
            path = os.path.join(folder, "program.mlir")
            with open(path, "w") as f:
                f.write(program.text())
            fit = ask(ttmem, "fit", path)
            told = [("as it is", fit["as_it_was"], (program, []), True, 0)]
            for c in fit["changes"]:
                made = changed(program, c["name"])
                if made:
                    told.append((c["name"], c, made, c["exact"], c["uncertainty_bytes_per_bank"]))
            for name, result, (other, options), exact, off in told:
                pairs += 1
                kind = re.sub(r"%\d+", "%N", re.sub(r" (layers\.\*\S*|of ttnn\.\w+)$", " of a group", name))
                kinds[kind] = kinds.get(kind, 0) + 1
                real = predicted(ttmem, folder, other, *options)
                says = promised(result)
                error = difference(says, real)
                if exact and result["verdict"] == "may_fit":
                    error = "an exact replay that may fit"
                if not exact:
                    error = off_bounds(result, says, real, off)
                if error:
                    wrong += 1
                    print(f"FAILED: seed {seed}, {name}: {error}")
            tried, errors, most = check_sets(ttmem, folder, path, program, fit["as_it_was"]["peak_bytes_per_bank"], seed)
            sets += tried
            wrong += len(errors)
            for size, count in most.items():
                sizes[size] = sizes.get(size, 0) + count
            for error in errors:
                print(f"FAILED: {error}")
    print(f"{pairs} pairs, {sets} sets (found of size {sizes}), {wrong} wrong: " + ", ".join(f"{k} {n}" for k, n in sorted(kinds.items())))
    return 1 if wrong or pairs < 200 else 0


if __name__ == "__main__":
    sys.exit(main())
