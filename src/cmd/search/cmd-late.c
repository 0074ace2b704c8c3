/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem late: tensors that are freed long after their last use, and what that adds to the peak. */
#include <string.h>

#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "render/search/late_report.h"
#include "work/open.h"

enum { DEFAULT_LIMIT = 10 };

static int check_source(const struct input *in, const struct late *late, struct err *err) {
    const struct run *run = &in->run;
    if (late->known || late->rows.len) return 0;
    for (size_t i = 0; i < run->tensors.len; i++)
        if (run->tensors.items[i].last_use != NONE) return 0; /* nothing of this pool is ever freed */
    return err_set(err, ERR_LACKS,
                   "%s does not record which ops use a tensor: logs of TT-XLA with op lines do "
                   "(TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG), and so do ttnn reports and modules",
                   in->path);
}

static int run(struct invocation *inv, struct err *err) {
    const char *pool = args_text(&inv->args, "pool");
    struct late late;
    struct input in;
    uint64_t limit;
    if (args_number(&inv->args, "limit", DEFAULT_LIMIT, &limit, err) != 0) return -1;
    if (open_run(&in, &inv->work, inv->args.words.items[0], NULL, err) != 0) return -1;
    int rc = input_check(&in, err);
    if (rc == 0) {
        struct late_page page = {&in.run, pool && strcmp(pool, "l1") == 0 ? POOL_L1 : POOL_DRAM, &late, (size_t)limit};
        struct strbuf text = {0};
        bool json = args_has(&inv->args, "json");
        late_find(&in.run, page.pool, &late);
        rc = check_source(&in, &late, err);
        if (rc == 0 && json) late_report_json(&text, &page);
        else if (rc == 0) late_report_text(&text, &inv->work.out, &page);
        if (rc == 0) rc = emit_answer(inv, strbuf_slice(&text), !json, err);
        strbuf_release(&text);
        late_release(&late);
    }
    input_release(&in);
    return rc;
}

static const struct option options[] = {
    {"pool", 0, OPTION_TEXT, "dram|l1", "which memory (dram)"},
    {"limit", 0, OPTION_TEXT, "N", "list N rows (10); 0 lists all"},
    OPTION_JSON,
    OPTION_OUTPUT,
    OPTIONS_OF_RUN,
    OPTIONS_END,
};

const struct command cmd_late = {
    .name = "late",
    .summary = "List what is freed late, and the peak without it",
    .synopsis = "RUN... [--pool dram|l1] [--limit N] [--json] [-o FILE] [--last-run] [--device CHIP]",
    .details =
        "Lists the tensors that a program frees later than it could: the op that used each last, and the op after which it was "
        "freed. Also says what the peak would be if all were freed at their last use, and what each would save alone. Equal "
        "tensors that one op makes in several passes share a row." OPEN_HELP_SHORT,
    .example = "ttmem late model_profile.log",
    .options = options,
    .min_words = 1,
    .max_words = MOST_FILES,
    .takes_files = true,
    .run = run,
};
