/* SPDX-License-Identifier: Apache-2.0 */
/* Memory failures in any text: tt-metal's out of memory, circular and dataflow buffers that do not fit, traces, kernels and
 * their arguments, fabric and huge pages; tt-mlir's at compile time; XLA's and vLLM's; the host's allocators and its OOM
 * killer. Covers all generations of the messages since 2024 (forms.c has one row per wording), also cut, wrapped
 * over lines, quoted or with unfilled placeholders. A fatal error about something else is found too, as FAILURE_NOT_MEMORY.
 *
 * Pure functions over memory that the caller owns; nothing to release, safe from any thread. A struct failure has no pointer
 * into the text. To read a text in pieces, let neighbours overlap by FAILURE_WINDOW bytes, because no message reaches
 * further, and keep FAILURE_LEAD bytes before each piece: they show who wrote a line, and whether words are a message or a
 * quotation.
 *
 * Not failures: the words in prose, in a test that expects them (match="Out of Memory"), in source code. */
#ifndef TTMEM_PARSE_FAILURE_H
#define TTMEM_PARSE_FAILURE_H

#include <stdint.h>

#include "base/slice.h"

enum {
    FAILURE_WINDOW = 4096,
    FAILURE_LEAD = 512,
    FAILURE_CORES_MAX = 200,
    FAILURE_OP_MAX = 64,
    FAILURE_WORDS_MAX = 160,
    FAILURE_SUBJECT_MAX = 96,
    FAILURE_CORE_TYPE_MAX = 16
};

enum failure_kind {
    FAILURE_OOM,
    FAILURE_CB_BEYOND_L1,
    FAILURE_CB_CLASH,
    FAILURE_DFB_BEYOND_L1,
    FAILURE_DFB_CLASH,
    FAILURE_TRACE_REGION,
    FAILURE_KERNEL_CONFIG,
    FAILURE_OOM_ADDRESS,
    FAILURE_CB_RULE,
    FAILURE_TRACE_OVERLAP,
    FAILURE_TRACE_UNSAFE,
    FAILURE_L1_ZONE, /* one of the runtime's own L1 arenas is full: service cores, DRISC */
    FAILURE_L1_SHARDS,
    FAILURE_OP_L1,  /* an op's own check of the circular buffers it would need */
    FAILURE_DFB_OP, /* the same for one dataflow buffer */
    FAILURE_KERNEL_BINARY,
    FAILURE_RUNTIME_ARGS,
    FAILURE_SEMAPHORES,
    FAILURE_HUGEPAGES,
    FAILURE_FABRIC,
    FAILURE_COMPILE_L1,
    FAILURE_COMPILE_DRAM,
    FAILURE_XLA, /* a status code without figures */
    FAILURE_KV_CACHE,
    FAILURE_HOST_ALLOC,
    FAILURE_HOST_KILLED,
    FAILURE_NOT_MEMORY,
    FAILURE_KINDS,
};

enum failure_pool { FAILURE_POOL_UNKNOWN, FAILURE_DRAM, FAILURE_L1, FAILURE_L1_SMALL, FAILURE_TRACE, FAILURE_SYSTEM_MEMORY };

/* Numbers of a message, in bytes except for counts and ids. "Per bank" is the request to the allocator of one bank. */
enum failure_number {
    FAILURE_REQUESTED, /* in total; size of the trace buffers, of the program, of the circular buffer */
    FAILURE_BANKS,
    FAILURE_PER_BANK,
    FAILURE_BANK, /* size of a bank */
    FAILURE_ALLOCATED,
    FAILURE_FREE,
    FAILURE_LARGEST,           /* free block */
    FAILURE_PLACEABLE,         /* free and not taken by dependencies */
    FAILURE_PLACEABLE_LARGEST, /* largest window of that */
    FAILURE_PROGRAM,           /* id */
    FAILURE_L1_ADDRESS,        /* lowest L1 buffer; where an interleaved buffer would have been placed */
    FAILURE_REGION_END,        /* of circular or dataflow buffers */
    FAILURE_LIMIT,       /* L1 of a core, trace region, kernel config buffer, lowest address, buffer of a circular buffer */
    FAILURE_DEVICE,      /* id */
    FAILURE_ADDRESS,     /* in DRAM: of a trace buffer */
    FAILURE_HIGH_WATER,  /* of allocations, or whatever the message names */
    FAILURE_HIGH_WATER2, /* of deletions, if it names both */
    FAILURE_COUNT,       /* of shards, runtime arguments, buffers: not bytes */
    FAILURE_COUNT_LIMIT,
    FAILURE_RSS,      /* of a host process: anonymous, shared and file pages */
    FAILURE_RSS_KEPT, /* the part that cannot be dropped: anonymous and shared */
    FAILURE_PID,
    FAILURE_SEQ_LEN, /* requested tokens */
    FAILURE_SEQ_FITS,
    FAILURE_ALIGNED, /* the request, rounded up by the arena: what has to fit */
    FAILURE_NUMBERS,
};

struct failure {
    enum failure_kind kind;
    enum failure_pool pool;
    uint32_t known;      /* bit n: number[n] was in the message */
    uint32_t open_ended; /* bit n: the text ends after number[n], which may continue in a fuller copy of the message */
    uint64_t number[FAILURE_NUMBERS];
    uint64_t rounding;  /* error in bytes of numbers that the message rounds ("1.25 GiB"); 0: none is rounded */
    const char *rule;   /* FAILURE_CB_RULE: the broken rule, a constant text; else NULL */
    const char *what;   /* kinds from FAILURE_TRACE_OVERLAP on: what is wrong, a constant half sentence; or NULL */
    bool warning;       /* nothing failed yet */
    bool maybe_other;   /* FAILURE_HOST_KILLED: memory is only one of the possible reasons */
    bool limit_is_page; /* FAILURE_CB_RULE: the limit is a page size, else that of the L1 buffer */
    bool unformatted;   /* placeholders "{}" instead of numbers: a bug in builds of early 2024 */
    bool cut;           /* FAILURE_NOT_MEMORY: the text ends within its words */
    size_t at, length;  /* position of the message in the searched text */
    /* The texts last, for failure_copy. */
    char core_range[FAILURE_CORES_MAX];    /* as spelled in the message, "" if unknown */
    char core_type[FAILURE_CORE_TYPE_MAX]; /* "TENSIX", "ACTIVE_ETH"; "" if unknown */
    char op[FAILURE_OP_MAX];               /* named by the message, or the only one that prints it: "ttnn.concat"; "": none */
    char subject[FAILURE_SUBJECT_MAX];     /* kernel or host process that the message names; "": none */
    char cgroup[FAILURE_SUBJECT_MAX];      /* whose memory was full, by the kernel's name for it */
    char words[FAILURE_WORDS_MAX];         /* FAILURE_NOT_MEMORY: its text as printed */
};

/* `*to = *from`, for a `to` that was once set: texts that neither has are not touched, and most failures have none. */
void failure_copy(struct failure *to, const struct failure *from);

static inline bool failure_knows(const struct failure *f, enum failure_number n) { return f->known >> n & 1; }

/* About memory, and something that happened: neither a warning nor a fatal error of another kind. */
static inline bool failure_is_memory(const struct failure *f) { return !f->warning && f->kind != FAILURE_NOT_MEMORY; }

/* A fatal error of unknown wording that may be about memory: it mentions memory, or failure_is_cut. */
bool failure_may_be_memory(const struct failure *f);

/* The same, from the words that are kept of it. */
bool failure_words_may_be_memory(struct slice words);

/* Its words are cut and could be those of any memory failure, or it has only a place in a source file. */
bool failure_is_cut(const struct failure *f);

/* Part of `what` in messages about host memory that is not a huge page. */
#define FAILURE_PLAIN_PAGES "Pages of a plain buffer"

/* Begins `what` in messages about a Ray worker: its job may continue without it. */
#define FAILURE_RAY_WORKER "A worker of Ray died"
bool failure_is_ray_worker(const struct failure *f);

/* A process ended by signal 9, for whatever reason. */
bool failure_is_signal_9(const struct failure *f);

/* Names as in JSON: "oom", "cb_clash", ...; "DRAM", ... or NULL. */
const char *failure_kind_name(enum failure_kind kind);
const char *failure_pool_name(enum failure_pool pool);
const char *failure_pool_key(enum failure_pool pool); /* as JSON names it: "l1_small" */

/* Can the text contain a failure? False is certain. Runs at memory speed, for whole files. */
bool failure_maybe(struct slice text);

/* Finds the next failure that begins at or after `from`. Continue after its at + length, which ends before the first line of
 * another writer if messages of several are mixed. */
bool failure_next(struct slice text, size_t from, struct failure *out);

/* The same for a failure that begins before `limit`. */
bool failure_next_before(struct slice text, size_t from, size_t limit, struct failure *out);

/* The same, with what is known of the lines of the text (may be NULL), whose `piece` is text.ptr: for a search from one failure
 * to the next. */
struct message_lines;
bool failure_next_known(struct slice text, size_t from, size_t limit, struct message_lines *lines, struct failure *out);

/* The text to search for failures that begin in the `length` bytes at `at` of `text`: from the lead to as far as a message
 * may extend. `*from` is the position of `at` in it. Anything that begins inside an earlier failure is part of that one. */
struct slice failure_reach(struct slice text, size_t at, size_t length, size_t *from);

/* Can a failure begin there? False is certain. */
bool failure_maybe_in(struct slice text, size_t at, size_t length);

/* How much of a growing text can be searched now: a message that may continue beyond its end begins after that, on its own
 * line. */
size_t failure_settled(struct slice text);

#endif
