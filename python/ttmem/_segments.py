# SPDX-License-Identifier: Apache-2.0
"""What tt-metal's segments of shared memory say about this process and its children: bytes over all banks of all chips."""

import glob
import json
import os
from typing import Dict, Optional

from . import _program
from ._host import _children

POOLS = ("dram", "l1", "l1_small", "trace", "cb")


def held() -> Optional[Dict[str, int]]:
    """Bytes that are allocated now, by pool; None if no chip has a segment that can be read."""
    folder = os.environ.get("TTMEM_SHM_DIR") or "/dev/shm"
    if not glob.glob(os.path.join(glob.escape(folder), "tt_device_*_memory")):
        return None
    status, out, _ = _program.ask(["top", "--once", "--json"])
    lines = out.splitlines()
    devices = [one for one in json.loads(lines[0])["devices"] if one["problem"] is None] if status == 0 and lines else []
    if not devices:
        return None
    ours = {os.getpid(), *_children(os.getpid())}
    return {
        pool: sum(process["memory"][pool + "_bytes"] for device in devices for process in device["processes"] if process["pid"] in ours)
        for pool in POOLS
    }


def left(before: Optional[Dict[str, int]], after: Optional[Dict[str, int]]) -> Dict[str, int]:
    """What is allocated after something that was not allocated before it, by pool; empty if the segments do not show it.

    >>> left({"dram": 5}, {"dram": 7}), left(None, {"dram": 7}), left({"dram": 5}, None)
    ({'dram': 2}, {'dram': 7}, {})
    """
    if after is None:
        return {}
    return {pool: number - (before or {}).get(pool, 0) for pool, number in after.items()}
