/* SPDX-License-Identifier: Apache-2.0 */
/* Circular buffers of C++ sources: every form of declaration, folding, conditions, kernels, hostile texts. */
#include "testing.h"

#include <time.h>
#include <glob.h>

#include "cb/study/cb_compare.h"
#include "device/chip.h"

static struct cb_source scan(const char *text) {
    struct cb_source source;
    cb_source_scan(&source, slice_from(text), NULL, 0, NULL, 0);
    return source;
}

static struct cb_source scan_with(const char *text, const char *name, const char *value) {
    struct cb_source source;
    struct cb_set set = {.name = slice_from(name), .value = slice_from(value)};
    cb_source_scan(&source, slice_from(text), NULL, 0, &set, 1);
    return source;
}

/* "16+24 adaptive ?", as the sources of tests/data/cb state what is to be found in them. */
static void describe(struct strbuf *out, const struct cb_decl *d) {
    static const char *const strategies[] = {
        [CB_FIXED] = "fixed", [CB_ADAPTIVE] = "adaptive", [CB_TENSOR_BACKED] = "tensor-backed"};
    for (uint32_t i = 0; i < d->n_indices; i++) strbuf_addf(out, "%s%d", i ? "+" : "", (int)d->indices[i].index);
    int64_t cost = cb_decl_cost(d);
    if (cost < 0) strbuf_addf(out, " %s ?", strategies[d->strategy]);
    else strbuf_addf(out, " %s %lld", strategies[d->strategy], (long long)cost);
}

struct score {
    unsigned expected, found, right;
};

static void score_file(const char *path, struct score *score) {
    struct strbuf text = file_text(path);
    struct cb_source source;
    cb_source_scan(&source, strbuf_slice(&text), NULL, 0, NULL, 0);
    if (source.partial) print_message("%s: partly understood\n", path);
    assert_false(source.partial);
    bool taken[256] = {0};
    score->found += (unsigned)source.decls.len;
    struct slice rest = strbuf_slice(&text);
    for (size_t at; (at = slice_find(rest, SLICE("// expect: "))) != SLICE_NONE;) {
        rest = slice_skip(rest, at + 11);
        struct slice want = slice_take(rest, slice_find_byte(rest, '\n'));
        score->expected++;
        bool hit = false;
        for (size_t i = 0; i < source.decls.len && !hit; i++) {
            struct strbuf have = {0};
            describe(&have, &source.decls.items[i]);
            hit = !taken[i] && slice_equal(strbuf_slice(&have), want);
            if (hit) taken[i] = true;
            strbuf_release(&have);
        }
        score->right += hit;
        if (!hit) print_message("%s: not found: %.*s\n", path, SLICE_FMT(want));
    }
    for (size_t i = 0; i < source.decls.len; i++) {
        struct strbuf have = {0};
        describe(&have, &source.decls.items[i]);
        if (!taken[i]) print_message("%s:%u: not expected: %s\n", path, source.decls.items[i].line, strbuf_text(&have));
        strbuf_release(&have);
    }
    cb_source_release(&source);
    strbuf_release(&text);
}

static void every_form_of_declaration_is_found_and_nothing_else(void **state) {
    (void)state;
    glob_t files;
    assert_int_equal(glob("tests/data/cb/*.cpp", 0, NULL, &files), 0);
    struct score score = {0};
    for (size_t i = 0; i < files.gl_pathc; i++) score_file(files.gl_pathv[i], &score);
    print_message("%zu sources, %u buffers: recall %u/%u, precision %u/%u\n", files.gl_pathc, score.expected, score.right,
                  score.expected, score.right, score.found);
    globfree(&files);
    assert_int_equal(score.expected, 88);
    assert_int_equal(score.right, score.expected);
    assert_int_equal(score.right, score.found);
}

static void lines_are_those_of_the_declaration_or_of_the_helper_s_call(void **state) {
    (void)state;
    struct strbuf text = file_text("tests/data/cb/two_level_helper.cpp");
    struct cb_source source;
    cb_source_scan(&source, strbuf_slice(&text), NULL, 0, NULL, 0);
    assert_int_equal(source.decls.items[0].line, 18);
    assert_int_equal(source.decls.items[2].line, 20);
    /* the size as the first helper that computes it writes it */
    assert_true(slice_equal(source.decls.items[0].total_expr, SLICE("tiles * tile")));
    assert_true(slice_equal(source.decls.items[0].indices[0].format, SLICE("Float16_b")));
    cb_source_release(&source);
    strbuf_release(&text);
}

#define SHARDS "tests/data/cb/adaptive_sizes.cpp"

static void given_values_fold_the_branches(void **state) {
    (void)state;
    static const struct {
        const char *shard, *reused;
        int64_t cb0, cb1;
    } cases[] = {{"16", "16", 6 * 4096, 6 * 4096}, {"3", "2", 5 * 4096, 2 * 4096}, {"17", "4", 2 * 4096, 2 * 4096}};
    struct strbuf text = file_text(SHARDS);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cb_set sets[] = {{SLICE("tiles_per_shard"), slice_from(cases[i].shard), false},
                                {SLICE("r_tiles"), slice_from(cases[i].reused), false}};
        struct cb_source source;
        cb_source_scan(&source, strbuf_slice(&text), NULL, 0, sets, 2);
        assert_int_equal(source.decls.items[0].total_bytes, cases[i].cb0);
        assert_int_equal(source.decls.items[1].total_bytes, cases[i].cb1);
        cb_source_release(&source);
    }
    strbuf_release(&text);
}

static void what_is_left_open_is_named(void **state) {
    (void)state;
    struct cb_source s = scan(
        "void f(Program& program, const Config& config) {\n"
        "  uint32_t tiles = config.block_h * config.block_w;\n"
        "  CreateCircularBuffer(program, core, CircularBufferConfig(tiles * 2048, {{0, tt::DataFormat::Float16_b}}));\n}");
    assert_int_equal(s.decls.len, 1);
    assert_true(slice_equal(s.decls.items[0].total_folded, SLICE("tiles * 2048")));
    assert_true(slice_equal(s.decls.items[0].adapts_to[0], SLICE("tiles")));
    cb_source_release(&s);
    s = scan_with(
        "void f(Program& program, const Config& config) {\n"
        "  CreateCircularBuffer(program, core, CircularBufferConfig(config.block_h * 2048, {{0, config.format}}));\n}",
        "block_h", "3");
    assert_int_equal(s.decls.items[0].total_bytes, 3 * 2048);
    cb_source_release(&s);
}

static void a_format_that_is_not_known_leaves_a_fixed_size(void **state) {
    (void)state;
    const char *text =
        "void f(Program& program, const Tensor& t) {\n"
        "  auto format = datatype_to_dataformat_converter(t.dtype());\n"
        "  CreateCircularBuffer(program, core, CircularBufferConfig(2 * tt::tile_size(format), {{0, format}}));\n}";
    struct cb_source s = scan(text);
    assert_int_equal(s.decls.items[0].strategy, CB_FIXED);
    assert_int_equal(s.decls.items[0].total_bytes, -1);
    cb_source_release(&s);
    s = scan_with(text, "format", "Bfp8_b");
    assert_int_equal(s.decls.items[0].total_bytes, 2 * 1088);
    cb_source_release(&s);
}

static void sides_that_exclude_each_other_count_once(void **state) {
    (void)state;
    const char *text =
        "void f() { Program program = CreateProgram();\n"
        "  CreateCircularBuffer(program, core, CircularBufferConfig(1000, {{0, tt::DataFormat::UInt8}}));\n"
        "  if (big()) { CreateCircularBuffer(program, core, CircularBufferConfig(4000, {{1, tt::DataFormat::UInt8}})); }\n"
        "  else { CreateCircularBuffer(program, core, CircularBufferConfig(300, {{1, tt::DataFormat::UInt8}}));\n"
        "         CreateCircularBuffer(program, core, CircularBufferConfig(300, {{2, tt::DataFormat::UInt8}})); } }";
    struct cb_file file = {.source = scan(text)};
    cb_file_finish(&file, chip_find(SLICE("wormhole_b0")));
    assert_int_equal(file.source.decls.len, 4);
    assert_true(file.largest.bounded);
    assert_int_equal(file.largest.min_bytes, 1000 + 300 + 300);
    assert_int_equal(file.largest.max_bytes, 1000 + 4000);
    cb_file_release(&file);
}

#define ONE_OF(index) "CreateCircularBuffer(program, core, CircularBufferConfig(2048, {{" index ", tt::DataFormat::UInt8}}));"

static void loops_of_unknown_bounds_leave_the_total_open(void **state) {
    (void)state;
    static const char *const loops[] = {
        "void f(Program& program, uint32_t n) { for (uint32_t i = 0; i < n; i++) " ONE_OF("i") " }",
        "void f(Program& program) { for (uint32_t i = 0; i < 1000; i++) " ONE_OF("i") " }",
        "void f(Program& program) { for (;;) { " ONE_OF("next()") " if (done()) break; } }",
        "void f(Program& program) { while (true) { " ONE_OF("next()") " if (done()) break; } }",
        "void f(Program& program) { std::vector<Spec> specs; fill(specs); for (auto& s : specs) " ONE_OF("s.index") " }",
        "void f(Program& program, const Specs& specs) { for (const auto& s : specs) " ONE_OF("s.index") " }",
        "void f(Program& program, const Specs& all) { std::for_each(all.begin(), all.end(), [&](const Spec& s) { " ONE_OF(
            "s.index") " }); }",
        "void f(Program& program) { uint32_t i = 0; while (more(i)) { " ONE_OF("i") " i++; } }",
    };
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct cb_file file = {.source = scan(loops[i])};
        cb_file_finish(&file, chip_find(SLICE("wormhole_b0")));
        assert_int_equal(file.source.decls.len, 1);
        assert_true(file.source.partial);
        assert_true(file.source.decls.items[0].repeats);
        assert_false(file.largest.bounded);
        assert_int_equal(file.largest.min_bytes, 0); /* it may not run at all */
        cb_file_release(&file);
    }
}

/* An index can be made once on a core: the loop goes over cores, and each has one buffer. */
static void a_loop_over_cores_makes_one_buffer_of_each(void **state) {
    (void)state;
    struct cb_file file = {
        .source = scan("void f(Program& program, const Cores& cores) { for (auto core : cores) { " ONE_OF("3") " } }")};
    cb_file_finish(&file, chip_find(SLICE("wormhole_b0")));
    assert_false(file.source.partial);
    assert_true(file.largest.bounded);
    assert_int_equal(file.largest.min_bytes, 0); /* there may be no core */
    assert_int_equal(file.largest.max_bytes, 2048);
    cb_file_release(&file);
}

static void what_is_partly_understood_has_no_exact_total(void **state) {
    (void)state;
    struct cb_file file = {.source = scan("void f(Program& program, const CircularBufferConfig& given) { " ONE_OF(
                               "0") " CreateCircularBuffer(program, core, given); }")};
    cb_file_finish(&file, chip_find(SLICE("wormhole_b0")));
    assert_true(file.source.partial);
    assert_false(file.largest.bounded);
    cb_file_release(&file);
}

static void a_core_has_an_index_once_so_the_largest_of_it_counts(void **state) {
    (void)state;
    struct strbuf text = file_text("tests/data/cb/reused_configs.cpp");
    struct cb_file file;
    memset(&file, 0, sizeof file);
    cb_source_scan(&file.source, strbuf_slice(&text), NULL, 0, NULL, 0);
    cb_file_finish(&file, chip_find(SLICE("wormhole_b0")));
    assert_int_equal(file.totals.items[0].buffers, 3);
    assert_int_equal(file.totals.items[0].max_bytes, 16384);
    /* the second and third are named by the lines that make them */
    assert_int_equal(file.source.decls.items[0].line, 13);
    assert_int_equal(file.source.decls.items[1].line, 15);
    assert_int_equal(file.source.decls.items[2].line, 17);
    cb_file_release(&file);
    strbuf_release(&text);
}

static void two_programs_of_one_function_are_two(void **state) {
    (void)state;
    struct cb_file file = {
        .source = scan("void f() { Program first; Program second;\n"
                       "  auto config = CircularBufferConfig(2048, {{0, tt::DataFormat::UInt8}}).set_page_size(0, 1024);\n"
                       "  CreateCircularBuffer(first, core, config); CreateCircularBuffer(second, core, config); }")};
    cb_file_finish(&file, chip_find(SLICE("wormhole_b0")));
    assert_int_equal(file.source.decls.len, 2);
    assert_int_equal(file.totals.len, 2);
    assert_int_equal(file.totals.items[1].min_bytes, 2048);
    assert_int_equal(file.findings.len, 0); /* not the same index twice */
    assert_true(slice_equal(file.source.programs.items[1].variable, SLICE("second")));
    cb_file_release(&file);
}

static void a_given_value_does_not_make_a_size_fixed(void **state) {
    (void)state;
    static const char *const sources[] = {
        "void f(Program& program, uint32_t n) { uint32_t t = n + 2;\n"
        "  CreateCircularBuffer(program, core, CircularBufferConfig(t * 1024, {{0, tt::DataFormat::UInt8}})); }",
        /* through a branch, taken or not */
        "void f(Program& program, uint32_t n) { uint32_t t = 6; if (n > 16) { t = 2; }\n"
        "  CreateCircularBuffer(program, core, CircularBufferConfig(t * 1024, {{0, tt::DataFormat::UInt8}})); }",
        "void f(Program& program, uint32_t n) { uint32_t t = 2; if (n <= 16) { t = 6; }\n"
        "  CreateCircularBuffer(program, core, CircularBufferConfig(t * 1024, {{0, tt::DataFormat::UInt8}})); }",
        "void f(Program& program, uint32_t n) { uint32_t t = n > 16 ? 2 : 6;\n"
        "  CreateCircularBuffer(program, core, CircularBufferConfig(t * 1024, {{0, tt::DataFormat::UInt8}})); }",
        "uint32_t g(uint32_t n) { if (n > 16) return 2; return 6; }\n"
        "void f(Program& program, uint32_t n) {\n"
        "  CreateCircularBuffer(program, core, CircularBufferConfig(g(n) * 1024, {{0, tt::DataFormat::UInt8}})); }",
    };
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        struct cb_source s = scan_with(sources[i], "n", "4");
        assert_int_equal(s.decls.items[0].total_bytes, 6 * 1024);
        assert_int_equal(s.decls.items[0].strategy, CB_ADAPTIVE);
        assert_int_equal(s.decls.items[0].n_adapts_to, 1);
        assert_true(slice_equal(s.decls.items[0].adapts_to[0], SLICE("n")));
        assert_int_equal(s.sets_used, 1);
        cb_source_release(&s);
    }
    struct cb_source s = scan_with("void f(Program& program) { " ONE_OF("0") " }", "n", "4");
    assert_int_equal(s.decls.items[0].strategy, CB_FIXED);
    assert_int_equal(s.sets_used, 0);
    cb_source_release(&s);
}

static void a_program_that_does_not_fit_is_a_finding(void **state) {
    (void)state;
    struct cb_file file = {.source = scan("void f() { Program program = CreateProgram();\n"
                                          "  CreateCircularBuffer(program, core, CircularBufferConfig(1393473, {{0, "
                                          "tt::DataFormat::UInt8}}).set_page_size(0, 1000)); }")};
    cb_file_finish(&file, chip_find(SLICE("wormhole_b0")));
    assert_int_equal(file.findings.len, 2);
    assert_int_equal(file.findings.items[0].kind, CB_OVER_LIMIT);
    assert_int_equal(file.findings.items[0].limit, 1393472);
    assert_int_equal(file.findings.items[1].kind, CB_BAD_PAGES);
    cb_file_release(&file);
}

static void rules_of_pages_are_checked(void **state) {
    (void)state;
    static const struct {
        const char *size, *page;
        int kind; /* of the only finding; -1: none */
    } cases[] = {
        {"65535 * 16", ".set_page_size(0, 16)", -1},      {"65536 * 16", ".set_page_size(0, 16)", CB_MANY_PAGES},
        {"1000", ".set_page_size(0, 300)", CB_BAD_PAGES}, {"1024", "", CB_NO_PAGE_SIZE},
        {"0", ".set_page_size(0, 16)", CB_NO_BYTES},      {"1024", ".set_page_size(0, bytes())", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "void f(Program& program) { CreateCircularBuffer(program, core, CircularBufferConfig(%s, {{0, "
                 "tt::DataFormat::UInt8}})%s); }",
                 cases[i].size, cases[i].page);
        struct cb_file file = {.source = scan(text)};
        cb_file_finish(&file, chip_find(SLICE("wormhole_b0")));
        assert_int_equal(file.findings.len, cases[i].kind >= 0);
        if (cases[i].kind >= 0) assert_int_equal(file.findings.items[0].kind, cases[i].kind);
        cb_file_release(&file);
    }
}

/* An index that is added under a condition is not one that is made twice. */
static void an_index_added_sometimes_is_no_repeat(void **state) {
    (void)state;
    struct cb_file file = {
        .source = scan("void f(ProgramDescriptor& desc, const CoreRangeSet& cores, bool fused) {\n"
                       "  auto make = [&](uint8_t index) { CBDescriptor d; d.total_size = 2048; d.core_ranges = cores;\n"
                       "    d.format_descriptors.push_back(CBFormatDescriptor{.buffer_index = index, .page_size = 2048});\n"
                       "    return d; };\n"
                       "  auto a = make(0); if (fused) { a.format_descriptors.push_back(\n"
                       "      CBFormatDescriptor{.buffer_index = 9, .page_size = 2048}); }\n"
                       "  auto b = make(1); if (!fused) { b.format_descriptors.push_back(\n"
                       "      CBFormatDescriptor{.buffer_index = 9, .page_size = 2048}); }\n"
                       "  desc.cbs.push_back(a); desc.cbs.push_back(b); }")};
    cb_file_finish(&file, chip_find(SLICE("wormhole_b0")));
    assert_int_equal(file.source.decls.len, 2);
    assert_int_equal(file.findings.len, 0);
    assert_int_equal(file.largest.max_bytes, 4096);
    cb_file_release(&file);
}

static struct kernel_facts facts_of(const char *path, const int64_t *args, uint32_t n) {
    struct strbuf text = file_text(path);
    struct kernel_facts whole, facts;
    kernel_facts_read(&whole, strbuf_slice(&text), NULL, 0);
    kernel_facts_resolve(&facts, &whole, &(struct kernel_args){args, n, NULL, 0});
    kernel_facts_release(&whole);
    strbuf_release(&text);
    return facts;
}

static void kernels_tell_what_they_do_to_which_buffer(void **state) {
    (void)state;
    const int64_t args[] = {0, 1};
    struct kernel_facts f = facts_of("tests/data/cb/kernels/reader.cpp", args, 2);
    assert_int_equal(f.lines, 15);
    assert_int_equal(f.functions, 1);
    assert_int_equal(f.loops, 1);
    assert_int_equal(f.complexity, 4); /* the function, the loop, the if, its && */
    assert_int_equal(f.uses.len, 2);
    assert_int_equal(f.uses.items[1].index, 1);
    assert_int_equal(f.uses.items[1].ops[KERNEL_PUSH], 1);
    assert_int_equal(f.uses.items[1].ops[KERNEL_WAIT], 0);
    kernel_facts_release(&f);
    f = facts_of("tests/data/cb/kernels/reader.cpp", NULL, 0); /* the indices come from the host */
    assert_int_equal(f.uses.len, 1);
    assert_int_equal(f.uses.items[0].index, -1);
    kernel_facts_release(&f);
}

/* Each function calls the next one eight times: at the eighth it would be 16 million calls. */
static void kernels_whose_calls_multiply_end_and_say_so(void **state) {
    (void)state;
    struct strbuf text = {0};
    for (int f = 9; f > 0; f--) {
        strbuf_addf(&text, "void f%d(uint32_t cb) {\n", f);
        for (int call = 0; call < 8; call++)
            if (f < 9) strbuf_addf(&text, "    f%d(cb);\n", f + 1);
        strbuf_addz(&text, "    cb_push_back(cb, 1);\n}\n");
    }
    strbuf_addz(&text, "void kernel_main() { f1(2); }\n");
    struct kernel_facts tangled, plain;
    kernel_facts_read(&tangled, strbuf_slice(&text), NULL, 0);
    struct strbuf small = {0};
    strbuf_add(&small, slice_take(strbuf_slice(&text), slice_find(strbuf_slice(&text), SLICE("void f7("))));
    strbuf_addz(&small, "void kernel_main() { f8(2); }\n");
    kernel_facts_read(&plain, strbuf_slice(&small), NULL, 0);
    assert_false(tangled.understood);
    assert_true(plain.understood);
    kernel_facts_release(&tangled);
    kernel_facts_release(&plain);
    strbuf_release(&small);
    strbuf_release(&text);
}

static void comparison_tells_what_came_went_and_changed(void **state) {
    (void)state;
    const char *form =
        "void f() { Program program = CreateProgram(); uint32_t n = %s;\n"
        "  CreateCircularBuffer(program, core, CircularBufferConfig(n * 1024, {{0, tt::DataFormat::UInt8}}));\n"
        "  CreateCircularBuffer(program, core, CircularBufferConfig(%s, {{%s, tt::DataFormat::UInt8}})); }";
    char before_text[512], after_text[512];
    snprintf(before_text, sizeof before_text, form, "4", "2048", "1");
    snprintf(after_text, sizeof after_text, form, "rows()", "2048", "2");
    struct cb_file before = {.source = scan(before_text)}, after = {.source = scan(after_text)};
    const struct chip *chip = chip_find(SLICE("wormhole_b0"));
    cb_file_finish(&before, chip);
    cb_file_finish(&after, chip);
    struct cb_comparison c;
    cb_compare(&c, (struct cb_files){&before, 1}, (struct cb_files){&after, 1}, true);
    assert_int_equal(c.changes.len, 3);
    assert_int_equal(c.changes.items[0].kind, CB_STRATEGY); /* CB 0: fixed to adaptive */
    assert_int_equal(c.changes.items[1].kind, CB_REMOVED);
    assert_int_equal(c.changes.items[2].kind, CB_ADDED);
    assert_int_equal(c.before.max_bytes, 4 * 1024 + 2048);
    assert_true(c.before.bounded);
    assert_false(c.after.bounded); /* rows() is open: 2048 B at least */
    assert_int_equal(c.after.min_bytes, 2048);
    cb_comparison_release(&c);
    cb_file_release(&before);
    cb_file_release(&after);
}

/* --- hostile texts: all end, and soon --- */

static void ends_soon(struct strbuf *text) {
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    struct cb_source s;
    cb_source_scan(&s, strbuf_slice(text), NULL, 0, NULL, 0);
    clock_gettime(CLOCK_MONOTONIC, &to);
    assert_true(to.tv_sec - from.tv_sec < 30); /* 4 s without sanitizers and other load */
    assert_true(s.arena.total < 400u << 20);
    cb_source_release(&s);
    strbuf_release(text);
}

/* The bound is one of work, not of time: this text breaks it on any machine. */
static void a_tangle_is_given_up_and_named(void **state) {
    (void)state;
    struct strbuf text = {0};
    strbuf_addz(&text, "void f(Program& program) { CircularBufferConfig config;\n");
    for (unsigned i = 0; i < 20000; i++) strbuf_addz(&text, "if for while ");
    struct cb_source s;
    cb_source_scan(&s, strbuf_slice(&text), NULL, 0, NULL, 0);
    assert_true(s.partial);
    assert_true(slice_equal(s.partial_reason, SLICE("too large or too tangled to parse")));
    cb_source_release(&s);
    strbuf_release(&text);
}

#define MAKE "CreateCircularBuffer(program, core, CircularBufferConfig(2048, {{0, tt::DataFormat::UInt8}}));"

static void hostile_sources_end_within_bounds(void **state) {
    (void)state;
    static const struct {
        const char *repeated, *tail;
        unsigned times;
    } cases[] = {
        {"(", "1", 10000},
        {"(", "", 200000},
        {"{", MAKE, 100000},
        {"a<", MAKE, 100000},
        {"b+", "b;", 5000000},
        {"!", "x;", 200000},
        {"if (x) ", ";", 30000},
        {"if (x); else ", ";", 30000},
        {"#if X\n;", "", 30000},
        {MAKE "\n", "", 30000},
        {"x = ", "x;", 100000},
        {"for (int i = 0; i < 64; i++) ", "{" MAKE "}", 20},
        {"if (c()) { x = x + 1; } else { y = x; }\n", MAKE, 3000},
        {"\"", "", 100001},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strbuf text = {0};
        strbuf_addz(&text, "void f(Program& program) { CircularBufferConfig config;\n");
        for (unsigned k = 0; k < cases[i].times; k++) strbuf_addz(&text, cases[i].repeated);
        strbuf_addz(&text, cases[i].tail);
        ends_soon(&text);
    }
}

static void calls_in_a_circle_and_calls_that_multiply_end(void **state) {
    (void)state;
    struct cb_source s = scan("void g(Program& p); void h(Program& p) { g(p); " MAKE " } void g(Program& p) { h(p); h(p); }");
    assert_true(s.decls.len >= 1 && s.decls.len <= 2);
    cb_source_release(&s);
    struct strbuf text = {0};
    for (int i = 0; i < 200; i++)
        strbuf_addf(&text, "void f%d(Program& program) { f%d(program); f%d(program); " MAKE " }\n", i, i + 1, i + 1);
    ends_soon(&text);
}

#define MAKE_BYTES(index, size)                                                                                            \
    "CreateCircularBuffer(p, c, CircularBufferConfig(" size ", {{" index ", tt::DataFormat::UInt8}}).set_page_size(" index \
    ", 1024));\n"

static void digits_in_groups_are_no_quotes(void **state) {
    (void)state;
    struct cb_source s = scan("void f(Program& p, CoreCoord c) {\n" MAKE_BYTES("0", "n + 4096") "if (c.x) { n = 10'240u; }}\n");
    assert_false(s.partial);
    cb_source_release(&s);
    s = scan("constexpr uint32_t n = 0x2'800;\nvoid f(Program& p, CoreCoord c) {\n" MAKE_BYTES("0", "n + 4096") "}\n");
    assert_int_equal(s.decls.len, 1);
    assert_int_equal(s.decls.items[0].total_bytes, 10240 + 4096);
    cb_source_release(&s);
}

static void code_that_is_switched_off_makes_nothing(void **state) {
    (void)state;
    struct cb_source s = scan(
        "#if 0\nvoid g(Program& p, CoreCoord c) { " MAKE_BYTES("9", "1024") "\n#endif\n"
        "void f(Program& p, CoreCoord c) {\n"
        "#if 0 // not yet\n" MAKE_BYTES("1", "1024") "not ( code\n# else\n" MAKE_BYTES("2", "2048") "#endif\n"
        "#if 1\r\n" MAKE_BYTES("3", "1024") "#if X\n" MAKE_BYTES("4", "1024") "#endif\n#elif Y\n" MAKE_BYTES("5", "1024") "#endif\n"
        "#if 0\n#if 1\n" MAKE_BYTES("6", "1024") "#endif\n" MAKE_BYTES("7", "1024") "#elif Z\n" MAKE_BYTES("8", "1024") "#endif\n}\n");
    assert_false(s.partial);
    static const int64_t made[] = {2, 3, 4, 8};
    assert_int_equal(s.decls.len, 4);
    for (size_t i = 0; i < s.decls.len; i++) assert_int_equal(s.decls.items[i].indices[0].index, made[i]);
    assert_int_equal(s.decls.items[0].line, 10);
    cb_source_release(&s);
}

static void both_sides_of_a_definition_are_never_made_together(void **state) {
    (void)state;
    struct cb_source s = scan("void f(Program& p, CoreCoord c) { uint32_t n = 2;\n#ifdef BIG\n" MAKE_BYTES(
        "0", "4096") "n = 4;\n#else\n" MAKE_BYTES("1", "1024") "#endif\n" MAKE_BYTES("2", "n * 1024") "}\n");
    assert_int_equal(s.decls.len, 3);
    const struct cb_decl *big = &s.decls.items[0], *small = &s.decls.items[1];
    assert_int_equal(big->n_conditions, 1);
    assert_int_equal(small->n_conditions, 1);
    assert_int_equal(big->conditions[0].id, small->conditions[0].id);
    assert_int_not_equal(big->conditions[0].side, small->conditions[0].side);
    assert_true(slice_equal(big->conditions[0].text, SLICE("BIG")));
    assert_int_equal(s.decls.items[2].n_conditions, 0);
    assert_int_equal(s.decls.items[2].total_bytes, -1); /* 2048 or 4096 */
    cb_source_release(&s);
}

static void a_given_value_that_only_lets_a_buffer_be_made_is_not_its_size(void **state) {
    (void)state;
    struct cb_source s = scan_with(
        "uint32_t twice(uint32_t n) { n = n * 2; return n; }\n"
        "void f(Program& p, CoreCoord c, bool bias) {\n"
        "auto make = [&](uint32_t i, uint32_t tiles) { " MAKE_BYTES("i", "tiles * 1024") "};\n"
        "uint32_t tiles = 1; if (bias) { tiles = 3; }\n"
        "if (bias) { make(0, 2); uint32_t k = twice(2); k += 1; make(1, k); make(2, tiles); }\n}\n",
        "bias", "1");
    assert_int_equal(s.decls.len, 3);
    static const struct {
        enum cb_strategy strategy;
        int64_t bytes;
    } expected[] = {{CB_FIXED, 2048}, {CB_FIXED, 5120}, {CB_ADAPTIVE, 3072}};
    for (size_t i = 0; i < s.decls.len; i++) {
        assert_int_equal(s.decls.items[i].strategy, expected[i].strategy);
        assert_int_equal(s.decls.items[i].total_bytes, expected[i].bytes);
    }
    cb_source_release(&s);
}

static void loops_within_loops_are_followed_to_the_innermost(void **state) {
    (void)state;
    enum { LEVELS = 20 };
    struct strbuf text = {0};
    strbuf_addz(&text, "void f(Program& p, CoreCoord c, const V& v) {\n");
    for (unsigned i = 0; i < LEVELS; i++) strbuf_addf(&text, "for (const auto& a%u : v.list(%u)) {\n", i, i);
    strbuf_addz(&text, MAKE_BYTES("0", "1024"));
    strbuf_fill(&text, '}', LEVELS);
    strbuf_addz(&text, "\n" MAKE_BYTES("1", "2048") "}\n");
    struct cb_source s;
    cb_source_scan(&s, strbuf_slice(&text), NULL, 0, NULL, 0);
    assert_int_equal(s.decls.len, 2);
    assert_false(slice_equal(s.partial_reason, SLICE("too long to follow to the end")));
    cb_source_release(&s);
    strbuf_release(&text);
}

static void lists_of_that_name_in_other_structures_hold_no_buffers(void **state) {
    (void)state;
    struct cb_source s = scan(
        "void bind(Result& result, const ProgramDescriptor& desc) {\n"
        "  result.cbs.push_back({made->id(), static_cast<uint32_t>(at), from.address_offset});\n  result.cbs.push_back({1, "
        "2});\n}\n"
        "void f(ProgramDescriptor& desc, const CoreRangeSet& cores) {\n"
        "  desc.cbs.push_back({4096, cores, {{{3, tt::DataFormat::Float16_b, 2048}}}});\n}\n");
    assert_int_equal(s.decls.len, 1);
    assert_int_equal(s.decls.items[0].indices[0].index, 3);
    assert_int_equal(s.decls.items[0].total_bytes, 4096);
    cb_source_release(&s);
}

static void half_a_file_gives_what_is_there_and_says_so(void **state) {
    (void)state;
    struct strbuf text = file_text("tests/data/cb/inline_constants.cpp");
    size_t cut = slice_find(strbuf_slice(&text), SLICE("const uint32_t out_index"));
    assert_true(cut != SLICE_NONE);
    struct cb_source s;
    cb_source_scan(&s, slice_take(strbuf_slice(&text), cut), NULL, 0, NULL, 0);
    assert_int_equal(s.decls.len, 2);
    assert_true(s.partial);
    cb_source_release(&s);
    strbuf_release(&text);
}

static void every_cut_of_every_source_is_survived(void **state) {
    (void)state;
    struct strbuf text = file_text("tests/data/cb/descriptors.cpp");
    for (size_t cut = 0; cut < text.len; cut += 37) {
        struct cb_source s;
        cb_source_scan(&s, slice_take(strbuf_slice(&text), cut), NULL, 0, NULL, 0);
        assert_true(s.decls.len <= 6);
        cb_source_release(&s);
    }
    strbuf_release(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_declaration_is_found_and_nothing_else),
        cmocka_unit_test(lines_are_those_of_the_declaration_or_of_the_helper_s_call),
        cmocka_unit_test(given_values_fold_the_branches),
        cmocka_unit_test(what_is_left_open_is_named),
        cmocka_unit_test(a_format_that_is_not_known_leaves_a_fixed_size),
        cmocka_unit_test(sides_that_exclude_each_other_count_once),
        cmocka_unit_test(loops_of_unknown_bounds_leave_the_total_open),
        cmocka_unit_test(a_loop_over_cores_makes_one_buffer_of_each),
        cmocka_unit_test(what_is_partly_understood_has_no_exact_total),
        cmocka_unit_test(a_core_has_an_index_once_so_the_largest_of_it_counts),
        cmocka_unit_test(two_programs_of_one_function_are_two),
        cmocka_unit_test(a_given_value_does_not_make_a_size_fixed),
        cmocka_unit_test(a_program_that_does_not_fit_is_a_finding),
        cmocka_unit_test(rules_of_pages_are_checked),
        cmocka_unit_test(an_index_added_sometimes_is_no_repeat),
        cmocka_unit_test(kernels_tell_what_they_do_to_which_buffer),
        cmocka_unit_test(kernels_whose_calls_multiply_end_and_say_so),
        cmocka_unit_test(comparison_tells_what_came_went_and_changed),
        cmocka_unit_test(hostile_sources_end_within_bounds),
        cmocka_unit_test(a_tangle_is_given_up_and_named),
        cmocka_unit_test(calls_in_a_circle_and_calls_that_multiply_end),
        cmocka_unit_test(digits_in_groups_are_no_quotes),
        cmocka_unit_test(code_that_is_switched_off_makes_nothing),
        cmocka_unit_test(both_sides_of_a_definition_are_never_made_together),
        cmocka_unit_test(a_given_value_that_only_lets_a_buffer_be_made_is_not_its_size),
        cmocka_unit_test(loops_within_loops_are_followed_to_the_innermost),
        cmocka_unit_test(lists_of_that_name_in_other_structures_hold_no_buffers),
        cmocka_unit_test(half_a_file_gives_what_is_there_and_says_so),
        cmocka_unit_test(every_cut_of_every_source_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
