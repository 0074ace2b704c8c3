/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/pass/leak_pick.h"

#include <stdlib.h>

#include "analysis/compare/diff.h"
#include "base/num.h"

enum { ROUNDING_BYTES = 1049 }; /* of a printed amount */

/* Candidates of one program and kind: items[first .. first + len). */
struct group {
    uint32_t program;
    size_t first, len;
    uint64_t bytes; /* of all passes */
};

static int by_place(const void *x, const void *y) {
    const struct leak_candidate *a = x, *b = y;
    if (a->program != b->program) return a->program < b->program ? -1 : 1;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    return a->tensor < b->tensor ? -1 : a->tensor > b->tensor;
}

static int larger_first(const void *x, const void *y) {
    const struct group *a = x, *b = y;
    if (a->program != b->program) return a->program < b->program ? -1 : 1;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? 1 : -1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static void mark(struct leak_candidate *items, const struct group *group) {
    for (size_t i = 0; i < group->len; i++) items[group->first + i].leaks = true;
}

static void pick_of_program(const struct footprint_program *program, struct leak_candidate *items, const struct group *groups,
                            size_t len) {
    int64_t growth;
    if (!footprint_growth(program, &growth) || growth <= 0) return;
    uint64_t room = (uint64_t)num_milli_mb_to_bytes(growth) + ROUNDING_BYTES;
    bool any = false;
    for (size_t i = 0; i < len; i++) {
        uint64_t each = groups[i].bytes / program->passes;
        if (each > room || groups[i].len < program->passes) continue;
        room -= each;
        any = true;
        mark(items, &groups[i]);
    }
    for (size_t i = 0; !any && i < len; i++) mark(items, &groups[i]);
}

void leak_pick(const struct footprint *f, struct leak_candidate *items, size_t len) {
    VEC(struct group) groups = {0};
    if (len) qsort(items, len, sizeof *items, by_place);
    for (size_t i = 0; i < len; i++) {
        if (!i || items[i].program != items[i - 1].program || items[i].kind != items[i - 1].kind)
            vec_push(&groups, ((struct group){items[i].program, i, 0, 0}));
        groups.items[groups.len - 1].len++;
        groups.items[groups.len - 1].bytes += items[i].per_bank_bytes;
    }
    if (groups.len) qsort(groups.items, groups.len, sizeof *groups.items, larger_first);
    for (size_t i = 0, end; i < groups.len; i = end) {
        for (end = i + 1; end < groups.len && groups.items[end].program == groups.items[i].program;) end++;
        pick_of_program(&f->programs.items[groups.items[i].program], items, groups.items + i, end - i);
    }
    vec_release(&groups);
}
