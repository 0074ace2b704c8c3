#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/json.md of schemas/*.json. docs/make_json.py [--check]: with --check it only says whether the file is up to date."""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/json.md"

HEAD = """# JSON

<!-- made by docs/make_json.py from schemas/*.json -->

Everything that ttmem writes in JSON has a schema (JSON Schema 2020-12): the files of [schemas/](../schemas), installed in `share/ttmem/schemas` and
printed by `ttmem schema NAME`. This page is made from them.

```console
$ ttmem summary examples/transformer_profile.log --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["peaks"]["dram"]["allocated_bytes_per_bank"])'
513993081
```

* `schema_version` is in every document. It is raised when a member is removed or changes its meaning; members may be added without that, so a program that
  reads the JSON should ignore members that it does not know.
* The schemas are strict: they allow only the members that they list. Validate a file with the schemas of the ttmem that wrote it.
* Names are the same everywhere. Bytes are integers named `*_bytes`, `*_bytes_per_bank` for one bank, `*_bytes_per_core` for one core; percentages are
  `*_percent`; `*_count` is how many. Logs print MB with three decimals: bytes computed from these may be off by up to 524.
* What is not known is `null`; its member is there all the same, except for the members that are marked *may be absent*. A member without a description
  is what its name says.
* Pools of a device are `dram`, `l1`, `l1_small`, `trace`; `top` also has `cb`, the circular buffers, and failures and captures can name `system_memory`, the
  host's.
* The [glossary](glossary.md#tensors) explains the classes of tensors: `weight`, `activation`, `const_eval`, `input`, `kv_cache`, `constant`, `temporary`, `reshape_map`, `table`, `binary`, `optimizer`, `gradient`, `circular_buffer`, `unattributed`.
* A failure has a `class` (`dram-fragmented`) and a `verdict` (`fragmented`), explained in `man ttmem-explain`; scripts should use the class.
* An op is an object [op](#part-op), also in `before_op` and `after_op`; `*_op_index` is only its index, `op_name` only its name. In tables (CSV, SQLite, Python),
  `before_op` and `producer_op` are indices.
* `rank` is a rank's tag as printed, `rank_index` its position in the order of the tags (numbers are sorted as numbers); both are `null` for lines without a
  tag.
* Files that the older Python tool defined keep their keys: [report-memory](#report-memory), [report-operations](#report-operations),
  [report-registry](#report-registry), [report-ir](#report-ir).
* With `--json`, an error is JSON, too, on stdout: [error](#error). The exit status is the same as without `--json`.
"""


def heading(file, part=None):
    """The text of a heading: no part is called like a command or like the part of another file."""
    return file if part is None else f"Part: {part}" if file == "common" else f"{file}: {part}"


def link(reference):
    file, _, part = reference.partition(".json#/$defs/")
    file = file.removesuffix(".json")
    return f"[{part or file}](#{heading(file, part or None).lower().replace(':', '').replace(' ', '-')})"


def complete(schema, file):
    """References inside a file name the file, too."""
    if isinstance(schema, list):
        return [complete(part, file) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: f"{file}.json{value}" if key == "$ref" and value.startswith("#") else complete(value, file) for key, value in schema.items()}


def kind(schema):
    """The type in words."""
    if "$ref" in schema:
        return link(schema["$ref"])
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return " ".join(f"`{value}`" for value in schema["enum"] if value is not None) + (" or null" if None in schema["enum"] else "")
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " or ".join(dict.fromkeys(kind(part) for part in schema[key]))
    types = schema.get("type", "any")
    if isinstance(types, list):
        return " or ".join(kind({**schema, "type": one}) if one != "null" else one for one in sorted(types, key=lambda t: t == "null"))
    if types == "array":
        return f"list of {kind(schema.get('items', {}))}"
    if types == "object" and isinstance(schema.get("additionalProperties"), dict):
        value = kind(schema["additionalProperties"])
        return f"object by name of {f'({value})' if ' or ' in value else value}"
    return types


def types_of(schema):
    types = schema.get("type", [])
    return types if isinstance(types, list) else [types]


def nested(schema):
    """Objects inside whose members are listed, too."""
    if "object" in types_of(schema):
        more = schema.get("additionalProperties")
        return [schema] if "properties" in schema else nested(more) if isinstance(more, dict) else []
    parts = schema.get("anyOf", []) + schema.get("oneOf", []) + ([schema["items"]] if "items" in schema else [])
    return [found for part in parts for found in nested(part)]


def rows(schema, prefix=""):
    for name, member in schema.get("properties", {}).items():
        optional = "" if name in schema.get("required", []) else ", may be absent"
        yield f"| `{prefix}{name}` | {kind(member)}{optional} | {member.get('description', '')} |"
        step = "[]." if "array" in types_of(member) or any(p.get("type") == "array" for p in member.get("anyOf", [])) else "."
        for inner in nested(member):
            yield from rows(inner, prefix + name + step)


def table(schema):
    lines = list(rows(schema))
    return ["| member | type | |", "|---|---|---|", *lines] if lines else []


def section(title, schema):
    lines = ["", f"### {title}", "", schema.get("title") or schema.get("description", "")]
    if lines[-1] and lines[-1][-1] not in ".":
        lines[-1] += "."
    if "$ref" in schema:
        return [*lines, "", f"The same as {link(schema['$ref'])}."]
    if "enum" in schema:
        return [*lines, "", kind(schema)]
    variants = [part for part in schema.get("oneOf", []) if "properties" in part]
    for number, variant in enumerate(variants or [schema["items"]] if schema.get("type") == "array" and "properties" in schema.get("items", {}) else variants or [schema]):
        lines += ["", "or", ""] if number else [""]
        lines += table(variant)
    return lines


def page():
    schemas = {path.stem: complete(json.loads(path.read_text(encoding="utf-8")), path.stem) for path in sorted((ROOT / "schemas").glob("*.json"))}
    lines = [HEAD.rstrip(), "", "## Outputs"]
    for name, schema in schemas.items():
        if name != "common":
            lines += section(heading(name), schema)
        for part, inside in schema.get("$defs", {}).items() if name != "common" else ():
            lines += ["", f"#### {heading(name, part)}", "", *table(inside)]
    lines += ["", "## Parts"]
    for name, schema in schemas["common"]["$defs"].items():
        lines += section(heading("common", name), schema)
    return "\n".join(lines) + "\n"


def main():
    text = page()
    if "--check" in sys.argv[1:]:
        return 0 if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
