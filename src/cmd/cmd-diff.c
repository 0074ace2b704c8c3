/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem diff: what changed between two runs, and why. */
#include <stdlib.h>
#include <string.h>

#include "cmd/line/emit.h"
#include "base/num.h"
#include "cmd/history/history_options.h"
#include "work/open.h"
#include "render/compare/diff.h"

static int read_conditions(const struct args *args, struct budget *budget, struct err *err) {
    for (size_t i = 0; i < args_count(args, "fail-on"); i++)
        if (budget_add_condition(budget, slice_from(args_nth(args, "fail-on", i)), err) != 0) return -1;
    return 0;
}

/* Returns 0, 1 if a condition holds, 4 if one cannot be judged. */
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

/* Names of the sides: runs by their words, passes with their numbers as well. */
static void name_side(const struct args *args, const struct footprint *f, size_t word, struct strbuf *out) {
    strbuf_addz(out, args->words.items[f->pass.number ? 0 : word]);
    if (f->pass.number) strbuf_addf(out, " pass %u", f->pass.number);
}

/* The rank that changed most, if the comparison is about another one. */
struct changed_rank {
    bool known;
    struct slice name;
    struct footprint a, b;
    struct diff diff;
};

static void find_changed_rank(const struct invocation *inv, const struct diff *diff, struct changed_rank *out) {
    const struct footprint *b = diff->b;
    struct diff_rank *rows;
    if (diff->a->pass.number) return;
    size_t count = diff_by_rank(diff, &rows);
    uint32_t compared = b->pools[POOL_DRAM].rank;
    if (count && rows[0].a != rows[0].b && compared < b->ranks.len && b->ranks.items[compared] != rows[0].name) {
        out->name = footprint_text(b, rows[0].name);
        out->known = open_footprint_of_rank(&inv->work, inv->args.words.items[0], footprint_text(diff->a, rows[0].a_name),
                                            &out->a) == 0 &&
                     open_footprint_of_rank(&inv->work, inv->args.words.items[1], out->name, &out->b) == 0;
    }
    free(rows);
    if (out->known) diff_make(&out->a, &out->b, &out->diff);
}

static int compare(struct invocation *inv, const struct budget *budget, uint64_t limit, const struct footprint *a,
                   const struct footprint *b, struct err *err) {
    struct diff diff;
    diff_make(a, b, &diff);
    struct judgement *judgements = mem_zalloc(budget->rules.len + 1, sizeof *judgements);
    int status = judge(budget, &diff, judgements);
    struct strbuf names[2] = {0};
    name_side(&inv->args, a, 0, &names[0]);
    name_side(&inv->args, b, 1, &names[1]);
    struct changed_rank changed = {0};
    find_changed_rank(inv, &diff, &changed);
    struct diff_request request = {.diff = &diff,
                                   .a = strbuf_slice(&names[0]),
                                   .b = strbuf_slice(&names[1]),
                                   .judgements = judgements,
                                   .judgement_count = budget->rules.len,
                                   .changed = changed.known ? &changed.diff : NULL,
                                   .changed_rank = changed.name,
                                   .limited = args_has(&inv->args, "limit"),
                                   .limit = (size_t)limit};
    if (write_diff(inv, &request, err) != 0) status = -1;
    for (size_t i = 0; status > 0 && i < budget->rules.len; i++)
        if (judgements[i].state == JUDGED_NOT)
            work_error("%.*s cannot be judged: %s", SLICE_FMT(judgements[i].rule->text), judgements[i].why);
    free(judgements);
    strbuf_release(&names[0]);
    strbuf_release(&names[1]);
    if (changed.known) diff_release(&changed.diff);
    footprint_release(&changed.a);
    footprint_release(&changed.b);
    diff_release(&diff);
    return status;
}

/* "3,4" */
static int read_numbers(const char *text, uint64_t numbers[2], struct err *err) {
    struct slice rest = slice_from(text);
    size_t first = num_read_u64(rest, &numbers[0]);
    rest = slice_skip(rest, first);
    size_t second = first && rest.len > 1 && rest.ptr[0] == ',' ? num_read_u64(slice_skip(rest, 1), &numbers[1]) : 0;
    if (!second || second + 1 != rest.len)
        return err_set(err, ERR_USAGE, "--passes takes two pass numbers such as 3,4, not '%.100s'", text);
    return 0;
}

static int open_sides(const struct invocation *inv, struct footprint *a, struct footprint *b, struct err *err) {
    const struct args *args = &inv->args;
    const char *passes = args_text(args, "passes");
    uint64_t numbers[2];
    if (passes) {
        if (args->words.len > 1)
            return err_set(err, ERR_USAGE, "--passes compares two passes of one run: '%.200s' is one too many",
                           args->words.items[1]);
        return read_numbers(passes, numbers, err) == 0 ? open_passes(&inv->work, args->words.items[0], numbers, a, b, err) : -1;
    }
    if (args->words.len < 2)
        return err_set(err, ERR_USAGE, "too few arguments; usage: ttmem diff RUN_A RUN_B, or ttmem diff RUN --passes 3,4");
    if (open_footprint(&inv->work, args->words.items[0], a, err) != 0) return -1;
    return open_footprint(&inv->work, args->words.items[1], b, err);
}

static int run(struct invocation *inv, struct err *err) {
    struct budget budget = {0};
    struct footprint a = {0}, b = {0};
    uint64_t limit = 0;
    if (args_has(&inv->args, "limit") && args_number(&inv->args, "limit", 0, &limit, err) != 0) return -1;
    int status = read_conditions(&inv->args, &budget, err);
    if (status == 0) status = open_sides(inv, &a, &b, err);
    if (status == 0) status = compare(inv, &budget, limit, &a, &b, err);
    footprint_release(&a);
    footprint_release(&b);
    budget_release(&budget);
    return status;
}

static const struct option options[] = {
    {"passes", 0, OPTION_TEXT, "N,M", "compare two passes of one run, numbered from 1: 3,4"},
    {"format", 0, OPTION_TEXT, "text|markdown|json|html", "form of the result (text)"},
    OPTION_JSON,
    {"fail-on", 0, OPTION_LIST, "CONDITION",
     "exit with 1 when it holds for RUN_B: 'dram.peak > +2%', with the measures of ttmem check (may be repeated)"},
    {"limit", 0, OPTION_TEXT, "N", "N rows of each list (by default each list has a limit of its own); 0 lists all"},
    OPTION_STORE,
    OPTION_OUTPUT,
    OPTIONS_OF_RUN,
    OPTIONS_END,
};

const struct command cmd_diff = {
    .name = "diff",
    .summary = "Show what changed between two runs, and why",
    .synopsis =
        "RUN_A RUN_B | RUN --passes N,M [--format text|markdown|json|html] [--fail-on CONDITION]... [--limit N] [-o FILE] "
        "[--last-run] "
        "[--device CHIP] [options]",
    .details = OPEN_HELP
    "\n"
    "With --passes one run is compared with itself: a pass is one program run that the host submitted, with the\n"
    "programs inside it, counted from 1 on the rank with the highest DRAM peak of those that ran programs.\n\n"
    "The ops of both runs are matched in order, as diff matches lines, and so are the tensors alive at the two peaks.\n"
    "Each difference is attributed to its causes; the causes and what is left unexplained add up to the difference between "
    "the\n"
    "peaks. Exit status 1 when a condition of --fail-on holds, 4 when one cannot be judged.",
    .example = "ttmem diff before.log after.log --fail-on 'dram.peak > +2%'",
    .options = options,
    .min_words = 1,
    .max_words = 2,
    .run = run,
};
