/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler's own L1 figures beside those of the replay. */
#include "base/amounts.h"
#include "predict/show/show.h"

enum { EVENTS_SHOWN = 5 };

void show_decision_text(struct strbuf *out, const struct term *term, const struct prediction *p,
                        const struct decision_trace *t) {
    uint64_t ours = 0;
    for (size_t i = 0; i < p->replay.runs.len; i++)
        if (p->replay.runs.items[i].peaks[POOL_L1].allocated > ours) ours = p->replay.runs.items[i].peaks[POOL_L1].allocated;
    strbuf_addz(out, "the compiler's plan for L1");
    if (t->function.len) {
        strbuf_addz(out, " of ");
        term_text(out, term, t->function, 0);
    }
    strbuf_addz(out, ", per core: at most ");
    add_size(out, t->most);
    strbuf_addz(out, " of a budget of ");
    add_size(out, t->budget);
    if (t->most_op.len) {
        strbuf_addz(out, " at ");
        term_text(out, term, t->most_op, 0);
    }
    strbuf_addz(out, "; tensors alone in the replay ");
    add_size(out, ours);
    strbuf_addf(out, "\n  %llu spills; %llu layouts in L1, %llu elsewhere\n", (unsigned long long)t->spills,
                (unsigned long long)t->l1_choices, (unsigned long long)t->dram_choices);
    for (size_t i = 0; i < t->events.len && i < EVENTS_SHOWN; i++) {
        const struct decision_event *e = &t->events.items[i];
        strbuf_addz(out, "  ");
        term_text(out, term, e->action, 0);
        strbuf_addz(out, " at ");
        term_text(out, term, e->op, 0);
        if (e->victim.len) {
            strbuf_addz(out, ": ");
            term_text(out, term, e->victim, 0);
        }
        if (e->details.len) {
            strbuf_addz(out, " (");
            term_text(out, term, e->details, 80);
            strbuf_addz(out, ")");
        }
        strbuf_addc(out, '\n');
    }
    if (t->events.len > EVENTS_SHOWN) strbuf_addf(out, "  ... and %zu more; --json lists all\n", t->events.len - EVENTS_SHOWN);
}

static void text_or_null(struct json *j, const char *key, struct slice text) {
    if (text.len) json_member_str(j, key, text);
    else json_member_null(j, key);
}

void show_decision_json(struct json *j, const struct decision_trace *t) {
    json_key(j, "decision_trace");
    if (!t) {
        json_null(j);
        return;
    }
    json_object(j);
    text_or_null(j, "function", t->function);
    json_member_u64(j, "op_count", t->ops);
    json_member_u64(j, "l1_budget_bytes_per_bank", t->budget);
    json_member_u64(j, "l1_peak_bytes_per_bank", t->most);
    text_or_null(j, "l1_peak_op_name", t->most_op);
    json_member_u64(j, "l1_at_end_bytes_per_bank", t->final_occupied);
    json_member_u64(j, "spill_count", t->spills);
    json_member_u64(j, "l1_layout_count", t->l1_choices);
    json_member_u64(j, "other_layout_count", t->dram_choices);
    json_key(j, "events");
    json_array(j);
    for (size_t i = 0; i < t->events.len; i++) {
        const struct decision_event *e = &t->events.items[i];
        json_object(j);
        json_member_str(j, "action", e->action);
        text_or_null(j, "op_name", e->op);
        json_member_i64(j, "position", e->position);
        text_or_null(j, "victim", e->victim);
        text_or_null(j, "details", e->details);
        json_member_u64(j, "occupied_before_bytes_per_bank", e->before);
        json_member_u64(j, "occupied_after_bytes_per_bank", e->after);
        json_member_u64(j, "own_bytes_per_bank", e->own);
        json_object_end(j);
    }
    json_array_end(j);
    json_object_end(j);
}
