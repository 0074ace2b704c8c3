/* SPDX-License-Identifier: Apache-2.0 */
#include "model/left/pass_growth.h"

#include <stdlib.h>

enum { WARM_UP = 5 };

void pass_ends_find(const struct run *run, struct pass_ends *out) {
    *out = (struct pass_ends){.program = NONE};
    uint32_t *count = mem_zalloc(run->programs.len + 1, sizeof *count);
    uint16_t rank = 0;
    for (size_t i = 0; i < run->executions.len; i++) {
        const struct execution *e = &run->executions.items[i];
        if (e->parent != NONE || !e->finished || e->program >= run->programs.len) continue;
        if (++count[e->program] && (out->program == NONE || count[e->program] > count[out->program]))
            out->program = e->program, rank = e->rank;
    }
    free(count);
    for (size_t i = 0; out->program != NONE && i < run->executions.len; i++) {
        const struct execution *e = &run->executions.items[i];
        if (e->parent == NONE && e->finished && e->program == out->program && e->rank == rank && e->end_step)
            vec_push(&out->steps, e->end_step - 1);
    }
    out->skipped = out->steps.len / WARM_UP;
}

void pass_ends_release(struct pass_ends *ends) { vec_release(&ends->steps); }

/* -1: unknown. */
static int64_t bytes_after(const struct run *run, uint32_t step, enum pool pool) {
    uint32_t after = run->steps.items[step].after;
    if (after == NONE || !(run->blocks.items[after].have & 1u << pool)) return -1;
    return (int64_t)((uint64_t)run->blocks.items[after].allocated[pool] * 1048576 / 1000);
}

typedef VEC(struct slope_slack) slack_list;

/* How many of the states after the steps are before the given step. */
static size_t ends_before(const struct run *run, const uint32_t *steps, size_t count, uint32_t step) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (run->blocks.items[run->steps.items[steps[middle]].after].step < step) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Buffers of which only a lower bound of the size is known, and the ends of passes at which they exist. False: it is not known
 * by how much each can be larger. */
static bool find_slacks(const struct run *run, const uint32_t *steps, size_t count, enum pool pool, slack_list *out) {
    static const enum buffer_type buffers[POOL_COUNT] = {BUFFER_DRAM, BUFFER_L1, BUFFER_L1_SMALL, BUFFER_TRACE};
    const struct inspector_facts *facts = run->inspector;
    uint16_t rank = run->steps.items[steps[0]].rank;
    size_t next = 0;
    if (!facts || !facts->bounded_in[pool]) return true;
    for (size_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[i];
        struct slope_slack slack;
        if (!tensor->bounded) continue;
        if (next == facts->slacks.len) return false;
        slack.most = facts->slacks.items[next++];
        if (tensor->rank != rank || run->types.items[tensor->type].buffer != buffers[pool]) continue;
        slack.first = ends_before(run, steps, count, tensor->born);
        size_t end = ends_before(run, steps, count, tensor->gone);
        slack.last = end - 1;
        if (slack.first < end && slack.most) vec_push(out, slack);
    }
    return next == facts->slacks.len;
}

/* The slope of the values without the first fifth. */
static void slope_of_ends(const struct run *run, const uint32_t *steps, size_t count, enum pool pool, struct slope *out) {
    size_t filled = 0;
    *out = (struct slope){0};
    if (count < SLOPE_LEAST) return;
    int64_t *values = mem_alloc(count * sizeof *values);
    for (; filled < count; filled++) {
        values[filled] = bytes_after(run, steps[filled], pool);
        if (values[filled] < 0) break;
    }
    /* the state after the last pass may be missing */
    if (filled + 1 >= count) {
        slack_list slacks = {0};
        bool told = !filled || find_slacks(run, steps, filled, pool, &slacks);
        slope_find_bounded(values, filled, slacks.items, slacks.len, out);
        if (!told) out->least = INT64_MIN, out->most = INT64_MAX;
        vec_release(&slacks);
    }
    free(values);
}

void pass_growth_find(const struct run *run, enum pool pool, struct slope *out) {
    struct pass_ends ends;
    *out = (struct slope){0};
    pass_ends_find(run, &ends);
    size_t count = ends.steps.len - ends.skipped;
    if (count >= SLOPE_LEAST) slope_of_ends(run, ends.steps.items + ends.skipped, count, pool, out);
    pass_ends_release(&ends);
}

struct series_end {
    uint64_t key;
    uint32_t step;
};

static int by_key(const void *a, const void *b) {
    const struct series_end *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->step < y->step ? -1 : x->step > y->step;
}

void pass_growth_of_series(const struct run *run, struct pass_series *series, size_t count) {
    VEC(struct series_end) ends = {0};
    VEC(uint32_t) steps = {0};
    for (size_t i = 0; i < run->executions.len; i++) {
        const struct execution *e = &run->executions.items[i];
        if (e->parent != NONE || !e->finished || e->program >= run->programs.len || !e->end_step) continue;
        vec_push(&ends, ((struct series_end){(uint64_t)e->program << 32 | e->rank, e->end_step - 1}));
    }
    if (ends.len) qsort(ends.items, ends.len, sizeof *ends.items, by_key);
    for (size_t i = 0; i < ends.len; i++) vec_push(&steps, ends.items[i].step);
    for (size_t i = 0; i < count; i++) {
        uint64_t key = (uint64_t)series[i].program << 32 | series[i].rank;
        size_t first = 0, end = ends.len;
        while (first < end) {
            size_t mid = first + (end - first) / 2;
            if (ends.items[mid].key < key) first = mid + 1;
            else end = mid;
        }
        while (first < ends.len && ends.items[first].key == key && ends.items[first].step < series[i].first_step) first++;
        for (end = first; end < ends.len && ends.items[end].key == key &&
                          (!series[i].end_step || ends.items[end].step < series[i].end_step);)
            end++;
        size_t skipped = (end - first) / WARM_UP;
        if (end > first) slope_of_ends(run, steps.items + first + skipped, end - first - skipped, POOL_DRAM, &series[i].slope);
    }
    vec_release(&ends);
    vec_release(&steps);
}
