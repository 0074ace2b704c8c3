/* SPDX-License-Identifier: Apache-2.0 */
#include "input/report/report_frees.h"

static struct slice until(struct slice s, char end) { return slice_take(s, slice_find_byte(s, end)); }

/* The name of an op, from `%4 = "ttnn.add"(...)`, `"ttnn.deallocate"(...)`, `%0 = ttcore.load_cached(...)`; else empty. */
static struct slice op_name(struct slice line) {
    if (slice_starts(line, SLICE("%"))) {
        size_t equals = slice_find(line, SLICE(" = "));
        if (equals == SLICE_NONE) return slice_of("", 0);
        line = slice_skip(line, equals + 3);
    }
    if (slice_starts(line, SLICE("\""))) return until(slice_skip(line, 1), '"');
    struct slice name = until(until(line, '('), ' ');
    return slice_find_byte(name, '.') == SLICE_NONE ? slice_of("", 0) : name;
}

/* func.func private @main_const_eval_0(%arg0: ... */
static bool begin_function(struct report_frees *frees, uint32_t program, struct slice line) {
    size_t at = slice_find_byte(line, '@');
    if (!slice_starts(line, SLICE("func.func")) || at == SLICE_NONE) return false;
    uint32_t place = (uint32_t)frees->frees.len;
    struct slice name = arena_copy(&frees->arena, until(slice_skip(line, at + 1), '('));
    vec_push(&frees->functions, ((struct freeing_function){program, name, place, place, 0}));
    return true;
}

void report_frees_take(struct report_frees *frees, uint32_t program, struct slice text) {
    uint32_t ops = 0;
    bool inside = false;
    while (text.len) {
        struct slice whole = until(text, '\n'), line = slice_trim(whole);
        text = slice_skip(text, whole.len + 1);
        if (begin_function(frees, program, line)) {
            ops = 0;
            inside = true;
            continue;
        }
        struct slice name = op_name(line);
        if (!inside || !name.len || slice_ends(name, SLICE(".get_device"))) continue;
        if (!slice_ends(name, SLICE(".deallocate"))) {
            ops += !slice_equal(name, SLICE("func.return"));
            vec_last(&frees->functions).ops = ops;
            continue;
        }
        struct slice value = until(until(slice_skip(line, slice_find_byte(line, '(') + 1), ')'), ' ');
        if (slice_starts(value, SLICE("%arg")))
            continue; /* the host keeps weights, and the files say nothing about other arguments */
        vec_push(&frees->frees, ((struct module_free){ops, arena_copy(&frees->arena, value)}));
        vec_last(&frees->functions).end = (uint32_t)frees->frees.len;
    }
}

const struct freeing_function *report_frees_of(const struct report_frees *frees, uint32_t program, struct slice name) {
    for (size_t i = 0; i < frees->functions.len; i++) {
        const struct freeing_function *function = &frees->functions.items[i];
        if (function->program == program && slice_equal(function->name, name)) return function;
    }
    return NULL;
}

void report_frees_release(struct report_frees *frees) {
    arena_release(&frees->arena);
    vec_release(&frees->functions);
    vec_release(&frees->frees);
}
