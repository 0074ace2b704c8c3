/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/search/late.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/table/map.h"
#include "model/buffer/block_bytes.h"

/* A tensor starts or stops missing before a step. */
struct change {
    uint32_t step;
    uint16_t rank;
    int64_t bytes;
};

static int earlier_first(const void *a, const void *b) {
    const struct change *x = a, *y = b;
    return x->step < y->step ? -1 : x->step > y->step;
}

static struct change *sorted_changes(const struct late_window *windows, size_t count) {
    struct change *changes = mem_alloc((2 * count + 1) * sizeof *changes);
    for (size_t i = 0; i < count; i++) {
        changes[2 * i] = (struct change){windows[i].from, windows[i].rank, (int64_t)windows[i].bytes};
        changes[2 * i + 1] = (struct change){windows[i].to, windows[i].rank, -(int64_t)windows[i].bytes};
    }
    qsort(changes, 2 * count, sizeof *changes, earlier_first);
    return changes;
}

void late_replay(const struct run *run, enum pool pool, const struct late_window *windows, size_t count,
                 struct late_peak *out) {
    *out = (struct late_peak){.block = NONE, .without_block = NONE};
    struct change *changes = sorted_changes(windows, count);
    int64_t *missing = mem_zalloc(run->ranks.len + 1, sizeof *missing);
    size_t at = 0;
    for (uint32_t i = 0; i < run->blocks.len; i++) {
        const struct block *block = &run->blocks.items[i];
        if (!(block->have & 1u << pool)) continue;
        for (; at < 2 * count && changes[at].step <= block->step; at++) missing[changes[at].rank] += changes[at].bytes;
        int64_t bytes = block_allocated_bytes(run, block, pool);
        int64_t left = bytes - missing[run->steps.items[block->step].rank];
        if (left < 0) left = 0;
        else if (!run->rests.len)
            left = num_milli_mb_to_bytes(num_bytes_to_milli_mb((uint64_t)left)); /* no finer than the blocks */
        if (!out->seen || (uint64_t)bytes > out->bytes) out->bytes = (uint64_t)bytes, out->block = i;
        if (!out->seen || (uint64_t)left > out->without_bytes) out->without_bytes = (uint64_t)left, out->without_block = i;
        out->seen = true;
    }
    free(changes);
    free(missing);
}

/* The first step after everything inside the op of a step. */
static uint32_t end_of_step(const struct run *run, uint32_t step) { return run->ends.len ? run->ends.items[step] : step + 1; }

/* An op that takes the tensor holds it until everything inside it has finished: finds the outermost op that began while the
 * tensor existed and contains the use. */
static uint32_t outermost_use(const struct run *run, const struct tensor *tensor, uint32_t use) {
    if (use == NONE || use >= run->steps.len) return use;
    for (uint32_t s = tensor->born; s < use;) {
        bool own = run->steps.items[s].rank == tensor->rank;
        uint32_t end = own ? end_of_step(run, s) : s + 1;
        if (end > use) return s;
        s = end > s ? end : s + 1;
    }
    return use;
}

/* The step that used a tensor last. A log names every use: a tensor that no op took was last used when it was made. */
static uint32_t last_use(const struct run *run, const struct tensor *tensor) {
    if (tensor->last_use != NONE && run->ends.len) return outermost_use(run, tensor, tensor->last_use);
    if (tensor->last_use != NONE || run->origin != RUN_LOG || tensor->producer == NONE || !tensor->born)
        return tensor->last_use;
    return tensor->born - 1;
}

/* In a log these are not records; in a capture the freeing call is one. */
static bool is_deallocate(const struct run *run, uint32_t step) {
    uint32_t op = run->steps.items[step].op;
    struct slice name = op == NONE ? slice_of("", 0) : run_string(run, run->ops.items[op].name);
    return slice_ends(name, SLICE("::deallocate")) || slice_ends(name, SLICE(".deallocate"));
}

/* The steps of the tensor's rank after its last use until it is gone: the number of ops, and the first. */
static uint32_t ops_until_gone(const struct run *run, const struct tensor *tensor, uint32_t most, uint32_t *first) {
    uint32_t ops = 0, last = last_use(run, tensor);
    *first = NONE;
    uint32_t i = last < run->steps.len ? end_of_step(run, last) : (uint32_t)run->steps.len;
    while (i < tensor->gone && i < run->steps.len && ops < most) {
        bool own = run->steps.items[i].rank == tensor->rank;
        if (own && *first == NONE) *first = i;
        ops += own && run->steps.items[i].record != NONE && !is_deallocate(run, i);
        i = own ? end_of_step(run, i) : i + 1; /* what an op calls is not another op */
    }
    return ops;
}

/* Tensors that the program itself frees and could free earlier: not those that the host holds or the runtime keeps. */
static bool is_freed_by_program(const struct run *run, const struct tensor *tensor) {
    if (tensor->left && last_use(run, tensor) != NONE) return !tensor->returned; /* the program forgets to free it */
    if (last_use(run, tensor) == NONE || tensor->gone == NONE || !tensor->gone || tensor->gone > run->steps.len) return false;
    if (tensor->retained || tensor->returned || tensor->born >= tensor->gone) return false;
    const struct execution *execution = tensor->execution == NONE ? NULL : &run->executions.items[tensor->execution];
    if (execution && !execution->finished && tensor->gone >= execution->end_step) return false; /* it ended with the run */
    if (tensor->class == TENSOR_ACTIVATION || tensor->class == TENSOR_CONST_EVAL) return true;
    if (tensor->class != TENSOR_ARGUMENT) return false;
    uint32_t op = run->steps.items[tensor->gone - 1].op;
    return op != NONE && run->ops.items[op].kind == OP_DEALLOCATE;
}

uint32_t tensor_ops_late(const struct run *run, const struct tensor *tensor) {
    uint32_t first;
    return is_freed_by_program(run, tensor) ? ops_until_gone(run, tensor, UINT32_MAX, &first) : 0;
}

uint32_t tensor_last_used(const struct run *run, const struct tensor *tensor) {
    uint32_t last = last_use(run, tensor);
    if (last == NONE || last >= run->steps.len) return NONE;
    for (uint32_t i = last + 1; i-- > 0;)
        if (run->steps.items[i].rank == tensor->rank && run->steps.items[i].record != NONE) return run->steps.items[i].record;
    return NONE;
}

/* A late tensor: its row, and its window. */
struct found_use {
    uint32_t row, tensor;
    struct late_window window;
};

struct finding {
    const struct run *run;
    struct late *late;
    VEC(struct found_use) found;
};

static uint32_t row_of(struct finding *f, struct map *rows, uint32_t id, uint64_t bytes) {
    const struct tensor *tensor = &f->run->tensors.items[id];
    uint32_t op = tensor->producer == NONE ? NONE : f->run->steps.items[tensor->producer].op;
    uint64_t key = op == NONE ? (uint64_t)NONE << 32 | id : (uint64_t)op << 32 | tensor->argument;
    bool added;
    uint32_t *row = map_at(rows, (struct hash128){hash_mix(key, tensor->type), key}, &added);
    if (added) {
        *row = (uint32_t)f->late->rows.len;
        vec_push(&f->late->rows, ((struct late_row){.tensor = id, .bytes = bytes}));
    }
    f->late->rows.items[*row].count++;
    return *row;
}

static void find_windows(struct finding *f, enum pool pool) {
    const struct run *run = f->run;
    struct map rows = {0};
    for (uint32_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[i];
        uint32_t first;
        if (!is_freed_by_program(run, tensor) || !tensor_in_pool(run, tensor, pool)) continue;
        f->late->known = true;
        if (!ops_until_gone(run, tensor, 1, &first)) continue;
        struct late_window window = {first + 1, tensor->gone, tensor->rank, tensor_sum(run, tensor).per_bank_bytes};
        vec_push(&f->found, ((struct found_use){row_of(f, &rows, i, window.bytes), i, window}));
        vec_push(&f->late->windows, window);
    }
    map_release(&rows);
}

static bool covers(const struct run *run, const struct late_window *window, uint32_t block) {
    if (block == NONE) return false;
    uint32_t step = run->blocks.items[block].step;
    return window->rank == run->steps.items[step].rank && window->from <= step && step < window->to;
}

static int by_row(const void *a, const void *b) {
    const struct found_use *x = a, *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    return x->tensor < y->tensor ? -1 : x->tensor > y->tensor;
}

/* found[first .. end) belong to one row. If none of them is late at the peak, the peak stays. */
static void finish_row(struct finding *f, enum pool pool, size_t first, size_t end) {
    struct late_row *row = &f->late->rows.items[f->found.items[first].row];
    VEC(struct late_window) own = {0};
    bool at_peak = false;
    for (size_t i = first; i < end; i++) {
        const struct found_use *one = &f->found.items[i];
        if (!at_peak && covers(f->run, &one->window, f->late->peak.block)) {
            row->tensor = one->tensor;
            at_peak = true;
        }
        vec_push(&own, one->window);
    }
    const struct tensor *tensor = &f->run->tensors.items[row->tensor];
    row->last_used = tensor_last_used(f->run, tensor);
    row->freed = tensor_last_record(f->run, tensor);
    row->ops = tensor_ops_late(f->run, tensor);
    if (at_peak && f->late->peak.seen) {
        struct late_peak alone;
        late_replay(f->run, pool, own.items, own.len, &alone);
        row->lowers = alone.bytes - alone.without_bytes;
    }
    vec_release(&own);
}

static int more_first(const void *a, const void *b) {
    const struct late_row *x = a, *y = b;
    if (x->lowers != y->lowers) return x->lowers < y->lowers ? 1 : -1;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    if (x->ops != y->ops) return x->ops < y->ops ? 1 : -1;
    return x->tensor < y->tensor ? -1 : x->tensor > y->tensor;
}

/* States around submits do not show what happens between them. */
static bool is_measured(const struct peak *highest) { return !highest->at_submits && highest->source != PEAK_TENSORS; }

void late_peak_find(const struct run *run, enum pool pool, const struct peak *highest, struct late_peak *out) {
    struct late late = {0};
    struct finding f = {.run = run, .late = &late};
    find_windows(&f, pool);
    *out = (struct late_peak){.block = NONE, .without_block = NONE};
    if (late.windows.len && is_measured(highest)) late_replay(run, pool, late.windows.items, late.windows.len, out);
    vec_release(&f.found);
    late_release(&late);
}

void late_find(const struct run *run, enum pool pool, struct late *out) {
    *out = (struct late){0};
    struct finding f = {.run = run, .late = out};
    find_windows(&f, pool);
    struct peaks peaks;
    peaks_find(run, &peaks, NULL);
    out->highest = peaks.pools[pool];
    out->peak = (struct late_peak){.block = NONE, .without_block = NONE};
    if (is_measured(&out->highest)) late_replay(run, pool, out->windows.items, out->windows.len, &out->peak);
    if (f.found.len) qsort(f.found.items, f.found.len, sizeof *f.found.items, by_row);
    for (size_t i = 0, end; i < f.found.len; i = end) {
        for (end = i + 1; end < f.found.len && f.found.items[end].row == f.found.items[i].row;) end++;
        finish_row(&f, pool, i, end);
    }
    if (out->rows.len) qsort(out->rows.items, out->rows.len, sizeof *out->rows.items, more_first);
    vec_release(&f.found);
}

void late_release(struct late *late) {
    vec_release(&late->rows);
    vec_release(&late->windows);
}
