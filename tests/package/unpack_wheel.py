# SPDX-License-Identifier: Apache-2.0
"""Unpacks a wheel as pip does into a virtual environment, and checks it against its RECORD: unpack_wheel.py WHEEL FOLDER"""
import base64
import hashlib
import sys
import zipfile
from pathlib import Path

wheel, folder = zipfile.ZipFile(sys.argv[1]), Path(sys.argv[2])
names = wheel.namelist()
record_name = next(name for name in names if name.endswith(".dist-info/RECORD"))
record = dict(line.rsplit(",", 2)[:2] for line in wheel.read(record_name).decode().splitlines())
if sorted(record) != sorted(names):
    sys.exit(f"RECORD and files differ: {sorted(set(record) ^ set(names))}")
for name in names:
    data = wheel.read(name)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    if name != record_name and record[name] != "sha256=" + digest:
        sys.exit(f"{name}: not the hash of RECORD")
    top, _, rest = name.partition("/")
    place = folder / "lib/python3/site-packages" / name
    if top.endswith(".data"):
        kind, _, rest = rest.partition("/")
        place = folder / ("bin" if kind == "scripts" else "") / rest
    if data.startswith(b"#!python"):
        data = data.replace(b"#!python", b"#!" + sys.executable.encode(), 1)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    place.chmod(wheel.getinfo(name).external_attr >> 16 & 0o777)
