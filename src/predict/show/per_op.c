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

/* A table of what each op changed. Freed values count where they are freed: at the deallocate that follows, which has no row of
 * its own. */
void show_per_op_text(struct strbuf *out, const struct term *term, const struct prediction *p) {
    const struct replay *r = &p->replay;
    strbuf_addz(out, "\n   line     delta      DRAM        L1   largest  temporary  op (MB per bank, after the op)\n");
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

void show_per_op_json(struct json *j, const struct prediction *p, bool wanted) {
    const struct replay *r = &p->replay;
    json_key(j, "ops");
    if (!wanted) {
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
        json_object_end(j);
    }
    json_array_end(j);
}
