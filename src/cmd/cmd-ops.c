/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem ops: the ops of a run that match, in order or ranked by a measure. */
#include <stdlib.h>
#include <string.h>

#include "analysis/run/byte_seconds.h"
#include "analysis/run/peaks.h"
#include "analysis/search/op_search.h"
#include "base/amounts.h"
#include "base/num.h"
#include "base/size.h"
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "cmd/search/wish.h"
#include "render/answer/top_report.h"
#include "work/open.h"

enum { DEFAULT_LIMIT = 20 };

static int read_wish(const struct args *args, struct op_wish *wish, struct err *err) {
    const char *over = args_text(args, "over"), *bytes = args_text(args, "no-longer-fits");
    *wish = (struct op_wish){.name = args_text(args, "name"),
                             .location = args_text(args, "location"),
                             .shape = args_text(args, "shape"),
                             .dtype = args_text(args, "dtype"),
                             .program = args_text(args, "program")};
    if (over && op_wish_over(wish, over, err) != 0) return -1;
    if (bytes && (!size_read(slice_from(bytes), &wish->no_longer_fits) || !wish->no_longer_fits))
        return err_set(err, ERR_USAGE, "'%.100s' is not a size: write --no-longer-fits 48MB, 512KB or 50733056B", bytes);
    /* 64 is more likely a forgotten MB than 64 bytes, which always fit */
    size_t len = bytes ? strlen(bytes) : 0;
    if (len && bytes[len - 1] >= '0' && bytes[len - 1] <= '9')
        return err_set(err, ERR_USAGE, "'%.100s' of --no-longer-fits has no unit: write %.100sMB, %.100sKB or %.100sB", bytes,
                       bytes, bytes, bytes);
    return 0;
}

/* Conditions on memory need memory lines, conditions on tensors op lines. */
static int check_source(const struct input *in, const struct op_wish *wish, const char *by, struct err *err) {
    enum top_by measure = top_by_named(by);
    bool by_time = measure == TOP_BYTE_SECONDS || measure == TOP_L1_BYTE_SECONDS;
    if (open_needs_ops(in, err) != 0) return -1;
    if (!in->run.records.len)
        return err_set(err, ERR_LACKS, "%s has no ops: set TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG, or use ttmem run", in->path);
    if ((wish->over || wish->no_longer_fits || by) && !in->run.blocks.len)
        return err_set(err, ERR_LACKS, "%s has no memory blocks: set TT_RUNTIME_MEMORY_LOG_LEVEL=all, or use ttmem run",
                       in->path);
    if (by_time && !has_durations(&in->run))
        return err_set(err, ERR_LACKS, "%s does not record how long ops took: ttnn reports, graph captures and Inspector do",
                       in->path);
    if ((wish->shape || wish->dtype || wish->location) && !in->run.op_lines)
        return err_set(err, ERR_LACKS, "%s has no op lines: set TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG, or use ttmem run", in->path);
    return 0;
}

/* States between the measured ones may have been higher. */
static bool is_unmeasured(const struct run *run, const struct op_wish *wish) {
    struct peaks peaks;
    peaks_find(run, &peaks, NULL);
    const struct peak *peak = &peaks.pools[wish->over ? wish->over_pool : POOL_DRAM];
    return peak->seen && peak->at_least;
}

/* Something larger than a bank. */
static void say_never(struct strbuf *out, const struct run *run, uint64_t bytes) {
    int64_t largest = 0;
    for (size_t i = 0; i < run->configs.len; i++)
        if (run->configs.items[i].pool == POOL_DRAM && num_milli_mb_to_bytes(run->configs.items[i].total) > largest)
            largest = num_milli_mb_to_bytes(run->configs.items[i].total);
    if (largest > 0 && bytes > (uint64_t)largest)
        strbuf_addf(out, "%s bytes never fit: larger than a bank.\n\n", figure_grouped(bytes).text);
}

/* It fits after every op of the run. */
static bool says_why(struct strbuf *out, const struct run *run, const struct op_wish *wish) {
    struct op_wish any = {.no_longer_fits = wish->no_longer_fits};
    bool *fit = op_search(run, &any), some = false, known = false;
    for (uint32_t i = 0; i < run->records.len; i++) {
        some |= fit[i];
        known |= op_memory_of(run, i, POOL_DRAM).largest_known;
    }
    free(fit);
    if (some || !known || is_unmeasured(run, wish)) return false;
    strbuf_addf(out, "%s bytes fit into a DRAM bank after every op.\n", figure_grouped(wish->no_longer_fits).text);
    return true;
}

static int answer(struct invocation *inv, const struct input *in, const struct op_wish *wish, size_t limit, struct err *err) {
    const char *by = args_text(&inv->args, "by");
    struct strbuf text = {0};
    struct top_ops top;
    bool json = args_has(&inv->args, "json"), *fit = op_search(&in->run, wish);
    enum top_by measure = top_by_named(by);
    if (!json && wish->no_longer_fits) say_never(&text, &in->run, wish->no_longer_fits);
    if (by) top_ops_find(&in->run, measure, limit, fit, &top);
    else top_ops_in_order(&in->run, fit, limit, &top);
    if (by && json) top_report_json(&text, &in->run, measure, &top);
    else if (by) top_report_text(&text, &inv->work.out, &in->run, measure, &top);
    else if (json) found_ops_json(&text, &in->run, &top);
    else if (!top.rows.len && wish->no_longer_fits && says_why(&text, &in->run, wish)) {
    } else found_ops_text(&text, &inv->work.out, &in->run, &top, args_has(&inv->args, "first"), wish->shape || wish->dtype);
    int rc = emit_answer(inv, strbuf_slice(&text), !json, err);
    bool none = !top.rows.len;
    if (rc == 0 && none && (wish->over || wish->no_longer_fits) && is_unmeasured(&in->run, wish))
        rc = err_set(err, ERR_LACKS,
                     "%s has no measured op that matches, and not every op was measured: set TT_RUNTIME_MEMORY_LOG_LEVEL=all",
                     in->path);
    top_ops_release(&top);
    strbuf_release(&text);
    free(fit);
    return rc != 0 ? -1 : none;
}

static int run(struct invocation *inv, struct err *err) {
    struct op_wish wish;
    struct wish_room room = {0};
    struct input in;
    uint64_t limit;
    if (args_number(&inv->args, "limit", DEFAULT_LIMIT, &limit, err) != 0) return -1;
    if (args_has(&inv->args, "first")) limit = 1;
    if (read_wish(&inv->args, &wish, err) != 0) return -1;
    if (open_run(&in, &inv->work, inv->args.words.items[0], NULL, err) != 0) return -1;
    int rc = input_check(&in, err);
    int rank = -1;
    if (rc == 0) rc = open_rank(&in, args_text(&inv->args, "rank"), &rank, err);
    wish.one_rank = rank >= 0;
    wish.rank = rank >= 0 ? (uint16_t)rank : 0;
    if (rc == 0) rc = check_source(&in, &wish, args_text(&inv->args, "by"), err);
    if (rc == 0) rc = wish_check(&in, &wish, &room, err);
    if (rc == 0) rc = answer(inv, &in, &wish, (size_t)limit, err);
    wish_release(&room);
    input_release(&in);
    return rc;
}

static const struct option options[] = {
    {"name", 0, OPTION_TEXT, "TEXT", "ops whose name has TEXT in it (matmul)"},
    {"location", 0, OPTION_TEXT, "TEXT", "ops whose location has TEXT in it (layers.29)"},
    {"shape", 0, OPTION_TEXT, "SHAPE", "ops that take or make a tensor of that shape (1x32x2048 or 1,32,2048)"},
    {"dtype", 0, OPTION_TEXT, "TYPE", "ops that take or make a tensor of that type (f32 or float32)"},
    {"program", 0, OPTION_TEXT, "NAME", "ops of that program (main)"},
    OPTION_RANK("ops of that rank"),
    {"over", 0, OPTION_TEXT, "POOL=LIMIT", "ops that take a pool to the limit or above: dram=80%, l1=1.2MB"},
    {"no-longer-fits", 0, OPTION_TEXT, "BYTES",
     "ops after which a request of BYTES per bank (64MB, 512KB) no longer fits in one free block of DRAM"},
    {"first", 0, OPTION_FLAG, NULL, "only the first of them"},
    {"by", 0, OPTION_TEXT, "dram|l1|growth|padding|byte-seconds|l1-byte-seconds",
     "sort them by a measure, largest first, instead of in order"},
    {"limit", 0, OPTION_TEXT, "N", "list N ops (20); 0 lists all"},
    OPTION_JSON,
    OPTION_OUTPUT,
    OPTIONS_OF_RUN,
    OPTIONS_END,
};

const struct command cmd_ops = {
    .name = "ops",
    .summary = "Find ops by name, location, tensor or memory after them",
    .synopsis =
        "RUN... [--name TEXT] [--location TEXT] [--shape SHAPE] [--dtype TYPE] [--program NAME] [--rank RANK] [--over "
        "POOL=LIMIT] "
        "[--no-longer-fits BYTES] [--first] [--by MEASURE] [--limit N] [--json] [-o FILE] [--last-run] [--device CHIP]",
    .details =
        "All given conditions must hold. With none, all ops of the run are listed in order. Amounts are per bank. BYTES\n"
        "is what one bank would have to store: a request's size divided by the number of banks. Exit status 1 when no op\n"
        "matches." OPEN_HELP_SHORT,
    .example = "ttmem ops model_profile.log --over dram=80% --first",
    .options = options,
    .min_words = 1,
    .max_words = MOST_FILES,
    .takes_files = true,
    .run = run,
};
