/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold for a row of advice, where that is not a figure: words of its text that print nothing. */
#include "analysis/failure/advice_figures.h"
#include "device/core_range.h"

/* Whether the buffers lie on fewer cores than the chip has, as far as the message tells. */
static bool more_cores(const struct figures *x) {
    struct core_ranges ranges = {0};
    bool read = core_ranges_parse(&ranges, slice_from(x->f->core_range)) == CORE_TEXT_OK;
    bool all = read && ranges.len && core_ranges_count(ranges.items, ranges.len) >= advice_most_cores(x);
    core_ranges_release(&ranges);
    return !all;
}
static bool all_cores(const struct figures *x) { return !more_cores(x); }

static bool no_dram_room(const struct figures *x) { return !x->context->dram.known || !x->context->dram.has_largest; }

static bool may_trace(const struct figures *x) {
    if (x->context->trace.known) return false;
    /* what the bank lacks of the chip's is reserved: an upper bound of the trace region's share */
    const struct chip *chip = x->v->chip;
    if (!chip || x->f->pool != FAILURE_DRAM || !failure_knows(x->f, FAILURE_BANK)) return true;
    uint64_t bank = x->f->number[FAILURE_BANK], share = chip->dram_view_bytes > bank ? chip->dram_view_bytes - bank : 0;
    return share >= gain_missing(x->f);
}

static bool may_be_new(const struct figures *x) { return !x->context->trace_per_bank; }

static bool tensix(const struct figures *x) { return strstr(x->f->core_type, "ETH") == NULL; }
static bool ethernet(const struct figures *x) { return !tensix(x); }

static bool with_statistics(const struct figures *x) { return failure_knows(x->f, FAILURE_LARGEST); }
static bool without_statistics(const struct figures *x) { return !with_statistics(x); }
static bool no_statistics(const struct figures *x) {
    bool statistics = failure_knows(x->f, FAILURE_FREE) && failure_knows(x->f, FAILURE_LARGEST);
    return x->f->kind == FAILURE_OOM && !statistics && !x->v->contradiction.len;
}

static bool is_one_block(const struct failure *f) {
    return failure_knows(f, FAILURE_FREE) && f->number[FAILURE_FREE] == f->number[FAILURE_LARGEST];
}
static bool whole(const struct figures *x) { return with_statistics(x) && is_one_block(x->f); }
static bool in_pieces(const struct figures *x) { return with_statistics(x) && !is_one_block(x->f); }

static bool l1_tensors(const struct figures *x) {
    if (x->context->alive.known) return false; /* counted by another row */
    return !failure_knows(x->f, FAILURE_ALLOCATED) || x->f->number[FAILURE_ALLOCATED] > 0;
}

bool advice_l1_small_is_empty(const struct failure *f) {
    bool none = failure_knows(f, FAILURE_BANK) && !f->number[FAILURE_BANK];
    return none || (failure_knows(f, FAILURE_ALLOCATED) && !f->number[FAILURE_ALLOCATED]);
}
static bool l1_small_empty(const struct figures *x) { return advice_l1_small_is_empty(x->f); }

static bool unfilled(const struct figures *x) { return x->f->unformatted && !x->f->known; }
static bool warns(const struct figures *x) { return x->f->warning; }
static bool fails(const struct figures *x) { return !x->f->warning; }

static bool has_rule_figures(const struct failure *f) {
    return failure_knows(f, FAILURE_LIMIT) && failure_knows(f, FAILURE_REQUESTED);
}
static bool buffer_rule(const struct figures *x) { return has_rule_figures(x->f) && !x->f->limit_is_page; }
static bool page_rule(const struct figures *x) { return has_rule_figures(x->f) && x->f->limit_is_page; }
static bool other_rule(const struct figures *x) { return !has_rule_figures(x->f); }

static const struct {
    const char *name;
    bool (*holds)(const struct figures *x);
} conditions[] = {
    {"more_cores", more_cores},
    {"all_cores", all_cores},
    {"no_dram_room", no_dram_room},
    {"may_trace", may_trace},
    {"may_be_new", may_be_new},
    {"tensix", tensix},
    {"ethernet", ethernet},
    {"with_statistics", with_statistics},
    {"without_statistics", without_statistics},
    {"no_statistics", no_statistics},
    {"whole", whole},
    {"in_pieces", in_pieces},
    {"l1_tensors", l1_tensors},
    {"l1_small_empty", l1_small_empty},
    {"unfilled", unfilled},
    {"warns", warns},
    {"fails", fails},
    {"buffer_rule", buffer_rule},
    {"page_rule", page_rule},
    {"other_rule", other_rule},
};

bool advice_condition(struct slice name, const struct figures *x, bool *holds) {
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        if (!slice_equal(name, slice_from(conditions[i].name))) continue;
        *holds = conditions[i].holds(x);
        return true;
    }
    return false;
}
