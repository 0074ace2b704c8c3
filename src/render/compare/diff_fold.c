/* SPDX-License-Identifier: Apache-2.0 */
#include "render/compare/diff_fold.h"

#include <stdlib.h>

#include "base/amounts.h"
#include "base/table/strtab.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Length of the number at `at` that may differ between rows that are alike; 0 if there is none: the number of a source line
 * must not differ. */
static size_t number_at(struct slice text, size_t at) {
    size_t end = at;
    if (at && (text.ptr[at - 1] == ':' || is_digit(text.ptr[at - 1]))) return 0;
    while (end < text.len && is_digit(text.ptr[end])) end++;
    return end - at;
}

/* The tensor's name without the number of its op. */
static void name_of(struct strbuf *out, const struct diff *d, const struct diff_tensor *row) {
    struct strbuf title = {0};
    diff_tensor_title(&title, d, row);
    struct slice text = strbuf_slice(&title);
    size_t number = text.len && text.ptr[0] == '#' ? number_at(text, 1) : 0;
    strbuf_add(out, number ? slice_skip(text, number + 2) : text);
    strbuf_release(&title);
}

static void key_of(struct strbuf *key, const struct diff *d, const struct diff_tensor *row) {
    struct strbuf name = {0};
    enum diff_cause cause = diff_main_cause(row);
    name_of(&name, d, row);
    strbuf_clear(key);
    strbuf_addf(key, "%lld %d %d ", (long long)row->bytes, (int)cause, (row->a != NONE) + 2 * (row->b != NONE));
    diff_tensor_change(key, d, row, cause, ">");
    strbuf_addc(key, '\n');
    for (size_t i = 0; i < name.len;) {
        size_t number = number_at(strbuf_slice(&name), i);
        strbuf_addc(key, number ? '#' : name.data[i]);
        i += number ? number : 1;
    }
    strbuf_release(&name);
}

void diff_folds_make(struct diff_folds *folds, const struct diff *diff, const struct diff_pool *pool, bool each) {
    struct strtab keys = {0};
    struct strbuf key = {0};
    VEC(uint32_t) of_key = {0};
    *folds = (struct diff_folds){.of = mem_zalloc(pool->tensors.len + 1, sizeof *folds->of)};
    for (size_t i = 0; i < pool->tensors.len; i++) {
        const struct diff_tensor *row = &pool->tensors.items[i];
        uint32_t id = 0;
        if (!each) {
            key_of(&key, diff, row);
            id = strtab_id(&keys, strbuf_slice(&key));
        }
        while (!each && of_key.len <= id) vec_push(&of_key, NONE);
        bool known = !each && of_key.items[id] != NONE;
        uint32_t fold = known ? of_key.items[id] : (uint32_t)folds->items.len;
        if (!known) vec_push(&folds->items, ((struct diff_fold){.first = (uint32_t)i}));
        if (!each) of_key.items[id] = fold;
        folds->of[i] = fold;
        folds->items.items[fold].count++;
        folds->items.items[fold].bytes += row->bytes;
    }
    vec_release(&of_key);
    strtab_release(&keys);
    strbuf_release(&key);
}

void diff_folds_release(struct diff_folds *folds) {
    vec_release(&folds->items);
    free(folds->of);
}

/* Marks the numbers of `name` that differ from those of `other`; both have the same number of them in the same order. */
static void mark_numbers(struct slice name, struct slice other, bool *differs) {
    size_t i = 0, k = 0, at = 0;
    while (i < name.len && k < other.len) {
        size_t a = number_at(name, i), b = number_at(other, k);
        if (a && b) {
            differs[at++] |= !slice_equal(slice_of(name.ptr + i, a), slice_of(other.ptr + k, b));
            i += a;
            k += b;
        } else {
            i++;
            k++;
        }
    }
}

void diff_fold_title(struct strbuf *out, const struct diff *diff, const struct diff_pool *pool, const struct diff_folds *folds,
                     size_t fold) {
    const struct diff_fold *of = &folds->items.items[fold];
    struct strbuf name = {0}, other = {0};
    if (of->count == 1) {
        diff_tensor_title(out, diff, &pool->tensors.items[of->first]);
        return;
    }
    name_of(&name, diff, &pool->tensors.items[of->first]);
    bool *differs = mem_zalloc(name.len + 1, sizeof *differs);
    for (size_t i = of->first + 1; i < pool->tensors.len; i++) {
        if (folds->of[i] != fold) continue;
        strbuf_clear(&other);
        name_of(&other, diff, &pool->tensors.items[i]);
        mark_numbers(strbuf_slice(&name), strbuf_slice(&other), differs);
    }
    strbuf_addf(out, "%s x ", figure_grouped(of->count).text);
    for (size_t i = 0, at = 0; i < name.len;) {
        size_t number = number_at(strbuf_slice(&name), i);
        if (number && differs[at]) strbuf_addc(out, '*');
        else strbuf_add(out, slice_of(name.data + i, number ? number : 1));
        at += number > 0;
        i += number ? number : 1;
    }
    free(differs);
    strbuf_release(&other);
    strbuf_release(&name);
}

void diff_fold_rest(struct strbuf *out, const struct diff *diff, const struct diff_pool *pool, const struct diff_fold *fold) {
    const struct diff_tensor *row = &pool->tensors.items[fold->first];
    if (fold->count == 1) return;
    strbuf_addz(out, ", each; ");
    add_log_size(out, fold->bytes, true);
    strbuf_addz(out, " in all");
    uint32_t op = row->b != NONE ? diff->b->tensors.items[row->b].op : diff->a->tensors.items[row->a].op;
    if (op != NONE) strbuf_addf(out, ", first #%u", op);
}
