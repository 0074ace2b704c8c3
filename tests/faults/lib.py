# SPDX-License-Identifier: Apache-2.0
"""For the scripts of tests/faults: a folder of their own, counting, running ttmem."""
import atexit
import os
import shutil
import subprocess
import sys
import tempfile

build, counts_file = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 and sys.argv[2] != "--long" else os.devnull
ttmem = os.path.join(build, "ttmem")
work = tempfile.mkdtemp(prefix="ttmem-faults-")
atexit.register(shutil.rmtree, work, True)
passed = failed = 0
home = os.path.join(work, "home")
env = {**os.environ, "HOME": home, "TTMEM_HOME": os.path.join(home, ".ttmem"), "TMPDIR": work, "LC_ALL": "C.UTF-8"}
os.makedirs(home)


def check(good, what):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {os.path.basename(sys.argv[0])}:", what)
    return good


def genlog(name, *options):
    path = os.path.join(work, name)
    subprocess.run([os.path.join(build, "genlog"), "-o", path, *options], check=True, stdout=subprocess.DEVNULL)
    return path


def make_shim():
    """The library that makes calls fail, see shim.c."""
    shim = os.path.join(work, "shim.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shim.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-D_GNU_SOURCE", "-o", shim, source, "-ldl"], check=True)
    return shim


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names)


def finish():
    with open(counts_file, "w") as out:
        out.write(f"{passed} {failed}\n")
    sys.exit(failed > 0)
