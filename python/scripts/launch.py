# SPDX-License-Identifier: Apache-2.0
"""Starts ttmem under the name of the script that this file stands in for; ttmem takes the arguments of that script."""
import os
import shutil
import sys


def program():
    """The ttmem of the tree that this file is in: an installation, or a build folder; else the one on the PATH."""
    here = os.path.dirname(os.path.realpath(__file__))
    tools = here if os.path.basename(here) == "python-tools" else os.path.dirname(here)
    for place in ("../../../bin/ttmem", "../ttmem"):
        path = os.path.normpath(os.path.join(tools, place))
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return shutil.which("ttmem")


found = program()
if not found:
    print(f"{os.path.basename(__file__)}: ttmem is neither installed beside this script nor on the PATH", file=sys.stderr)
    sys.exit(127)
os.execv(found, [os.path.basename(__file__), *sys.argv[1:]])
