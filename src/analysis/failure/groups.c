/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/groups.h"

#include "analysis/failure/failure_class.h"

void group_range_add(struct group_range *range, bool known, uint64_t value) {
    if (!known) return;
    if (!range->known || value < range->low) range->low = value;
    if (!range->known || value > range->high) range->high = value;
    range->known = true;
}

/* Whether two explanations belong together. */
static bool failure_group_same(const struct explanation *a, const struct explanation *b) {
    const struct failure *x = &a->entry->failure, *y = &b->entry->failure;
    return x->kind == y->kind && x->what == y->what && x->rule == y->rule && x->pool == y->pool &&
           failure_class(x, a->verdict.kind) == failure_class(y, b->verdict.kind) && a->outcome.kind == b->outcome.kind &&
           slice_equal(a->context.op, b->context.op) && a->context.phase == b->context.phase && strcmp(x->words, y->words) == 0;
}

static void take(struct failure_group *group, const struct explanation *e) {
    const struct failure *f = &e->entry->failure;
    enum failure_number wanted = failure_knows(f, FAILURE_PER_BANK) ? FAILURE_PER_BANK : FAILURE_REQUESTED;
    group->count++;
    group->printed += e->entry->count;
    if (!group->first_line || e->entry->line < group->first_line) group->first_line = e->entry->line;
    if (e->entry->line > group->last_line) group->last_line = e->entry->line;
    group_range_add(&group->lacking, e->verdict.has_shortfall, e->verdict.shortfall_bytes);
    group_range_add(&group->lacking, e->verdict.has_overlap, e->verdict.overlap_bytes);
    group_range_add(&group->wanted, failure_knows(f, wanted), f->number[wanted]);
}

void failure_groups_make(const struct explain *explain, failure_groups *out) {
    for (size_t i = 0; i < explain->failures.len; i++) {
        const struct explanation *e = explain_ranked(explain, i);
        size_t g = 0;
        while (g < out->len && !failure_group_same(explain_ranked(explain, out->items[g].first), e)) g++;
        if (g == out->len) vec_push(out, ((struct failure_group){.first = i}));
        take(&out->items[g], e);
    }
}
