/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fit/groups.h"
#include "analysis/fit/kinds.h"
#include "base/table/hash.h"

enum { MOST_GROUPS = 3, PATTERN_ROOM = FIT_NAME_ROOM - 40 };

const struct fit_element_row fit_element_rows[] = {
    {ELEMENT_OF_WEIGHTS, NULL, "bfp_bf8", "bfp8 weights ", "these weights as bfp_bf8"},
    {ELEMENT_OF_WEIGHTS, NULL, "bfp_bf4", "bfp4 weights ", "these weights as bfp_bf4"},
    {ELEMENT_OF_WEIGHTS, "f32", "bf16", "bf16 weights ", "these weights as bf16"},
    {ELEMENT_OF_CONST_EVALS, "f32", "bf16", "bf16 const-eval of ", "these results of const-eval as bf16"},
    {ELEMENT_OF_ACTIVATIONS, "f32", "bf16", "bf16 activations of ", "these activations as bf16"},
};
enum { ELEMENT_ROWS = sizeof fit_element_rows / sizeof *fit_element_rows };

size_t fit_name_pattern(struct slice name, char *out, size_t room) {
    size_t n = 0;
    for (size_t i = 0; i < name.len && n + 1 < room; i++) {
        bool digit = name.ptr[i] >= '0' && name.ptr[i] <= '9';
        if (digit && n && out[n - 1] == '*') continue;
        out[n++] = digit ? '*' : name.ptr[i] >= ' ' && name.ptr[i] < 127 && name.ptr[i] != '"' ? name.ptr[i] : '?';
    }
    out[n] = '\0';
    return n;
}

uint64_t fit_name_key(struct slice name) {
    char pattern[PATTERN_ROOM];
    return hash_bytes64(slice_of(pattern, fit_name_pattern(name, pattern, sizeof pattern))) | 1;
}

static enum fit_element_of kind_of(const struct fit_group *group, bool *any) {
    *any = !group->request && (group->class == LIVE_WEIGHT || group->class == LIVE_CONST_EVAL ||
                               group->class == LIVE_ACTIVATION || group->class == LIVE_TEMPORARY);
    return group->class == LIVE_WEIGHT       ? ELEMENT_OF_WEIGHTS
           : group->class == LIVE_CONST_EVAL ? ELEMENT_OF_CONST_EVALS
                                             : ELEMENT_OF_ACTIVATIONS;
}

/* The group's label: its name, or the op that makes it; empty: none. */
static struct slice tag_of(const struct fit_trace *trace, const struct fit_group *group) {
    struct fit_op op;
    if (group->class == LIVE_WEIGHT) return group->name;
    trace->op_of(trace, group->place, &op);
    return op.name;
}

/* Bytes of the buffer in the element type of the row; 0: it is not in the group, or nothing changes. */
static uint64_t changed_bytes(const struct fit_trace *trace, uint64_t row, uint64_t key, const struct fit_buffer *b) {
    const struct fit_group *group = &trace->groups.items[b->group];
    bool any;
    if (kind_of(group, &any) != fit_element_rows[row].what || !any) return 0;
    struct slice tag = tag_of(trace, group);
    if (!tag.len || fit_name_key(tag) != key) return 0;
    return fit_in_element(group, b->bytes, fit_element_rows[row].from, fit_element_rows[row].to);
}

static void apply_group(struct fit_variant *v, const struct fit_change *change) {
    for (uint32_t i = 0; i < v->trace->buffers.len; i++) {
        uint64_t bytes = changed_bytes(v->trace, change->number, change->group, &v->trace->buffers.items[i]);
        if (bytes) fit_variant_element(v, i, bytes);
    }
}

struct element_group {
    uint64_t key, saved, largest;
    struct slice tag;
};

static int most_first(const void *a, const void *b) {
    const struct element_group *x = a, *y = b;
    if (x->saved != y->saved) return x->saved > y->saved ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

/* Groups of the row that are alive where it matters. */
static size_t find_groups(const struct fit *fit, size_t row, struct element_group *out) {
    const struct fit_trace *trace = fit->trace;
    struct map known = {0};
    size_t count = 0;
    for (uint32_t i = 0; i < trace->buffers.len; i++) {
        const struct fit_buffer *b = &trace->buffers.items[i];
        const struct fit_group *group = &trace->groups.items[b->group];
        bool any, added;
        if (!fit_is_there(fit, b) || kind_of(group, &any) != fit_element_rows[row].what || !any) continue;
        struct slice tag = tag_of(trace, group);
        uint64_t bytes = fit_in_element(group, b->bytes, fit_element_rows[row].from, fit_element_rows[row].to);
        if (!tag.len || !bytes) continue;
        uint64_t key = fit_name_key(tag);
        uint32_t *at = map_at(&known, (struct hash128){key, key}, &added);
        if (added) {
            *at = (uint32_t)count;
            out[count++] = (struct element_group){.key = key, .tag = tag};
        }
        out[*at].saved += b->bytes - bytes;
        if (b->bytes > out[*at].largest) out[*at].largest = b->bytes;
    }
    map_release(&known);
    if (count) qsort(out, count, sizeof *out, most_first);
    return count;
}

void fit_list_groups(struct fit *fit, const struct fit_kind *kind) {
    struct element_group *groups = mem_alloc((fit->trace->buffers.len + 1) * sizeof *groups);
    for (size_t row = 0; row < ELEMENT_ROWS; row++) {
        size_t count = find_groups(fit, row, groups);
        /* a single group means all of them, which is a separate change */
        for (size_t i = 0; count > 1 && i < count; i++) {
            if (groups[i].saved <= fit_least_saving(fit)) break;
            if (i >= MOST_GROUPS) {
                fit->left_out++;
                continue;
            }
            struct fit_change *change = fit_add(fit, kind, groups[i].key, NONE);
            if (!change) break;
            char pattern[PATTERN_ROOM];
            fit_name_pattern(groups[i].tag, pattern, sizeof pattern);
            snprintf(change->name, sizeof change->name, "%s%s", fit_element_rows[row].words, pattern);
            change->number = row;
            change->setting = fit_element_rows[row].setting;
            change->assumption = "ops and conversions as they are";
            /* the conversion may need the tensor in both forms for a moment */
            change->uncertainty += (fit_element_rows[row].what == ELEMENT_OF_WEIGHTS ? 2 : 1) * groups[i].largest;
        }
    }
    free(groups);
}

static void list_groups(struct fit *fit, const struct fit_kind *kind) {
    if (!fit->trace->compiled) fit_list_groups(fit, kind);
}

const struct fit_kind fit_group_element = {"element_of_group", list_groups, apply_group, NULL};
