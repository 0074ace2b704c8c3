/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/study/cb_compare.h"

#include "base/num.h"

/* A circular buffer that became a dataflow buffer is the same one if it kept its name. */
static bool same_name(const struct cb_decl *a, const struct cb_decl *b) {
    if (a->kind == b->kind && !a->name.len && !b->name.len) return slice_equal(a->total_folded, b->total_folded);
    if (!a->name.len || a->name.len != b->name.len) return false;
    for (size_t i = 0; i < a->name.len; i++)
        if ((a->name.ptr[i] | 32) != (b->name.ptr[i] | 32)) return false;
    return true;
}

static bool same_indices(const struct cb_decl *a, const struct cb_decl *b) {
    if (a->kind != CB_CIRCULAR || b->kind != CB_CIRCULAR) return same_name(a, b);
    if (a->n_indices != b->n_indices) return false;
    for (uint32_t i = 0; i < a->n_indices; i++) {
        if (a->indices[i].index != b->indices[i].index) return false;
        if (a->indices[i].index < 0 && !slice_equal(a->indices[i].index_expr, b->indices[i].index_expr)) return false;
    }
    return true;
}

static struct slice function_of(const struct cb_file *f, const struct cb_decl *d) {
    return f->source.programs.items[d->program].function;
}

static bool same_condition(const struct cb_decl *a, const struct cb_decl *b) {
    if (a->n_conditions != b->n_conditions) return false;
    for (uint32_t i = 0; i < a->n_conditions; i++)
        if (a->conditions[i].side != b->conditions[i].side || !slice_equal(a->conditions[i].text, b->conditions[i].text))
            return false;
    return true;
}

/* The counterpart that is still free: same function and conditions first, then any with the same indices. */
static const struct cb_decl *counterpart(const struct cb_file *f, const struct cb_decl *d, const struct cb_file *other,
                                         bool *taken, bool names_matter) {
    for (unsigned pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < other->source.decls.len; i++) {
            const struct cb_decl *e = &other->source.decls.items[i];
            if (taken[i] || !same_indices(d, e)) continue;
            if (pass < 2 && !slice_equal(function_of(f, d), function_of(other, e))) continue;
            if (pass < 1 && !same_condition(d, e)) continue;
            if (pass == 2 && names_matter && f->source.programs.len > 1) continue;
            taken[i] = true;
            return e;
        }
    return NULL;
}

static bool resized(const struct cb_decl *a, const struct cb_decl *b) {
    if (a->total_bytes >= 0 && b->total_bytes >= 0) return a->total_bytes != b->total_bytes;
    return a->total_bytes != b->total_bytes || !slice_equal(a->total_folded, b->total_folded);
}

static void compare_files(struct cb_comparison *out, const struct cb_file *before, const struct cb_file *after,
                          bool names_matter) {
    size_t n = before ? before->source.decls.len : 0, m = after ? after->source.decls.len : 0;
    bool *taken = mem_zalloc(m + 1, sizeof *taken);
    for (size_t i = 0; i < n; i++) {
        const struct cb_decl *d = &before->source.decls.items[i];
        const struct cb_decl *e = after ? counterpart(before, d, after, taken, names_matter) : NULL;
        if (!e) vec_push(&out->changes, ((struct cb_change){CB_REMOVED, before, after, d, NULL}));
        else if (d->strategy != e->strategy) vec_push(&out->changes, ((struct cb_change){CB_STRATEGY, before, after, d, e}));
        else if (resized(d, e)) vec_push(&out->changes, ((struct cb_change){CB_RESIZED, before, after, d, e}));
    }
    for (size_t i = 0; i < m; i++)
        if (!taken[i])
            vec_push(&out->changes, ((struct cb_change){CB_ADDED, before, after, NULL, &after->source.decls.items[i]}));
    free(taken);
}

static struct cb_version version_of(struct cb_files files) {
    struct cb_version version = {.bounded = true};
    for (size_t i = 0; i < files.len; i++) {
        const struct cb_file *f = &files.items[i];
        num_add(version.min_bytes, f->largest.min_bytes, &version.min_bytes);
        if (!num_add(version.max_bytes, f->largest.max_bytes, &version.max_bytes)) version.bounded = false;
        version.buffers += f->source.decls.len;
        version.files += f->source.decls.len > 0;
        version.bounded &= f->largest.bounded;
    }
    return version;
}

void cb_compare(struct cb_comparison *out, struct cb_files before, struct cb_files after, bool one_to_one) {
    *out = (struct cb_comparison){.before = version_of(before), .after = version_of(after)};
    if (one_to_one) {
        compare_files(out, before.len ? &before.items[0] : NULL, after.len ? &after.items[0] : NULL, false);
        return;
    }
    /* both are sorted by path */
    size_t i = 0, k = 0;
    while (i < before.len || k < after.len) {
        int order = 0;
        if (i == before.len) order = 1;
        else if (k == after.len) order = -1;
        else {
            struct slice a = before.items[i].path, b = after.items[k].path;
            size_t n = a.len < b.len ? a.len : b.len;
            order = n ? memcmp(a.ptr, b.ptr, n) : 0;
            if (order == 0) order = a.len < b.len ? -1 : a.len > b.len;
        }
        compare_files(out, order <= 0 ? &before.items[i] : NULL, order >= 0 ? &after.items[k] : NULL, true);
        i += order <= 0;
        k += order >= 0;
    }
}

void cb_comparison_release(struct cb_comparison *comparison) { vec_release(&comparison->changes); }
