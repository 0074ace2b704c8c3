/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/what_if.h"

#include <stdio.h>

#include "base/num.h"

static uint64_t peak_of(const struct replay *r) {
    uint64_t peak = 0;
    for (size_t i = 0; i < r->runs.len; i++)
        if (r->runs.items[i].peaks[POOL_DRAM].allocated > peak) peak = r->runs.items[i].peaks[POOL_DRAM].allocated;
    return peak;
}

static int64_t margin_of(const struct replay *r) {
    int64_t margin = INT64_MAX;
    for (size_t i = 0; i < r->runs.len; i++)
        if (r->runs.items[i].margin[POOL_DRAM] < margin) margin = r->runs.items[i].margin[POOL_DRAM];
    return margin;
}

/* Sharded layouts of the modules that use more cores than the device has. */
static unsigned layouts_beyond(const struct prediction *p, const struct predict_device *device) {
    unsigned count = 0;
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->modules[i].types.list.len; k++) {
            const struct ir_type *type = &p->modules[i].types.list.items[k];
            count += type->type.buffer == BUFFER_L1 && ir_is_sharded(type) && type->type.shards > device->pools[POOL_L1].banks;
        }
    return count;
}

static void try_one(struct what_ifs *tried, struct prediction *p, const char *option, const char *words, bool exact,
                    const struct predict_options *options) {
    struct replay replay;
    struct what_if row = {.words = words, .exact = exact, .other_board = options->device.chip != p->options.device.chip};
    snprintf(row.option, sizeof row.option, "%s", option);
    row.fits = prediction_replay(p, options, &replay);
    row.whole = !prediction_replay_is_cut(&replay);
    row.peak = peak_of(&replay);
    row.margin = margin_of(&replay);
    row.capacity = replay.device.pools[POOL_DRAM].bytes;
    row.bank = replay.device.bank;
    row.left_out_layouts = layouts_beyond(p, &replay.device);
    replay_release(&replay);
    vec_push(&tried->list, row);
}

static int better_first(const void *a, const void *b) {
    const struct what_if *x = a, *y = b;
    if (x->fits != y->fits) return x->fits ? -1 : 1;
    if (x->exact != y->exact) return x->exact ? -1 : 1;
    if (x->other_board != y->other_board) return y->other_board ? -1 : 1; /* a setting is easier to change than a board */
    uint64_t left_x = x->capacity - x->peak, left_y = y->capacity - y->peak;
    return left_x > left_y ? -1 : left_x < left_y;
}

static void try_scaled(struct what_ifs *tried, const struct prediction *p, const char *option, const char *words,
                       const struct predict_options *options) {
    struct prediction made;
    struct what_if row = {.words = words};
    snprintf(row.option, sizeof row.option, "%s", option);
    row.fits = prediction_again(p, options, &made);
    row.whole = !prediction_is_cut(&made);
    row.peak = peak_of(&made.replay);
    row.margin = margin_of(&made.replay);
    row.capacity = made.replay.device.pools[POOL_DRAM].bytes;
    row.bank = made.replay.device.bank;
    prediction_release_part(&made);
    vec_push(&tried->list, row);
}

/* Smaller weights if they hold a tenth, a batch of one if it is larger. */
static void try_sizes(struct what_ifs *tried, const struct prediction *p) {
    struct predict_options options = p->options;
    const struct memory_sums *sums = &p->replay.memory.failure.sums;
    uint64_t weights = sums->bytes[MEMORY_WEIGHT] + sums->bytes[MEMORY_CONST_EVAL];
    if (!options.scale.weights && weights > p->replay.memory.failure.allocated / 10) {
        options.scale.weights = "bfp_bf8";
        try_scaled(tried, p, "--weights bfp_bf8", "weights as bfp_bf8, conversions as compiled", &options);
        options = p->options;
    }
    if (!options.scale.batch && p->scaled.batch_was > 1) {
        options.scale.batch = 1;
        try_scaled(tried, p, "--batch 1", "what has the batch among its dimensions is scaled", &options);
    }
}

/* Boards with different amounts of memory. */
static const char *const boards[] = {"n150", "p100", "p150"};

void what_if_try(struct what_ifs *tried, struct prediction *p) {
    struct predict_options options = p->options;
    if (!options.replay.no_program_cache) {
        options.replay.no_program_cache = true;
        try_one(tried, p, "--no-program-cache", "TT_RUNTIME_ENABLE_PROGRAM_CACHE=0: slower, programs are built each time", true,
                &options);
        options = p->options;
    }
    if (options.device.trace_region) {
        options.device.trace_region = 0;
        try_one(tried, p, "--trace-region 0", "no trace region", true, &options);
        options = p->options;
    }
    if (options.between == BETWEEN_KEEP && p->forms.programs.len > 1) {
        options.between = BETWEEN_DROP;
        try_one(tried, p, "--between drop", "results and inputs of a finished program are released", true, &options);
        options = p->options;
    }
    try_sizes(tried, p);
    for (size_t i = 0; i < sizeof boards / sizeof *boards; i++) {
        const struct chip *chip = chip_find(slice_from(boards[i]));
        uint64_t now = p->replay.device.pools[POOL_DRAM].bytes * p->replay.device.pools[POOL_DRAM].banks;
        if (chip_dram_bank_bytes(chip) * chip->dram_banks <= now || chip == p->replay.device.chip) continue;
        char option[64];
        snprintf(option, sizeof option, "--device %s", boards[i]);
        /* a log shows the build's reserve; a requested size does not */
        bool told = p->options.device.from_log;
        options.device = (struct device_wish){.chip = chip,
                                              .own_banks = told ? p->options.device.dram_banks : 0,
                                              .own_bank_bytes = told ? p->options.device.dram_bank_bytes : 0,
                                              .l1_small = p->options.device.l1_small,
                                              .has_l1_small = p->options.device.has_l1_small,
                                              .trace_region = p->options.device.trace_region};
        try_one(tried, p, option, "layouts as compiled", true, &options);
        options = p->options;
    }
    if (tried->list.len) qsort(tried->list.items, tried->list.len, sizeof *tried->list.items, better_first);
}

void what_ifs_release(struct what_ifs *tried) { vec_release(&tried->list); }
