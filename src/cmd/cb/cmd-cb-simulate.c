/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem cb simulate: what circular buffers of given sizes do to a workload. */
#include "base/json_write.h"
#include "cmd/cb/cb_workload.h"
#include "cmd/line/emit.h"
#include "cb/show/cb_study_text.h"

static int run(struct invocation *inv, struct err *err) {
    struct cb_setup setup;
    uint64_t tiles[2];
    struct cb_study study;
    int rc = cb_setup_read(&setup, &inv->args, err);
    if (rc == 0) rc = cb_setup_tiles(&setup, &inv->args, tiles, err);
    if (rc == 0) rc = cb_setup_study(&setup, tiles[0], tiles[1], &study, err);
    if (rc == 0) {
        cb_setup_notes(inv, &setup);
        struct strbuf text = {0};
        bool json = args_has(&inv->args, "json");
        if (json) {
            struct json j = {.out = &text, .pretty = true};
            json_document(&j);
            cb_study_json(&j, &study);
            json_object_end(&j);
            strbuf_addc(&text, '\n');
        } else {
            cb_study_text(&text, &inv->work.out, &study);
        }
        rc = emit_answer(inv, strbuf_slice(&text), !json, err);
        strbuf_release(&text);
    }
    cb_setup_release(&setup);
    return rc;
}

static const struct option options[] = {CB_WORKLOAD_OPTIONS, OPTION_JSON, OPTION_OUTPUT, OPTIONS_END};

const struct command cmd_cb_simulate = {
    .name = "cb simulate",
    .summary = "Simulate circular buffers for a workload",
    .synopsis = "[A_TILES B_TILES] [--strategy FILE] [--from SOURCE --set NAME=VALUE] [options]",
    .details =
        "A_TILES is the number of tiles of the streamed operand (tiles_per_shard), B_TILES that of the reused one (r_tiles), "
        "which circular buffer CB1 holds. Shows high-water marks, stalls, tiles fetched again, memory pressure and the L1 map, "
        "and the sizes that would be enough. The two numbers can also be given as --set tiles_per_shard=N --set r_tiles=N.",
    .example = "ttmem cb simulate 16 16",
    .options = options,
    .max_words = 2,
    .run = run,
};
