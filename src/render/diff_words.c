#include "base/num.h"
#include "render/amounts.h"
#include "render/diff.h"

enum { NAMES_SHOWN = 6 };

void add_signed_size(struct strbuf *out, int64_t bytes) {
    uint64_t magnitude = bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes;
    strbuf_addc(out, bytes < 0 ? '-' : '+');
    if (magnitude >= 10240 || !magnitude) {
        add_mb(out, magnitude, 3);
        strbuf_addz(out, " MB");
    } else {
        add_size(out, magnitude);
    }
}

static const struct footprint_tensor *shown_tensor(const struct diff *d, const struct diff_tensor *row,
                                                   const struct footprint **of) {
    *of = row->b != NONE ? d->b : d->a;
    return row->b != NONE ? &d->b->tensors.items[row->b] : &d->a->tensors.items[row->a];
}

void diff_tensor_title(struct strbuf *out, const struct diff *d, const struct diff_tensor *row) {
    const struct footprint *f;
    const struct footprint_tensor *t = shown_tensor(d, row, &f);
    if (t->kind == NONE) {
        strbuf_add(out, t->name ? footprint_text(f, t->name) : SLICE("argument"));
        return;
    }
    const struct footprint_kind *kind = &f->kinds.items[t->kind];
    if (t->op != NONE) strbuf_addf(out, "#%u ", t->op);
    strbuf_add(out, footprint_text(f, kind->name));
    if (t->result) strbuf_addf(out, ":%u", t->result);
    if (kind->location) strbuf_addz(out, "  ");
    strbuf_add(out, footprint_text(f, kind->location));
}

static struct slice or_dash(struct slice s) { return s.len ? s : SLICE("-"); }

static void add_change(struct strbuf *out, struct slice from, struct slice to, const char *arrow) {
    strbuf_add(out, or_dash(from));
    strbuf_addz(out, arrow);
    strbuf_add(out, or_dash(to));
}

static void add_shape(struct strbuf *out, const struct footprint *f, const struct footprint_type *type) {
    strbuf_add(out, type->shape ? footprint_text(f, type->shape) : SLICE("scalar"));
    strbuf_addc(out, ' ');
    strbuf_add(out, footprint_text(f, type->dtype));
}

static void add_padding(struct strbuf *out, const struct footprint_type *type) {
    uint64_t over = type->padded_bytes > type->logical_bytes ? type->padded_bytes - type->logical_bytes : 0;
    add_percent(out, (int64_t)over, type->logical_bytes);
}

void diff_tensor_change(struct strbuf *out, const struct diff *d, const struct diff_tensor *row, enum diff_cause cause,
                        const char *arrow) {
    const struct footprint *f;
    const struct footprint_tensor *t = shown_tensor(d, row, &f);
    if (t->type >= f->types.len) return;
    if (row->a == NONE || row->b == NONE) {
        add_shape(out, f, &f->types.items[t->type]);
        if (cause == CAUSE_LAYOUT && f->types.items[t->type].layout) {
            strbuf_addz(out, ", ");
            strbuf_add(out, footprint_text(f, f->types.items[t->type].layout));
        }
        return;
    }
    const struct footprint_type *from = &d->a->types.items[d->a->tensors.items[row->a].type];
    const struct footprint_type *to = &d->b->types.items[d->b->tensors.items[row->b].type];
    switch (cause) {
        case CAUSE_DTYPE:
            add_change(out, footprint_text(d->a, from->dtype), footprint_text(d->b, to->dtype), arrow);
            break;
        case CAUSE_LAYOUT:
            add_change(out, footprint_text(d->a, from->layout), footprint_text(d->b, to->layout), arrow);
            break;
        case CAUSE_GRID:
            add_change(out, footprint_text(d->a, from->grid), footprint_text(d->b, to->grid), arrow);
            break;
        case CAUSE_PADDING:
            add_padding(out, from);
            strbuf_addz(out, arrow);
            add_padding(out, to);
            break;
        case CAUSE_BANKS:
            add_shape(out, d->b, to);
            break;
        default:
            add_change(out, footprint_text(d->a, from->shape), footprint_text(d->b, to->shape), arrow);
    }
}

static void add_names(struct strbuf *out, const struct footprint *f, const uint32_t *ops, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end && i < begin + NAMES_SHOWN; i++) {
        if (i > begin) strbuf_addz(out, ", ");
        strbuf_add(out, footprint_op_name(f, ops[i]));
    }
    if (end - begin > NAMES_SHOWN) strbuf_addf(out, " and %u more", end - begin - NAMES_SHOWN);
}

void diff_rewrite_text(struct strbuf *out, const struct diff *d, const struct diff_rewrite *rewrite, const char *arrow) {
    const struct diff_hunk *hunk = &d->hunks.items[rewrite->hunk];
    bool removes = hunk->a < hunk->a_end, adds = hunk->b < hunk->b_end;
    if (!adds) strbuf_addz(out, "- ");
    if (!removes) strbuf_addz(out, "+ ");
    add_names(out, d->a, d->a_ops.items, hunk->a, hunk->a_end);
    if (removes && adds) strbuf_addz(out, arrow);
    add_names(out, d->b, d->b_ops.items, hunk->b, hunk->b_end);
}

const char *diff_class_words(const struct diff_part *part) {
    return part->class < LIVE_CLASS_COUNT ? live_class_names[part->class] : "all";
}

void diff_headline(struct strbuf *out, const struct diff *d) {
    const struct diff_pool *dram = &d->pools[POOL_DRAM];
    if (!dram->seen) {
        strbuf_addz(out, "DRAM peaks are not known in both runs");
        return;
    }
    if (!dram->difference) {
        strbuf_addz(out, "DRAM peak unchanged");
        return;
    }
    strbuf_addz(out, "DRAM peak ");
    add_signed_size(out, dram->difference);
    strbuf_addz(out, " per bank (");
    if (dram->difference > 0) strbuf_addc(out, '+');
    add_percent(out, dram->difference, (uint64_t)milli_mb_bytes(d->a->pools[POOL_DRAM].peak));
    strbuf_addc(out, ')');
    if (!dram->parts.len) return;
    const struct diff_part *part = &dram->parts.items[0];
    strbuf_addf(out, ", mostly %s: %s", diff_class_words(part), diff_cause_words[part->cause]);
}
