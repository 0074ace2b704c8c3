/* SPDX-License-Identifier: Apache-2.0 */
/* A run on another chip: tensors are spread over its banks by their types, the rest in proportion. */
#include <stdio.h>
#include <string.h>

#include "analysis/fit/kinds.h"
#include "base/num.h"
#include "device/reserve.h"

/* Boards that differ in memory; one of those with several chips. */
enum { LOG_STEP = 1049 }; /* a thousandth of a MB */

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

bool fit_is_own_board(const struct fit_trace *trace, const struct chip *board) {
    const struct chip *own = trace->chip;
    if (!own || own == board || own != chip_of_arch(own)) return own == board;
    /* if the boards of an architecture are alike, the first one represents it */
    const struct chip *first = NULL;
    for (uint64_t i = 0; !first && chip_row(i); i++)
        if (strcmp(chip_row(i)->arch, own->arch) == 0 && chip_row(i)->dram_banks == trace->banks) first = chip_row(i);
    return board == first;
}

/* With the same build, and a trace region of the same size. */
static uint64_t bank_of(const struct fit_trace *trace, const struct chip *board, bool *known) {
    uint64_t taken = trace->bank + trace->trace_region, reserved;
    uint64_t own = trace->chip && trace->chip->dram_view_bytes > taken ? trace->chip->dram_view_bytes - taken : 0;
    *known = chip_reserve_like(board, trace->chip, own, trace->trace_region ? 2 * LOG_STEP : LOG_STEP, &reserved);
    reserved += trace->trace_region;
    return reserved < board->dram_view_bytes ? board->dram_view_bytes - reserved : 0;
}

/* For a capture: its tiles go round other banks. 0: their number is unknown. */
static uint64_t tiles_on(const struct fit_group *group, uint64_t bytes, unsigned banks, unsigned other) {
    uint64_t tiles, tile;
    if (!fit_tiles(group->type, &tiles, &tile) || num_ceil_div(tiles, banks) * tile != bytes) return 0;
    return num_ceil_div(tiles, other) * tile;
}

/* *exact is false if the spread is only proportional. */
static uint64_t bytes_on(const struct fit_trace *trace, const struct fit_buffer *b, const struct chip *chip, bool *exact) {
    const struct fit_group *group = &trace->groups.items[b->group];
    struct memory_geometry geometry = {
        .dram_banks = chip->dram_banks, .l1_banks = chip->l1_banks, .dram_align = chip->dram_align, .l1_align = chip->l1_align};
    /* types in captures are those of the banks that they were seen on */
    uint64_t bytes = !group->type     ? 0
                     : trace->follows ? tensor_per_bank_bytes(group->type, &geometry)
                                      : tiles_on(group, b->bytes, trace->banks, chip->dram_banks);
    *exact = bytes > 0;
    return bytes ? bytes : num_ceil_div((uint64_t)((unsigned __int128)b->bytes * trace->banks), chip->dram_banks);
}

static void apply_chip(struct fit_variant *v, const struct fit_change *change) {
    const struct chip *chip = chip_find(slice_from(boards[change->number].name));
    bool exact, known;
    uint64_t lost = v->trace->bank - v->trace->capacity, bank = bank_of(v->trace, chip, &known);
    v->capacity = bank > lost ? bank - lost : 0; /* holes that were too small stay too small there */
    for (uint32_t i = 0; i < v->trace->buffers.len; i++)
        fit_variant_resize(v, i, bytes_on(v->trace, &v->trace->buffers.items[i], chip, &exact));
}

/* A proportional spread may take one more page. */
static uint64_t off_of(const struct fit *fit, const struct chip *chip) {
    uint64_t off = 0;
    for (uint32_t i = 0; i < fit->trace->buffers.len; i++) {
        bool exact;
        bytes_on(fit->trace, &fit->trace->buffers.items[i], chip, &exact);
        if (!exact && fit_is_there(fit, &fit->trace->buffers.items[i])) off += PAGE;
    }
    return off;
}

/* Modules are predicted again. */
static void list_chips(struct fit *fit, const struct fit_kind *kind) {
    const struct fit_trace *trace = fit->trace;
    if (trace->compiled || trace->pool != POOL_DRAM || !trace->banks) return;
    for (unsigned i = 0; i < BOARDS; i++) {
        const struct chip *chip = chip_find(slice_from(boards[i].name));
        if (!chip || !chip->dram_banks) continue;
        if (fit_is_own_board(trace, chip)) continue;
        struct fit_change *change = fit_add(fit, kind, 0, NONE);
        if (!change) return;
        snprintf(change->name, sizeof change->name, "on %s", boards[i].name);
        change->number = i;
        change->setting = boards[i].setting;
        uint64_t off = off_of(fit, chip);
        if (trace->follows) {
            change->assumption = "what op lines do not explain is spread evenly over the banks";
            change->uncertainty = 2 * FIT_LOG_ROUNDING + off;
        } else if (off) {
            change->assumption = "buffers of unknown shape are spread evenly over the banks";
            change->uncertainty = off;
        }
        bool known;
        bank_of(trace, chip, &known);
        if (!known) {
            change->assumption = trace->follows
                                     ? "what op lines do not explain is spread evenly over the banks; how much of a bank is "
                                       "set aside there is not known"
                                 : off ? "buffers of unknown shape are spread evenly over the banks; how much of a bank is "
                                         "set aside there is not known"
                                       : "how much of a bank is set aside there is not known";
            change->uncertainty += CHIP_MOST_PROFILER;
        }
        change->one_of = "it runs on one chip";
        change->other_device = true;
    }
}

bool fit_chips_are_alike(const struct fit_trace *trace, const struct fit_change *a, const struct fit_change *b) {
    if (a->kind != &fit_other_chip || b->kind != &fit_other_chip) return false;
    const struct chip *one = chip_find(slice_from(boards[a->number].name));
    const struct chip *other = chip_find(slice_from(boards[b->number].name));
    bool known;
    /* other boards are tried for DRAM only */
    return one->dram_banks == other->dram_banks && one->dram_align == other->dram_align &&
           bank_of(trace, one, &known) == bank_of(trace, other, &known);
}

const struct fit_kind fit_other_chip = {"chip", list_chips, apply_chip, NULL};
