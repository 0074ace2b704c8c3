/* SPDX-License-Identifier: Apache-2.0 */
#include "input/report/report_json.h"

#include <stdlib.h>

#include "base/json_split.h"
#include "base/mem.h"
#include "base/num.h"
#include "input/report/report_check.h"
#include "input/report/report_counts.h"
#include "input/report/report_failures.h"
#include "input/report/report_frees.h"
#include "input/report/report_ir.h"
#include "input/report/report_peaks.h"
#include "input/report/report_told.h"
#include "input/report/report_weights.h"
#include "model/read.h"
#include "model/run_write.h"

enum { MAX_RANKS = 255, FLUSH = 1 << 20 };

/* What the files say about a record besides its lines. */
struct told_record {
    uint32_t execution;
    uint32_t rank;
    uint64_t line;
    uint32_t op_type; /* index into names */
    uint32_t next;    /* next record of its rank, or NONE */
};

struct told_execution {
    uint32_t program; /* program_index, or NONE */
    uint32_t name;    /* index into names; 0: named by its program */
    uint32_t parent;  /* or NONE */
    uint32_t last;    /* last record */
    bool miss;        /* of a const-eval graph: it was not in the cache */
    uint32_t told;    /* number of its records written so far */
    uint32_t next_free;
    const struct freeing_function *function; /* NULL: no module shows when its values are freed */
};

/* The state of a rank while its lines are written. */
struct told_rank {
    uint32_t name, place;     /* place: its index in name order, which is its number in the tags */
    uint32_t top, nested;     /* executions, or NONE */
    uint32_t last;            /* last record, or NONE */
    struct told_state before; /* of its last record */
    struct told_state after;  /* of its last record; if known, still to be written */
    struct told_state caller; /* after the op that runs the nested program */
    struct strbuf frees;      /* lines: what is freed after that state */
    struct strbuf caller_frees;
    int64_t seen[POOL_COUNT]; /* the most that its records show; -1: nothing */
    bool began;
};

struct report_telling {
    struct input *in;
    const struct report_files *files;
    struct json_reader *memory, *operations;
    struct strtab names;
    VEC(struct told_record) records;
    VEC(struct told_execution) executions;
    VEC(struct told_rank) ranks;
    VEC(uint32_t) program_names;
    VEC(uint64_t) first, last; /* records of the programs, if the metadata has ranges */
    struct map last_use;       /* execution and value -> record + 1 */
    struct map callees;        /* program and result of a load_cached -> name of its graph */
    struct run_feed *feed;
    struct strbuf out;
    bool has_after, has_ops;
    struct report_weights weights;
    struct report_peaks peaks;
    struct report_ir ir;
    struct report_frees frees;
    bool by_last_use;     /* some execution frees values after their last use */
    VEC(uint32_t) graphs; /* program_index of the compilations in ir.json, in order */
};

/* A record and its op, from the two files. */
struct pair {
    struct json_value record, op;
    bool has_op;
    uint64_t index;
};

static struct hash128 value_key(uint32_t execution, struct slice value) {
    struct hash128 hash = hash_bytes(value);
    return (struct hash128){hash_mix(hash.low, execution), hash.high};
}

/* --- walking both files --- */

static int next_operation(struct report_telling *t, struct json_items *ops, struct pair *pair, struct err *err) {
    struct slice text;
    const char *path = t->files->parts[PART_OPERATIONS].path;
    pair->has_op = t->files->have[PART_OPERATIONS];
    if (!pair->has_op) return 0;
    if (!json_split_next(ops, &text))
        return err_set(err, ERR_INPUT, "%s and %s are from different runs: the latter has only %llu ops",
                       t->files->parts[PART_MEMORY].path, path, (unsigned long long)pair->index);
    if (!json_parse(t->operations, text, &pair->op))
        return err_set(err, ERR_INPUT, "%s: op %llu: %s", path, (unsigned long long)pair->index, json_error(t->operations));
    if (report_check_pair(t->files, pair->index, pair->record, pair->op, err) != 0) return -1;
    return report_weights_check(&t->weights, t->files, pair->index, pair->op, err);
}

static int each_pair(struct report_telling *t, void (*take)(struct report_telling *, const struct pair *), struct err *err) {
    struct slice text = t->files->parts[PART_MEMORY].bytes, records = text;
    const char *path = t->files->parts[PART_MEMORY].path;
    if (json_split_kind(text) == '{' && !json_split_member(text, "operations", &records))
        return err_set(err, ERR_INPUT, "%s has no ops", path);
    struct json_items items = json_split_items(records),
                      ops = json_split_items(t->files->have[PART_OPERATIONS] ? t->files->parts[PART_OPERATIONS].bytes
                                                                             : slice_of("", 0));
    struct pair pair = {0};
    for (; json_split_next(&items, &text); pair.index++) {
        if (!json_parse(t->memory, text, &pair.record))
            return err_set(err, ERR_INPUT, "%s: record %llu: %s", path, (unsigned long long)pair.index, json_error(t->memory));
        if (json_kind_of(pair.record) != JSON_OBJECT)
            return err_set(err, ERR_INPUT, "%s: record %llu is not an object", path, (unsigned long long)pair.index);
        if (next_operation(t, &ops, &pair, err) != 0) return -1;
        take(t, &pair);
    }
    if (json_split_next(&ops, &text))
        return err_set(err, ERR_INPUT, "%s and %s are from different runs: the former has only %llu ops", path,
                       t->files->parts[PART_OPERATIONS].path, (unsigned long long)pair.index);
    return items.broken ? err_set(err, ERR_INPUT, "%s is cut off or not JSON", path) : 0;
}

/* Calls `use` for every value that the op takes or makes. */
static void each_value(struct report_telling *t, const struct pair *pair,
                       void (*use)(struct report_telling *, uint32_t execution, uint32_t record, struct slice value)) {
    struct json_value list, item;
    struct slice value;
    uint32_t record = (uint32_t)pair->index, execution = t->records.items[record].execution;
    if (!pair->has_op) return;
    if (json_member(pair->op, "inputs", &list))
        for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &item);)
            if (json_string_of(item, &value)) use(t, execution, record, slice_take(value, slice_find_byte(value, '#')));
    value = told_text(pair->op, "result");
    if (value.len) use(t, execution, record, value);
}

/* --- first pass: the execution of each record, and the last use of each value --- */

static uint32_t rank_of(struct report_telling *t, struct json_value record) {
    struct json_value value;
    struct slice name = told_text(record, "rank");
    uint64_t number;
    char digits[NUM_ROOM];
    if (!name.len && json_member(record, "rank", &value) && json_u64_of(value, &number))
        name = slice_of(digits, num_write_u64(digits, number));
    uint32_t id = strtab_id(&t->names, name);
    for (uint32_t i = 0; i < t->ranks.len; i++)
        if (t->ranks.items[i].name == id) return i;
    if (t->ranks.len == MAX_RANKS) return MAX_RANKS - 1;
    vec_push(&t->ranks, ((struct told_rank){.name = id, .top = NONE, .nested = NONE, .last = NONE}));
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) vec_last(&t->ranks).seen[pool] = -1;
    return (uint32_t)t->ranks.len - 1;
}

static uint32_t program_of(const struct report_telling *t, const struct pair *pair) {
    uint64_t program = NONE;
    if (told_u64(pair->record, "program_index", &program)) return (uint32_t)program;
    if (pair->has_op && told_u64(pair->op, "program_index", &program)) return (uint32_t)program;
    for (size_t i = 0; i < t->first.len; i++)
        if (t->first.items[i] <= pair->index && pair->index <= t->last.items[i]) return (uint32_t)i;
    return NONE;
}

static uint32_t begin_execution(struct report_telling *t, uint32_t program, uint32_t name, uint32_t parent) {
    vec_push(&t->executions, ((struct told_execution){.program = program, .name = name, .parent = parent}));
    return (uint32_t)t->executions.len - 1;
}

static void keep_last_use(struct report_telling *t, uint32_t execution, uint32_t record, struct slice value) {
    bool added;
    *map_at(&t->last_use, value_key(execution, value), &added) = record + 1;
}

static struct told_state state_after(const struct pair *pair, const struct told_state *before) {
    struct told_state after = *before;
    struct json_value object, value;
    after.known = false;
    if (!before->known || !json_member(pair->record, "after", &object) || json_kind_of(object) != JSON_OBJECT) return after;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        int64_t allocated;
        struct told_pool *p = &after.pools[pool];
        if (p->allocated < 0 || !json_member(object, pool_names[pool], &value) || !json_milli_of(value, &allocated)) continue;
        p->allocated = allocated;
        p->free = p->largest = -1;
        after.known = true;
    }
    return after;
}

/* A memory block without an operation line. */
static bool is_bare(struct json_value record) {
    struct slice name = told_text(record, "mlir_op"), op_type = told_text(record, "op_type");
    return !name.len || (op_type.len && slice_equal(name, op_type));
}

static void keep_seen(struct told_rank *rank, const struct told_state *state) {
    for (unsigned pool = 0; state->known && pool < POOL_COUNT; pool++)
        if (state->pools[pool].allocated > rank->seen[pool]) rank->seen[pool] = state->pools[pool].allocated;
}

/* A new execution begins if the program or const-eval graph changes, or a value is made again. */
static void take_place(struct report_telling *t, const struct pair *pair) {
    uint32_t number = rank_of(t, pair->record), program = program_of(t, pair);
    struct told_rank *rank = &t->ranks.items[number];
    struct told_state before = told_state_of(pair->record), after = state_after(pair, &before);
    keep_seen(rank, &before);
    keep_seen(rank, &after);
    t->has_ops |= !is_bare(pair->record);
    struct slice graph = told_text(pair->record, "const_eval_graph");
    struct slice result = pair->has_op ? told_text(pair->op, "result") : slice_of("", 0);
    bool again = !graph.len && rank->top != NONE && result.len && map_find(&t->last_use, value_key(rank->top, result));
    if (rank->top == NONE || t->executions.items[rank->top].program != program || again) {
        rank->top = begin_execution(t, program, 0, NONE);
        rank->nested = NONE;
    }
    uint32_t name = strtab_id(&t->names, graph);
    if (!graph.len) rank->nested = NONE;
    else if (rank->nested == NONE || t->executions.items[rank->nested].name != name)
        rank->nested = begin_execution(t, program, name, rank->top);
    uint32_t caller = rank->last;
    if (caller != NONE) t->records.items[caller].next = (uint32_t)pair->index;
    rank->last = (uint32_t)pair->index;
    struct told_record record = {.execution = rank->nested != NONE ? rank->nested : rank->top, .rank = number, .next = NONE};
    told_u64(pair->record, "line", &record.line);
    if (!record.line && pair->has_op) told_u64(pair->op, "line", &record.line);
    record.op_type = strtab_id(&t->names, told_text(pair->record, "op_type"));
    vec_push(&t->records, record);
    struct told_execution *execution = &t->executions.items[record.execution];
    execution->last = (uint32_t)pair->index;
    execution->miss |= graph.len && pair->has_op && told_true(pair->op, "const_eval_cache_miss");
    each_value(t, pair, keep_last_use);
    if (pair->has_op && !graph.len) report_weights_of_op(&t->weights, program, pair->op);
}

/* --- second pass: the lines --- */

static struct slice tag_of(const struct report_telling *t, uint32_t rank, char *room) {
    if (t->ranks.len < 2) return slice_of("", 0);
    size_t n = 3 + num_write_u64(memcpy(room, "[1,", 3) == room ? room + 3 : room, t->ranks.items[rank].place);
    memcpy(room + n, "]<stdout>:", 10);
    return slice_of(room, n + 10);
}

static struct slice program_name(const struct report_telling *t, const struct told_execution *e) {
    if (e->name) return strtab_get(&t->names, e->name);
    if (e->program < t->program_names.len) return strtab_get(&t->names, t->program_names.items[e->program]);
    return SLICE("program");
}

static void flush(struct report_telling *t, bool all) {
    if (!all && t->out.len < FLUSH) return;
    run_feed_bytes(t->feed, strbuf_slice(&t->out));
    strbuf_add(&t->in->told, strbuf_slice(&t->out));
    strbuf_clear(&t->out);
}

/* Writes a state between two ops if the next state differs. Its free blocks are unknown. */
static void settle(struct report_telling *t, struct slice tag, struct told_state *after, const struct told_state *next) {
    if (!after->known) return;
    bool differs = !next->known;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        const struct told_pool *p = &after->pools[pool];
        if (p->allocated < 0 || !next->known || next->pools[pool].allocated < 0) continue;
        differs |= p->allocated != next->pools[pool].allocated;
    }
    after->known = false;
    if (!differs) return;
    if (t->has_ops) told_free(&t->out, tag, SLICE("%between"));
    struct told_state state = *after;
    state.known = true;
    told_block(&t->out, tag, SLICE("DeallocateOp"), &state);
}

/* An execution that stopped within its module did not finish. */
static void tell_finish(struct report_telling *t, struct slice tag, uint32_t execution) {
    const struct told_execution *e = &t->executions.items[execution];
    if (t->has_ops && !(e->function && e->told < e->function->ops)) told_finish(&t->out, tag, program_name(t, e));
}

static void move_lines(struct strbuf *to, struct strbuf *from) {
    strbuf_add(to, strbuf_slice(from));
    strbuf_clear(from);
}

static void change_execution(struct report_telling *t, struct slice tag, struct told_rank *rank, uint32_t next,
                             const struct told_state *before) {
    uint32_t top = next == NONE ? NONE : t->executions.items[next].parent == NONE ? next : t->executions.items[next].parent;
    uint32_t nested = next != NONE && top != next ? next : NONE;
    bool enters = nested != NONE && rank->nested != nested;
    if (enters && rank->nested == NONE) {
        rank->caller = rank->after;
        rank->after.known = false;
    }
    settle(t, tag, &rank->after, before);
    if (enters && rank->nested == NONE) move_lines(&rank->caller_frees, &rank->frees);
    move_lines(&t->out, &rank->frees);
    if (rank->nested != NONE && rank->nested != nested) {
        tell_finish(t, tag, rank->nested);
        rank->nested = NONE;
        settle(t, tag, &rank->caller, before);
        move_lines(&t->out, &rank->caller_frees);
    }
    if (rank->top != top) {
        if (rank->top != NONE) tell_finish(t, tag, rank->top);
        if (top != NONE && t->has_ops) told_start(&t->out, tag, program_name(t, &t->executions.items[top]));
        rank->top = top;
    }
    if (enters) told_start(&t->out, tag, program_name(t, &t->executions.items[nested]));
    rank->nested = nested;
}

/* Arguments, cached results and results of the last op live until their program ends; values after their last use are freed. */
static void free_if_done(struct report_telling *t, uint32_t execution, uint32_t record, struct slice value) {
    char room[64];
    const struct told_execution *e = &t->executions.items[execution];
    uint32_t *last = map_find(&t->last_use, value_key(execution, value));
    if (!last || *last != record + 1 || slice_starts(value, SLICE("%arg")) || record == e->last) return;
    uint32_t rank = t->records.items[record].rank;
    told_free(&t->ranks.items[rank].frees, tag_of(t, rank, room), value);
    *last = 0;
}

static void tell_frees(struct report_telling *t, struct slice tag, struct told_rank *rank, const struct pair *pair,
                       bool cached) {
    struct told_execution *e = &t->executions.items[t->records.items[pair->index].execution];
    if (!e->told++) {
        e->function = report_frees_of(&t->frees, e->program, program_name(t, e));
        e->next_free = e->function ? e->function->first : 0;
        t->by_last_use |= !e->function;
    }
    if (!e->function && !cached) each_value(t, pair, free_if_done);
    /* if it stopped within its module, nothing shows that the last op completed */
    bool stopped = e->function && pair->index == e->last && e->told < e->function->ops;
    for (; e->function && e->next_free < e->function->end; e->next_free++) {
        const struct module_free *next = &t->frees.frees.items[e->next_free];
        if (next->after > e->told || (stopped && next->after == e->told)) break;
        told_free(&rank->frees, tag, next->value);
    }
}

/* The graph that a load_cached runs is that of the next record of its rank; NULL: it runs none. */
static const struct told_execution *cached_graph(const struct report_telling *t, uint32_t record) {
    if (t->records.items[record].next == NONE) return NULL;
    const struct told_execution *next = &t->executions.items[t->records.items[t->records.items[record].next].execution];
    return next->name ? next : NULL;
}

/* The name of a graph, even if its result comes from the cache: that of a run of the same program with a miss. */
static struct slice callee_of(struct report_telling *t, const struct pair *pair, const struct told_execution *graph) {
    const struct told_execution *own = &t->executions.items[t->records.items[pair->index].execution];
    struct hash128 key = value_key(own->program, told_text(pair->op, "result"));
    bool added;
    if (graph) *map_at(&t->callees, key, &added) = graph->name;
    const uint32_t *known = map_find(&t->callees, key);
    return known ? strtab_get(&t->names, *known) : SLICE("cached");
}

static void tell_op(struct report_telling *t, struct slice tag, const struct pair *pair, bool cached) {
    const struct told_execution *graph = cached ? cached_graph(t, (uint32_t)pair->index) : NULL;
    struct slice callee = cached && pair->has_op ? callee_of(t, pair, graph) : SLICE("cached");
    told_op(&t->out, tag, pair->record, pair->has_op ? &pair->op : NULL, callee);
    if (graph && graph->miss) told_miss(&t->out, tag, callee);
    if (pair->has_op) report_ir_probe(&t->ir, pair->op);
}

static void tell_peak(struct report_telling *t, struct slice tag, const struct told_rank *rank, uint32_t after) {
    struct told_state state = report_peaks_after(&t->peaks, strtab_get(&t->names, rank->name), after, rank->seen);
    told_submit_block(&t->out, tag, &state);
}

static void tell(struct report_telling *t, const struct pair *pair) {
    const struct told_record *record = &t->records.items[pair->index];
    struct told_rank *rank = &t->ranks.items[record->rank];
    char room[64];
    struct slice tag = tag_of(t, record->rank, room), name = told_text(pair->record, "mlir_op");
    struct slice op_type = strtab_get(&t->names, record->op_type);
    struct told_state before = told_state_of(pair->record);
    bool bare = is_bare(pair->record), cached = slice_ends(name, SLICE("load_cached"));
    if (!rank->began) tell_peak(t, tag, rank, NONE);
    rank->began = true;
    change_execution(t, tag, rank, record->execution, &before);
    if (!bare) tell_op(t, tag, pair, cached);
    told_block(&t->out, tag, bare ? op_type : slice_of("", 0), &before);
    rank->before = before;
    rank->after = state_after(pair, &before);
    t->has_after |= rank->after.known;
    if (!bare) tell_frees(t, tag, rank, pair, cached);
    tell_peak(t, tag, rank, (uint32_t)pair->index);
    flush(t, false);
}

static void tell_ends(struct report_telling *t) {
    char room[64];
    for (uint32_t i = 0; i < t->ranks.len; i++) {
        struct told_state nothing = {0};
        change_execution(t, tag_of(t, i, room), &t->ranks.items[i], NONE, &nothing);
    }
    flush(t, true);
}

/* --- the other files --- */

static int tell_modules(struct report_telling *t, struct err *err) {
    static const char *const stages[] = {"ttir", "ttnn"};
    struct slice list, item;
    struct json_value graph, module;
    if (!t->files->have[PART_IR]) return 0;
    struct slice text = t->files->parts[PART_IR].bytes;
    bool many = json_split_member(text, "programs", &list);
    struct json_items items = json_split_items(many ? list : slice_of("", 0));
    for (bool first = true; many ? json_split_next(&items, &item) : first; first = false) {
        if (!json_parse(t->operations, many ? item : text, &graph))
            return err_set(err, ERR_INPUT, "%s: %s", t->files->parts[PART_IR].path, json_error(t->operations));
        uint64_t program = t->graphs.len;
        told_u64(graph, "program_index", &program);
        vec_push(&t->graphs, (uint32_t)program);
        for (size_t i = 0; i < 2; i++)
            if (json_member(graph, stages[i], &module) && told_text(module, "text").len) {
                told_module(&t->out, stages[i], told_text(module, "text"));
                if (i == 0) continue;
                report_ir_take(&t->ir, module);
                report_frees_take(&t->frees, (uint32_t)program, told_text(module, "text"));
            }
        flush(t, true);
    }
    return 0;
}

static void read_programs(struct report_telling *t, struct slice metadata) {
    struct json_value root, list, item;
    if (!metadata.len || !json_parse(t->memory, metadata, &root) || !json_member(root, "programs", &list)) return;
    for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &item);) {
        uint64_t first = 1, last = 0;
        told_u64(item, "start_op_index", &first);
        told_u64(item, "end_op_index", &last);
        vec_push(&t->first, first);
        vec_push(&t->last, last);
        vec_push(&t->program_names, strtab_id(&t->names, told_text(item, "name")));
    }
}

/* Restores the line numbers of the original log, and the names of ranks and ops as in the files. */
static void restore(struct report_telling *t) {
    struct run *run = &t->in->run;
    size_t steps = run->records.len == t->records.len ? run->records.len : 0;
    for (size_t i = 0; i < run->steps.len; i++) run->steps.items[i].line = 0;
    for (size_t i = 0; i < steps; i++) {
        struct step *step = &run->steps.items[run->records.items[i]];
        step->line = t->records.items[i].line;
        step->op_type = strtab_id(&run->strings, strtab_get(&t->names, t->records.items[i].op_type));
    }
    for (size_t i = 0; i < run->blocks.len; i++)
        run->blocks.items[i].line = 0; /* their headings are other lines than the ops */
    for (size_t i = 0; t->ranks.len > 1 && i < run->ranks.len; i++) {
        uint64_t number = 0;
        struct slice tag = run_string(run, run->ranks.items[i].name);
        if (!slice_starts(tag, SLICE("1,")) || !num_read_u64(slice_skip(tag, 2), &number)) continue;
        for (size_t k = 0; k < t->ranks.len; k++)
            if (t->ranks.items[k].place == number)
                run->ranks.items[i].name = strtab_id(&run->strings, strtab_get(&t->names, t->ranks.items[k].name));
    }
    if (t->ranks.len == 1 && run->ranks.len == 1)
        run->ranks.items[0].name = strtab_id(&run->strings, strtab_get(&t->names, t->ranks.items[0].name));
    report_peaks_lines(&t->peaks, run);
    run->warnings[WARN_PARTIAL_BLOCK] = 0;    /* pools written without their free blocks */
    run->warnings[WARN_OP_WITHOUT_BLOCK] = 0; /* frees, which are written without blocks */
    memset(run->first_warning_line, 0, sizeof run->first_warning_line);
    memset(run->first_warning_file, 0, sizeof run->first_warning_file);
}

/* If the files have only the state before ops, the state before the next op is the state after an op only if nothing was
 * freed in between, as far as the modules show. */
static void forget_after(struct report_telling *t) {
    struct run *run = &t->in->run;
    bool *freed = mem_zalloc(run->ranks.len + 1, sizeof *freed);
    for (size_t i = run->steps.len; i-- > 0;) {
        struct step *step = &run->steps.items[i];
        bool *since = &freed[step->rank];
        if (step->record == NONE) {
            *since = true;
            continue;
        }
        if (*since || t->by_last_use || !t->has_ops) step->after = NONE;
        *since = false;
    }
    free(freed);
}

/* Links weights and modules to the programs by the files' program numbers: each program has that of its first record. */
static void link_programs(struct report_telling *t) {
    struct run *run = &t->in->run;
    uint32_t *program_of = mem_alloc((run->programs.len + 1) * sizeof *program_of);
    for (size_t i = 0; i < run->programs.len; i++) {
        uint32_t record = run->programs.items[i].first_record;
        bool known = record < t->records.len;
        program_of[i] = known ? t->executions.items[t->records.items[record].execution].program : NONE;
    }
    report_weights_end(&t->weights, run, program_of);
    /* what ran is not compared with the modules, because the files lack deallocates */
    bool linked = false;
    for (uint32_t m = 0; m < run->modules.len; m++) {
        const struct module *module = &run->modules.items[m];
        if (!slice_equal(module->stage, SLICE("ttnn")) || module->set >= t->graphs.len) continue;
        for (size_t i = 0; i < run->programs.len; i++)
            if (run->programs.items[i].module == NONE && program_of[i] == t->graphs.items[module->set])
                run->programs.items[i].module = m, linked = true;
    }
    struct run_writer writer = {.run = run};
    if (linked) run_link_arguments(&writer);
    map_release(&writer.types);
    free(program_of);
}

/* Ranks are numbered in the order of their names, like those of a log. */
static void start_over(struct report_telling *t) {
    for (size_t i = 0; i < t->ranks.len; i++) {
        struct told_rank *rank = &t->ranks.items[i];
        rank->top = rank->nested = NONE, rank->place = 0;
        for (size_t k = 0; k < t->ranks.len; k++)
            rank->place += slice_natural(strtab_get(&t->names, t->ranks.items[k].name), strtab_get(&t->names, rank->name)) < 0;
    }
}

int report_json_read(struct input *in, const struct report_files *files, struct err *err) {
    struct report_telling t = {.in = in, .files = files, .memory = json_reader_new(), .operations = json_reader_new()};
    struct slice text = files->parts[PART_MEMORY].bytes, metadata = slice_of("", 0);
    strtab_id(&t.names, slice_of("", 0));
    if (!t.memory || !t.operations) {
        json_reader_free(t.memory);
        json_reader_free(t.operations);
        mem_exhausted();
    }
    int rc = report_check_files(in, files, err);
    if (rc == 0 && json_split_kind(text) == '{') json_split_member(text, "metadata", &metadata);
    if (rc == 0) read_programs(&t, metadata);
    if (rc == 0) rc = report_check_summary(files, t.memory, err);
    if (rc == 0) rc = report_weights_read(&t.weights, files, t.operations, err);
    if (rc == 0) report_peaks_read(&t.peaks, files, metadata, t.operations);
    if (rc == 0) rc = each_pair(&t, take_place, err);
    t.feed = run_feed_new(&in->run);
    in->run.told_by_files = TOLD_BY_FILES;
    if (rc == 0) {
        start_over(&t);
        rc = tell_modules(&t, err);
        if (rc == 0) rc = each_pair(&t, tell, err);
        if (rc == 0) rc = report_ir_check(&t.ir, files, t.program_names.len, err);
        if (rc == 0) tell_ends(&t);
    }
    run_feed_finish(t.feed);
    if (rc == 0) {
        in->run.text = strbuf_slice(&in->told);
        in->run.bytes = 0; /* what was read, not what was generated */
        for (unsigned part = 0; part < PART_COUNT; part++)
            in->run.bytes += files->have[part] ? files->parts[part].bytes.len : 0;
        restore(&t);
        if (!t.has_after) forget_after(&t);
        link_programs(&t);
        report_peaks_configs(&in->run, metadata, t.memory);
        report_failures_add(&in->run, t.memory, metadata);
        in->run.told_by_files =
            (uint8_t)(TOLD_BY_FILES | (t.has_after ? 0 : TOLD_BEFORE_ONLY) | (t.weights.by_operations ? TOLD_NO_ROLES : 0) |
                      (report_failures_kept(t.memory, metadata) ? 0 : TOLD_NO_FAILURES) |
                      report_counts_take(&in->run, files, t.memory));
        report_counts_note(in, files, t.by_last_use);
    }
    json_reader_free(t.memory);
    json_reader_free(t.operations);
    strtab_release(&t.names);
    vec_release(&t.records);
    vec_release(&t.executions);
    for (size_t i = 0; i < t.ranks.len; i++) {
        strbuf_release(&t.ranks.items[i].frees);
        strbuf_release(&t.ranks.items[i].caller_frees);
    }
    vec_release(&t.ranks);
    vec_release(&t.program_names);
    vec_release(&t.first);
    vec_release(&t.last);
    map_release(&t.last_use);
    map_release(&t.callees);
    report_weights_release(&t.weights);
    report_ir_release(&t.ir);
    report_frees_release(&t.frees);
    report_peaks_release(&t.peaks);
    vec_release(&t.graphs);
    strbuf_release(&t.out);
    return rc;
}
