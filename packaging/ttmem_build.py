# SPDX-License-Identifier: Apache-2.0
"""Makes wheels of ttmem: the build backend of pyproject.toml (pip install . and pip install -e . in a checkout), and a script

    python3 packaging/ttmem_build.py BUILD-FOLDER OUT-FOLDER

that makes a wheel for other machines from a built folder. A wheel holds the program, libttmem and the Python package. Nothing is
downloaded, except the packages of package-lock.json by npm when node_modules is not there yet."""
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSION = re.search(r"^project\(ttmem VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
METADATA = f"""Metadata-Version: 2.1
Name: ttmem
Version: {VERSION}
Summary: Memory profiler for Tenstorrent chips
License: Apache-2.0
Requires-Python: >=3.8
Description-Content-Type: text/markdown

"""
# pytest finds its plugins by these.
ENTRY_POINTS = """[pytest11]
ttmem = ttmem.pytest_plugin
"""
# A wheel cannot hold links: the older names are scripts that start the program beside them under their own name.
OLDER_NAME = """#!python
import os, sys
os.execv(os.path.join(os.path.dirname(os.path.abspath(__file__)), "ttmem"), sys.argv)
"""
RPATH = "$ORIGIN/../lib/ttmem:$ORIGIN/../lib/ttmem/cxx"


def run(*command, **settings):
    return subprocess.run([str(word) for word in command], check=True, text=True, **settings)


def epoch():
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if not given:
        found = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True)
        given = found.stdout.strip() or "0"
    return max(int(given), 315532800)  # a zip begins in 1980


class Wheel:
    """Gathers files, then writes them sorted, with fixed times, and RECORD last."""

    def __init__(self, tag):
        self.name = f"ttmem-{VERSION}-{tag}.whl"
        self.info = f"ttmem-{VERSION}.dist-info"
        self.files = {}  # path in the wheel: (bytes, mode)
        self.add(f"{self.info}/METADATA", (METADATA + (ROOT / "README.md").read_text(encoding="utf-8")).encode())
        self.add(f"{self.info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: ttmem\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        self.add(f"{self.info}/entry_points.txt", ENTRY_POINTS.encode())
        self.add(f"{self.info}/LICENSE", (ROOT / "LICENSE").read_bytes())

    def add(self, path, data, mode=0o644):
        self.files[path] = (data, mode)

    def add_file(self, path, source, mode=0o644):
        self.add(path, Path(source).read_bytes(), mode)

    def script(self, name, data):
        self.add(f"ttmem-{VERSION}.data/scripts/{name}", data, 0o755)

    def write(self, folder):
        record = ""
        with zipfile.ZipFile(Path(folder) / self.name, "w", zipfile.ZIP_DEFLATED) as archive:
            def put(path, data, mode):
                entry = zipfile.ZipInfo(path, time.gmtime(epoch())[:6])
                entry.external_attr = (0o100000 | mode) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, data)

            for path, (data, mode) in sorted(self.files.items()):
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                record += f"{path},sha256={digest},{len(data)}\n"
                put(path, data, mode)
            put(f"{self.info}/RECORD", (record + f"{self.info}/RECORD,,\n").encode(), 0o644)
        return self.name


def machine():
    return os.uname().machine


def older_programs():
    """[(name, script)] of the older programs: a script has its folder, "" is a command."""
    return re.findall(r'^PROGRAM\("([^"]*)", "[^"]*", "([^"]*)"', (ROOT / "src/cmd/line/programs.def").read_text(), re.M)


def older_names():
    return [name + ending for name, script in older_programs() for ending in ("", ".py") if script or not ending]


def add_scripts(wheel):
    for script in filter(None, (script for _, script in older_programs())):
        wheel.add_file(f"ttmem-{VERSION}.data/data/share/ttmem/python-tools/{script}", ROOT / "python/scripts/launch.py")


def add_tree(wheel, stage):
    """Program, library, Python package and manual of an installed tree."""
    for name in older_names():
        wheel.script(name, OLDER_NAME.encode())
    add_scripts(wheel)
    for source in sorted((ROOT / "python/ttmem").glob("*.py")):
        wheel.add_file(f"ttmem/{source.name}", source)
    wheel.script("ttmem", (stage / "bin/ttmem").read_bytes())
    for library in ("libttmem", "libttmem_run"):
        wheel.add_file(f"ttmem/{library}.so", stage / f"lib/{library}.so.{VERSION}", 0o755)
    for schema in sorted((stage / "share/ttmem/schemas").glob("*.json")):
        wheel.add_file(f"ttmem-{VERSION}.data/data/share/ttmem/schemas/{schema.name}", schema)
    for page in sorted((stage / "share/man").glob("man*/*")):
        wheel.add_file(f"ttmem-{VERSION}.data/data/share/man/{page.parent.name}/{page.name}", page)


def install(build, stage):
    run("cmake", "--install", build, "--strip", "--prefix", stage, stdout=subprocess.DEVNULL)


def newest_glibc(files):
    """The newest version of glibc that one of the files asks for, as (2, 36)."""
    needed = run("objdump", "-T", *files, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return max(tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_(\d+\.\d+)", needed))


def portable_wheel(build, out):
    """A wheel that needs nothing but glibc: the other shared libraries come with it."""
    with tempfile.TemporaryDirectory() as folder:
        stage = Path(folder) / "stage"
        install(build, stage)
        program, *ours = stage / "bin/ttmem", stage / f"lib/libttmem.so.{VERSION}", stage / f"lib/libttmem_run.so.{VERSION}"
        brought = Path(folder) / "lib"
        shell = ["bash", "-c", 'build=$1; source packaging/lib.sh; "${@:2}"', "-", build]
        run(*shell, "bring_libraries", brought, program, *ours, cwd=ROOT)
        licences = Path(folder) / "licences"
        run(*shell, "bring_licences", licences, program, cwd=ROOT)
        beside = [Path(line.split()[1]) for line in run(*shell, "libraries", *ours, cwd=ROOT, stdout=subprocess.PIPE).stdout.splitlines()]
        run("patchelf", "--force-rpath", "--set-rpath", RPATH, program)
        for library in ours:
            run("patchelf", "--set-rpath", "$ORIGIN/lib", library)
        libraries = sorted(path for path in brought.rglob("*") if path.is_file())
        major, minor = newest_glibc([program, *ours, *libraries])
        wheel = Wheel(f"py3-none-manylinux_{major}_{minor}_{machine()}")
        add_tree(wheel, stage)
        for path in libraries:
            wheel.add_file(f"ttmem-{VERSION}.data/data/lib/ttmem/{path.relative_to(brought)}", path)
        for path in beside:
            cxx = path.name.startswith(("libstdc++", "libgcc_s"))
            wheel.add_file(f"ttmem/{'cxx' if cxx else 'lib'}/{path.name}", path)
        for path in sorted(licences.iterdir()):
            wheel.add_file(f"{wheel.info}/licenses/{path.name}", path)
        return wheel.write(out)


def built():
    """The folder of a release build of this checkout, brought up to date."""
    for program in ("cmake", "ninja", "pkg-config", "node"):
        if not shutil.which(program):
            sys.exit(f"ttmem is built with {program}, which is not there; ./dev setup installs everything on Debian and Ubuntu")
    if not (ROOT / "node_modules/tree-sitter-python").exists():
        run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", cwd=ROOT)
    run("cmake", "--preset", "release", cwd=ROOT)
    run("cmake", "--build", "build", "--target", "ttmem", "ttmem_shared", "ttmem_run_shared", "ttmem_static_archive", "manual", cwd=ROOT)
    return ROOT / "build"


# --- the hooks of PEP 517 and PEP 660 ---


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """A wheel for this machine: built here, against the libraries that are here."""
    build = built()
    with tempfile.TemporaryDirectory() as folder:
        stage = Path(folder) / "stage"
        install(build, stage)
        wheel = Wheel(f"py3-none-linux_{machine()}")
        add_tree(wheel, stage)
        return wheel.write(wheel_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The package and the program stay in the checkout."""
    build = built()
    wheel = Wheel(f"py3-none-linux_{machine()}")
    wheel.add("ttmem-checkout.pth", f"{ROOT / 'python'}\n".encode())
    for name in ["ttmem", *older_names()]:
        start = f"import os, sys\nos.execv({str(build / 'ttmem')!r}, [{name!r}, *sys.argv[1:]])\n"
        wheel.script(name, ("#!python\n" + start).encode())
    add_scripts(wheel)
    return wheel.write(wheel_directory)


def build_sdist(sdist_directory, config_settings=None):
    """The files of the checkout as git knows them."""
    name = f"ttmem-{VERSION}"
    tracked = run("git", "ls-files", "-z", cwd=ROOT, stdout=subprocess.PIPE).stdout.split("\0")
    with tarfile.open(Path(sdist_directory) / f"{name}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(filter(None, tracked)):
            archive.add(ROOT / path, f"{name}/{path}", recursive=False)
        info = tarfile.TarInfo(f"{name}/PKG-INFO")
        info.size, info.mtime = len(METADATA.encode()), epoch()
        with tempfile.TemporaryFile() as text:
            text.write(METADATA.encode())
            text.seek(0)
            archive.addfile(info, text)
    return f"{name}.tar.gz"


if __name__ == "__main__":
    print(Path(sys.argv[2]) / portable_wheel(Path(sys.argv[1]).resolve(), sys.argv[2]))
