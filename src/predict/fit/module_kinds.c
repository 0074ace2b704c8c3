/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/fit/module_kinds.h"

#include <stdio.h>

#include "analysis/fit/groups.h"
#include "analysis/fit/kinds.h"
#include "base/table/hash.h"
#include "device/reserve.h"
#include "predict/fit/module_batch.h"
#include "predict/fit/module_place.h"

enum module_row {
    NO_PROGRAM_CACHE,
    LARGEST_FIRST,
    CONST_EVAL_FIRST,
    NO_TRACE_REGION,
    BETWEEN_DROPPED,
    WEIGHTS_BFP8,
    WEIGHTS_BFP4,
    WEIGHTS_BF16,
    ACTIVATIONS_BF16,
    CONST_EVALS_BF16,
    ON_N300,
    ON_P100,
    ON_P150,
    ON_GALAXY,
    ON_BLACKHOLE_GALAXY,
    MODULE_ROWS
};

static void no_program_cache(struct predict_options *o) { o->replay.no_program_cache = true; }
static void largest_first(struct predict_options *o) { o->replay.largest_first = true; }
static void const_eval_first(struct predict_options *o) { o->replay.const_eval_first = true; }
static void no_trace_region(struct predict_options *o) { o->device.trace_region = 0; }
static void between_dropped(struct predict_options *o) { o->between = BETWEEN_DROP; }
static void weights_bfp8(struct predict_options *o) { o->scale.weights = "bfp_bf8"; }
static void weights_bfp4(struct predict_options *o) { o->scale.weights = "bfp_bf4"; }
static void weights_bf16(struct predict_options *o) {
    o->scale.weights = "bf16";
    o->scale.weights_from = "f32";
}
static void activations_bf16(struct predict_options *o) { o->scale.activations = "bf16"; }
static void const_evals_bf16(struct predict_options *o) { o->scale.const_evals = "bf16"; }

static void on_board(struct predict_options *o, const char *name) {
    struct device_wish was = o->device;
    o->device = (struct device_wish){.chip = chip_find(slice_from(name)),
                                     .own_banks = was.dram_banks,
                                     .own_bank_bytes = was.dram_bank_bytes,
                                     .l1_small = was.l1_small,
                                     .has_l1_small = was.has_l1_small,
                                     .trace_region = was.trace_region};
}
static void on_n300(struct predict_options *o) { on_board(o, "n300"); }
static void on_p100(struct predict_options *o) { on_board(o, "p100"); }
static void on_p150(struct predict_options *o) { on_board(o, "p150"); }
static void on_galaxy(struct predict_options *o) { on_board(o, "wh_galaxy"); }
static void on_blackhole_galaxy(struct predict_options *o) { on_board(o, "bh_galaxy"); }

/* When a row may help. */
static bool has_class(const struct fit *fit, enum live_class class) {
    for (size_t i = 0; i < fit->trace->groups.len; i++)
        if (fit->trace->groups.items[i].class == class) return true;
    return false;
}
static bool caches_programs(const struct fit *fit, const struct prediction *p) {
    return !p->options.replay.no_program_cache && (has_class(fit, LIVE_RESHAPE_MAP) || has_class(fit, LIVE_BINARY));
}
static bool has_weights(const struct fit *fit, const struct prediction *p) {
    (void)p;
    return has_class(fit, LIVE_WEIGHT);
}
static bool has_const_evals(const struct fit *fit, const struct prediction *p) {
    (void)p;
    return has_class(fit, LIVE_CONST_EVAL);
}
static bool has_trace_region(const struct fit *fit, const struct prediction *p) {
    (void)fit;
    return p->options.device.trace_region > 0;
}
static bool keeps_between(const struct fit *fit, const struct prediction *p) {
    (void)fit;
    return p->options.between == BETWEEN_KEEP && p->forms.programs.len > 1;
}
static bool of_f32(const struct fit *fit, enum live_class class) {
    for (size_t i = 0; i < fit->trace->groups.len; i++) {
        const struct fit_group *g = &fit->trace->groups.items[i];
        if (g->class == class && g->type && g->type->tiled && slice_equal(g->type->storage, SLICE("f32"))) return true;
    }
    return false;
}
static bool has_f32_activations(const struct fit *fit, const struct prediction *p) {
    (void)p;
    return of_f32(fit, LIVE_ACTIVATION);
}
static bool has_f32_weights(const struct fit *fit, const struct prediction *p) {
    (void)p;
    return of_f32(fit, LIVE_WEIGHT);
}
static bool has_f32_const_evals(const struct fit *fit, const struct prediction *p) {
    (void)p;
    return of_f32(fit, LIVE_CONST_EVAL);
}
static bool is_other_board(const struct fit *fit, const struct prediction *p) {
    (void)fit;
    return !p->options.device.dram_bank_bytes || p->options.device.from_log;
}

static const struct {
    const char *name, *setting, *assumption;
    void (*set)(struct predict_options *o);
    bool (*when)(const struct fit *fit, const struct prediction *p);
    bool other_device;
    const char *board; /* not listed if it is the current device */
} rows[MODULE_ROWS] = {
    [NO_PROGRAM_CACHE] = {"no program cache", "TT_RUNTIME_ENABLE_PROGRAM_CACHE=0 (slower: programs are built each time)", NULL,
                          no_program_cache, caches_programs, false, NULL},
    [LARGEST_FIRST] = {"largest arguments first", "arguments in the order of their size", NULL, largest_first, has_weights,
                       false, NULL},
    [CONST_EVAL_FIRST] = {"const-eval first", "load_cached before the first op of main", NULL, const_eval_first,
                          has_const_evals, false, NULL},
    [NO_TRACE_REGION] = {"no trace region", "TT_RUNTIME_TRACE_REGION_SIZE=0", "trace buffers take no DRAM", no_trace_region,
                         has_trace_region, false, NULL},
    [BETWEEN_DROPPED] = {"drop between programs", "release inputs and results of a finished program", NULL, between_dropped,
                         keeps_between, false, NULL},
    [WEIGHTS_BFP8] = {"bfp8 weights", "weights as bfp_bf8", "conversions as compiled", weights_bfp8, has_weights, false, NULL},
    [WEIGHTS_BFP4] = {"bfp4 weights", "weights as bfp_bf4", "conversions as compiled", weights_bfp4, has_weights, false, NULL},
    [WEIGHTS_BF16] = {"bf16 weights", "weights that are f32 as bf16", "conversions as compiled", weights_bf16, has_f32_weights,
                      false, NULL},
    [ACTIVATIONS_BF16] = {"bf16 activations", "activations that are f32 as bf16", "the same ops and layouts", activations_bf16,
                          has_f32_activations, false, NULL},
    [CONST_EVALS_BF16] = {"bf16 const-eval", "f32 results of const-eval as bf16", "the same ops and layouts", const_evals_bf16,
                          has_f32_const_evals, false, NULL},
    [ON_N300] = {"on n300", "one chip of an n300", NULL, on_n300, is_other_board, true, "n300"},
    [ON_P100] = {"on p100", "layouts as compiled", NULL, on_p100, is_other_board, true, "p100"},
    [ON_P150] = {"on p150", "layouts as compiled", NULL, on_p150, is_other_board, true, "p150"},
    [ON_GALAXY] = {"on wh_galaxy", "one chip of it, layouts as compiled", NULL, on_galaxy, is_other_board, true, "wh_galaxy"},
    [ON_BLACKHOLE_GALAXY] = {"on bh_galaxy", "one chip of it, layouts as compiled", NULL, on_blackhole_galaxy, is_other_board,
                             true, "bh_galaxy"},
};

static const struct fit_kind module_kind;

uint64_t module_largest_of(const struct fit *fit, enum live_class class) {
    uint64_t largest = 0;
    for (size_t i = 0; i < fit->trace->groups.len; i++)
        if (fit->trace->groups.items[i].class == class && fit->trace->groups.items[i].bytes > largest)
            largest = fit->trace->groups.items[i].bytes;
    return largest;
}

/* Is it unknown how much of a bank the build reserves on the row's board? */
static bool reserve_is_unknown(const struct prediction *p, unsigned row) {
    struct predict_options options = p->options;
    struct predict_device device;
    rows[row].set(&options);
    device_make(&device, p->count ? p->modules[p->module_of[0]].system_desc : slice_of("", 0), &options.device);
    return device.bank != BANK_EXACT;
}

static void list_rows(struct fit *fit, const struct fit_kind *kind) {
    const struct module_source *source = fit->source.context;
    for (unsigned i = 0; i < MODULE_ROWS; i++) {
        const struct chip *board = rows[i].board ? chip_find(slice_from(rows[i].board)) : NULL;
        if (!rows[i].when(fit, source->prediction) || (rows[i].board && (!board || fit_is_own_board(fit->trace, board))))
            continue;
        struct fit_change *change = fit_add(fit, kind, 0, NONE);
        if (!change) return;
        snprintf(change->name, sizeof change->name, "%s", rows[i].name);
        change->number = i;
        change->setting = rows[i].setting;
        change->assumption = rows[i].assumption;
        change->other_device = rows[i].other_device;
        if (rows[i].board) change->one_of = "it runs on one chip";
        if (rows[i].board && reserve_is_unknown(source->prediction, i)) {
            change->assumption = "how much of a bank is set aside there is not known";
            change->uncertainty = CHIP_MOST_PROFILER;
        }
        /* the conversion may need the tensor in both forms for a moment */
        if (i == WEIGHTS_BFP8 || i == WEIGHTS_BFP4 || i == WEIGHTS_BF16) {
            change->uncertainty = 2 * module_largest_of(fit, LIVE_WEIGHT);
            change->one_of = "weights have one element type";
        }
        if (i == CONST_EVALS_BF16) change->uncertainty = module_largest_of(fit, LIVE_CONST_EVAL);
        if (i == ACTIVATIONS_BF16) change->uncertainty = module_largest_of(fit, LIVE_ACTIVATION) / 2;
    }
}

static const struct fit_kind module_kind = {"setting", list_rows, NULL, NULL};
static const struct fit_kind module_group = {"element_of_group", fit_list_groups, NULL, NULL};
const struct fit_kind *const module_kinds[] = {&module_kind, &module_group, &module_batch, &module_place, NULL};

static const struct fit_trace *trace_of(void *context, const struct fit_change *const *set, size_t count) {
    struct module_source *source = context;
    struct predict_options options = source->prediction->options;
    uint64_t wanted = 0;
    for (size_t i = 0; i < count; i++) {
        struct scale *scale = &options.scale;
        if (set[i]->kind == &module_kind) rows[set[i]->number].set(&options);
        else if (set[i]->kind == &module_group && scale->part_count < SCALE_PARTS)
            scale->parts[scale->part_count++] = (struct scale_part){set[i]->group, set[i]->number};
        else if (set[i]->kind == &module_batch) scale->batch = set[i]->number;
        else if (set[i]->kind == &module_place && scale->moved_count < SCALE_MOVED)
            scale->moved[scale->moved_count++] = set[i]->number;
        else continue;
        wanted = hash_mix(hash_mix(hash_mix(wanted, set[i]->number + 1), set[i]->group), (uintptr_t)set[i]->kind) | 1;
    }
    if (!wanted) return &source->base.trace;
    if (wanted != source->made_for) {
        if (source->made_for) module_trace_release(&source->made);
        module_trace_make(&source->made, source->prediction, &options, source->base.trace.pool);
        source->made_for = wanted;
    }
    return &source->made.trace;
}

void module_source_init(struct module_source *source, struct prediction *p, enum pool pool) {
    *source = (struct module_source){.prediction = p};
    module_trace_make(&source->base, p, &p->options, pool);
}

void module_source_release(struct module_source *source) {
    if (source->made_for) module_trace_release(&source->made);
    module_trace_release(&source->base);
}

/* The text is read again, and every op is run: each takes as long as several events of a replay. */
struct fit_source module_fit_source(struct module_source *source) {
    enum { BYTES_OF_EVENT = 8, EVENTS_OF_OP = 40, EVENTS_AT_LEAST = 8000 };
    uint64_t cost = EVENTS_AT_LEAST + EVENTS_OF_OP * (uint64_t)source->base.replay.states.len;
    for (size_t i = 0; i < source->prediction->forms.programs.len; i++)
        cost += source->prediction->forms.programs.items[i].text.len / BYTES_OF_EVENT;
    return (struct fit_source){source, trace_of, cost};
}
