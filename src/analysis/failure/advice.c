/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/advice.h"

#include "analysis/failure/advice_rows.h"

static size_t name_len(const char *text) { return strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789"); }

static bool fill(struct strbuf *out, const char *text, const struct figures *x) {
    while (*text) {
        size_t plain_len = strcspn(text, "$");
        strbuf_add(out, slice_of(text, plain_len));
        text += plain_len;
        if (!*text) break;
        size_t len = name_len(++text);
        if (!advice_figure(out, slice_of(text, len), x)) return false;
        text += len;
    }
    return true;
}

bool advice_fill(const char *text, const struct failure *f, const struct failure_context *context, struct arena *arena,
                 const struct verdict *v, struct slice *out) {
    struct figures x = {f, context, v};
    struct strbuf line = {0};
    bool filled = fill(&line, text, &x);
    if (filled) *out = arena_copy(arena, strbuf_slice(&line));
    strbuf_release(&line);
    return filled;
}

static bool op_fits(const char *ops, struct slice op) {
    for (const char *word = ops; word; word = strchr(word, '|') ? strchr(word, '|') + 1 : NULL)
        if (slice_find(op, slice_of(word, strcspn(word, "|"))) != SLICE_NONE) return true;
    return false;
}

static bool row_fits(const struct advice_row *row, const struct failure *f, const struct failure_context *context,
                     const struct verdict *v) {
    if (!(row->verdicts >> v->kind & 1) || !(row->pools >> f->pool & 1)) return false;
    if (row->kinds && !(row->kinds >> f->kind & 1)) return false;
    if (row->products && !(row->products >> context->product & 1)) return false;
    if (row->phases && !(row->phases >> context->phase & 1)) return false;
    return !row->ops || op_fits(row->ops, context->op);
}

void advice_add(const struct failure *f, const struct failure_context *context, struct arena *arena, struct verdict *v) {
    struct advice_gain gains[VERDICT_ADVICE_MAX] = {{0, 0}};
    unsigned enough = 0;
    for (const struct advice_row *row = advice_rows; row->text && v->advice_len < VERDICT_ADVICE_MAX; row++) {
        if (!row_fits(row, f, context, v)) continue;
        if (v->contradiction.len && v->advice_len && f->kind != FAILURE_OOM) break; /* the rest is about running out */
        if (!advice_fill(row->text, f, context, arena, v, &v->advice[v->advice_len])) continue;
        struct figures x = {f, context, v};
        struct advice_gain gain = {0, 0};
        if (row->gain && !v->contradiction.len && row->gain(&x, &gain)) gains[v->advice_len] = gain;
        enough |= (unsigned)row->enough << v->advice_len;
        v->advice_len++;
    }
    advice_choose(f, gains, enough, v);
}
