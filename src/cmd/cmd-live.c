/* ttmem live: what is alive at a place of the log, by size and by class. */
#include <string.h>

#include "analysis/run/overview.h"
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "work/open.h"
#include "render/answer/live_report.h"

enum { DEFAULT_LIMIT = 20 };

/* The record of the same rank in front of a step, NONE. */
static uint32_t record_before(const struct run *run, uint32_t step) {
    uint16_t rank = run->steps.items[step].rank;
    for (size_t i = step; i-- > 0;)
        if (run->steps.items[i].rank == rank && run->steps.items[i].record != NONE) return run->steps.items[i].record;
    return NONE;
}

static int find_peak(const struct input *in, struct live_place *place, struct err *err) {
    struct peaks peaks;
    peaks_find(&in->run, &peaks, NULL);
    const struct peak *peak = &peaks.pools[place->pool];
    if (!peak->seen)
        return err_set(err, ERR_LACKS,
                       "%s has no memory blocks of %s, so no peak: use --at INDEX, or run with TT_RUNTIME_MEMORY_LOG_LEVEL=all",
                       in->path, pool_names[place->pool]);
    place->is_peak = true;
    place->block = peak->block;
    place->step = in->run.blocks.items[peak->block].step;
    place->after_record = peak->after_record;
    place->before_record = peak->before_record;
    return 0;
}

static int find_place(const struct input *in, const char *at, struct live_place *place, struct err *err) {
    const struct run *run = &in->run;
    if (!run->tensors.len)
        return err_set(err, ERR_LACKS,
                       "%s has no operation lines that tell of tensors: build with TT_RUNTIME_DEBUG=ON (debug preset) and set "
                       "TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG",
                       in->path);
    if (!at || strcmp(at, "peak") == 0) return find_peak(in, place, err);
    uint32_t record;
    if (open_record(in, at, &record, err) != 0) return -1;
    place->step = run->records.items[record];
    place->block = run->steps.items[place->step].block;
    place->before_record = record;
    place->after_record = record_before(run, place->step);
    return 0;
}

static int run(struct invocation *inv, struct err *err) {
    const char *pool = args_text(&inv->args, "pool");
    struct live_place place = {.pool = pool && strcmp(pool, "l1") == 0 ? POOL_L1 : POOL_DRAM};
    struct input in;
    uint64_t limit;
    if (args_number(&inv->args, "limit", DEFAULT_LIMIT, &limit, err) != 0) return -1;
    place.limit = (size_t)limit;
    if (open_run(&in, &inv->work, inv->args.words.items[0], NULL, err) != 0) return -1;
    int rc = input_check(&in, err);
    if (rc == 0) rc = find_place(&in, args_text(&inv->args, "at"), &place, err);
    if (rc == 0) {
        struct live_set set;
        struct strbuf text = {0};
        bool json = args_has(&inv->args, "json");
        live_at(&in.run, place.step, place.pool, &set);
        if (json) live_report_json(&text, &in.run, &place, &set);
        else live_report_text(&text, &inv->work.out, &in.run, &place, &set);
        rc = emit_answer(inv, strbuf_slice(&text), !json, err);
        strbuf_release(&text);
        live_release(&set);
    }
    input_release(&in);
    return rc;
}

static const struct option options[] = {
    {"at", 0, OPTION_TEXT, "INDEX or peak", "in front of that op, or at the pool's peak (the default)"},
    {"pool", 0, OPTION_TEXT, "dram|l1", "which memory (dram)"},
    {"limit", 0, OPTION_TEXT, "N", "list N tensors (20); 0 lists all"},
    OPTION_JSON,
    OPTION_OUTPUT,
    OPTIONS_END,
};

const struct command cmd_live = {
    .name = "live",
    .summary = "List what is alive at the peak or in front of an op, largest first",
    .synopsis = "RUN [--at INDEX|peak] [--pool dram|l1] [--limit N] [--json] [-o FILE]",
    .details =
        "Sums by class (weight, activation, const-eval, input) and what the runtime holds beyond the tensors that op lines\n"
        "tell of: unattributed = allocated by the memory block - sum of the live tensors, per bank.",
    .example = "ttmem live model_profile.log --at peak",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
