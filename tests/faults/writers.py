# SPDX-License-Identifier: Apache-2.0
"""Several writers of reports at once, and writers that are killed at every rename: each report is there, whole, and a reader
never takes a mixture for one."""
import json
import os
import shutil
import signal
import subprocess

from lib import *

logs = [genlog(f"{i}/model_profile.log", "--ops", str(30 + 10 * i), "--seed", str(i + 1)) for i in range(8) if not os.makedirs(os.path.join(work, str(i)))]
reports = os.path.join(env["TTMEM_HOME"], "reports")


def whole(folder):
    """What a reader says of a report, and which log its summary names."""
    read = subprocess.run([ttmem, "summary", folder, "--json"], env=env, capture_output=True, text=True)
    return read.returncode, (json.loads(read.stdout)["records"] if read.returncode == 0 else read.stderr)


def expected(log):
    read = subprocess.run([ttmem, "summary", log, "--json"], env=env, capture_output=True, text=True)
    return json.loads(read.stdout)["records"]


records = [expected(log) for log in logs]
check(len(set(records)) == 8, f"the logs differ: {records}")

for writers in (2, 8):
    for round in range(5):
        shutil.rmtree(reports, True)
        children = [subprocess.Popen([ttmem, "analyze", log, "-q"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for log in logs[:writers]]
        said = [child.communicate(timeout=300)[1].decode() for child in children]
        check(all(child.returncode == 0 for child in children), f"{writers} writers: {[c.returncode for c in children]} {said}")
        folders = sorted(os.listdir(reports))
        check(folders == sorted(["model"] + [f"model-{i}" for i in range(2, writers + 1)]), f"{writers} writers: reports {folders}")
        states = [whole(os.path.join(reports, folder)) for folder in folders]
        check(sorted(r for _, r in states) == sorted(records[:writers]), f"{writers} writers: every report once: {states}")
        left = [f for f in files_below(reports) if os.path.basename(f).startswith(".") or not f.endswith((".json", ".html", ".ttmem"))]
        check(not left, f"{writers} writers: left {left}")
    shutil.rmtree(reports, True)
    children = [subprocess.Popen([ttmem, "analyze", logs[0], "-q"], env=env, stdout=subprocess.DEVNULL) for _ in range(writers)]
    check(all(child.wait(300) == 0 for child in children), f"{writers} writers of one log")
    check(os.listdir(reports) == ["model"] and whole(os.path.join(reports, "model")) == (0, records[0]), f"{writers} writers of one log: one report")

# ended at every rename of a refresh with another run's data: only SIGKILL can leave a mixture, and what it leaves goes with the next report
shim = make_shim()
log = os.path.join(work, "model_profile.log")
for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    for at in range(1, 12):
        shutil.rmtree(reports, True)
        shutil.copyfile(logs[0], log)
        subprocess.run([ttmem, "analyze", log, "-q"], env=env, check=True, stdout=subprocess.DEVNULL)
        shutil.copyfile(logs[1], log)
        fault = {**env, "LD_PRELOAD": shim, "TTMEM_FAULT": "rename", "TTMEM_FAULT_AT": str(at), "TTMEM_FAULT_KILL": str(int(number))}
        ended = subprocess.run([ttmem, "analyze", log, "-q"], env=fault, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=work)
        status, told = whole(os.path.join(reports, "model"))
        if ended.returncode == 0:
            check(at > 6 and told == records[1], f"all renames done: {told}")
            break
        check(ended.returncode in (-number, 128 + number), f"{number.name}: {ended.returncode}")
        is_whole, is_mixture = status == 0 and told in records[:2], status == 3 and "do not belong together" in told
        check(is_whole or (is_mixture and number == signal.SIGKILL), f"{number.name} at rename {at}: {status} {told}")
        left = [f for f in os.listdir(os.path.join(reports, "model")) if f.startswith(".")]
        check(not left or number == signal.SIGKILL, f"{number.name} at rename {at}: left {left}")
        again = subprocess.run([ttmem, "analyze", log, "-q"], env=env, stdout=subprocess.DEVNULL)
        check(again.returncode == 0 and whole(os.path.join(reports, "model")) == (0, records[1]), f"analyzed again after {number.name} at rename {at}")
        left = [f for f in os.listdir(os.path.join(reports, "model")) if f.startswith(".")]
        check(not left, f"analyzed again after {number.name} at rename {at}: left {left}")
    check(ended.returncode == 0, "more renames than files")

# names that a report cannot have
for name, made in (("a..b.log", "a.-b"), (".x.log", "-x"), ("ü" * 110 + ".log", "ü" * 100), ("....log", "-.-"), ("n\nl.log", "n-l"), ("\x1b[31mred.log", "-[31mred"), (b"\xff\xfe.log", "--"), (b"a\xc2.log", "a-"), (b"\xc2\x9b1m.log", "-1m"), ("\U0001f600 é.log", "\U0001f600 é")):
    shutil.rmtree(reports, True)
    odd = os.path.join(work, os.fsdecode(name))
    shutil.copyfile(logs[0], odd)
    ran = subprocess.run([ttmem, "analyze", odd, "-q"], env=env, capture_output=True, text=True)
    check(ran.returncode == 0, f"{name}: {ran.returncode} {ran.stderr}")
    found = os.listdir(reports) if os.path.isdir(reports) else []
    check(found == [made], f"{name}: is analysed as {found}, not {made}")
    check(len(found) == 1 and whole(os.path.join(reports, found[0])) == (0, records[0]), f"{name}: is analysed under a made name: {found}")

# last-run --in-place keeps mode and links
target = genlog("passes.log", "--ops", "40", "--warmup", "2")
os.chmod(target, 0o640)
link = os.path.join(work, "link.log")
os.symlink("passes.log", link)
ran = subprocess.run([ttmem, "last-run", link, "--in-place"], env=env, capture_output=True, text=True)
check(ran.returncode == 0 and os.path.islink(link), f"--in-place keeps a link: {ran.returncode} {ran.stderr}")
check(os.stat(target).st_mode & 0o777 == 0o640, f"--in-place keeps the mode: {oct(os.stat(target).st_mode)}")
if os.geteuid() == 0:
    os.chown(target, 12345, 12345)
    subprocess.run([ttmem, "last-run", target, "--in-place"], env=env, capture_output=True)
    check(os.stat(target).st_uid == 12345 and os.stat(target).st_gid == 12345, "--in-place keeps the owner")
    shared = os.path.join(work, "shared")
    os.mkdir(shared)
    os.chmod(work, 0o755)
    os.chmod(shared, 0o777)
    theirs = os.path.join(shared, "theirs.log")
    own = shutil.copy(ttmem, os.path.join(work, "ttmem"))  # a checkout may be in a folder that others cannot enter
    stranger = ["setpriv", "--reuid", "54321", "--regid", "54321", "--clear-groups", own]
    for mode in (0o644, 0o666):
        shutil.copyfile(logs[0], theirs)
        os.chmod(theirs, mode)
        os.chown(theirs, 12345, 12345)
        ran = subprocess.run([*stranger, "last-run", theirs, "--in-place"], env=env, capture_output=True, text=True)
        check(ran.returncode == 5 and os.stat(theirs).st_uid == 12345, f"--in-place of another user's file: {ran.returncode} {ran.stderr}")
        check(os.listdir(shared) == ["theirs.log"], f"--in-place of another user's file: {os.listdir(shared)}")
again = genlog("linked.log", "--ops", "40", "--warmup", "2")
os.link(again, again + "2")
ran = subprocess.run([ttmem, "last-run", again, "--in-place"], env=env, capture_output=True, text=True)
check(ran.returncode == 5 and "hard links" in ran.stderr and os.path.samefile(again, again + "2"), f"--in-place of a hard link: {ran.returncode} {ran.stderr}")
os.mkfifo(os.path.join(work, "fifo"))
ran = subprocess.run([ttmem, "last-run", os.path.join(work, "fifo"), "--in-place"], env=env, capture_output=True, text=True, timeout=60)
check(ran.returncode == 2, f"--in-place of a pipe: {ran.returncode} {ran.stderr}")
longest = os.path.join(work, "n" * 251 + ".log")
shutil.copyfile(again, longest)
ran = subprocess.run([ttmem, "last-run", longest, "--in-place"], env=env, capture_output=True, text=True)
check(ran.returncode == 0, f"--in-place of the longest name: {ran.returncode} {ran.stderr}")

# signals that end the program leave nothing
big = genlog("big.log", "--bytes", "8M")
for number in (signal.SIGQUIT, signal.SIGABRT, signal.SIGTERM, signal.SIGSEGV):
    for late in range(6):
        out = os.path.join(work, "signals")
        shutil.rmtree(out, True)
        child = subprocess.Popen([ttmem, "analyze", big, "--output-dir", out, "-q"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=work)
        while child.poll() is None and not (os.path.isdir(out) and os.listdir(out)):
            pass
        child.send_signal(number)
        child.wait(60)
        left = [f for f in files_below(out) if f.startswith(".") or not f.endswith((".json", ".html", ".ttmem"))] if os.path.isdir(out) else []
        check(not left, f"signal {number}: left {left}")
finish()
