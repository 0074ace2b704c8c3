/* SPDX-License-Identifier: Apache-2.0 */
/* Memory failures in any text: tt-metal's out of memory, circular and dataflow buffers that do not fit, traces, kernels and
 * their arguments, fabric and huge pages; tt-mlir's at compile time; XLA's and vLLM's; the host's allocators and its OOM
 * killer. All generations of the messages since 2024 (failure_forms.c has one row per wording), cut, wrapped over lines, quoted
 * or with their placeholders unfilled. A fatal error that is about something else is found too, as FAILURE_NOT_MEMORY.
 *
 * Pure functions over memory that the caller owns; nothing to release, safe from any thread. A struct failure holds no pointer
 * into the text. To read a text in pieces, let neighbours overlap by FAILURE_WINDOW bytes, no message reaches further, and keep
 * FAILURE_LEAD bytes in front: they tell who wrote a line, and whether words are a message or quoted.
 *
 * What is not a failure: the words in prose, in a test that expects them (match="Out of Memory"), in source code. */
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
    FAILURE_L1_ZONE, /* an L1 arena of the runtime's own is full: service cores, DRISC */
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

/* Numbers of a message, all in bytes but for counts and ids. "Per bank" is what the allocator of one bank is asked for. */
enum failure_number {
    FAILURE_REQUESTED, /* in total; size of the trace buffers, of the program, of the circular buffer */
    FAILURE_BANKS,
    FAILURE_PER_BANK,
    FAILURE_BANK, /* size of a bank */
    FAILURE_ALLOCATED,
    FAILURE_FREE,
    FAILURE_LARGEST,           /* free block */
    FAILURE_PLACEABLE,         /* free and not taken by dependencies */
    FAILURE_PLACEABLE_LARGEST, /* window of that */
    FAILURE_PROGRAM,           /* id */
    FAILURE_L1_ADDRESS,        /* lowest L1 buffer; where an interleaved buffer would have come to lie */
    FAILURE_REGION_END,        /* of circular or dataflow buffers */
    FAILURE_LIMIT,       /* L1 of a core, trace region, kernel config buffer, lowest address, buffer of a circular buffer */
    FAILURE_DEVICE,      /* id */
    FAILURE_ADDRESS,     /* in DRAM: of a trace buffer */
    FAILURE_HIGH_WATER,  /* of allocations, or whatever the message names */
    FAILURE_HIGH_WATER2, /* of deletions, where it names both */
    FAILURE_COUNT,       /* of shards, runtime arguments, buffers: no bytes */
    FAILURE_COUNT_LIMIT,
    FAILURE_RSS,      /* of a host process: anonymous, shared and of files */
    FAILURE_RSS_KEPT, /* of it, what cannot be dropped: anonymous and shared */
    FAILURE_PID,
    FAILURE_SEQ_LEN, /* tokens asked for */
    FAILURE_SEQ_FITS,
    FAILURE_ALIGNED, /* what is requested, rounded up as the arena hands it out: what has to fit */
    FAILURE_NUMBERS,
};

struct failure {
    enum failure_kind kind;
    enum failure_pool pool;
    uint32_t known;      /* bit n: number[n] was in the message */
    uint32_t open_ended; /* bit n: the text ends after number[n], which may go on in a fuller copy of the message */
    uint64_t number[FAILURE_NUMBERS];
    uint64_t rounding; /* bytes by which numbers that the message rounds ("1.25 GiB") may differ from the truth; 0: none is */
    char core_range[FAILURE_CORES_MAX];    /* as spelled in the message, "" when not known */
    char core_type[FAILURE_CORE_TYPE_MAX]; /* "TENSIX", "ACTIVE_ETH"; "" when not known */
    const char *rule;                      /* FAILURE_CB_RULE: what is broken, a constant text; NULL otherwise */
    const char *what;        /* kinds from FAILURE_TRACE_OVERLAP on: what is wrong, a constant half sentence; or NULL */
    char op[FAILURE_OP_MAX]; /* that the message names, or that alone prints it: "ttnn.concat"; "" when none */
    char subject[FAILURE_SUBJECT_MAX]; /* kernel, or process of the host, that the message names; "" when none */
    char cgroup[FAILURE_SUBJECT_MAX];  /* whose memory was full, as the kernel names it */
    char words[FAILURE_WORDS_MAX];     /* FAILURE_NOT_MEMORY: what it says, as it is there */
    bool warning;                      /* nothing failed yet */
    bool maybe_other;                  /* FAILURE_HOST_KILLED: memory is one of several reasons that the words leave open */
    bool limit_is_page;                /* FAILURE_CB_RULE: the limit is a page size, else the L1 buffer's */
    bool unformatted;                  /* placeholders "{}" instead of numbers: a fault of early 2024 builds */
    bool cut;                          /* FAILURE_NOT_MEMORY: the text ends within its words */
    size_t at, length;                 /* place of the message in the text that was searched */
};

static inline bool failure_knows(const struct failure *f, enum failure_number n) { return f->known >> n & 1; }

/* About memory and about something that happened: neither a warning nor a fatal error of another kind. */
static inline bool failure_is_memory(const struct failure *f) { return !f->warning && f->kind != FAILURE_NOT_MEMORY; }

/* A fatal error in an unknown wording that may be about memory: it mentions memory, or failure_is_cut. */
bool failure_may_be_memory(const struct failure *f);

/* The same by what is kept of it: its words. */
bool failure_words_may_be_memory(struct slice words);

/* Its words are cut and may be those of any memory failure, or there are none beside a place in a source file. */
bool failure_is_cut(const struct failure *f);

/* Stands in `what` of messages about memory of the host that is not a huge page. */
#define FAILURE_PLAIN_PAGES "Pages of a plain buffer"

/* Begins `what` of messages about a worker of Ray: the job that it worked for may go on without it. */
#define FAILURE_RAY_WORKER "A worker of Ray died"
bool failure_is_ray_worker(const struct failure *f);

/* A process ended by signal 9, for whatever reason. */
bool failure_is_signal_9(const struct failure *f);

/* Names as in JSON: "oom", "cb_clash", ...; "DRAM", ... or NULL. */
const char *failure_kind_name(enum failure_kind kind);
const char *failure_pool_name(enum failure_pool pool);
const char *failure_pool_key(enum failure_pool pool); /* as JSON names it: "l1_small" */

/* Whether the text may hold a failure: false is certain. Runs at the speed of memory, meant for whole files. */
bool failure_maybe(struct slice text);

/* Finds the next failure that begins at or after `from`. Continue after its at + length, which end before the first line of
 * another writer when messages of several are mixed. */
bool failure_next(struct slice text, size_t from, struct failure *out);

/* The same for one that begins before `limit`. */
bool failure_next_before(struct slice text, size_t from, size_t limit, struct failure *out);

/* What to search for the failures that begin in the `length` bytes at `at` of `text`: from the lead to as far as a message may
 * go on. `*from` is the place of `at` in it. What begins inside of an earlier failure is part of that one. */
struct slice failure_reach(struct slice text, size_t at, size_t length, size_t *from);

/* Whether a failure may begin in there: false is certain. */
bool failure_maybe_in(struct slice text, size_t at, size_t length);

/* How much of a growing text can be searched now: a message that may go on beyond its end begins after that, on a line of its
 * own. */
size_t failure_settled(struct slice text);

#endif
