/* SPDX-License-Identifier: Apache-2.0 */
/* Context of the failures in a log: what was running, and what came after. */
#include <stdlib.h>
#include <string.h>

#include "model/around/around_tests.h"
#include "model/around/around_traceback.h"
#include "parse/around.h"
#include "parse/around/appearance.h"
#include "parse/message_text.h"
#include "scan/lines.h"

enum {
    OP_LOG_REACH = 300, /* lines from an op's logger line to a failure of that op */
    PYTHON_REACH = 100, /* from a frame of a traceback to the exception's text */
    PHASE_REACH = 40,   /* from the line that names a phase to the failure */
    SUMMARY_REACH = 2,  /* from the line of a failed test to its message */
};

struct failure_site *around_site(struct fold *fold, uint32_t number) {
    if (number == NONE) return NULL;
    struct run *run = fold->run;
    bool note = number & SITE_NOTE;
    number &= ~(uint32_t)SITE_NOTE;
    return note ? &run->note_sites.items[number] : &run->failure_sites.items[number];
}

static uint32_t string_of(struct fold *fold, const char *text) {
    return text[0] ? strtab_id(&fold->run->strings, slice_from(text)) : 0;
}

static void on_frame(struct fold *fold, const struct rank_state *rank, const struct around_line *s, uint64_t line) {
    struct failure_site *site = around_latest(fold, rank, line);
    if (!site) return;
    if (s->phase && !site->phase) site->phase = (uint8_t)s->phase;
    if (!s->name[0]) return;
    bool runtime = s->name[0] >= 'A' && s->name[0] <= 'Z'; /* the name of a runtime type: "ConcatOp" */
    if (runtime) {
        if (!site->runtime_op) site->runtime_op = string_of(fold, s->name);
        return;
    }
    if (site->stack_done) return;
    uint32_t name = string_of(fold, s->name);
    if (!site->inner) site->inner = name;
    if (site->op_logged) return;
    if (s->outer) site->op = name, site->caller = 0;
    if (s->caller) site->op = 0, site->caller = name;
}

static void on_phase(struct fold *fold, const struct around_line *s, uint64_t line) {
    fold->around.phase = (uint8_t)s->phase;
    fold->around.phase_line = line;
}

/* The op that a line of Python calls belongs to the next failure, and to the one whose traceback is being read. */
static void on_call(struct fold *fold, struct failure_site *site, const char *op, uint64_t line) {
    fold->around.call = string_of(fold, op);
    fold->around.call_line = line;
    if (site) site->call = fold->around.call;
}

static void on_python(struct fold *fold, const struct rank_state *rank, const struct around_line *s, uint64_t line) {
    struct failure_site *site = around_latest(fold, rank, line);
    if (site && site->python_done && fold->around.buffer == NONE) site = NULL;
    if (site && s->phase && !site->phase) site->phase = (uint8_t)s->phase;
    if (s->phase) on_phase(fold, s, line);
    if (!s->text.len) return;
    struct strbuf place = {0};
    strbuf_add(&place, s->text);
    strbuf_addf(&place, ":%llu", (unsigned long long)s->number);
    uint32_t id = strtab_id(&fold->run->strings, strbuf_slice(&place));
    strbuf_release(&place);
    if (site && fold->around.buffer != NONE) { /* where that buffer was made */
        fold->run->alive_buffers.items[fold->around.buffer].python = id;
        return;
    }
    if (s->name[0] || s->outer) on_call(fold, site, s->name, line);
    fold->around.python = id;
    fold->around.python_line = line;
    if (site) site->python = id;
}

/* ---- buffers that are alive when a trace is replayed ---- */

enum { BUFFERS_MOST = 4096, HOLDERS_SHOWN = 3 };

static uint32_t buffer_of(const struct run *run, uint32_t failure, uint64_t id) {
    for (size_t i = run->alive_buffers.len; i-- > 0 && run->alive_buffers.items[i].failure == failure;)
        if (run->alive_buffers.items[i].id == id) return (uint32_t)i;
    return NONE;
}

static void on_buffer(struct fold *fold, const struct rank_state *rank, const struct around_line *s, uint64_t line) {
    struct run *run = fold->run;
    uint32_t number = around_latest_number(fold, rank);
    fold->around.buffer = NONE;
    if (!around_latest(fold, rank, line) || number & SITE_NOTE ||
        run->failures.entries.items[number].failure.kind != FAILURE_TRACE_UNSAFE)
        return;
    around_site(fold, number)->last_line = line; /* the list may be longer than any stack */
    uint32_t known = buffer_of(run, number, s->number);
    if (known == NONE && run->alive_buffers.len < BUFFERS_MOST) {
        known = (uint32_t)run->alive_buffers.len;
        vec_push(&run->alive_buffers, ((struct alive_buffer){.id = s->number, .failure = number}));
    }
    if (known == NONE) return;
    struct alive_buffer *buffer = &run->alive_buffers.items[known];
    if (!buffer->op) buffer->op = string_of(fold, s->name);
    fold->around.buffer = known;
}

static void on_holder(struct fold *fold, struct slice path) {
    if (fold->around.buffer == NONE) return;
    struct alive_buffer *buffer = &fold->run->alive_buffers.items[fold->around.buffer];
    if (buffer->holder_count++ >= HOLDERS_SHOWN) return;
    struct strbuf text = {0};
    if (buffer->holders) strbuf_add(&text, run_string(fold->run, buffer->holders));
    if (buffer->holders) strbuf_addz(&text, ", ");
    strbuf_add(&text, slice_take(path, 200));
    buffer->holders = strtab_id(&fold->run->strings, strbuf_slice(&text));
    strbuf_release(&text);
}

/* ---- tests ---- */

/* Stacks from here on belong to other failures. */
static void next_test(struct fold *fold) {
    vec_clear(&fold->around.open);
    fold->around.round++;
    fold->around.last_site = NONE;
    for (size_t i = 0; i < fold->run->ranks.len; i++) fold->state[i].last_site = NONE;
}

/* The failures since the test began get its outcome, and its name if no line announced its start. */
static void on_outcome(struct fold *fold, const struct around_line *s) {
    if (s->number == AROUND_OF_RUNNING && !fold->around.test) return;
    bool passed = s->kind == AROUND_TEST_PASSED;
    unsigned after = !passed                       ? AFTER_TEST_FAILED
                     : s->number == AROUND_XFAILED ? AFTER_XFAILED
                     : s->number == AROUND_SKIPPED ? AFTER_SKIPPED
                                                   : AFTER_TEST_PASSED;
    uint32_t name = s->text.len && !fold->around.test ? strtab_id(&fold->run->strings, s->text) : 0;
    bool summary = !passed && s->outer;
    if (summary && name) around_name_by_summary(fold, name);
    if (!passed && s->text.len) around_test_failed(fold, s->text);
    if (s->text.len) around_test_named(fold, strtab_id(&fold->run->strings, s->text));
    for (size_t i = 0; i < fold->around.open.len; i++) {
        struct failure_site *site = around_site(fold, fold->around.open.items[i]);
        site->after = (uint16_t)(site->after | after);
        if (!summary) around_set_test(fold, fold->around.open.items[i], name);
    }
    next_test(fold);
    fold->around.test = 0;
    fold->around.in_report = false;
}

static void on_test(struct fold *fold, uint32_t test, bool report) {
    around_forget_summary(fold);
    fold->around.op_depth = 0;
    next_test(fold);
    fold->around.test = test;
    fold->around.phase = 0;
    fold->around.in_report = report;
    fold->around.failed_line = 0;
}

static void on_exit_status(struct fold *fold, uint64_t status) {
    enum { KILLED = 128 + 9 };
    unsigned after = !status ? AFTER_EXIT_0 : status == KILLED ? AFTER_KILLED : AFTER_EXIT_FAILED;
    for (size_t i = 0; i < fold->around.unended.len; i++) {
        struct failure_site *site = around_site(fold, fold->around.unended.items[i]);
        site->after = (uint16_t)(site->after | after);
    }
    vec_clear(&fold->around.unended);
    fold->around.process++;
}

/* No test of the process failed, so they caught their failures. */
static void on_all_passed(struct fold *fold) {
    for (size_t i = 0; i < fold->around.unended.len; i++) {
        struct failure_site *site = around_site(fold, fold->around.unended.items[i]);
        if (!(site->after & (AFTER_TEST_FAILED | AFTER_XFAILED | AFTER_SKIPPED))) site->after |= AFTER_TEST_PASSED;
    }
    vec_clear(&fold->around.open);
}

/* Every test of the process failed: failures without an outcome of their own ended their tests. */
static void on_all_failed(struct fold *fold) {
    for (size_t i = 0; i < fold->around.unended.len; i++) {
        struct failure_site *site = around_site(fold, fold->around.unended.items[i]);
        if (!(site->after & (AFTER_TEST_FAILED | AFTER_TEST_PASSED))) site->after |= AFTER_TEST_FAILED;
    }
}

/* A board is more specific than its architecture; if boards differ, only the architecture remains. */
static void on_chip(struct fold *fold, const struct chip *named) {
    const struct chip *had = fold->run->logged_chip;
    if (!named || named == had) return;
    bool same_arch = had && strcmp(had->arch, named->arch) == 0, is_board = named != chip_of_arch(named);
    if (same_arch && is_board && had != chip_of_arch(had)) fold->around.boards_differ = true;
    if (same_arch && (!is_board || fold->around.boards_differ)) named = fold->around.boards_differ ? chip_of_arch(named) : had;
    fold->run->logged_chip = named;
}

/* Neither the writers of the dropped messages nor their contents are known. */
static void on_dropped(struct fold *fold, uint64_t messages, uint64_t line) {
    struct run *run = fold->run;
    run_warn(run, WARN_DROPPED, line);
    uint64_t room = UINT64_MAX - run->warnings[WARN_DROPPED];
    run->warnings[WARN_DROPPED] += messages - 1 < room ? messages - 1 : room;
    for (size_t i = 0; i < run->ranks.len; i++) {
        fold_settle_block(fold, &fold->state[i]); /* later values do not belong to its heading */
        fold->state[i].lost = true;
    }
}

static void on_line(struct fold *fold, struct rank_state *rank, const struct around_line *s, uint64_t line) {
    struct failure_site *site;
    switch (s->kind) {
        case AROUND_FRAME:
            on_frame(fold, rank, s, line);
            break;
        case AROUND_PYTHON:
            around_traceback_frame(fold, line);
            on_python(fold, rank, s, line);
            break;
        case AROUND_CALL:
            on_call(fold, around_latest(fold, rank, line), s->name, line);
            break;
        case AROUND_BUFFER:
        case AROUND_BUFFER_HELD:
            on_buffer(fold, rank, s, line);
            break;
        case AROUND_HOLDER:
            on_holder(fold, s->text);
            break;
        case AROUND_PHASE:
            on_phase(fold, s, line);
            break;
        case AROUND_OP_LOG:
            fold->around.op_log = string_of(fold, s->name);
            fold->around.op_log_line = line;
            site = around_site(fold, around_latest_number(fold, rank));
            if (site && site->after & AFTER_LINES) site->after |= AFTER_OPS; /* the program continues after the traceback */
            break;
        case AROUND_OP_BEGIN:
            if (!fold->around.op_depth++) fold->around.op_outer = string_of(fold, s->name);
            fold->around.op_inner = string_of(fold, s->name);
            break;
        case AROUND_OP_END:
            fold->around.op_depth -= fold->around.op_depth > 0;
            break;
        case AROUND_TEST:
            on_test(fold, strtab_id(&fold->run->strings, s->text), false);
            around_test_named(fold, fold->around.test);
            break;
        case AROUND_TEST_REPORT:
            on_test(fold, around_test_title(fold, s->text), true);
            break;
        case AROUND_TEST_PASSED:
        case AROUND_TEST_FAILED:
            on_outcome(fold, s);
            fold->around.failed_line = s->kind == AROUND_TEST_FAILED ? line : 0;
            fold->around.failed_name = s->text.len ? strtab_id(&fold->run->strings, s->text) : 0;
            break;
        case AROUND_SESSION: /* a process of its own */
            fold->run->tests_open = true;
            around_new_process(fold, rank);
            part_begin(fold, rank, line);
            break;
        case AROUND_SESSION_END:
            fold->run->tests_open = false;
            if (s->outer && !s->number) on_all_passed(fold);
            if (!s->outer && s->number) on_all_failed(fold);
            break;
        case AROUND_EXIT:
            fold->run->tests_open = false;
            on_exit_status(fold, s->number);
            break;
        case AROUND_THROWN:
            fold->around.thrown_line = line;
            site = around_latest(fold, rank, line);
            if (site) site->after = (uint16_t)((site->after | AFTER_THROWN) & ~(unsigned)AFTER_LINES);
            fold->around.traceback = NONE;
            break;
        case AROUND_TRACEBACK:
            around_traceback_begins(fold, rank, s->text, line);
            break;
        case AROUND_ARCH:
        case AROUND_BOARD:
            on_chip(fold, chip_find(s->text));
            break;
        case AROUND_MESH:
            fold->run->logged_mesh = string_of(fold, s->name);
            break;
        case AROUND_CHIPS_OPENED:
            if (s->number > fold->run->chips_opened && s->number <= UINT32_MAX) fold->run->chips_opened = (uint32_t)s->number;
            break;
        case AROUND_DROPPED:
            on_dropped(fold, s->number, line);
            break;
        case AROUND_RAN:
        case AROUND_NOTHING:
            break;
    }
}

/* The start of the lines after a message that ends at `message`, maybe in the middle of its line. */
static size_t after_message(struct slice text, size_t message) {
    if (!message) return 0;
    size_t end = slice_find_byte(slice_skip(text, message), '\n');
    return end == SLICE_NONE ? text.len : message + end + 1;
}

bool around_text(struct fold *fold, struct rank_state *rank, struct slice all, size_t from, size_t end, size_t message,
                 uint64_t line) {
    size_t at = from, counted = from;
    const struct slice text = slice_take(all, end);
    size_t rest = from + after_message(slice_skip(text, from), message);
    const struct run *run = fold->run;
    bool endings = run->failures.entries.len || run->notes.entries.len;
    bool tells = false;
    struct around_line s;
    while (around_next_before(all, &at, end, endings, &s)) {
        tells = true;
        if (at > rest) around_traceback_lines(fold, slice_between(text.ptr + rest, text.ptr + at)), rest = at;
        line += lines_between(text.ptr + counted, text.ptr + at);
        counted = at;
        on_line(fold, rank, &s, text.ptr[at - 1] == '\n' ? line - 1 : line);
    }
    around_traceback_lines(fold, slice_skip(text, rest));
    return tells;
}

void around_escaped(struct fold *fold, struct rank_state *rank, struct slice text, bool before, uint64_t line) {
    struct slice breaks = SLICE("\\n");
    if (slice_find(text, breaks) == SLICE_NONE) return;
    struct strbuf lines = {0};
    for (size_t at; (at = slice_find(text, breaks)) != SLICE_NONE; text = slice_skip(text, at + breaks.len)) {
        strbuf_add(&lines, slice_take(text, at));
        strbuf_addz(&lines, "\n");
    }
    strbuf_add(&lines, text);
    size_t kept = 0; /* drops the backslash of JSON's \" */
    for (size_t i = 0; i < lines.len; i++)
        if (lines.data[i] != '\\' || i + 1 == lines.len || lines.data[i + 1] != '"') lines.data[kept++] = lines.data[i];
    lines.len = kept;
    const uint32_t latest[] = {rank->last_site, fold->around.last_site};
    if (before) rank->last_site = fold->around.last_site = NONE; /* a traceback belongs to the message after it */
    struct around_line s;
    for (size_t at = 0; around_next(strbuf_slice(&lines), &at, true, &s);)
        if (before ? s.kind == AROUND_PYTHON || s.kind == AROUND_CALL : s.kind == AROUND_FRAME) on_line(fold, rank, &s, line);
    if (before) rank->last_site = latest[0], fold->around.last_site = latest[1];
    strbuf_release(&lines);
}

/* "FAILED tests/a.py::test_y - RuntimeError: ..." names the test of the message. In "tests/a.py::test_y <message>" pytest
 * announces a test, and the message is the first thing it prints. */
static void on_summary(struct fold *fold, uint32_t number, struct slice before) {
    struct around_line s;
    size_t at = 0;
    if (!around_next(before, &at, true, &s) || !s.text.len) return;
    if (s.kind == AROUND_TEST) {
        uint32_t test = strtab_id(&fold->run->strings, s.text);
        if (test != fold->around.test) on_test(fold, test, false);
        around_test_named(fold, test);
    }
    if (s.kind != AROUND_TEST_FAILED) return;
    on_outcome(fold, &s);
    for (size_t i = 0; i < fold->around.named_by_summary.len; i++) /* its own line names its test */
        if (fold->around.named_by_summary.items[i] == number) fold->around.named_by_summary.items[i] = NONE;
    around_set_test(fold, number, strtab_id(&fold->run->strings, s.text));
}

void around_place(struct fold *fold, struct failure_place *place, bool is_new, uint8_t shape) {
    struct failure_site *site = around_site(fold, place->failure);
    if (is_new) site->shape = shape;
    place->copy = shape != site->shape;
    if ((place->failure & ~(uint32_t)SITE_NOTE) >= FAILURE_SET_MAX) {
        if (is_new) around_keep_place(fold, place);
        return;
    }
    if (fold->run->failure_places.len < FAILURE_PLACES_MAX) vec_push(&fold->run->failure_places, *place);
}

/* "TT_FATAL @ bank_manager.cpp:462" without a message, right after another message: the stack that follows belongs to that
 * one. */
static bool is_place_alone(struct fold *fold, const struct rank_state *rank, uint32_t number, uint64_t line) {
    enum { REACH = 8 };
    if (!(number & SITE_NOTE)) return false;
    const struct failure_site *last = around_latest(fold, rank, line);
    return last && line - last->last_line <= REACH &&
           failure_is_cut(&fold->run->notes.entries.items[number & ~(uint32_t)SITE_NOTE].failure);
}

bool around_is_kill(const struct fold *fold, uint32_t number) {
    if (number & SITE_NOTE) return false;
    const struct failure *f = &fold->run->failures.entries.items[number].failure;
    return f->kind == FAILURE_HOST_KILLED && !failure_is_ray_worker(f);
}

static void on_kill(struct fold *fold, uint32_t number) {
    for (size_t i = 0; i < fold->around.unended.len; i++)
        if (fold->around.unended.items[i] != number) around_site(fold, fold->around.unended.items[i])->after |= AFTER_KILLED;
}

/* "RESOURCE_EXHAUSTED: Out of memory" after a message is the status code for the same failure. */
static bool is_status_of_latest(struct fold *fold, const struct rank_state *rank, uint32_t number, uint64_t line) {
    const struct failure_set *failures = &fold->run->failures;
    uint32_t latest = around_latest_number(fold, rank);
    return !(number & SITE_NOTE) && failures->entries.items[number].failure.kind == FAILURE_XLA &&
           around_latest(fold, rank, line) && !(latest & SITE_NOTE) &&
           failures->entries.items[latest].failure.kind != FAILURE_XLA;
}

/* Ranks that fail alike print equal messages: the first of a rank that runs something is not a copy of another rank's. */
static bool is_own_of_rank(struct fold *fold, const struct rank_state *rank, uint32_t number) {
    if (number & SITE_NOTE) return false;
    bool first = fold_meets_failure(fold, MET_IN_ORDER, rank->id, number);
    const struct failure_line *its = &fold->lines[fold->last_line];
    bool alone = fold->state_count == fold->first_state + 1; /* of its file */
    return first && !fold->early_tag && (alone || its->named) && (rank->moments || its->by_mpi);
}

bool around_failure(struct fold *fold, struct rank_state *rank, uint32_t number, bool is_new, struct slice before,
                    uint64_t line) {
    const bool is_status = is_status_of_latest(fold, rank, number, line);
    if (is_status) number = around_latest_number(fold, rank), is_new = false;
    struct failure_site *site = around_site(fold, number);
    const struct message_lead *lead = &fold->lines[fold->last_line].lead;
    bool logged = lead->logged, place_alone = is_place_alone(fold, rank, number, line);
    bool ends_traceback = !logged && around_traceback_ends(fold, line);
    if (is_new && fold->around.op_log && line - fold->around.op_log_line <= OP_LOG_REACH) site->op_log = fold->around.op_log;
    if (is_new && fold->around.op_depth) {
        site->op = fold->around.op_outer;
        site->inner = fold->around.op_inner;
        site->op_logged = true;
    }
    fold->around.op_depth = 0;                    /* an exception ends all of them without a log line */
    bool told = is_new || fold->around.in_report; /* the lines before it apply, also before a copy in a test's report */
    if (told && !site->python && fold->around.python && line - fold->around.python_line <= PYTHON_REACH)
        site->python = fold->around.python;
    if (told && !site->call && fold->around.call && line - fold->around.call_line <= PYTHON_REACH)
        site->call = fold->around.call;
    fold->around.buffer = NONE;
    if (!is_new && !logged) site->stack_done |= site->op || site->inner; /* a copy: its stack has been read */
    site->last_line = line;
    if (lead->names_test) on_summary(fold, number, before);
    if (lead->appears == MESSAGE_REPORTED) site->after |= AFTER_TEST_FAILED;
    if (lead->appears == MESSAGE_PRINTED) site->after |= AFTER_PRINTED;
    if (!logged && lead->ends_process) {
        site->after |= AFTER_THROWN;
        fold->around.traceback = NONE;
    } else if (ends_traceback) {
        if (!place_alone) around_traceback_of(fold, number);
        site->after |= AFTER_THROWN;
        site->python_done |= site->python || site->call;
        if (!place_alone) fold->around.python = fold->around.call = 0; /* they belonged to this failure */
    }
    /* "FAILED test - RuntimeError: TT_FATAL @ file:1: ...", "info:" and the message are one entry of a short summary */
    if (is_new && fold->around.failed_line && line - fold->around.failed_line <= SUMMARY_REACH) {
        site->after |= AFTER_TEST_FAILED;
        around_set_test(fold, number, fold->around.failed_name);
    }
    if (is_new && fold->around.phase && line - fold->around.phase_line <= PHASE_REACH) site->phase = fold->around.phase;
    fold->around.phase = 0;
    if (fold->around.in_report) {
        site->after |= AFTER_TEST_FAILED;
        around_set_test(fold, number, fold->around.test);
    }
    fold->around.failed_line = 0;
    if (!place_alone) rank->last_site = fold->around.last_site = number;
    const bool kill = around_is_kill(fold, number), again = !is_own_of_rank(fold, rank, number) || is_status || kill;
    if (!is_new && !logged && again) return false;
    if (kill) on_kill(fold, number);
    rank->failures += !(number & SITE_NOTE);
    rank->kills += kill;
    if (site->rank != rank->id) return true; /* what follows counts for the rank that met it first */
    around_set_test(fold, number, fold->around.test);
    site->moment = rank->moments;
    site->failures_so_far = rank->failures - rank->kills;
    if (site->round != fold->around.round) vec_push(&fold->around.open, number);
    if (site->process != fold->around.process) vec_push(&fold->around.unended, number);
    site->round = fold->around.round;
    site->process = fold->around.process;
    return is_new;
}

static void settle(struct fold *fold, struct failure_site *site) {
    const struct rank_state *rank = &fold->state[site->rank];
    if (rank->moments > site->moment) site->after |= AFTER_OPS;
    if (rank->failures - rank->kills > site->failures_so_far) site->after |= AFTER_FAILURE;
}

/* Later lines say nothing about the failures so far, except `after`. */
static void settle_rank(struct fold *fold, const struct rank_state *rank, unsigned after) {
    struct run *run = fold->run;
    for (size_t i = 0; i < run->failure_sites.len + run->note_sites.len; i++) {
        struct failure_site *site =
            i < run->failure_sites.len ? &run->failure_sites.items[i] : &run->note_sites.items[i - run->failure_sites.len];
        if (site->rank != rank->id) continue;
        if (site->moment == UINT64_MAX) continue;
        settle(fold, site);
        site->after = (uint16_t)(site->after | after);
        site->moment = site->failures_so_far = UINT64_MAX;
    }
}

void around_reopened(struct fold *fold, const struct rank_state *rank) { settle_rank(fold, rank, AFTER_REOPENED); }

/* A new process on the rank says nothing about the failures of the previous one. */
void around_new_process(struct fold *fold, const struct rank_state *rank) {
    fold->around.traceback = NONE; /* a failure it reports ended the previous process */
    settle_rank(fold, rank, 0);
    vec_clear(&fold->around.unended);
    fold->around.process++;
}

/* The next file is from another process, with its own tests, end and stacks. */
void around_next_file(struct fold *fold) {
    struct around_state *around = &fold->around;
    around_settle_tests(fold);
    vec_clear(&around->tests);
    around->traceback = NONE;
    vec_clear(&around->open);
    vec_clear(&around->unended);
    around->round++;
    around->process++;
    around->phase = 0;
    around->test = around->op_log = around->python = around->call = around->op_depth = 0;
    around->buffer = NONE;
    vec_clear(&around->titled);
    around_forget_summary(fold);
    around->thrown_line = 0;
    around->in_frames = false;
    around->told.failure = NONE;
    around->in_report = false;
    vec_clear(&around->failed_tests);
    around->last_site = NONE;
}

void around_finish(struct fold *fold) {
    struct run *run = fold->run;
    for (size_t i = 0; i < run->failure_sites.len; i++) settle(fold, &run->failure_sites.items[i]);
    for (size_t i = 0; i < run->note_sites.len; i++) settle(fold, &run->note_sites.items[i]);
    around_settle_tests(fold);
    vec_release(&fold->around.tests);
    vec_release(&fold->around.open);
    vec_release(&fold->around.unended);
    vec_release(&fold->around.failed_tests);
    vec_release(&fold->around.titled);
    vec_release(&fold->around.named_by_summary);
    around_release_latest(fold);
}
