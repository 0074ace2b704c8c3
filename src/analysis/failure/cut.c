/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/cut.h"

#include <stdlib.h>
#include <string.h>

#include "parse/around.h"
#include "parse/line_prefix.h"
#include "parse/message_text.h"

const char *log_cut_name(enum cut_inside inside) {
    static const char *const names[] = {[CUT_PROGRAM] = "program",
                                        [CUT_SUBMIT] = "submit",
                                        [CUT_BLOCK] = "memory_block",
                                        [CUT_LINE] = "line",
                                        [CUT_TESTS] = "tests"};
    return names[inside];
}

/* The last record of a rank, or of any rank if that is all of them. */
static void find_last_op(const struct run *run, uint32_t from, uint32_t end, uint32_t rank, struct log_cut *out) {
    for (uint32_t step = end; step-- > from && !out->has_op;) {
        const struct step *s = &run->steps.items[step];
        out->has_op = (rank == NONE || s->rank == rank) && s->record != NONE;
        out->op_index = s->record;
    }
}

/* A fatal error unwinds the programs around it. A process that the host killed had no time to. */
static bool unwinds(const struct run *run, uint32_t number) {
    const struct failure_set *set = number & SITE_NOTE ? &run->notes : &run->failures;
    number &= ~(uint32_t)SITE_NOTE;
    if (number >= set->entries.len) return false;
    const struct failure *f = &set->entries.items[number].failure;
    return !f->warning && f->kind != FAILURE_HOST_KILLED;
}

/* It was printed by the program's rank after the program began; a test's report or summary may repeat it much later. */
static bool is_unwound(const struct run *run, const struct execution *execution) {
    if (run->told_by_files) return run->failures.entries.len; /* files of a report do not say where */
    for (size_t i = run->failure_places.len; i-- > 0;) {
        const struct failure_place *place = &run->failure_places.items[i];
        if (place->line < execution->start_line) return false;
        if (place->rank == execution->rank && !place->copy && unwinds(run, place->failure)) return true;
    }
    return false;
}

/* The last program of each rank whose start is in the log, or NONE; the caller frees it. */
static uint32_t *last_programs(const struct run *run) {
    uint32_t *last = mem_alloc(sizeof *last * (run->ranks.len + 1));
    for (size_t i = 0; i < run->ranks.len; i++) last[i] = NONE;
    for (size_t i = 0; i < run->executions.len; i++)
        if (run->executions.items[i].parent == NONE && run->executions.items[i].start_line)
            last[run->executions.items[i].rank] = (uint32_t)i;
    return last;
}

static struct log_cut cut_in_program(const struct run *run) {
    struct log_cut out = {.inside = CUT_PROGRAM};
    uint32_t *last = last_programs(run);
    for (size_t i = 0; i < run->ranks.len && !out.cut; i++) {
        const struct execution *execution = last[i] == NONE ? NULL : &run->executions.items[last[i]];
        if (!execution || execution->finished || is_unwound(run, execution)) continue;
        out.cut = true;
        out.program = run_string(run, execution->name);
        find_last_op(run, execution->first_step, execution->end_step, execution->rank, &out);
    }
    free(last);
    return out;
}

static bool is_whole(const struct run *run, const struct step *step, uint8_t usual) {
    if (step->block == NONE) return step->kind != STEP_VOID;
    const struct block *block = &run->blocks.items[step->block];
    return (block->have & usual) == usual && !block->partial;
}

/* How a rank's last steps end, walked from the last one. */
struct rank_end {
    bool seen, told;
    bool cut;
    enum cut_inside inside;
};

static void meet(const struct run *run, const struct step *step, uint8_t usual, struct rank_end *end) {
    if (!end->seen && !is_whole(run, step, usual)) end->cut = true, end->inside = CUT_BLOCK;
    end->seen = true;
    if (step->kind == STEP_BEFORE_SUBMIT && !end->cut) end->cut = true, end->inside = CUT_SUBMIT;
    end->told = step->kind == STEP_BEFORE_SUBMIT || step->kind == STEP_AFTER_SUBMIT || end->cut;
}

/* Logs without program lines, by their memory blocks: the last of each rank; the caller frees it. */
static struct rank_end *memory_ends(const struct run *run) {
    enum { EVERY_POOL = (1 << POOL_COUNT) - 1 };
    uint8_t usual = 0;
    for (size_t i = 0; i < run->blocks.len && usual != EVERY_POOL; i++) usual |= run->blocks.items[i].have;
    struct rank_end *ends = mem_zalloc(run->ranks.len + 1, sizeof *ends);
    size_t open = run->ranks.len;
    for (size_t i = run->steps.len; open && i-- > 0;) {
        struct rank_end *end = &ends[run->steps.items[i].rank];
        if (end->told) continue;
        meet(run, &run->steps.items[i], usual, end);
        open -= end->told;
    }
    return ends;
}

static struct log_cut cut_in_memory(const struct run *run) {
    struct log_cut out = {0};
    struct rank_end *ends = memory_ends(run);
    for (uint32_t rank = 0; rank < run->ranks.len && !out.cut; rank++) {
        out.cut = ends[rank].cut;
        out.inside = ends[rank].inside;
        if (out.cut) find_last_op(run, 0, (uint32_t)run->steps.len, rank, &out);
    }
    free(ends);
    return out;
}

/* Files of a report count the programs that did not finish, but do not say which: with one rank it is the last. */
static struct log_cut cut_by_count(const struct run *run) {
    struct log_cut out = {.inside = CUT_PROGRAM};
    if (!run->warnings[WARN_UNFINISHED_PROGRAM] || run->failures.entries.len) return out;
    out.cut = true;
    for (size_t i = 0; i < run->executions.len && run->ranks.len == 1; i++)
        if (run->executions.items[i].parent == NONE) out.program = run_string(run, run->executions.items[i].name);
    if (run->ranks.len == 1) find_last_op(run, 0, (uint32_t)run->steps.len, NONE, &out);
    return out;
}

struct log_cut log_cut_of(const struct run *run) {
    if (run->origin != RUN_LOG) return (struct log_cut){0};
    struct log_cut out = cut_in_program(run);
    if (!out.cut && run->told_by_files && !(run->told_by_files & TOLD_WHOLE)) out = cut_by_count(run);
    /* a failure unwinds the programs around it; the files of a report do not hold the last block as printed */
    if (!out.cut && !run->failures.entries.len && !run->told_by_files) out = cut_in_memory(run);
    /* if programs show how they ended, they decide */
    for (size_t i = 0; i < run->executions.len && !out.cut; i++)
        if (run->executions.items[i].start_line) return out;
    if (out.cut || !run->tests_open) return out;
    out = (struct log_cut){.cut = true, .inside = CUT_TESTS};
    find_last_op(run, 0, (uint32_t)run->steps.len, NONE, &out);
    return out;
}

void log_cut_ranks(const struct run *run, bool *cut) {
    for (size_t i = 0; i < run->ranks.len; i++) cut[i] = false;
    if (run->origin != RUN_LOG) return;
    if (run->told_by_files) { /* they do not distinguish the ranks */
        bool any = !run->failures.entries.len && log_cut_of(run).cut;
        for (size_t i = 0; i < run->ranks.len; i++) cut[i] = any;
        return;
    }
    uint32_t *last = last_programs(run);
    struct rank_end *ends = NULL; /* for ranks whose programs do not show it */
    for (size_t i = 0; i < run->ranks.len && !ends; i++)
        if (last[i] == NONE) ends = memory_ends(run);
    for (size_t i = 0; i < run->ranks.len; i++) {
        const struct execution *execution = last[i] == NONE ? NULL : &run->executions.items[last[i]];
        if (execution) cut[i] = !execution->finished && !is_unwound(run, execution);
        else cut[i] = (ends[i].cut || run->tests_open) && !run->ranks.items[i].failures;
    }
    free(ends);
    free(last);
}

bool log_cut_any(const struct run *run) {
    bool *cut = mem_zalloc(run->ranks.len + 1, sizeof *cut), any = false;
    log_cut_ranks(run, cut);
    for (size_t i = 0; i < run->ranks.len; i++) any |= cut[i];
    free(cut);
    return any;
}

void log_cut_by_text(struct log_cut *cut, struct slice tail) {
    static const char *const writers[] = {"Always", "RuntimeTT"};
    if (cut->cut || !tail.len || tail.ptr[tail.len - 1] == '\n') return;
    const char *above = memrchr(tail.ptr, '\n', tail.len);
    struct slice line = above ? slice_skip(tail, (size_t)(above + 1 - tail.ptr)) : tail, head = slice_take(line, 80);
    bool runtime = false;
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        runtime |= slice_find(head, slice_from(writers[i])) != SLICE_NONE && slice_find(head, SLICE(" | ")) != SLICE_NONE;
    bool ends = slice_ends(line, SLICE("}")) || slice_find(line, SLICE("Finished execution")) != SLICE_NONE;
    if (!runtime || ends) return;
    *cut = (struct log_cut){.cut = true, .inside = CUT_LINE};
}

/* Start of the last `words`, or SLICE_NONE. */
static size_t find_last(struct slice text, struct slice words) {
    size_t found = SLICE_NONE;
    for (size_t at = 0, hit; (hit = slice_find(slice_skip(text, at), words)) != SLICE_NONE; at += hit + 1) found = at + hit;
    return found;
}

/* Reads [*at, limit); *ended: a pytest session ended, and none began since. */
static void follow_tests(struct slice text, size_t *at, size_t limit, bool *ended) {
    struct around_line line;
    while (around_next_before(text, at, limit, false, &line)) {
        if (line.kind == AROUND_SESSION) *ended = false;
        if (line.kind == AROUND_SESSION_END) *ended = true;
    }
}

/* A pytest session begins in the head, and its end is not in the tail. */
static bool tests_maybe(struct slice head, struct slice tail) {
    if (slice_find(head, slice_from(around_session_words)) == SLICE_NONE) return false;
    bool ended = false;
    size_t at = 0;
    follow_tests(tail, &at, tail.len, &ended);
    return !ended;
}

/* The last memory block is incomplete, or a submit has none after it. */
static bool memory_maybe(struct slice tail) {
    size_t heading = find_last(tail, SLICE("Device memory state ")), before, after;
    if (heading == SLICE_NONE) return false;
    struct slice block = slice_skip(tail, heading);
    size_t pool = slice_find(block, SLICE("Device TRACE memory state"));
    if (pool == SLICE_NONE || slice_find_byte(slice_skip(block, pool), '}') == SLICE_NONE) return true;
    before = find_last(tail, SLICE("Device memory state before submit"));
    after = find_last(tail, SLICE("Device memory state after submit"));
    return before != SLICE_NONE && (after == SLICE_NONE || after < before);
}

/* Several writers: the last end of a program is that of one of them. */
static bool is_tagged(struct slice text, size_t at) {
    const char *above = at ? memrchr(text.ptr, '\n', at) : NULL;
    size_t start = above ? (size_t)(above + 1 - text.ptr) : 0;
    return line_prefix_read(slice_between(text.ptr + start, text.ptr + at), PREFIX_RUNTIME).tag.len > 0;
}

enum { HEAD = 1 << 20, TESTS = 256 << 10, LINE_TAIL = 4096 };

bool log_cut_maybe(struct slice text) {
    enum { TAIL = 4 << 20 };
    struct slice tail = text.len > TAIL ? slice_skip(text, text.len - TAIL) : text, head = slice_take(text, HEAD);
    size_t finished = find_last(tail, SLICE("Finished execution of program"));
    struct slice rest = finished == SLICE_NONE ? tail : slice_skip(tail, finished);
    bool far_above =
        finished == SLICE_NONE && tail.len < text.len && slice_find(text, SLICE(" execution of program: ")) != SLICE_NONE;
    return far_above || (finished != SLICE_NONE && is_tagged(tail, finished)) ||
           slice_find(rest, SLICE("Executing operation")) != SLICE_NONE ||
           slice_find(rest, SLICE("Starting execution of program")) != SLICE_NONE || memory_maybe(rest) ||
           tests_maybe(head, text.len > TESTS ? slice_skip(text, text.len - TESTS) : text);
}

static bool tests_open(struct slice text) {
    struct slice tail = text.len > TESTS ? slice_skip(text, text.len - TESTS) : text;
    return tests_maybe(slice_take(text, HEAD), tail) && (tail.len == text.len || tests_maybe(slice_take(text, HEAD), text));
}

static void drop(struct strbuf *text, size_t bytes) {
    memmove(text->data, text->data + bytes, text->len - bytes);
    text->len -= bytes;
}

void stream_end_add(struct stream_end *end, struct slice bytes) {
    enum { HOLD = 64 << 10 }; /* lines that may say what those before them mean */
    struct strbuf *held = &end->held;
    if (end->before >= HEAD && !end->tests && bytes.len > LINE_TAIL) { /* most streams: nothing but their last line matters */
        end->before += held->len + bytes.len - LINE_TAIL;
        strbuf_clear(held);
        bytes = slice_skip(bytes, bytes.len - LINE_TAIL);
    }
    strbuf_add(held, bytes);
    struct slice text = strbuf_slice(held);
    struct slice head = slice_take(text, end->before < HEAD ? (size_t)(HEAD - end->before) : 0);
    if (!end->tests) end->tests = slice_find(head, slice_from(around_session_words)) != SLICE_NONE;
    if (text.len <= HOLD) return;
    const char *line = memrchr(text.ptr, '\n', text.len - HOLD);
    size_t past = line ? (size_t)(line + 1 - text.ptr) : 0;
    if (!past && text.len > HEAD) past = text.len - HOLD; /* no line of interest is that long */
    if (end->tests || head.len) follow_tests(text, &end->looked, past, &end->ended);
    end->looked = 0;
    end->before += past;
    drop(held, past);
}

static bool stream_in_tests(struct stream_end *end) {
    if (end->tests) follow_tests(strbuf_slice(&end->held), &end->looked, end->held.len, &end->ended);
    return end->tests && !end->ended;
}

void stream_end_release(struct stream_end *end) { strbuf_release(&end->held); }

void census_cut(struct census *census, const struct slice *text, struct stream_end *stream, const struct run *run) {
    static const enum census_end ends[] = {[CUT_PROGRAM] = ENDS_IN_PROGRAM,
                                           [CUT_SUBMIT] = ENDS_IN_SUBMIT,
                                           [CUT_BLOCK] = ENDS_IN_BLOCK,
                                           [CUT_LINE] = ENDS_IN_LINE,
                                           [CUT_TESTS] = ENDS_IN_TESTS};
    struct log_cut cut = {0};
    if (census->end != ENDS_WHOLE || census->failures.entries.len) return;
    if (run) cut = log_cut_of(run);
    struct slice tail = text ? *text : stream ? strbuf_slice(&stream->held) : slice_of("", 0);
    log_cut_by_text(&cut, tail.len > LINE_TAIL ? slice_skip(tail, tail.len - LINE_TAIL) : tail);
    bool tests = !cut.cut && !census->programs.len && (text ? tests_open(*text) : stream && stream_in_tests(stream));
    if (tests) cut = (struct log_cut){.cut = true, .inside = CUT_TESTS};
    if (cut.cut) census->end = ends[cut.inside];
}
