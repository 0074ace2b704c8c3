/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem ranks: the ranks of a run side by side, which ones differ, and why. */
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "render/ranks/ranks_report.h"
#include "work/open.h"

enum { DEFAULT_LIMIT = 40, COMPARED = 8, JSON_COMPARED = 64 };

static int answer(struct invocation *inv, const struct input *in, size_t limit, struct err *err) {
    struct overview overview;
    struct rank_rows rows;
    struct rank_whys whys;
    struct strbuf text = {0};
    bool json = args_has(&inv->args, "json"), all = args_has(&inv->args, "limit") && !limit;
    overview_make(&in->run, &overview);
    rank_rows_make(&in->run, &overview, &rows);
    rank_whys_make(&in->run, &overview, &rows, all ? 0 : json ? JSON_COMPARED : COMPARED, &whys);
    struct ranks_page page = {.run = &in->run, .rows = &rows, .whys = &whys, .limit = limit};
    if (whys.items.len && !whys.items.items[0].first) page.why = &whys.items.items[0].diff;
    if (json) ranks_json(&text, &page);
    else ranks_text(&text, &inv->work.out, &page);
    int rc = rows.rows.len ? emit_answer(inv, strbuf_slice(&text), !json, err)
                           : err_set(err, ERR_LACKS, "%s holds no rank: no op, memory line or memory failure", in->path);
    strbuf_release(&text);
    rank_whys_release(&whys);
    rank_rows_release(&rows);
    overview_release(&overview);
    return rc;
}

static int run(struct invocation *inv, struct err *err) {
    struct input in;
    uint64_t limit;
    bool json = args_has(&inv->args, "json");
    if (args_number(&inv->args, "limit", json ? 0 : DEFAULT_LIMIT, &limit, err) != 0) return -1;
    if (open_run(&in, &inv->work, inv->args.words.items[0], NULL, err) != 0) return -1;
    int rc = input_check(&in, err);
    if (rc == 0) rc = answer(inv, &in, (size_t)limit, err);
    input_release(&in);
    return rc;
}

static const struct option options[] = {
    {"limit", 0, OPTION_TEXT, "N", "list N ranks, the highest first (40, with --json all); 0 lists all"},
    OPTION_JSON,
    OPTION_OUTPUT,
    OPTIONS_OF_RUN,
    OPTIONS_END,
};

const struct command cmd_ranks = {
    .name = "ranks",
    .summary = "Compare the ranks of a run, and explain the odd ones",
    .synopsis = "RUN... [--limit N] [--json] [-o FILE] [--last-run] [--device CHIP]",
    .details = OPEN_HELP
    "\n"
    "A row per rank, highest DRAM peak first: ops, peak, what was free then, the lowest value of the largest free\n"
    "block, host memory and failures. A rank is odd (*) if its peak differs from the median peak by more than 2 %,\n"
    "and by more than five times the median of these differences. The highest rank and each odd one are compared with\n"
    "the median rank op by op, as ttmem diff does, and the causes of the difference are listed; of several ranks with\n"
    "the same peak, only the first is compared.",
    .example = "ttmem ranks rank.0.log rank.1.log rank.2.log",
    .options = options,
    .min_words = 1,
    .max_words = MOST_FILES,
    .takes_files = true,
    .run = run,
};
