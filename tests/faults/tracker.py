# SPDX-License-Identifier: Apache-2.0
"""libttmem reads a capture while an allocation fails: no call ends the process, or counts only a part and says that all is
well."""
from lib import *

here = os.path.dirname(os.path.abspath(__file__))
capture = os.path.join(here, "..", "data", "graph", "matmul_add_report.json")
program = os.path.join(work, "tracker")
subprocess.run(["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-I", os.path.join(here, "..", "..", "include"), "-o", program, os.path.join(here, "tracker.c"), os.path.join(build, "libttmem.so"), f"-Wl,-rpath,{build}"], check=True)
PLACES = "400"
peak = subprocess.run([program, capture, PLACES], capture_output=True, text=True).stdout.strip()
check(peak.isdigit() and int(peak) > 0, f"the peak is {peak}")
ran = subprocess.run([program, capture, PLACES, peak], capture_output=True, text=True, env=env)
check(ran.returncode == 0 and int(ran.stdout) > 10, f"{ran.stdout}{ran.stderr}")
finish()
