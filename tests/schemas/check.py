# SPDX-License-Identifier: Apache-2.0
"""JSON that ttmem writes has the form that schemas/ states: tests/schemas/check.py TTMEM. Prints "N passed, N failed" last."""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

from outputs import ROOT, Outputs, golden

FOLDER = ROOT / "schemas"
passed = failed = 0


def expect(what, good, detail=""):
    global passed, failed
    if good:
        passed += 1
        return
    failed += 1
    if failed <= 20:
        print(f"FAILED {what}: {detail}"[:1500])


def bundle(name, schemas):
    """One schema with the others that it refers to inside: needs no resolver, whose interface differs between versions of jsonschema."""
    defs, waiting = {}, []

    def key_of(reference, inside):
        file, _, place = reference.partition("#")
        file = file.removesuffix(".json") or inside
        part = place.rsplit("/", 1)[-1] if place else ""
        key = f"{file}.{part}" if part else file
        if key not in defs:
            source = schemas[file]["$defs"][part] if part else schemas[file]
            defs[key] = None
            waiting.append((key, file, copy.deepcopy(source)))
        return f"#/$defs/{key}"

    def walk(node, inside):
        if isinstance(node, dict):
            return {k: key_of(v, inside) if k == "$ref" else walk(v, inside) for k, v in node.items() if k not in ("$id", "$schema", "$defs")}
        return [walk(v, inside) for v in node] if isinstance(node, list) else node

    whole = walk(copy.deepcopy(schemas[name]), name)
    while waiting:
        key, file, source = waiting.pop()
        defs[key] = walk(source, file)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **whole, "$defs": defs}


class Schemas:
    def __init__(self):
        self.texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.json"))}
        self.all = {name: json.loads(text) for name, text in self.texts.items()}
        self.validators = {name: jsonschema.Draft202012Validator(bundle(name, self.all)) for name in self.all}

    def problem(self, name, document):
        """Where and how the document differs, or None."""
        error = jsonschema.exceptions.best_match(self.validators[name].iter_errors(document))
        return error and f"{'/'.join(str(p) for p in error.absolute_path)}: {error.message}"[:600]


def commands_with_json(ttmem):
    """Names of the commands whose help has --json."""
    listed = subprocess.run([ttmem, "schema", "--json"], capture_output=True, text=True)
    table = subprocess.run([ttmem, "completion", "fish"], capture_output=True, text=True, check=True).stdout
    del listed
    names = []
    for line in subprocess.run([ttmem, "--help"], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line[2:].split("  ")[0].strip() if line.startswith("  ") and line[2:3].isalpha() else ""
        if words and len(words.split()) <= 2 and "--json" in subprocess.run([ttmem, *words.split(), "--help"], capture_output=True, text=True).stdout:
            names.append(words)
    expect("some commands have --json", len(names) > 15 and "--json" in table or "json" in table, names)
    return names


def check_schemas(ttmem, schemas, commands):
    for name, schema in schemas.all.items():
        try:
            jsonschema.Draft202012Validator.check_schema(schema)
            expect(name, True)
        except jsonschema.exceptions.SchemaError as error:
            expect(f"{name} is a schema", False, error)
        expect(f"{name}: title and $id", schema.get("title") and schema.get("$id") == name + ".json")
    for command in commands:
        expect(f"ttmem {command} has a schema", command.replace(" ", "-") in schemas.all)
    listed = json.loads(subprocess.run([ttmem, "schema", "--json"], capture_output=True, check=True).stdout)
    expect("ttmem schema lists the files", [s["name"] for s in listed["schemas"]] == list(schemas.all), listed)
    expect("ttmem schema --json", schemas.problem("schema", listed) is None, schemas.problem("schema", listed))
    for name, text in schemas.texts.items():
        printed = subprocess.run([ttmem, "schema", name], capture_output=True, check=True).stdout.decode("utf-8")
        expect(f"ttmem schema {name} prints the file", printed == text)


def check_vocabulary(schemas):
    """Names that the language does not have."""
    older = ("report-memory", "report-operations", "report-registry", "report-ir")

    def walk(name, node, inside):
        if isinstance(node, dict):
            for key in node.get("properties", {}):
                wrong = key.endswith(("_MB", "_pct", "_mb")) or key in ("loc", "mlir_op", "num_banks", "op_index", "per_bank_bytes", "bank_bytes", "bytes")
                expect(f"{name}: {key}", not wrong or inside)
            for key, value in node.items():
                # the elements of the older tool's files, as ttmem op shows them too
                walk(name, value, inside or key in ("older_layout", "older_padding", "older_peak", "operation", "memory"))
        elif isinstance(node, list):
            for value in node:
                walk(name, value, inside)

    for name, schema in schemas.all.items():
        if name not in older:
            walk(name, schema, False)


# Objects whose keys are data: the classes of tensors, the causes of a change.
MAPS = ("classes", "computed", "computed_at_peak")
NAMES = {str: "string", bool: "boolean", int: "integer", type(None): "null"}


def types_of(schemas, name, node):
    """The types that a value may have, null aside."""
    while "$ref" in node:
        file, _, place = node["$ref"].partition("#")
        name = file.removesuffix(".json") or name
        node = schemas.all[name]
        for part in place.split("/")[1:]:
            node = node[part]
    types = {NAMES[type(value)] for value in [*node.get("enum", []), *([node["const"]] if "const" in node else [])]}
    for member in [*node.get("anyOf", []), *node.get("oneOf", []), *node.get("allOf", [])]:
        types |= types_of(schemas, name, member)
    given = node.get("type", "object" if "properties" in node else [])
    return (types | ({given} if isinstance(given, str) else set(given))) - {"null"}


# Keys of the files that the older tool and their format define, which other outputs use for something else, or which are of pools there.
OLDER_KEYS = {"DRAM", "L1", "L1_SMALL", "TRACE", "weights", "runs", "source", "kv_cache"}


def check_types(schemas):
    """A key has one type, whichever command prints it and whichever file holds it. The files of the older tool keep some keys."""
    found = {}

    def walk(name, node, key):
        if isinstance(node, dict):
            if isinstance(node.get("properties"), dict):
                for child, value in node["properties"].items():
                    if key not in MAPS and not key.endswith(("_by_class", "_by_cause")):
                        found.setdefault(child, {}).setdefault(" or ".join(sorted(types_of(schemas, name, value))), set()).add(name)
                    walk(name, value, child)
            for part, value in node.items():
                if part != "properties":
                    walk(name, value, part if part in node.get("$defs", {}) else key)
        elif isinstance(node, list):
            for value in node:
                walk(name, value, key)

    for name, schema in schemas.all.items():
        walk(name, schema, "")
    for key, types in found.items():
        if key in OLDER_KEYS:
            types = {t: {n for n in names if not n.startswith("report-")} for t, names in types.items()}
        expect(f"{key} has one type", sum(bool(names) for names in types.values()) <= 1, types)


def main(ttmem):
    ttmem = str(pathlib.Path(ttmem).resolve())
    schemas = Schemas()
    commands = commands_with_json(ttmem)
    check_schemas(ttmem, schemas, commands)
    check_vocabulary(schemas)
    check_types(schemas)
    with tempfile.TemporaryDirectory() as folder:
        for name, what, document in Outputs(ttmem, folder).all(commands):
            problem = schemas.problem(name, document)
            expect(f"{name}: {what}", problem is None, problem)
    for case, may, document in golden(commands):
        names = ["error"] if "error" in document else [name.replace(" ", "-") for name in may]
        problems = [schemas.problem(name, document) for name in names if name in schemas.all]
        expect(f"tests/cli/{case}", problems and None in problems, problems[:2])
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
