/* SPDX-License-Identifier: Apache-2.0 */
#include "base/amounts.h"
#include "base/num.h"
#include "predict/show/show.h"

static bool is_shown(const struct op_state *s) { return s->op == IR_NONE || s->record != IR_NONE; }

static void right(struct strbuf *out, const char *text, size_t width) {
    size_t len = strlen(text);
    strbuf_fill(out, ' ', len < width ? width - len : 0);
    strbuf_addz(out, text);
}

/* What the log says about the op of that state, or NULL. States come in order; `next` is where the previous one was found. */
static const struct compare_op *logged_of(const struct compare *c, uint32_t state, size_t *next) {
    for (; c && *next < c->ops.len && c->ops.items[*next].state <= state; (*next)++)
        if (c->ops.items[*next].state == state) return &c->ops.items[*next];
    return NULL;
}

/* A table of what each op changed. Freed values count where they are freed: at the following deallocate, which has no row of
 * its own. The log shows the change up to the next op, next to the prediction for it. */
void show_per_op_text(struct strbuf *out, const struct term *term, const struct show *show) {
    const struct replay *r = &show->prediction->replay;
    const struct compare *c = show->compare;
    size_t next = 0;
    strbuf_addf(out, "\n   line     delta      DRAM        L1   largest  temporary%s  op (MB per bank, after the op)\n",
                c ? "    logged predicted" : "");
    for (size_t i = 0; i < r->states.len; i++) {
        const struct op_state *s = &r->states.items[i];
        if (!is_shown(s)) continue;
        const struct ir_op *op = place_op(r, s);
        right(out, op ? figure_grouped(op->line).text : "-", 7);
        right(out, figure_change(num_bytes_to_milli_mb(s->dram_after) - num_bytes_to_milli_mb(s->dram_before), 3).text, 10);
        right(out, figure_milli(num_bytes_to_milli_mb(s->dram_after), 3).text, 10);
        right(out, figure_milli(num_bytes_to_milli_mb(s->l1_after), 3).text, 10);
        right(out, figure_milli(num_bytes_to_milli_mb(s->largest_after), 3).text, 10);
        right(out, figure_milli(num_bytes_to_milli_mb(s->temporaries), 3).text, 11);
        const struct compare_op *logged = logged_of(c, (uint32_t)i, &next);
        if (c) {
            right(out, logged ? figure_change(logged->logged, 3).text : "-", 10);
            right(out, logged ? figure_change(logged->predicted, 3).text : "-", 10);
        }
        strbuf_addz(out, s->caller == IR_NONE ? "  " : "    ");
        if (op) {
            term_text(out, term, op->name, 0);
            strbuf_addc(out, ' ');
            term_text(out, term, op->ssa, 0);
        } else {
            strbuf_addz(out, "arguments");
        }
        strbuf_addc(out, '\n');
    }
}

void show_per_op_json(struct json *j, const struct show *show) {
    const struct replay *r = &show->prediction->replay;
    size_t next = 0;
    json_key(j, "ops");
    if (!show->per_op) {
        json_null(j);
        return;
    }
    json_array(j);
    for (size_t i = 0; i < r->states.len; i++) {
        const struct op_state *s = &r->states.items[i];
        if (!is_shown(s)) continue;
        const struct ir_op *op = place_op(r, s);
        json_object(j);
        json_key(j, "op");
        show_op_json(j, r, s);
        if (op && op->ssa.len) json_member_str(j, "ssa", op->ssa);
        else json_member_null(j, "ssa");
        json_member_i64(j, "change_bytes_per_bank", (int64_t)(s->dram_after - s->dram_before));
        json_member_u64(j, "dram_bytes_per_bank", s->dram_after);
        json_member_u64(j, "l1_bytes_per_bank", s->l1_after);
        json_member_u64(j, "largest_free_bytes_per_bank", s->largest_after);
        json_member_u64(j, "temporaries_bytes_per_bank", s->temporaries);
        /* as the log prints them: rounded to thousandths of a MB */
        const struct compare_op *logged = logged_of(show->compare, (uint32_t)i, &next);
        json_key(j, "until_next_op");
        if (logged) {
            json_object(j);
            json_member_i64(j, "logged_bytes_per_bank", num_milli_mb_to_bytes(logged->logged));
            json_member_i64(j, "predicted_bytes_per_bank", num_milli_mb_to_bytes(logged->predicted));
            json_object_end(j);
        } else {
            json_null(j);
        }
        json_object_end(j);
    }
    json_array_end(j);
}
