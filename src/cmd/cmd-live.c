/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem live: what is alive at a point in the log, by size and by class. */
#include <string.h>

#include "analysis/pass/leaks.h"
#include "analysis/rules/computed.h"
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "render/answer/live_report.h"
#include "render/format/short_location.h"
#include "work/open.h"
#include "work/place.h"

enum { DEFAULT_LIMIT = 20 };

static void fold(const struct invocation *inv, const struct run *run, const struct live_set *set, struct live_place *place,
                 struct live_groups *groups) {
    const char *name = args_text(&inv->args, "by");
    unsigned by = 0;
    if (!name) return;
    while (strcmp(live_by_names[by], name) != 0) by++; /* always found: the option allows no other word */
    live_groups_make(run, set, (enum live_by)by, short_location, groups);
    place->groups = groups;
    place->by = (enum live_by)by;
}

static int run(struct invocation *inv, struct err *err) {
    const char *pool = args_text(&inv->args, "pool");
    struct live_place place = {.pool = pool && strcmp(pool, "l1") == 0 ? POOL_L1 : POOL_DRAM};
    struct input in;
    uint64_t limit;
    if (args_number(&inv->args, "limit", DEFAULT_LIMIT, &limit, err) != 0) return -1;
    place.limit = (size_t)limit;
    if (open_run(&in, &inv->work, inv->args.words.items[0], NULL, err) != 0) return -1;
    int rc = input_check(&in, err);
    if (rc == 0) rc = place_find(&in, args_text(&inv->args, "at"), args_text(&inv->args, "rank"), &place, err);
    if (rc == 0) {
        struct live_set set;
        struct strbuf text = {0};
        bool json = args_has(&inv->args, "json");
        live_at(&in.run, place.step, place.pool, &set);
        live_place_bounds(&place, &in.run, &set);
        const struct block *block = place.block == NONE ? NULL : &in.run.blocks.items[place.block];
        bool stated = live_place_stated(&place), measured = stated || (block && block->have >> place.pool & 1);
        uint32_t allocated = stated ? place.peak.allocated : measured ? block->allocated[place.pool] : 0;
        struct leaks leaks;
        leaks_find(&in.run, &leaks);
        if (measured) live_add_left(&in.run, &leaks, place.step, place.pool, allocated, &set);
        leaks_release(&leaks);
        if (measured) live_compute(&in.run, place.step, place.pool, allocated, 0, &set);
        if (holders_needed(&in.run)) holders_find(&in.run, place.pool, place.step, &place.holders);
        struct live_groups groups = {0};
        fold(inv, &in.run, &set, &place, &groups);
        if (json) live_report_json(&text, &in.run, &place, &set);
        else live_report_text(&text, &inv->work.out, &in.run, &place, &set);
        rc = emit_answer(inv, strbuf_slice(&text), !json, err);
        strbuf_release(&text);
        live_groups_release(&groups);
        live_release(&set);
        holders_release(&place.holders);
    }
    input_release(&in);
    return rc;
}

static const struct option options[] = {
    {"at", 0, OPTION_TEXT, "INDEX or peak", "before that op, or at the pool's peak (the default)"},
    {"pool", 0, OPTION_TEXT, "dram|l1", "which memory (dram)"},
    {"by", 0, OPTION_TEXT, "class|op|shape|dtype|module|location", "fold equal tensors into groups"},
    OPTION_RANK("the peak of that rank; INDEX counts its ops"),
    {"limit", 0, OPTION_TEXT, "N", "list N rows (20), each one tensor or several equal ones; 0 lists all"},
    OPTION_JSON,
    OPTION_OUTPUT,
    OPTIONS_OF_RUN,
    OPTIONS_END,
};

const struct command cmd_live = {
    .name = "live",
    .summary = "List the tensors alive at a point in a run",
    .synopsis =
        "RUN... [--at INDEX|peak] [--pool dram|l1] [--by WHAT] [--rank RANK] [--limit N] [--json] [-o FILE] [--last-run] "
        "[--device CHIP]",
    .details =
        "Also sums by class (weight, activation, const-eval, input), and shows what is allocated beyond the tensors that\n"
        "op lines name: computed (maps, tables, kernel binaries) and unattributed (the rest), per bank." OPEN_HELP_SHORT,
    .example = "ttmem live model_profile.log --at peak",
    .options = options,
    .min_words = 1,
    .max_words = MOST_FILES,
    .takes_files = true,
    .run = run,
};
