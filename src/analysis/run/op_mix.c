/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/op_mix.h"

#include <stdlib.h>

#include "base/table/map.h"

struct slice op_short_name(struct slice name) {
    const char *dot = name.len ? memrchr(name.ptr, '.', name.len) : NULL;
    struct slice past = dot ? slice_between(dot + 1, name.ptr + name.len) : name;
    return past.len ? past : name;
}

static int more_first(const void *a, const void *b) {
    const struct op_kind_count *x = a, *y = b;
    if (x->records != y->records) return x->records < y->records ? 1 : -1;
    return x->seen < y->seen ? -1 : x->seen > y->seen;
}

void op_mix_make(const struct run *run, const struct overview *o, struct op_mix *out) {
    *out = (struct op_mix){0};
    struct map places = {0};
    for (size_t i = 0; i < o->op_counts.len; i++) {
        const struct named_count *row = &o->op_counts.items[i];
        struct slice name = op_short_name(run_string(run, row->name));
        bool added;
        uint32_t *place = map_at(&places, hash_bytes(name), &added);
        if (added) {
            *place = (uint32_t)out->kinds.len;
            vec_push(&out->kinds, ((struct op_kind_count){name, 0, row->graphs}));
        }
        struct op_kind_count *kind = &out->kinds.items[*place];
        kind->records += row->records;
        if (row->graphs < kind->seen) kind->seen = row->graphs;
    }
    map_release(&places);
    if (out->kinds.len) qsort(out->kinds.items, out->kinds.len, sizeof *out->kinds.items, more_first);
}

void op_mix_release(struct op_mix *mix) { vec_release(&mix->kinds); }
