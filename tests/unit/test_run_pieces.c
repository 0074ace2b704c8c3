/* SPDX-License-Identifier: Apache-2.0 */
/* However the bytes arrive, the run is the same; any prefix of a log is a log. */
#include "run_testing.h"

#include "scan/chunks.h"

/* JSON syntax: returns what stands after a value, or NULL. */
static const char *json_space(const char *p) {
    while (*p == ' ' || *p == '\n') p++;
    return p;
}

static const char *json_string(const char *p) {
    if (*p++ != '"') return NULL;
    for (; *p != '"'; p++) {
        if ((unsigned char)*p < 0x20) return NULL;
        if (*p == '\\' && !strchr("\"\\/bfnrtu", *++p)) return NULL;
    }
    return p + 1;
}

static const char *json_number(const char *p) {
    size_t n = strspn(p += *p == '-', "0123456789");
    if (!n || (n > 1 && *p == '0')) return NULL;
    p += n;
    if (*p != '.') return p;
    n = strspn(++p, "0123456789");
    return n ? p + n : NULL;
}

static const char *json_value(const char *p) {
    static const char *const words[] = {"null", "true", "false"};
    p = json_space(p);
    for (size_t i = 0; i < 3; i++)
        if (strncmp(p, words[i], strlen(words[i])) == 0) return p + strlen(words[i]);
    if (*p == '"') return json_string(p);
    if (*p != '{' && *p != '[') return json_number(p);
    char close = *p == '{' ? '}' : ']';
    p = json_space(p + 1);
    if (*p == close) return p + 1;
    for (;; p++) {
        p = json_space(p);
        if (close == '}') {
            p = json_string(p);
            if (!p || *(p = json_space(p)) != ':') return NULL;
            p++;
        }
        p = json_value(p);
        if (!p) return NULL;
        p = json_space(p);
        if (*p == close) return p + 1;
        if (*p != ',') return NULL;
    }
}

static bool is_json(const char *text) {
    const char *past = json_value(text);
    return past && !*json_space(past);
}

static void the_checker_of_this_test_knows_json(void **state) {
    (void)state;
    static const char *const good[] = {"{}", "[1, -2.5, \"a\\\"b\", null, true, {\"k\": []}]\n", "0", "\"\""};
    static const char *const bad[] = {"",    "{",      "{1:2}",    "[1,]", "[1 2]", "01",     "1.",
                                      "\"a", "\"\n\"", "{\"a\":}", "nul",  "{} {}", "\"\\x\""};
    for (size_t i = 0; i < COUNT_OF(good); i++) assert_true(is_json(good[i]));
    for (size_t i = 0; i < COUNT_OF(bad); i++) assert_false(is_json(bad[i]));
}

static struct strbuf crafted(void) {
    struct strbuf text = file_text("tests/data/crafted_all_cases.log");
    assert_int_equal(text.len > 20000, 1);
    return text;
}

static struct strbuf summary_in_pieces(struct slice text, size_t piece) {
    struct run run;
    read_pieces(&run, text, piece);
    struct strbuf json = summary_of(&run);
    run_release(&run);
    return json;
}

static struct strbuf summary_of_file(const char *path) {
    struct run run;
    struct source source;
    read_file(&run, &source, path);
    struct strbuf json = summary_of(&run);
    run_release(&run);
    source_release(&source);
    return json;
}

static void pieces_of_any_size_give_the_same_run(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 7, 64, 4096};
    struct strbuf text = crafted(), expected = summary_of_file("tests/data/crafted_all_cases.log");
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        struct strbuf json = summary_in_pieces(strbuf_slice(&text), sizes[i]);
        assert_string_equal(strbuf_text(&json), strbuf_text(&expected));
        strbuf_release(&json);
    }
    strbuf_release(&text);
    strbuf_release(&expected);
}

/* A pool that comes again begins the next block. */
static void pools_without_a_heading_are_cut_into_the_same_blocks_by_any_pieces(void **state) {
    (void)state;
    static const char *const pools[] = {"TRACE", "DRAM", "L1", "L1_SMALL", "TRACE", "L1", "L1", "DRAM", "TRACE", "L1_SMALL"};
    struct strbuf text = {0};
    for (size_t i = 0; i < COUNT_OF(pools); i++)
        strbuf_addf(
            &text,
            "                 Always |     INFO | Device %s memory state: MemoryView{numBanks: 12, totalBytesPerBank: 9.000 "
            "MB, "
            "totalBytesAllocatedPerBank: %zu.000 MB, totalBytesFreePerBank: 1.000 MB, largestContiguousBytesFreePerBank: "
            "1.000 MB}\n",
            pools[i], i);
    for (size_t piece = 1; piece <= text.len; piece += 97) {
        struct run run;
        read_pieces(&run, strbuf_slice(&text), piece);
        assert_int_equal(run.block_count, 3); /* TRACE to L1_SMALL; TRACE, L1; L1 to L1_SMALL */
        run_release(&run);
    }
    strbuf_release(&text);
}

static void a_split_at_any_line_gives_the_same_run(void **state) {
    (void)state;
    struct strbuf text = crafted();
    struct strbuf expected = summary_in_pieces(strbuf_slice(&text), text.len);
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != '\n') continue;
        struct run run = {0};
        struct run_feed *feed = run_feed_new(&run);
        run_feed_bytes(feed, slice_of(text.data, i + 1));
        run_feed_bytes(feed, slice_of(text.data + i + 1, text.len - i - 1));
        run_feed_finish(feed);
        struct strbuf json = summary_of(&run);
        assert_string_equal(strbuf_text(&json), strbuf_text(&expected));
        strbuf_release(&json);
        run_release(&run);
    }
    strbuf_release(&text);
    strbuf_release(&expected);
}

/* Bytes changed, taken out and doubled, lone "\r" among them; the same damage for the same seed. */
static void damage(struct strbuf *text, uint32_t seed) {
    static const char odd[] = "\r\n\0{}[]|%\x1b\xff 0";
    for (unsigned n = 0; n < 60; n++) {
        seed = seed * 1664525u + 1013904223u;
        size_t at = seed % text->len, len = (seed >> 9) % 200;
        if (len > text->len - at) len = text->len - at;
        if (n % 3 == 0) text->data[at] = odd[(seed >> 20) % (sizeof odd - 1)];
        else if (n % 3 == 1) memmove(text->data + at, text->data + at + len, text->len - at - len), text->len -= len;
        else memmove(text->data + at, text->data + at / 2, len);
    }
}

static void a_thousand_boundaries_in_intact_and_damaged_logs_change_nothing(void **state) {
    (void)state;
    enum { BOUNDARIES = 1000, LOGS = 8 };
    for (uint32_t log = 0; log < LOGS; log++) {
        struct strbuf text = crafted();
        if (log) damage(&text, log);
        if (log % 2) text.data[text.len - 1] = '\r';
        struct strbuf expected = summary_in_pieces(strbuf_slice(&text), text.len + 1);
        for (size_t n = 0; n < BOUNDARIES / LOGS; n++) {
            size_t at = (n * LOGS + log) * text.len / BOUNDARIES + 1;
            struct run run = {0};
            struct run_feed *feed = run_feed_new(&run);
            run_feed_bytes(feed, slice_of(text.data, at));
            run_feed_bytes(feed, slice_of(text.data + at, text.len - at));
            run_feed_finish(feed);
            struct strbuf json = summary_of(&run);
            assert_string_equal(strbuf_text(&json), strbuf_text(&expected));
            strbuf_release(&json);
            run_release(&run);
        }
        strbuf_release(&expected);
        strbuf_release(&text);
    }
}

/* Many copies of the crafted log in one file: chunks begin and end in dumps, blocks and lines. */
static void any_number_of_threads_gives_the_same_run(void **state) {
    (void)state;
    static const char *const threads[] = {"1", "2", "7"};
    char path[] = "/tmp/ttmem-pieces-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "wb");
    struct strbuf text = crafted(), all = {0};
    while (all.len < 5 * CHUNK_BYTES / 2) {
        strbuf_add(&all, strbuf_slice(&text));
        strbuf_addc(&all, '\n');
    }
    assert_int_equal(fwrite(all.data, 1, all.len, file), all.len);
    fclose(file);
    struct strbuf expected = summary_in_pieces(strbuf_slice(&all), all.len);
    for (size_t i = 0; i < COUNT_OF(threads); i++) {
        setenv("TTMEM_THREADS", threads[i], 1);
        struct strbuf json = summary_of_file(path);
        assert_string_equal(strbuf_text(&json), strbuf_text(&expected));
        strbuf_release(&json);
        struct source source;
        struct run run = {0};
        assert_int_equal(source_open(&source, path, NULL), 0);
        assert_int_equal(run_read_known(&run, &source, NULL, NULL), 0);
        assert_true(hash_equal(run.content, hash_bytes(strbuf_slice(&all))));
        run_release(&run);
        source_release(&source);
    }
    unsetenv("TTMEM_THREADS");
    remove(path);
    strbuf_release(&text);
    strbuf_release(&all);
    strbuf_release(&expected);
}

static void any_prefix_gives_a_valid_summary(void **state) {
    (void)state;
    struct strbuf text = crafted();
    uint64_t records = 0, blocks = 0;
    for (size_t len = 0; len <= text.len; len += 3) {
        char *exact = malloc(len + 1); /* of its own, so that a sanitizer sees a step too far */
        memcpy(exact, text.data, len);
        struct run run;
        read_pieces(&run, slice_of(exact, len), len + 1);
        struct strbuf json = summary_of(&run);
        assert_true(is_json(strbuf_text(&json)));
        assert_true(run.records.len + 1 >= records); /* a deallocate that is cut in its name is an op of another name */
        assert_true(run.block_count >= blocks);
        records = run.records.len;
        blocks = run.block_count;
        strbuf_release(&json);
        run_release(&run);
        free(exact);
    }
    assert_int_equal(records, 12);
    assert_int_equal(blocks, 8);
    strbuf_release(&text);
}

static struct strbuf with_line_ends(const struct strbuf *text, const char *end) {
    struct strbuf out = {0};
    for (size_t i = 0; i < text->len; i++)
        if (text->data[i] == '\n') strbuf_addz(&out, end);
        else strbuf_addc(&out, text->data[i]);
    return out;
}

static void every_line_end_gives_the_same_records(void **state) {
    (void)state;
    static const char *const ends[] = {"\n", "\r\n", "\r\r\n"};
    struct strbuf text = crafted();
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        struct strbuf ended = with_line_ends(&text, ends[i]);
        for (size_t piece = 5; piece < 100000; piece *= 100) {
            struct run run;
            read_pieces(&run, strbuf_slice(&ended), piece);
            assert_int_equal(run.lines, 120);
            assert_int_equal(run.records.len, 12);
            assert_int_equal(run.block_count, 8);
            assert_int_equal(run.modules.len, 2);
            assert_int_equal(run.registry.len, 2);
            assert_int_equal(run.steps.items[run.records.items[11]].line, 120);
            run_release(&run);
        }
        strbuf_release(&ended);
    }
    strbuf_release(&text);
}

/* What progress bars print: parts of one line, each read, of which a terminal shows the last. */
static void a_lone_carriage_return_ends_no_line(void **state) {
    (void)state;
    struct strbuf text = crafted(), parts = with_line_ends(&text, "\r");
    struct run run;
    read_pieces(&run, strbuf_slice(&parts), 500);
    assert_int_equal(run.lines, 1);
    assert_int_equal(run.records.len, 12);
    assert_int_equal(run.block_count, 8);
    assert_int_equal(run.steps.items[run.records.items[11]].line, 1);
    run_release(&run);
    strbuf_release(&parts);
    parts = with_line_ends(&text, "\n 50%|#### | 5/10\r\rdone \r");
    read_pieces(&run, strbuf_slice(&parts), 500);
    assert_int_equal(run.lines, 120);
    assert_int_equal(run.records.len, 12);
    assert_int_equal(run.registry.len, 2);
    assert_int_equal(run.steps.items[run.records.items[11]].line, 120);
    run_release(&run);
    strbuf_release(&parts);
    strbuf_release(&text);
}

/* Text that says nothing, of the kind that a real log is full of. */
static void noise_between_any_two_lines_changes_no_number(void **state) {
    (void)state;
    static const char noise[] =
        "\n2026-06-11 13:22:54.955 (   2.249s) [        A8FFD6C0]     buffer_instance.cc:733      1| BufferInstance::x\n";
    struct strbuf text = crafted(), noisy = with_line_ends(&text, noise);
    struct run run;
    read_pieces(&run, strbuf_slice(&noisy), 1000);
    assert_int_equal(run.lines, 120 + 119);
    assert_int_equal(run.records.len, 12);
    assert_int_equal(run.block_count, 8);
    assert_int_equal(run.executions.len, 4);
    assert_int_equal(run.registry.len, 2);
    assert_int_equal(run.warnings[WARN_BLOCK_WITHOUT_HEADING], 0);
    assert_int_not_equal(run.programs.items[0].module, NONE); /* lines inside the dump are filtered */
    run_release(&run);
    strbuf_release(&text);
    strbuf_release(&noisy);
}

#define ALWAYS "                 Always |     INFO | "
#define VIEW(allocated)                                                                               \
    "MemoryView{numBanks: 12, totalBytesPerBank: 1022.169 MB, totalBytesAllocatedPerBank: " allocated \
    " MB, totalBytesFreePerBank: 1.000 MB, largestContiguousBytesFreePerBank: 1.000 MB}\n"

static void an_empty_message_hides_nothing(void **state) {
    (void)state;
    struct run run;
    read_pieces(&run,
                SLICE("                 Always |     INFO |\n" ALWAYS "Device memory state before submit\n" ALWAYS
                      "Device DRAM memory state: " VIEW("0.174")),
                SIZE_MAX);
    assert_int_equal(run.block_count, 1);
    run_release(&run);
}

static void pools_come_in_any_order_and_some_are_missing(void **state) {
    (void)state;
    struct run run;
    read_pieces(&run,
                SLICE(ALWAYS "Device memory state before operation AddOp\n" ALWAYS "Device TRACE memory state: " VIEW("0.001")
                          ALWAYS "Device L1 memory state: " VIEW("0.500") "some words in between\n" ALWAYS
                                                                          "Device DRAM memory state: " VIEW("7.000") ALWAYS
                      "Device memory state before operation MulOp\n" ALWAYS "Device DRAM memory state: " VIEW("8.000")),
                SIZE_MAX);
    assert_int_equal(run.block_count, 2);
    assert_int_equal(run.records.len, 2);
    assert_int_equal(run.blocks.items[0].have, 1 << POOL_DRAM | 1 << POOL_L1 | 1 << POOL_TRACE);
    assert_int_equal(run.blocks.items[0].allocated[POOL_DRAM], 7000);
    assert_int_equal(run.blocks.items[0].allocated[POOL_L1], 500);
    assert_int_equal(run.blocks.items[1].allocated[POOL_DRAM], 8000);
    assert_slice(step_name(&run, &run.steps.items[0]), "AddOp");
    run_release(&run);
}

#define TTNN "            RuntimeTTNN |    DEBUG | "
#define TILE                                                                                                   \
    "tensor<32x32xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, " \
    "#ttnn.buffer_type<dram>>, <interleaved>>>"

/* The log begins after the op that made %5: its results are met one by one and are not those of %6. */
static void results_of_an_op_that_was_not_seen_stay_apart(void **state) {
    (void)state;
    struct run run;
    read_pieces(
        &run,
        SLICE(TTNN "Starting execution of program: main\n" TTNN "Executing operation: \"ttnn.deallocate\"(%5) : (" TILE
                   ") -> () loc(unknown)\n" TTNN "Executing operation: %6 = \"ttnn.empty\"() : () -> " TILE
                   " loc(unknown)\n" TTNN "Executing operation: \"ttnn.deallocate\"(%5#1) : (" TILE
                   ") -> () loc(unknown)\n" TTNN "Executing operation: %7 = \"ttnn.abs\"(%6) : (" TILE ") -> " TILE
                   " loc(unknown)\n" TTNN "Executing operation: \"ttnn.deallocate\"(%7) : (" TILE ") -> () loc(unknown)\n"),
        SIZE_MAX);
    assert_int_equal(run.tensors.len, 2);
    assert_int_equal(run.tensors.items[0].born, 2); /* %6, until the end of the log */
    assert_int_equal(run.tensors.items[0].gone, NONE);
    assert_int_equal(run.tensors.items[1].gone, 5);
    run_release(&run);
}

static void ranks_shuffled_line_by_line_stay_apart(void **state) {
    (void)state;
    struct run run;
    struct strbuf text = {0};
    static const char *const pools[] = {"DRAM", "L1", "L1_SMALL", "TRACE"};
    for (int rank = 0; rank < 3; rank++)
        strbuf_addf(&text, "[1,%d]<stdout>:" ALWAYS "Device memory state before operation MatmulOp\n", rank);
    for (int pool = 0; pool < 4; pool++)
        for (int rank = 2; rank >= 0; rank--)
            strbuf_addf(&text,
                        "[1,%d]<stdout>:" ALWAYS
                        "Device %s memory state: MemoryView{numBanks: 12, totalBytesPerBank: 100.000 MB, "
                        "totalBytesAllocatedPerBank: %d%d.000 MB, totalBytesFreePerBank: 1.000 MB, "
                        "largestContiguousBytesFreePerBank: 1.000 MB}\n",
                        rank, pools[pool], rank + 1, pool);
    static const size_t sizes[] = {1, 50, 1000000};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        read_pieces(&run, strbuf_slice(&text), sizes[i]);
        assert_int_equal(run.block_count, 3);
        assert_int_equal(run.records.len, 3);
        for (size_t b = 0; b < 3; b++) {
            const struct block *block = &run.blocks.items[b];
            assert_int_equal(block->have, 15);
            for (unsigned pool = 0; pool < 4; pool++) assert_int_equal(block->allocated[pool], (b + 1) * 10000 + pool * 1000);
        }
        run_release(&run);
    }
    strbuf_release(&text);
}

/* Message and lines of two ranks come one by one; what a message lacks arrives later. */
static void a_failure_over_several_lines_is_read_whole_however_it_arrives(void **state) {
    (void)state;
    static const char text[] =
        "[1,0]<stdout>:            RuntimeTTNN |    DEBUG | Executing operation: %1 = \"ttnn.relu\"(%0) : (tensor<8xbf16>) -> "
        "tensor<8xbf16> loc(\"a\")\n"
        "[1,1]<stdout>:            RuntimeTTNN |    DEBUG | Executing operation: %1 = \"ttnn.add\"(%0) : (tensor<8xbf16>) -> "
        "tensor<8xbf16> loc(\"b\")\n"
        "[1,0]<stdout>:TT_FATAL: Out of Memory: Not enough space to allocate 58720256 B DRAM buffer\n"
        "[1,1]<stdout>:TT_FATAL: Out of Memory: Not enough space to allocate 86450176 B L1 buffer\n"
        "[1,0]<stdout>:across 12 banks, where each bank needs to store 4894720 B, but bank size is 1071821792 B\n"
        "[1,1]<stdout>:across 64 banks, where each bank needs to store 1350784 B, but bank size is only 1330944 B\n"
        "[1,0]<stdout>:(allocated: 888424448 B, free: 183397344 B, largest free block: 3382944 B)\n";
    static const size_t sizes[] = {1, 7, 60, 200, 1000000};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        struct run run;
        read_pieces(&run, slice_from(text), sizes[i]);
        assert_int_equal(run.failures.entries.len, 2);
        const struct failure_entry *dram = &run.failures.entries.items[0], *l1 = &run.failures.entries.items[1];
        assert_int_equal(dram->line, 3);
        assert_int_equal(dram->count, 1);
        assert_int_equal(dram->failure.number[FAILURE_REQUESTED], 58720256);
        assert_int_equal(dram->failure.number[FAILURE_PER_BANK], 4894720);
        assert_int_equal(dram->failure.number[FAILURE_LARGEST], 3382944);
        assert_int_equal(l1->line, 4);
        assert_int_equal(l1->failure.number[FAILURE_REQUESTED], 86450176);
        assert_int_equal(l1->failure.number[FAILURE_BANKS], 64);
        assert_int_equal(l1->failure.number[FAILURE_BANK], 1330944);
        assert_false(failure_knows(&l1->failure, FAILURE_FREE));
        /* each in the op of its rank */
        for (size_t f = 0; f < 2; f++) {
            assert_int_equal(run.failure_sites.items[f].step, f);
            assert_true(slice_equal(step_name(&run, &run.steps.items[f]), f ? SLICE("ttnn.add") : SLICE("ttnn.relu")));
        }
        run_release(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checker_of_this_test_knows_json),
        cmocka_unit_test(pieces_of_any_size_give_the_same_run),
        cmocka_unit_test(pools_without_a_heading_are_cut_into_the_same_blocks_by_any_pieces),
        cmocka_unit_test(a_split_at_any_line_gives_the_same_run),
        cmocka_unit_test(a_thousand_boundaries_in_intact_and_damaged_logs_change_nothing),
        cmocka_unit_test(any_number_of_threads_gives_the_same_run),
        cmocka_unit_test(any_prefix_gives_a_valid_summary),
        cmocka_unit_test(every_line_end_gives_the_same_records),
        cmocka_unit_test(a_lone_carriage_return_ends_no_line),
        cmocka_unit_test(noise_between_any_two_lines_changes_no_number),
        cmocka_unit_test(an_empty_message_hides_nothing),
        cmocka_unit_test(pools_come_in_any_order_and_some_are_missing),
        cmocka_unit_test(results_of_an_op_that_was_not_seen_stay_apart),
        cmocka_unit_test(ranks_shuffled_line_by_line_stay_apart),
        cmocka_unit_test(a_failure_over_several_lines_is_read_whole_however_it_arrives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
