/* SPDX-License-Identifier: Apache-2.0 */
/* State while the events of a log are folded into a run, in order. Shared by the files of model/ that do the folding:
 *   fold.c      events -> steps and blocks
 *   ranks/      which rank a line or a failure is of, by its tag and by its file
 *   programs.c  which program is running, and where a device was opened again
 *   values.c    which values hold which tensors
 *   modules.c   module dumps
 *   joined_ops.c op lines that were torn
 *   losses.c    where lines are missing
 * What they find is written by run_write.h. */
#ifndef TTMEM_MODEL_FOLD_H
#define TTMEM_MODEL_FOLD_H

#include "base/strbuf.h"
#include "model/run_write.h"
#include "parse/around/appearance.h"
#include "parse/failure_alike.h"
#include "parse/log.h"

/* A value of a running program: what it holds and which arguments it was made from. */
struct slot {
    uint32_t tensor; /* NONE: on the host, or not tracked */
    uint32_t arguments;
    bool used;
};

/* The slots of a value, one per result: [first, first + count). */
struct place {
    uint32_t first, count;
};

/* A running program of one rank. */
struct frame {
    uint32_t execution;
    uint32_t last_op;     /* step */
    uint32_t nested;      /* programs that last_op has started */
    uint32_t next_result; /* number of the next result: those of a function are counted from 0, without a gap */
    bool may_call;        /* last_op may run a program that no line told the start of so far */
    VEC(struct slot) slots;
    VEC(struct place) values;    /* of %N */
    VEC(struct place) arguments; /* of %argN */
};

/* A test that failed, or a failure of one; the hash is of the last part of its name, which title and full name share. */
struct named_test {
    uint64_t hash;
    uint32_t id;
};

/* Of failures that others replace. */
struct latest_failure {
    uint32_t place; /* number in run.failure_places, NONE */
    struct strbuf line;
};

/* What stood around failures so far; numbers of sites carry SITE_NOTE. */
/* What was known about a failure when a traceback began. */
struct told_before {
    uint32_t failure; /* number, NONE: there was none */
    uint32_t python, call;
    uint8_t phase;
    bool thrown;
};

struct around_state {
    uint32_t test;           /* that is running, as a string id; 0: none */
    bool in_report;          /* what that test printed is told after it failed */
    uint32_t round;          /* counts tests */
    uint32_t process;        /* counts ends of processes */
    uint32_t last_site;      /* of any rank, NONE */
    uint32_t op_log, python; /* last op that logged, last frame of a traceback */
    uint32_t call;           /* the op that a line of Python calls, the last one */
    uint32_t buffer;         /* number in run.alive_buffers of the one whose lines are read, NONE */
    uint64_t op_log_line, python_line, call_line;
    uint8_t phase; /* enum around_phase: by the last frames of Python, or by a progress bar */
    uint64_t phase_line;
    uint64_t thrown_line;        /* of the last "Traceback" or "terminate called"; 0 */
    uint32_t lead;               /* what is before that traceback, as a string id: before its lines too, but for numbers */
    uint64_t frame_line;         /* of the last frame of a traceback, whosever it is */
    uint32_t traceback;          /* failure that a traceback told about, while the lines after it may be of its end; NONE */
    uint64_t failed_line;        /* of a test that failed, where no other line of tests came after it; 0 */
    uint32_t failed_name;        /* its name, as a string id; 0 */
    uint32_t op_depth;           /* ops that began and did not end, by the op logger */
    uint32_t op_outer, op_inner; /* the first and the last of them */
    VEC(uint32_t) open;          /* failures since the test began */
    VEC(uint32_t) unended;       /* failures of the process that runs */
    VEC(struct named_test) failed_tests;  /* by their full names */
    VEC(uint32_t) named_by_summary;       /* numbers of failures that have the name of the one test that a summary lists */
    uint32_t summary_name;                /* of that test, 0: no summary yet */
    VEC(struct named_test) titled;        /* numbers of failures whose test is known by the title of its report alone */
    VEC(uint32_t) tests;                  /* in the order in which they were first named */
    VEC(struct latest_failure) latest[2]; /* failures and notes by their numbers from FAILURE_SET_MAX on */
    uint32_t traceback_lines;             /* after the one of `traceback` */
    bool after_frame;                     /* the last of them was one of its frames */
    bool in_frames;                       /* the last line was of a traceback: its exception comes */
    struct told_before told;              /* about the latest failure, before the last traceback */
    bool boards_differ;                   /* among those that lines named */
};

/* A module dump under way. */
struct dump {
    uint32_t module;    /* NONE: none */
    struct strbuf torn; /* start of a line that was interrupted */
};

/* Who writes lines: a tag as printed. Which rank that is shows with its first op or memory line. */
struct log_writer {
    uint32_t name; /* string id, 0 for lines without a tag */
    uint32_t part; /* enum prefix_part of the tag */
    uint16_t rank;
    bool has_rank;
};

/* A failure under a tag while no rank was known by one. */
struct early_failure {
    uint32_t failure; /* number, with SITE_NOTE in run.notes */
    uint32_t tag;     /* string id */
    uint32_t part;
    uint64_t line;
};

struct rank_state {
    uint32_t id;              /* index of run.ranks */
    uint32_t last_site;       /* failure that the rank printed last, NONE */
    uint64_t moments;         /* ops and finished programs so far */
    uint64_t failures;        /* of memory, so far */
    uint64_t kills;           /* of them, ends of a process */
    VEC(struct frame) frames; /* [depth) are running; the rest keep their memory for reuse */
    size_t depth;
    uint32_t pending;    /* last op step of the rank, NONE */
    uint32_t open_block; /* block that the next piece may continue, NONE */
    bool headed;         /* that block has a heading */
    bool lost;           /* lines are missing before what comes next */
    bool has_ops;        /* op lines of it were met */
    uint32_t last_block;
    uint64_t blocks_of[1 << POOL_COUNT];    /* blocks with a heading, by the pools that followed it */
    uint64_t headless_of[1 << POOL_COUNT];  /* likewise, blocks without one */
    uint64_t nested_submits, loose_submits; /* before another one ended, and ends of none that was open */
    bool in_submit;
    uint64_t backwards; /* ops whose result number had been before in their program */
    /* Effects of an op are applied when the block after it is known, so that views can be told from copies: `older` waits for
     * the block of `newer`, which is the op that was read last. */
    uint32_t older, newer;
    struct hash128 cache_hash; /* of the last "Running LoadCachedOp" line */
    struct dump dump;          /* its module dump under way */
    uint32_t part;             /* how often its device was opened again */
    bool fresh;                /* nothing ran since its device was opened */
    uint64_t closed_line;      /* where its device was closed, while nothing ran since; 0 */
    uint32_t torn_op;          /* step of an op line that may go on in the next text, NONE */
    struct strbuf torn_op_text;
    uint64_t torn_keys[2]; /* place_key and text_key of its program before it */
};

/* The tags that a worker knows, by its ids, and who writes under them in the file that is being folded. */
struct worker_tags {
    VEC(struct log_tag) known;
    VEC(uint32_t) writers; /* NONE: not met in this file yet */
};

struct id_list {
    uint32_t *items;
    size_t len, cap;
};

struct fold {
    struct run *run;
    struct around_state around;
    struct run_writer writer;
    VEC(struct op_ref) refs;       /* of the op being written */
    struct slice stays;            /* see fold_init */
    uint64_t first_line;           /* of the piece being folded, 1-based */
    bool cut_line;                 /* the last piece ended within a line */
    uint64_t failure_end;          /* where the last failure ends in the log */
    struct failure_alike alike;    /* the line of the last one */
    struct message_lead lead;      /* what is before the last failure on its line */
    uint32_t failing, failing_tag; /* its rank, and who wrote its line as a string id */
    uint32_t line_early_tag;       /* early_tag of that line */
    bool untagged;                 /* no tag stands there */
    bool quiet;                    /* nothing in the rest of its line matters */
    struct rank_state *state;      /* by rank */
    size_t state_count;
    struct id_list *op_ids;    /* by worker: the worker's id -> op */
    struct id_list *type_ids;  /* likewise */
    struct worker_tags *tags;  /* by worker */
    const struct slice *names; /* of several files that are one run, each a rank of its own; NULL: one log */
    size_t name_count;
    uint32_t file;                    /* being folded; NONE before the first */
    size_t first_state, first_module; /* of that file */
    VEC(struct log_writer) writers;   /* of that file; [0] is whoever does not say */
    uint32_t first_writer;  /* the first that was found to be a rank by its tag, NONE; MPI's name one at once in one log */
    uint32_t tagged_ranks;  /* ranks by such tags */
    bool untagged_runs;     /* op or memory lines have no tag */
    uint16_t untagged_rank; /* theirs */
    VEC(struct early_failure) early;
    uint32_t early_tag, early_part; /* of the failure that is being read; 0: it is not an early one */
    VEC(struct dump) dumps;         /* of writers that are told by more than MPI's tag */
    size_t worker_count;
    struct map arguments; /* device arguments by rank, place of first use, number, type -> tensor: they stay between runs */
    struct map cached;    /* const-eval results: key -> first of the tensors in `cached_tensors` */
    VEC(uint32_t) cached_tensors;
    struct map exact_types;    /* OpType of a block -> name of the op that it fits word for word */
    uint32_t module_set;       /* compilations so far */
    bool torn_ops;             /* a rank may have one */
    struct log_worker *joiner; /* parses op lines that were put together again; made when needed */
};

/* `stays`: the bytes of the log where these outlive the run, so that nothing of a module needs copying; else empty. */
void fold_init(struct fold *fold, struct run *run, struct slice stays);
void fold_piece(struct fold *fold, const struct log_piece *piece);
void fold_finish(struct fold *fold); /* releases the fold's own memory */

/* ranks/fold_ranks.c */
void fold_begin_ranks(struct fold *fold);
void fold_name_ranks(struct fold *fold); /* of the file that is through */
void fold_choose_names(struct run *run); /* of all: the shortest part that distinguishes them */
void fold_sort_ranks(struct run *run);   /* by name; lines without a tag come first */
uint32_t fold_writer(struct fold *fold, unsigned worker, uint16_t tag);
struct rank_state *fold_rank(struct fold *fold, uint32_t number, bool runs);
uint32_t fold_tag_writer(struct fold *fold, struct slice tag, uint32_t part);
/* Somebody else than the ranks so far, by a tag like theirs: one that may become a rank, and is none of them. */
bool fold_is_stranger(const struct fold *fold, uint32_t writer);
/* The rank of a tag that a rank runs under; NULL: none does. */
struct rank_state *fold_known_rank(struct fold *fold, struct slice tag);
/* The rank whose tag stands before a line of text; NULL: it has no tag, or one of no rank. *rest is what is after it. */
struct rank_state *fold_text_rank(struct fold *fold, struct slice line, struct slice *rest);

/* ranks/failing.c; a rank may come with it, so that others lie elsewhere afterwards */
struct rank_state *fold_failing_rank(struct fold *fold, struct rank_state *rank, struct slice text, size_t at);
/* Who wrote the line at `at`, as printed; empty when nothing says. */
struct slice fold_failing_tag(struct slice text, size_t at);
void fold_failed_early(struct fold *fold, uint32_t failure, uint64_t line); /* the one that fold_failing_rank saw */
void fold_place_early(struct fold *fold);                                   /* at the end of a file */

/* programs.c: a line that opens or closes a device; a block that shows another device than the one before; what was on the
 * rank's device is gone */
void part_device_line(struct fold *fold, struct rank_state *rank, struct slice text, uint64_t line);
void part_by_config(struct fold *fold, struct rank_state *rank, uint32_t number);
void part_begin(struct fold *fold, struct rank_state *rank, uint64_t line);

/* fold.c: nothing more comes for the block that the last piece left open */
void fold_settle_block(struct fold *fold, struct rank_state *rank);

/* losses.c: lines are missing before this step of the rank; after its blocks that lack pools which most have */
void fold_mark_loss(struct fold *fold, struct rank_state *rank, struct step *step);
void fold_mark_lacking(struct fold *fold, const struct rank_state *rank, unsigned usual);

/* joined_ops.c: an op line that was torn by another writer's line */
void torn_op_read(struct fold *fold, struct rank_state *rank, uint32_t step, struct slice text);
/* Lines of text that came next, of whoever writes without a tag (`rank`) or under those of ranks. */
void torn_ops_try_join(struct fold *fold, struct rank_state *rank, struct slice text);

/* fold.c: ids of the run for what a piece brings; returns the op of the piece's first op line, NONE */
uint32_t fold_learn(struct fold *fold, const struct log_piece *piece);

/* programs.c */
struct frame *frame_top(struct rank_state *rank); /* NULL outside programs */
void program_start(struct fold *fold, struct rank_state *rank, struct slice name, uint64_t line);
void program_finish(struct fold *fold, struct rank_state *rank, struct slice name, uint64_t line);
/* `name` has ended, as a line other than its last one shows. */
void program_is_through(struct fold *fold, struct rank_state *rank, struct slice name, uint64_t line);
/* An op comes: which program it is of where lines of programs are missing, and whether results are. */
void programs_before_op(struct fold *fold, struct rank_state *rank, const struct op *op, uint64_t line);
void programs_unwind(struct fold *fold, struct rank_state *rank, uint64_t line);

/* values.c */
void values_op_read(struct fold *fold, struct rank_state *rank, uint32_t step);
void values_block_read(struct fold *fold, struct rank_state *rank);
void values_flush(struct fold *fold, struct rank_state *rank);
void values_frame_start(struct fold *fold, struct rank_state *rank, struct frame *frame, const struct frame *caller);
void values_frame_end(struct fold *fold, struct rank_state *rank, struct frame *frame, bool finished);

/* around_fold.c: text outside of module dumps; a failure in it, `before` is its line up to the message */
/* The first `message` bytes are of the message of a failure. Returns whether a line of it matters. */
bool around_text(struct fold *fold, struct rank_state *rank, struct slice all, size_t from, size_t end, size_t message,
                 uint64_t line);
/* A part of the line of a failure that holds the lines of its stack with their breaks escaped: the text of an exception as
 * Python or JSON quotes it. */
void around_escaped(struct fold *fold, struct rank_state *rank, struct slice text, bool before, uint64_t line);
/* Returns whether it is the first of its kind that the rank prints. */
bool around_failure(struct fold *fold, struct rank_state *rank, uint32_t number, bool is_new, struct slice before,
                    uint64_t line);
/* An appearance of a failure; `before` is what is before it on its line. */
void around_place(struct fold *fold, struct failure_place *place, bool is_new, uint8_t shape);
struct failure_site *around_site(struct fold *fold, uint32_t number); /* NULL for NONE */
bool around_is_kill(const struct fold *fold, uint32_t number);        /* the end of a process: nothing that it went on to */
/* around_latest.c: of failures from FAILURE_SET_MAX on, of which the latest of a wording is kept */
void around_keep_line(struct fold *fold, uint32_t number, struct slice line);
void around_keep_place(struct fold *fold, const struct failure_place *place);
void around_release_latest(struct fold *fold);
void around_next_file(struct fold *fold);
void around_finish(struct fold *fold);
void around_new_process(struct fold *fold, const struct rank_state *rank);
void around_reopened(struct fold *fold, const struct rank_state *rank); /* by which process is not known */

/* modules.c */
void module_begin(struct fold *fold, struct rank_state *rank, struct slice heading, uint64_t line);
void module_end(struct fold *fold, struct rank_state *rank, struct slice tag);
void modules_finish(struct fold *fold); /* of a file: what was not closed, and the memory of it all */
bool module_is_open(const struct fold *fold, const struct rank_state *rank);
void module_add_text(struct fold *fold, struct rank_state *rank, struct slice text, uint64_t offset, bool torn);

#endif
