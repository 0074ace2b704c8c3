/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem op: everything about one op of a log. */
#include <string.h>
#include <sys/stat.h>

#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "work/open.h"
#include "render/answer/op_report.h"

/* Of `op LOG 1 2`, the 1 would be a log that cannot be read, and op 2 the answer to another question. */
static int one_index(const struct args *args, struct err *err) {
    struct stat st;
    for (size_t i = 1; i + 1 < args->words.len; i++) {
        const char *word = args->words.items[i], *digits = word + (*word == '#');
        if (*digits && strspn(digits, "0123456789") == strlen(digits) && stat(word, &st) != 0)
            return err_set(err, ERR_USAGE,
                           "there is no file '%s', and op shows one op at a time: give one INDEX, as the last word", word);
    }
    return 0;
}

static int run(struct invocation *inv, struct err *err) {
    struct input in;
    uint32_t record;
    int rank = -1;
    if (one_index(&inv->args, err) != 0) return -1;
    /* the op's text is read again from the log: a stream is kept until then */
    if (open_run(&in, &inv->work, inv->args.words.items[0], input_temporary_folder(), err) != 0) return -1;
    int rc = input_check(&in, err);
    if (rc == 0) rc = open_rank(&in, args_text(&inv->args, "rank"), &rank, err);
    if (rc == 0) rc = open_record(&in, vec_last(&inv->args.words), rank, &record, err);
    if (rc == 0) {
        struct strbuf text = {0};
        struct output_job job = {.run = &in.run};
        bool json = args_has(&inv->args, "json");
        if (json) op_report_json(&text, &job, record);
        else op_report_text(&text, &inv->work.out, &job, record);
        rc = emit_answer(inv, strbuf_slice(&text), !json, err);
        strbuf_release(&text);
    }
    input_release(&in);
    return rc;
}

static const struct option options[] = {OPTION_RANK("INDEX counts the ops of that rank; with its # ('#298') it counts all"),
                                        OPTION_JSON, OPTION_OUTPUT, OPTIONS_OF_RUN, OPTIONS_END};

const struct command cmd_op = {
    .name = "op",
    .summary = "Show one op: tensors, padding, memory before and after",
    .synopsis = "RUN... INDEX [--rank RANK] [--json] [-o FILE] [--last-run] [--device CHIP]",
    .details =
        "INDEX is the number that summary, report, live and top-ops show with a #, counted from 0; the elements "
        "of\n<name>_memory.json and <name>_operations.json have the same index." OPEN_HELP_SHORT,
    .example = "ttmem op model_profile.log 298",
    .options = options,
    .min_words = 2,
    .max_words = MOST_FILES,
    .takes_files = true,
    .takes_last = true,
    .run = run,
};
