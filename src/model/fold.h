/* SPDX-License-Identifier: Apache-2.0 */
/* State while the events of a log are folded into a run, in order. Shared by the files of model/ that do the folding:
 *   fold.c      events -> steps and blocks
 *   ranks/      the rank of a line or a failure, by its tag and by its file
 *   programs.c  which program is running, and where a device was opened again
 *   values.c    which values hold which tensors
 *   modules.c   module dumps
 *   joined_ops.c op lines that were torn
 *   losses.c    where lines are missing
 * Their results are written by run_write.h. */
#ifndef TTMEM_MODEL_FOLD_H
#define TTMEM_MODEL_FOLD_H

#include "base/ahead.h"
#include "base/strbuf.h"
#include "model/run_write.h"
#include "parse/around/appearance.h"
#include "parse/failure/alike.h"
#include "parse/log.h"
#include "source/kept_text.h"

/* A value of a running program: its tensor and the arguments it was made from. */
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
    uint32_t nested;      /* number of programs that last_op has started */
    uint32_t next_result; /* number of the next result: a function numbers its results from 0 without gaps */
    bool may_call;        /* last_op may be running a program whose start no line has shown yet */
    VEC(struct slot) slots;
    VEC(struct place) values;    /* of %N */
    VEC(struct place) arguments; /* of %argN */
};

/* A failed test, or a failure of one; the hash is of the last part of its name, which title and full name share. */
struct named_test {
    uint64_t hash;
    uint32_t id;
};

/* A failure that later ones replace. */
struct latest_failure {
    uint32_t place; /* index in run.failure_places, or NONE */
    struct strbuf line;
    struct slice text; /* of the piece that is being read: the line is that around `at`; empty: `line` has it */
    size_t at;
};

/* What was known about a failure when a traceback began. */
struct told_before {
    uint32_t failure; /* its number; NONE: no failure */
    uint32_t python, call;
    uint8_t phase;
    bool thrown;
};

struct around_state {
    uint32_t test;           /* the running test, as a string id; 0: none */
    bool in_report;          /* the report after its failure repeats what that test printed */
    uint32_t round;          /* counts tests */
    uint32_t process;        /* counts ends of processes */
    uint32_t last_site;      /* on any rank, or NONE; numbers of sites carry SITE_NOTE */
    uint32_t op_log, python; /* op that logged last, last frame of a traceback */
    uint32_t call;           /* the last op that a line of Python calls */
    uint32_t buffer;         /* index in run.alive_buffers of the one being read, or NONE */
    uint64_t op_log_line, python_line, call_line;
    uint8_t phase; /* enum around_phase: from the last frames of Python, or from a progress bar */
    uint64_t phase_line;
    uint64_t thrown_line; /* line of the last "Traceback" or "terminate called"; 0 */
    uint32_t lead;        /* the prefix of that traceback, as a string id; its lines have the same one apart from numbers */
    uint64_t frame_line;  /* line of the last traceback frame, of any writer */
    uint32_t traceback;   /* failure that a traceback reported, while later lines may belong to its end; or NONE */
    uint64_t failed_line; /* line of a failed test, if no other line about tests followed; 0 */
    uint32_t failed_name; /* its name, as a string id; 0 */
    uint32_t op_depth;    /* ops that began and did not end, according to the op logger */
    uint32_t op_outer, op_inner;          /* the first and the last of them */
    VEC(uint32_t) open;                   /* failures since the test began */
    VEC(uint32_t) unended;                /* failures of the running process */
    VEC(struct named_test) failed_tests;  /* by full name */
    VEC(uint32_t) named_by_summary;       /* failures that got the name of the only test that a summary lists */
    uint32_t summary_name;                /* name of that test, 0: no summary yet */
    VEC(struct named_test) titled;        /* failures whose test is known only by the title of its report */
    VEC(uint32_t) tests;                  /* in the order in which they were first named */
    VEC(struct latest_failure) latest[2]; /* failures and notes with numbers from FAILURE_SET_MAX on */
    uint32_t traceback_lines;             /* lines after the one of `traceback` */
    bool after_frame;                     /* the last of them was one of its frames */
    bool in_frames;                       /* the last line was a traceback frame: its exception follows */
    struct told_before told;              /* the latest failure as it was before the last traceback */
    bool boards_differ;                   /* the log names different boards */
};

/* A module dump in progress. */
struct dump {
    uint32_t module;    /* NONE: none */
    struct strbuf torn; /* start of a line that was interrupted */
};

/* A writer of lines, identified by its tag as printed. Its first op or memory line shows which rank it is. */
struct log_writer {
    uint32_t name; /* string id, 0 for lines without a tag */
    uint32_t part; /* enum prefix_part of the tag */
    uint16_t rank;
    bool has_rank;
};

/* A failure with a tag, met before any rank was known by its tag. */
struct early_failure {
    uint32_t failure; /* its number; with SITE_NOTE in run.notes */
    uint32_t tag;     /* string id */
    uint32_t part;
    uint64_t line;
    bool counts; /* among the failures of the rank that untagged lines belong to */
};

struct rank_state {
    uint32_t id;              /* index in run.ranks */
    uint32_t last_site;       /* last failure that the rank printed, or NONE */
    uint64_t moments;         /* ops and finished programs so far */
    uint64_t failures;        /* memory failures so far */
    uint64_t kills;           /* those among them that ended a process */
    VEC(struct frame) frames; /* [0, depth) are running; the rest keep their memory for reuse */
    size_t depth;
    uint32_t pending;    /* last op step of the rank, or NONE */
    uint32_t open_block; /* block that the next piece may continue, or NONE */
    bool headed;         /* that block has a heading */
    bool lost;           /* lines are missing before the next event */
    bool has_ops;        /* the rank has op lines */
    uint32_t last_block;
    uint64_t blocks_of[1 << POOL_COUNT];    /* blocks with a heading, counted by the pools that followed it */
    uint64_t headless_of[1 << POOL_COUNT];  /* the same for blocks without a heading */
    uint64_t nested_submits, loose_submits; /* begun before another one ended, and ends without an open one */
    bool in_submit;
    uint64_t backwards; /* ops whose result number had already occurred in their program */
    /* The effects of an op are applied once the block after it is known, so that views can be told from copies: `older`
     * waits for the block of `newer`, which is the last op read. */
    uint32_t older, newer;
    struct hash128 cache_hash; /* from the last "Running LoadCachedOp" line */
    struct dump dump;          /* its module dump in progress */
    uint32_t part;             /* how often its device was opened again */
    bool fresh;                /* nothing ran since its device was opened */
    uint64_t closed_line;      /* where its device was closed, as long as nothing ran since; 0 */
    uint32_t torn_op;          /* step of an op line that may continue in the next text, or NONE */
    struct strbuf torn_op_text;
    uint64_t torn_keys[2]; /* place_key and text_key of its program before this op */
};

/* The tags that a worker knows, by its ids, and their writers in the current file. */
struct worker_tags {
    VEC(struct log_tag) known;
    VEC(uint32_t) writers; /* NONE: not met in this file yet */
};

struct id_list {
    uint32_t *items;
    size_t len, cap;
};

/* What the line of a failure says apart from the message. Lines that one row of `alike` reads say the same if one writer wrote
 * them: `who` is what names it, in the text before the message, whose times may differ. */
enum { FAILURE_LINES = 256, FAILURE_LEAD_KEPT = 120, FAILURE_WHO = 4 };
struct failure_line {
    uint32_t chain;           /* of `alike` when it was read */
    uint32_t row, writer;     /* writer: rank of the event that it came with */
    struct message_lead lead; /* the text before the message */
    uint32_t failing, tag;    /* its rank, and the writer of the line as a string id */
    uint32_t early_tag, early_part;
    bool counted; /* whether its tag names a writer depends on the lines beside it */
    bool named;   /* its tag is that of a rank */
    bool by_mpi;  /* which MPI named, so it is one even if it ran nothing */
    bool quiet;   /* nothing in the rest of the line matters */
    struct {
        uint8_t at, len;
    } who[FAILURE_WHO];
    uint8_t before_len; /* 0: not kept */
    char before[FAILURE_LEAD_KEPT];
};

struct fold {
    struct run *run;
    struct ahead ahead; /* of the arrays that get an item with nearly every op */
    struct around_state around;
    struct run_writer writer;
    VEC(struct op_ref) refs;                      /* of the op being written */
    struct slice stays;                           /* see fold_init */
    struct kept_text *kept;                       /* takes what ops and modules point into, if the log does not stay; or NULL */
    uint64_t first_line;                          /* first line of the current piece, 1-based */
    bool cut_line;                                /* the last piece ended within a line */
    uint64_t failure_end;                         /* where the last failure ends in the log */
    struct failure_alike alike;                   /* the line of the last failure */
    struct failure_line lines[FAILURE_LINES + 1]; /* by row and writer; the last one is for lines without a row */
    uint32_t last_line;                           /* of the last failure */
    struct rank_state *state;                     /* one per rank */
    size_t state_count;
    struct id_list *op_ids;    /* per worker: the worker's id -> op */
    struct id_list *type_ids;  /* likewise */
    struct worker_tags *tags;  /* by worker */
    const struct slice *names; /* of several files that form one run, each with its own rank; NULL: a single log */
    size_t name_count;
    uint32_t file;                    /* current file; NONE before the first */
    size_t first_state, first_module; /* where those of the current file begin */
    VEC(struct log_writer) writers;   /* of the current file; [0] is for lines without a tag */
    uint32_t first_writer;  /* the first that proved to be a rank by its tag, or NONE; in a single log MPI's tags name a rank at
                               once */
    uint32_t tagged_ranks;  /* number of ranks known by such tags */
    bool untagged_runs;     /* there are op or memory lines without a tag */
    uint16_t untagged_rank; /* the rank of those lines */
    VEC(struct early_failure) early;
    struct map met;                 /* which failures each rank has met */
    uint32_t early_tag, early_part; /* of the failure being read; 0: it is not an early one */
    VEC(struct dump) dumps;         /* of writers known by more than MPI's tag */
    size_t worker_count;
    struct map arguments; /* device arguments by rank, place of first use, number, type -> tensor: they stay between runs */
    struct map cached;    /* const-eval results: key -> first of their tensors in `cached_tensors` */
    VEC(uint32_t) cached_tensors;
    struct map exact_types;    /* OpType of a block -> name of the op that matches it exactly */
    uint32_t module_set;       /* compilations so far */
    bool torn_ops;             /* some rank may have one */
    struct log_worker *joiner; /* parses op lines that were joined again; made when needed */
};

/* `stays`: the bytes of the log if they outlive the run, so that modules need no copy; else empty. */
void fold_init(struct fold *fold, struct run *run, struct slice stays);
void fold_piece(struct fold *fold, const struct log_piece *piece);
void fold_finish(struct fold *fold); /* releases the fold's own memory */

/* ranks/fold_ranks.c */
void fold_begin_ranks(struct fold *fold);
void fold_name_ranks(struct fold *fold); /* at the end of a file */
void fold_choose_names(struct run *run); /* of all ranks: the shortest part that distinguishes them */
void fold_sort_ranks(struct run *run);   /* by name; lines without a tag come first */
uint32_t fold_writer(struct fold *fold, unsigned worker, uint16_t tag);
struct rank_state *fold_rank(struct fold *fold, uint32_t number, bool runs);
uint32_t fold_tag_writer(struct fold *fold, struct slice tag, uint32_t part);
/* Is it another writer than the ranks so far, with a tag like theirs, that may become a rank? */
bool fold_is_stranger(const struct fold *fold, uint32_t writer);
/* The rank that runs under a tag; NULL: none. */
struct rank_state *fold_known_rank(struct fold *fold, struct slice tag);
/* The rank whose tag precedes a line of text; NULL: no tag, or one of no rank. *rest is the text after it. */
struct rank_state *fold_text_rank(struct fold *fold, struct slice line, struct slice *rest);

/* ranks/failing.c. The place for what the line of the failure that `alike` found says, given the text before the message.
 * `again`: it was read for an earlier line of the same row and writer. */
struct failure_line *fold_line_like(struct fold *fold, uint32_t rank, struct slice before, bool *again);
/* It may add a rank and so move the others. */
void fold_failing_line(struct fold *fold, uint32_t rank, struct slice text, size_t at, struct failure_line *line);
/* The writer of the line at `at`, as printed; empty if nothing tells. */
/* The failure of that line; `counts`: not a copy of an earlier message. */
void fold_failed_early(struct fold *fold, uint32_t failure, uint64_t line, bool counts);
void fold_place_early(struct fold *fold); /* at the end of a file */
/* Does the rank meet the failure for the first time? */
enum meeting { MET_IN_ORDER, PLACED_EARLY };
bool fold_meets_failure(struct fold *fold, enum meeting meeting, uint32_t rank, uint32_t failure);

/* programs.c: a line that opens or closes a device, or a block that shows another device than the previous one: everything
 * on the rank's device is gone */
void part_device_line(struct fold *fold, struct rank_state *rank, struct slice text, uint64_t line);
void part_by_config(struct fold *fold, struct rank_state *rank, uint32_t number);
void part_begin(struct fold *fold, struct rank_state *rank, uint64_t line);

/* fold.c: closes the block that the last piece left open */
void fold_settle_block(struct fold *fold, struct rank_state *rank);

/* losses.c: lines are missing before this step of the rank; after blocks that lack pools which most have */
void fold_mark_loss(struct fold *fold, struct rank_state *rank, struct step *step);
void fold_mark_lacking(struct fold *fold, const struct rank_state *rank, unsigned usual);

/* joined_ops.c: an op line that was torn by another writer's line */
void torn_op_read(struct fold *fold, struct rank_state *rank, uint32_t step, struct slice text);
/* The next lines of text, from the writer without a tag (`rank`) or under the tags of ranks. */
void torn_ops_try_join(struct fold *fold, struct rank_state *rank, struct slice text);

/* fold.c: assigns run ids to what a piece brings; returns the op of the piece's first op line, or NONE */
uint32_t fold_learn(struct fold *fold, const struct log_piece *piece);

/* programs.c */
struct frame *frame_top(struct rank_state *rank); /* NULL outside programs */
void program_start(struct fold *fold, struct rank_state *rank, struct slice name, uint64_t line);
void program_finish(struct fold *fold, struct rank_state *rank, struct slice name, uint64_t line);
/* `name` has ended, as another line than its last one shows. */
void program_is_through(struct fold *fold, struct rank_state *rank, struct slice name, uint64_t line);
/* Before an op: finds its program if lines of programs are missing, and whether results are missing. */
void programs_before_op(struct fold *fold, struct rank_state *rank, const struct op *op, uint64_t line);
void programs_unwind(struct fold *fold, struct rank_state *rank, uint64_t line);

/* values.c */
void values_op_read(struct fold *fold, struct rank_state *rank, uint32_t step);
void values_block_read(struct fold *fold, struct rank_state *rank);
void values_flush(struct fold *fold, struct rank_state *rank);
void values_frame_start(struct fold *fold, struct rank_state *rank, struct frame *frame, const struct frame *caller);
void values_frame_end(struct fold *fold, struct rank_state *rank, struct frame *frame, bool finished);

/* around_fold.c: text outside module dumps. Its first `message` bytes belong to the message of a failure. Returns whether a
 * line of it matters. */
bool around_text(struct fold *fold, struct rank_state *rank, struct slice all, size_t from, size_t end, size_t message,
                 uint64_t line);
/* A part of a failure's line that contains its stack with escaped line breaks: the text of an exception as Python or JSON
 * quotes it. */
void around_escaped(struct fold *fold, struct rank_state *rank, struct slice text, bool before, uint64_t line);
/* A failure; `before` is its line up to the message. Returns whether it is the first of its kind that the rank prints. */
bool around_failure(struct fold *fold, struct rank_state *rank, uint32_t number, bool is_new, struct slice before,
                    uint64_t line);
/* An occurrence of a failure. */
void around_place(struct fold *fold, struct failure_place *place, bool is_new, uint8_t shape);
struct failure_site *around_site(struct fold *fold, uint32_t number); /* NULL for NONE */
bool around_is_kill(const struct fold *fold, uint32_t number);        /* the end of a process, so nothing follows it */
/* around_latest.c: failures from FAILURE_SET_MAX on, of which only the latest of each wording is kept */
void around_keep_line(struct fold *fold, uint32_t number, struct slice text, size_t at); /* that of a message at `at` */
void around_settle_lines(struct fold *fold);                                             /* the piece is about to go */
void around_keep_place(struct fold *fold, const struct failure_place *place);
void around_release_latest(struct fold *fold);
void around_next_file(struct fold *fold);
void around_finish(struct fold *fold);
void around_new_process(struct fold *fold, const struct rank_state *rank);
void around_reopened(struct fold *fold, const struct rank_state *rank); /* by an unknown process */

/* modules.c */
/* A message follows: a dump whose braces are balanced is complete, also without an END line. */
void module_is_over(struct fold *fold, struct rank_state *rank);
void module_begin(struct fold *fold, struct rank_state *rank, struct slice heading, uint64_t line);
void module_end(struct fold *fold, struct rank_state *rank, struct slice tag);
void modules_finish(struct fold *fold); /* at the end of a file: closes open dumps and frees their memory */
bool module_is_open(const struct fold *fold, const struct rank_state *rank);
void module_add_text(struct fold *fold, struct rank_state *rank, struct slice text, uint64_t offset, bool torn);

#endif
