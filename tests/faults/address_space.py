# SPDX-License-Identifier: Apache-2.0
"""Little address space, with several threads and deep calls: however much there is, a command ends with its answer, or with status
70 and one sentence; a stack that cannot grow is not a crash."""
import random
import resource

from lib import *

log = genlog("run.log", "--bytes", "24M", "--ops", "200")
out = os.path.join(work, "run.db")
COMMANDS = {
    "export": ["export", "--format", "sqlite", log, "-o", out],
    "summary": ["summary", "--json", log],
    "analyze": ["analyze", log, "--output-dir", os.path.join(work, "report"), "--force", "-q"],
}


def run(command, kib):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (kib << 10, kib << 10))

    if os.path.exists(out):
        os.remove(out)
    return subprocess.run([ttmem, *command], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=limit)


random.seed(1)
for name, command in COMMANDS.items():
    least, most = 0, 1 << 20
    while most - least > 1024:
        middle = (least + most) // 2
        if run(command, middle).returncode == 0:
            most = middle
        else:
            least = middle
    for kib in (random.randint(most * 2 // 3, most) for _ in range(400 if "--long" in sys.argv else 60)):
        ran = run(command, kib)
        told = ran.stderr.decode(errors="replace")
        good = ran.returncode == 0 or (ran.returncode == 70 and told == "ttmem: out of host memory\n")
        check(good, f"{name} with {kib} KiB of address space: {ran.returncode}, {told!r}")
        check(not any("tmp" in path for path in files_below(work)), f"{name} with {kib} KiB left {files_below(work)}")
finish()
