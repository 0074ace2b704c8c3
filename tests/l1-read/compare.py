#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the buffers that were read by hand with those of a scan: compare.py TTMEM BUFFERS.json TT_METAL

Prints one line per difference, then how many sources agree."""
import json
import os
import subprocess
import sys


def plain(text):
    return "".join(text.replace("(", "").replace(")", "").split())


def described(buffer):
    backed = "always" if buffer["tensor_backed"] else "sometimes" if buffer["tensor_backed_when"] else "never"
    return {"kind": buffer["kind"], "size": buffer["total_size_expr"], "backed": backed,
            "conditional": bool(buffer["conditions"]), "name": buffer["name"], "index": (buffer["indices"] or [None])[0]}


def main(ttmem, table, tree):
    agree = wrong = 0
    for source in json.load(open(table))["sources"]:
        path = os.path.join(tree, source["path"])
        done = subprocess.run([ttmem, "l1", "scan", "--json", path], capture_output=True, text=True)
        found = [described(b) for f in json.loads(done.stdout)["files"] for b in f["buffers"]]
        before = wrong
        for want in source["buffers"]:
            key = "name" if "name" in want else "index"
            same = [b for b in found if b[key] == want[key] and b["kind"] == want["kind"]]
            if len(same) != 1:
                wrong += 1
                print(f"{source['path']}: {want[key]} is there {len(same)} times")
                continue
            have = same[0]
            for field in ("backed", "conditional"):
                if have[field] != want[field]:
                    wrong += 1
                    print(f"{source['path']}: {want[key]}: {field} is {have[field]}, read {want[field]}")
            if want["size"] and plain(have["size"]) != plain(want["size"]):
                wrong += 1
                print(f"{source['path']}: {want[key]}: {have['size']}, read {want['size']}")
        if len(found) != len(source["buffers"]):
            wrong += 1
            print(f"{source['path']}: {len(found)} buffers, read {len(source['buffers'])}")
        agree += before == wrong
    print(f"{agree} sources agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
