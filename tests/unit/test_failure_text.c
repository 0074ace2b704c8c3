/* SPDX-License-Identifier: Apache-2.0 */
/* parse/: the failures of a text in memory are the same whatever the number of threads, and wherever chunks end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/strbuf.h"
#include "parse/failure/set.h"
#include "scan/chunks.h"

#define TRACE_LINE "Creating trace buffers of size "
#define TRACE "Creating trace buffers of size 512B on MeshDevice 0,\n   but only 50B is allocated for trace region.\n"

static struct failure_set found_by(const char *threads, struct slice text) {
    struct failure_set set = {0};
    setenv("TTMEM_THREADS", threads, 1);
    failure_set_add_text(&set, text);
    unsetenv("TTMEM_THREADS");
    return set;
}

static void fill_lines(struct strbuf *text, size_t len) {
    static const char line[] = "a line that tells nothing of interest, and is followed by others of its kind\n";
    while (text->len < len) strbuf_add(text, slice_take(slice_of(line, sizeof line - 1), len - text->len));
}

static void a_message_across_the_end_of_a_chunk_is_found_once(void **state) {
    (void)state;
    struct strbuf text = {0};
    size_t length = sizeof TRACE - 1;
    for (size_t before = 0; before <= length + 2; before += 7) {
        strbuf_clear(&text);
        fill_lines(&text, CHUNK_BYTES - before - 1);
        uint64_t line = 2;
        for (size_t i = 0; i < text.len; i++) line += text.data[i] == '\n';
        strbuf_addz(&text, "\n" TRACE);
        fill_lines(&text, CHUNK_BYTES + 10000);
        for (unsigned t = 0; t < 2; t++) {
            struct failure_set set = found_by(t ? "3" : "1", strbuf_slice(&text));
            assert_int_equal(set.entries.len, 1);
            assert_int_equal(set.entries.items[0].count, 1);
            assert_int_equal(set.entries.items[0].line, line);
            assert_int_equal(set.entries.items[0].failure.number[FAILURE_REQUESTED], 512);
            assert_int_equal(set.entries.items[0].failure.number[FAILURE_LIMIT], 50);
            failure_set_release(&set);
        }
    }
    strbuf_release(&text);
}

static void lines_are_counted_over_all_chunks(void **state) {
    (void)state;
    struct strbuf text = {0};
    for (unsigned i = 0; i < 7; i++) {
        fill_lines(&text, text.len + 2 * 1000 * 1000);
        strbuf_addf(&text, "\nCreating trace buffers of size %uB on MeshDevice 0, but only 50B is allocated\n", 100 + i);
    }
    struct failure_set set = found_by("2", strbuf_slice(&text));
    assert_int_equal(set.entries.len, 7);
    uint64_t line = 1;
    for (size_t i = 0, at = 0; i < 7; i++) {
        size_t hit = slice_find(slice_skip(strbuf_slice(&text), at), SLICE("Creating"));
        for (size_t k = at; k < at + hit; k++) line += text.data[k] == '\n';
        at += hit;
        assert_int_equal(set.entries.items[i].line, line);
        assert_int_equal(set.entries.items[i].failure.number[FAILURE_REQUESTED], 100 + i);
        line += text.data[at++] == '\n';
    }
    failure_set_release(&set);
    strbuf_release(&text);
}

/* Two ranks throw, their lines in turns: what one prints is no message of the other, whatever names them. */
static void lines_of_others_are_no_message(void **state) {
    (void)state;
    static const char *const tags[][2] = {
        {"node0: ", "node1: "},     {"wh-glx-a02: ", "wh-glx-a10: "},     {"10.0.0.9: ", "10.0.0.10: "},
        {"alpha: ", "beta: "},      {"tt-0 main ", "tt-1 main "},         {"server-0  | ", "server-1  | "},
        {"alpha  | ", "beta   | "}, {"[1,0]<stderr>:", "[1,1]<stderr>:"}, {"", ""}};
    static const struct {
        unsigned rank;
        const char *text;
    } lines[] = {
        {0, "TT_THROW @ /opt/tt-metal/tt_metal/impl/program/program.cpp:1: tt::exception"},
        {0, "info:"},
        {1,
         "                 Always |     INFO | Device L1 memory state: MemoryView{numBanks: 64, totalBytesPerBank: 1.270 MB}"},
        {1, "2026-06-11 00:16:40.004 | info     |          Always | Device memory state before operation AddOp"},
        {1, "            RuntimeTTNN |    DEBUG | Executing operation: %2 = \"ttnn.add\"(%1) : (tensor<128x128xbf16>)"},
        {1, "RuntimeError: TT_FATAL @ /opt/tt-metal/tt_metal/impl/allocator/bank_manager.cpp:462: false"},
        {1, "info:"},
        {0, TRACE_LINE "512B on MeshDevice 0, but only 50B is allocated for trace region."},
        {0, "backtrace:"},
        {1, TRACE_LINE "768B on MeshDevice 0, but only 50B is allocated for trace region."},
        {1, "backtrace:"},
    };
    for (size_t t = 0; t < sizeof tags / sizeof *tags; t++) {
        struct strbuf text = {0};
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
            strbuf_addf(&text, "%s%s\n", tags[t][lines[i].rank], lines[i].text);
        struct failure_set set = found_by("1", strbuf_slice(&text));
        size_t memory = 0;
        for (size_t i = 0; i < set.entries.len; i++) {
            const struct failure *f = &set.entries.items[i].failure;
            memory += failure_is_memory(f);
            if (!failure_is_memory(f) && !failure_is_cut(f)) fail_msg("'%s': '%s'", tags[t][0], f->words);
        }
        assert_int_equal(memory, 2);
        failure_set_release(&set);
        strbuf_release(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_across_the_end_of_a_chunk_is_found_once),
        cmocka_unit_test(lines_are_counted_over_all_chunks),
        cmocka_unit_test(lines_of_others_are_no_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
