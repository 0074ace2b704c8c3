/* SPDX-License-Identifier: Apache-2.0 */
#include "model/left/leak_pick.h"

#include <stdlib.h>

#include "base/num.h"

enum { ROUNDING_BYTES = 1049 }; /* of a printed figure */

/* Candidates of one series and kind: items[first .. first + len). */
struct group {
    uint32_t series, rank;
    size_t first, len;
    uint64_t bytes; /* over all passes */
    bool returned;
};

/* Rounds up, so that a leak of a few bytes in many passes does not become 0. */
static int64_t divide_up(int64_t n, int64_t by) { return n > 0 ? (n + by - 1) / by : n / by; }

/* Passes over which growth is measured. */
static uint32_t span(const struct pass_series *series) { return series->passes > 2 ? series->passes - 2 : 1; }

bool pass_series_growth(const struct pass_series *series, int64_t *growth) {
    if (series->passes < 2) return false;
    if (series->slope.known) {
        *growth = series->slope.rises ? divide_up(series->slope.per_step * 1000, NUM_MIB) : 0;
        return true;
    }
    int64_t from = series->passes > 2 ? series->second : series->first;
    *growth = divide_up((int64_t)series->last - from, span(series));
    return true;
}

static int by_place(const void *x, const void *y) {
    const struct leak_candidate *a = x, *b = y;
    if (a->series != b->series) return a->series < b->series ? -1 : 1;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    return a->tensor < b->tensor ? -1 : a->tensor > b->tensor;
}

static int likelier_first(const void *x, const void *y) {
    const struct group *a = x, *b = y;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    if (a->returned != b->returned) return a->returned ? 1 : -1;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? 1 : -1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static void mark(struct leak_candidate *items, const struct group *group, bool suspect) {
    for (size_t i = 0; i < group->len; i++) {
        items[group->first + i].leaks = true;
        items[group->first + i].suspect = suspect;
    }
}

/* Passes of several programs alternate, and what one leaves counts as growth of all of them: the candidates of a rank share
 * the growth of its fastest growing series. */
static void pick_of_rank(const struct pass_series *series, struct leak_candidate *items, const struct group *groups,
                         size_t len) {
    uint64_t room = 0;
    for (size_t i = 0; i < len; i++) {
        const struct pass_series *s = &series[groups[i].series];
        int64_t growth;
        if (!pass_series_growth(s, &growth) || growth <= 0) continue;
        uint64_t all = ((uint64_t)num_milli_mb_to_bytes(growth) + ROUNDING_BYTES) * span(s);
        if (all > room) room = all;
    }
    bool any = false;
    for (size_t i = 0; i < len; i++) {
        const struct pass_series *s = &series[groups[i].series];
        uint64_t all = groups[i].bytes / s->passes * span(s);
        if (all > room || groups[i].len < s->passes) continue;
        room -= all;
        any = true;
        mark(items, &groups[i], false);
    }
    for (size_t i = 0; !any && i < len; i++) mark(items, &groups[i], true);
}

void leak_pick(const struct pass_series *series, struct leak_candidate *items, size_t len) {
    VEC(struct group) groups = {0};
    if (len) qsort(items, len, sizeof *items, by_place);
    for (size_t i = 0; i < len; i++) {
        if (!i || items[i].series != items[i - 1].series || items[i].kind != items[i - 1].kind)
            vec_push(&groups, ((struct group){.series = items[i].series, .rank = series[items[i].series].rank, .first = i}));
        struct group *group = &vec_last(&groups);
        group->len++;
        group->bytes += items[i].per_bank_bytes;
        group->returned |= items[i].returned;
    }
    if (groups.len) qsort(groups.items, groups.len, sizeof *groups.items, likelier_first);
    for (size_t i = 0, end; i < groups.len; i = end) {
        for (end = i + 1; end < groups.len && groups.items[end].rank == groups.items[i].rank;) end++;
        pick_of_rank(series, items, groups.items + i, end - i);
    }
    vec_release(&groups);
}
