#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Splits programs that were written by hand: written.py FOLDER SOURCE...

A part begins with `--- name`: declarations, then `program:`, `descriptor:` or `spec:` and the statements of the function that
makes one. `size: BYTES` makes a last buffer, `header PATH:` begins a header of it. Program N becomes FOLDER/pN.cpp, FOLDER/names
holds their names, and FOLDER/unit_0.cpp compiles them against stand_in.hpp and prints, as generate.py's does, the bytes that
each allocates for every set of inputs."""
import itertools
import os
import re
import sys

INCLUDES = ("array", "atomic", "cmath", "cstdio", "cstring", "functional", "map", "memory", "numeric", "ranges", "set", "span", "sstream",
            "string", "variant")
NUMBERS = ((0, 1, 2, 3), (1, 0, 5, 4), (2, 7, 0, 8), (3, 2, 8, 0), (4, 100, 33, 16), (7, 4, 1, 5), (16, 33, 100, 7), (33, 5, 3, 100),
           (100, 16, 4, 2))


KINDS = {"program": ("Program", "program"), "descriptor": ("ProgramDescriptor", "desc"), "spec": ("ProgramSpec", "spec")}


def parts(path):
    pieces = re.split(r"^--- (\w+)\n", open(path).read(), flags=re.MULTILINE)
    return list(zip(pieces[1::2], pieces[2::2]))


def whole(text):
    """The C++ of a part."""
    before, kind, body = re.split(r"^(program|descriptor|spec):\n", text, flags=re.MULTILINE)
    kind, name = KINDS[kind]
    body = re.sub(r"^size: (.*)\n", r"    CreateCircularBuffer(program, cores, CircularBufferConfig(\1, {{0, "
                  r"tt::DataFormat::Float16_b}}).set_page_size(0, 32));\n", body, flags=re.MULTILINE)
    return (f"{before}{kind} make(const Params& in) {{\n    {kind} {name};\n    CoreRange cores;\n    Buffer buffer;\n"
            f"{body}    return {name};\n}}\n")


def main(folder, sources):
    os.makedirs(folder, exist_ok=True)
    names, unit, calls = [], [f"#include <{name}>" for name in INCLUDES] + ['#include "stand_in.hpp"'], []
    for name, text in itertools.chain.from_iterable(parts(path) for path in sources):
        number = len(names)
        names.append(name)
        main_part, *headers = re.split(r"^header (\S+):\n", text, flags=re.MULTILINE)
        for path, content in zip(headers[::2], headers[1::2]):
            os.makedirs(os.path.dirname(f"{folder}/{path}") or ".", exist_ok=True)
            open(f"{folder}/{path}", "w").write(content)
        open(f"{folder}/p{number}.cpp", "w").write(whole(main_part))
        unit.append(f'namespace p{number} {{\n#include "p{number}.cpp"\n}}')
        unit += [f"#undef {macro}" for macro in set(re.findall(r"^#define (\w+)", text, flags=re.MULTILINE))]
        calls.append(f'        std::printf("{number} %llu\\n", (unsigned long long)allocated(p{number}::make(in)));')
    inputs = ",\n".join("    {" + ", ".join([str(n) for n in numbers] + list(flags)) + "}"
                        for numbers, flags in itertools.product(NUMBERS, itertools.product(("false", "true"), repeat=3)))
    unit.append(f"const Params inputs[] = {{\n{inputs}}};")
    unit.append("int main() {\n    for (const Params& in : inputs) {\n" + "\n".join(calls) + "\n    }\n}")
    open(f"{folder}/unit_0.cpp", "w").write("\n".join(unit) + "\n")
    open(f"{folder}/names", "w").write("\n".join(names) + "\n")
    print(len(names))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
