/* SPDX-License-Identifier: Apache-2.0 */
/* How tests ended, as ctest and Python's unittest print it. */
#include "base/num.h"
#include "parse/around/around_lines.h"

/* The text after "Test #12: ", or empty. */
static struct slice ctest_name(struct slice line) {
    static const struct slice word = {"Test ", 5};
    size_t at = around_find(line, word);
    struct slice rest = at == SLICE_NONE ? slice_of("", 0) : slice_trim(slice_skip(line, at + word.len));
    uint64_t number;
    size_t digits = slice_starts(rest, SLICE("#")) ? num_read_u64(slice_skip(rest, 1), &number) : 0;
    rest = slice_skip(rest, 1 + digits);
    return digits && slice_starts(rest, SLICE(": ")) ? slice_skip(rest, 2) : slice_of("", 0);
}

/* "1/2 Test  #1: name ......   Passed    0.01 sec", "...***Failed    0.01 sec", "Subprocess aborted***Exception:   0.1 sec" */
static bool read_ctest(struct slice line, struct around_line *out) {
    static const struct {
        const char *words;
        enum around_kind kind;
        uint64_t ending;
    } rows[] = {{"   Passed  ", AROUND_TEST_PASSED, 0},  {"***Skipped", AROUND_TEST_PASSED, AROUND_SKIPPED},
                {"***Failed", AROUND_TEST_FAILED, 0},    {"***Timeout", AROUND_TEST_FAILED, 0},
                {"***Exception", AROUND_TEST_FAILED, 0}, {"***Not Run", AROUND_TEST_PASSED, AROUND_SKIPPED}};
    struct slice name = ctest_name(line);
    size_t end = slice_find_byte(name, ' ');
    if (!name.len || end == SLICE_NONE || !around_has(line, " sec")) return false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!around_has(name, rows[i].words)) continue;
        *out = (struct around_line){.kind = rows[i].kind, .text = slice_take(name, end), .number = rows[i].ending};
        return true;
    }
    return false;
}

/* "67% tests passed, 1 tests failed out of 3" */
static bool read_ctest_end(struct slice line, struct around_line *out) {
    static const struct slice passed = {"% tests passed, ", 16}, failed = {" tests failed out of ", 21};
    size_t at = around_find(line, passed);
    struct slice rest = at == SLICE_NONE ? slice_of("", 0) : slice_skip(line, at + passed.len);
    uint64_t count, all;
    size_t digits = num_read_u64(rest, &count);
    rest = slice_skip(rest, digits);
    if (!digits || !slice_starts(rest, failed) || !num_read_u64(slice_skip(rest, failed.len), &all)) return false;
    *out = (struct around_line){.kind = AROUND_SESSION_END, .number = count, .outer = count < all};
    return true;
}

/* The word that unittest prints after "... ", or on its own line if the test printed something. */
static bool read_result(struct slice word, struct around_line *out) {
    static const struct {
        const char *word;
        enum around_kind kind;
        uint64_t ending;
    } rows[] = {{"ok", AROUND_TEST_PASSED, 0},
                {"FAIL", AROUND_TEST_FAILED, 0},
                {"ERROR", AROUND_TEST_FAILED, 0},
                {"skipped '", AROUND_TEST_PASSED, AROUND_SKIPPED},
                {"expected failure", AROUND_TEST_PASSED, AROUND_XFAILED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct slice row = slice_from(rows[i].word);
        if (!(slice_ends(row, SLICE("'")) ? slice_starts(word, row) : slice_equal(word, row))) continue;
        out->kind = rows[i].kind;
        out->number = rows[i].ending;
        return true;
    }
    return false;
}

/* "test_a (module.Class) ... ok"; without the word the test begins. */
static bool read_unittest(struct slice line, struct around_line *out) {
    struct slice bare = slice_trim(around_without_prefix(line));
    size_t dots = around_find(bare, SLICE(") ... ")), open = around_find(bare, SLICE(" ("));
    if (dots == SLICE_NONE && slice_ends(bare, SLICE(") ..."))) dots = bare.len - 5;
    if (dots == SLICE_NONE || open == SLICE_NONE || open > dots || !slice_starts(bare, SLICE("test"))) return false;
    if (slice_find_byte(slice_take(bare, open), ' ') != SLICE_NONE) return false;
    *out = (struct around_line){.kind = AROUND_TEST, .text = slice_take(bare, dots + 1)};
    read_result(slice_trim(slice_skip(bare, dots + 5)), out);
    return true;
}

/* The word alone is about the running test, if any. */
static bool read_unittest_word(struct slice line, struct around_line *out) {
    if (!read_result(slice_trim(line), out)) return false;
    if (out->kind == AROUND_TEST_PASSED && !out->number) out->number = AROUND_OF_RUNNING;
    return true;
}

/* "Ran 3 tests in 0.123s" */
static bool read_ran(struct slice line, struct around_line *out) {
    struct slice bare = slice_trim(around_without_prefix(line));
    if (!slice_starts(bare, SLICE("Ran "))) return false;
    size_t digits = num_read_u64(slice_skip(bare, 4), &out->number);
    struct slice rest = slice_skip(bare, 4 + digits);
    if (!digits || !(slice_starts(rest, SLICE(" tests in ")) || slice_starts(rest, SLICE(" test in ")))) return false;
    out->kind = AROUND_RAN;
    return true;
}

bool around_read_harness(struct slice line, struct around_line *out) {
    return read_ctest(line, out) || read_ctest_end(line, out) || read_unittest(line, out) || read_ran(line, out) ||
           read_unittest_word(line, out);
}

/* The number after `name` in "FAILED (failures=1, errors=2)", or 0. */
static uint64_t count_of(struct slice line, const char *name) {
    uint64_t count;
    size_t at = around_find(line, slice_from(name));
    return at != SLICE_NONE && num_read_u64(slice_skip(line, at + slice_from(name).len), &count) ? count : 0;
}

bool around_ran_below(struct slice text, size_t *at, struct around_line *out) {
    enum { FARTHEST = 3 }; /* lines: an empty one is in between */
    uint64_t ran = out->number;
    size_t from = *at;
    for (int i = 0; i < FARTHEST && from < text.len; i++) {
        struct slice rest = slice_skip(text, from);
        size_t end = slice_find_byte(rest, '\n');
        struct slice line = slice_trim(around_without_prefix(slice_take(rest, end)));
        from = end == SLICE_NONE ? text.len : from + end + 1;
        bool passed = slice_equal(line, SLICE("OK")) || slice_starts(line, SLICE("OK ("));
        if (!passed && !slice_starts(line, SLICE("FAILED ("))) continue;
        uint64_t failed = passed ? 0 : count_of(line, "failures=") + count_of(line, "errors=");
        *out = (struct around_line){.kind = AROUND_SESSION_END, .number = failed, .outer = failed < ran};
        *at = from;
        return true;
    }
    return false;
}
