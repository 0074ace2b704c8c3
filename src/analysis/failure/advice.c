/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/advice.h"

#include "analysis/failure/advice_rows.h"

static size_t name_len(const char *text) {
    size_t len = 0;
    while (text[len] == '_' || (text[len] >= 'a' && text[len] <= 'z') || (text[len] >= '0' && text[len] <= '9')) len++;
    return len;
}

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

/* `line` is room to write in. */
static bool fill_kept(const char *text, const struct figures *x, struct strbuf *line, struct arena *arena, struct slice *out) {
    strbuf_clear(line);
    bool filled = fill(line, text, x);
    if (filled) *out = arena_copy(arena, strbuf_slice(line));
    return filled;
}

bool advice_fill(const char *text, const struct failure *f, const struct failure_context *context, struct arena *arena,
                 const struct verdict *v, struct slice *out) {
    struct figures x = {f, context, v};
    struct strbuf line = {0};
    bool filled = fill_kept(text, &x, &line, arena, out);
    strbuf_release(&line);
    return filled;
}

static bool row_fits(const struct advice_row *row, const struct failure *f, const struct failure_context *context,
                     const struct verdict *v) {
    if (!(row->verdicts >> v->kind & 1) || !(row->pools >> f->pool & 1)) return false;
    if (row->kinds && !(row->kinds >> f->kind & 1)) return false;
    if (row->products && !(row->products >> context->product & 1)) return false;
    if (row->phases && !(row->phases >> context->phase & 1)) return false;
    bool tells = row->worth == ROW_NOTICE || row->worth == ROW_REMARK;
    if (v->kind == VERDICT_UNKNOWN && advice_request_fits(f, v) && !tells) return false;
    return !row->ops || row->ops & advice_op_family(context->op);
}

/* A row that applies, with its figures filled in. */
struct remedy {
    const struct advice_row *row;
    struct slice text;
    struct advice_gain gain;
    enum advice_worth worth;
};

enum { CANDIDATES = 14, LAST_PLACE = 7 };

static size_t collect(const struct failure *f, const struct failure_context *context, struct arena *arena,
                      const struct verdict *v, struct remedy out[CANDIDATES]) {
    const struct figures x = {f, context, v};
    struct strbuf line = {0};
    size_t count = 0;
    for (const struct advice_row *const *table = advice_tables; *table; table++) {
        for (const struct advice_row *row = *table; row->text && count < CANDIDATES; row++) {
            if (!row_fits(row, f, context, v)) continue;
            if (v->contradiction.len && count && f->kind != FAILURE_OOM) break; /* the rest is about running out */
            struct remedy *c = &out[count];
            *c = (struct remedy){.row = row};
            if (!fill_kept(row->text, &x, &line, arena, &c->text)) continue;
            struct advice_gain gain = {0};
            if (row->gain && !v->contradiction.len && row->gain(&x, &gain)) c->gain = gain;
            count++;
        }
    }
    strbuf_release(&line);
    return count;
}

static bool is_counted(const struct remedy *c) { return c->gain.space || c->gain.request; }

static enum advice_worth worth_of(const struct failure *f, const struct remedy *c) {
    switch (c->row->worth) {
        case ROW_REMARK:
        case ROW_NOTICE:
            return ADVICE_REMARK;
        case ROW_ENOUGH:
            return ADVICE_ENOUGH;
        case ROW_GOAL:
            return ADVICE_GOAL;
        case ROW_MAY_HELP:
            break;
    }
    if (!is_counted(c)) return ADVICE_NOT_KNOWN;
    return gains_suffice(f, &c->gain) ? ADVICE_ENOUGH : gains_fall_short(f, &c->gain) ? ADVICE_SHORT : ADVICE_NOT_KNOWN;
}

/* Marks advice that is enough alone; if nothing concrete is, finds the smallest set that is enough together. Returns that
 * set. */
static unsigned weigh(const struct failure *f, struct remedy *c, size_t count, struct verdict *v) {
    struct advice_gain gains[CANDIDATES] = {{0}};
    bool alone = false;
    for (size_t i = 0; i < count; i++) {
        gains[i] = c[i].gain;
        c[i].worth = worth_of(f, &c[i]);
        if (v->contradiction.len && c[i].worth != ADVICE_REMARK) c[i].worth = ADVICE_NOT_KNOWN; /* no figure can be trusted */
        alone |= c[i].worth == ADVICE_ENOUGH;
    }
    unsigned together = alone ? 0 : gains_smallest_set(f, gains, count);
    for (size_t i = 0; i < count; i++)
        if (together >> i & 1) c[i].worth = ADVICE_PART;
    struct advice_gain sum = gains_sum(gains, count, together);
    v->missing = gain_missing(f);
    v->missing_in_sum = gain_missing_in_sum(f);
    v->missing_in_one_piece = gain_in_one_piece(f);
    v->gained = alone ? 0 : gain_total(&sum);
    return together;
}

/* First what is enough, then what the log gives figures for, remarks last. */
static int place_of(const struct remedy *c) {
    static const int places[] = {[ADVICE_ENOUGH] = 1, [ADVICE_PART] = 2,      [ADVICE_GOAL] = 3,
                                 [ADVICE_SHORT] = 5,  [ADVICE_NOT_KNOWN] = 6, [ADVICE_REMARK] = LAST_PLACE};
    if (c->row->worth == ROW_NOTICE) return 0;
    return c->worth == ADVICE_NOT_KNOWN && is_counted(c) ? 4 : places[c->worth];
}

void advice_add(const struct failure *f, const struct failure_context *context, struct arena *arena, struct verdict *v) {
    struct remedy c[CANDIDATES] = {{0}};
    size_t count = collect(f, context, arena, v, c);
    unsigned together = weigh(f, c, count, v);
    for (int place = 0; place <= LAST_PLACE; place++) {
        for (size_t i = 0; i < count && v->advice_len < VERDICT_ADVICE_MAX; i++) {
            if (place_of(&c[i]) != place) continue;
            v->advice[v->advice_len] = c[i].text;
            v->worth[v->advice_len] = (uint8_t)c[i].worth;
            v->gain[v->advice_len] = gain_total(&c[i].gain);
            v->together |= (together >> i & 1) << v->advice_len;
            v->advice_len++;
        }
    }
    v->sufficient = v->advice_len;
    for (size_t i = v->advice_len; i-- > 0;)
        if (v->worth[i] == ADVICE_ENOUGH || v->worth[i] == ADVICE_GOAL) v->sufficient = i;
}
