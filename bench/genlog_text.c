/* SPDX-License-Identifier: Apache-2.0 */
/* MLIR text of ops and locations in both spellings: expanded (op lines) and with aliases (module dumps). */
#include "genlog.h"

#include <string.h>

void value_text(struct text *t, const struct value *v) {
    if (v->arg >= 0) text_printf(t, "%%arg%d", v->arg);
    else if (v->res >= 0) text_printf(t, "%%%d#%d", v->ssa, v->res);
    else text_printf(t, "%%%d", v->ssa);
}

/* The text between `loc(` and `)` with everything expanded. */
void loc_text(struct text *t, const struct loc *l) {
    switch (l ? l->kind : LOC_UNKNOWN) {
        case LOC_UNKNOWN:
            text_puts(t, "unknown");
            break;
        case LOC_NAME:
            text_printf(t, "\"%s\"", l->name);
            break;
        case LOC_CHILD:
            text_printf(t, "\"%s\"(", l->name);
            loc_text(t, l->a);
            text_puts(t, ")");
            break;
        case LOC_FILE:
            text_printf(t, "\"%s\":%u:%u", l->name, l->line, l->col);
            break;
        case LOC_FUSED:
        case LOC_FUSED_META:
            text_puts(t, l->kind == LOC_FUSED ? "fused[" : "fused<\"meta\">[");
            loc_text(t, l->a);
            text_puts(t, ", ");
            loc_text(t, l->b);
            text_puts(t, "]");
            break;
        case LOC_CALLSITE:
            text_puts(t, "callsite(");
            loc_text(t, l->a);
            text_puts(t, " at ");
            loc_text(t, l->b);
            text_puts(t, ")");
            break;
    }
}

static void put_loc(struct text *t, const struct loc *l, bool alias) {
    text_puts(t, " loc(");
    if (!alias) loc_text(t, l);
    else if (!l) text_puts(t, "#loc");
    else text_printf(t, "#loc%u", l->alias_id);
    text_puts(t, ")");
}

static void put_type(struct text *t, const struct type *y, bool alias) {
    if (!alias || y->kind != TYPE_TENSOR) text_puts(t, y->full);
    else if (y->alias_id) text_printf(t, "%s, #ttnn_layout%u>", y->head, y->alias_id);
    else text_printf(t, "%s, #ttnn_layout>", y->head);
}

/* Attributes are kept expanded; a module dump shortens the buffer types in them. */
static void put_attrs(struct text *t, const char *attrs, bool alias) {
    static const char *const pairs[][2] = {{"memory_config<<dram>", "memory_config<#dram"},
                                           {"memory_config<<l1>", "memory_config<#l1"}};
    const char *p = attrs, *hit = NULL;
    for (size_t i = 0; alias && i < ARRAY_LEN(pairs) && !hit; i++)
        if ((hit = strstr(p, pairs[i][0]))) {
            text_put(t, p, (size_t)(hit - p));
            text_puts(t, pairs[i][1]);
            p = hit + strlen(pairs[i][0]);
        }
    text_puts(t, p);
}

static void put_head(struct text *t, const struct fn *f, const struct op *op, bool alias) {
    if (op->result_count == 1) text_printf(t, "%%%d = ", op->ssa);
    else if (op->result_count > 1) text_printf(t, "%%%d:%d = ", op->ssa, op->result_count);
    bool call = !strcmp(op->name, "func.call"), cached = op->kind == OP_LOAD_CACHED;
    if (cached) text_printf(t, "ttcore.load_cached(%s, [", op->attrs);
    else if (call) text_printf(t, "%s %s(", alias ? "call" : "func.call", op->attrs);
    else text_printf(t, "\"%s\"(", op->name);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        text_puts(t, i ? ", " : "");
        value_text(t, &f->values[op->operands[i]]);
    }
    text_puts(t, cached ? "])" : ")");
    if (op->attrs && !cached && !call) {
        text_puts(t, " <{");
        put_attrs(t, op->attrs, alias);
        text_puts(t, "}>");
    }
    if (op->discard) text_printf(t, " {%s}", op->discard);
}

void op_text(struct gen *g, struct text *t, const struct fn *f, const struct op *op, bool alias) {
    (void)g;
    put_head(t, f, op, alias);
    text_puts(t, " : (");
    for (uint32_t i = 0; i < op->operand_count; i++) {
        text_puts(t, i ? ", " : "");
        put_type(t, f->values[op->operands[i]].type, alias);
    }
    text_puts(t, op->result_count == 1 ? ") -> " : ") -> (");
    for (int i = 0; i < op->result_count; i++) {
        text_puts(t, i ? ", " : "");
        put_type(t, f->values[op->first_result + i].type, alias);
    }
    text_puts(t, op->result_count == 1 ? "" : ")");
    put_loc(t, op->loc, alias);
}

/* Before 2025-06-17 the dialect `ttcore` was called `tt`. */
void undialect(struct gen *g, struct text *t) {
    if (!g->opt.old_dialect) return;
    char *from = t->p, *to = t->p, *end = t->p + t->len;
    while (from < end) {
        if (end - from >= 7 && !memcmp(from, "ttcore.", 7)) {
            memmove(to, "tt.", 3);
            to += 3;
            from += 7;
        } else {
            *to++ = *from++;
        }
    }
    t->len = (size_t)(to - t->p);
    *to = '\0';
}
