/* SPDX-License-Identifier: Apache-2.0 */
/* How many cores a chip has for a tensor or a program, as far as a log shows. */
#include "analysis/failure/advice_figures.h"
#include "device/core_range.h"

/* The fewest and the most cores of the possible boards: by the log; by the message, if the request was for as many as a
 * board has; by the board; else of any board of the architecture. If the chip is unknown, only the smallest number is
 * certain. */
static void bounds(const struct figures *x, uint64_t *fewest, uint64_t *most) {
    uint64_t asked = failure_knows(x->f, FAILURE_BANKS) && x->f->pool == FAILURE_L1 ? x->f->number[FAILURE_BANKS] : 0;
    const struct chip *known = x->v->chip;
    const char *arch = known ? known->arch : "wormhole_b0";
    bool board = known && known->l1_bank_counts[0];
    *fewest = *most = x->context->l1_banks;
    for (const struct chip *chip = chip_table; chip->name && !x->context->l1_banks; chip++) {
        if (board ? chip != known : strcmp(chip->arch, arch) != 0) continue;
        for (unsigned i = 0; i < CHIP_L1_BANK_COUNTS && chip->l1_bank_counts[i]; i++) {
            uint64_t count = chip->l1_bank_counts[i];
            if (count == asked) {
                *fewest = *most = asked;
                return;
            }
            if (count > *most) *most = count;
            if (!*fewest || count < *fewest) *fewest = count;
        }
    }
}

uint64_t advice_most_cores(const struct figures *x) {
    uint64_t fewest, most;
    bounds(x, &fewest, &most);
    return most;
}

uint64_t advice_sure_cores(const struct figures *x) {
    uint64_t fewest, most;
    bounds(x, &fewest, &most);
    return fewest;
}

/* Cores of the range in the message, 0: it names none. */
static uint64_t cores_used(const struct figures *x) {
    struct core_ranges ranges = {0};
    bool read = core_ranges_parse(&ranges, slice_from(x->f->core_range)) == CORE_TEXT_OK;
    uint64_t count = read && ranges.len ? core_ranges_count(ranges.items, ranges.len) : 0;
    core_ranges_release(&ranges);
    return count;
}

bool advice_more_cores(const struct figures *x) { return cores_used(x) < advice_sure_cores(x); }
bool advice_all_cores(const struct figures *x) { return cores_used(x) >= advice_most_cores(x); }
bool advice_maybe_all_cores(const struct figures *x) { return !advice_more_cores(x) && !advice_all_cores(x); }

uint64_t advice_core_l1(const struct figures *x) {
    return chip_most_l1_bank_bytes(x->v->chip, failure_knows(x->f, FAILURE_BANKS) ? x->f->number[FAILURE_BANKS] : 0);
}

bool advice_is_beyond_l1(const struct figures *x) {
    return failure_knows(x->f, FAILURE_PER_BANK) && x->f->number[FAILURE_PER_BANK] > advice_core_l1(x);
}
