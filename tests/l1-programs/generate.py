#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes small host programs: generate.py FOLDER FIRST COUNT

Program N is FOLDER/pN.cpp, the same for every run. FOLDER/unit_K.cpp compiles 100 of them against stand_in.hpp and prints, one
line per program and set of inputs, the bytes that it allocates: `N BYTES`. What decides branches are the fields of an argument
and functions that the file does not define, so a scan of the file cannot know them; FOLDER/pN.set, where there is one, holds
values for some of them, and then every set of inputs has these."""
import os
import random
import sys

INPUTS = 24
PER_UNIT = 100


class Writer:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines = []
        self.names = 0
        self.index = 0
        self.helpers = []
        self.descriptor = self.rng.random() < 0.4
        self.depth = 0
        self.loops = []       # variables of the loops around, they make an index unique
        self.in_lambda = 0
        self.makers = 0       # loops within loops within calls: keep the count of buffers small
        self.budget = self.rng.randint(6, 22)

    def new(self, prefix="v"):
        self.names += 1
        return f"{prefix}{self.names}"

    def pick(self, *choices):
        return self.rng.choice(choices)

    # --- expressions: always below a few thousand, never 0 where they divide

    def number(self):
        return str(self.pick(1, 2, 3, 4, 5, 8, 16, 32))

    def value(self, names, depth=0):
        r = self.rng.random()
        if depth > 2 or r < 0.3:
            return self.number()
        if r < 0.62 and names:
            return self.rng.choice(names)
        if r < 0.72:
            return f"in.{self.pick('a', 'b', 'c', 'd')}"
        a, b = self.value(names, depth + 1), self.value(names, depth + 1)
        return self.pick(
            f"({a} + {b})", f"(({a} * {b}) % 997)", f"({a} / ({b} % 50u + 1))", f"({a} % 7 + 1)", f"std::min<uint32_t>({a}, {b})",
            f"std::max<uint32_t>({a}, {b})", f"({self.condition(names, depth + 1)} ? {a} : {b})", f"(({a} + {b}) >> 1)",
            f"look({a})", f"({a} - {b}) % 61", f"static_cast<uint8_t>({a} * 9)")

    def condition(self, names, depth=0):
        r = self.rng.random()
        if r < 0.35:
            return f"in.{self.pick('p', 'q', 'r')}"
        if r < 0.45 and depth < 2:
            return f"({self.condition(names, depth + 1)} {self.pick('&&', '||')} {self.condition(names, depth + 1)})"
        if r < 0.52:
            return f"!({self.condition(names, depth + 1)})"
        return f"({self.value(names, 2)} {self.pick('<', '<=', '==', '!=', '>')} {self.value(names, 2)})"

    # --- statements

    def put(self, text):
        self.lines.append("    " * (self.depth + 1) + text)

    def block(self, names, n=None, leaves=None):
        """Statements within braces; the names declared there end with it."""
        self.depth += 1
        inner = list(names)
        for _ in range(n or self.rng.randint(1, 3)):
            self.statement(inner)
        if leaves:
            self.put(leaves)
        self.depth -= 1

    def fresh_index(self):
        self.index += 1
        text = str(self.index * 100)
        scale = 1
        for name in self.loops:
            text += f" + {name} * {scale}"
            scale *= 10
        return text

    def size(self, names):
        return f"(({self.value(names)}) % 211u + 1) * {self.pick('32', '64', 'tt::tile_size(tt::DataFormat::Float16_b)', '1024')}"

    def make_buffer(self, names, program="program", index=None):
        if self.makers > 14:
            return
        self.makers += 1
        index = index or self.fresh_index()
        if self.descriptor:
            self.make_descriptor(names, program, index)
        else:
            self.make_config(names, program, index)

    def make_config(self, names, program, index):
        size = self.size(names)
        config = f"CircularBufferConfig({size}, {{{{{index}, tt::DataFormat::Float16_b}}}}).set_page_size({index}, 32)"
        r = self.rng.random()
        if r < 0.45:
            self.put(f"CreateCircularBuffer({program}, cores, {config});")
            return
        name = self.new("config")
        self.put(f"CircularBufferConfig {name} = {config};")
        if r < 0.65:
            self.put(f"if ({self.condition(names)}) {name}.set_total_size({self.size(names)});")
        elif r < 0.8:
            self.put(f"if ({self.condition(names)}) {{ {name}.set_globally_allocated_address(buffer); }}")
        elif r < 0.9:
            other = self.new("copy")
            self.put(f"CircularBufferConfig {other} = {name};")
            self.put(f"{other}.set_total_size({self.size(names)});")
        self.put(f"CreateCircularBuffer({program}, cores, {name});")

    def make_descriptor(self, names, program, index):
        size = self.size(names)
        entry = f"{{{{.buffer_index = {index}, .data_format = tt::DataFormat::Float16_b, .page_size = 32}}}}"
        r = self.rng.random()
        if r < 0.3:
            buffer = self.pick("", f", .buffer = {self.condition(names)} ? &buffer : nullptr", "")
            self.put(f"{program}.cbs.push_back(CBDescriptor{{.total_size = {size}, .core_ranges = cores, "
                     f".format_descriptors = {entry}{buffer}}});")
            if self.rng.random() < 0.3:
                self.put(f"if ({self.condition(names)}) {program}.cbs.back().total_size = {self.size(names)};")
            return
        name = self.new("cb")
        self.put(f"CBDescriptor {name};")
        self.put(f"{name}.total_size = {size};")
        self.put(f"{name}.format_descriptors = {entry};")
        if r < 0.5:
            self.put(f"if ({self.condition(names)}) {name}.total_size = {self.size(names)};")
        elif r < 0.65:
            self.put(f"if ({self.condition(names)}) {{ {name}.buffer = &buffer; }}")
        elif r < 0.75:
            self.put(f"{name}.buffer = {self.condition(names)} ? &buffer : nullptr;")
        elif r < 0.85:
            self.put(f"auto& {name}_ref = {name}.total_size;")
            self.put(f"if ({self.condition(names)}) {name}_ref = {self.size(names)};")
        self.put(f"{program}.cbs.push_back({name});")

    def statement(self, names):
        self.budget -= 1
        if self.budget < 0 or self.depth > 3:
            return self.simple(names)
        choices = [(self.declare, 5), (self.assign, 5), (self.make_buffer, 6), (self.branch, 6), (self.loop, 3),
                   (self.switch, 2), (self.changed_elsewhere, 4), (self.lambda_, 3), (self.structure, 3), (self.list_, 2),
                   (self.side_effects, 2), (self.leave, 2 if not self.in_lambda else 0), (self.call_helper, 4)]
        kinds, weights = zip(*choices)
        self.rng.choices(kinds, weights)[0](names)

    def simple(self, names):
        self.pick(self.declare, self.assign, self.make_buffer)(names)

    def assignable(self, names):
        return [n for n in names if n.startswith("v")]

    def declare(self, names):
        name = self.new()
        kind = self.pick("uint32_t", "uint32_t", "uint32_t", "uint8_t", "const uint32_t", "int")
        if kind.startswith("const") or kind in ("uint8_t", "int"):
            self.put(f"{kind} k{name} = {self.value(names)};")
            names.append("k" + name)
        else:
            self.put(f"{kind} {name} = {self.value(names)};")
            names.append(name)

    def assign(self, names):
        targets = self.assignable(names)
        if not targets:
            return self.declare(names)
        target = self.rng.choice(targets)
        self.put(self.pick(f"{target} = {self.value(names)};", f"{target} += {self.value(names)};", f"{target}++;",
                           f"--{target};", f"{target} *= {self.number()};", f"{target} = {target} % 13 + 2;"))

    def branch(self, names):
        self.put(f"if ({self.condition(names)}) {{")
        self.block(names)
        if self.rng.random() < 0.25:
            self.put(f"}} else if ({self.condition(names)}) {{")
            self.block(names)
        if self.rng.random() < 0.5:
            self.put("} else {")
            self.block(names)
        self.put("}")

    def leave(self, names):
        self.put(f"if ({self.condition(names)}) {{")
        self.block(names, 1, f"return{self.result};")
        self.put("}")

    def loop(self, names):
        if len(self.loops) >= 2:
            return self.simple(names)
        i = self.new("i")
        known = self.rng.random() < 0.5
        bound = str(self.rng.randint(0, 4)) if known else f"{self.value(names)} % 4u"
        r = self.rng.random()
        self.loops.append(i)
        inner = names + ["(uint32_t)" + i]
        if r < 0.55:
            self.put(f"for (uint32_t {i} = 0; {i} < {bound}; {i}++) {{")
            self.loop_body(inner)
            self.put("}")
        elif r < 0.7:
            self.put(f"uint32_t {i} = 0;")
            self.put(f"while ({i} < {bound}) {{")
            self.loop_body(inner, f"{i}++;", can_continue=False)
            self.put("}")
        elif r < 0.8:
            self.put(f"uint32_t {i} = 0;")
            self.put("do {")
            self.loop_body(inner, f"{i}++;", can_continue=False)
            self.put(f"}} while ({i} < {bound});")
        else:
            items = ", ".join(str(k) for k in range(self.rng.randint(1, 3)))
            self.put(f"for (uint32_t {i} : std::vector<uint32_t>{{{items}}}) {{")
            self.loop_body(inner)
            self.put("}")
        self.loops.pop()

    def loop_body(self, names, last=None, can_continue=True):
        self.depth += 1
        inner = list(names)
        for _ in range(self.rng.randint(1, 3)):
            self.statement(inner)
            if self.rng.random() < 0.2 and not self.in_lambda:
                way = self.pick("break", "continue") if can_continue else "break"
                self.put(f"if ({self.condition(inner)}) {way};")
        if last:
            self.put(last)
        self.depth -= 1

    def switch(self, names):
        self.put(f"switch ({self.value(names)} % 4u) {{")
        self.depth += 1
        labels = [0, 1, 2, 3]
        self.rng.shuffle(labels)
        for label in labels[:self.rng.randint(1, 3)]:
            self.put(f"case {label}: {{")
            self.block(names, 1)
            self.put("}")
            if self.rng.random() < 0.2:
                self.put(f"if ({self.condition(names)}) break;")
            if self.rng.random() < 0.75:
                self.put("break;")
        if self.rng.random() < 0.5:
            self.put("default: {")
            self.block(names, 1)
            self.put("}")
        self.depth -= 1
        self.put("}")

    def changed_elsewhere(self, names):
        targets = self.assignable(names)
        if not targets:
            return self.declare(names)
        target, other = self.rng.choice(targets), self.rng.choice(targets)
        r = self.rng.random()
        if r < 0.2:
            self.put(f"compute({target});")
        elif r < 0.4:
            self.put(f"compute(&{target});")
        elif r < 0.55:
            name = self.new("ref")
            self.put(f"uint32_t& {name} = {target};")
            self.put(f"if ({self.condition(names)}) {name} = {self.value(names)};")
        elif r < 0.7:
            name = self.new("ptr")
            self.put(f"uint32_t* {name} = &{target};")
            if self.rng.random() < 0.4:
                self.put(f"if ({self.condition(names)}) {name} = &{other};")
            self.put(f"*{name} = {self.value(names)};")
        elif r < 0.85:
            self.put(f"std::swap({target}, {other});")
        else:
            self.put(f"std::tie({target}, {other}) = std::make_tuple({self.value(names)}, {self.value(names)});")

    def lambda_(self, names):
        targets = self.assignable(names)
        if not targets or self.in_lambda:
            return self.declare(names)
        target = self.rng.choice(targets)
        self.in_lambda += 1
        r = self.rng.random()
        loops, self.loops = self.loops, []
        if r < 0.35:
            self.put(f"{self.pick('twice(', 'maybe(in, ')}[&] {{ {target} = {self.value(names)}; }});")
        elif r < 0.7:
            name = self.new("change")
            self.put(f"auto {name} = [&](uint32_t n) {{")
            self.depth += 1
            self.put(f"if ({self.condition(names)}) {target} += n;")
            self.depth -= 1
            self.put("};")
            self.put(f"{name}({self.value(names)});")
            if self.rng.random() < 0.5:
                self.put(f"if ({self.condition(names)}) {name}({self.value(names)});")
        else:
            name, result = self.new("find"), self.new()
            self.put(f"auto {name} = [&](uint32_t n) -> uint32_t {{")
            self.depth += 1
            self.put(f"if ({self.condition(names + ['n'])}) return n;")
            self.put(f"if ({self.condition(names)}) {{ if ({self.condition(names)}) return {self.value(names)}; {target} = n; }}")
            self.put(f"return {self.value(names + ['n'])};")
            self.depth -= 1
            self.put("};")
            self.put(f"uint32_t {result} = {name}({self.value(names)});")
            names.append(result)
        self.loops = loops
        self.in_lambda -= 1

    def structure(self, names):
        name = self.new("box")
        self.put(f"Box {name}{{{self.value(names)}, {self.value(names)}}};")
        r = self.rng.random()
        if r < 0.3:
            self.put(f"if ({self.condition(names)}) {name}.n = {self.value(names)};")
        elif r < 0.5:
            self.put(f"if ({self.condition(names)}) {name}.grow({self.value(names)});")
        elif r < 0.65:
            self.put(f"auto& {name}_n = {name}.n;")
            self.put(f"{name}_n = {self.value(names)};")
        elif r < 0.8:
            self.put(f"Box {name}_copy = {name};")
            self.put(f"{name}_copy.n = {self.value(names)};")
            names.append(f"{name}_copy.n")
        else:
            self.put(f"change_box({name});")
        names.append(self.pick(f"{name}.n", f"{name}.m", f"{name}.sum()"))

    def list_(self, names):
        name = self.new("list")
        self.put(f"std::vector<uint32_t> {name} = {{{self.value(names)}, {self.value(names)}}};")
        if self.rng.random() < 0.5:
            self.put(f"if ({self.condition(names)}) {name}.push_back({self.value(names)});")
        if self.rng.random() < 0.4:
            self.put(f"{name}.push_back({self.value(names)});")
        if self.rng.random() < 0.4:
            self.put(f"if ({self.condition(names)}) {name}[{self.pick(0, 1)}] = {self.value(names)};")
        if self.rng.random() < 0.3:
            self.put(f"for (auto& item : {name}) item = item % 5 + 1;")
        names.append(self.pick(f"{name}[0]", f"{name}[1]", f"{name}.back()", f"(uint32_t){name}.size()"))

    def side_effects(self, names):
        targets = self.assignable(names)
        if not targets:
            return self.declare(names)
        target = self.rng.choice(targets)
        self.put(self.pick(f"if ({self.condition(names)} && ({target} = {self.value(names)}) > 3) {target}++;",
                           f"({self.condition(names)}) ? ({target} = {self.value(names)}) : ({target} += 2);",
                           f"if (({self.condition(names)}) || {target}++ > 4) {target} += 3;"))

    def call_helper(self, names):
        if not self.helpers:
            return self.simple(names)
        kind, helper = self.rng.choice(self.helpers)
        if kind == "makes" and not self.in_lambda and self.makers < 12:
            self.makers += 2
            self.put(f"{helper}(program, in, {self.fresh_index()}, {self.value(names)});")
        elif kind == "value":
            name = self.new()
            self.put(f"uint32_t {name} = {helper}(in, {self.value(names)});")
            names.append(name)
        elif self.assignable(names) and kind in ("reference", "pointer"):
            target = self.rng.choice(self.assignable(names))
            self.put(f"{helper}(in, {'&' if kind == 'pointer' else ''}{target}, {self.value(names)});")
        else:
            self.simple(names)

    # --- functions

    def function(self, kind):
        name = self.new(f"helper_{kind}_")
        program = "ProgramDescriptor& program" if self.descriptor else "Program& program"
        heads = {"makes": f"void {name}({program}, const Params& in, uint32_t index, uint32_t v0)",
                 "value": f"uint32_t {name}(const Params& in, uint32_t v0)",
                 "reference": f"void {name}(const Params& in, uint32_t& v0, uint32_t n)",
                 "pointer": f"void {name}(const Params& in, uint32_t* v0, uint32_t n)"}
        self.lines.append(heads[kind] + " {")
        budget, self.budget = self.budget, self.rng.randint(1, 4)
        if kind == "makes":
            self.result = ""
            self.put("CoreRange cores;")
            self.put("Buffer buffer;")
            if self.rng.random() < 0.5:
                self.put(f"if ({self.condition(['v0'])}) return;")
            # an index that depends on a condition is still one buffer
            at = self.pick("index", f"({self.condition(['v0'])} ? index : index + 7)")
            self.make_buffer(["v0"], index=at)
            if self.rng.random() < 0.4:
                self.put(f"if ({self.condition(['v0'])}) {{")
                self.depth += 1
                self.make_buffer(["v0"], index="index + 50")
                self.depth -= 1
                self.put("}")
        else:
            target = "v0" if kind != "pointer" else "(*v0)"
            names = [target] + (["n"] if kind != "value" else [])
            self.result = f" {self.value(names)}" if kind == "value" else ""
            if self.rng.random() < 0.6:
                self.put(f"if ({self.condition(names)}) {{ {target} = {self.value(names)}; return{self.result}; }}")
            if self.rng.random() < 0.5:
                self.put(f"if ({self.condition(names)}) {target} += {self.value(names)};")
            self.put(f"{target} = {self.value(names)};")
            if kind == "value":
                self.put(f"return {self.value(names)};")
        self.lines.append("}")
        self.lines.append("")
        self.budget = budget
        self.helpers.append((kind, name))

    def program(self):
        self.lines.append("constexpr uint32_t TILES = 4;")
        self.lines.append("")
        self.lines += ["struct Box {", "    uint32_t n = 2;", "    uint32_t m = 3;", "    void grow(uint32_t by) { n += by; }",
                       "    uint32_t sum() const { return n + m; }", "};", ""]
        self.lines.append(f"void change_box(Box& box) {{ box.n = box.m + {self.number()}; }}")
        self.lines.append("")
        for _ in range(self.rng.randint(0, 3)):
            self.function(self.pick("makes", "value", "reference", "pointer"))
        kind = "ProgramDescriptor" if self.descriptor else "Program"
        self.lines.append(f"{kind} make(const Params& in) {{")
        self.put(f"{kind} program;")
        self.put("CoreRange cores;")
        self.put("Buffer buffer;")
        self.put("(void)cores, (void)buffer;")
        self.result = " program"
        names = ["TILES"]
        self.declare(names)
        for _ in range(self.rng.randint(3, 8)):
            self.statement(names)
        self.make_buffer(names)
        self.put("return program;")
        self.lines.append("}")
        return "\n".join(self.lines) + "\n"


def inputs(number, given):
    rng = random.Random(number * 7919 + 1)
    for _ in range(INPUTS):
        values = {name: rng.choice([0, 1, 2, 3, 4, 5, 7, 8, 16, 33, 100]) for name in "abcd"}
        values.update({name: rng.randint(0, 1) for name in "pqr"})
        values.update(given)
        yield values


def main(folder, first, count):
    os.makedirs(folder, exist_ok=True)
    for begin in range(first, first + count, PER_UNIT):
        unit = ["#include <cstdio>", '#include "stand_in.hpp"']
        calls = []
        for number in range(begin, min(begin + PER_UNIT, first + count)):
            rng = random.Random(number * 31 + 7)
            text = Writer(number).program()
            given = {}
            if rng.random() < 0.4:
                given = {name: (rng.randint(0, 1) if name in "pqr" else rng.choice([1, 2, 4, 8]))
                         for name in rng.sample("abcdpqr", rng.randint(1, 4))}
                with open(f"{folder}/p{number}.set", "w") as out:
                    out.write("".join(f"{k}={('true' if v else 'false') if k in 'pqr' else v}\n" for k, v in given.items()))
            with open(f"{folder}/p{number}.cpp", "w") as out:
                out.write(text)
            unit.append(f"namespace p{number} {{\n#include \"p{number}.cpp\"\n}}")
            for values in inputs(number, given):
                arguments = ", ".join(str(values[k]) for k in "abcd") + ", " + ", ".join(
                    "true" if values[k] else "false" for k in "pqr")
                calls.append(f'    std::printf("{number} %llu\\n", (unsigned long long)allocated(p{number}::make(Params{{{arguments}}})));')
        unit.append("int main() {\n" + "\n".join(calls) + "\n}")
        with open(f"{folder}/unit_{begin}.cpp", "w") as out:
            out.write("\n".join(unit) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
