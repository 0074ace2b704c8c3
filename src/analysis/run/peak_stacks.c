/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/peak_stacks.h"

#include <stdlib.h>

#include "analysis/rules/computed.h"
#include "analysis/run/live_curve.h"
#include "analysis/run/module_path.h"
#include "analysis/run/peaks.h"
#include "base/num.h"
#include "base/strbuf.h"

static void add_frame(struct peak_stacks *s, struct slice name) { vec_push(&s->frames, strtab_id(&s->names, name)); }

/* Ends the stack whose frames were added from `first` on; equal stacks are merged. */
static void end_stack(struct peak_stacks *s, uint32_t first, uint64_t bytes) {
    uint32_t depth = (uint32_t)s->frames.len - first;
    struct slice key = slice_of((const char *)(s->frames.items + first), depth * sizeof *s->frames.items);
    bool added;
    uint32_t *place = map_at(&s->by_frames, hash_bytes(key), &added);
    s->bytes += bytes;
    if (added) {
        *place = (uint32_t)s->stacks.len;
        vec_push(&s->stacks, ((struct peak_stack){first, depth, bytes}));
    } else {
        s->stacks.items[*place].bytes += bytes;
        s->frames.len = first;
    }
}

static void add_function(struct peak_stacks *s, const struct module_path *path) {
    struct strbuf name = {0};
    if (path->function.len) strbuf_addf(&name, "%.*s ", SLICE_FMT(path->function));
    strbuf_addf(&name, "%.*s:%llu", SLICE_FMT(path->file), (unsigned long long)path->line);
    add_frame(s, strbuf_slice(&name));
    strbuf_release(&name);
}

static void add_producer(struct peak_stacks *s, const struct run *run, const struct step *step) {
    struct module_path path;
    struct slice display = step->op == NONE ? slice_of("", 0) : run_string(run, run->ops.items[step->op].display);
    module_path_of(display, &path);
    for (unsigned i = 0; i < path.count; i++) add_frame(s, path.parts[i]);
    if (path.file.len) add_function(s, &path);
    if (path.leaf.len) add_frame(s, path.leaf);
    add_frame(s, step_name(run, step));
}

static void add_tensor(struct peak_stacks *s, const struct run *run, const struct tensor *tensor) {
    uint32_t first = (uint32_t)s->frames.len;
    struct slice name = tensor_name(run, tensor);
    if (tensor->execution != NONE) add_frame(s, run_string(run, run->executions.items[tensor->execution].name));
    add_frame(s, slice_from(live_class_names[tensor_live_class(run, tensor)]));
    if (name.len) add_frame(s, name);
    else if (tensor->producer != NONE) add_producer(s, run, &run->steps.items[tensor->producer]);
    else if (tensor->class == TENSOR_ARGUMENT) {
        char text[32] = "%arg";
        add_frame(s, slice_of(text, 4 + num_write_u64(text + 4, tensor->argument)));
    }
    struct live_sum sum = tensor_sum(run, tensor);
    end_stack(s, first, sum_by_banks(run, &sum));
}

/* The step before which the tensors of the pool take most, or NONE. */
static uint32_t fullest_step(const struct run *run, enum pool pool) {
    struct live_walk walk;
    if ((unsigned)pool >= LIVE_POOLS || !live_walk_begin(&walk, run)) return NONE;
    uint32_t fullest = NONE;
    uint64_t most = 0;
    for (uint32_t i = 0; i <= run->steps.len; i++) {
        const struct live_point *point = &live_walk_to(&walk, i)[pool];
        struct live_sum sum = {.padded_bytes = point->padded_bytes, .per_bank_bytes = point->per_bank_bytes};
        if (sum_by_banks(run, &sum) <= most) continue;
        most = sum_by_banks(run, &sum);
        fullest = i;
    }
    live_walk_end(&walk);
    return fullest;
}

bool peak_stacks_make(const struct run *run, enum pool pool, struct peak_stacks *out) {
    *out = (struct peak_stacks){0};
    struct peaks peaks;
    struct live_set set;
    peaks_find(run, &peaks, NULL);
    const struct peak *peak = &peaks.pools[pool];
    uint32_t step = peak->seen ? peak->step : fullest_step(run, pool);
    if (!peak->seen && step == NONE) return false;
    /* a peak known only from a failure has no step: nothing of it is known by name */
    bool placed = step != NONE;
    if (placed) live_at(run, step, pool, &set);
    else set = (struct live_set){0};
    if (peak->seen && placed) live_compute(run, step, pool, peak->allocated, 0, &set);
    for (size_t i = 0; i < set.tensors.len; i++) add_tensor(out, run, &run->tensors.items[set.tensors.items[i]]);
    for (int class = 0; class < LIVE_CLASS_COUNT; class ++) {
        if (!set.computed[class].bytes) continue;
        uint32_t first = (uint32_t)out->frames.len;
        add_frame(out, SLICE("computed"));
        add_frame(out, slice_from(live_class_names[class]));
        end_stack(out, first, set.computed[class].bytes);
    }
    int64_t rest = peak->seen ? live_unattributed(&set, peak->allocated) : 0;
    if (rest > 0) {
        uint32_t first = (uint32_t)out->frames.len;
        add_frame(out, SLICE("unattributed"));
        end_stack(out, first, (uint64_t)rest * NUM_MIB / 1000);
    }
    live_release(&set);
    return out->bytes > 0;
}

void peak_stacks_release(struct peak_stacks *stacks) {
    strtab_release(&stacks->names);
    vec_release(&stacks->frames);
    vec_release(&stacks->stacks);
    map_release(&stacks->by_frames);
}
