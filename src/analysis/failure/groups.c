/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/groups.h"

#include "analysis/failure/failure_class.h"
#include "base/table/map.h"

void group_range_add(struct group_range *range, bool known, uint64_t value) {
    if (!known) return;
    if (!range->known || value < range->low) range->low = value;
    if (!range->known || value > range->high) range->high = value;
    range->known = true;
}

void failure_group_key(struct strbuf *out, const struct explanation *e) {
    const struct failure *f = &e->entry->failure;
    strbuf_addf(out, "%s|%s|%s|%d|%d|%d|%s|", failure_class(f, e->verdict.kind), f->what ? f->what : "", f->rule ? f->rule : "",
                (int)f->kind, (int)f->pool, (int)e->context.phase, f->words);
    strbuf_add(out, e->context.op);
}

static void take(struct failure_group *group, const struct explanation *e) {
    const struct failure *f = &e->entry->failure;
    enum failure_number wanted = failure_knows(f, FAILURE_PER_BANK) ? FAILURE_PER_BANK : FAILURE_REQUESTED;
    group->count++;
    group->printed += e->count;
    if (!group->first_line || e->line < group->first_line) group->first_line = e->line;
    if (e->line > group->last_line) group->last_line = e->line;
    group->ended += e->outcome.kind == OUTCOME_ENDED;
    group->caught += failure_was_caught(e->outcome.kind);
    group_range_add(&group->lacking, e->verdict.has_shortfall, e->verdict.shortfall_bytes);
    group_range_add(&group->lacking, e->verdict.has_overlap, e->verdict.overlap_bytes);
    group_range_add(&group->wanted, failure_knows(f, wanted), f->number[wanted]);
    for (unsigned n = 0; n < FAILURE_NUMBERS; n++) group_range_add(&group->numbers[n], failure_knows(f, n), f->number[n]);
}

void failure_groups_make(const struct explain *explain, failure_groups *out) {
    struct map known = {0};
    struct strbuf key = {0};
    for (size_t i = 0; i < explain->failures.len; i++) {
        const struct explanation *e = explain_ranked(explain, i);
        bool added;
        strbuf_clear(&key);
        failure_group_key(&key, e);
        uint32_t *place = map_at(&known, hash_bytes(strbuf_slice(&key)), &added);
        if (added) {
            *place = (uint32_t)out->len;
            vec_push(out, ((struct failure_group){.first = i}));
        }
        take(&out->items[*place], e);
    }
    strbuf_release(&key);
    map_release(&known);
}
