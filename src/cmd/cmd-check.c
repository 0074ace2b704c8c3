/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem check: a run against its memory budget. */
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/num.h"
#include "cmd/fit/fit_work.h"
#include "cmd/line/emit_ci.h"
#include "cmd/history/history_options.h"
#include "work/open.h"
#include "render/compare/check_ci.h"
#include "source/source.h"
#include "work/checkout.h"

static const char budget_name[] = ".ttmem-budget";

static bool is_file(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static bool is_own(const struct stat *info) { return info->st_uid == geteuid() || info->st_uid == 0; }

/* Anyone may write to a folder above, such as /tmp: a file of another user is ignored, and so is a link of theirs to any
 * file. */
static bool is_of_stranger(const char *path) {
    struct stat file, link;
    return lstat(path, &link) != 0 || stat(path, &file) != 0 || !is_own(&link) || !is_own(&file);
}

/* The budget file of the working directory or the nearest folder above it. */
static bool find_budget(struct strbuf *path, const struct work *work) {
    char folder[PATH_MAX];
    bool above = false;
    if (!getcwd(folder, sizeof folder)) return false;
    for (;;) {
        strbuf_clear(path);
        strbuf_addf(path, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, budget_name);
        if (is_file(strbuf_text(path)) && !(above && is_of_stranger(strbuf_text(path)))) return true;
        if (is_file(strbuf_text(path))) work_note(work, "%s belongs to another user: it is left out", strbuf_text(path));
        above = true;
        char *slash = strrchr(folder, '/');
        if (!slash || strcmp(folder, "/") == 0) return false;
        slash[slash == folder] = '\0';
    }
}

static int read_budget_file(struct budget *budget, const char *path, struct slice name, struct err *err) {
    struct source source;
    if (source_open(&source, path, err) != 0) return -1;
    int rc = source.mapped ? budget_read(budget, source.bytes, path, name, err)
                           : err_set(err, ERR_INPUT, "%s is not a plain file", path);
    source_release(&source);
    return rc;
}

/* The file first, because rules of the command line replace its rules. */
static int read_rules(const struct args *args, const struct work *work, struct budget *budget, struct slice name,
                      struct err *err) {
    struct strbuf found = {0};
    const char *file = args_text(args, "budget");
    int rc = 0;
    if (!file && !args_has(args, "no-budget-file") && find_budget(&found, work)) file = strbuf_text(&found);
    if (file) rc = read_budget_file(budget, file, name, err);
    for (size_t i = 0; rc == 0 && i < args_count(args, "max"); i++)
        rc = budget_add(budget, RULE_MAX, slice_from(args_nth(args, "max", i)), err);
    for (size_t i = 0; rc == 0 && i < args_count(args, "min"); i++)
        rc = budget_add(budget, RULE_MIN, slice_from(args_nth(args, "min", i)), err);
    if (rc == 0 && args_has(args, "no-failure")) budget_add_no_failure(budget, args_text(args, "no-failure") != NULL);
    if (rc == 0 && !budget->rules.len)
        rc = file ? err_set(
                        err, ERR_USAGE,
                        "'%s' has no rule for '%.*s': rules after a [PATTERN] hold for the names that match it; --model NAME "
                        "sets the name",
                        file, SLICE_FMT(name))
                  : err_set(err, ERR_USAGE,
                            "there is no rule for '%.*s': give one, such as max dram.peak 80%% (as an option: --max "
                            "dram.peak=80%%), or write a %s",
                            SLICE_FMT(name), budget_name);
    if (rc == 0 && budget_needs_baseline(budget) && !args_has(args, "baseline"))
        rc = err_set(err, ERR_USAGE, "a limit with + or - is relative to another run: name it with --baseline RUN");
    strbuf_release(&found);
    return rc;
}

/* A breach is shown at the line of the model that caused it, if the log names one in the checkout; else at its rule. */
static void find_place(struct arena *arena, const char *root, const struct judgement *j, const struct footprint *run,
                       struct check_place *place) {
    struct strbuf path = {0};
    if (j->state == JUDGED_OK) return;
    if (!checkout_find(root, judgement_location(j, run), &path, &place->line) && j->rule->file) {
        checkout_relative(root, j->rule->file, &path);
        place->line = j->rule->line;
    }
    place->path = arena_copy(arena, strbuf_slice(&path));
    strbuf_release(&path);
}

static bool wants_places(const struct args *args) {
    return args_has(args, "github") || args_has(args, "sarif") || args_has(args, "codequality");
}

static int write_ci(struct invocation *inv, const struct check_report *report, bool json, struct err *err) {
    struct strbuf text = {0};
    int rc = 0;
    if (args_has(&inv->args, "junit")) {
        check_junit(&text, report);
        rc = outfile_put(args_text(&inv->args, "junit"), strbuf_slice(&text), err);
    }
    if (rc == 0 && args_has(&inv->args, "github")) {
        strbuf_clear(&text);
        check_github(&text, report);
        /* with JSON on stdout the workflow commands go to stderr, which GitHub reads too */
        rc = write_all(json && !args_has(&inv->args, "output") ? STDERR_FILENO : STDOUT_FILENO, strbuf_slice(&text), err);
        strbuf_clear(&text);
        check_markdown(&text, report);
        if (rc == 0) rc = emit_step_summary(strbuf_slice(&text), err);
    }
    strbuf_release(&text);
    if (rc == 0 && (args_has(&inv->args, "sarif") || args_has(&inv->args, "codequality"))) {
        struct check_findings all;
        check_findings_make(&all, report);
        rc = emit_findings(inv, &all.findings, slice_from(budget_name), err);
        check_findings_release(&all);
    }
    return rc;
}

/* The pool and peak of a broken rule that changes to the run could satisfy. */
static bool can_be_kept(const struct judgement *j, const char **pool, struct fit_target *target) {
    *target = (struct fit_target){0};
    *pool = NULL;
    if (j->state != JUDGED_BREACH) return false;
    if (j->rule->kind == RULE_NO_FAILURE) return true;
    if (j->rule->kind != RULE_MAX || j->limit <= 0) return false;
    if (strcmp(j->rule->measure->name, "dram.peak") == 0) *pool = "dram";
    else if (strcmp(j->rule->measure->name, "l1.peak") == 0) *pool = "l1";
    /* a share is one of the bank of whatever chip is tried */
    if (j->rule->limit == LIMIT_SHARE) target->percent_milli = (uint64_t)j->rule->amount;
    else target->bytes = (uint64_t)j->limit;
    return *pool != NULL;
}

/* The lowest of the broken limits on the peak of a pool: what satisfies it satisfies the others. */
static bool is_lowest(const struct check_report *report, size_t at) {
    const struct judgement *j = &report->judgements[at];
    const char *pool;
    struct fit_target target;
    for (size_t i = 0; i < report->count; i++) {
        const struct judgement *other = &report->judgements[i];
        bool same = can_be_kept(other, &pool, &target) && pool && other->rule->measure == j->rule->measure;
        if (same && (other->limit < j->limit || (other->limit == j->limit && i < at))) return false;
    }
    return true;
}

/* What would satisfy a broken limit, if the run records lifetimes: first the lowest limits on peaks, then the others. */
static void find_what_fits(struct fit_work *work, const struct input *in, struct check_report *report) {
    const char *pool;
    struct fit_target target;
    if (!in->path) return;
    for (size_t i = 0; i < 2 * report->count && !report->fit; i++) {
        size_t at = i % report->count;
        if (!can_be_kept(&report->judgements[at], &pool, &target)) continue;
        bool first = pool && is_lowest(report, at);
        if (first != (i < report->count)) continue;
        fit_work_release(work);
        report->fit = fit_work_answer(work, &in->run, in->path, pool, target);
        report->fit_rule = report->judgements[at].rule;
    }
}

static int write_check(struct invocation *inv, struct check_report *report, const struct input *in, struct err *err) {
    struct strbuf text = {0};
    struct fit_work work = {0};
    bool json = args_has(&inv->args, "json");
    if (report->breaches) find_what_fits(&work, in, report);
    if (json) check_json(&text, report);
    else {
        check_text(&text, &inv->work.out, report);
        if (report->fit) {
            strbuf_addf(&text, "  what %s keep ", fit_report_is_certain(report->fit) ? "would" : "may");
            term_text(&text, &inv->work.out, report->breaches > 1 ? report->fit_rule->text : SLICE("it"), 0);
            strbuf_addz(&text, ", tried by a replay (ttmem fit): ");
            fit_report_line(&text, &inv->work.out, report->fit);
            strbuf_addc(&text, '\n');
        }
    }
    fit_work_release(&work);
    report->fit = NULL;
    int rc = emit_answer(inv, strbuf_slice(&text), !json, err);
    strbuf_release(&text);
    return rc == 0 ? write_ci(inv, report, json, err) : rc;
}

static int check(struct invocation *inv, const struct budget *budget, const struct footprint *run, const struct input *in,
                 const struct footprint *baseline, int64_t began_ns, struct err *err) {
    struct judgement *judgements = mem_zalloc(budget->rules.len + 1, sizeof *judgements);
    struct check_place *places = mem_zalloc(budget->rules.len + 1, sizeof *places);
    struct arena arena = {0};
    struct strbuf root = {0};
    const char *against = args_text(&inv->args, "baseline");
    bool together = inv->work.together_count > 1 && in->path; /* its result is their number */
    struct check_report report = {.judgements = judgements,
                                  .count = budget->rules.len,
                                  .run = run,
                                  .name = slice_from(together ? in->path : inv->args.words.items[0]),
                                  .baseline = slice_from(against ? against : ""),
                                  .places = places};
    if (wants_places(&inv->args)) checkout_root(&root);
    for (size_t i = 0; i < budget->rules.len; i++) {
        judgements[i] = budget_judge(&budget->rules.items[i], run, baseline);
        report.breaches += judgements[i].state == JUDGED_BREACH;
        report.not_judged += judgements[i].state == JUDGED_NOT;
        if (root.len) find_place(&arena, strbuf_text(&root), &judgements[i], run, &places[i]);
    }
    report.time = junit_time_since(began_ns);
    int status = write_check(inv, &report, in, err);
    if (status == 0 && report.breaches) status = 1;
    else if (status == 0 && report.not_judged) status = ERR_LACKS;
    free(judgements);
    free(places);
    arena_release(&arena);
    strbuf_release(&root);
    return status;
}

static int run(struct invocation *inv, struct err *err) {
    const char *against = args_text(&inv->args, "baseline"), *name = args_text(&inv->args, "model");
    struct budget budget = {0};
    struct footprint run = {0}, baseline = {0};
    int64_t began_ns = clock_ns();
    struct input in = {.source = {.fd = -1}}; /* kept, because what was read from a pipe cannot be read again */
    int status = open_footprint_and_run(&inv->work, inv->args.words.items[0], &run, &in, err);
    if (status == 0)
        status = read_rules(&inv->args, &inv->work, &budget, name ? slice_from(name) : footprint_text(&run, run.name), err);
    if (status == 0 && against) status = open_footprint(&inv->work, against, &baseline, err);
    if (status == 0) status = check(inv, &budget, &run, &in, against ? &baseline : NULL, began_ns, err);
    input_release(&in);
    footprint_release(&run);
    footprint_release(&baseline);
    budget_release(&budget);
    return status;
}

static const struct option options[] = {
    {"max", 0, OPTION_LIST, "MEASURE=LIMIT", "at most: dram.peak=80%, l1.peak=1.2MB, growth_per_pass=0, dram.peak=+1%"},
    {"min", 0, OPTION_LIST, "MEASURE=LIMIT", "at least: dram.largest_free=64MB"},
    {"no-failure", 0, OPTION_MAYBE, "any", "no memory failure that ended the run; --no-failure=any: nor one that was caught"},
    {"budget", 0, OPTION_TEXT, "FILE", "rules from FILE (default: .ttmem-budget here or in a folder above)"},
    {"no-budget-file", 0, OPTION_FLAG, NULL, "only the rules of the command line"},
    {"model", 0, OPTION_TEXT, "NAME", "name for the sections of the budget file (default: the run's name)"},
    {"baseline", 0, OPTION_TEXT, "RUN", "the run that limits with + or - refer to"},
    {"junit", 0, OPTION_TEXT, "FILE", "also write the result as JUnit XML"},
    {"github", 0, OPTION_FLAG, NULL, "also print annotations for GitHub Actions, and a table for the step's summary"},
    OPTIONS_FINDINGS("what does not hold"),
    OPTION_JSON,
    OPTION_STORE,
    OPTION_OUTPUT,
    OPTIONS_OF_RUN,
    OPTIONS_END,
};

const struct command cmd_check = {
    .name = "check",
    .summary = "Check a run against a memory budget, for CI",
    .synopsis =
        "RUN... [--max MEASURE=LIMIT]... [--min MEASURE=LIMIT]... [--no-failure] [--baseline RUN] [--last-run] [--device CHIP] "
        "[options]",
    .details = OPEN_HELP
    "\n"
    "A limit is a share (80%), an amount (64MB) or, with + or -, a change against the baseline (+1%, +10MB). Shares are of "
    "the bank, and amounts per bank. For padding, shares are of the elements, and amounts in total. host.* takes only "
    "amounts.\n\n"
    "Measures, where POOL is dram, l1, l1_small or trace:\n"
    "  POOL.peak\n"
    "  l1.cb: the most that an op's circular buffers take on a core\n"
    "  dram.spread: the difference between the DRAM peaks of ranks\n"
    "  POOL.largest_free: its lowest value; POOL.free_gap: the most free outside it\n"
    "  weights.dram, const_eval.dram, activations.dram, inputs.dram, padding.dram, padding.l1: at the peak\n"
    "  growth_per_pass, never_freed: what passes leave in DRAM\n"
    "  ops, program_runs, main_runs (without nested programs)\n"
    "  failures (that ended the run), failures_caught, failures_any (both)\n"
    "  host.peak, host.end, host.growth_per_pass, host.hugepages (of ttmem run)\n"
    "Of several ranks the worst is judged and named; counts (ops, failures) are of all ranks. Failures with equal\n"
    "figures count once, at whatever op (ttmem explain --all lists each). Exit status 1 when a rule is breached, 4 when\n"
    "none is, but one cannot be judged from this run. l1.peak of a runtime log leaves out circular buffers and is\n"
    "judged all the same; a line below the rule says so.",
    .example = "ttmem check model_profile.log --max dram.peak=80% --no-failure",
    .options = options,
    .min_words = 1,
    .max_words = MOST_FILES,
    .takes_files = true,
    .run = run,
};
