/* SPDX-License-Identifier: Apache-2.0 */
#include "input/report/report_failures.h"

#include "input/report/report_told.h"
#include "model/run_write.h"

static const struct {
    const char *member;
    enum failure_number number;
} figures[] = {
    {"requested_bytes", FAILURE_REQUESTED},
    {"aligned_bytes", FAILURE_ALIGNED},
    {"banks", FAILURE_BANKS},
    {"requested_bytes_per_bank", FAILURE_PER_BANK},
    {"capacity_bytes_per_bank", FAILURE_BANK},
    {"allocated_bytes_per_bank", FAILURE_ALLOCATED},
    {"free_bytes_per_bank", FAILURE_FREE},
    {"largest_free_bytes_per_bank", FAILURE_LARGEST},
    {"limit_bytes", FAILURE_LIMIT},
    /* names in version 0.1 */
    {"per_bank_bytes", FAILURE_PER_BANK},
    {"bank_bytes", FAILURE_BANK},
    {"allocated_bytes", FAILURE_ALLOCATED},
    {"free_bytes", FAILURE_FREE},
    {"largest_free_bytes", FAILURE_LARGEST},
};

static struct failure failure_of(struct json_value item) {
    struct failure failure = {.kind = FAILURE_OOM};
    struct slice kind = told_text(item, "kind"), pool = told_text(item, "pool");
    for (unsigned i = 0; i < FAILURE_KINDS; i++)
        if (slice_equal(kind, slice_from(failure_kind_name((enum failure_kind)i)))) failure.kind = (enum failure_kind)i;
    for (unsigned i = FAILURE_DRAM; i <= FAILURE_SYSTEM_MEMORY; i++)
        if (slice_equal(pool, slice_from(failure_pool_key((enum failure_pool)i))) ||
            slice_equal(pool, slice_from(failure_pool_name((enum failure_pool)i))))
            failure.pool = (enum failure_pool)i;
    failure.warning = told_true(item, "warning");
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (told_u64(item, figures[i].member, &failure.number[figures[i].number])) failure.known |= 1u << figures[i].number;
    return failure;
}

/* What came after a failure, from the words of analysis/failure/outcome. */
static uint16_t after_of(struct json_value item) {
    static const struct {
        const char *words;
        unsigned after; /* enum failure_after */
    } rows[] = {{"its test failed", AFTER_TEST_FAILED},
                {"its test failed, the run went on", AFTER_TEST_FAILED | AFTER_TESTS},
                {"a traceback reports it, and other lines follow", AFTER_LINES},
                {"its test passed", AFTER_TEST_PASSED},
                {"ops ran after it", AFTER_OPS},
                {"operations ran after it", AFTER_OPS}, /* reports of ttmem before 2026-11 */
                {"the program went on to another failure", AFTER_FAILURE},
                {"the process ended with status 0", AFTER_EXIT_0},
                {"the program printed it and went on", AFTER_PRINTED},
                {"the process failed after it", AFTER_EXIT_FAILED},
                {"nothing caught it", AFTER_THROWN},
                {"nobody caught it", AFTER_THROWN}, /* in reports of earlier versions */
                {"the process was killed after it", AFTER_KILLED}};
    struct slice words = told_text(item, "outcome");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (slice_equal(words, slice_from(rows[i].words))) return (uint16_t)rows[i].after;
    return 0;
}

/* The op that was running, and whether its rank ran others later. Reports of other versions do not say what else the log
 * printed after it. */
static struct failure_site site_of(struct run *run, struct json_value item) {
    struct failure_site site = {.step = NONE, .after = AFTER_UNTOLD};
    site.python = strtab_id(&run->strings, told_text(item, "python"));
    site.test = strtab_id(&run->strings, told_text(item, "test"));
    uint64_t record;
    uint16_t after = after_of(item);
    if (after) site.after = after;
    struct json_value op;
    bool told = json_member(item, "op", &op) && json_kind_of(op) == JSON_OBJECT
                    ? told_u64(op, "index", &record)
                    : told_u64(item, "op_index", &record); /* version 0.1 */
    if (!told || record >= run->records.len) return site;
    site.step = run->records.items[record];
    site.rank = run->steps.items[site.step].rank;
    for (size_t i = record + 1; !after && i < run->records.len; i++)
        if (run->steps.items[run->records.items[i]].rank == site.rank) site.after = AFTER_OPS;
    return site;
}

bool report_failures_kept(struct json_reader *reader, struct slice metadata) {
    struct json_value root, ours;
    return metadata.len && json_parse(reader, metadata, &root) &&
           (json_member(root, "schema_version", &ours) || json_member(root, "failures", &ours));
}

/* Failures in the text of modules: the list has them, too, with their lines in the log. */
static void forget_failures(struct run *run) {
    failure_set_release(&run->failures);
    run->failures.left_out = 0;
    vec_clear(&run->failure_sites);
    for (size_t i = 0; i < run->ranks.len; i++) run->ranks.items[i].failures = 0;
}

void report_failures_add(struct run *run, struct json_reader *reader, struct slice metadata) {
    struct run_writer writer = {.run = run};
    struct json_value root, list, item;
    if (!run->ranks.len || !metadata.len || !json_parse(reader, metadata, &root) || !json_member(root, "failures", &list))
        return;
    forget_failures(run);
    for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &item);) {
        struct failure failure = failure_of(item);
        uint64_t line = 0, count = 1;
        bool is_new;
        told_u64(item, "line", &line);
        told_u64(item, "count", &count);
        struct failure_site site = site_of(run, item);
        uint32_t number = run_write_failure(&writer, &failure, line, site, &is_new);
        if (number != NONE && !(number & SITE_NOTE) && is_new) run->failures.entries.items[number].count = count;
        if (number != NONE && !(number & SITE_NOTE)) run->ranks.items[site.rank].failures += is_new;
    }
}
