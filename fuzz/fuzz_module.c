/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a module dump, with lines that stay and with lines that are gone after the call: both must tell the same. */
#include <stdint.h>
#include <stdlib.h>

#include "parse/module.h"
#include "parse/type.h"

static void read_module(struct module_text *module, struct slice text, bool stay) {
    *module = (struct module_text){.lines_stay = stay, .wants_ops = true};
    while (text.len) {
        size_t end = slice_find_byte(text, '\n');
        struct slice line = slice_take(text, end);
        char *copy = stay ? NULL : malloc(line.len + 1);
        if (copy) memcpy(copy, line.ptr, line.len);
        bool inside = module_line(module, copy ? slice_of(copy, line.len) : line);
        free(copy);
        if (!inside) break;
        text = slice_skip(text, end == SLICE_NONE ? text.len : end + 1);
    }
    module_finish(module);
}

static void refuse_difference(const struct module_text *a, const struct module_text *b) {
    if (a->functions.len != b->functions.len || a->arguments.len != b->arguments.len || a->ops.len != b->ops.len) abort();
    if (!slice_equal(a->symbol, b->symbol) || !slice_equal(a->mesh, b->mesh) || !slice_equal(a->arch, b->arch)) abort();
    for (size_t i = 0; i < a->arguments.len; i++) {
        const struct module_argument *x = &a->arguments.items[i], *y = &b->arguments.items[i];
        if (!slice_equal(x->name, y->name) || !slice_equal(x->type, y->type) || !slice_equal(x->local_type, y->local_type))
            abort();
    }
    for (size_t i = 0; i < a->ops.len; i++)
        if (a->place_prefix.items[i] != b->place_prefix.items[i]) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice text = slice_of((const char *)data, size);
    struct module_text staying, copied;
    read_module(&staying, text, true);
    read_module(&copied, text, false);
    refuse_difference(&staying, &copied);
    for (size_t i = 0; i < staying.arguments.len; i++) {
        struct tensor_type type;
        type_parse(module_full_type(&staying, staying.arguments.items[i].type), &type);
    }
    module_main(&staying);
    module_release(&staying);
    module_release(&copied);
    return 0;
}
