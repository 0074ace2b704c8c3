/* SPDX-License-Identifier: Apache-2.0 */
#include "input/report/report_counts.h"

#include "input/report/report_told.h"

static void rank_blocks(struct run *run, struct json_value list) {
    struct json_value rank;
    for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &rank);)
        for (size_t i = 0; i < run->ranks.len; i++)
            if (slice_equal(run_string(run, run->ranks.items[i].name), told_text(rank, "rank")))
                told_u64(rank, "blocks", &run->ranks.items[i].blocks);
}

/* Logs without op lines do not show how many tensors were freed. */
static bool is_unknown(struct json_value root, const char *member) {
    struct json_value value;
    return json_member(root, member, &value) && json_kind_of(value) == JSON_NULL;
}

uint8_t report_counts_take(struct run *run, const struct report_files *files, struct json_reader *reader) {
    const struct {
        const char *member;
        uint64_t *count;
    } rows[] = {{"lines", &run->lines},
                {"op_lines", &run->op_lines},
                {"deallocates", &run->deallocates},
                {"get_devices", &run->get_devices},
                {"blocks", &run->block_count},
                {"input_bytes", &run->bytes}};
    struct json_value root, list;
    bool all = files->have[PART_SUMMARY] && json_parse(reader, files->parts[PART_SUMMARY].bytes, &root);
    for (size_t i = 0; all && i < sizeof rows / sizeof *rows; i++)
        all = told_u64(root, rows[i].member, rows[i].count) || is_unknown(root, rows[i].member);
    if (all && json_member(root, "ranks", &list)) rank_blocks(run, list);
    for (unsigned i = 0; all && i < WARN_COUNT && json_member(root, "warnings", &list); i++)
        told_u64(list, warning_names[i], &run->warnings[i]);
    return (uint8_t)((all ? 0 : TOLD_NO_COUNTS) | (all && is_unknown(root, "cut") ? TOLD_WHOLE : 0));
}

bool report_counts_nested(const struct report_files *files) {
    struct json_reader *reader = json_reader_new();
    struct json_value root, list, program;
    uint64_t main_runs, runs, all = 0;
    bool known = files->have[PART_SUMMARY] && json_parse(reader, files->parts[PART_SUMMARY].bytes, &root) &&
                 told_u64(root, "main_runs", &main_runs) && json_member(root, "programs", &list);
    for (struct json_walk w = known ? json_walk_of(list) : (struct json_walk){0}; known && json_next(&w, NULL, &program);)
        if (told_u64(program, "run_count", &runs) || told_u64(program, "runs", &runs /* of version 0.1 */)) all += runs;
    bool nested = known && all > main_runs;
    json_reader_free(reader);
    return nested;
}

void report_counts_note(struct input *in, const struct report_files *files, bool by_last_use) {
    if (!files->have[PART_OPERATIONS])
        input_note(in, "%s_operations.json is missing: operands, shapes, attributes, weights and what is alive are not known",
                   strbuf_text((struct strbuf *)(uintptr_t)&files->name));
    uint8_t told = in->run.told_by_files;
    input_note(
        in,
        "read from the JSON files of a report: when tensors are freed is taken from %s; not in them: how free memory was "
        "spread between ops, memory blocks around submits, cache hits, modules before TTIR%s%s%s%s",
        by_last_use ? "their last use" : "the modules", told & TOLD_BEFORE_ONLY ? ", memory after each op" : "",
        told & TOLD_NO_COUNTS ? ", how many lines and memory blocks the log had" : "",
        told & TOLD_NO_ROLES ? ", which arguments are inputs" : "", told & TOLD_NO_FAILURES ? ", messages of failures" : "");
}
