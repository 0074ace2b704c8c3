/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem fit: the smallest change that makes it fit, found by replays. */
#include "cmd/fit/fit_work.h"
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "input/kinds.h"
#include "predict/predicted_run.h"
#include "work/open.h"

enum { DEFAULT_LIMIT = 15, MOST_TRIES = FIT_SET_MOST };

static int show(struct invocation *inv, struct fit_work *w, struct err *err) {
    struct strbuf text = {0};
    uint64_t limit;
    bool json = args_has(&inv->args, "json");
    if (args_number(&inv->args, "limit", DEFAULT_LIMIT, &limit, err) != 0) return -1;
    w->report.limit = (size_t)limit;
    if (json) fit_report_json(&text, &w->report);
    else fit_report_text(&text, &inv->work.out, &w->report);
    int rc = emit_answer(inv, strbuf_slice(&text), !json, err);
    strbuf_release(&text);
    return rc != 0 ? rc : !fit_work_good(w);
}

static int try_modules(struct invocation *inv, const struct fit_wish *wish, struct err *err) {
    struct predict_options options = {0};
    struct fit_work w;
    const char *device = args_text(&inv->args, "device");
    if (inv->work.last_run)
        return err_set(err, ERR_USAGE, "%s is a compiled TTNN module: --last-run takes the last pass of a log",
                       inv->args.words.items[0]);
    if (device && chip_choose(device, &options.device.chip, err) != 0) return -1;
    int rc = fit_work_modules(&w, inv->args.words.items, inv->args.words.len, &options, wish, err);
    if (rc == 0) rc = show(inv, &w, err);
    fit_work_release(&w);
    return rc;
}

static int fit_run(struct invocation *inv, struct input *in, struct fit_wish *wish, struct err *err) {
    struct fit_work w = {0};
    int rc = input_check(in, err);
    const char *device = args_text(&inv->args, "device");
    if (rc == 0 && device && in->run.origin != RUN_INSPECTOR && in->run.origin != RUN_PREDICTED)
        rc = err_set(err, ERR_USAGE,
                     "--device is for modules and Inspector folders: %s is a run of one device; --try \"on %s\" tries another",
                     in->path, device);
    if (rc == 0) rc = open_rank(in, args_text(&inv->args, "rank"), &wish->rank, err);
    if (rc == 0) rc = fit_work_run(&w, &in->run, in->path, wish, err);
    w.report.name = strbuf_slice(&in->name); /* the name of its report */
    if (rc == 0) rc = show(inv, &w, err);
    if (rc == 0) rc = fit_work_lacks(&w, in->path, err);
    fit_work_release(&w);
    return rc;
}

/* Modules of an earlier stage also go to the prediction, which says what is missing. */
static int is_module(struct invocation *inv, const char *word, bool *module, struct err *err) {
    struct input in;
    if (open_probe(&in, &inv->work, word, err) != 0) return -1;
    *module = in.kind && (in.kind == &input_module || in.kind == &input_codegen_folder ||
                          (in.kind == &input_log && in.source.mapped && predicted_run_is_module(in.source.bytes)));
    input_release(&in);
    return 0;
}

/* A region must be large enough for every pass. */
static void on_all_passes(void *context, const struct run *run) { fit_regions_find(run, context); }

static int try_run(struct invocation *inv, const char *word, struct fit_wish *wish, struct err *err) {
    struct input in;
    struct fit_regions regions;
    struct input_options how = {.all_passes = on_all_passes, .context = &regions};
    if (open_run_as(&in, &inv->work, word, how, err) != 0) return -1;
    struct fit_wish own = *wish;
    if (inv->work.last_run) own.regions = &regions;
    int rc = fit_run(inv, &in, &own, err);
    input_release(&in);
    return rc;
}

static int run(struct invocation *inv, struct err *err) {
    const char *names[MOST_TRIES];
    struct fit_wish wish = {.pool = args_text(&inv->args, "pool"),
                            .rank = -1,
                            .exact_only = args_has(&inv->args, "exact"),
                            .names = names,
                            .name_count = args_count(&inv->args, "try")};
    if (wish.name_count > MOST_TRIES) return err_set(err, ERR_USAGE, "--try may be given at most %d times", MOST_TRIES);
    if (fit_target_read(args_text(&inv->args, "target"), &wish.target, err) != 0) return -1;
    for (size_t i = 0; i < wish.name_count; i++) names[i] = args_nth(&inv->args, "try", i);
    const char *word = inv->args.words.items[0];
    bool modules = strcmp(word, "-") != 0;
    for (size_t i = 0; modules && i < (inv->work.together ? inv->args.words.len : 1); i++)
        if (is_module(inv, inv->args.words.items[i], &modules, err) != 0) return -1;
    struct input other;
    wish.other_path = args_text(&inv->args, "second-run");
    if (wish.other_path && open_run(&other, &inv->work, wish.other_path, NULL, err) != 0) return -1;
    if (wish.other_path) wish.other = &other.run;
    int rc = modules ? try_modules(inv, &wish, err) : try_run(inv, word, &wish, err);
    if (wish.other) input_release(&other);
    return rc;
}

static const struct option options[] = {
    {"target", 0, OPTION_TEXT, "PERCENT or SIZE",
     "a peak of at most that share of the bank, or that much per bank (default: to fit)"},
    {"try", 0, OPTION_LIST, "CHANGE", "replay this change, by its name in the table; repeated, all of them together"},
    {"exact", 0, OPTION_FLAG, NULL, "look for the smallest set among exact changes only, without estimates"},
    {"pool", 0, OPTION_TEXT, "dram|l1", "which memory (the one that ran out, else dram)"},
    OPTION_RANK("that rank instead of the one that failed or has the highest peak"),
    {"limit", 0, OPTION_TEXT, "N", "list N changes (15); 0 lists all"},
    {"second-run", 0, OPTION_TEXT, "RUN", "the same program with another batch size, to see what grows with it"},
    OPTION_LAST_RUN,
    OPTION_DEVICE("another board than the module's; for an Inspector folder, the board that it comes from"),
    OPTION_JSON,
    OPTION_OUTPUT,
    OPTIONS_END,
};

const struct command cmd_fit = {
    .name = "fit",
    .summary = "Find the smallest change that makes it fit, by replay",
    .synopsis =
        "RUN|MODULE... [--target PERCENT|SIZE] [--try CHANGE]... [--exact] [--pool dram|l1] [--rank RANK] [--limit N] "
        "[--second-run RUN] [--last-run] [--device CHIP] [--json] [-o FILE]",
    .details =
        "Replays the allocations of a run or of compiled modules with one thing different: tensors freed at their last "
        "use,\n"
        "another order, other element types, no padding, no program cache, another chip. Says for each what the peak "
        "becomes and whether every request finds a free block, and then the smallest set of changes that reaches the target. "
        "Exit "
        "status 1 when no set of changes of the program is certain to reach it (another chip does not count). Several modules "
        "run one after another in one "
        "process." OPEN_HELP_SHORT,
    .example = "ttmem fit ttnn.mlir --target 90%",
    .options = options,
    .min_words = 1,
    .max_words = MOST_FILES,
    .takes_files = true,
    .run = run,
};
