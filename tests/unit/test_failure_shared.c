/* SPDX-License-Identifier: Apache-2.0 */
/* analysis/: the messages of the shared data, each with its class, what it is about (operation or phase) and its figures,
 * written down by hand from the texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "analysis/failure/failure_class.h"
#include "analysis/failure/run_failures.h"
#include "base/strbuf.h"

enum { FIGURES = 7 };

struct expected {
    const char *op, *phase; /* "" when the text names none */
    struct {
        enum failure_number number;
        uint64_t value;
    } figures[FIGURES]; /* up to a value of 0 */
    uint64_t shortfall, overlap;
};

#define N(name, v) \
    { FAILURE_##name, v }

/* In the order of the file; the class stands in its first column. */
static const struct expected rows[] = {
    {"", "trace-capture", {N(ADDRESS, 1050673152), N(HIGH_WATER, 1052770304), N(HIGH_WATER2, 1051721728)}, 0, 2097152},
    {"", "trace-capture", {N(ADDRESS, 1050673152), N(HIGH_WATER, 1051721728)}, 0, 1048576},
    {"", "trace-capture", {N(ADDRESS, 1050673152), N(HIGH_WATER, 1052770304)}, 0, 2097152},
    {"", "trace-capture", {N(ADDRESS, 1050673152), N(HIGH_WATER, 1052770304)}, 0, 2097152},
    {"", "trace-capture", {N(REQUESTED, 84877312), N(LIMIT, 50331648)}, 34545664, 0},
    {"",
     "",
     {N(REQUESTED, 1048576), N(BANKS, 64), N(PER_BANK, 16384), N(BANK, 1393472), N(ALLOCATED, 1390000), N(FREE, 3472),
      N(LARGEST, 3472)},
     12912,
     0},
    {"", "", {N(COUNT, 80), N(BANKS, 64)}, 0, 0},
    {"", "program-compile", {N(REQUESTED, 66560), N(LIMIT, 65536)}, 0, 0}, /* 1024 + 65536 */
    {"", "program-compile", {N(REQUESTED, 1000), N(LIMIT, 2048)}, 0, 0},
    {"", "program-compile", {N(REQUESTED, 65536), N(LIMIT, 32768)}, 0, 0},
    {"", "", {N(REQUESTED, 65536), N(LIMIT, 98304)}, 0, 0},
    {"", "program-compile", {N(REQUESTED, 2097152), N(LIMIT, 1393472)}, 703680, 0},
    {"", "program-compile", {N(REQUESTED, 262400), N(LIMIT, 65536)}, 196864, 0},
    {"", "program-compile", {N(REQUESTED, 720896), N(LIMIT, 524288)}, 196608, 0},
    {"", "program-compile", {N(REQUESTED, 720896), N(LIMIT, 524288)}, 196608, 0},
    {"", "program-compile", {N(COUNT, 400), N(COUNT_LIMIT, 341)}, 0, 0},
    {"", "program-compile", {N(REQUESTED, 0x2400), N(LIMIT, 0x2000)}, 0x400, 0},
    {"", "program-compile", {N(REQUESTED, 83968), N(LIMIT, 70656)}, 13312, 0},
    {"", "", {N(REQUESTED, 4096), N(ALLOCATED, 65536), N(LIMIT, 65536)}, 4096, 0},
    {"", "", {N(DEVICE, 0)}, 0, 0},
    {"", "", {N(REQUESTED, 0x40000000)}, 0, 0},
    {"", "", {N(REQUESTED, 262144), N(LIMIT, 196608)}, 65536, 0},
    {"", "", {N(REQUESTED, 1600000), N(LIMIT, 1572864)}, 27136, 0},
    {"", "", {N(REQUESTED, 1600000), N(LIMIT, 1572864)}, 27136, 0},
    {"ttnn.concat", "", {N(REQUESTED, 3145728), N(LIMIT, 1393472)}, 1752256, 0},
    {"ttnn.concat", "", {N(REQUESTED, 7974912), N(LIMIT, 1393472)}, 6581440, 0},
    {"ttnn.reshape", "", {N(REQUESTED, 2162688), N(LIMIT, 1393472)}, 769216, 0}, /* 2097152 + 65536 */
    {"ttnn.slice", "", {N(REQUESTED, 2168608), N(LIMIT, 1393472)}, 775136, 0},
    {"ttnn.experimental.selective_reduce_combine", "", {N(REQUESTED, 0)}, 0, 0},
    {"ttnn.experimental.create_qkv_heads", "", {N(REQUESTED, 2097152), N(LIMIT, 1499136)}, 598016, 0}, /* 512 * 2048 * 2 */
    {"ttnn.rotate", "", {N(REQUESTED, 2097152), N(LIMIT, 1393472)}, 703680, 0},
    {"ttnn.untilize", "", {N(REQUESTED, 0)}, 0, 0},
    {"", "", {N(REQUESTED, 65536), N(LIMIT, 32768)}, 32768, 0},
    {"", "compile", {N(REQUESTED, 1894400), N(LIMIT, 1395424)}, 498976, 0},
    {"", "compile", {N(REQUESTED, 1073750000), N(LIMIT, 1073125856)}, 624144, 0},
    {"ttnn.add", "compile", {N(REQUESTED, 0)}, 0, 0},
    {"", "", {N(REQUESTED, 0)}, 0, 0},
    {"", "kv-cache", {N(REQUESTED, 0)}, 0, 0},
    {"", "kv-cache", {N(SEQ_LEN, 131072), N(REQUESTED, 17179869184), N(LIMIT, 12884901888)}, 4294967296, 0},
    {"", "", {N(REQUESTED, 0)}, 0, 0},
    {"", "", {N(REQUESTED, 137438953472)}, 0, 0},
    {"", "", {N(PID, 4242), N(RSS_KEPT, UINT64_C(98765432) * 1024)}, 0, 0},
    {"", "program-compile", {N(COUNT_LIMIT, 16)}, 0, 0},
    {"", "", {N(REQUESTED, 4096), N(BANKS, 2), N(PER_BANK, 2048)}, 2048, 0},
    {"",
     "trace-capture",
     {N(REQUESTED, 34603008), N(BANKS, 12), N(PER_BANK, 2883584), N(BANK, 1048576), N(FREE, 1048576), N(LARGEST, 1048576)},
     1835008,
     0},
    {"ttnn.add", "", {N(COUNT, 2)}, 0, 0},
    {"", "", {N(REQUESTED, 0)}, 0, 0},
    {"", "", {N(REQUESTED, 65536)}, 0, 0},
    {"", "", {N(REQUESTED, 0)}, 0, 0},
    {"", "", {N(PID, 4242)}, 0, 0},
    {"moreh_softmax", "", {N(REQUESTED, 0)}, 0, 0},
};
enum { ROWS = sizeof rows / sizeof *rows };

static bool read_shared(const char *name, struct strbuf *out) {
    const char *folder = getenv("TTMEM_DATA");
    char path[512], block[4096];
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "../shared/data", name);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;) strbuf_add(out, slice_of(block, n));
    fclose(file);
    return true;
}

static struct slice column(struct slice *line) {
    size_t tab = slice_find_byte(*line, '\t');
    struct slice out = slice_take(*line, tab);
    *line = tab == SLICE_NONE ? slice_of("", 0) : slice_skip(*line, tab + 1);
    return out;
}

static void add_text(struct strbuf *out, struct slice words) {
    for (size_t at; (at = slice_find(words, SLICE("\\n"))) != SLICE_NONE; words = slice_skip(words, at + 2)) {
        strbuf_add(out, slice_take(words, at));
        strbuf_addc(out, '\n');
    }
    strbuf_add(out, words);
    strbuf_addc(out, '\n');
}

static void check(size_t i, struct slice class, struct slice words) {
    struct strbuf text = {0};
    add_text(&text, words);
    struct failure_set set = {0};
    struct run run = {0};
    struct explain explain;
    failure_set_add_text(&set, strbuf_slice(&text));
    run_explain_set(&run, &set, &explain);
    if (!explain.failures.len) fail_msg("row %zu: nothing found in %s", i, strbuf_text(&text));
    const struct explanation *e = &explain.failures.items[0];
    const struct failure *f = &e->entry->failure;
    if (!slice_equal(class, slice_from(failure_class(f, e->verdict.kind))))
        fail_msg("row %zu: %s", i, failure_class(f, e->verdict.kind));
    const struct expected *want = &rows[i];
    const char *phase = around_phase_name(e->context.phase);
    if (!slice_equal(e->context.op, slice_from(want->op)))
        fail_msg("row %zu: op %.*s", i, (int)e->context.op.len, e->context.op.ptr);
    if (strcmp(phase ? phase : "", want->phase) != 0) fail_msg("row %zu: phase %s", i, phase ? phase : "none");
    for (size_t k = 0; k < FIGURES && want->figures[k].value; k++)
        if (!failure_knows(f, want->figures[k].number) || f->number[want->figures[k].number] != want->figures[k].value)
            fail_msg("row %zu: figure %zu", i, k);
    if ((e->verdict.has_shortfall ? e->verdict.shortfall_bytes : 0) != want->shortfall) fail_msg("row %zu: shortfall", i);
    if ((e->verdict.has_overlap ? e->verdict.overlap_bytes : 0) != want->overlap) fail_msg("row %zu: overlap", i);
    explain_release(&explain);
    failure_set_release(&set);
    strbuf_release(&text);
}

static void every_shared_message_has_class_figures_and_what_it_is_about(void **state) {
    (void)state;
    struct strbuf all = {0};
    if (!read_shared("errors/more_messages.tsv", &all)) skip();
    struct slice rest = strbuf_slice(&all);
    size_t seen = 0;
    while (rest.len) {
        size_t end = slice_find_byte(rest, '\n');
        struct slice line = slice_take(rest, end);
        rest = end == SLICE_NONE ? slice_of("", 0) : slice_skip(rest, end + 1);
        if (!line.len || line.ptr[0] == '#') continue;
        struct slice class = column(&line);
        column(&line);
        assert_true(seen < ROWS);
        check(seen++, class, line);
    }
    assert_int_equal(seen, ROWS);
    strbuf_release(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_shared_message_has_class_figures_and_what_it_is_about)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
