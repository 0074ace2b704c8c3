/* SPDX-License-Identifier: Apache-2.0 */
/* Does a configuration fit, what would make it fit, and what one configuration saves against another. */
#include "analysis/train/train.h"
#include "base/num.h"

enum { MOST_STEPS = 1024 }; /* a larger division of the batch is not useful advice */

/* Smallest n with fixed + activations / n <= device; 0 if there is none. */
static uint64_t divisor_for(int64_t fixed, int64_t activations, int64_t device) {
    if (fixed >= device) return 0;
    uint64_t n = num_ceil_div((uint64_t)activations, (uint64_t)(device - fixed));
    return n <= MOST_STEPS ? n : 0;
}

static size_t forward_count(const struct train_result *r) {
    for (size_t i = 0; i < r->folds.len; i++)
        if (r->folds.items[i].role == TRAIN_FORWARD) return r->folds.items[i].count;
    return 0;
}

static enum train_role peak_role(const struct train_result *r) {
    return r->has_peak_phase ? r->folds.items[r->fold_of[r->peak_phase]].role : TRAIN_NO_ROLE;
}

/* What the forward pass needs at its highest and does not keep. */
static int64_t transient_of(const struct train_result *r) {
    const struct train_phase *phase = &r->summary->phases.items[r->peak_phase];
    if (peak_role(r) != TRAIN_FORWARD || !train_has(phase, TRAIN_SEGMENT_PEAK)) return 0;
    int64_t transient = phase->mb[TRAIN_SEGMENT_PEAK] - r->activations;
    return transient > 0 ? transient : 0;
}

/* Only activations grow with the batch here; what the backward pass adds counts as fixed, which is on the safe side. */
static struct train_advice divided(enum train_advice_kind kind, const struct train_result *r, int64_t gradients) {
    struct train_advice advice = {
        .kind = kind, .rest = r->peak - r->activations, .activations = r->activations, .gradients = gradients};
    advice.transient = transient_of(r);
    int64_t fixed = advice.rest + gradients;
    advice.divisor = divisor_for(fixed, r->activations, r->device);
    advice.enough = advice.divisor > 0;
    advice.steps_now = kind == ADVICE_ACCUMULATE ? forward_count(r) : 1;
    advice.result = fixed + (advice.enough ? (int64_t)num_ceil_div((uint64_t)r->activations, advice.divisor) : 0);
    return advice;
}

/* Activations are alive from the forward pass to the end of the backward pass; a peak elsewhere does not hold them. */
static void fit_advice_add(struct train_result *r) {
    bool in_pass = peak_role(r) == TRAIN_FORWARD || peak_role(r) == TRAIN_BACKWARD;
    if (r->has_peak_phase && !in_pass && r->summary->phases.items[r->peak_phase].name.len)
        vec_push(&r->advice, ((struct train_advice){.kind = ADVICE_OUTSIDE_PASSES}));
    if (in_pass && r->has_activations && r->activations > 0 && r->activations <= r->peak) {
        struct train_advice recompute = {
            .kind = ADVICE_RECOMPUTE, .rest = r->peak - r->activations, .activations = r->activations};
        recompute.enough = recompute.rest < r->device;
        recompute.result = r->device - recompute.rest;
        vec_push(&r->advice, recompute);
        vec_push(&r->advice, divided(ADVICE_BATCH, r, 0));
        /* Accumulation keeps the gradients of earlier steps; a run that already accumulates holds them at its peak. */
        const struct train_size *g = &r->gradients;
        int64_t gradients = g->has_actual && g->actual > 0 ? g->actual : g->has_expected ? g->expected : 0;
        vec_push(&r->advice, divided(ADVICE_ACCUMULATE, r, forward_count(r) > 1 ? 0 : gradients));
    }
    for (const struct chip *chip = chip_table; chip->name; chip++) {
        int64_t room = num_bytes_to_milli_mb(train_chip_bytes(chip));
        if (room < r->peak || room <= r->device) continue;
        vec_push(&r->advice, ((struct train_advice){.kind = ADVICE_CHIP, .enough = true, .chip = chip, .result = room}));
        break;
    }
}

void train_fit(struct train_result *r) {
    r->usage_pct = train_percent(r->peak, r->device);
    r->headroom = r->device - r->peak;
    r->fits = r->peak <= r->device;
    r->fits_is_final = r->has_peak && (r->fits ? !r->peak_is_lower_bound : r->peak > r->device_most);
    if (r->has_peak && !r->fits) fit_advice_add(r);
}

void train_compare(struct train_report *report) {
    size_t highest = SIZE_MAX;
    for (size_t i = 0; i < report->results.len; i++) {
        const struct train_result *r = &report->results.items[i];
        if (r->has_peak && (highest == SIZE_MAX || r->peak > report->results.items[highest].peak)) highest = i;
    }
    for (size_t i = 0; i < report->results.len; i++) {
        const struct train_result *lower = &report->results.items[i];
        if (i == highest || !lower->has_peak) continue;
        const struct train_result *higher = &report->results.items[highest];
        struct train_comparison *c = vec_add(&report->comparisons);
        *c = (struct train_comparison){.lower = i, .higher = highest, .saved = higher->peak - lower->peak};
        for (enum train_part part = 0; part < TRAIN_PARTS; part++) c->parts[part] = lower->parts[part] - higher->parts[part];
    }
}
