/* SPDX-License-Identifier: Apache-2.0 */
/* A run of a log on another chip: tensors by their types over other banks, the rest spread alike. */
#include <stdio.h>

#include "analysis/fit/kinds.h"
#include "base/num.h"
#include "device/chip.h"

/* Boards that differ in memory; of those with several chips one. */
static const char *const boards[] = {"n150", "p100", "p150"};
enum { BOARDS = sizeof boards / sizeof *boards };

static uint64_t bytes_on(const struct fit_trace *trace, const struct fit_buffer *b, const struct chip *chip) {
    const struct fit_group *group = &trace->groups.items[b->group];
    struct memory_geometry geometry = {
        .dram_banks = chip->dram_banks, .l1_banks = chip->l1_banks, .dram_align = chip->dram_align, .l1_align = chip->l1_align};
    uint64_t bytes = group->type ? tensor_per_bank_bytes(group->type, &geometry) : 0;
    if (bytes) return bytes;
    return num_ceil_div((uint64_t)((unsigned __int128)b->bytes * trace->banks), chip->dram_banks);
}

static void apply_chip(struct fit_variant *v, const struct fit_change *change) {
    const struct chip *chip = chip_find(slice_from(boards[change->number]));
    v->capacity = chip_dram_bank_bytes(chip);
    for (uint32_t i = 0; i < v->trace->buffers.len; i++)
        fit_variant_resize(v, i, bytes_on(v->trace, &v->trace->buffers.items[i], chip));
}

/* Of captures the types are made for the banks that they were seen in, and modules are predicted anew. */
static void list_chips(struct fit *fit, const struct fit_kind *kind) {
    const struct fit_trace *trace = fit->trace;
    if (!trace->follows || trace->pool != POOL_DRAM || !trace->banks) return;
    for (unsigned i = 0; i < BOARDS; i++) {
        const struct chip *chip = chip_find(slice_from(boards[i]));
        if (chip->dram_banks == trace->banks && chip_dram_bank_bytes(chip) / NUM_MIB == trace->bank / NUM_MIB) continue;
        struct fit_change *change = fit_add(fit, kind, 0, NONE);
        if (!change) return;
        snprintf(change->name, sizeof change->name, "on %s", boards[i]);
        change->number = i;
        change->setting = "layouts as they are";
        change->assumption = "what op lines do not explain is spread over the banks alike";
        change->uncertainty = 2 * FIT_LOG_ROUNDING;
        change->other_device = true;
    }
}

const struct fit_kind fit_other_chip = {"chip", list_chips, apply_chip, true};
