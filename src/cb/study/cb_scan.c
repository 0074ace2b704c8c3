/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/study/cb_scan.h"

#include "base/num.h"
#include "cb/study/cb_total.h"
#include "device/chip.h"

/* --- findings --- */

enum {
    MAX_FINDINGS = 200, /* per file; more would say nothing new */
    MAX_PAGES = 65535,  /* tt-metal counts them in 16 bits */
};

static struct cb_finding finding(enum cb_finding_kind kind, uint32_t program, uint32_t line, int64_t index, uint64_t bytes,
                                 uint64_t limit) {
    return (struct cb_finding){kind, program, line, index, bytes, limit, SLICE("")};
}

static void add_finding(struct cb_file *file, struct cb_finding found) {
    if (file->findings.len < MAX_FINDINGS) vec_push(&file->findings, found);
}

static void check_declarations(struct cb_file *file, uint32_t program, const struct chip *chip) {
    const struct cb_source *s = &file->source;
    for (size_t i = 0; i < s->decls.len; i++) {
        const struct cb_decl *d = &s->decls.items[i];
        if (d->program != program) continue;
        for (uint32_t k = 0; k < d->n_indices; k++) {
            int64_t page = d->indices[k].page_bytes, index = d->indices[k].index;
            if (page > 0 && d->total_bytes > 0 && d->total_bytes % page != 0)
                add_finding(file, finding(CB_BAD_PAGES, program, d->line, index, (uint64_t)d->total_bytes, (uint64_t)page));
            else if (page > 0 && d->total_bytes / page > MAX_PAGES)
                add_finding(file,
                            finding(CB_MANY_PAGES, program, d->line, index, (uint64_t)(d->total_bytes / page), MAX_PAGES));
            if (d->kind == CB_CIRCULAR && page < 0 && !d->indices[k].page_expr.len && !d->tensor_backed && d->total_bytes >= 0)
                add_finding(file, finding(CB_NO_PAGE_SIZE, program, d->line, index, 0, 0));
            if (d->total_bytes == 0) add_finding(file, finding(CB_NO_BYTES, program, d->line, index, 0, 0));
            if (index >= (int64_t)chip->max_circular_buffers)
                add_finding(file, finding(CB_BAD_INDEX, program, d->line, index, 0, chip->max_circular_buffers));
        }
    }
}

/* An index made twice without conditions on cores that are written the same: tt-metal refuses this. */
static void check_repeats(struct cb_file *file, uint32_t program) {
    const struct cb_source *s = &file->source;
    const struct cb_decl *first[64] = {0};
    if (!s->programs.items[program].variable.len) return; /* the function may make several programs */
    for (size_t i = 0; i < s->decls.len; i++) {
        const struct cb_decl *d = &s->decls.items[i];
        if (d->program != program || d->n_conditions || !d->core_expr.len) continue;
        for (uint32_t k = 0; k < d->n_indices; k++) {
            int64_t index = d->indices[k].index;
            if (index < 0 || index >= 64 || d->indices[k].sometimes) continue;
            /* the same line again may belong to another program */
            if (first[index] && first[index]->line != d->line && slice_equal(first[index]->core_expr, d->core_expr))
                add_finding(file, finding(CB_SAME_INDEX, program, d->line, index, 0, first[index]->line));
            first[index] = d;
        }
    }
}

static bool is_backed(const struct cb_source *s, uint32_t program, int64_t index) {
    for (size_t i = 0; i < s->decls.len; i++)
        for (uint32_t k = 0; k < s->decls.items[i].n_indices; k++)
            if (s->decls.items[i].program == program && s->decls.items[i].indices[k].index == index &&
                (s->decls.items[i].tensor_backed || s->decls.items[i].backed_when.len || s->decls.items[i].global))
                return true;
    return false;
}

static uint32_t line_of_index(const struct cb_source *s, uint32_t program, int64_t index) {
    for (size_t i = 0; i < s->decls.len; i++)
        for (uint32_t k = 0; k < s->decls.items[i].n_indices; k++)
            if (s->decls.items[i].program == program && s->decls.items[i].indices[k].index == index)
                return s->decls.items[i].line;
    return 0;
}

bool cb_file_has_index(const struct cb_file *file, uint32_t program, int64_t index) {
    for (size_t i = 0; i < file->source.decls.len && index >= 0; i++) {
        const struct cb_decl *d = &file->source.decls.items[i];
        for (uint32_t k = 0; k < d->n_indices; k++)
            if (d->program == program && d->indices[k].index == index) return true;
    }
    return false;
}

/* Only if all kernels of the program were read and every call names its buffer: a guess would be worse than silence. */
static void check_kernels(struct cb_file *file, uint32_t program) {
    if (file->source.kernels_open) return;
    uint32_t filled[64] = {0}, emptied[64] = {0};
    bool elsewhere[64] = {0}, any = false;
    for (size_t i = 0; i < file->kernels.len; i++) {
        const struct cb_kernel *k = &file->kernels.items[i];
        if (k->program != program) continue;
        if (!k->file.len || !k->facts.understood || k->facts.low_level) return;
        any = true;
        for (size_t u = 0; u < k->facts.uses.len; u++) {
            const struct kernel_cb_use *use = &k->facts.uses.items[u];
            if (use->name.text[0]) continue; /* check_bindings handles these */
            if (use->index < 0 || use->index >= 64) return;
            filled[use->index] += use->ops[KERNEL_PUSH];
            emptied[use->index] += use->ops[KERNEL_WAIT] + use->ops[KERNEL_POP];
            elsewhere[use->index] |= use->elsewhere;
        }
    }
    for (int64_t i = 0; any && i < 64; i++) {
        uint32_t line = line_of_index(&file->source, program, i);
        if (!line || elsewhere[i] || is_backed(&file->source, program, i) || !filled[i] == !emptied[i]) continue;
        add_finding(file, finding(filled[i] ? CB_PRODUCED_ONLY : CB_CONSUMED_ONLY, program, line, i, 0, 0));
    }
}

/* The program that needs most: its bounds are the largest of each. */
static void add_largest(struct cb_total *largest, const struct cb_total *total, bool first) {
    uint64_t low = largest->min_bytes, high = largest->max_bytes;
    if (first || total->max_bytes > high || (total->max_bytes == high && total->buffers > largest->buffers)) *largest = *total;
    if (low > largest->min_bytes) largest->min_bytes = low;
    if (high > largest->max_bytes) largest->max_bytes = high;
}

/* A dataflow buffer that some kernel fills and none empties, or the reverse, according to the kernels' bindings. */
static void check_bindings(struct cb_file *file, uint32_t program) {
    const struct cb_source *s = &file->source;
    if (s->kernels_open) return;
    for (size_t i = 0; i < s->kernels.len; i++)
        if (s->kernels.items[i].program == program && s->kernels.items[i].bindings_open) return;
    for (size_t d = 0; d < s->decls.len; d++) {
        const struct cb_decl *decl = &s->decls.items[d];
        if (decl->program != program || decl->kind != CB_DATAFLOW || !decl->name.len || decl->tensor_backed ||
            decl->backed_when.len || decl->n_conditions)
            continue;
        bool filled = false, emptied = false;
        for (size_t i = 0; i < s->kernels.len; i++)
            for (uint32_t k = 0; s->kernels.items[i].program == program && k < s->kernels.items[i].n_bindings; k++) {
                const struct cb_binding *b = &s->kernels.items[i].bindings[k];
                bool maybe = slice_find(b->buffer, SLICE("?")) != SLICE_NONE;
                if (!maybe && !slice_equal(b->buffer, decl->name)) continue;
                filled |= maybe || b->end == CB_END_PRODUCER;
                emptied |= maybe || b->end == CB_END_CONSUMER;
            }
        if (filled == emptied) continue;
        enum cb_finding_kind kind = filled ? CB_PRODUCED_ONLY : CB_CONSUMED_ONLY;
        add_finding(file, (struct cb_finding){kind, program, decl->line, -1, 0, 0, decl->name});
    }
}

void cb_file_finish(struct cb_file *file, const struct chip *chip) {
    uint64_t limit = chip->l1_bytes - chip->l1_unreserved_base;
    bool bounded = !file->source.partial;
    for (uint32_t p = 0; p < file->source.programs.len; p++) {
        struct cb_total total = cb_total_of(&file->source, p);
        vec_push(&file->totals, total);
        add_largest(&file->largest, &total, p == 0);
        if (!total.buffers) continue;
        bounded &= total.bounded;
        if (file->source.programs.items[p].negative) continue;
        if (total.min_bytes > limit)
            add_finding(file, finding(CB_OVER_LIMIT, p, file->source.programs.items[p].line, -1, total.min_bytes, limit));
        check_declarations(file, p, chip);
        check_repeats(file, p);
        check_kernels(file, p);
        check_bindings(file, p);
    }
    file->largest.bounded = bounded; /* a program with an unknown size may be the largest */
}

void cb_file_release(struct cb_file *file) {
    for (size_t i = 0; i < file->kernels.len; i++) kernel_facts_release(&file->kernels.items[i].facts);
    vec_release(&file->kernels);
    vec_release(&file->totals);
    vec_release(&file->findings);
    cb_source_release(&file->source);
}
