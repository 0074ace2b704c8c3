/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem top-ops: the ops that stand out by memory, growth or padding. */
#include <stdlib.h>

#include "analysis/run/byte_seconds.h"
#include "analysis/run/live.h"
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "work/open.h"
#include "render/answer/top_report.h"

enum { DEFAULT_LIMIT = 10 };

static bool has_pool(const struct run *run, enum pool pool) {
    for (size_t i = 0; i < run->blocks.len; i++)
        if (run->blocks.items[i].have >> pool & 1) return true;
    return false;
}

/* What the measure needs; -1 if the log has none of it. */
static int check_source(const struct input *in, enum top_by by, struct err *err) {
    const struct run *run = &in->run;
    if (open_needs_ops(in, err) != 0) return -1;
    if (by == TOP_BYTE_SECONDS || by == TOP_L1_BYTE_SECONDS) {
        if (has_durations(run)) return 0;
        return err_set(
            err, ERR_LACKS,
            "%s does not record how long ops took: ttnn reports, graph captures and Inspector do, a runtime log does not",
            in->path);
    }
    if (by == TOP_PADDING && !run->op_lines)
        return err_set(err, ERR_LACKS,
                       "%s has no op lines: build with TT_RUNTIME_DEBUG=ON (debug preset) and set "
                       "TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG",
                       in->path);
    if (by == TOP_PADDING && !run_has_shapes(run))
        return err_set(
            err, ERR_LACKS,
            "%s does not record the shapes of tensors, so padding is not known: logs of TT-XLA, ttnn reports and compiled "
            "modules record them",
            in->path);
    if (by != TOP_PADDING && run->blocks.len && !has_pool(run, by == TOP_L1 ? POOL_L1 : POOL_DRAM))
        return err_set(err, ERR_LACKS, "%s has no memory block with %s", in->path,
                       pool_names[by == TOP_L1 ? POOL_L1 : POOL_DRAM]);
    if (by != TOP_PADDING && !run->blocks.len && run->origin == RUN_TTNN_REPORT)
        return err_set(err, ERR_LACKS,
                       "%s has no buffers that can be read: ttmem run --ttnn-report -- COMMAND lets ttnn write them", in->path);
    if (by != TOP_PADDING && !run->blocks.len)
        return err_set(
            err, ERR_LACKS,
            "%s has no memory blocks: build with TT_RUNTIME_DEBUG=ON (debug preset) and set TT_RUNTIME_MEMORY_LOG_LEVEL=all, "
            "TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG",
            in->path);
    return 0;
}

static int run(struct invocation *inv, struct err *err) {
    enum top_by by = top_by_named(args_text(&inv->args, "by"));
    struct input in;
    uint64_t limit;
    if (args_number(&inv->args, "limit", DEFAULT_LIMIT, &limit, err) != 0) return -1;
    if (open_run(&in, &inv->work, inv->args.words.items[0], NULL, err) != 0) return -1;
    int rc = input_check(&in, err), rank = -1;
    if (rc == 0) rc = open_rank(&in, args_text(&inv->args, "rank"), &rank, err);
    if (rc == 0) rc = check_source(&in, by, err);
    if (rc == 0) {
        struct top_ops top;
        struct strbuf text = {0};
        bool json = args_has(&inv->args, "json");
        bool *among = rank < 0 ? NULL : mem_zalloc(in.run.records.len + 1, sizeof *among);
        for (size_t i = 0; among && i < in.run.records.len; i++)
            among[i] = in.run.steps.items[in.run.records.items[i]].rank == rank;
        top_ops_find(&in.run, by, (size_t)limit, among, &top);
        if (json) top_report_json(&text, &in.run, by, &top);
        else top_report_text(&text, &inv->work.out, &in.run, by, &top);
        rc = emit_answer(inv, strbuf_slice(&text), !json, err);
        strbuf_release(&text);
        top_ops_release(&top);
        free(among);
    }
    input_release(&in);
    return rc;
}

static const struct option options[] = {
    {"by", 0, OPTION_TEXT, "dram|l1|growth|padding|byte-seconds|l1-byte-seconds", "the measure (dram)"},
    {"limit", 0, OPTION_TEXT, "N", "list N ops (10); 0 lists all"},
    OPTION_RANK("only ops of that rank"),
    OPTION_JSON,
    OPTION_OUTPUT,
    OPTIONS_OF_RUN,
    OPTIONS_END,
};

const struct command cmd_top_ops = {
    .name = "top-ops",
    .summary = "List the ops with the most memory, growth or padding",
    .synopsis =
        "RUN... [--by dram|l1|growth|padding|byte-seconds|l1-byte-seconds] [--limit N] [--rank RANK] [--json] [-o FILE] "
        "[--last-run] [--device CHIP]",
    .details =
        "dram and l1: the most that is allocated per bank between the op and the next one, by everything and not by the op "
        "alone. growth: the change in DRAM across the op. padding: bytes of the op's most padded result beyond its logical "
        "size. byte-seconds: memory of the op's results times how long they are alive, where the input records durations. "
        "Largest first; on ties, the earlier op." OPEN_HELP_SHORT,
    .example = "ttmem top-ops model_profile.log --by growth",
    .options = options,
    .min_words = 1,
    .max_words = MOST_FILES,
    .takes_files = true,
    .run = run,
};
