/* SPDX-License-Identifier: Apache-2.0 */
#include "input/report_failures.h"

#include "input/report_told.h"
#include "model/run_write.h"

static const struct {
    const char *member;
    enum failure_number number;
} figures[] = {
    {"requested_bytes", FAILURE_REQUESTED},  {"banks", FAILURE_BANKS},
    {"per_bank_bytes", FAILURE_PER_BANK},    {"bank_bytes", FAILURE_BANK},
    {"allocated_bytes", FAILURE_ALLOCATED},  {"free_bytes", FAILURE_FREE},
    {"largest_free_bytes", FAILURE_LARGEST}, {"limit_bytes", FAILURE_LIMIT},
};

static struct failure failure_of(struct json_value item) {
    struct failure failure = {.kind = FAILURE_OOM};
    struct slice kind = told_text(item, "kind"), pool = told_text(item, "pool");
    struct json_value warning;
    bool is_warning = false;
    for (unsigned i = 0; i < FAILURE_KINDS; i++)
        if (slice_equal(kind, slice_from(failure_kind_name((enum failure_kind)i)))) failure.kind = (enum failure_kind)i;
    for (unsigned i = FAILURE_DRAM; i <= FAILURE_SYSTEM_MEMORY; i++)
        if (slice_equal(pool, slice_from(failure_pool_name((enum failure_pool)i)))) failure.pool = (enum failure_pool)i;
    if (json_member(item, "warning", &warning)) json_bool_of(warning, &is_warning);
    failure.warning = is_warning;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (told_u64(item, figures[i].member, &failure.number[figures[i].number])) failure.known |= 1u << figures[i].number;
    return failure;
}

void report_failures_add(struct run *run, struct json_reader *reader, struct slice metadata) {
    struct run_writer writer = {.run = run};
    struct json_value root, list, item;
    if (!run->ranks.len || !metadata.len || !json_parse(reader, metadata, &root) || !json_member(root, "failures", &list))
        return;
    for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &item);) {
        struct failure failure = failure_of(item);
        uint64_t line = 0;
        bool is_new;
        told_u64(item, "line", &line);
        run_write_failure(&writer, &failure, line, (struct failure_site){.step = NONE}, &is_new);
    }
}
