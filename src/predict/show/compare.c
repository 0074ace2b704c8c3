/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison of a prediction with a log, as text and JSON. */
#include "base/amounts.h"
#include "predict/show/show.h"
#include "render/format/json_parts.h"

static void milli_or_dash(struct strbuf *out, int64_t milli) {
    if (milli < 0) strbuf_addz(out, "-");
    else strbuf_addz(out, figure_milli(milli, 3).text);
}

static void submit_text(struct strbuf *out, const char *when, const struct compare_submit *s, int64_t logged,
                        int64_t predicted) {
    strbuf_addf(out, "  %s submit %u: ", when, s->program + 1);
    milli_or_dash(out, logged);
    strbuf_addz(out, " MB logged, ");
    milli_or_dash(out, predicted);
    strbuf_addz(out, " predicted");
    if (logged >= 0) strbuf_addf(out, " (%s)", figure_change(predicted - logged, 3).text);
    strbuf_addc(out, '\n');
}

static void compared_op_text(struct strbuf *out, const struct term *term, const struct replay *r, const char *which,
                             const struct compare_op *o) {
    const struct ir_op *op = place_op(r, &r->states.items[o->state]);
    strbuf_addf(out, "  %s: ", which);
    term_text(out, term, op->name, 0);
    strbuf_addc(out, ' ');
    term_text(out, term, op->ssa, 0);
    strbuf_addf(out, " (line %u of the module, %llu of the log) changes DRAM by %s MB, predicted %s\n", op->line,
                (unsigned long long)o->line, figure_change(o->logged, 3).text, figure_change(o->predicted, 3).text);
}

static const struct {
    const char *words, *key;
    enum failure_number number;
} failure_rows[] = {{"wants", "requested_bytes_per_bank", FAILURE_PER_BANK},
                    {"allocated", "allocated_bytes_per_bank", FAILURE_ALLOCATED},
                    {"free", "free_bytes_per_bank", FAILURE_FREE},
                    {"largest free block", "largest_free_bytes_per_bank", FAILURE_LARGEST}};

static uint64_t predicted_number(const struct memory_failure *f, enum failure_number number) {
    return number == FAILURE_PER_BANK    ? f->want
           : number == FAILURE_ALLOCATED ? f->allocated
           : number == FAILURE_FREE      ? f->free
                                         : f->largest;
}

static void failure_text(struct strbuf *out, const struct term *term, const struct prediction *p, const struct compare *c) {
    const struct memory_failure *f = &p->replay.memory.failure;
    bool fails = p->replay.memory.failures > 0;
    if (!c->has_failure) {
        if (fails) strbuf_addz(out, "  the log does not end in running out of memory, the prediction does\n");
        return;
    }
    strbuf_addz(
        out, fails ? "  runs out of memory, logged and predicted" : "  runs out of memory in the log, not in the prediction");
    if (c->failure_op.len) {
        strbuf_addz(out, "; in the log at ");
        term_text(out, term, c->failure_op, 0);
    }
    strbuf_addc(out, '\n');
    for (size_t i = 0; i < sizeof failure_rows / sizeof *failure_rows; i++) {
        if (!failure_knows(&c->failure, failure_rows[i].number)) continue;
        uint64_t logged = c->failure.number[failure_rows[i].number], predicted = predicted_number(f, failure_rows[i].number);
        strbuf_addf(out, "    %-20s %12llu B logged", failure_rows[i].words, (unsigned long long)logged);
        if (fails) {
            strbuf_addf(out, ", %12llu predicted (%s%s %%)", (unsigned long long)predicted, predicted >= logged ? "+" : "",
                        figure_percent((int64_t)predicted - (int64_t)logged, logged, 2).text);
        }
        strbuf_addc(out, '\n');
    }
}

void show_measured_text(struct strbuf *out, const struct replay *r, const struct compare *c) {
    uint64_t predicted = 0, off;
    if (!c->measured) return;
    for (size_t i = 0; i < r->runs.len; i++)
        if (r->runs.items[i].peaks[POOL_DRAM].allocated > predicted) predicted = r->runs.items[i].peaks[POOL_DRAM].allocated;
    off = predicted > c->measured ? predicted - c->measured : c->measured - predicted;
    strbuf_addf(out, "  the log has %sa peak of ", c->measured_at_least ? "at least " : "");
    add_mb(out, c->measured, 1);
    strbuf_addz(out, " MB: the prediction is ");
    add_mb(out, off, 1);
    strbuf_addf(out, " MB %s (%s %%)\n", predicted > c->measured ? "higher" : "lower",
                figure_percent((int64_t)off, c->measured, 1).text);
}

void show_compare_text(struct strbuf *out, const struct term *term, const struct prediction *p, const struct compare *c) {
    if (!p->log->block_count && !c->has_failure && !c->aligned) {
        strbuf_addz(out, "not compared: the log has no memory lines and does not run out of memory\n");
        return;
    }
    strbuf_addf(out, "compared with the log: %llu program%s, %llu op%s in common\n", (unsigned long long)c->programs,
                c->programs == 1 ? "" : "s", (unsigned long long)c->aligned, c->aligned == 1 ? "" : "s");
    for (size_t i = 0; i < c->submits.len; i++) {
        const struct compare_submit *s = &c->submits.items[i];
        submit_text(out, "before", s, s->logged_before, s->predicted_before);
        submit_text(out, "after", s, s->logged_after, s->predicted_after);
    }
    if (c->ops.len)
        strbuf_addf(out, "  %llu of %zu ops change DRAM by a different amount than predicted\n",
                    (unsigned long long)c->differing, c->ops.len);
    if (c->first < c->ops.len) compared_op_text(out, term, &p->replay, "the first", &c->ops.items[c->first]);
    if (c->largest < c->ops.len && c->largest != c->first)
        compared_op_text(out, term, &p->replay, "the largest", &c->ops.items[c->largest]);
    failure_text(out, term, p, c);
}

/* Thousandths of a MB; below zero: unknown. */
static void milli_member(struct json *j, const char *key, int64_t milli) {
    json_member_bytes_of_milli_if(j, key, milli >= 0, milli);
}

static void op_json(struct json *j, const char *key, const struct replay *r, const struct compare *c, size_t index) {
    json_key(j, key);
    if (index >= c->ops.len) {
        json_null(j);
        return;
    }
    const struct compare_op *o = &c->ops.items[index];
    json_object(j);
    json_key(j, "op");
    show_op_json(j, r, &r->states.items[o->state]);
    json_member_u64(j, "log_line", o->line);
    json_member_bytes_of_milli(j, "logged_change_bytes_per_bank", o->logged);
    json_member_bytes_of_milli(j, "predicted_change_bytes_per_bank", o->predicted);
    json_object_end(j);
}

static void failure_json(struct json *j, const struct prediction *p, const struct compare *c) {
    json_key(j, "failure");
    if (!c->has_failure) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_text_or_null(j, "op_name", c->failure_op);
    json_member_bool(j, "predicted", p->replay.memory.failures > 0);
    for (size_t i = 0; i < sizeof failure_rows / sizeof *failure_rows; i++) {
        json_member_u64_if(j, failure_rows[i].key, failure_knows(&c->failure, failure_rows[i].number),
                           c->failure.number[failure_rows[i].number]);
    }
    json_object_end(j);
}

void show_compare_json(struct json *j, const struct prediction *p, const struct compare *c) {
    json_key(j, "compare");
    if (!c) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_u64(j, "program_count", c->programs);
    json_member_u64(j, "op_count", c->aligned);
    json_member_u64_if(j, "measured_peak_bytes_per_bank", c->measured > 0, c->measured);
    json_member_bool(j, "measured_peak_at_least", c->measured_at_least);
    json_key(j, "submits");
    json_array(j);
    for (size_t i = 0; i < c->submits.len; i++) {
        const struct compare_submit *s = &c->submits.items[i];
        json_object(j);
        json_member_u64(j, "program_index", s->program);
        milli_member(j, "logged_before_bytes_per_bank", s->logged_before);
        milli_member(j, "predicted_before_bytes_per_bank", s->predicted_before);
        milli_member(j, "logged_after_bytes_per_bank", s->logged_after);
        milli_member(j, "predicted_after_bytes_per_bank", s->predicted_after);
        json_object_end(j);
    }
    json_array_end(j);
    json_member_u64(j, "op_with_memory_count", c->ops.len);
    json_member_u64(j, "differing_count", c->differing);
    op_json(j, "first_difference", &p->replay, c, c->first);
    op_json(j, "largest_difference", &p->replay, c, c->largest);
    failure_json(j, p, c);
    json_object_end(j);
}
