#include "cb/study/cb_scan.h"

#include "base/num.h"
#include "device/chip.h"

int64_t cb_decl_cost(const struct cb_decl *decl) { return decl->tensor_backed || decl->global ? 0 : decl->total_bytes; }

/* --- bytes of a program: branches that exclude each other count once, the dearer side --- */

struct side {
    uint32_t parent, leader; /* leader: first side of the same branch */
    const struct cb_condition *condition;
    uint64_t bytes, best;
};
typedef VEC(struct side) sides;

static bool same_side(const struct cb_condition *a, const struct cb_condition *b) {
    return a->id == b->id && a->side == b->side && slice_equal(a->text, b->text);
}

static uint32_t side_below(sides *all, uint32_t parent, const struct cb_condition *condition) {
    uint32_t leader = (uint32_t)all->len;
    for (uint32_t i = parent + 1; i < all->len; i++) {
        if (all->items[i].parent != parent) continue;
        if (same_side(all->items[i].condition, condition)) return i;
        if (all->items[i].condition->id == condition->id && leader == all->len) leader = i;
    }
    vec_push(all, ((struct side){.parent = parent, .leader = leader, .condition = condition}));
    return (uint32_t)all->len - 1;
}

static uint64_t fold(sides *all) {
    for (size_t i = all->len; i-- > 1;) {
        struct side *s = &all->items[i], *leader = &all->items[s->leader];
        if (s->bytes > leader->best) leader->best = s->bytes;
        if (s->leader == i) num_add(all->items[s->parent].bytes, s->best, &all->items[s->parent].bytes);
    }
    return all->items[0].bytes;
}

static bool shares_index(const struct cb_decl *a, const struct cb_decl *b) {
    for (uint32_t i = 0; i < a->n_indices; i++)
        for (uint32_t k = 0; k < b->n_indices; k++)
            if (a->indices[i].index >= 0 && a->indices[i].index == b->indices[k].index && !a->indices[i].sometimes &&
                !b->indices[k].sometimes)
                return true;
    return false;
}

/* What a buffer adds to the core that has most. A core has an index once, so buffers of the same index under the same
 * conditions are on different cores, and of those the largest counts. `where`: side of the buffers counted so far, from 1. */
static uint64_t added_cost(const struct cb_source *source, size_t i, const uint32_t *where) {
    const struct cb_decl *d = &source->decls.items[i];
    uint64_t cost = (uint64_t)cb_decl_cost(d), largest = 0;
    for (size_t k = 0; k < i; k++) {
        const struct cb_decl *e = &source->decls.items[k];
        if (e->program != d->program || where[k] != where[i] || !shares_index(d, e)) continue;
        if ((uint64_t)cb_decl_cost(e) > largest) largest = (uint64_t)cb_decl_cost(e);
    }
    return cost > largest ? cost - largest : 0;
}

static struct cb_total total_of(const struct cb_source *source, uint32_t program) {
    struct cb_total total = {.known = !source->partial};
    sides all = {0};
    uint32_t *where = mem_zalloc(source->decls.len + 1, sizeof *where);
    vec_push(&all, ((struct side){0}));
    for (size_t i = 0; i < source->decls.len; i++) {
        const struct cb_decl *d = &source->decls.items[i];
        if (d->program != program) continue;
        total.buffers++;
        total.tensor_backed += d->tensor_backed;
        total.adaptive += d->strategy == CB_ADAPTIVE;
        int64_t cost = cb_decl_cost(d);
        if (cost < 0) {
            total.unknown++;
            total.known = false;
            continue;
        }
        uint32_t at = 0;
        for (uint32_t k = 0; k < d->n_conditions; k++) at = side_below(&all, at, &d->conditions[k]);
        where[i] = at + 1;
        num_add(all.items[at].bytes, added_cost(source, i, where), &all.items[at].bytes);
    }
    free(where);
    total.bytes = fold(&all);
    vec_release(&all);
    return total;
}

/* --- findings --- */

enum {
    MAX_FINDINGS = 200, /* per file; one that has more says no more with them */
    MAX_PAGES = 65535,  /* tt-metal counts them in 16 bits */
};

static void add_finding(struct cb_file *file, struct cb_finding finding) {
    if (file->findings.len < MAX_FINDINGS) vec_push(&file->findings, finding);
}

static void check_declarations(struct cb_file *file, uint32_t program, const struct chip *chip) {
    const struct cb_source *s = &file->source;
    for (size_t i = 0; i < s->decls.len; i++) {
        const struct cb_decl *d = &s->decls.items[i];
        if (d->program != program) continue;
        for (uint32_t k = 0; k < d->n_indices; k++) {
            int64_t page = d->indices[k].page_bytes, index = d->indices[k].index;
            if (page > 0 && d->total_bytes > 0 && d->total_bytes % page != 0)
                add_finding(
                    file, (struct cb_finding){CB_BAD_PAGES, program, d->line, index, (uint64_t)d->total_bytes, (uint64_t)page});
            else if (page > 0 && d->total_bytes / page > MAX_PAGES)
                add_finding(file, (struct cb_finding){CB_MANY_PAGES, program, d->line, index, (uint64_t)(d->total_bytes / page),
                                                      MAX_PAGES});
            if (page < 0 && !d->indices[k].page_expr.len && !d->tensor_backed && d->total_bytes >= 0)
                add_finding(file, (struct cb_finding){CB_NO_PAGE_SIZE, program, d->line, index, 0, 0});
            if (d->total_bytes == 0) add_finding(file, (struct cb_finding){CB_NO_BYTES, program, d->line, index, 0, 0});
            if (index >= (int64_t)chip->max_circular_buffers)
                add_finding(file, (struct cb_finding){CB_BAD_INDEX, program, d->line, index, 0, chip->max_circular_buffers});
        }
    }
}

/* The same index made twice without a condition, on what reads as the same cores: tt-metal refuses that. */
static void check_repeats(struct cb_file *file, uint32_t program) {
    const struct cb_source *s = &file->source;
    const struct cb_decl *first[64] = {0};
    for (size_t i = 0; i < s->decls.len; i++) {
        const struct cb_decl *d = &s->decls.items[i];
        if (d->program != program || d->n_conditions || !d->core_expr.len) continue;
        for (uint32_t k = 0; k < d->n_indices; k++) {
            int64_t index = d->indices[k].index;
            if (index < 0 || index >= 64 || d->indices[k].sometimes) continue;
            if (first[index] && slice_equal(first[index]->core_expr, d->core_expr))
                add_finding(file, (struct cb_finding){CB_SAME_INDEX, program, d->line, index, 0, first[index]->line});
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

/* Only where all kernels of the program were read and every operation names its buffer: a guess would be worse than silence. */
static void check_kernels(struct cb_file *file, uint32_t program) {
    uint32_t filled[64] = {0}, emptied[64] = {0};
    bool elsewhere[64] = {0}, any = false;
    for (size_t i = 0; i < file->kernels.len; i++) {
        const struct cb_kernel *k = &file->kernels.items[i];
        if (k->program != program) continue;
        if (!k->file.len || !k->facts.understood || k->facts.low_level) return;
        any = true;
        for (size_t u = 0; u < k->facts.uses.len; u++) {
            const struct kernel_cb_use *use = &k->facts.uses.items[u];
            if (use->index < 0 || use->index >= 64) return;
            filled[use->index] += use->ops[KERNEL_PUSH];
            emptied[use->index] += use->ops[KERNEL_WAIT] + use->ops[KERNEL_POP];
            elsewhere[use->index] |= use->elsewhere;
        }
    }
    for (int64_t i = 0; any && i < 64; i++) {
        uint32_t line = line_of_index(&file->source, program, i);
        if (!line || elsewhere[i] || is_backed(&file->source, program, i) || !filled[i] == !emptied[i]) continue;
        add_finding(file, (struct cb_finding){filled[i] ? CB_PRODUCED_ONLY : CB_CONSUMED_ONLY, program, line, i, 0, 0});
    }
}

void cb_file_finish(struct cb_file *file, const struct chip *chip) {
    uint64_t limit = chip->l1_bytes - chip->l1_unreserved_base;
    bool all_known = !file->source.partial;
    for (uint32_t p = 0; p < file->source.programs.len; p++) {
        struct cb_total total = total_of(&file->source, p);
        vec_push(&file->totals, total);
        if (p == 0 || total.bytes > file->largest.bytes ||
            (total.bytes == file->largest.bytes && total.buffers > file->largest.buffers))
            file->largest = total;
        if (!total.buffers) continue;
        all_known &= total.known;
        if (total.bytes > limit)
            add_finding(file,
                        (struct cb_finding){CB_OVER_LIMIT, p, file->source.programs.items[p].line, -1, total.bytes, limit});
        check_declarations(file, p, chip);
        check_repeats(file, p);
        check_kernels(file, p);
    }
    file->largest.known = all_known; /* a program with an open size may be the largest */
}

void cb_file_release(struct cb_file *file) {
    for (size_t i = 0; i < file->kernels.len; i++) kernel_facts_release(&file->kernels.items[i].facts);
    vec_release(&file->kernels);
    vec_release(&file->totals);
    vec_release(&file->findings);
    cb_source_release(&file->source);
}

void cb_finding_write(struct strbuf *out, const struct cb_file *file, const struct cb_finding *f) {
    (void)file;
    switch (f->kind) {
        case CB_PRODUCED_ONLY:
            strbuf_addf(out, "CB %d is filled but no kernel waits for it", (int)f->index);
            break;
        case CB_CONSUMED_ONLY:
            strbuf_addf(out, "CB %d is waited for but no kernel fills it", (int)f->index);
            break;
        case CB_OVER_LIMIT:
            strbuf_addf(out, "%llu B per core do not fit the %llu B there are", (unsigned long long)f->bytes,
                        (unsigned long long)f->limit);
            break;
        case CB_BAD_PAGES:
            strbuf_addf(out, "CB %d: %llu B are no multiple of its page of %llu B", (int)f->index, (unsigned long long)f->bytes,
                        (unsigned long long)f->limit);
            break;
        case CB_SAME_INDEX:
            strbuf_addf(out, "CB %d is made a second time on the same cores (first at line %llu)", (int)f->index,
                        (unsigned long long)f->limit);
            break;
        case CB_MANY_PAGES:
            strbuf_addf(out, "CB %d has %llu pages: no more than %llu can be counted", (int)f->index,
                        (unsigned long long)f->bytes, (unsigned long long)f->limit);
            break;
        case CB_NO_PAGE_SIZE:
            strbuf_addf(out, "CB %d is never given a page size", (int)f->index);
            break;
        case CB_NO_BYTES:
            strbuf_addf(out, "CB %d has no bytes", (int)f->index);
            break;
        case CB_BAD_INDEX:
            strbuf_addf(out, "CB %d does not exist: the chip has %llu", (int)f->index, (unsigned long long)f->limit);
            break;
    }
}
