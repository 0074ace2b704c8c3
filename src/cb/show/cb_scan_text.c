/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/show/cb_scan_text.h"

#include "base/amounts.h"
#include "base/num.h"
#include "device/chip.h"
#include "cb/show/cb_text.h"

const char *cb_kind_name(enum cb_kind kind) {
    static const char *const names[] = {[CB_CIRCULAR] = "circular", [CB_DATAFLOW] = "dataflow", [CB_SCRATCHPAD] = "scratchpad"};
    return names[kind];
}

const char *cb_strategy_name(enum cb_strategy strategy) {
    static const char *const names[] = {[CB_FIXED] = "fixed", [CB_ADAPTIVE] = "adaptive", [CB_TENSOR_BACKED] = "tensor-backed"};
    return names[strategy];
}

void cb_indices_write(struct strbuf *out, const struct cb_decl *d) {
    for (uint32_t k = 0; k < d->n_indices; k++) {
        if (k) strbuf_addc(out, '+');
        if (d->indices[k].index >= 0) strbuf_addf(out, "%d", (int)d->indices[k].index);
        else strbuf_addz(out, "?");
    }
}

void cb_conditions_write(struct strbuf *out, const struct term *term, const struct cb_decl *d) {
    bool first = true, sometimes = d->sometimes;
    for (uint32_t k = 0; k < d->n_conditions; k++) {
        sometimes |= !d->conditions[k].text.len; /* the deciding condition is unknown */
        if (!d->conditions[k].text.len || d->conditions[k].sides < 2) continue;
        strbuf_addz(out, first ? "  if " : " and ");
        if (!d->conditions[k].side) strbuf_addz(out, "not ");
        term_text(out, term, d->conditions[k].text, 40);
        first = false;
    }
    if (d->global) strbuf_addz(out, "  of a global circular buffer");
    if (sometimes && !d->repeats) strbuf_addz(out, first ? "  sometimes" : " and more");
    if (d->repeats) strbuf_addz(out, "  in a loop, maybe more");
    if (d->backed_when.len) {
        strbuf_addz(out, "  tensor-backed if ");
        term_text(out, term, d->backed_when, 40);
    }
}

static bool is_range(const struct cb_decl *d) { return d->min_bytes != d->max_bytes && (d->min_bytes || d->max_bytes >= 0); }

/* Width of the bytes column: bounds need more room than a number. */
static size_t bytes_width(const struct cb_file *file, uint32_t program) {
    for (size_t i = 0; i < file->source.decls.len; i++)
        if (file->source.decls.items[i].program == program && is_range(&file->source.decls.items[i])) return 21;
    return 11;
}

/* Dataflow buffers have names instead of indices. */
static size_t names_width(const struct cb_file *file, uint32_t program) {
    size_t width = 7;
    for (size_t i = 0; i < file->source.decls.len; i++) {
        const struct cb_decl *d = &file->source.decls.items[i];
        if (d->program != program || d->kind == CB_CIRCULAR) continue;
        size_t needs = (d->name.len > 24 ? 24 : d->name.len) + 2;
        if (needs < 8) needs = 8;
        if (needs > width) width = needs;
    }
    return width;
}

/* A formula says more than the names of the source; a number is in the columns before. */
static bool is_formula(struct slice text) {
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < '0' || text.ptr[i] > '9') return true;
    return false;
}

static void decl_line(struct strbuf *out, const struct term *term, const struct cb_decl *d, size_t width, size_t name_width) {
    struct strbuf cell = {0};
    strbuf_addz(out, "    ");
    if (d->kind == CB_CIRCULAR) cb_indices_write(&cell, d);
    else term_text(&cell, term, d->name.len ? d->name : SLICE("?"), 24);
    text_left(out, strbuf_slice(&cell), name_width);
    strbuf_clear(&cell);
    strbuf_addf(out, "%6u  ", d->line);
    text_bounds(&cell, (uint64_t)d->min_bytes, (uint64_t)d->max_bytes, d->max_bytes >= 0);
    text_right(out, strbuf_slice(&cell), width);
    strbuf_clear(&cell);
    int64_t page = d->indices[0].page_bytes;
    if (page > 0 && d->total_bytes >= 0) strbuf_addf(&cell, "%lld x %lld", (long long)(d->total_bytes / page), (long long)page);
    text_right(out, strbuf_slice(&cell), 14);
    strbuf_clear(&cell);
    strbuf_addz(out, "  ");
    term_text(&cell, term, d->indices[0].format, 18);
    text_left(out, strbuf_slice(&cell), 19);
    text_left(out, slice_from(cb_strategy_name(d->strategy)), 14);
    term_text(out, term, is_formula(d->total_folded) ? d->total_folded : d->total_expr, 96);
    if (d->n_adapts_to && !d->tensor_backed) {
        term_tone(out, term, TONE_DIM);
        strbuf_addz(out, "  by ");
        for (uint32_t k = 0; k < d->n_adapts_to && k < 4; k++) {
            if (k) strbuf_addz(out, ", ");
            term_text(out, term, d->adapts_to[k], 40);
        }
        if (d->n_adapts_to > 4) strbuf_addz(out, ", ...");
        term_tone(out, term, TONE_PLAIN);
    }
    bool index_unknown = d->indices[0].index < 0 && d->indices[0].index_expr.len;
    if (d->kind == CB_CIRCULAR && d->name.len && !index_unknown) {
        strbuf_addz(out, "  ");
        term_text(out, term, d->name, 32);
    }
    if (d->kind == CB_SCRATCHPAD) strbuf_addz(out, "  scratchpad");
    if (d->alias.len) {
        strbuf_addz(out, "  memory of ");
        term_text(out, term, d->alias, 24);
    }
    if (index_unknown) {
        strbuf_addz(out, "  index ");
        term_text(out, term, d->indices[0].index_expr, 40);
    }
    cb_conditions_write(out, term, d);
    strbuf_addc(out, '\n');
    strbuf_release(&cell);
}

static void total_write(struct strbuf *out, const struct cb_total *t, uint64_t space) {
    text_bounds(out, t->min_bytes, t->max_bytes, t->bounded);
    strbuf_addz(out, " of ");
    add_grouped(out, space);
    strbuf_addz(out, " B per core");
    uint64_t shown = t->bounded ? t->max_bytes : t->min_bytes;
    if (!t->bounded && !shown) return;
    strbuf_addf(out, ", %s%s %%", cb_total_is_known(t) || !t->bounded ? "" : "at most ",
                figure_percent((int64_t)shown, space, 1).text);
}

/* What a kernel does with a circular buffer. */
enum use_role { USE_FILLS, USE_EMPTIES, USE_BOTH, USE_ELSEWHERE, USE_ROLES };

static enum use_role use_role(const struct kernel_cb_use *use) {
    bool fills = use->ops[KERNEL_PUSH] || use->ops[KERNEL_RESERVE], empties = use->ops[KERNEL_WAIT] || use->ops[KERNEL_POP];
    return fills ? (empties ? USE_BOTH : USE_FILLS) : empties ? USE_EMPTIES : USE_ELSEWHERE;
}

static void use_name(struct strbuf *out, const struct kernel_cb_use *use) {
    if (use->name.text[0]) strbuf_addz(out, use->name.text);
    else if (use->index < 0) strbuf_addz(out, "?");
    else strbuf_addf(out, "CB %d", (int)use->index);
}

/* "fills CB 0, CB 1; empties CB 2". "CB 3 ?" is passed to a function or macro that is not available. */
static void uses_write(struct strbuf *out, const struct cb_file *file, uint32_t program, const struct kernel_facts *facts,
                       const char *between) {
    static const char *const words[USE_ROLES] = {
        [USE_FILLS] = "fills ", [USE_EMPTIES] = "empties ", [USE_BOTH] = "fills and empties ", [USE_ELSEWHERE] = ""};
    for (enum use_role role = 0; role < USE_ROLES; role++) {
        bool first = true;
        for (size_t u = 0; u < facts->uses.len; u++) {
            const struct kernel_cb_use *use = &facts->uses.items[u];
            if (use_role(use) != role) continue;
            if (role == USE_ELSEWHERE && (!use->elsewhere || !cb_file_has_index(file, program, use->index))) continue;
            strbuf_addz(out, between);
            if (first) strbuf_addz(out, words[role]);
            use_name(out, use);
            if (role == USE_ELSEWHERE) strbuf_addz(out, " ?");
            between = ", ";
            first = false;
        }
        if (!first) between = "; ";
    }
}

static void kernel_lines(struct strbuf *out, const struct term *term, const struct cb_file *file, uint32_t program) {
    for (size_t i = 0; i < file->kernels.len; i++) {
        const struct cb_kernel *k = &file->kernels.items[i];
        if (k->program != program) continue;
        strbuf_addz(out, "    kernel ");
        struct slice name = k->path;
        for (size_t c = name.len; c-- > 0;)
            if (name.ptr[c] == '/') {
                name = slice_skip(name, c + 1);
                break;
            }
        term_text(out, term, name.len ? name : SLICE("(path is not a literal)"), 56);
        if (!k->file.len) {
            term_tone(out, term, TONE_DIM);
            strbuf_addz(out, name.len ? "  not found from here" : "");
            term_tone(out, term, TONE_PLAIN);
        } else {
            const char *between = "  ";
            if (!k->facts.understood) {
                strbuf_addz(out, "  partly understood");
                between = ", ";
            }
            uses_write(out, file, program, &k->facts, between);
        }
        strbuf_addc(out, '\n');
    }
}

struct kind_counts {
    size_t of[3];
};

/* "3 circular buffers, 1 scratchpad" */
static void kinds_write(struct strbuf *out, struct kind_counts counts) {
    static const char *const words[] = {
        [CB_CIRCULAR] = "circular buffer", [CB_DATAFLOW] = "dataflow buffer", [CB_SCRATCHPAD] = "scratchpad"};
    bool none = !counts.of[CB_CIRCULAR] && !counts.of[CB_DATAFLOW] && !counts.of[CB_SCRATCHPAD], any = false;
    for (unsigned k = 0; k < 3; k++) {
        if (!counts.of[k] && !(none && k == CB_CIRCULAR)) continue;
        strbuf_addf(out, "%s%zu %s%s", any ? ", " : "", counts.of[k], words[k], counts.of[k] == 1 ? "" : "s");
        any = true;
    }
}

/* Does the function make several programs? Then the variable tells which one it is. */
static bool is_one_of_several(const struct cb_file *file, uint32_t program) {
    const struct cb_program *all = file->source.programs.items;
    for (uint32_t p = 0; p < file->totals.len; p++)
        if (p != program && file->totals.items[p].buffers && all[p].line == all[program].line &&
            slice_equal(all[p].function, all[program].function))
            return true;
    return false;
}

static void file_text(struct strbuf *out, const struct term *term, const struct cb_file *file, const struct chip *chip) {
    term_tone(out, term, TONE_BOLD);
    term_text(out, term, file->path, 0);
    term_tone(out, term, TONE_PLAIN);
    strbuf_addc(out, '\n');
    if (file->source.partial) {
        term_tone(out, term, TONE_WARN);
        strbuf_addz(out, "  partly understood: ");
        strbuf_add(out, file->source.partial_reason);
        term_tone(out, term, TONE_PLAIN);
        strbuf_addc(out, '\n');
    }
    for (uint32_t p = 0; p < file->totals.len; p++) {
        const struct cb_total *t = &file->totals.items[p];
        if (!t->buffers) continue;
        strbuf_addz(out, "  ");
        term_text(out, term, file->source.programs.items[p].function, 60);
        if (is_one_of_several(file, p)) {
            strbuf_addz(out, ", ");
            term_text(out, term, file->source.programs.items[p].variable, 40);
        }
        strbuf_addz(out, term_dot(term));
        kinds_write(out, (struct kind_counts){{t->kinds[CB_CIRCULAR], t->kinds[CB_DATAFLOW], t->kinds[CB_SCRATCHPAD]}});
        strbuf_addz(out, term_dot(term));
        total_write(out, t, chip_l1_bank_bytes(chip));
        strbuf_addc(out, '\n');
        term_tone(out, term, TONE_DIM);
        size_t width = bytes_width(file, p), name_width = names_width(file, p);
        bool has_names = name_width > 7;
        strbuf_addz(out, "    ");
        text_left(out, has_names ? SLICE("buffer") : SLICE("CB"), name_width);
        strbuf_addz(out, "  line");
        text_right(out, SLICE("bytes"), width + 2);
        strbuf_addz(out, "         pages  format             strategy      size\n");
        term_tone(out, term, TONE_PLAIN);
        for (size_t i = 0; i < file->source.decls.len; i++)
            if (file->source.decls.items[i].program == p) decl_line(out, term, &file->source.decls.items[i], width, name_width);
        kernel_lines(out, term, file, p);
    }
    for (size_t i = 0; i < file->source.helpers.len; i++) {
        strbuf_addf(out, "  helper ");
        term_text(out, term, file->source.helpers.items[i].name, 60);
        const struct cb_helper *h = &file->source.helpers.items[i];
        strbuf_addf(out, " at line %u makes a buffer of what it is given", h->line);
        if (h->max_bytes >= 0 || h->min_bytes > 0) {
            strbuf_addz(out, ", ");
            text_bounds(out, (uint64_t)h->min_bytes, (uint64_t)h->max_bytes, h->max_bytes >= 0);
            strbuf_addz(out, " B");
        } else if (h->total.len) {
            strbuf_addz(out, ", ");
            term_text(out, term, h->total, 60);
            strbuf_addz(out, " B");
        }
        strbuf_addz(out, "; nothing in this file calls it\n");
    }
    if (file->source.unread.len) {
        const struct cb_unread *first = &file->source.unread.items[0];
        size_t n = file->source.unread.len;
        strbuf_addf(out, "  %zu buffer%s whose size is not read, first at line %u: ", n, n == 1 ? "" : "s", first->line);
        strbuf_add(out, first->reason);
        strbuf_addc(out, '\n');
    }
    for (size_t i = 0; i < file->findings.len; i++) {
        term_tone(out, term, TONE_WARN);
        strbuf_addf(out, "  line %u: ", file->findings.items[i].line);
        cb_finding_write(out, file, &file->findings.items[i]);
        term_tone(out, term, TONE_PLAIN);
        strbuf_addc(out, '\n');
    }
    strbuf_addc(out, '\n');
}

static void brief_text(struct strbuf *out, const struct term *term, struct cb_files files) {
    term_tone(out, term, TONE_DIM);
    strbuf_addz(out, "  buffers  backed  adaptive            bytes per core  source\n");
    term_tone(out, term, TONE_PLAIN);
    for (size_t i = 0; i < files.len; i++) {
        const struct cb_file *f = &files.items[i];
        if (!f->source.decls.len && !f->source.partial) continue;
        uint32_t backed = 0, adaptive = 0;
        for (size_t p = 0; p < f->totals.len; p++) {
            backed += f->totals.items[p].tensor_backed;
            adaptive += f->totals.items[p].adaptive;
        }
        struct strbuf bytes = {0};
        if (f->source.decls.len || f->largest.bounded)
            text_bounds(&bytes, f->largest.min_bytes, f->largest.max_bytes, f->largest.bounded);
        strbuf_addf(out, "  %7zu  %6u  %8u  ", f->source.decls.len, backed, adaptive);
        text_right(out, strbuf_slice(&bytes), 24);
        strbuf_addz(out, "  ");
        term_text(out, term, f->path, 0);
        if (f->source.partial) strbuf_addz(out, "  (partly understood)");
        if (f->findings.len) strbuf_addf(out, "  (%zu finding%s)", f->findings.len, f->findings.len == 1 ? "" : "s");
        strbuf_addc(out, '\n');
        strbuf_release(&bytes);
    }
    strbuf_addc(out, '\n');
}

void cb_scan_text(struct strbuf *out, const struct term *term, struct cb_files files, const struct chip *chip,
                  const struct cb_scan_counts *counts, bool brief) {
    struct kind_counts kinds = {{0}};
    size_t unread = 0, unread_file = 0;
    size_t with = 0, buffers = 0, backed = 0, adaptive = 0, partial = 0, findings = 0;
    for (size_t i = 0; i < files.len; i++) {
        const struct cb_file *f = &files.items[i];
        with += f->source.decls.len > 0;
        buffers += f->source.decls.len;
        partial += f->source.partial;
        findings += f->findings.len;
        if (!unread && f->source.unread.len) unread_file = i;
        unread += f->source.unread.len;
        for (size_t k = 0; k < f->source.decls.len; k++) kinds.of[f->source.decls.items[k].kind]++;
        for (size_t p = 0; p < f->totals.len; p++) {
            backed += f->totals.items[p].tensor_backed;
            adaptive += f->totals.items[p].adaptive;
        }
    }
    if (brief) brief_text(out, term, files);
    else
        for (size_t i = 0; i < files.len; i++) file_text(out, term, &files.items[i], chip);
    kinds_write(out, kinds);
    strbuf_addf(out, " in %zu of %zu file%s: %zu fixed, %zu adaptive, %zu tensor-backed", with, counts->files_read,
                counts->files_read == 1 ? "" : "s", buffers - adaptive - backed, adaptive, backed);
    if (partial) strbuf_addf(out, "; %zu file%s partly understood", partial, partial == 1 ? "" : "s");
    if (findings) strbuf_addf(out, "; %zu finding%s", findings, findings == 1 ? "" : "s");
    if (unread) {
        const struct cb_file *f = &files.items[unread_file];
        strbuf_addf(out, "; %zu buffer%s whose size is not read, first at ", unread, unread == 1 ? "" : "s");
        term_text(out, term, f->path, 0);
        strbuf_addf(out, ":%u", f->source.unread.items[0].line);
    }
    strbuf_addf(out, "%s%s, room for ", term_dot(term), chip->title);
    add_grouped(out, chip_l1_bank_bytes(chip));
    strbuf_addz(out, " B of circular buffers and L1 buffers per core\n");
    if (brief) strbuf_addz(out, "Next: ttmem l1 scan FILE, or --detail for all of it\n");
}

/* --- two versions --- */

static void size_write(struct strbuf *out, const struct term *term, const struct cb_decl *d) {
    if (d->max_bytes >= 0) {
        text_bounds(out, (uint64_t)d->min_bytes, (uint64_t)d->max_bytes, true);
        strbuf_addz(out, " B");
    } else {
        term_text(out, term, d->total_folded, 70);
    }
}

static void change_line(struct strbuf *out, const struct term *term, const struct cb_change *c) {
    static const char *const verbs[] = {
        [CB_ADDED] = "added", [CB_REMOVED] = "removed", [CB_RESIZED] = "resized", [CB_STRATEGY] = "strategy"};
    const struct cb_decl *d = c->after ? c->after : c->before;
    const struct cb_file *f = c->after ? c->after_file : c->before_file;
    struct strbuf cell = {0};
    strbuf_addz(out, "  ");
    text_left(out, slice_from(verbs[c->kind]), 10);
    bool named = d->kind != CB_CIRCULAR && d->name.len;
    strbuf_addz(&cell, d->kind == CB_DATAFLOW ? "DFB " : d->kind == CB_SCRATCHPAD ? "pad " : "CB ");
    if (named) term_text(&cell, term, d->name, 40);
    else cb_indices_write(&cell, d);
    text_left(out, strbuf_slice(&cell), 10);
    if (cell.len >= 10) strbuf_addc(out, ' ');
    strbuf_release(&cell);
    if (c->before) size_write(out, term, c->before);
    if (c->before && c->after) strbuf_addz(out, " -> ");
    if (c->after) size_write(out, term, c->after);
    if (c->kind == CB_STRATEGY)
        strbuf_addf(out, ", %s -> %s", cb_strategy_name(c->before->strategy), cb_strategy_name(c->after->strategy));
    else strbuf_addf(out, ", %s", cb_strategy_name(d->strategy));
    strbuf_addz(out, "  ");
    term_tone(out, term, TONE_DIM);
    term_text(out, term, f->path, 60);
    strbuf_addf(out, ":%u", d->line);
    term_tone(out, term, TONE_PLAIN);
    strbuf_addc(out, '\n');
}

static void version_write(struct strbuf *out, const struct cb_version *v) {
    text_bounds(out, v->min_bytes, v->max_bytes, v->bounded);
}

void cb_compare_text(struct strbuf *out, const struct term *term, const struct cb_comparison *comparison, const char *before,
                     const char *after) {
    strbuf_addz(out, "From ");
    term_text(out, term, slice_from(before), 0);
    strbuf_addz(out, " to ");
    term_text(out, term, slice_from(after), 0);
    strbuf_addf(out, ": %zu change%s\n", comparison->changes.len, comparison->changes.len == 1 ? "" : "s");
    for (size_t i = 0; i < comparison->changes.len; i++) change_line(out, term, &comparison->changes.items[i]);
    const struct cb_version *b = &comparison->before, *a = &comparison->after;
    strbuf_addf(out, "  buffers   %zu -> %zu\n  bytes     ", b->buffers, a->buffers);
    version_write(out, b);
    strbuf_addz(out, " -> ");
    version_write(out, a);
    bool several = a->files > 1 || b->files > 1;
    strbuf_addz(out, several ? " B per core, summed over files\n" : " B per core\n");
}
