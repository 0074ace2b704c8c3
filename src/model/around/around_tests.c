/* SPDX-License-Identifier: Apache-2.0 */
#include "model/around/around_tests.h"

#include <stdlib.h>

enum { TESTS_MOST = 4096 };

/* Hash of "test_y[1.5]", the end of both the title and the full name. */
static uint64_t last_part_hash(struct slice name) {
    size_t bracket = slice_find_byte(name, '['), from = bracket == SLICE_NONE ? name.len : bracket;
    while (from && name.ptr[from - 1] != '.' && name.ptr[from - 1] != ':') from--;
    return hash_bytes64(slice_skip(name, from));
}

/* "TestX.test_y[1.5]", the title of a report, and "tests/a.py::TestX::test_y[1.5]" are the same test. */
static bool is_same_test(struct slice node, struct slice title) {
    size_t bracket = slice_find_byte(title, '['), dots = bracket == SLICE_NONE ? title.len : bracket;
    for (size_t i = title.len; i-- > 0; title.len--) {
        if (i < dots && title.ptr[i] == '.') {
            if (!slice_ends(node, SLICE("::"))) return false;
            node.len -= 2;
            continue;
        }
        if (!node.len || node.ptr[node.len - 1] != title.ptr[i]) return false;
        node.len--;
    }
    return slice_ends(node, SLICE("::"));
}

uint32_t around_test_title(struct fold *fold, struct slice title) {
    uint64_t hash = last_part_hash(title);
    for (size_t i = fold->around.failed_tests.len; i-- > 0;) {
        const struct named_test *test = &fold->around.failed_tests.items[i];
        if (test->hash == hash && is_same_test(run_string(fold->run, test->id), title)) return test->id;
    }
    return strtab_id(&fold->run->strings, title);
}

void around_test_failed(struct fold *fold, struct slice node) {
    struct run *run = fold->run;
    uint32_t id = strtab_id(&run->strings, node);
    uint64_t hash = last_part_hash(node);
    if (fold->around.failed_tests.len < TESTS_MOST) vec_push(&fold->around.failed_tests, ((struct named_test){hash, id}));
    for (size_t i = 0; i < fold->around.titled.len; i++) {
        if (fold->around.titled.items[i].hash != hash) continue;
        struct failure_site *site = around_site(fold, fold->around.titled.items[i].id);
        if (site->test && site->test != id && is_same_test(node, run_string(run, site->test))) site->test = id;
    }
}

/* Keeps the failure in `titled` if its test is known only by title. */
void around_set_test(struct fold *fold, uint32_t number, uint32_t test) {
    struct failure_site *site = around_site(fold, number);
    if (site->test || !test) return;
    site->test = test;
    struct slice name = run_string(fold->run, test);
    if (slice_find(name, SLICE("::")) == SLICE_NONE && fold->around.titled.len < TESTS_MOST)
        vec_push(&fold->around.titled, ((struct named_test){last_part_hash(name), number}));
}

/* Summaries repeat tests that earlier lines named; those are skipped. */
void around_test_named(struct fold *fold, uint32_t test) {
    struct around_state *around = &fold->around;
    if (!test || around->tests.len == TESTS_MOST || (around->tests.len && vec_last(&around->tests) == test)) return;
    for (size_t i = 0; i < around->tests.len; i++)
        if (around->tests.items[i] == test) return;
    vec_push(&around->tests, test);
}

/* If the log names a later test, the failure ended its test but not the run. */
void around_settle_tests(struct fold *fold) {
    struct run *run = fold->run;
    const struct around_state *around = &fold->around;
    bool *others = mem_zalloc(run->strings.strings.len + 1, sizeof *others); /* by name id: every test but the last */
    for (size_t k = 0; k + 1 < around->tests.len; k++) others[around->tests.items[k]] = true;
    for (size_t i = 0; i < run->failure_sites.len + run->note_sites.len; i++) {
        struct failure_site *site =
            i < run->failure_sites.len ? &run->failure_sites.items[i] : &run->note_sites.items[i - run->failure_sites.len];
        if (site->after & AFTER_TEST_FAILED && others[site->test]) site->after |= AFTER_TESTS;
    }
    free(others);
}

void around_forget_summary(struct fold *fold) {
    vec_clear(&fold->around.named_by_summary);
    fold->around.summary_name = 0;
}

/* "FAILED tests/a.py::test_y - reason": failures without a test belong to the test that the summary lists. If it lists
 * several, it does not tell which. */
void around_name_by_summary(struct fold *fold, uint32_t name) {
    struct around_state *around = &fold->around;
    if (around->summary_name && around->summary_name != name) {
        for (size_t i = 0; i < around->named_by_summary.len; i++) {
            struct failure_site *site = around_site(fold, around->named_by_summary.items[i]);
            if (site && site->test == around->summary_name) site->test = 0;
        }
        vec_clear(&around->named_by_summary);
        return;
    }
    around->summary_name = name;
    for (size_t i = 0; i < around->open.len; i++) {
        struct failure_site *site = around_site(fold, around->open.items[i]);
        if (site->test || around->open.items[i] & SITE_NOTE) continue;
        site->test = name;
        vec_push(&around->named_by_summary, around->open.items[i]);
    }
}
