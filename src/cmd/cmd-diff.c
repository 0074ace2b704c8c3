/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem diff: what changed between two runs, and why. */
#include <string.h>

#include "cmd/line/emit.h"
#include "cmd/history/history_options.h"
#include "work/open.h"
#include "render/compare/diff.h"

static int read_conditions(const struct args *args, struct budget *budget, struct err *err) {
    for (size_t i = 0; i < args_count(args, "fail-on"); i++)
        if (budget_add_condition(budget, slice_from(args_nth(args, "fail-on", i)), err) != 0) return -1;
    return 0;
}

/* 0, 1 when a condition holds, 4 when one cannot be judged. */
static int judge(const struct budget *budget, const struct diff *diff, struct judgement *judgements) {
    int status = 0;
    for (size_t i = 0; i < budget->rules.len; i++) {
        judgements[i] = budget_judge(&budget->rules.items[i], diff->b, diff->a);
        if (judgements[i].state == JUDGED_BREACH) status = 1;
        if (judgements[i].state == JUDGED_NOT && !status) status = ERR_LACKS;
    }
    return status;
}

static int write_diff(struct invocation *inv, const struct diff_request *request, struct err *err) {
    const char *format = args_has(&inv->args, "json") ? "json" : args_text(&inv->args, "format");
    struct strbuf text = {0};
    bool plain = !format || strcmp(format, "text") == 0;
    if (plain) diff_text(&text, &inv->work.out, request);
    else if (strcmp(format, "markdown") == 0) diff_markdown(&text, request);
    else if (strcmp(format, "json") == 0) diff_json(&text, request);
    else diff_html(&text, request);
    int rc = emit_answer(inv, strbuf_slice(&text), plain, err);
    strbuf_release(&text);
    return rc;
}

static int compare(struct invocation *inv, const struct budget *budget, const struct footprint *a, const struct footprint *b,
                   struct err *err) {
    struct diff diff;
    diff_make(a, b, &diff);
    struct judgement *judgements = mem_zalloc(budget->rules.len + 1, sizeof *judgements);
    int status = judge(budget, &diff, judgements);
    struct diff_request request = {&diff, slice_from(inv->args.words.items[0]), slice_from(inv->args.words.items[1]),
                                   judgements, budget->rules.len};
    if (write_diff(inv, &request, err) != 0) status = -1;
    for (size_t i = 0; status > 0 && i < budget->rules.len; i++)
        if (judgements[i].state == JUDGED_NOT)
            work_error("%.*s cannot be judged: %s", SLICE_FMT(judgements[i].rule->text), judgements[i].why);
    free(judgements);
    diff_release(&diff);
    return status;
}

static int run(struct invocation *inv, struct err *err) {
    struct budget budget = {0};
    struct footprint a = {0}, b = {0};
    int status = read_conditions(&inv->args, &budget, err);
    if (status == 0) status = open_footprint(&inv->work, inv->args.words.items[0], &a, err);
    if (status == 0) status = open_footprint(&inv->work, inv->args.words.items[1], &b, err);
    if (status == 0) status = compare(inv, &budget, &a, &b, err);
    footprint_release(&a);
    footprint_release(&b);
    budget_release(&budget);
    return status;
}

static const struct option options[] = {
    {"format", 0, OPTION_TEXT, "text|markdown|json|html", "form of the result (text)"},
    OPTION_JSON,
    {"fail-on", 0, OPTION_LIST, "CONDITION", "exit with 1 when it holds for RUN_B: 'dram.peak > +2%' (may be repeated)"},
    OPTION_STORE,
    OPTION_OUTPUT,
    OPTION_RUN_DEVICE,
    OPTIONS_END,
};

const struct command cmd_diff = {
    .name = "diff",
    .summary = "Tell what changed between two runs, and why the peak moved",
    .synopsis = "RUN_A RUN_B [--format text|markdown|json|html] [--fail-on CONDITION]... [-o FILE] [--device CHIP]",
    .details = OPEN_HELP
    "\n\nOps are aligned as sequences. Tensors alive at the two peaks are matched and every byte that differs is charged to\n"
    "one cause; the parts and the unexplained rest add up to the difference of the peaks. Exit status 1 when a\n"
    "condition of --fail-on holds, 4 when one cannot be judged.",
    .example = "ttmem diff before.log after.log --fail-on 'dram.peak > +2%'",
    .options = options,
    .min_words = 2,
    .max_words = 2,
    .run = run,
};
