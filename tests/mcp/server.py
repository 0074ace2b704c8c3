# SPDX-License-Identifier: Apache-2.0
"""Speaks the Model Context Protocol with ttmem as a client would, and compares every tool with its command."""
import base64
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

build = os.path.abspath(sys.argv[1])
ttmem, genlog = f"{build}/ttmem", f"{build}/genlog"
root = os.path.abspath(".")
passed = failed = 0

VERSION, CLIENT = "io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"
META = {VERSION: "2026-07-28", CLIENT: {}}


def check(name, ok, seen=None):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {name}: {str(seen)[:2000]}")


class Server:
    """ttmem mcp over pipes."""

    def __init__(self, *args, cwd=None, env=None):
        self.child = subprocess.Popen([ttmem, "mcp", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=cwd, env=env)
        self.number = 0

    def send(self, message):
        self.child.stdin.write(message if isinstance(message, str) else json.dumps(message) + "\n")
        self.child.stdin.flush()

    def read(self):
        return json.loads(self.child.stdout.readline())

    def ask(self, method, **params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": {**params, "_meta": {**META, **params.get("_meta", {})}}})
        answer = self.read()
        assert answer["id"] == self.number, answer
        return answer

    def call(self, tool, **arguments):
        return self.ask("tools/call", name=tool, arguments=arguments)

    def rss_kb(self):
        return int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{self.child.pid}/status").read())[1])

    def end(self):
        self.child.stdin.close()
        rest = self.child.stdout.read()
        return self.child.wait(60), rest


work = tempfile.mkdtemp(prefix="ttmem-mcp-")
env = {**os.environ, "HOME": work, "TTMEM_HOME": f"{work}/home", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
os.makedirs(f"{work}/home")
log = f"{work}/model.log"
shutil.copy(f"{root}/examples/transformer_profile.log", log)
other = f"{work}/other.log"
subprocess.run([genlog, "-o", other, "--ops", "300", "--seed", "7"], check=True)
ranks = f"{work}/ranks.log"
subprocess.run([genlog, "-o", ranks, "--ops", "40", "--ranks", "3"], check=True)
module = f"{work}/module.mlir"
shutil.copy(f"{root}/examples/group_norm_ttnn.mlir", module)
MESSAGE = ("Out of Memory: Not enough space to allocate 41943040 B DRAM buffer across 12 banks, where each bank needs to store 3497984 B, "
           "but bank size is 1071821792 B")


def cli(*words, stdin=None):
    done = subprocess.run([ttmem, *words], capture_output=True, text=True, cwd=work, env=env, input=stdin)
    return done.returncode, done.stdout


server = Server(cwd=work, env=env)

# what is offered
found = server.ask("server/discover")["result"]
check("discover", found["supportedVersions"] == ["2026-07-28"] and found["resultType"] == "complete" and found["ttlMs"] >= 0, found)
check("instructions fit", len(found["instructions"]) <= 600, len(found["instructions"]))
listed = server.ask("tools/list")["result"]
names = [tool["name"] for tool in listed["tools"]]
check("at most ten tools", 7 <= len(names) <= 10 and names[0] == "ttmem_summary", names)
check("the list is short", len(json.dumps(listed)) < 9000, len(json.dumps(listed)))
for tool in listed["tools"]:
    check(f"{tool['name']} is read only", tool["annotations"] == {"readOnlyHint": True, "openWorldHint": False}, tool)
    check(f"{tool['name']} is closed", tool["inputSchema"]["additionalProperties"] is False and tool["outputSchema"]["type"] == "object", tool)

# every tool answers what its command prints
CALLS = [
    ("ttmem_summary", {"run": log}, ["summary", log]),
    ("ttmem_explain", {"run": log}, ["explain", log, "--limit=10"]),
    ("ttmem_live", {"run": log, "at": "peak"}, ["live", log, "--at=peak", "--limit=20"]),
    ("ttmem_live", {"run": log, "at": 299, "pool": "l1", "limit": 3}, ["live", log, "--at=299", "--pool=l1", "--limit=3"]),
    ("ttmem_ops", {"run": log, "by": "growth", "limit": 4}, ["ops", log, "--by=growth", "--limit=4"]),
    ("ttmem_ops", {"run": log, "over": "dram=40%", "limit": 1}, ["ops", log, "--over=dram=40%", "--limit=1"]),
    ("ttmem_op", {"run": log, "index": 298}, ["op", log, "298"]),
    ("ttmem_compare", {"before": log, "after": other}, ["diff", log, other, "--limit=10"]),
    ("ttmem_check", {"run": log, "rules": ["max dram.peak 80%", "no-failure"]}, ["check", log, "--max", "dram.peak=80%", "--no-failure"]),
    ("ttmem_check", {"run": log, "rules": ["max dram.peak 8%"]}, ["check", log, "--max", "dram.peak=8%"]),
    ("ttmem_ranks", {"run": ranks}, ["ranks", ranks]),
    ("ttmem_fit", {"run": log, "target": "45%"}, ["fit", log, "--target=45%", "--limit=10"]),
    ("ttmem_fit", {"run": module, "limit": 3}, ["fit", module, "--limit=3"]),
    ("ttmem_predict", {"module": module, "device": "n150"}, ["predict", module, "--device=n150"]),
]
for tool, arguments, words in CALLS:
    status, text = cli(*words)
    _, structure = cli(*words, "--json")
    result = server.call(tool, **arguments)["result"]
    name = f"{tool} {words[1:]}"
    check(f"{name}: text", result["content"][0]["text"].startswith(text) and text, result["content"][0]["text"])
    said = dict(result["structuredContent"])
    wanted = json.loads(structure)
    check(f"{name}: caveats and left_out", isinstance(said["caveats"], list) and isinstance(said["left_out"], int), said.keys())
    for key in ("caveats", "left_out"):
        if key not in wanted:
            said.pop(key)
    check(f"{name}: structure", said == wanted, said)
    check(f"{name}: isError", result["isError"] == (status > 1), status)
result = server.call("ttmem_explain", text=MESSAGE)["result"]
check("a pasted message", "3,497,984 B" in result["content"][0]["text"], result)

# what is wrong is said, and how
check("unknown tool", server.call("nope")["error"]["code"] == -32602)
check("unknown argument", server.call("ttmem_op", run=log, index=1, more=1)["error"]["code"] == -32602)
check("wrong type", server.call("ttmem_op", run=log, index="x")["error"]["code"] == -32602)
check("neither run nor text", server.call("ttmem_explain")["error"]["code"] == -32602)
check("both run and text", server.call("ttmem_explain", run=log, text="x")["error"]["code"] == -32602)
check("an option is not a run", server.call("ttmem_summary", run="--help")["error"]["code"] == -32602)
check("wrong choice", server.call("ttmem_live", run=log, pool="x")["error"]["code"] == -32602)
check("a rule that is none", server.call("ttmem_check", run=log, rules=["at most"])["error"]["code"] == -32602)
for name, arguments in [("stdin", {"run": "/dev/stdin"}), ("outside", {"run": "/etc/hostname"}), ("missing", {"run": "no-such-run"}),
                        ("upwards", {"run": "../../etc/passwd"})]:
    result = server.call("ttmem_summary", **arguments)["result"]
    check(f"{name} is refused", result["isError"] and result["content"][0]["text"], result)
os.symlink("/etc/hostname", f"{work}/link.log")
check("a link out is refused", "outside" in server.call("ttmem_summary", run="link.log")["result"]["content"][0]["text"])
os.mkdir(f"{work}/folder")
os.symlink("/etc/passwd", f"{work}/folder/x.log")
check("a link in a folder is refused", server.call("ttmem_summary", run="folder")["result"]["isError"])
os.mkfifo(f"{work}/pipe.log")
check("a pipe is refused", server.call("ttmem_summary", run="pipe.log")["result"]["isError"])

# resources
check("resources", [r["uri"] for r in server.ask("resources/list")["result"]["resources"]] == ["ttmem://reports", "ttmem://docs/agents"])
check("the guide", "ttmem" in server.ask("resources/read", uri="ttmem://docs/agents")["result"]["contents"][0]["text"])
error = server.ask("resources/read", uri="ttmem://nope")["error"]
check("no such resource", error["code"] == -32602 and error["data"] == {"uri": "ttmem://nope"}, error)
cli("analyze", log, "--quiet")
reports = json.loads(server.ask("resources/read", uri="ttmem://reports")["result"]["contents"][0]["text"])
check("reports are listed", [r["name"] for r in reports] == ["model"], reports)
text = server.ask("resources/read", uri="ttmem://report/model")["result"]["contents"][0]["text"]
check("a report is markdown", text.startswith("#") and "490.2 MB" in text, text[:200])
text = server.call("ttmem_summary", run="model")["result"]["content"][0]["text"]
check("a report by its name", "490.2 / 1022.2 MB" in text, text)

# a file that changed is read again
before = server.call("ttmem_summary", run=other)["result"]["structuredContent"]
shutil.copy(log, other)
after = server.call("ttmem_summary", run=other)["result"]["structuredContent"]
check("a changed file is read again", before["peaks"] != after["peaks"] or before["records"] != after["records"], after["records"])

# many calls cost nothing that stays
for _ in range(300):
    server.call("ttmem_live", run=log)
start = server.rss_kb()
calls = 10000 if "--long" in sys.argv else 1500
for n in range(calls):
    server.call(*(("ttmem_summary", "ttmem_op")[n % 2],), **({"run": log} if n % 2 == 0 else {"run": log, "index": n % 400}))
check(f"{calls} calls do not grow", server.rss_kb() - start < 2048, (start, server.rss_kb()))

# a line that is too long is answered once and skipped; what follows works
server.send("x" * (5 << 20) + "\n")
check("too long", server.read()["error"]["code"] == -32600)
check("and on", "result" in server.ask("tools/list"))

# progress rises, a request that was taken back gets no answer
big = f"{work}/big.log"
with open(big, "wb") as out:
    line = open(log, "rb").read()
    for _ in range(60):
        out.write(line)
server.send({"jsonrpc": "2.0", "id": "big", "method": "tools/call",
             "params": {"name": "ttmem_summary", "arguments": {"run": big}, "_meta": {**META, "progressToken": "p1"}}})
told = []
while True:
    answer = server.read()
    if answer.get("method") != "notifications/progress":
        break
    told.append(answer["params"])
check("progress rises", all(a["progress"] < b["progress"] for a, b in zip(told, told[1:])) and all(t["progressToken"] == "p1" for t in told), told)
check("its answer comes after", answer["id"] == "big" and not answer["result"]["isError"], answer)
os.utime(big)
server.send({"jsonrpc": "2.0", "id": "gone", "method": "tools/call", "params": {"name": "ttmem_summary", "arguments": {"run": big}, "_meta": META}})
server.send({"jsonrpc": "2.0", "id": "gone too", "method": "tools/call", "params": {"name": "ttmem_summary", "arguments": {"run": big}, "_meta": META}})
server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "gone too"}})
server.send({"jsonrpc": "2.0", "id": "last", "method": "tools/list", "params": {"_meta": META}})
status, rest = server.end()
answered = [json.loads(line)["id"] for line in rest.splitlines()]
check("what was taken back is not answered", answered == ["gone", "last"], answered)
check("the end of the input ends it", status == 0, status)

# a request that is taken back while it runs is not read on, and the next is answered
server = Server(cwd=work, env=env)
server.send({"jsonrpc": "2.0", "id": "big", "method": "tools/call",
             "params": {"name": "ttmem_summary", "arguments": {"run": big}, "_meta": {**META, "progressToken": "p2"}}})
server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "big"}})
server.send({"jsonrpc": "2.0", "id": "next", "method": "tools/call", "params": {"name": "ttmem_summary", "arguments": {"run": log}, "_meta": META}})
status, rest = server.end()
answers = [json.loads(line) for line in rest.splitlines()]
ids = [answer["id"] for answer in answers if "id" in answer]
check("taken back while it runs", ids == ["next"] and not answers[-1]["result"]["isError"], ids)

# an older client
old = Server("--root", work, cwd=work, env=env)
old.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}})
check("its version is echoed", old.read()["result"]["protocolVersion"] == "2025-03-26")
old.send({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "ttmem_summary", "arguments": {"run": log}}})
result = old.read()["result"]
check("before 2025-06-18 there is only content", "structuredContent" not in result and "resultType" not in result, result.keys())
old.send({"jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": {"uri": "ttmem://nope"}})
check("its code for resources", old.read()["error"]["code"] == -32002)
old.end()


# over HTTP
web = subprocess.Popen([ttmem, "serve", "--mcp", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=work, env=env)
port = int(web.stdout.readline().strip().rstrip("/").rsplit(":", 1)[1])


def post(message, method="POST", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    body = message if isinstance(message, (str, type(None))) else json.dumps(message)
    connection.request(method, "/mcp", body, {"Content-Type": "application/json", **{k.replace("_", "-"): v for k, v in headers.items()}})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, json.loads(text) if text.startswith("{") else text


def modern(method, headers=None, **params):
    named = params.get("name") or params.get("uri")
    all_headers = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": method, **({"Mcp_Name": named} if named else {}), **(headers or {})}
    return post({"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}, **{k: v for k, v in all_headers.items() if v})


status, answer = modern("tools/call", name="ttmem_summary", arguments={"run": log})
check("http: a call", status == 200 and answer["result"]["structuredContent"]["records"] == 494, (status, answer))
status, answer = modern("tools/call", {"Mcp_Name": "=?base64?" + base64.b64encode(b"ttmem_summary").decode() + "?="}, name="ttmem_summary", arguments={"run": log})
check("http: a name in base64", status == 200, (status, answer))
for header in ("MCP_Protocol_Version", "Mcp_Method", "Mcp_Name"):
    for value in ("wrong", None):
        status, answer = modern("tools/call", {header: value}, name="ttmem_summary", arguments={"run": log})
        check(f"http: {header} {value}", status == 400 and answer["error"]["code"] in (-32020, -32022), (status, answer))
check("http: unknown method", (lambda s, a: s == 404 and a["error"]["code"] == -32601)(*modern("nope")))
check("http: GET", post(None, method="GET")[0] == 405)
check("http: DELETE", post(None, method="DELETE")[0] == 405)
check("http: notification", post({"jsonrpc": "2.0", "method": "notifications/initialized"})[0] == 202)
check("http: Origin of elsewhere", post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, Origin="http://evil.example")[0] == 403)
check("http: Host of elsewhere", post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, Host="evil.example")[0] == 421)
check("http: not JSON by its type", post("x", Content_Type="text/plain")[0] == 415)
check("http: not JSON", post("x")[0] == 400)
status, answer = post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}})
check("http: initialize", status == 200 and answer["result"]["protocolVersion"] == "2025-11-25", answer)
status, answer = post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, MCP_Protocol_Version="2025-11-25")
check("http: an older client's list", status == 200 and len(answer["result"]["tools"]) == len(names), answer)
check("http: outside is refused", modern("tools/call", name="ttmem_summary", arguments={"run": "/etc/hostname"})[1]["result"]["isError"])
web.terminate()
web.wait(30)
check("not for other machines", subprocess.run([ttmem, "serve", "--mcp", "--bind", "0.0.0.0", "--port", "0"], capture_output=True, cwd=work, env=env).returncode == 2)
shutil.rmtree(work)
print(f"{passed} passed, {failed} failed")
