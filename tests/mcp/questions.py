# SPDX-License-Identifier: Apache-2.0
"""The questions of docs/agents.md, each on a run whose truth is known, answered through ttmem mcp: at most two calls, at most 4,096 bytes of
content. questions.py BUILD"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

root = os.path.abspath(".")
sys.path.insert(0, f"{root}/tests/planted")
from planted import MIB, Planted  # noqa: E402

build = os.path.abspath(sys.argv[1])
ttmem, genlog = f"{build}/ttmem", f"{build}/genlog"
MOST_CALLS, MOST_BYTES = 2, 4096
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
work = tempfile.mkdtemp(prefix="ttmem-questions-")
env = {**os.environ, "HOME": work, "TTMEM_HOME": f"{work}/home", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
os.makedirs(f"{work}/home")
server = subprocess.Popen([ttmem, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=work, env=env)
passed = failed = number = 0
asked = []


def call(tool, **arguments):
    global number
    number += 1
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments, "_meta": META}}) + "\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())["result"]["content"][0]["text"]


def question(text, calls, *wanted):
    """Every one of `wanted` stands in the content: a string, or a pattern of re."""
    global passed, failed
    content = "".join(call(tool, **arguments) for tool, arguments in calls)
    missing = [w for w in wanted if not (w.search(content) if isinstance(w, re.Pattern) else w in content)]
    size = len(content.encode())
    asked.append((text, calls[0][0]))
    if missing or len(calls) > MOST_CALLS or size > MOST_BYTES:
        failed += 1
        print(f"FAILED: {text}: {size} bytes, {len(calls)} calls, missing {missing}\n{content}")
    else:
        passed += 1


def generated(name, *options):
    subprocess.run([genlog, "-o", f"{work}/{name}", *options], check=True)
    return name


def planted(name, **device):
    return Planted(f"{work}/{name}", **device)


def mb(n):
    return f"{n / MIB:.3f} MB"


# what passes leave: 33x4096 bf16 is 2 x 128 tiles of 2048 B on 12 banks, 22 tiles or 44.0 KB, of two ops
leak = generated("leak.log", *"--ops 60 --batch 1 --seq 33 --hidden 1024 --const-eval 0 --warmup 6 --change leak".split())
question("Does memory leak from pass to pass, which op does it, and how much?", [("ttmem_summary", {"run": leak})],
         "33x4096 bf16  44.0 KB per bank on average in 7 of 7 passes", "TTNN:81", "dot.68")
question("After how many more passes is the memory full?", [("ttmem_summary", {"run": leak})],
         re.compile(r"reaches the bank's end after about 11,8[0-9]{2} more passes"))
question("What holds the peak, and how much of it is left over from earlier passes?", [("ttmem_live", {"run": leak, "limit": 5})],
         "12 of them left by earlier passes: 0.516 MB", "unattributed       0.000 MB")

# a program with one thing of each kind
log = planted("model.log")
x, w = log.argument("x", "64x4096"), log.argument("w", "4096x4096", role="parameter")
cache = log.argument("layers.0.k_cache", "8x8x1024x128", kv_cache=True)
with log.program([x, w, cache]):
    h = log.op("ttnn.matmul", [x, w], "64x4096", location="layers.0.mlp")
    log.op("ttnn.update_cache", [cache, h], location="layers.0.attn")
    narrow = log.op("ttnn.reshape", [h], "64x4096x1", location="layers.0.head")
    log.free(narrow)
    giant = log.op("ttnn.matmul", [h, w], "4096x8192", location="layers.0.scores")
    late = log.op("ttnn.relu", [giant], "8192x8192", location="layers.1.mlp")
    log.free(giant)
    wide = log.op("ttnn.typecast", [h], "64x4096", "f32", location="layers.1.norm")
    log.free(wide)
    log.free(log.op("ttnn.add", [late, late], "32x32", location="layers.1.out"))
    for i in range(6):
        h, old = log.op("ttnn.multiply", [h, h], "64x4096", location=f"layers.{i + 2}.mlp"), h
        log.free(old)
    big = log.op("ttnn.matmul", [h, w], "16384x8192", location="layers.9.scores")
    log.free(late)
    log.result(h)
log.close()
model = "model.log"
question("What is the peak, after which op, and how full is the bank?", [("ttmem_summary", {"run": model})],
         f"{log.peak / MIB:9.1f} / 1022.2 MB per bank", f"after #{log.peak_index} ttnn.")
question("How much of the peak is weights, activations and KV cache?", [("ttmem_live", {"run": model, "by": "class"})],
         f"{mb(w.bytes)}        1 x  weight", f"{mb(cache.bytes)}        1 x  kv_cache")
question("Which op makes memory rise most?", [("ttmem_ops", {"run": model, "by": "growth", "limit": 2})],
         f"+{mb(big.bytes)}  #{big.index} ttnn.matmul", "layers.9.scores")
# 64x4096x1: 64 x 128 tiles of 2048 B store 262,144 elements of 2 bytes
question("Where does padding waste most, and how much?", [("ttmem_ops", {"run": model, "by": "padding", "limit": 1})],
         mb(64 * 128 * 2048 - 64 * 4096 * 2), f"#{narrow.index} ttnn.reshape", "64x4096x1 bf16 → 64x4096x32")
question("Which ops are in f32, anywhere in the run?", [("ttmem_ops", {"run": model, "dtype": "f32"})], f"#{wide.index} ttnn.typecast", "layers.1.norm")
question("Is something freed too late, and how much would freeing it earlier save?", [("ttmem_summary", {"run": model})],
         f"the DRAM peak would be {mb(late.bytes)} per bank lower if everything were freed at its last use")
question("What is alive before op 7?", [("ttmem_live", {"run": model, "at": 7, "limit": 3})], mb(late.bytes), f"#{late.index} ttnn.relu  layers.1.mlp")
question("Where does an op come from, in the IR and in the model?", [("ttmem_op", {"run": model, "index": giant.index})],
         re.compile(r"ir +TTNN:\d+ +%2 = \"ttnn.matmul\""), "location    layers.0.scores")

# a bank of 64 MB fills up: 8 MB of arguments and then 6 MB with each op
log = planted("full.log", bank=64 * MIB)
x = log.argument("x", "6144x8192")
with log.program([x]):
    held, first = x, None
    for i in range(9):
        held = log.op("ttnn.relu", [held], "4608x8192", location=f"layers.{i}")
        if first is None and log.allocated >= 0.8 * log.bank:
            first = held
    log.result(held)
log.close()
question("Which is the first op over 80 %?", [("ttmem_ops", {"run": "full.log", "over": "dram=80%", "limit": 1})], f"#{first.index} ttnn.relu", f"layers.{first.index}")

# fragments: from op 5 on no free block has 64 MB
log = planted("fragments.log")
x = log.argument("x", "64x4096")
with log.program([x]):
    h = x
    for i in range(10):
        if i == 6:
            log.fragment(50 * MIB)
        h = log.op("ttnn.relu", [h], "64x4096", location=f"layers.{i}")
    log.result(h)
log.close()
question("After which op does a request of 64 MB per bank no longer fit?", [("ttmem_ops", {"run": "fragments.log", "since_fits": "64MB", "limit": 1})], "#5 ttnn.relu")

# weights that are held twice
log = planted("twice.log")
x, twice, wide = log.argument("x", "32x1024"), log.argument("layers.3.w", "1024x1024", role="parameter"), log.argument("head.w", "1024x1024", role="parameter")
with log.program([x, twice, wide]):
    a = log.cached("main_const_eval_0", twice, "ttnn.permute", "1024x1024")
    b = log.cached("main_const_eval_1", twice, "ttnn.permute", "1024x1024")
    c = log.cached("main_const_eval_2", wide, "ttnn.typecast", "1024x1024", "f32")
    y = log.op("ttnn.matmul", [x, a], "32x1024")
    log.result(y)
log.close()
question("Are weights held more than once, which, and how much is that?", [("ttmem_summary", {"run": "twice.log"})],
         f"{mb(a.bytes + c.bytes)} per bank held more than once: 1 prepared alike several times, 1 copy in f32 of a bf16 weight", "largest head.w")


def cached_model(name, length, dtype="bf16", failing=False):
    log = planted(name)
    x, k = log.argument("x", "32x4096"), log.argument("k_cache", f"8x8x{length}x128", kv_cache=True)
    w = log.argument("w", "4096x4096", role="parameter")
    with log.program([x, k, w]):
        h = log.op("ttnn.matmul", [x, w], "32x4096", location="layers.0.mlp")
        log.op("ttnn.update_cache", [k, h], location="layers.0.attn")
        y = log.op("ttnn.softmax", [h], "4096x4096", dtype, location="layers.0.scores")
        z = log.op("ttnn.relu", [y], "32x4096", location="layers.0.out")
        log.result(z)
    log.close()
    return log, k


short, k_short = cached_model("short.log", 1024)
long, k_long = cached_model("long.log", 8192)
question("Why did the peak grow between two runs?", [("ttmem_compare", {"before": "short.log", "after": "long.log"})],
         f"+{mb(k_long.bytes - k_short.bytes)}", "kv_cache", "8x8x1024x128", "8x8x8192x128")
cached_model("f32.log", 1024, "f32")
question("Which op has another type than before?", [("ttmem_compare", {"before": "short.log", "after": "f32.log"})], "ttnn.softmax", "4096x4096 bf16", "4096x4096 f32")
question("Does the run keep its limits?", [("ttmem_check", {"run": "long.log", "rules": ["max dram.peak 40%", "no-failure"]})], "dram.peak", "2 of 2 rules hold")

# failures
FULL = ("Out of Memory: Not enough space to allocate 8589934592 B DRAM buffer across 12 banks, where each bank needs to store 715829248 B, but bank size is "
        "1071821792 B (allocated: 600000000 B, free: 471821792 B, largest free block: 471821792 B)")
PIECES = ("Out of Memory: Not enough space to allocate 2400000000 B DRAM buffer across 12 banks, where each bank needs to store 200000000 B, but bank size is "
          "1071821792 B (allocated: 600000000 B, free: 471821792 B, largest free block: 100000000 B)")
CLASH = ("Statically allocated circular buffers on core range [(x=0,y=0) - (x=7,y=7)] grow to 1500000 B which is beyond max L1 size of 1499136 B")
TRACE = ("Creating trace buffers of size 30000000B on MeshDevice 1, but only 25000000B is allocated for trace region.")
question("It ran out of memory: how much is missing, and what is the smallest fix?", [("ttmem_explain", {"text": FULL})], "244,007,456 B", "1.")
question("Was the memory full or in pieces?", [("ttmem_explain", {"text": PIECES})], "fragmented", "100,000,000 B")
question("Do circular buffers clash with L1, and by how much?", [("ttmem_explain", {"text": CLASH})], "864 B")
question("Is the trace region too small?", [("ttmem_explain", {"text": TRACE})], "Trace region short by 5,000,000 B: set trace_region_size to at least 30000000")

ranks = []
for rank in range(3):
    log = planted(f"r{rank}.log", rank=rank)
    x, extra = log.argument("x", "64x4096"), log.argument("y", "4096x4096") if rank == 2 else None
    with log.program([x] + ([extra] if extra else []), module=False):
        h = log.op("ttnn.relu", [x], "2048x4096", location="layers.0")
        if extra:
            log.op("ttnn.relu", [extra], "32x32", location="layers.0.more")
        log.result(h)
    log.close()
    ranks.append(open(f"{work}/r{rank}.log").read())
open(f"{work}/ranks.log", "w").write("".join(ranks))
question("Which rank needs more than the others?", [("ttmem_ranks", {"run": "ranks.log"})], re.compile(r"1,2 .*\n"), mb(log.peak)[:-3])
whole = open(f"{work}/model.log").read()
open(f"{work}/cut.log", "w").write(whole[:whole.rindex("Executing operation: %9")])
question("Is the log complete?", [("ttmem_summary", {"run": "cut.log"})], "1 program did not finish")
shutil.copy(f"{root}/examples/group_norm_ttnn.mlir", f"{work}/module.mlir")
# a tensor of 1x32x2x1003520 f32 is 32 x 31,360 tiles of 4,096 B on 12 banks, two of them are held and a third is wanted; with twice the
# batch two are more than a bank of 1,022.2 MB
third, doubled = -(-32 * 31360 // 12) * 4096, -(-2 * 32 * 31360 // 12) * 4096
question("Does a compiled module fit, before it runs?", [("ttmem_predict", {"module": "module.mlir", "device": "n150"})],
         re.compile(r"^does not fit: DRAM is fragmented at op 6 of 11 \(#9\), ttnn.multiply", re.M), f"wants {third / MIB:.1f} MB in one piece")
question("And with twice the batch?", [("ttmem_predict", {"module": "module.mlir", "device": "n150", "batch": 2})],
         re.compile(r"^does not fit: DRAM is exhausted at op 5 of 11 \(#8\), ttnn.subtract", re.M), f"wants {doubled / MIB:.1f} MB in one piece")
# 32768x32768 is 1,048,576 tiles on 12 banks, of 2,048 B in bf16 and of 1,088 B in bfloat8_b
log = planted("weights.log")
x, w = log.argument("x", "64x32768"), log.argument("w", "32768x32768", role="parameter")
with log.program([x, w]):
    log.result(log.op("ttnn.matmul", [x, w], "64x32768", location="layers.0.mlp"))
log.close()
tiles = -(-1024 * 1024 // 12)
question("What would weights in bfloat8_b save?", [("ttmem_predict", {"module": "weights.log", "device": "n150"}),
                                                    ("ttmem_predict", {"module": "weights.log", "device": "n150", "weights": "bfp_bf8"})],
         re.compile(rf"weights \(1\) +{tiles * 2048 / MIB:.1f} "), re.compile(rf"weights \(1\) +{tiles * 1088 / MIB:.1f} "))

server.stdin.close()
server.wait(60)
shutil.rmtree(work)
listed = re.findall(r"^\| (.*\?) \| `(ttmem_[a-z]+)`", open(f"{root}/docs/agents.md").read(), re.M)
if listed == asked:
    passed += 1
else:
    failed += 1
    print("FAILED: the questions of docs/agents.md are", [q for q in listed if q not in asked], "beyond, and lack", [q for q in asked if q not in listed])
print(f"{passed} passed, {failed} failed")
