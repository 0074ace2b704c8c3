# SPDX-License-Identifier: Apache-2.0
"""Finds and runs the program ttmem."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import List, Optional, Tuple


def find() -> Optional[str]:
    """Looks in $TTMEM_PROGRAM, beside the interpreter (a virtual environment), on the PATH, and in the build folder of a source tree."""
    if os.environ.get("TTMEM_PROGRAM"):
        return os.environ["TTMEM_PROGRAM"]
    for place in (Path(sys.executable).parent / "ttmem", shutil.which("ttmem"), Path(__file__).resolve().parents[2] / "build" / "ttmem"):
        if place and os.access(place, os.X_OK):
            return str(place)
    return None


def ask(arguments: List[str], text: Optional[bytes] = None) -> Tuple[int, str, str]:
    """Runs ttmem with the arguments. Returns its exit status and what it wrote to stdout and stderr."""
    program = find()
    if program is None:
        raise FileNotFoundError("the program ttmem was not found; set TTMEM_PROGRAM to its path")
    environment = dict(os.environ, NO_COLOR="1", TERM="dumb")
    # a file that the tested program writes its log to is not ours
    for name in ("GITHUB_STEP_SUMMARY",):
        environment.pop(name, None)
    done = subprocess.run([program, *arguments], input=text if text is not None else b"", stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
