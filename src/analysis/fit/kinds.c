/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/fit/kinds.h"

#include <stdio.h>

const struct fit_kind *const fit_run_kinds[] = {
    &fit_free_at_last_use,
    &fit_free_everything,
    &fit_no_program_cache,
    &fit_largest_first,
    &fit_place_first,
    &fit_weights_element,
    &fit_other_element,
    &fit_group_element,
    &fit_padding,
    &fit_no_map,
    &fit_batch,
    &fit_sharding,
    &fit_other_chip,
    NULL,
};

uint32_t fit_group_find(const struct fit_trace *trace, uint64_t key) {
    for (uint32_t i = 0; key && i < trace->groups.len; i++)
        if (trace->groups.items[i].key == key) return i;
    return NONE;
}

uint32_t fit_event_that_matters(const struct fit *fit) {
    bool peak = fit->base.fits || fit->base.peak > fit_limit_of(fit, &fit->base);
    return peak ? fit->base.peak_event : fit->base.failed_event;
}

bool fit_is_there(const struct fit *fit, const struct fit_buffer *buffer) {
    uint32_t at = fit_event_that_matters(fit);
    return fit_is_there_at(buffer, at);
}

uint64_t fit_least_saving(const struct fit *fit) {
    enum { PEAK_PART = 100, MISSING_PART = 4 };
    const struct fit_result *r = &fit->base;
    uint64_t limit = fit_limit_of(fit, r), least = r->peak / PEAK_PART;
    uint64_t missing = r->peak > limit ? r->peak - limit : !r->fits && r->wants > r->largest ? r->wants - r->largest : 0;
    return missing && missing / MISSING_PART < least ? missing / MISSING_PART : least;
}

uint32_t fit_event_of_blocks(const struct fit *fit) { return fit->base.fits ? fit->base.margin_event : fit->base.failed_event; }

/* Text from an input is limited to what a command line can hold: the rest of a name is cut. */
static int printable(struct slice text, char *out, size_t room) {
    size_t n = 0;
    for (size_t i = 0; i < text.len && n + 1 < room; i++)
        out[n++] = text.ptr[i] >= ' ' && text.ptr[i] < 127 && text.ptr[i] != '"' ? text.ptr[i] : '?';
    out[n] = '\0';
    return (int)n;
}

void fit_group_words(const struct fit *fit, uint32_t group, char *out, size_t room) {
    const struct fit_group *named = &fit->trace->groups.items[group];
    struct fit_op op;
    if (named->name.len) {
        printable(named->name, out, room);
        return;
    }
    fit->trace->op_of(fit->trace, named->place, &op);
    char name[48];
    printable(op.name, name, sizeof name);
    const char *what = named->class == LIVE_RESHAPE_MAP ? "map of " : "";
    if (op.index != NONE) snprintf(out, room, "%s#%u %s", what, op.index, name);
    else snprintf(out, room, "buffer %u", group);
}
