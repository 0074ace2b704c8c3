/* SPDX-License-Identifier: Apache-2.0 */
#include "model/last_run.h"

#include "base/table/map.h"
#include "scan/lines.h"

/* One execution of a program from the top, or one submit. */
struct unit {
    uint64_t key;
    uint64_t line; /* where it begins, with the memory block before it */
    bool finished;
};

struct units {
    struct unit *items;
    size_t len, cap;
};

/* Several processes run the same: the first one that runs anything tells. */
static void units_of_programs(struct units *units, const struct run *run) {
    uint32_t rank = NONE;
    for (size_t i = 0; i < run->executions.len; i++) {
        const struct execution *e = &run->executions.items[i];
        if (e->parent != NONE) continue;
        if (rank == NONE) rank = e->rank;
        if (e->rank != rank) continue;
        struct unit unit = {e->program, e->start_line, e->finished};
        if (e->first_step) {
            const struct step *before = &run->steps.items[e->first_step - 1];
            if (before->kind == STEP_BEFORE_SUBMIT && before->rank == rank) unit.line = before->line;
        }
        vec_push(units, unit);
    }
}

/* Without program lines, submits of one graph are known by how they end: weights are prepared at the start of the first one
 * alone. */
enum { SUBMIT_TAIL = 16 };

static uint64_t tail_key(const uint32_t *tail, size_t count) {
    uint64_t key = 0;
    for (size_t i = count > SUBMIT_TAIL ? count - SUBMIT_TAIL : 0; i < count; i++)
        key = hash_mix(key, tail[i % SUBMIT_TAIL] + 1);
    return key;
}

static void units_of_submits(struct units *units, const struct run *run) {
    uint32_t rank = NONE, tail[SUBMIT_TAIL];
    size_t count = 0;
    for (size_t i = 0; i < run->steps.len; i++) {
        const struct step *step = &run->steps.items[i];
        if (step->kind == STEP_BEFORE_SUBMIT && rank == NONE) rank = step->rank;
        if (rank == NONE || step->rank != rank) continue;
        if (step->kind == STEP_BEFORE_SUBMIT) {
            vec_push(units, ((struct unit){0, step->line, false}));
            count = 0;
        } else if (step->kind == STEP_AFTER_SUBMIT) {
            vec_last(units).finished = true;
        } else {
            tail[count++ % SUBMIT_TAIL] = step->op_type;
            vec_last(units).key = tail_key(tail, count);
        }
    }
}

/* The first key that comes again; false when none does. */
static bool repeated_key(const struct units *units, uint64_t *key) {
    struct map firsts = {0};
    size_t earliest = units->len;
    for (size_t i = 0; i < units->len; i++) {
        bool added;
        uint32_t *first = map_at(&firsts, (struct hash128){units->items[i].key, 0}, &added);
        if (added) *first = (uint32_t)i;
        else if (*first < earliest) earliest = *first;
    }
    map_release(&firsts);
    if (earliest < units->len) *key = units->items[earliest].key;
    return earliest < units->len;
}

struct pass {
    size_t first, end; /* units */
};

/* Is `a` the beginning of `b`, without some of the programs of `b`? Then it was cut. */
static bool is_cut(const struct units *units, struct pass a, struct pass b) {
    size_t len = a.end - a.first;
    if (len >= b.end - b.first) return false;
    for (size_t i = 0; i < len; i++)
        if (units->items[a.first + i].key != units->items[b.first + i].key) return false;
    struct map present = {0};
    bool added, lacks = false;
    for (size_t i = a.first; i < a.end; i++) map_at(&present, (struct hash128){units->items[i].key, 0}, &added);
    for (size_t i = b.first + len; i < b.end && !lacks; i++)
        lacks = !map_find(&present, (struct hash128){units->items[i].key, 0});
    map_release(&present);
    return lacks;
}

/* Lines [*first, *end) of the last complete pass; *end 0: to the end of the log. */
static int find_pass(const struct units *units, uint64_t *first, uint64_t *end, uint64_t *passes, struct err *err) {
    if (!units->len)
        return err_set(
            err, ERR_LACKS,
            "the log does not tell where a pass begins: it has no program or submit lines (TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG "
            "TT_RUNTIME_MEMORY_LOG_LEVEL=all give them); name a text that ends each pass with --marker");
    uint64_t key;
    struct pass found = {0}, pass;
    bool any = false, sure = false;
    size_t last = units->len, whole = 0;
    while (whole + 1 < units->len && !units->items[whole].finished) whole++;
    if (!repeated_key(units, &key)) key = units->items[whole].key;
    *passes = 0;
    for (size_t i = units->len; i-- > 0;) {
        if (!units->items[i].finished) last = i; /* what never finished is part of no pass */
        if (units->items[i].key != key) continue;
        ++*passes;
        pass = (struct pass){i, last};
        last = i;
        /* the one after can only be judged by the one before it */
        if (sure || pass.first == pass.end) continue;
        sure = any && !is_cut(units, found, pass);
        if (!sure) found = pass;
        any = true;
    }
    if (!any)
        return err_set(err, ERR_LACKS, "no pass of the log is complete: every one was ended before its programs finished");
    *first = units->items[found.first].line;
    *end = found.end < units->len ? units->items[found.end].line : 0;
    return 0;
}

/* Walks the log's lines as the parser counts them. */
struct line_walk {
    const char *start, *at, *end;
    uint64_t line;
};

static size_t walk_to(struct line_walk *walk, uint64_t line) {
    for (; walk->line < line && walk->at < walk->end; walk->line++) walk->at = lines_behind(walk->at, walk->end);
    return (size_t)(walk->at - walk->start);
}

static size_t line_end(struct slice log, size_t at) {
    return (size_t)(lines_behind(log.ptr + at, log.ptr + log.len) - log.ptr);
}

/* Where a dump that begins at `begin` ends. */
static size_t dump_end(const struct module *module, struct slice log, size_t begin) {
    size_t end = line_end(log, begin);
    if (module->runs.len) end = (size_t)(vec_last(&module->runs).offset + vec_last(&module->runs).length);
    if (end < begin || end > log.len) end = line_end(log, begin);
    static const char words[] = "END OF MLIR MODULE";
    const char *mark = module->closed ? find_bytes(log.ptr + end, log.len - end, words, sizeof words - 1) : NULL;
    if (mark) return line_end(log, (size_t)(mark - log.ptr));
    return end && log.ptr[end - 1] == '\n' ? end : line_end(log, end);
}

static void add_module(struct last_run *out, const struct module *module, struct slice log, struct line_walk *walk) {
    size_t begin = walk_to(walk, module->line), end = dump_end(module, log, begin);
    if (out->parts.len && begin < vec_last(&out->parts).end) return;
    vec_push(&out->parts, ((struct log_part){begin, end, module->line}));
}

/* Module dumps of ranks may lie in each other: those that overlap the last part are in it already. */
static void collect(struct last_run *out, const struct run *run, struct slice log, struct log_part pass) {
    struct line_walk walk = {log.ptr, log.ptr, log.ptr + log.len, 1};
    size_t i = 0;
    for (; i < run->modules.len && run->modules.items[i].line < pass.first_line; i++)
        add_module(out, &run->modules.items[i], log, &walk);
    if (out->parts.len && vec_last(&out->parts).end > pass.begin) vec_last(&out->parts).end = pass.begin;
    out->pass = out->parts.len;
    vec_push(&out->parts, pass);
    for (; i < run->modules.len; i++) add_module(out, &run->modules.items[i], log, &walk);
}

/* The lines after the last marker but one, up to the last. False: the log has no such text. */
static bool find_marked(struct slice log, const char *marker, struct log_part *pass, uint64_t *passes) {
    size_t len = strlen(marker), from = 0;
    *pass = (struct log_part){0};
    *passes = 0;
    while (from < log.len) {
        const char *mark = len > 1 ? find_bytes(log.ptr + from, log.len - from, marker, len)
                                   : memchr(log.ptr + from, marker[0], log.len - from);
        if (!mark) break;
        pass->begin = pass->end;
        pass->end = from = line_end(log, (size_t)(mark - log.ptr));
        ++*passes;
    }
    pass->first_line = 1 + lines_between(log.ptr, log.ptr + pass->begin);
    return *passes > 0;
}

int last_run_find(struct last_run *out, const struct run *run, struct slice log, const char *marker, struct err *err) {
    *out = (struct last_run){0};
    struct log_part pass = {0};
    if (marker && !marker[0]) return err_set(err, ERR_USAGE, "--marker may not be empty");
    out->by_marker = find_marked(log, marker ? marker : LAST_RUN_MARKER, &pass, &out->passes);
    if (marker && !out->by_marker) return err_set(err, ERR_LACKS, "the log does not hold the marker %.200s", marker);
    if (!out->by_marker) {
        struct units units = {0};
        units_of_programs(&units, run);
        if (!units.len) units_of_submits(&units, run);
        uint64_t end = 0;
        int rc = find_pass(&units, &pass.first_line, &end, &out->passes, err);
        vec_release(&units);
        if (rc != 0) return -1;
        struct line_walk walk = {log.ptr, log.ptr, log.ptr + log.len, 1};
        pass.begin = walk_to(&walk, pass.first_line);
        pass.end = end ? walk_to(&walk, end) : log.len;
    }
    collect(out, run, log, pass);
    return 0;
}

void last_run_release(struct last_run *last) { vec_release(&last->parts); }
