/* SPDX-License-Identifier: Apache-2.0 */
/* Freeing a tensor when its last user is through. */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/fit/kinds.h"

enum { MOST_TENSORS = 40 };

/* Who can be told to let go: the program itself, the caller of its inputs, and the runtime of a parameter that const-eval made
 * another tensor of. */
static bool may_go(const struct fit_group *group) {
    return group->holder == HOLDER_PROGRAM || group->holder == HOLDER_CALLER ||
           (group->holder == HOLDER_RUNTIME && group->const_eval);
}

static bool is_late(const struct fit_trace *trace, const struct fit_buffer *b) {
    return b->unused != NONE && may_go(&trace->groups.items[b->group]) && b->unused < trace->events.len;
}

static void let_go(struct fit_variant *v, const struct fit_buffer *b) {
    fit_variant_end(v, (uint32_t)(b - v->trace->buffers.items), b->unused);
}

static void apply_one(struct fit_variant *v, const struct fit_change *change) {
    const struct fit_trace *trace = v->trace;
    uint32_t group = fit_group_find(trace, change->group);
    for (size_t i = 0; group != NONE && i < trace->buffers.len; i++)
        if (trace->buffers.items[i].group == group && is_late(trace, &trace->buffers.items[i]))
            let_go(v, &trace->buffers.items[i]);
}

static void apply_all(struct fit_variant *v, const struct fit_change *change) {
    (void)change;
    for (size_t i = 0; i < v->trace->buffers.len; i++) {
        const struct fit_buffer *b = &v->trace->buffers.items[i];
        if (is_late(v->trace, b) && v->trace->groups.items[b->group].holder == HOLDER_PROGRAM) let_go(v, b);
    }
}

static const char *setting_of(const struct fit_group *group) {
    return group->holder == HOLDER_CALLER    ? "the caller gives its input up (donates it)"
           : group->holder == HOLDER_RUNTIME ? "the runtime lets go of the parameter when const-eval is through"
                                             : "a deallocate right after its last use";
}

struct late_group {
    uint32_t group;
    uint64_t bytes;
};

static int larger_first(const void *a, const void *b) {
    const struct late_group *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->group < y->group ? -1 : 1;
}

/* Groups that are there, unused, where it matters. */
static size_t find_late(const struct fit *fit, struct late_group *late) {
    const struct fit_trace *trace = fit->trace;
    uint64_t *bytes = mem_zalloc(trace->groups.len + 1, sizeof *bytes);
    size_t count = 0;
    for (size_t i = 0; i < trace->buffers.len; i++) {
        const struct fit_buffer *b = &trace->buffers.items[i];
        if (!is_late(trace, b)) continue;
        struct fit_buffer idle = *b;
        idle.take = b->unused;
        if (fit_is_there(fit, &idle) && b->bytes > bytes[b->group]) bytes[b->group] = b->bytes;
    }
    for (uint32_t i = 0; i < trace->groups.len; i++)
        if (bytes[i]) late[count++] = (struct late_group){i, bytes[i]};
    free(bytes);
    if (count) qsort(late, count, sizeof *late, larger_first);
    return count;
}

static void list_one(struct fit *fit, const struct fit_kind *kind) {
    const struct fit_trace *trace = fit->trace;
    struct late_group *late = mem_alloc((trace->groups.len + 1) * sizeof *late);
    size_t count = find_late(fit, late);
    for (size_t i = 0; i < count; i++) {
        const struct fit_group *group = &trace->groups.items[late[i].group];
        struct fit_change *change = i < MOST_TENSORS ? fit_add(fit, kind, group->key, group->place) : NULL;
        if (i >= MOST_TENSORS) fit->left_out++;
        if (!change) continue;
        char words[FIT_NAME_ROOM - 32];
        fit_group_words(fit, late[i].group, words, sizeof words);
        snprintf(change->name, sizeof change->name, "free %s after %s", words,
                 group->holder == HOLDER_RUNTIME ? "const-eval" : "last use");
        change->setting = setting_of(group);
    }
    free(late);
}

static void list_all(struct fit *fit, const struct fit_kind *kind) {
    const struct fit_trace *trace = fit->trace;
    uint64_t late = 0;
    for (size_t i = 0; i < trace->buffers.len; i++)
        late += is_late(trace, &trace->buffers.items[i]) &&
                trace->groups.items[trace->buffers.items[i].group].holder == HOLDER_PROGRAM;
    struct fit_change *change = late ? fit_add(fit, kind, 0, NONE) : NULL;
    if (!change) return;
    snprintf(change->name, sizeof change->name, "free everything after last use");
    change->setting = "a deallocate right after the last use of every tensor";
    change->number = late;
    change->contains_others = true;
}

const struct fit_kind fit_free_at_last_use = {"free_at_last_use", list_one, apply_one, false};
const struct fit_kind fit_free_everything = {"free_everything_at_last_use", list_all, apply_all, false};

/* --- without the cache of programs --- */

static bool is_of_program(const struct fit_trace *trace, const struct fit_buffer *b) {
    uint8_t class = trace->groups.items[b->group].class;
    return (class == LIVE_RESHAPE_MAP || class == LIVE_TABLE || class == LIVE_BINARY) && b->unused != NONE;
}

static void apply_no_cache(struct fit_variant *v, const struct fit_change *change) {
    (void)change;
    for (size_t i = 0; i < v->trace->buffers.len; i++)
        if (is_of_program(v->trace, &v->trace->buffers.items[i])) let_go(v, &v->trace->buffers.items[i]);
}

/* Of compiled modules it is replayed anew, which also tells what programs that run again build again. */
static void list_no_cache(struct fit *fit, const struct fit_kind *kind) {
    const struct fit_trace *trace = fit->trace;
    bool any = false;
    for (size_t i = 0; i < trace->buffers.len && !any; i++) any = is_of_program(trace, &trace->buffers.items[i]);
    struct fit_change *change = any && !trace->compiled ? fit_add(fit, kind, 0, NONE) : NULL;
    if (!change) return;
    snprintf(change->name, sizeof change->name, "no program cache");
    change->setting = "TT_RUNTIME_ENABLE_PROGRAM_CACHE=0 (slower: programs are built each time)";
    change->assumption = "what programs that run again build again is not counted";
}

const struct fit_kind fit_no_program_cache = {"program_cache", list_no_cache, apply_no_cache, false};
