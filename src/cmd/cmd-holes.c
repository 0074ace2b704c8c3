/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem holes: the free memory of a pool by address, and what splits it. */
#include <string.h>

#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "render/answer/holes_map.h"
#include "work/open.h"
#include "work/place.h"

enum { DEFAULT_LIMIT = 10 };

static int no_addresses(const struct input *in, enum pool pool, struct err *err) {
    if (in->run.inspector && in->run.inspector->meshes > 1)
        return err_set(err, ERR_LACKS, "%s is of several meshes, and does not say which one a buffer is on: there is no map",
                       in->path);
    if (in->run.addresses.len)
        return err_set(err, ERR_LACKS, "%s does not record which addresses %s has", in->path, pool_names[pool]);
    return err_set(err, ERR_LACKS,
                   "%s has no addresses: TT-XLA logs do not record them; tt-metal's Inspector does (ttmem run --inspector, in "
                   "release builds too), and so do ttnn reports, ttrt memory results, graph captures and compiled modules",
                   in->path);
}

static int run(struct invocation *inv, struct err *err) {
    const char *pool = args_text(&inv->args, "pool");
    struct live_place place = {.pool = pool && strcmp(pool, "l1") == 0 ? POOL_L1 : POOL_DRAM};
    struct input in;
    struct holes holes;
    uint64_t limit;
    if (args_number(&inv->args, "limit", DEFAULT_LIMIT, &limit, err) != 0) return -1;
    place.limit = (size_t)limit;
    if (open_run(&in, &inv->work, inv->args.words.items[0], NULL, err) != 0) return -1;
    int rc = input_check(&in, err);
    if (rc == 0 && !in.run.addresses.len) rc = no_addresses(&in, place.pool, err);
    if (rc == 0) rc = place_find(&in, args_text(&inv->args, "at"), NULL, &place, err);
    if (rc == 0) {
        struct strbuf text = {0};
        bool json = args_has(&inv->args, "json");
        if (!holes_at(&in.run, place.step, place.pool, &holes)) {
            rc = no_addresses(&in, place.pool, err);
        } else {
            if (json) holes_map_json(&text, &in.run, &place, &holes);
            else holes_map_text(&text, &inv->work.out, &in.run, &place, &holes);
            rc = emit_answer(inv, strbuf_slice(&text), !json, err);
        }
        holes_release(&holes);
        strbuf_release(&text);
    }
    input_release(&in);
    return rc;
}

static const struct option options[] = {
    {"at", 0, OPTION_TEXT, "INDEX or peak", "before that op, or at the pool's peak (the default)"},
    {"pool", 0, OPTION_TEXT, "dram|l1", "which memory (dram)"},
    {"limit", 0, OPTION_TEXT, "N", "list N holes (10); 0 lists all"},
    OPTION_JSON,
    OPTION_OUTPUT,
    OPTIONS_OF_RUN,
    OPTIONS_END,
};

const struct command cmd_holes = {
    .name = "holes",
    .summary = "Show the holes between buffers, and the buffers on both sides",
    .synopsis = "RUN... [--at INDEX|peak] [--pool dram|l1] [--limit N] [--json] [-o FILE] [--last-run] [--device CHIP]",
    .details =
        "For inputs with addresses: folders of tt-metal's Inspector, ttnn reports, ttrt memory results, graph captures, "
        "compiled modules; exit status 4 for the others. A pin is an unbroken stretch of buffers between two holes: if it were "
        "elsewhere, the two holes would be one. Pins are listed with the free block that moving them would give, the largest "
        "first." OPEN_HELP_SHORT,
    .example = "ttmem holes generated/inspector --at peak",
    .options = options,
    .min_words = 1,
    .max_words = MOST_FILES,
    .takes_files = true,
    .run = run,
};
