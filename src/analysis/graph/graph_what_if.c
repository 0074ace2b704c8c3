/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/graph/graph_what_if.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/graph/graph_replay.h"
#include "base/num.h"

/* --- reading a change --- */

static const struct {
    const char *name;
    enum graph_order order;
} orders[] = {{"persistent-first", ORDER_PERSISTENT_FIRST}, {"largest-first", ORDER_LARGEST_FIRST}};

static int parse_chip(struct slice value, struct graph_change *out, struct err *err) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(value.len < sizeof name ? value.len : sizeof name - 1), value.ptr);
    return chip_choose(name, &out->chip, err);
}

static int parse_order(struct slice value, struct graph_change *out, struct err *err) {
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (slice_equal(value, slice_from(orders[i].name))) {
            out->order = orders[i].order;
            return 0;
        }
    return err_set(err, ERR_USAGE, "'order=%.*s': the orders are persistent-first and largest-first", (int)value.len,
                   value.ptr);
}

/* A number is a node, anything else a function's name. */
static int parse_target(struct slice value, struct graph_change *out, struct err *err) {
    if (!value.len) return err_set(err, ERR_USAGE, "the number of a node or the name of a function is missing after =");
    out->by_counter = num_read_u64(value, &out->counter) == value.len;
    out->function = value;
    return 0;
}

static int parse_shard(struct slice value, struct graph_change *out, struct err *err) {
    size_t colon = value.len;
    while (colon && value.ptr[colon - 1] != ':') colon--;
    uint64_t cores = 0;
    struct slice number = slice_skip(value, colon);
    if (!colon || !number.len || num_read_u64(number, &cores) != number.len || !cores || cores > UINT16_MAX)
        return err_set(err, ERR_USAGE, "shard= takes NODE:CORES or FUNCTION:CORES, not '%.*s'", (int)value.len, value.ptr);
    out->cores = (unsigned)cores;
    return parse_target(slice_take(value, colon - 1), out, err);
}

static const struct {
    const char *name;
    enum graph_change_kind kind;
    int (*parse)(struct slice value, struct graph_change *out, struct err *err);
} forms[] = {{"chip=", CHANGE_CHIP, parse_chip},
             {"order=", CHANGE_ORDER, parse_order},
             {"halve-cb=", CHANGE_HALVE, parse_target},
             {"shard=", CHANGE_SHARD, parse_shard}};

int graph_change_parse(const char *text, struct graph_change *out, struct err *err) {
    struct slice all = slice_from(text);
    *out = (struct graph_change){0};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct slice name = slice_from(forms[i].name);
        if (!slice_starts(all, name)) continue;
        out->kind = forms[i].kind;
        return forms[i].parse(slice_skip(all, name.len), out, err);
    }
    return err_set(err, ERR_USAGE,
                   "--what-if takes chip=CHIP, order=ORDER, halve-cb=NODE|FUNCTION or shard=NODE|FUNCTION:CORES, not '%s'",
                   text);
}

/* --- obvious changes --- */

static struct graph_what_if *add(graph_what_ifs *out, const struct graph_change *change) {
    struct graph_what_if *what = vec_add(out);
    *what = (struct graph_what_if){0};
    if (change) vec_push(&what->changes, *change);
    return what;
}

static bool same_memory(const struct chip *a, const struct chip *b) {
    return a->dram_banks == b->dram_banks && a->dram_view_bytes == b->dram_view_bytes && a->l1_bytes == b->l1_bytes &&
           a->l1_banks == b->l1_banks;
}

/* One board of each kind of memory; rows of architectures are not boards. */
static void suggest_chips(const struct graph_session *session, graph_what_ifs *out) {
    for (const struct chip *chip = chip_table; chip->name; chip++) {
        bool known = strcmp(chip->name, chip->arch) == 0 || same_memory(chip, session->simulate);
        for (const struct chip *before = chip_table; before < chip; before++) known |= same_memory(before, chip);
        if (!known) add(out, &(struct graph_change){.kind = CHANGE_CHIP, .chip = chip});
    }
}

/* The function with the largest program memory on a core at once. */
static void suggest_halves(const struct graph_session *session, graph_what_ifs *out) {
    const struct graph_circular *most = NULL;
    struct slice name = {0};
    for (size_t s = 0; s < session->details.len; s++) {
        const struct graph_segment *segment = &session->details.items[s];
        for (size_t i = 0; i < segment->circular.len; i++) {
            const struct graph_circular *row = &segment->circular.items[i];
            if (row->kind != MEM_CIRCULAR_BUFFER || !row->bytes || (most && row->bytes <= most->bytes)) continue;
            most = row;
            name = strtab_get(&session->texts, segment->functions.items[row->function].name);
        }
    }
    if (most && name.len) add(out, &(struct graph_change){.kind = CHANGE_HALVE, .function = name});
}

static void suggest_shards(const struct graph_session *session, graph_what_ifs *out) {
    const struct graph_trace *trace = &session->trace;
    struct sim_map map = graph_sim_map(session, session->simulate);
    const struct graph_trace_event *l1 = NULL, *dram = NULL;
    for (size_t i = 0; i < trace->allocations.len; i++) {
        const struct graph_trace_event *event = &trace->events.items[trace->allocations.items[i]];
        if (event->type == MEM_L1 && (event->sharded || event->num_cores) && event->num_cores < map.l1_banks &&
            (!l1 || event->size > l1->size))
            l1 = event;
        if (event->type == MEM_DRAM && !event->top_down && (!dram || event->size > dram->size)) dram = event;
    }
    const struct graph_trace_event *both[] = {l1, dram};
    for (size_t i = 0; i < 2; i++)
        if (both[i])
            add(out, &(struct graph_change){
                         .kind = CHANGE_SHARD, .by_counter = true, .counter = both[i]->counter, .cores = map.l1_banks});
}

static void suggest(const struct graph_session *session, graph_what_ifs *out) {
    suggest_chips(session, out);
    if (session->trace.allocations.len > 1)
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
            add(out, &(struct graph_change){.kind = CHANGE_ORDER, .order = orders[i].order});
    suggest_halves(session, out);
    suggest_shards(session, out);
}

/* --- requested changes --- */

static int check(const struct graph_session *session, const struct graph_change *change, uint64_t matched, struct err *err) {
    if (change->kind == CHANGE_SHARD) {
        unsigned most = graph_sim_map(session, session->simulate).l1_banks;
        if (change->cores > most)
            return err_set(err, ERR_USAGE, "%u cores: L1 buffers lie on %u cores of %s", change->cores, most,
                           session->simulate->title);
    }
    if (matched || (change->kind != CHANGE_SHARD && change->kind != CHANGE_HALVE)) return 0;
    const char *what = change->kind == CHANGE_SHARD ? "buffer" : "circular buffer of its own";
    return change->by_counter ? err_set(err, ERR_LACKS, "node %" PRIu64 " does not allocate a %s", change->counter, what)
                              : err_set(err, ERR_LACKS, "no function '%.*s' allocates a %s", (int)change->function.len,
                                        change->function.ptr, what);
}

int graph_what_if(const struct graph_session *session, const struct graph_change *asked, size_t count, graph_what_ifs *out,
                  struct err *err) {
    if (!session->simulate || session->trace.full || !session->trace.events.len) return 0;
    add(out, NULL);
    for (size_t i = 0; i < count; i++) add(out, &asked[i]);
    if (!count) suggest(session, out);
    if (count > 1) {
        struct graph_what_if *all = add(out, NULL);
        for (size_t i = 0; i < count; i++) vec_push(&all->changes, asked[i]);
    }
    for (size_t i = 0; i < out->len; i++)
        if (!graph_replay(session, &out->items[i])) return err_set(err, ERR_BUG, "out of host memory");
    for (size_t i = 0; i < count; i++)
        if (check(session, &asked[i], out->items[i + 1].matched, err) != 0) return -1;
    return 0;
}

void graph_what_ifs_release(graph_what_ifs *list) {
    for (size_t i = 0; i < list->len; i++) vec_release(&list->items[i].changes);
    vec_release(list);
}
