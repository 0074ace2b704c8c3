/* SPDX-License-Identifier: Apache-2.0 */
/* Values as text, and the names they depend on. */
#include <string.h>

#include "cb/interp/cb_value.h"

static const struct {
    const char *text;
    int rank; /* higher binds tighter; 0: written as a call */
} operators[] = {
    [OP_ADD] = {" + ", 6},
    [OP_SUB] = {" - ", 6},
    [OP_MUL] = {" * ", 7},
    [OP_DIV] = {" / ", 7},
    [OP_MOD] = {" % ", 7},
    [OP_SHL] = {" << ", 5},
    [OP_SHR] = {" >> ", 5},
    [OP_BIT_AND] = {" & ", 2},
    [OP_BIT_OR] = {" | ", 2},
    [OP_XOR] = {" ^ ", 2},
    [OP_LT] = {" < ", 4},
    [OP_LE] = {" <= ", 4},
    [OP_GT] = {" > ", 4},
    [OP_GE] = {" >= ", 4},
    [OP_EQ] = {" == ", 3},
    [OP_NE] = {" != ", 3},
    [OP_AND] = {" && ", 1},
    [OP_OR] = {" || ", 1},
    [OP_MIN] = {"min", 0},
    [OP_MAX] = {"max", 0},
    [OP_ROUND_UP] = {"round_up", 0},
    [OP_ROUND_DOWN] = {"round_down", 0},
    [OP_DIV_UP] = {"div_up", 0},
    [OP_NOT] = {"!", 8},
    [OP_NEG] = {"-", 8},
    [OP_TILE_BYTES] = {"tile_size", 0},
    [OP_ELEMENT_BYTES] = {"element_size", 0},
    [OP_COND] = {" ? ", 1},
};

/* Does the value contain an unknown without a name? Then the variable that holds it is the best name. */
static bool has_nameless(const struct val *v) {
    if (!v || (v->kind == VAL_NAMED && v->text.len)) return false;
    if (v->kind == VAL_NAMED) return has_nameless(v->a);
    if (v->kind == VAL_FREE) return true;
    if (v->kind != VAL_OP) return false;
    if (v->op == OP_TILE_BYTES || v->op == OP_ELEMENT_BYTES) return false;
    return has_nameless(v->a) || has_nameless(v->b) || has_nameless(v->c);
}

static void write_at(struct strbuf *out, const struct val *v, size_t limit, int outer) {
    if (out->len > limit) return;
    switch (v->kind) {
        case VAL_NUM:
            strbuf_addf(out, "%lld", (long long)v->num);
            return;
        case VAL_FORMAT:
            strbuf_addz(out, v->format->name);
            return;
        case VAL_TEXT:
        case VAL_FREE:
            strbuf_add(out, slice_take(v->text, limit));
            return;
        case VAL_NAMED:
            if (v->text.len && has_nameless(v->a)) strbuf_add(out, slice_take(v->text, limit));
            else write_at(out, v->a, limit, outer);
            return;
        case VAL_NULL:
            strbuf_addz(out, "nullptr");
            return;
        case VAL_LIST:
            strbuf_addc(out, '{');
            for (uint32_t i = 0; i < v->list->len && out->len <= limit; i++) {
                if (i) strbuf_addz(out, ", ");
                const struct val *item = v->list->items[i];
                write_at(out,
                         item->kind == VAL_LIST || item->kind == VAL_OBJECT
                             ? &(struct val){.kind = VAL_FREE, .text = SLICE("...")}
                             : item,
                         limit, 0);
            }
            strbuf_addz(out, v->list->open ? ", ...}" : "}");
            return;
        case VAL_OBJECT:
            strbuf_add(out, v->object->type);
            return;
        case VAL_LAMBDA:
            strbuf_addz(out, "[lambda]");
            return;
        case VAL_OP:
            break;
    }
    int rank = operators[v->op].rank;
    const char *text = operators[v->op].text;
    if (rank == 0) {
        strbuf_addf(out, "%s(", text);
        write_at(out, v->a, limit, 0);
        if (v->b) {
            strbuf_addz(out, ", ");
            write_at(out, v->b, limit, 0);
        }
        strbuf_addc(out, ')');
        return;
    }
    if (rank < outer) strbuf_addc(out, '(');
    if (!v->b) {
        strbuf_addz(out, text);
        write_at(out, v->a, limit, rank);
    } else {
        write_at(out, v->a, limit, rank);
        strbuf_addz(out, text);
        write_at(out, v->b, limit, rank + 1);
        if (v->c) {
            strbuf_addz(out, " : ");
            write_at(out, v->c, limit, rank);
        }
    }
    if (rank < outer) strbuf_addc(out, ')');
}

void val_write(struct strbuf *out, const struct val *value, size_t limit) {
    struct strbuf text = {0};
    write_at(&text, value, limit, 0);
    strbuf_add(out, slice_take(strbuf_slice(&text), limit));
    if (text.len > limit) strbuf_addz(out, "...");
    strbuf_release(&text);
}

bool val_is_closed(const struct val *value) {
    if (!value) return true;
    if (value->kind == VAL_FREE) return value->given;
    if (value->kind != VAL_NAMED && value->kind != VAL_OP) return true;
    return val_is_closed(value->a) && val_is_closed(value->b) && val_is_closed(value->c);
}

bool val_names_format(struct slice name) {
    static const char *const parts[] = {"tile_size",    "tile_bytes", "tile_nbytes", "datum_size",
                                        "element_size", "elem_size",  "data_format", "dtype"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (slice_find(name, slice_from(parts[i])) != SLICE_NONE) return true;
    return false;
}

static void walk(const struct val *v, bool by_format, val_name_fn *each, void *ctx) {
    if (!v) return;
    if (v->kind == VAL_FREE) {
        each(ctx, v->text, by_format || val_names_format(v->text));
    } else if (v->kind == VAL_NAMED) {
        if (v->text.len && has_nameless(v->a)) each(ctx, v->text, by_format || val_names_format(v->text));
        else walk(v->a, by_format, each, ctx);
    } else if (v->kind == VAL_OP) {
        bool below = by_format || v->op == OP_TILE_BYTES || v->op == OP_ELEMENT_BYTES;
        walk(v->a, below, each, ctx);
        walk(v->b, below, each, ctx);
        walk(v->c, below, each, ctx);
    }
}

void val_names(const struct val *value, val_name_fn *each, void *ctx) { walk(value, false, each, ctx); }

void val_unknowns(const struct val *value, val_name_fn *each, void *ctx) {
    if (!value) return;
    if (value->kind == VAL_FREE) each(ctx, value->text, false);
    if (value->kind != VAL_NAMED && value->kind != VAL_OP) return;
    val_unknowns(value->a, each, ctx);
    val_unknowns(value->b, each, ctx);
    val_unknowns(value->c, each, ctx);
}
