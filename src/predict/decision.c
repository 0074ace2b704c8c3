/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/decision.h"

#include "base/json_read.h"
#include "source/source.h"

enum { MOST_EVENTS = 10000 };

static struct slice text_of(struct decision_trace *t, struct json_value object, const char *name) {
    struct json_value value;
    struct slice text;
    if (!json_member(object, name, &value) || !json_string_of(value, &text)) return slice_of("", 0);
    return arena_copy(&t->arena, text);
}

static uint64_t number_of(struct json_value object, const char *name) {
    struct json_value value;
    uint64_t n = 0;
    if (json_member(object, name, &value)) json_u64_of(value, &n);
    return n;
}

/* Actions worth showing: what was not kept in L1, and why. */
static bool is_spill(struct slice action) {
    static const char *const actions[] = {"oom",      "demotion_success",     "demotion_failed",
                                          "eviction", "fragmentation_demote", "self_spill"};
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (slice_equal(action, slice_from(actions[i]))) return true;
    return false;
}

static void read_event(struct decision_trace *t, struct json_value item) {
    struct decision_event event = {.op = text_of(t, item, "opName"),
                                   .action = text_of(t, item, "action"),
                                   .position = (int64_t)number_of(item, "position"),
                                   .before = number_of(item, "occupiedL1Before"),
                                   .after = number_of(item, "occupiedL1After"),
                                   .own = number_of(item, "opL1Usage")};
    t->event_count++;
    uint64_t here = event.before > event.after ? event.before : event.after;
    if (here > t->most) {
        t->most = here;
        t->most_op = event.op;
    }
    if (!is_spill(event.action) || t->events.len >= MOST_EVENTS) return;
    event.victim = text_of(t, item, "victimName");
    event.details = text_of(t, item, "details");
    vec_push(&t->events, event);
}

static void read_choices(struct decision_trace *t, struct json_value list) {
    struct json_value item;
    for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &item);) {
        struct json_value layout;
        struct slice text;
        if (!json_member(item, "chosenLayout", &layout) || !json_string_of(layout, &text)) continue;
        bool l1 = slice_find(text, SLICE("l1")) != SLICE_NONE || slice_find(text, SLICE("L1")) != SLICE_NONE;
        if (l1) t->l1_choices++;
        else t->dram_choices++;
    }
}

/* Reads the text of one, in memory. False: not a decision trace. */
static bool decision_parse(struct decision_trace *t, struct slice text) {
    struct json_reader *reader = json_reader_new();
    struct json_value root, part, item;
    bool good = reader && json_parse(reader, text, &root) && json_kind_of(root) == JSON_OBJECT &&
                (json_member(root, "forwardPass", &part) || json_member(root, "spillManagement", &part));
    if (good) {
        t->function = text_of(t, root, "functionName");
        t->ops = number_of(root, "totalOps");
        if (json_member(root, "finalChoices", &part)) read_choices(t, part);
        if (json_member(root, "spillManagement", &part)) {
            t->budget = number_of(part, "budget");
            t->spills = number_of(part, "totalSpills");
            t->final_occupied = number_of(part, "finalOccupied");
            struct json_value events;
            if (json_member(part, "events", &events))
                for (struct json_walk w = json_walk_of(events); json_next(&w, NULL, &item);) read_event(t, item);
        }
    }
    if (reader) json_reader_free(reader);
    return good;
}

int decision_read(struct decision_trace *t, const char *path, struct err *err) {
    struct source source = {.fd = -1};
    *t = (struct decision_trace){0};
    if (source_open(&source, path, err) != 0) return -1;
    int rc = source.mapped ? 0 : source_spool(&source, "/tmp", err);
    if (rc == 0 && !decision_parse(t, source.bytes))
        rc = err_set(err, ERR_LACKS, "%s is not a decision trace: the pipeline option enable-decision-trace=true writes one",
                     path);
    source_release(&source);
    return rc;
}

void decision_release(struct decision_trace *t) {
    arena_release(&t->arena);
    vec_release(&t->events);
}
