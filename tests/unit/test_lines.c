/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of lines, torn lines of mpirun, and that hostile bytes are looked at once, not once for each of them. */
#include "run_testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "input/rewritten.h"
#include "scan/find.h"
#include "scan/lines.h"

static size_t parts_of(struct slice text, size_t *lines) {
    size_t parts = 0;
    *lines = 0;
    for (const char *at = text.ptr, *end = at + text.len; at < end; parts++) {
        bool ends;
        lines_take_part(&at, end, &ends);
        *lines += ends;
    }
    return parts;
}

static void carriage_returns_in_a_row_cut_once(void **state) {
    (void)state;
    enum { MANY = 1000 };
    char row[MANY];
    size_t lines;
    memset(row, '\r', MANY);
    assert_int_equal(parts_of(slice_of(row, MANY), &lines), 1);
    assert_int_equal(lines, 0);
    row[MANY - 1] = '\n';
    assert_int_equal(parts_of(slice_of(row, MANY), &lines), 1);
    assert_int_equal(lines, 1);
    assert_int_equal(parts_of(SLICE("10%\r\r20%\r30%\r\r\nnext\r\n"), &lines), 4);
    assert_int_equal(lines, 2);
}

/* A file with this text; `path` ends in XXXXXX. */
static void write_text(char *path, struct slice text) {
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.ptr, text.len), text.len);
    close(fd);
}

/* The mended bytes of a log; *seconds: of this process, not of the clock on the wall. */
static struct strbuf mended(struct slice text, double *seconds) {
    char path[] = "/tmp/ttmem-lines-XXXXXX";
    struct source source;
    struct err err = {0};
    struct strbuf out = {0};
    write_text(path, text);
    assert_int_equal(source_open(&source, path, &err), 0);
    clock_t begin = clock();
    assert_int_equal(mpi_lines_mend(&source, &err), 0);
    *seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    strbuf_add(&out, source.bytes);
    source_release(&source);
    unlink(path);
    return out;
}

static void torn_lines_end_where_their_process_ended_them(void **state) {
    (void)state;
    double seconds;
    struct strbuf out = mended(SLICE("[1,0]<stdout>:a[1,1]<stdout>:b[1,0]<stdout>:c\n[1,1]<stdout>:d\n"), &seconds);
    assert_slice(strbuf_slice(&out), "[1,0]<stdout>:ac\n[1,1]<stdout>:bd\n");
    strbuf_release(&out);
}

/* Of `count` tags in one line: of one process, or each of its own. */
static double mending_time(unsigned count, bool own) {
    struct strbuf text = {0};
    double seconds;
    for (unsigned i = 0; i < count; i++) {
        char tag[40];
        snprintf(tag, sizeof tag, "[1,%u]<stdout>:", own ? i : 0);
        strbuf_add(&text, slice_from(tag));
    }
    struct strbuf out = mended(strbuf_slice(&text), &seconds);
    strbuf_release(&out);
    strbuf_release(&text);
    return seconds;
}

/* Eight times the tags: linear work is 8 times as much, work by pairs 64 times. */
static void a_line_of_many_tags_is_mended_in_linear_time(void **state) {
    (void)state;
    const double floor = 0.02;
    for (int own = 0; own < 2; own++) {
        double small = mending_time(20000, own), large = mending_time(160000, own);
        assert_true(large < 24 * (small > floor ? small : floor));
    }
}

/* The number of a temporary file can be that of an earlier one: by it, logs of two ranks once seemed to be one file. */
static void a_mended_log_is_still_the_file_that_was_named(void **state) {
    (void)state;
    struct source mended[2], plain;
    char paths[2][32];
    struct err err = {0};
    for (size_t i = 0; i < 2; i++) {
        char path[] = "/tmp/ttmem-lines-XXXXXX";
        write_text(path, SLICE("[1,0]<stdout>:a[1,1]<stdout>:b\n[1,0]<stdout>:c\n"));
        assert_int_equal(source_open(&mended[i], path, &err), 0);
        assert_int_equal(source_open(&plain, path, &err), 0);
        assert_int_equal(mpi_lines_mend(&mended[i], &err), 0);
        source_close_file(&mended[i], true);
        assert_true(source_same_file(&mended[i], &plain));
        assert_int_equal(source_change(&mended[i]), SOURCE_KEPT);
        source_release(&plain);
        strcpy(paths[i], path);
    }
    assert_false(source_same_file(&mended[0], &mended[1]));
    unlink(paths[0]);
    unlink(paths[1]);
    source_release(&mended[0]);
    source_release(&mended[1]);
}

/* At any place of texts of any length, by whole vectors and by their rest. */
static void the_first_brace_or_control_byte_is_found(void **state) {
    (void)state;
    enum { LONGEST = 200 };
    for (size_t len = 0; len <= LONGEST; len++)
        for (size_t at = 0; at <= len; at++)
            for (const char *c = "}\t"; *c; c++) {
                char *own = malloc(len + 1); /* reading beyond its end shows */
                assert_non_null(own);
                memset(own, 'x', len);
                if (at < len) own[at] = *c;
                if (at + 3 < len) own[at + 3] = '}';
                assert_ptr_equal(find_brace_or_control(own, own + len), own + at);
                free(own);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carriage_returns_in_a_row_cut_once),
        cmocka_unit_test(the_first_brace_or_control_byte_is_found),
        cmocka_unit_test(torn_lines_end_where_their_process_ended_them),
        cmocka_unit_test(a_line_of_many_tags_is_mended_in_linear_time),
        cmocka_unit_test(a_mended_log_is_still_the_file_that_was_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
