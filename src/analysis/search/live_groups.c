/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/search/live_groups.h"

#include <stdlib.h>

#include "analysis/run/module_path.h"
#include "base/strbuf.h"

const char *const live_by_names[LIVE_BY_COUNT] = {"class", "op", "shape", "dtype", "module", "location"};

static const struct step *made_by(const struct run *run, const struct tensor *tensor) {
    return tensor->producer == NONE ? NULL : &run->steps.items[tensor->producer];
}

/* What a const-eval made of one parameter belongs where the parameter does. */
static struct slice only_parameter(const struct run *run, const struct tensor *tensor) {
    uint32_t count = 0;
    if (tensor->class != TENSOR_CONST_EVAL || tensor->execution == NONE) return slice_of("", 0);
    const uint32_t *members = argset_members(&run->argsets, tensor->arguments, &count);
    uint32_t entry = count == 1 ? program_argument(run, run->executions.items[tensor->execution].program, members[0]) : NONE;
    return entry == NONE ? slice_of("", 0) : run->registry.items[entry].name;
}

static struct slice location_of(const struct run *run, const struct tensor *tensor) {
    const struct step *step = made_by(run, tensor);
    if (!step || step->op == NONE) return tensor_name(run, tensor);
    struct slice location = run_string(run, run->ops.items[step->op].display);
    return location.len ? location : only_parameter(run, tensor);
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* "layers.29.attn" -> "layers.*.attn": replaces whole parts that are numbers. */
static void add_folded(struct strbuf *out, struct slice name) {
    for (size_t i = 0; i < name.len;) {
        bool at_start = i == 0 || name.ptr[i - 1] == '.' || name.ptr[i - 1] == '_' || name.ptr[i - 1] == '[';
        size_t end = i;
        while (end < name.len && is_digit(name.ptr[end])) end++;
        bool whole =
            end > i && at_start && (end == name.len || name.ptr[end] == '.' || name.ptr[end] == '_' || name.ptr[end] == ']');
        if (whole) {
            strbuf_addc(out, '*');
            i = end;
        } else {
            strbuf_addc(out, name.ptr[i++]);
        }
    }
}

/* Weights have no op, but a name that says where they belong. The file says nothing about the module. */
static void add_module(struct strbuf *out, struct slice location, live_short_form short_form) {
    struct strbuf place = {0};
    struct module_path path;
    short_form(&place, location);
    struct slice text = strbuf_slice(&place);
    module_path_of(location, &path);
    size_t file = path.count && path.file.len ? slice_find(text, SLICE("  ")) : SLICE_NONE;
    add_folded(out, file == SLICE_NONE ? text : slice_take(text, file));
    strbuf_release(&place);
}

static void add_key(struct strbuf *out, const struct run *run, const struct tensor *tensor, enum live_by by,
                    live_short_form short_form) {
    const struct tensor_type *type = &run->types.items[tensor->type];
    const struct step *step = made_by(run, tensor);
    switch (by) {
        case LIVE_BY_OP:
            if (step) strbuf_add(out, step_name(run, step));
            else if (tensor->class == TENSOR_ARGUMENT) strbuf_addz(out, "argument");
            break;
        case LIVE_BY_SHAPE:
            strbuf_add(out, type->shape.len ? type->shape : SLICE("scalar"));
            strbuf_addc(out, ' ');
            strbuf_add(out, type->dtype);
            break;
        case LIVE_BY_DTYPE:
            strbuf_add(out, type->dtype);
            break;
        case LIVE_BY_MODULE:
            add_module(out, location_of(run, tensor), short_form);
            break;
        case LIVE_BY_LOCATION:
            short_form(out, location_of(run, tensor));
            break;
        default:
            strbuf_addz(out, live_class_names[tensor_live_class(run, tensor)]);
    }
}

static void add_tensor(struct live_group *group, const struct run *run, const struct tensor *tensor) {
    struct live_sum sum = tensor_sum(run, tensor);
    const struct step *step = made_by(run, tensor);
    live_sum_add(&group->sum, &sum);
    if (sum.per_bank_bytes > group->largest_bytes_per_bank) group->largest_bytes_per_bank = sum.per_bank_bytes;
    if (step && step->record != NONE && step->record < group->first_record) group->first_record = step->record;
}

static int larger_first(const void *a, const void *b) {
    const struct live_group *x = a, *y = b;
    uint64_t left = x->sum.per_bank_bytes, right = y->sum.per_bank_bytes;
    if (left == right) left = x->sum.padded_bytes, right = y->sum.padded_bytes;
    if (left != right) return left < right ? 1 : -1;
    return x->key < y->key ? -1 : x->key > y->key;
}

void live_groups_make(const struct run *run, const struct live_set *set, enum live_by by, live_short_form short_form,
                      struct live_groups *out) {
    struct strbuf key = {0};
    VEC(uint32_t) of_key = {0}; /* string id -> group + 1 */
    *out = (struct live_groups){0};
    for (size_t i = 0; i < set->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[set->tensors.items[i]];
        strbuf_clear(&key);
        add_key(&key, run, tensor, by, short_form);
        uint32_t id = strtab_id(&out->keys, strbuf_slice(&key));
        while (of_key.len <= id) vec_push(&of_key, 0);
        if (!of_key.items[id]) {
            vec_push(&out->groups, ((struct live_group){.key = id, .first_record = NONE}));
            of_key.items[id] = (uint32_t)out->groups.len;
        }
        add_tensor(&out->groups.items[of_key.items[id] - 1], run, tensor);
    }
    if (out->groups.len) qsort(out->groups.items, out->groups.len, sizeof *out->groups.items, larger_first);
    vec_release(&of_key);
    strbuf_release(&key);
}

void live_groups_release(struct live_groups *groups) {
    vec_release(&groups->groups);
    strtab_release(&groups->keys);
}
