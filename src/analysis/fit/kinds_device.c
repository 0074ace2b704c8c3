/* SPDX-License-Identifier: Apache-2.0 */
/* A run on another chip: tensors by their types over other banks, the rest spread alike. */
#include <stdio.h>

#include "analysis/fit/kinds.h"
#include "base/num.h"
#include "device/chip.h"

/* Boards that differ in memory; of those with several chips one. */
static const struct {
    const char *name, *setting;
} boards[] = {
    {"n150", "layouts as they are"},
    {"n300", "one chip of it, layouts as they are"},
    {"p100", "layouts as they are"},
    {"p150", "layouts as they are"},
    {"wh_galaxy", "one chip of it, layouts as they are"},
    {"bh_galaxy", "one chip of it, layouts as they are"},
};
enum { BOARDS = sizeof boards / sizeof *boards, PAGE = 4096 };

/* Of a capture: its tiles go round other banks. 0: it is not told how many there are. */
static uint64_t tiles_on(const struct fit_group *group, uint64_t bytes, unsigned banks, unsigned other) {
    uint64_t tiles, tile;
    if (!fit_tiles(group->type, &tiles, &tile) || num_ceil_div(tiles, banks) * tile != bytes) return 0;
    return num_ceil_div(tiles, other) * tile;
}

/* *exact: false where it is spread alike. */
static uint64_t bytes_on(const struct fit_trace *trace, const struct fit_buffer *b, const struct chip *chip, bool *exact) {
    const struct fit_group *group = &trace->groups.items[b->group];
    struct memory_geometry geometry = {
        .dram_banks = chip->dram_banks, .l1_banks = chip->l1_banks, .dram_align = chip->dram_align, .l1_align = chip->l1_align};
    /* types of captures are made for the banks that they were seen in */
    uint64_t bytes = !group->type     ? 0
                     : trace->follows ? tensor_per_bank_bytes(group->type, &geometry)
                                      : tiles_on(group, b->bytes, trace->banks, chip->dram_banks);
    *exact = bytes > 0;
    return bytes ? bytes : num_ceil_div((uint64_t)((unsigned __int128)b->bytes * trace->banks), chip->dram_banks);
}

static void apply_chip(struct fit_variant *v, const struct fit_change *change) {
    const struct chip *chip = chip_find(slice_from(boards[change->number].name));
    bool exact;
    v->capacity = chip_dram_bank_bytes(chip);
    for (uint32_t i = 0; i < v->trace->buffers.len; i++)
        fit_variant_resize(v, i, bytes_on(v->trace, &v->trace->buffers.items[i], chip, &exact));
}

/* What is spread alike may take a page more. */
static uint64_t off_of(const struct fit *fit, const struct chip *chip) {
    uint64_t off = 0;
    for (uint32_t i = 0; i < fit->trace->buffers.len; i++) {
        bool exact;
        bytes_on(fit->trace, &fit->trace->buffers.items[i], chip, &exact);
        if (!exact && fit_is_there(fit, &fit->trace->buffers.items[i])) off += PAGE;
    }
    return off;
}

/* Modules are predicted anew. */
static void list_chips(struct fit *fit, const struct fit_kind *kind) {
    const struct fit_trace *trace = fit->trace;
    if (trace->compiled || trace->pool != POOL_DRAM || !trace->banks) return;
    for (unsigned i = 0; i < BOARDS; i++) {
        const struct chip *chip = chip_find(slice_from(boards[i].name));
        if (!chip || !chip->dram_banks) continue;
        if (chip->dram_banks == trace->banks && chip_dram_bank_bytes(chip) / NUM_MIB == trace->bank / NUM_MIB) continue;
        struct fit_change *change = fit_add(fit, kind, 0, NONE);
        if (!change) return;
        snprintf(change->name, sizeof change->name, "on %s", boards[i].name);
        change->number = i;
        change->setting = boards[i].setting;
        uint64_t off = off_of(fit, chip);
        if (trace->follows) {
            change->assumption = "what op lines do not explain is spread over the banks alike";
            change->uncertainty = 2 * FIT_LOG_ROUNDING + off;
        } else if (off) {
            change->assumption = "buffers of no known shape are spread over the banks alike";
            change->uncertainty = off;
        }
        change->one_of = "it runs on one chip";
        change->other_device = true;
    }
}

const struct fit_kind fit_other_chip = {"chip", list_chips, apply_chip};
