/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of a row of advice that are not figures: words of its text that print nothing. */
#include "analysis/failure/advice_figures.h"

static bool no_dram_room(const struct figures *x) { return !x->context->dram.known || !x->context->dram.has_largest; }

static bool may_trace(const struct figures *x) {
    if (x->context->trace.known) return false;
    /* the difference to the chip's bank is reserved: an upper bound of the trace region's part */
    const struct chip *chip = x->v->chip;
    if (!chip || x->f->pool != FAILURE_DRAM || !failure_knows(x->f, FAILURE_BANK)) return true;
    uint64_t bank = x->f->number[FAILURE_BANK], share = chip->dram_view_bytes > bank ? chip->dram_view_bytes - bank : 0;
    return share >= gain_missing(x->f);
}

/* The log may be from a tt-metal that takes traces out of free DRAM if their region has no size; one without a region that
 * complains is older. */
static bool may_be_new(const struct figures *x) {
    bool none = failure_knows(x->f, FAILURE_LIMIT) && !x->f->number[FAILURE_LIMIT];
    return !x->context->trace_per_bank && !none;
}

/* A trace region of that size would take more of every bank than the chip, or any chip, has. */
static bool trace_too_large(const struct figures *x) {
    const struct chip *chip = x->v->chip;
    return x->v->trace_region_size >
           (x->context->trace_per_bank ? chip_most_dram_bank_bytes(chip) : chip_most_dram_bytes(chip));
}
static bool trace_possible(const struct figures *x) { return !trace_too_large(x); }

/* The trace overlaps with memory that another one uses, not with its own capture. */
static bool other_trace(const struct figures *x) { return x->f->what && strstr(x->f->what, "another live trace"); }
static bool own_trace(const struct figures *x) { return !other_trace(x); }

static bool within_l1(const struct figures *x) { return !advice_is_beyond_l1(x); }

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

static bool ray_worker(const struct figures *x) { return failure_is_ray_worker(x->f); }
static bool whole_process(const struct figures *x) { return !ray_worker(x); }

static bool plain_pages(const struct figures *x) { return x->f->what && strstr(x->f->what, FAILURE_PLAIN_PAGES); }
static bool huge_pages(const struct figures *x) { return !plain_pages(x); }

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
    struct slice name;
    bool (*holds)(const struct figures *x);
} conditions[] = {
    {SLICE("more_cores"), advice_more_cores},
    {SLICE("all_cores"), advice_all_cores},
    {SLICE("maybe_all_cores"), advice_maybe_all_cores},
    {SLICE("trace_too_large"), trace_too_large},
    {SLICE("trace_possible"), trace_possible},
    {SLICE("other_trace"), other_trace},
    {SLICE("own_trace"), own_trace},
    {SLICE("within_l1"), within_l1},
    {SLICE("no_dram_room"), no_dram_room},
    {SLICE("may_trace"), may_trace},
    {SLICE("may_be_new"), may_be_new},
    {SLICE("tensix"), tensix},
    {SLICE("ethernet"), ethernet},
    {SLICE("with_statistics"), with_statistics},
    {SLICE("without_statistics"), without_statistics},
    {SLICE("no_statistics"), no_statistics},
    {SLICE("whole"), whole},
    {SLICE("in_pieces"), in_pieces},
    {SLICE("l1_tensors"), l1_tensors},
    {SLICE("l1_small_empty"), l1_small_empty},
    {SLICE("ray_worker"), ray_worker},
    {SLICE("whole_process"), whole_process},
    {SLICE("plain_pages"), plain_pages},
    {SLICE("huge_pages"), huge_pages},
    {SLICE("unfilled"), unfilled},
    {SLICE("warns"), warns},
    {SLICE("fails"), fails},
    {SLICE("buffer_rule"), buffer_rule},
    {SLICE("page_rule"), page_rule},
    {SLICE("other_rule"), other_rule},
};

bool advice_condition(struct slice name, const struct figures *x, bool *holds) {
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        if (!slice_equal(name, conditions[i].name)) continue;
        *holds = conditions[i].holds(x);
        return true;
    }
    return false;
}
