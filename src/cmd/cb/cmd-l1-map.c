/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem l1 map: one core's L1 from 0 to its top, per op, the tightest first. */
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "render/answer/l1_report.h"
#include "work/open.h"

enum { DEFAULT_LIMIT = 10 };

static int find_shown(const struct input *in, const struct l1_map *map, const char *word, const struct l1_op **shown,
                      struct err *err) {
    uint32_t record;
    if (!map->known)
        return err_set(err, ERR_LACKS,
                       "%s does not record where L1 buffers lie: ttnn reports, graph captures and Inspector do, "
                       "and so do the messages about programs that tt-metal refused",
                       in->path);
    if (!map->ops.len)
        return err_set(err, ERR_LACKS, "%s shows no buffers in L1; circular buffers are in ttnn reports and graph captures",
                       in->path);
    *shown = &map->ops.items[0];
    if (!word) return 0;
    if (open_record(in, word, -1, &record, err) != 0) return -1;
    for (size_t i = 0; i < map->ops.len; i++)
        if (map->ops.items[i].record == record) {
            *shown = &map->ops.items[i];
            return 0;
        }
    return err_set(err, ERR_LACKS, "op %s has nothing in L1", word);
}

static int run(struct invocation *inv, struct err *err) {
    struct l1_map map;
    struct input in;
    uint64_t limit;
    if (args_number(&inv->args, "limit", DEFAULT_LIMIT, &limit, err) != 0) return -1;
    if (open_run(&in, &inv->work, inv->args.words.items[0], NULL, err) != 0) return -1;
    int rc = input_check(&in, err);
    if (rc == 0) {
        struct l1_page page = {.run = &in.run, .map = &map, .limit = (size_t)limit};
        struct strbuf text = {0};
        bool json = args_has(&inv->args, "json");
        l1_map_find(&in.run, &map);
        rc = find_shown(&in, &map, args_text(&inv->args, "op"), &page.shown, err);
        if (rc == 0 && json) l1_report_json(&text, &page);
        else if (rc == 0) l1_report_text(&text, &inv->work.out, &page);
        if (rc == 0) rc = emit_answer(inv, strbuf_slice(&text), !json, err);
        strbuf_release(&text);
        l1_map_release(&map);
    }
    input_release(&in);
    return rc;
}

static const struct option options[] = {
    {"op", 0, OPTION_TEXT, "N", "draw the map of that op (the tightest)"},
    {"limit", 0, OPTION_TEXT, "N", "list N ops (10); 0 lists all"},
    OPTION_JSON,
    OPTION_OUTPUT,
    OPTIONS_OF_RUN,
    OPTIONS_END,
};

const struct command cmd_l1_map = {
    .name = "l1 map",
    .summary = "Draw one core's L1 per op, the tightest ops first",
    .synopsis = "RUN... [--op N] [--limit N] [--json] [-o FILE] [--last-run] [--device CHIP]",
    .details =
        "Circular buffers, dataflow buffers and scratchpads grow up from the end of the firmware and of the kernel ring (where "
        "tt-metal keeps the kernels that run next), L1 buffers down from the top; the margin is what lies between them at the "
        "op's tightest moment. Needs addresses: ttnn reports, graph captures and Inspector have them, and so do the messages "
        "in any log about programs that tt-metal refused. The grid has a cell for every core the program uses, darker where it "
        "is fuller.\n\nColumns: \"program\" is what the op's circular buffers, dataflow buffers and scratchpads take; \"its "
        "end\" is the address where they end; \"lowest buffer\" is the address of the lowest L1 buffer." OPEN_HELP_SHORT,
    .example = "ttmem l1 map db.sqlite --op 1",
    .options = options,
    .min_words = 1,
    .max_words = MOST_FILES,
    .takes_files = true,
    .run = run,
};
