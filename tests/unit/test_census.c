/* SPDX-License-Identifier: Apache-2.0 */
/* What is counted without folding is what folding finds: of a row of ops with their blocks, whole and damaged at every line. */
#include "run_testing.h"

#include <unistd.h>

#include "model/census.h"

enum { LINES = 96 };

static void read_run(struct census *census, struct slice text) {
    struct run run;
    read_pieces(&run, text, text.len + 1);
    census_of_run(census, &run);
    run_release(&run);
}

static void count_file(struct census *census, struct slice text) {
    char path[] = "/tmp/ttmem_census_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.ptr, text.len), (ssize_t)text.len);
    close(fd);
    struct source source;
    struct err err = {0};
    assert_int_equal(source_open(&source, path, &err), 0);
    assert_int_equal(census_take(census, &source, NULL, NULL, &err), 0);
    source_release(&source);
    unlink(path);
}

static void assert_counts_agree(struct slice text) {
    struct census counted, folded;
    count_file(&counted, text);
    read_run(&folded, text);
    assert_int_equal(counted.lines, folded.lines);
    assert_int_equal(counted.ops, folded.ops);
    assert_int_equal(counted.deallocates, folded.deallocates);
    assert_int_equal(counted.get_devices, folded.get_devices);
    assert_int_equal(counted.blocks, folded.blocks);
    assert_int_equal(counted.submit_blocks, folded.submit_blocks);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        assert_int_equal(counted.has_config[pool], folded.has_config[pool]);
        assert_int_equal(counted.config[pool].banks, folded.config[pool].banks);
    }
    census_release(&counted);
    census_release(&folded);
}

/* Ops and their blocks, from the first op of the example on. */
static size_t take_lines(struct slice log, struct slice *lines) {
    static const char first[] = "Executing operation";
    const char *at = memmem(log.ptr, log.len, first, sizeof first - 1);
    assert_non_null(at);
    while (at > log.ptr && at[-1] != '\n') at--;
    for (size_t i = 0; i < LINES; i++) {
        const char *end = memchr(at, '\n', (size_t)(log.ptr + log.len - at));
        assert_non_null(end);
        lines[i] = slice_between(at, ++end);
        at = end;
    }
    return LINES;
}

static void keep(struct strbuf *out, struct slice line) { strbuf_add(out, line); }
static void leave_out(struct strbuf *out, struct slice line) { (void)out, (void)line; }
static void cut(struct strbuf *out, struct slice line) { strbuf_add(out, slice_take(line, line.len / 2)); }
static void cut_and_end(struct strbuf *out, struct slice line) { cut(out, line), strbuf_addz(out, "\n"); }
static void twice(struct strbuf *out, struct slice line) { keep(out, line), keep(out, line); }
static void of_a_rank(struct strbuf *out, struct slice line) { strbuf_addz(out, "[1,3]<stdout>:"), keep(out, line); }
static void with_carriage_return(struct strbuf *out, struct slice line) {
    strbuf_add(out, slice_take(line, line.len - 1)), strbuf_addz(out, "\r\n");
}
static void after_a_progress_bar(struct strbuf *out, struct slice line) { strbuf_addz(out, "10 %\r"), keep(out, line); }
static void with_another_glued_to_it(struct strbuf *out, struct slice line) {
    strbuf_add(out, slice_take(line, line.len - 1)), keep(out, line);
}
static void with_a_nul(struct strbuf *out, struct slice line) {
    strbuf_add(out, slice_take(line, line.len / 2)), strbuf_addc(out, '\0'), strbuf_add(out, slice_skip(line, line.len / 2));
}
/* Another line's end after this one's beginning. */
static void torn(struct strbuf *out, struct slice line) {
    strbuf_add(out, slice_take(line, line.len * 3 / 4)), strbuf_add(out, slice_skip(line, line.len / 2));
}
static void after_other_text(struct strbuf *out, struct slice line) { strbuf_addz(out, "step 4 took 3 s\n"), keep(out, line); }

static void counts_are_those_of_the_run(void **state) {
    (void)state;
    static void (*const damages[])(struct strbuf *, struct slice) = {keep,
                                                                     leave_out,
                                                                     cut,
                                                                     cut_and_end,
                                                                     twice,
                                                                     of_a_rank,
                                                                     with_carriage_return,
                                                                     after_a_progress_bar,
                                                                     with_another_glued_to_it,
                                                                     with_a_nul,
                                                                     torn,
                                                                     after_other_text};
    struct strbuf log = file_text("examples/transformer_profile.log"), text = {0};
    struct slice lines[LINES];
    size_t count = take_lines(strbuf_slice(&log), lines);
    for (size_t damage = 0; damage < COUNT_OF(damages); damage++)
        for (size_t at = 0; at < count; at++) {
            strbuf_clear(&text);
            for (size_t i = 0; i < count; i++) (i == at ? damages[damage] : keep)(&text, lines[i]);
            assert_counts_agree(strbuf_slice(&text));
        }
    strbuf_release(&text);
    strbuf_release(&log);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_are_those_of_the_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
