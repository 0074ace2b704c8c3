/* SPDX-License-Identifier: Apache-2.0 */
#include "model/around/around_traceback.h"

#include "parse/around.h"
#include "parse/message_text.h"

enum {
    TRACEBACK_REACH = 400, /* lines from its heading to the exception's text */
    FRAME_REACH = 8,       /* from its last frame: the line of code, marks, the exception */
    STACK_REACH = 600,     /* from a message to the last frame of its stack */
    END_REACH = 1000,      /* lines that a process may print while it ends */
    LEAD_MOST = 160,       /* bytes of a prefix */
};

uint32_t around_latest_number(const struct fold *fold, const struct rank_state *rank) {
    return rank->last_site != NONE ? rank->last_site : fold->around.last_site;
}

struct failure_site *around_latest(struct fold *fold, const struct rank_state *rank, uint64_t line) {
    struct failure_site *site = around_site(fold, around_latest_number(fold, rank));
    return site && line - site->last_line <= STACK_REACH ? site : NULL;
}

static void read_on(struct fold *fold, uint32_t number) {
    fold->around.traceback = number;
    fold->around.traceback_lines = 0;
    fold->around.after_frame = false;
}

static bool is_warning(const struct fold *fold, uint32_t number) {
    return number & SITE_NOTE && fold->run->notes.entries.items[number & ~(uint32_t)SITE_NOTE].failure.warning;
}

void around_traceback_begins(struct fold *fold, struct rank_state *rank, struct slice lead, uint64_t line) {
    struct around_state *around = &fold->around;
    around->thrown_line = line;
    around->lead = lead.len < LEAD_MOST ? strtab_id(&fold->run->strings, lead) : 0;
    around->in_frames = false;
    around->told = (struct told_before){.failure = NONE};
    const struct failure_site *site = around_latest(fold, rank, line);
    uint32_t number = around_latest_number(fold, rank);
    if (site && is_warning(fold, number)) { /* a warning throws nothing */
        rank->last_site = around->last_site = NONE;
        return;
    }
    if (!site) return;
    around->told = (struct told_before){number, site->python, site->call, site->phase, site->after & AFTER_THROWN};
    around_site(fold, number)->after |= AFTER_THROWN;
    read_on(fold, number);
}

void around_traceback_frame(struct fold *fold, uint64_t line) {
    struct around_state *around = &fold->around;
    around->frame_line = line;
    around->in_frames = around->thrown_line && line - around->thrown_line <= TRACEBACK_REACH;
}

/* The frames do not belong to the latest failure, unless it had been thrown before: then this exception followed from it. */
static void give_back(struct fold *fold) {
    struct told_before *told = &fold->around.told;
    struct failure_site *site = told->thrown ? NULL : around_site(fold, told->failure);
    if (site) {
        site->python = told->python, site->call = told->call, site->phase = told->phase;
        site->after = (uint16_t)(site->after & ~(unsigned)AFTER_THROWN);
        if (fold->around.traceback == told->failure) fold->around.traceback = NONE;
    }
    told->failure = NONE;
}

/* The exception is an error that no memory failure led to. */
static void on_other_error(struct fold *fold) {
    struct around_state *around = &fold->around;
    give_back(fold);
    around->python = around->call = around->phase = 0;
    around->thrown_line = around->frame_line = 0;
}

/* The line below the last frame is the exception. */
static void on_line_of_traceback(struct fold *fold, struct slice line) {
    struct around_state *around = &fold->around;
    struct slice lead = run_string(fold->run, around->lead);
    size_t prefix = line_prefix_like(lead, line);
    if (lead.len && !prefix) return; /* from another writer */
    struct slice bare = slice_skip(line, prefix);
    if (around_is_indented(bare)) return;
    around->in_frames = false;
    if (around_is_other_error(bare)) on_other_error(fold);
}

/* Lines after a traceback: the first one that an ending process would not print leaves open whether it ended. */
static void on_line_after(struct fold *fold, struct slice line) {
    struct around_state *around = &fold->around;
    struct failure_site *site = around_site(fold, around->traceback);
    if (!message_text_is_of(run_string(fold->run, site->tag), message_text_tag(line))) return;
    struct slice bare = slice_skip(line, line_prefix_like(run_string(fold->run, around->lead), line));
    bool exception = around->after_frame; /* its class can have any name */
    around->after_frame = around_is_indented(bare.len < line.len ? bare : line);
    if ((exception || around_may_end(line) || (bare.len < line.len && around_may_end(bare))) &&
        ++around->traceback_lines < END_REACH)
        return;
    site->after |= AFTER_LINES;
    around->traceback = NONE;
}

void around_traceback_lines(struct fold *fold, struct slice text) {
    struct around_state *around = &fold->around;
    while (text.len && (around->traceback != NONE || around->in_frames)) {
        size_t end = slice_find_byte(text, '\n');
        struct slice line = slice_take(text, end);
        text = end == SLICE_NONE ? slice_of("", 0) : slice_skip(text, end + 1);
        if (around->in_frames) on_line_of_traceback(fold, line);
        if (around->traceback != NONE) on_line_after(fold, line);
    }
}

bool around_traceback_ends(const struct fold *fold, uint64_t line) {
    const struct around_state *around = &fold->around;
    return around->thrown_line && line - around->thrown_line <= TRACEBACK_REACH && around->frame_line > around->thrown_line &&
           line - around->frame_line <= FRAME_REACH;
}

void around_traceback_of(struct fold *fold, uint32_t number) {
    if (fold->around.told.failure != number) give_back(fold);
    fold->around.in_frames = false;
    read_on(fold, number);
}
