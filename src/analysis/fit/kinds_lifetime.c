/* SPDX-License-Identifier: Apache-2.0 */
/* Freeing a tensor when its last user has finished. */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/fit/kinds.h"

enum { MOST_TENSORS = 40, MOST_PEAKS = 40 };

/* Who can free a tensor earlier: the program itself, the caller for its inputs, and the runtime for a parameter that
 * const-eval converted. */
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

static const char *setting_that_frees(const struct fit_group *group) {
    return group->holder == HOLDER_CALLER    ? "the caller gives up its input (donates it)"
           : group->holder == HOLDER_RUNTIME ? "the runtime frees the parameter when const-eval is through"
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

/* Groups that are alive but unused at that event and were not found before. */
static size_t find_late_at(const struct fit_trace *trace, uint32_t at, bool *found, struct late_group *late) {
    uint64_t *bytes = mem_zalloc(trace->groups.len + 1, sizeof *bytes);
    size_t count = 0;
    for (size_t i = 0; i < trace->buffers.len; i++) {
        const struct fit_buffer *b = &trace->buffers.items[i];
        if (is_late(trace, b) && b->unused <= at && at < b->free && b->bytes > bytes[b->group]) bytes[b->group] = b->bytes;
    }
    for (uint32_t i = 0; i < trace->groups.len; i++) {
        if (!bytes[i] || found[i]) continue;
        late[count++] = (struct late_group){i, bytes[i]};
        found[i] = true;
    }
    free(bytes);
    if (count) qsort(late, count, sizeof *late, larger_first);
    return count;
}

static size_t find_rest(const struct fit_trace *trace, bool *found, struct late_group *late) {
    size_t count = 0;
    for (size_t i = 0; i < trace->buffers.len; i++) {
        const struct fit_buffer *b = &trace->buffers.items[i];
        if (found[b->group] || !is_late(trace, b)) continue;
        found[b->group] = true;
        late[count++] = (struct late_group){b->group, trace->groups.items[b->group].bytes};
    }
    if (count) qsort(late, count, sizeof *late, larger_first);
    return count;
}

/* Where the peak is if the groups found so far are freed in time. */
static uint32_t next_peak(const struct fit_trace *trace, const bool *found) {
    int64_t *steps = mem_zalloc(trace->events.len + 1, sizeof *steps), sum = 0, highest = -1;
    uint32_t at = 0;
    for (size_t i = 0; i < trace->buffers.len; i++) {
        const struct fit_buffer *b = &trace->buffers.items[i];
        uint32_t end = found[b->group] && is_late(trace, b) ? b->unused : b->free;
        steps[b->take] += (int64_t)b->bytes;
        if (end != NONE) steps[end] -= (int64_t)b->bytes;
    }
    for (uint32_t i = 0; i < trace->events.len; i++) {
        sum += steps[i];
        if (sum <= highest) continue;
        highest = sum;
        at = i;
    }
    free(steps);
    return at;
}

/* Groups that are alive but unused where it matters; then where it matters once those are freed, and so on. Then all others:
 * their position may split a free block. */
static size_t find_late(const struct fit *fit, struct late_group *late) {
    const struct fit_trace *trace = fit->trace;
    bool *found = mem_zalloc(trace->groups.len + 1, sizeof *found);
    uint32_t at = fit_event_that_matters(fit);
    size_t count = find_late_at(trace, at, found, late);
    for (unsigned i = 0; i < MOST_PEAKS && count < MOST_TENSORS; i++) {
        size_t more = find_late_at(trace, next_peak(trace, found), found, late + count);
        if (!more) break;
        count += more;
    }
    count += find_rest(trace, found, late + count);
    free(found);
    return count;
}

static void name_change(const struct fit *fit, uint32_t group, char name[FIT_NAME_ROOM]) {
    char words[FIT_NAME_ROOM - 32];
    fit_group_words(fit, group, words, sizeof words);
    snprintf(name, FIT_NAME_ROOM, "free %s after %s", words,
             fit->trace->groups.items[group].holder == HOLDER_RUNTIME ? "const-eval" : "last use");
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
        name_change(fit, late[i].group, change->name);
        change->setting = setting_that_frees(group);
    }
    free(late);
}

static bool is_listed(const struct fit *fit, uint64_t key) {
    for (size_t i = 0; i < fit->changes.len; i++)
        if (fit->changes.items[i].kind == &fit_free_at_last_use && fit->changes.items[i].group == key) return true;
    return false;
}

/* Anywhere it is freed late: smaller ones are not listed. */
static void ask_one(struct fit *fit, const struct fit_kind *kind, const char *name) {
    const struct fit_trace *trace = fit->trace;
    bool *seen = mem_zalloc(trace->groups.len + 1, sizeof *seen);
    unsigned added = 0;
    for (size_t i = 0; i < trace->buffers.len; i++) {
        const struct fit_buffer *b = &trace->buffers.items[i];
        const struct fit_group *group = &trace->groups.items[b->group];
        char words[FIT_NAME_ROOM];
        if (!is_late(trace, b) || seen[b->group]) continue;
        seen[b->group] = true;
        name_change(fit, b->group, words);
        if (!fit_is_called(name, words) || is_listed(fit, group->key)) continue;
        if (added++ >= MOST_TENSORS) break;
        struct fit_change *change = fit_add_wanted(fit, kind, group->key, group->place);
        snprintf(change->name, sizeof change->name, "%s", words);
        change->setting = setting_that_frees(group);
    }
    free(seen);
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
    /* captures do not say that nothing uses a tensor: the host may read it */
    change->setting = trace->placed ? "a deallocate right after the last use of every tensor that an op uses"
                                    : "a deallocate right after the last use of every tensor";
    change->number = late;
    change->contains_others = true;
}

const struct fit_kind fit_free_at_last_use = {"free_at_last_use", list_one, apply_one, ask_one};
const struct fit_kind fit_free_everything = {"free_everything_at_last_use", list_all, apply_all, NULL};

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

/* Compiled modules are replayed again, which also shows what repeated programs rebuild. */
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

const struct fit_kind fit_no_program_cache = {"program_cache", list_no_cache, apply_no_cache, NULL};
