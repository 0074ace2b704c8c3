/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of what a source allocates: whatever branch is taken, whoever changes a value, they hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cb/python/py_source.h"
#include "cb/study/cb_scan.h"
#include "device/chip.h"

#define CB(size) "p.cbs.push_back(CBDescriptor{.total_size = " size ", .core_ranges = all});"

/* A function that makes a program; -1: not bounded. */
struct bounds {
    const char *text, *set, *value;
    int64_t least, most;
};

static void check(const struct bounds *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct cb_file file = {0};
        struct cb_set set = {.name = slice_from(rows[i].set ? rows[i].set : ""),
                             .value = slice_from(rows[i].value ? rows[i].value : "")};
        cb_source_scan(&file.source, slice_from(rows[i].text), NULL, 0, &set, rows[i].set ? 1 : 0);
        cb_file_finish(&file, chip_find(SLICE("wormhole_b0")));
        int64_t most = file.largest.bounded ? (int64_t)file.largest.max_bytes : -1;
        if ((int64_t)file.largest.min_bytes != rows[i].least || most != rows[i].most) print_error("%s\n", rows[i].text);
        assert_int_equal(file.largest.min_bytes, rows[i].least);
        assert_int_equal(most, rows[i].most);
        cb_file_release(&file);
    }
}

#define CHECK(rows) check(rows, sizeof(rows) / sizeof *(rows))

static void a_branch_that_is_not_taken_changes_nothing(void **state) {
    (void)state;
    const char *field =
        "void f() { ProgramDescriptor p; CBDescriptor d; d.total_size = 2048;\n"
        "  if (big) d.total_size = 1048576; p.cbs.push_back(d); }";
    const char *setter =
        "void f(Program& program) { auto c = CircularBufferConfig(2048, {{0, format}});\n"
        "  if (big) { c.set_total_size(65536); } CreateCircularBuffer(program, all, c); }";
    const char *list =
        "void f() { ProgramDescriptor p; std::vector<uint32_t> n = {2, 4}; if (big) n[1] = 64;\n" CB("n[1] * 1024") "}";
    const struct bounds rows[] = {
        {field, "big", "false", 2048, 2048},
        {field, "big", "true", 1048576, 1048576},
        {field, NULL, NULL, 2048, 1048576},
        {setter, "big", "false", 2048, 2048},
        {setter, NULL, NULL, 2048, 65536},
        {list, "big", "false", 4096, 4096},
        {list, NULL, NULL, 4096, 65536},
        {"void f() { ProgramDescriptor p; uint32_t n = 2; if (2 > 3) n = 9;" CB("n * 1024") "}", NULL, NULL, 2048, 2048},
    };
    CHECK(rows);
}

static void what_is_set_under_a_condition_is_conditional(void **state) {
    (void)state;
    const char *tensor =
        "void f(bool sharded) { ProgramDescriptor p; CBDescriptor d; d.total_size = 4096;\n"
        "  if (sharded) { d.tensor = &t; } p.cbs.push_back(d); }";
    const char *address =
        "void f(Program& program, bool sharded) { auto c = CircularBufferConfig(409600, {{0, format}});\n"
        "  if (sharded) { c.set_globally_allocated_address(*b); } CreateCircularBuffer(program, all, c); }";
    const struct bounds rows[] = {
        {tensor, NULL, NULL, 0, 4096},
        {tensor, "sharded", "false", 4096, 4096},
        {tensor, "sharded", "true", 0, 0},
        {address, NULL, NULL, 0, 409600},
        {address, "sharded", "false", 409600, 409600},
        {address, "sharded", "true", 0, 0},
        {"void f(Program& program, bool s) { auto c = CircularBufferConfig(1024, {{0, format}});\n"
         "  if (s) { c.set_total_size(2048); } else { c.set_total_size(4096); }\n"
         "  c.set_globally_allocated_address(*b); CreateCircularBuffer(program, all, c); }",
         NULL, NULL, 0, 0},
        {"void f(Buffer* given) { ProgramDescriptor p; p.cbs.push_back(CBDescriptor{.total_size = 512, .buffer = given}); }",
         NULL, NULL, 0, 512},
    };
    CHECK(rows);
}

static void what_others_change_is_not_known(void **state) {
    (void)state;
#define AFTER(statements) "void f() { ProgramDescriptor p; uint32_t n = 4, m = 8; " statements CB("n * 1024") "}"
    const struct bounds rows[] = {
        {AFTER("compute(n);"), NULL, NULL, 0, -1},
        {AFTER("compute(&n);"), NULL, NULL, 0, -1},
        {AFTER("std::visit([&](auto x) { n = x.size(); }, v);"), NULL, NULL, 0, -1},
        {AFTER("each([&] { n++; });"), NULL, NULL, 0, -1},
        {AFTER("other.change(n);"), NULL, NULL, 0, -1},
        {AFTER("keep(&n); later();"), NULL, NULL, 0, -1},
        {AFTER("uint32_t& r = n; r = 2;"), NULL, NULL, 2048, 2048},
        {AFTER("uint32_t* r = &n; *r = 2;"), NULL, NULL, 2048, 2048},
        {AFTER("uint32_t* r = &n; if (x) r = &m; *r = 2;"), NULL, NULL, 0, -1},
        {AFTER("auto g = [&] { n = 2; }; g();"), NULL, NULL, 2048, 2048},
        {AFTER("auto g = [&] { n = 2; }; if (x) g();"), NULL, NULL, 2048, 4096},
        {AFTER("std::swap(n, m);"), NULL, NULL, 8192, 8192},
        {AFTER("for (uint32_t i = 0; i < x; i++) n = 2;"), NULL, NULL, 0, -1},
        {AFTER("if (x && (n = 2) > 1) {}"), NULL, NULL, 2048, 4096},
        {AFTER("x ? (n = 2) : (n = 3);"), NULL, NULL, 2048, 3072},
        {"void f() { ProgramDescriptor p; const uint32_t n = 4; compute(n);" CB("n * 1024") "}", NULL, NULL, 4096, 4096},
        {"uint32_t compute(uint32_t n);\n" AFTER("compute(n);"), NULL, NULL, 4096, 4096},
        {"void compute(uint32_t& n);\n" AFTER("compute(n);"), NULL, NULL, 0, -1},
        {"void compute(const uint32_t& n);\nvoid compute(uint32_t* n);\n" AFTER("compute(n);"), NULL, NULL, 0, -1},
        {"uint32_t n = 4; void f() { ProgramDescriptor p;" CB("n * 1024") "}", NULL, NULL, 0, -1},
        {"void h(uint32_t& n) { if (x) { n = 2; return; } n = 3; }\n" AFTER("h(n);"), NULL, NULL, 2048, 3072},
        {"void h(uint32_t* n) { *n = 3; }\n" AFTER("h(&n);"), NULL, NULL, 3072, 3072},
    };
    CHECK(rows);
#undef AFTER
}

static void what_excludes_each_other_is_not_added(void **state) {
    (void)state;
    const struct bounds rows[] = {
        {"void f(bool x) { ProgramDescriptor p; if (x) { " CB("1024") " return; } " CB("4096") " }", NULL, NULL, 1024, 4096},
        {"void f(bool x) { ProgramDescriptor p; if (x) { " CB("1024") " } else { " CB("4096") " } }", NULL, NULL, 1024, 4096},
        {"void f(bool x) { ProgramDescriptor p; if (x) { " CB("1024") " } }", NULL, NULL, 0, 1024},
        /* the same condition, asked twice */
        {"void f(bool x) { ProgramDescriptor p; if (x) { " CB("1024") " } if (!x) { " CB("4096") " } }", NULL, NULL, 1024,
         4096},
        {"void f(bool x, bool y) { ProgramDescriptor p; if (x) { if (y) return; } " CB("4096") " }", NULL, NULL, 0, 4096},
        {"void f(uint32_t x) { ProgramDescriptor p; switch (x) { case 1: " CB("1024") " break; case 2: " CB(
             "2048") " break; default: " CB("512") " } }",
         NULL, NULL, 512, 2048},
        {"void f(uint32_t x) { ProgramDescriptor p; switch (x) { case 1: " CB("1024") " case 2: " CB("2048") " } }", NULL, NULL,
         0, 3072},
        {"void f(bool x) { ProgramDescriptor p; for (uint32_t i = 0; i < 3; i++) { " CB("1024") " if (x) continue; break; } }",
         NULL, NULL, 1024, 3072},
        {"void f(bool x) { ProgramDescriptor p; if (x) { TT_THROW(\"no\"); } " CB("4096") " }", NULL, NULL, 4096, 4096},
        {"void f(bool x) { ProgramDescriptor p; if (x) { throw 1; } " CB("4096") " }", NULL, NULL, 4096, 4096},
    };
    CHECK(rows);
}

static void helpers_are_part_of_their_callers(void **state) {
    (void)state;
#define BUILDER                                                                                                                \
    "void add(ProgramDescriptor& p, bool b, uint32_t n) { p.cbs.push_back(CBDescriptor{.total_size = n, .core_ranges = all,\n" \
    "  .format_descriptors = {{.buffer_index = b ? 1 : 2, .page_size = 32}}}); if (b) { " CB("64") " } }\n"
    const struct bounds rows[] = {
        {BUILDER "void f(bool x) { ProgramDescriptor p; add(p, x, 1024); add(p, x, 2048); add(p, false, 4096); }", NULL, NULL,
         7168, 7168 + 128},
        /* made by what an entry calls, under an index that depends on a condition */
        {BUILDER "ProgramDescriptor build(bool x) { ProgramDescriptor p; add(p, x, 1024); return p; }\n"
                 "Workload create(bool x) { Workload w; w.put(build(x)); return w; }",
         NULL, NULL, 1024, 1088},
        {"struct Box { uint32_t n = 2; void grow(uint32_t by) { n += by; } uint32_t bytes() const { return n * 1024; } };\n"
         "void f() { ProgramDescriptor p; Box b; b.grow(3); " CB("b.bytes()") " }",
         NULL, NULL, 5120, 5120},
        {"struct Box { uint32_t n = 2; void grow(uint32_t by) { this->n += by; } };\n"
         "void f(bool x) { ProgramDescriptor p; Box b; if (x) b.grow(3); " CB("b.n * 1024") " }",
         NULL, NULL, 2048, 5120},
        {"uint32_t pick(bool a, bool b) { if (a) { if (b) return 1; } return 8; }\n"
         "void f(bool x, bool y) { ProgramDescriptor p; " CB("pick(x, y) * 1024") " }",
         NULL, NULL, 1024, 8192},
    };
    CHECK(rows);
#undef BUILDER
}

static void numbers_have_the_types_of_the_source(void **state) {
    (void)state;
    const struct bounds rows[] = {
        {"void f() { ProgramDescriptor p; uint8_t n = 300; " CB("n * 1024") " }", NULL, NULL, 44 * 1024, 44 * 1024},
        {"void f() { ProgramDescriptor p; float n = 3; uint32_t k = n / 2 * 2; " CB("k * 1024") " }", NULL, NULL, 0, -1},
        {"void f(uint32_t n) { ProgramDescriptor p; " CB("(n % 4 + 1) * 1024") " }", NULL, NULL, 1024, 4096},
        {"void f(uint32_t n) { ProgramDescriptor p; " CB("std::min(n, 4u) * 1024") " }", NULL, NULL, 0, 4096},
        {"void f(uint32_t n) { ProgramDescriptor p; " CB("(n - 1) % 4 * 1024") " }", NULL, NULL, 0, 3072},
    };
    CHECK(rows);
}

/* What is jumped over or to: nothing is certain to run. */
static void a_goto_leaves_no_minimum(void **state) {
    (void)state;
    const struct bounds rows[] = {
        {"void f(Program& program, uint32_t n) { if (n > 5) goto fail; CreateCircularBuffer(program, all,\n"
         "  CircularBufferConfig(10240, {{0, format}})); return;\n"
         "  fail: CreateCircularBuffer(program, all, CircularBufferConfig(2048, {{1, format}})); }",
         NULL, NULL, 0, -1},
        {"void f(Program& program, bool skip) { if (skip) goto done;\n"
         "  CreateCircularBuffer(program, all, CircularBufferConfig(10240, {{0, format}})); done: ; }",
         NULL, NULL, 0, -1},
    };
    CHECK(rows);
}

static size_t unread_of(const char *text) {
    struct strbuf cpp = {0};
    struct cb_source source;
    bool errors;
    assert_true(py_source_to_cpp(slice_from(text), &cpp, &errors));
    cb_source_scan_python(&source, strbuf_slice(&cpp), NULL, 0);
    size_t unread = source.unread.len;
    assert_true(source.partial == (unread > 0));
    cb_source_release(&source);
    strbuf_release(&cpp);
    return unread;
}

/* Python that describes a buffer in a way that is not followed is counted, line by line. */
static void what_is_not_followed_is_counted(void **state) {
    (void)state;
    const char *plain = "import ttnn\ndef f():\n    return ttnn.ProgramDescriptor(cbs=[ttnn.CBDescriptor(total_size=32)])\n";
    const char *kept = "import ttnn\ndef f(o):\n    o.first = ttnn.CBDescriptor(total_size=32)\n    o.keep(o.first)\n";
    const char *yields =
        "import ttnn\ndef f():\n    yield ttnn.CBDescriptor(total_size=32)\n"
        "    yield ttnn.cb_descriptor_from_sharded_tensor(0, t)\n";
    const char *given = "import ttnn\ndef f(cbs):\n    return ttnn.ProgramDescriptor(cbs=cbs.all())\n";
    assert_int_equal(unread_of(plain), 0);
    assert_int_equal(unread_of(kept), 1);
    assert_int_equal(unread_of(yields), 2);
    assert_int_equal(unread_of(given), 1);
}

/* A list of several lines: each buffer has its own. */
static void buffers_of_a_python_list_have_their_lines(void **state) {
    (void)state;
    const char *text =
        "import ttnn\ndef f():\n    cbs = [\n        ttnn.CBDescriptor(total_size=32),\n"
        "        ttnn.CBDescriptor(\n            total_size=64),\n    ]\n"
        "    return ttnn.ProgramDescriptor(cbs=cbs)\n";
    struct strbuf cpp = {0};
    struct cb_source source;
    bool errors;
    assert_true(py_source_to_cpp(slice_from(text), &cpp, &errors));
    cb_source_scan_python(&source, strbuf_slice(&cpp), NULL, 0);
    assert_int_equal(source.decls.len, 2);
    assert_int_equal(source.decls.items[0].line, 4);
    assert_int_equal(source.decls.items[1].line, 5);
    cb_source_release(&source);
    strbuf_release(&cpp);
}

/* Arguments that are added by what is not seen leave it the kernel that it is. */
static void a_kernel_keeps_its_path(void **state) {
    (void)state;
    const char *text =
        "ProgramDescriptor f() { ProgramDescriptor p; " CB("64") " KernelDescriptor k; k.kernel_source = \"a/reader.cpp\";\n"
        "  k.emplace_runtime_args(core, {1}); add_arguments(k); std::optional<KernelDescriptor> other;\n"
        "  if (more) { other.emplace(); other->kernel_source = \"b/writer.cpp\"; } p.kernels.push_back(k); return p; }";
    struct cb_source source;
    cb_source_scan(&source, slice_from(text), NULL, 0, NULL, 0);
    assert_int_equal(source.kernels.len, 1);
    assert_true(slice_equal(source.kernels.items[0].path, SLICE("a/reader.cpp")));
    cb_source_release(&source);
}

/* A static function that nothing calls is no program of the file's; it is listed apart. */
static void what_nothing_can_call_is_not_counted(void **state) {
    (void)state;
    const char *unused =
        "static void left_over(Program& program) { CreateCircularBuffer(program, all, CircularBufferConfig(1048576, {{0, "
        "format}}));\n"
        "  CreateCircularBuffer(program, all, CircularBufferConfig(4096, {{1, format}})); }\n"
        "void f(Program& program) { CreateCircularBuffer(program, all, CircularBufferConfig(2048, {{0, format}})); }";
    const char *member =
        "struct Factory { static void make(Program& program) { CreateCircularBuffer(program, all,\n"
        "  CircularBufferConfig(2048, {{0, format}})); CreateCircularBuffer(program, all, CircularBufferConfig(32, {{1, "
        "format}})); } };";
    const struct bounds rows[] = {{unused, NULL, NULL, 2048, 2048}, {member, NULL, NULL, 2080, 2080}};
    CHECK(rows);
    struct cb_source source;
    cb_source_scan(&source, slice_from(unused), NULL, 0, NULL, 0);
    assert_int_equal(source.helpers.len, 2);
    cb_source_release(&source);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_branch_that_is_not_taken_changes_nothing),
        cmocka_unit_test(what_is_set_under_a_condition_is_conditional),
        cmocka_unit_test(what_others_change_is_not_known),
        cmocka_unit_test(what_excludes_each_other_is_not_added),
        cmocka_unit_test(helpers_are_part_of_their_callers),
        cmocka_unit_test(numbers_have_the_types_of_the_source),
        cmocka_unit_test(a_goto_leaves_no_minimum),
        cmocka_unit_test(what_is_not_followed_is_counted),
        cmocka_unit_test(buffers_of_a_python_list_have_their_lines),
        cmocka_unit_test(a_kernel_keeps_its_path),
        cmocka_unit_test(what_nothing_can_call_is_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
