/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem predict: does a compiled program fit, before anything runs. */
#include "base/size.h"
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "input/names.h"
#include "predict/predicted_run.h"
#include "predict/show/show.h"
#include "work/keep.h"

static int read_size(const struct args *args, const char *name, uint64_t *bytes, struct err *err) {
    const char *text = args_text(args, name);
    if (!text || size_read(slice_from(text), bytes)) return 0;
    return err_set(err, ERR_USAGE, "--%s takes a size such as 65536, 64KB or 1.5GB, not '%s'", name, text);
}

/* 0 means the module's own value; it is never a size. */
static int read_count(const struct args *args, const char *name, uint64_t *count, struct err *err) {
    if (args_number(args, name, 0, count, err) != 0) return -1;
    if (*count || !args_has(args, name)) return 0;
    return err_set(err, ERR_USAGE, "--%s must be at least 1, not '%s'", name, args_text(args, name));
}

static int read_device(const struct args *args, struct device_wish *wish, struct err *err) {
    const char *name = args_text(args, "device");
    uint64_t banks;
    if (name && chip_choose(name, &wish->chip, err) != 0) return -1;
    if (read_count(args, "banks", &banks, err) != 0) return -1;
    if (banks > 4096) return err_set(err, ERR_USAGE, "--banks must be at most 4096, not '%s'", args_text(args, "banks"));
    wish->dram_banks = (unsigned)banks;
    wish->has_l1_small = args_has(args, "l1-small");
    if (read_size(args, "bank-size", &wish->dram_bank_bytes, err) != 0 ||
        read_size(args, "trace-region", &wish->trace_region, err) != 0 ||
        read_size(args, "l1-small", &wish->l1_small, err) != 0)
        return -1;
    if (args_has(args, "bank-size") && !wish->dram_bank_bytes)
        return err_set(err, ERR_USAGE, "--bank-size must be at least 1, not '%s'", args_text(args, "bank-size"));
    return 0;
}

static int read_scale(const struct args *args, struct scale *scale, struct err *err) {
    static const char *const names[][2] = {{"bfloat8_b", "bfp_bf8"}, {"bfloat4_b", "bfp_bf4"}, {"bfloat16", "bf16"}};
    scale->weights = args_text(args, "weights");
    for (size_t i = 0; scale->weights && i < sizeof names / sizeof *names; i++)
        if (strcmp(scale->weights, names[i][0]) == 0) scale->weights = names[i][1];
    return read_count(args, "kv-len", &scale->kv_len, err) != 0 || read_count(args, "kv-blocks", &scale->kv_blocks, err) != 0 ||
                   read_count(args, "batch", &scale->batch, err) != 0
               ? -1
               : 0;
}

static int read_options(const struct args *args, struct predict_options *options, struct err *err) {
    const char *between = args_text(args, "between");
    if (read_device(args, &options->device, err) != 0 || read_scale(args, &options->scale, err) != 0) return -1;
    options->replay.no_program_cache = args_has(args, "no-program-cache");
    options->replay.keep_going = args_has(args, "keep-going");
    options->between_given = between != NULL;
    options->between = between && strcmp(between, "keep") == 0 ? BETWEEN_KEEP : BETWEEN_DROP;
    return read_size(args, "resident", &options->replay.resident, err);
}

static int add_files(struct prediction *p, const struct args *args, struct err *err) {
    for (size_t i = 0; i < args_count(args, "before"); i++)
        if (forms_add(&p->forms, args_nth(args, "before", i), err) != 0) return -1;
    for (size_t i = 0; i < args->words.len; i++)
        if (forms_add(&p->forms, args->words.items[i], err) != 0) return -1;
    return 0;
}

/* What is shown beside the prediction, if requested. */
struct beside {
    struct what_ifs tried;
    struct search_result found;
    struct compare compare;
    struct decision_trace plan;
};

static void gather(struct invocation *inv, struct prediction *p, struct beside *beside, struct show *show) {
    const char *max = args_text(&inv->args, "max");
    if (!prediction_fits(p)) what_if_try(&beside->tried, p);
    bool known = !prediction_fits(p) || !prediction_is_cut(p); /* if parts are missing, it is not known to fit */
    for (int kind = 0; max && known && kind <= SEARCH_BATCH; kind++) {
        if (strcmp(max, search_names[kind]) != 0) continue;
        search_max(p, (enum search_kind)kind, &beside->found);
        show->found = &beside->found;
    }
    if (p->log && (p->log->block_count || p->log->failures.entries.len || args_has(&inv->args, "log"))) {
        compare_make(&beside->compare, p, p->log);
        show->compare = &beside->compare;
    }
}

/* The report of the predicted run, as analyze writes it for a log. */
static int write_report(struct invocation *inv, const struct prediction *p, const char *folder, struct strbuf *written,
                        struct err *err) {
    const char *path = inv->args.words.items[0];
    struct input in = {.path = mem_strdup(path), .source = {.fd = -1}};
    struct overview overview;
    report_name(&in.name, path);
    strbuf_addz(&in.name, PREDICTED_ENDING);
    strbuf_addz(&in.origin, path);
    predicted_run_of(&in.run, p);
    overview_make(&in.run, &overview);
    struct report_options wish = {.output_dir = folder};
    int rc = keep_report(&inv->work, &in, &overview, &wish, NULL, written, err);
    overview_release(&overview);
    input_release(&in);
    return rc;
}

static int answer(struct invocation *inv, struct prediction *p, struct err *err) {
    struct beside beside = {0};
    struct strbuf text = {0};
    bool json = args_has(&inv->args, "json");
    const char *plan = args_text(&inv->args, "decision-trace");
    struct show show = {.prediction = p, .tried = &beside.tried, .per_op = args_has(&inv->args, "per-op")};
    int rc = plan ? decision_read(&beside.plan, plan, err) : 0;
    if (rc == 0) {
        if (plan) show.plan = &beside.plan;
        gather(inv, p, &beside, &show);
        struct strbuf report = {0};
        const char *folder = args_text(&inv->args, "output-dir");
        if (folder) rc = write_report(inv, p, folder, &report, err);
        if (json) show_json(&text, &show);
        else show_text(&text, &inv->work.out, &show);
        if (report.len && !json) {
            strbuf_addz(&text, "report: ");
            term_text(&text, &inv->work.out, strbuf_slice(&report), 0);
            strbuf_addc(&text, '\n');
        }
        strbuf_release(&report);
        if (rc == 0) rc = emit_answer(inv, strbuf_slice(&text), !json, err);
    }
    strbuf_release(&text);
    what_ifs_release(&beside.tried);
    compare_release(&beside.compare);
    decision_release(&beside.plan);
    if (rc != 0 || !prediction_fits(p)) return rc != 0 ? rc : 1;
    return prediction_is_cut(p) ? prediction_not_known(p, inv->args.words.items[0], err) : 0;
}

static int run(struct invocation *inv, struct err *err) {
    struct prediction prediction = {0};
    struct predict_options options = {0};
    struct form_file log = {.source = {.fd = -1}};
    const char *log_path = args_text(&inv->args, "log");
    int rc = read_options(&inv->args, &options, err);
    if (rc == 0) rc = add_files(&prediction, &inv->args, err);
    if (rc == 0 && log_path) {
        rc = form_log_read(&log, log_path, err);
        prediction.log = &log.run;
    }
    if (rc == 0) rc = prediction_make(&prediction, &options, err);
    if (rc == 0) rc = answer(inv, &prediction, err);
    prediction_release(&prediction);
    form_file_release(&log);
    return rc;
}

static const struct option options[] = {
    {"device", 0, OPTION_TEXT, "CHIP", "another board than the module's: n150, n300, p100, p150, ..."},
    {"banks", 0, OPTION_TEXT, "N", "number of DRAM banks"},
    {"bank-size", 0, OPTION_TEXT, "BYTES", "what one DRAM bank can hold"},
    {"trace-region", 0, OPTION_TEXT, "BYTES", "DRAM of the device that is set aside for traces"},
    {"l1-small", 0, OPTION_TEXT, "BYTES", "L1 of a core that is set aside as L1_SMALL (65536)"},
    {"resident", 0, OPTION_TEXT, "BYTES", "bytes per bank that are taken before anything runs"},
    {"before", 0, OPTION_LIST, "FILE", "a program that ran before, in the same process"},
    {"between", 0, OPTION_TEXT, "drop|keep", "what becomes of a finished program's inputs and results (drop)"},
    {"no-program-cache", 0, OPTION_FLAG, NULL, "binaries, maps and tables are freed when their op ends"},
    {"kv-len", 0, OPTION_TEXT, "N", "KV caches of N positions"},
    {"kv-blocks", 0, OPTION_TEXT, "N", "paged KV caches of N cache blocks"},
    {"weights", 0, OPTION_TEXT, "bfp_bf8|bfp_bf4|bf16|bfloat8_b|bfloat4_b|bfloat16",
     "weights in another element type (an estimate)"},
    {"batch", 0, OPTION_TEXT, "N", "another batch size (an estimate)"},
    {"max", 0, OPTION_TEXT, "kv-len|kv-blocks|batch", "find the largest value that fits, by replays"},
    {"log", 0, OPTION_TEXT, "RUN", "compare with a log of the same programs"},
    {"decision-trace", 0, OPTION_TEXT, "FILE",
     "also print the compiler's own plan for L1, read from FILE (tt-mlir's decision trace)"},
    {"keep-going", 0, OPTION_FLAG, NULL, "leave out what does not fit and continue"},
    {"per-op", 0, OPTION_FLAG, NULL, "a row for every op"},
    OPTION_OUTPUT_DIR("also write the report of the predicted run there, with its page"),
    OPTION_JSON,
    OPTION_OUTPUT,
    OPTIONS_END,
};

const struct command cmd_predict = {
    .name = "predict",
    .summary = "Say whether a compiled program fits, before anything runs",
    .synopsis = "FILE... [--device CHIP] [--per-op] [--output-dir DIR] [--json] [-o FILE] [options]",
    .details =
        "FILE is a TTNN module (irs/ttnn_*.mlir, ttnn.mlir), a compiled binary (.ttnn), a folder that codegen wrote, or a log\n"
        "with module dumps; - reads one from stdin. Several are programs that run one after another in one process. Replays\n"
        "every allocation on a simulated device, with the memory that is in no tensor: maps of tiled reshapes, kernel\n"
        "binaries, tables of convolutions, temporaries inside ops. Exit status 1 when it does not fit.",
    .example = "ttmem predict ttnn.mlir --device n150",
    .options = options,
    .min_words = 1,
    .max_words = 64,
    .run = run,
};
