/* SPDX-License-Identifier: Apache-2.0 */
/* Folded stacks: one line per stack, names joined by ";", the bytes after the last blank. The outermost name is the pool, so
 * that one file holds the peaks of all. */
#include "analysis/run/peak_stacks.h"
#include "base/utf8.h"
#include "render/export/export.h"

/* A name must not contain the separators of names and lines. */
static void add_name(struct strbuf *out, struct slice name) {
    size_t start = out->len;
    utf8_add_printable(out, name, false);
    for (size_t i = start; i < out->len; i++)
        if (out->data[i] == ';') out->data[i] = ':';
}

static void add_pool(struct strbuf *out, enum pool pool, bool predicted, const struct peak_stacks *stacks) {
    for (size_t i = 0; i < stacks->stacks.len; i++) {
        const struct peak_stack *stack = &stacks->stacks.items[i];
        if (!stack->bytes) continue;
        strbuf_addz(out, pool_names[pool]);
        if (predicted) strbuf_addz(out, " (predicted)");
        for (uint32_t f = 0; f < stack->depth; f++) {
            strbuf_addc(out, ';');
            add_name(out, strtab_get(&stacks->names, stacks->frames.items[stack->first + f]));
        }
        strbuf_addc(out, ' ');
        strbuf_addu(out, stack->bytes);
        strbuf_addc(out, '\n');
    }
}

int export_folded(const struct output_job *job, struct outfile *file, struct err *err) {
    struct strbuf text = {0};
    int rc = 0;
    for (unsigned pool = 0; rc == 0 && pool < POOL_COUNT; pool++) {
        struct peak_stacks stacks;
        if (peak_stacks_make(job->run, (enum pool)pool, &stacks))
            add_pool(&text, (enum pool)pool, job->run->origin == RUN_PREDICTED, &stacks);
        peak_stacks_release(&stacks);
        rc = export_flush(&text, true, file, err);
    }
    strbuf_release(&text);
    return rc;
}
