/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is cut, rewritten or replaced while it is read: what was read is a log that ends there, and it is known. */
#include "run_testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "scan/chunks.h"

enum { COPIES_BYTES = 5 * CHUNK_BYTES / 2 };

/* The crafted log again and again, in a file of its own. */
static struct strbuf long_log(void) {
    struct source source;
    struct err err = {0};
    struct strbuf all = {0};
    assert_int_equal(source_open(&source, "tests/data/crafted_all_cases.log", &err), 0);
    while (all.len < COPIES_BYTES) strbuf_add(&all, source.bytes);
    source_release(&source);
    return all;
}

static void write_log(char *path, struct slice text) {
    strcpy(path, "/tmp/ttmem-shrinks-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.ptr, text.len), text.len);
    close(fd);
}

static void cut_before_it_is_read(void **state) {
    (void)state;
    struct strbuf all = long_log();
    const size_t cuts[] = {0, 1, 4095, 4096, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 777, 2 * CHUNK_BYTES + 1, all.len - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        char path[64];
        struct source source;
        struct run run = {0}, prefix;
        struct err err = {0};
        write_log(path, strbuf_slice(&all));
        assert_int_equal(source_open(&source, path, &err), 0);
        assert_int_equal(truncate(path, (off_t)cuts[i]), 0);
        assert_int_equal(run_read(&run, &source, NULL, &err), 0);
        assert_true(source.shrank);
        assert_int_equal(run.bytes, cuts[i]);
        assert_int_equal(source_change(&source), SOURCE_SHRANK);
        run.warnings[WARN_CUT_INPUT] = 0; /* nobody cut the prefix */
        run.first_warning_line[WARN_CUT_INPUT] = 0;
        read_pieces(&prefix, slice_of(all.data, cuts[i]), all.len);
        assert_int_equal(run.lines, prefix.lines);
        struct strbuf got = summary_of(&run), wanted = summary_of(&prefix);
        assert_string_equal(strbuf_text(&got), strbuf_text(&wanted));
        strbuf_release(&got);
        strbuf_release(&wanted);
        run_release(&run);
        run_release(&prefix);
        source_release(&source);
        unlink(path);
    }
    strbuf_release(&all);
}

static void cut_after_it_was_read(void **state) {
    (void)state;
    struct strbuf all = long_log();
    char path[64];
    struct source source;
    struct run run;
    write_log(path, strbuf_slice(&all));
    read_file(&run, &source, path);
    assert_int_equal(source_change(&source), SOURCE_KEPT);
    assert_int_equal(truncate(path, 100), 0);
    /* a mapping reads zeros where there is nothing any more */
    assert_int_equal(source.bytes.ptr[source.bytes.len - 1], 0);
    assert_int_equal(source.bytes.ptr[99], all.data[99]);
    assert_int_equal(source_change(&source), SOURCE_SHRANK);
    run_release(&run);
    source_release(&source);
    unlink(path);
    strbuf_release(&all);
}

static void rewritten_and_replaced(void **state) {
    (void)state;
    struct strbuf all = long_log();
    char path[64], other[64];
    struct source source;
    struct err err = {0};
    write_log(path, strbuf_slice(&all));
    assert_int_equal(source_open(&source, path, &err), 0);
    source.changed_at.tv_nsec ^= 1; /* as if time had passed */
    FILE *file = fopen(path, "a");
    fputs("more of it\n", file);
    fclose(file);
    assert_int_equal(source_change(&source), SOURCE_KEPT);
    assert_false(source_replaced(&source));
    file = fopen(path, "r+");
    fputs("another log", file);
    fclose(file);
    assert_int_equal(source_change(&source), SOURCE_REWRITTEN);
    write_log(other, strbuf_slice(&all));
    assert_int_equal(rename(other, path), 0);
    assert_true(source_replaced(&source));
    unlink(path);
    assert_true(source_replaced(&source));
    source_release(&source);
    strbuf_release(&all);
}

static void small_file_stays_as_it_was(void **state) {
    (void)state;
    char path[64];
    struct source source;
    struct err err = {0};
    write_log(path, SLICE("one\ntwo\n"));
    assert_int_equal(source_open(&source, path, &err), 0);
    assert_int_equal(truncate(path, 0), 0);
    assert_true(slice_equal(source.bytes, SLICE("one\ntwo\n")));
    source_release(&source);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_before_it_is_read),
        cmocka_unit_test(cut_after_it_was_read),
        cmocka_unit_test(rewritten_and_replaced),
        cmocka_unit_test(small_file_stays_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
