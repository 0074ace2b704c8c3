/* SPDX-License-Identifier: Apache-2.0 */
#include "model/last_run.h"

#include <stdlib.h>

#include "base/table/map.h"
#include "parse/logline.h"
#include "scan/lines.h"

/* One execution of a top-level program, or one submit. */
struct unit {
    uint64_t key;
    uint64_t line; /* its first line, or that of the memory block before it */
    bool finished;
};

struct units {
    struct unit *items;
    size_t len, cap;
};

/* The previous step of the same rank, or NULL. */
static const struct step *step_before(const struct run *run, uint32_t step, uint16_t rank) {
    while (step-- > 0)
        if (run->steps.items[step].rank == rank) return &run->steps.items[step];
    return NULL;
}

static void units_of_programs(struct units *units, const struct run *run, uint16_t rank) {
    for (size_t i = 0; i < run->executions.len; i++) {
        const struct execution *e = &run->executions.items[i];
        if (e->parent != NONE || e->rank != rank) continue;
        struct unit unit = {e->program, e->start_line, e->finished};
        const struct step *before = step_before(run, e->first_step, rank);
        if (before && before->kind == STEP_BEFORE_SUBMIT) unit.line = before->line;
        vec_push(units, unit);
    }
}

/* Without program lines, submits of one graph are recognised by how they end: only the first one prepares weights at its
 * start. */
enum { SUBMIT_TAIL = 16 };

static uint64_t tail_key(const uint32_t *tail, size_t count) {
    uint64_t key = 0;
    for (size_t i = count > SUBMIT_TAIL ? count - SUBMIT_TAIL : 0; i < count; i++)
        key = hash_mix(key, tail[i % SUBMIT_TAIL] + 1);
    return key;
}

static void units_of_submits(struct units *units, const struct run *run, uint16_t rank) {
    uint32_t tail[SUBMIT_TAIL];
    size_t count = 0;
    for (size_t i = 0; i < run->steps.len; i++) {
        const struct step *step = &run->steps.items[i];
        if (step->rank != rank || (!units->len && step->kind != STEP_BEFORE_SUBMIT)) continue;
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

/* The first key that repeats; false if none does. */
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

/* Is `a` the beginning of `b`, lacking some of its programs? Then it was cut. */
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
        return err_set(err, ERR_LACKS,
                       "nothing shows where a pass begins in the log: it has no program or submit lines "
                       "(TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG "
                       "TT_RUNTIME_MEMORY_LOG_LEVEL=all give them); name a text that ends each pass with --marker");
    uint64_t key;
    struct pass found = {0}, pass;
    bool any = false, sure = false;
    size_t last = units->len, whole = 0;
    while (whole + 1 < units->len && !units->items[whole].finished) whole++;
    if (!repeated_key(units, &key)) key = units->items[whole].key;
    *passes = 0;
    for (size_t i = units->len; i-- > 0;) {
        if (!units->items[i].finished) last = i; /* a program that never finished belongs to no pass */
        if (units->items[i].key != key) continue;
        ++*passes;
        pass = (struct pass){i, last};
        last = i;
        /* a pass can only be judged by the one before it */
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

/* The last complete pass of a rank, by its programs or else its submits. */
static int find_rank_pass(const struct run *run, uint16_t rank, uint64_t *first, uint64_t *end, uint64_t *passes,
                          struct err *err) {
    struct units units = {0};
    units_of_programs(&units, run, rank);
    if (!units.len) units_of_submits(&units, run, rank);
    int rc = find_pass(&units, first, end, passes, err);
    vec_release(&units);
    return rc;
}

/* Walks the log's lines as the parser counts them. */
struct line_walk {
    const char *start, *at, *end;
    uint64_t line;
};

static size_t walk_to(struct line_walk *walk, uint64_t line) {
    for (; walk->line < line && walk->at < walk->end; walk->line++) walk->at = lines_next(walk->at, walk->end);
    return (size_t)(walk->at - walk->start);
}

static size_t line_end(struct slice log, size_t at) { return (size_t)(lines_next(log.ptr + at, log.ptr + log.len) - log.ptr); }

/* The end of a dump that begins at `begin`. */
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

/* Module dumps of ranks can overlap: those that overlap the last part are already in it. */
static void collect(struct last_run *out, const struct run *run, struct slice log, struct log_part pass) {
    struct line_walk walk = {log.ptr, log.ptr, log.ptr + log.len, 1};
    size_t i = 0;
    for (; i < run->modules.len && run->modules.items[i].line < pass.first_line; i++)
        add_module(out, &run->modules.items[i], log, &walk);
    if (out->parts.len && vec_last(&out->parts).end > pass.begin) vec_last(&out->parts).end = pass.begin;
    vec_push(&out->parts, pass);
    for (; i < run->modules.len; i++) add_module(out, &run->modules.items[i], log, &walk);
    /* if the file is cut in the meantime, its lines are no longer where they were */
    for (i = 0; i < out->parts.len; i++)
        if (out->parts.items[i].end < out->parts.items[i].begin) out->parts.items[i].end = out->parts.items[i].begin;
}

/* The lines between the last two markers. False: the log has no marker. */
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

/* --- several ranks in one log: each has its own last pass, and a line is kept or dropped by the rank that wrote it --- */

struct span {
    size_t begin, end;
};

struct rank_spans {
    VEC(struct span) spans; /* its pass and its module dumps; in order and disjoint once sorted */
    size_t at;              /* the first that does not end before the current line */
    struct span pass;
    uint64_t first_line; /* of the pass */
};

struct tagged_log {
    const struct run *run;
    struct slice log;
    struct map tags; /* hash of a tag -> rank */
    struct rank_spans *ranks;
};

static struct hash128 tag_key(struct slice tag) { return (struct hash128){hash_bytes64(tag), tag.len}; }

/* The tag before a line, in the form that distinguishes ranks. */
static struct hash128 line_tag(struct slice line) {
    char room[PREFIX_TAG_ROOM];
    struct log_line read;
    logline_read(line, &read);
    struct line_prefix prefix = read.message ? read.writer : line_prefix_read(line, PREFIX_ALL);
    return tag_key(line_prefix_writer(&prefix, room));
}

static struct slice line_at(struct slice log, size_t at) {
    size_t end = line_end(log, at);
    return slice_of(log.ptr + at, end - at - (end > at && log.ptr[end - 1] == '\n'));
}

/* Finds which rank writes under which tag, from the first lines of each that show it. */
static void learn_tags(struct tagged_log *t, size_t ranks) {
    struct line_walk walk = {t->log.ptr, t->log.ptr, t->log.ptr + t->log.len, 1};
    bool *known = mem_zalloc(t->run->ranks.len + 1, sizeof *known);
    for (size_t i = 0; i < t->run->steps.len && ranks; i++) {
        const struct step *step = &t->run->steps.items[i];
        if (known[step->rank] || step->line < walk.line) continue;
        bool added;
        uint32_t *rank = map_at(&t->tags, line_tag(line_at(t->log, walk_to(&walk, step->line))), &added);
        if (added) *rank = step->rank;
        known[step->rank] = true;
        ranks--;
    }
    free(known);
}

static bool rank_runs(const struct run *run, size_t rank) {
    return run->ranks.items[rank].records || run->ranks.items[rank].blocks;
}

/* Each rank's own markers: its pass lies between its last two. False: a rank prints none. */
static bool find_marked_ranks(struct tagged_log *t, const char *marker, uint64_t *passes) {
    size_t len = strlen(marker), from = 0;
    uint64_t *count = mem_zalloc(t->run->ranks.len + 1, sizeof *count);
    bool all = true;
    while (from < t->log.len) {
        const char *mark = len > 1 ? find_bytes(t->log.ptr + from, t->log.len - from, marker, len)
                                   : memchr(t->log.ptr + from, marker[0], t->log.len - from);
        if (!mark) break;
        const char *line = memrchr(t->log.ptr, '\n', (size_t)(mark - t->log.ptr));
        size_t begin = line ? (size_t)(line + 1 - t->log.ptr) : 0;
        from = line_end(t->log, (size_t)(mark - t->log.ptr));
        const uint32_t *rank = map_find(&t->tags, line_tag(line_at(t->log, begin)));
        if (!rank) continue;
        t->ranks[*rank].pass = (struct span){t->ranks[*rank].pass.end, from};
        if (++count[*rank] > *passes) *passes = count[*rank];
    }
    for (size_t i = 0; i < t->run->ranks.len; i++) all &= count[i] || !rank_runs(t->run, i);
    for (size_t i = 0; i < t->run->ranks.len; i++)
        t->ranks[i].first_line = 1 + lines_between(t->log.ptr, t->log.ptr + t->ranks[i].pass.begin);
    free(count);
    return all;
}

static int find_rank_passes(struct tagged_log *t, uint64_t *passes, struct err *err) {
    for (size_t i = 0; i < t->run->ranks.len; i++) {
        uint64_t end = 0, own = 0;
        struct rank_spans *rank = &t->ranks[i];
        struct slice name = run_string(t->run, t->run->ranks.items[i].name);
        struct err inner = {0};
        if (!rank_runs(t->run, i)) continue;
        if (find_rank_pass(t->run, (uint16_t)i, &rank->first_line, &end, &own, &inner) != 0)
            return err_set(err, inner.code, "rank %.*s: %.800s", (int)(name.len ? name.len : 8),
                           name.len ? name.ptr : "untagged", inner.text);
        struct line_walk walk = {t->log.ptr, t->log.ptr, t->log.ptr + t->log.len, 1};
        rank->pass.begin = walk_to(&walk, rank->first_line);
        rank->pass.end = end ? walk_to(&walk, end) : t->log.len;
        if (own > *passes) *passes = own;
    }
    return 0;
}

static int earlier_first(const void *a, const void *b) {
    const struct span *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static void add_rank_spans(struct tagged_log *t, struct last_run *out) {
    struct line_walk walk = {t->log.ptr, t->log.ptr, t->log.ptr + t->log.len, 1};
    for (size_t i = 0; i < t->run->modules.len; i++) {
        const struct module *module = &t->run->modules.items[i];
        size_t begin = walk_to(&walk, module->line), end = dump_end(module, t->log, begin);
        struct rank_spans *rank = &t->ranks[module->rank];
        bool inside = begin >= rank->pass.begin && end <= rank->pass.end;
        vec_push(&rank->spans, ((struct span){begin, end}));
        out->dumps += !inside;
    }
    for (size_t i = 0; i < t->run->ranks.len; i++) {
        struct rank_spans *rank = &t->ranks[i];
        size_t kept = 0;
        if (rank->pass.end > rank->pass.begin) vec_push(&rank->spans, rank->pass);
        if (rank->spans.len) qsort(rank->spans.items, rank->spans.len, sizeof *rank->spans.items, earlier_first);
        for (size_t k = 0; k < rank->spans.len; k++) {
            struct span span = rank->spans.items[k];
            if (!kept || span.begin > rank->spans.items[kept - 1].end) rank->spans.items[kept++] = span;
            else if (span.end > rank->spans.items[kept - 1].end) rank->spans.items[kept - 1].end = span.end;
        }
        rank->spans.len = kept;
    }
}

static bool is_in(struct rank_spans *rank, size_t at) {
    while (rank->at < rank->spans.len && rank->spans.items[rank->at].end <= at) rank->at++;
    return rank->at < rank->spans.len && rank->spans.items[rank->at].begin <= at;
}

/* Where a span of any rank begins at or after `at`; else the end of the log. */
static size_t next_span(struct tagged_log *t, size_t at) {
    size_t next = t->log.len;
    for (size_t i = 0; i < t->run->ranks.len; i++) {
        struct rank_spans *rank = &t->ranks[i];
        if (is_in(rank, at)) return at;
        if (rank->at < rank->spans.len && rank->spans.items[rank->at].begin < next) next = rank->spans.items[rank->at].begin;
    }
    return next;
}

/* Untagged lines are kept within the pass of any rank. */
static bool is_kept(struct tagged_log *t, size_t at) {
    const uint32_t *rank = map_find(&t->tags, line_tag(line_at(t->log, at)));
    if (rank) return is_in(&t->ranks[*rank], at);
    for (size_t i = 0; i < t->run->ranks.len; i++)
        if (at >= t->ranks[i].pass.begin && at < t->ranks[i].pass.end) return true;
    return false;
}

static void collect_ranks(struct tagged_log *t, struct last_run *out) {
    struct line_walk walk = {t->log.ptr, t->log.ptr, t->log.ptr + t->log.len, 1};
    for (size_t at = 0, end; at < t->log.len; at = end) {
        end = next_span(t, at);
        if (end > at) continue;
        while (walk.at < t->log.ptr + at) walk_to(&walk, walk.line + 1);
        end = line_end(t->log, at);
        if (!is_kept(t, at)) continue;
        if (out->parts.len && vec_last(&out->parts).end == at) vec_last(&out->parts).end = end;
        else vec_push(&out->parts, ((struct log_part){at, end, walk.line}));
    }
}

static int last_run_of_ranks(struct last_run *out, const struct run *run, struct slice log, const char *marker, size_t ranks,
                             struct err *err) {
    struct tagged_log t = {.run = run, .log = log, .ranks = mem_zalloc(run->ranks.len + 1, sizeof *t.ranks)};
    int rc = 0;
    out->ranks = ranks;
    learn_tags(&t, ranks);
    out->by_marker = find_marked_ranks(&t, marker ? marker : LAST_RUN_MARKER, &out->passes);
    if (!out->by_marker) {
        out->passes = 0;
        memset(t.ranks, 0, run->ranks.len * sizeof *t.ranks);
        rc = marker ? err_set(err, ERR_LACKS, "not every rank prints the marker '%.200s'", marker)
                    : find_rank_passes(&t, &out->passes, err);
    }
    if (rc == 0) {
        add_rank_spans(&t, out);
        collect_ranks(&t, out);
        out->first_line = UINT64_MAX;
        for (size_t i = 0; i < run->ranks.len; i++)
            if (rank_runs(run, i) && t.ranks[i].first_line < out->first_line) out->first_line = t.ranks[i].first_line;
    }
    for (size_t i = 0; i < run->ranks.len; i++) vec_release(&t.ranks[i].spans);
    free(t.ranks);
    map_release(&t.tags);
    return rc;
}

/* The first rank that runs anything, and the number of ranks that do. */
static size_t count_running(const struct run *run, uint16_t *first) {
    size_t count = 0;
    for (size_t i = run->ranks.len; i-- > 0;) {
        if (!run->ranks.items[i].records && !run->ranks.items[i].blocks) continue;
        *first = (uint16_t)i;
        count++;
    }
    return count;
}

int last_run_find(struct last_run *out, const struct run *run, struct slice log, const char *marker, struct err *err) {
    *out = (struct last_run){.ranks = 1};
    struct log_part pass = {0};
    uint16_t rank = 0;
    if (marker && !marker[0]) return err_set(err, ERR_USAGE, "--marker must not be empty");
    size_t ranks = count_running(run, &rank);
    if (ranks > 1) return last_run_of_ranks(out, run, log, marker, ranks, err);
    out->by_marker = find_marked(log, marker ? marker : LAST_RUN_MARKER, &pass, &out->passes);
    if (marker && !out->by_marker) return err_set(err, ERR_LACKS, "the log does not contain the marker '%.200s'", marker);
    if (!out->by_marker) {
        uint64_t end = 0;
        if (find_rank_pass(run, rank, &pass.first_line, &end, &out->passes, err) != 0) return -1;
        struct line_walk walk = {log.ptr, log.ptr, log.ptr + log.len, 1};
        pass.begin = walk_to(&walk, pass.first_line);
        pass.end = end ? walk_to(&walk, end) : log.len;
    }
    collect(out, run, log, pass);
    out->first_line = pass.first_line;
    out->dumps = out->parts.len - 1;
    return 0;
}

void last_run_release(struct last_run *last) { vec_release(&last->parts); }
