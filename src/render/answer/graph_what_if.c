/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "base/amounts.h"
#include "render/answer/graph_render.h"
#include "render/format/json_parts.h"

static const char *const order_names[] = {
    [ORDER_PERSISTENT_FIRST] = "persistent-first", [ORDER_LARGEST_FIRST] = "largest-first"};

/* In the syntax of --what-if. */
static void change_text(struct strbuf *out, const struct graph_change *change) {
    switch (change->kind) {
        case CHANGE_NOTHING:
            return;
        case CHANGE_CHIP:
            strbuf_addf(out, "chip=%s", change->chip->name);
            return;
        case CHANGE_ORDER:
            strbuf_addf(out, "order=%s", order_names[change->order]);
            return;
        case CHANGE_HALVE:
        case CHANGE_SHARD:
            strbuf_addz(out, change->kind == CHANGE_SHARD ? "shard=" : "halve-cb=");
            if (change->by_counter) strbuf_addf(out, "%" PRIu64, change->counter);
            else strbuf_add(out, change->function);
            if (change->kind == CHANGE_SHARD) strbuf_addf(out, ":%u", change->cores);
    }
}

static void changes_text(struct strbuf *out, const struct graph_what_if *what) {
    for (size_t i = 0; i < what->changes.len; i++) {
        if (i) strbuf_addz(out, " ");
        change_text(out, &what->changes.items[i]);
    }
}

/* What the node that a change names allocates, as shown. */
static void node_text(struct strbuf *out, const struct graph_session *session, const struct graph_change *change) {
    const struct graph_trace *trace = &session->trace;
    for (size_t i = 0; change->by_counter && i < trace->events.len; i++) {
        const struct graph_trace_event *event = &trace->events.items[i];
        if (event->counter != change->counter || event->kind == MEM_FREE) continue;
        struct slice function = graph_function_name(session, event->segment, event->function);
        strbuf_addf(out, "   %s%s", figure_bytes(event->size).text,
                    event->kind != MEM_ALLOCATE ? " per core"
                    : event->type == MEM_DRAM   ? " of DRAM"
                    : event->num_cores          ? ""
                                                : " of L1");
        if (event->kind == MEM_ALLOCATE && event->type == MEM_L1 && event->num_cores)
            strbuf_addf(out, " on %" PRIu64 " core%s", event->num_cores, event->num_cores == 1 ? "" : "s");
        if (function.len) strbuf_addz(out, " of ");
        strbuf_add(out, function);
        return;
    }
}

const struct graph_what_if *graph_lacks_cores(const graph_what_ifs *list) {
    for (size_t i = 0; list && i < list->len; i++)
        if (!list->items[i].changes.len && list->items[i].cores_wanted) return &list->items[i];
    return NULL;
}

bool graph_what_if_fits(const struct graph_what_if *what) { return !what->failures && !what->cores_wanted; }

static void verdict(struct strbuf *out, const struct graph_session *session, const struct graph_what_if *what) {
    struct slice function = graph_function_name(session, what->worst_segment, what->worst.function);
    if (what->cores_wanted) {
        strbuf_addf(out, "takes %" PRIu64 " cores, there are %u", what->cores_wanted, what->cores_there);
    } else if (what->failures) {
        strbuf_addf(out, "lacks %s of %s %s", figure_bytes(what->lacking).text,
                    what->worst.failure.type == MEM_DRAM ? "DRAM" : "L1",
                    what->worst.failure.type == MEM_DRAM ? "per bank" : "per core");
        if (function.len) strbuf_addz(out, " in ");
        strbuf_add(out, function);
        strbuf_addf(out, " (node %" PRIu64 ")", what->worst.counter);
    } else {
        if (what->uses_l1) strbuf_addf(out, "%s of L1", figure_signed_bytes(what->l1_left, false).text);
        if (what->uses_dram) strbuf_addf(out, "%s%s of DRAM", what->uses_l1 ? ", " : "", figure_bytes(what->dram_left).text);
        if (what->uses_l1 || what->uses_dram) strbuf_addz(out, " left");
    }
}

void graph_what_if_text(struct strbuf *out, const struct term *term, const struct graph_session *session,
                        const graph_what_ifs *list) {
    if (session->trace.full) {
        strbuf_addf(out, "\n  what if   left out: the capture has more than %s memory events\n",
                    figure_grouped(GRAPH_TRACE_MAX).text);
        return;
    }
    if (!list || !list->len) return;
    strbuf_addz(out, "\n  ");
    term_tone(out, term, TONE_BOLD);
    strbuf_addz(out, "what if");
    term_tone(out, term, TONE_PLAIN);
    strbuf_addz(out, "   each line a replay; left: per core of L1, per bank of DRAM, at the tightest moment\n");
    for (size_t i = 0; i < list->len; i++) {
        const struct graph_what_if *what = &list->items[i];
        bool fits = graph_what_if_fits(what);
        struct strbuf line = {0};
        strbuf_addz(out, "    ");
        term_tone(out, term, fits ? TONE_GOOD : TONE_BAD);
        strbuf_addz(out, fits ? "fits          " : "does not fit  ");
        term_tone(out, term, TONE_PLAIN);
        if (!what->changes.len) strbuf_addf(&line, "as it is, on %s", what->chip->title);
        changes_text(&line, what);
        if (what->changes.len == 1) node_text(&line, session, &what->changes.items[0]);
        strbuf_addz(&line, ": ");
        verdict(&line, session, what);
        term_text(out, term, strbuf_slice(&line), 0);
        strbuf_addc(out, '\n');
        strbuf_release(&line);
    }
}

void graph_what_if_json(struct json *json, const struct graph_session *session, const graph_what_ifs *list) {
    json_key(json, "what_if");
    if (!list || !list->len) {
        json_null(json);
        return;
    }
    json_array(json);
    for (size_t i = 0; i < list->len; i++) {
        const struct graph_what_if *what = &list->items[i];
        const struct sim_failure *worst = &what->worst.failure;
        bool fits = graph_what_if_fits(what), failed = what->failures > 0;
        struct strbuf text = {0};
        changes_text(&text, what);
        json_object(json);
        json_member_text_or_null(json, "change", strbuf_slice(&text));
        json_member_text(json, "chip", what->chip->name);
        json_member_bool(json, "fits", fits);
        json_member_u64(json, "failure_count", what->failures);
        json_member_u64(json, "changed_count", what->matched);
        json_member_i64_if(json, "l1_left_bytes_per_core", fits && what->uses_l1, what->l1_left);
        json_member_u64_if(json, "dram_left_bytes_per_bank", fits && what->uses_dram, what->dram_left);
        json_member_u64_if(json, "cores_wanted", what->cores_wanted > 0, what->cores_wanted);
        json_member_u64_if(json, "lacking_bytes", failed, what->lacking);
        json_member_text(json, "lacking_pool", !failed ? NULL : worst->type == MEM_DRAM ? "dram" : "l1");
        json_member_text_or_null(
            json, "function",
            failed ? graph_function_name(session, what->worst_segment, what->worst.function) : slice_of("", 0));
        json_member_u64_if(json, "counter", failed, what->worst.counter);
        json_object_end(json);
        strbuf_release(&text);
    }
    json_array_end(json);
}
