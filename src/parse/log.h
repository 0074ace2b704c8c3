/* SPDX-License-Identifier: Apache-2.0 */
/* A piece of a runtime log -> events, as a pure function of its bytes. Two callers: chunks of a file parsed in parallel, and
 * blocks of a stream. What depends on order (programs, live tensors, the extent of a module dump) is left to the model,
 * which folds the events of the pieces in sequence.
 *
 * Op lines repeat: a worker parses each distinct op text and each distinct type once and numbers them itself; new ones
 * travel with the piece in which the worker first met them. */
#ifndef TTMEM_PARSE_LOG_H
#define TTMEM_PARSE_LOG_H

#include <stdint.h>

#include "base/arena.h"
#include "base/table/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "device/tensor_type.h"
#include "base/table/kept_names.h"
#include "parse/logline.h"
#include "parse/memview.h"
#include "parse/op.h"

/* The meaning of a line may depend on what follows: at most this many bytes after it are read. */
enum { LOG_LOOK_AHEAD = 8192 };

/* What a LINE_OP counts as for a worker that does not keep ops. */
enum log_op_count { LOG_COUNT_OP, LOG_COUNT_DEALLOCATE, LOG_COUNT_GET_DEVICE, LOG_COUNTS };

struct log_event {
    uint8_t kind;   /* enum line_kind; LINE_TEXT is a run of lines, LINE_BLOCK_* and LINE_POOL are blocks */
    bool torn;      /* LINE_TEXT: the next text continues the last line of the run */
    bool failure;   /* the text may contain a failure message */
    uint16_t rank;  /* id in the worker's table of tags */
    uint32_t line;  /* counted from the piece's first line, 0-based; see scan/lines.h */
    uint32_t value; /* LINE_OP: the worker's op id, or enum log_op_count; blocks: index in the piece's blocks */
    uint32_t length;
    uint64_t offset; /* position of the text in the log; see log_event_text */
};

struct log_block {
    uint8_t have;    /* bit i for pool i */
    uint8_t partial; /* bit i: pool i was cut */
    bool headless;   /* continues a block after other lines, or its heading is missing */
    bool open;       /* it was not complete when something else came or the piece ended: a later one may continue it */
    uint8_t pool_count;
    uint8_t order[POOL_COUNT];  /* the pools in log order */
    uint32_t again[LOG_COUNTS]; /* if ops are only counted: the ops directly after it that also have a complete block */
    struct slice op_type;       /* from "before operation X" */
    uint32_t pool_line[POOL_COUNT];
    const char *after_dram; /* start of the line after DRAM's; for the parser */
    struct pool_view pools[POOL_COUNT];
};

/* Who wrote a line, according to the line. */
struct log_tag {
    struct slice text;
    uint32_t part; /* enum prefix_part; PREFIX_MPI: it names a rank at once */
};

struct log_type {
    uint32_t id;
    struct tensor_type type;
};

struct log_operand {
    uint32_t value; /* value_code */
    uint16_t index; /* after # */
    uint32_t type;  /* the worker's type id */
};

struct log_op {
    uint32_t id;
    struct slice text; /* without colours and stray MPI tags */
    uint64_t offset;
    struct slice name, callee, result, location, properties, attributes;
    struct slice display;  /* of the location */
    uint32_t result_value; /* value_code, or 0 without a result */
    uint16_t operand_count, result_count;
    bool truncated;
    struct log_operand *operands;
    uint32_t *result_types;
    uint64_t key;       /* of name and result: matches an execution with its module */
    uint64_t place_key; /* of the location */
};

/* SSA names as numbers: %7 is 8, %arg7 is 8 with the argument bit, other names are hashed with the name bit; 0 is none. */
enum { VALUE_ARG = 1 << 30, VALUE_NAMED = 1 << 29 };
uint32_t value_code(struct slice base);

struct log_piece {
    struct arena arena;
    struct slice bytes;
    uint64_t offset; /* position of bytes.ptr in the log */
    uint64_t lines;  /* line ends, see scan/lines.h */
    bool cut_line;   /* the last line continues in the next piece, or the log ends without a line end */
    unsigned worker;
    uint32_t file;    /* index, if several form one run */
    uint8_t products; /* enum product_seen, from its part of the log's head; 0 where ops are only counted */
    VEC(struct log_event) events;
    VEC(struct log_block) blocks;
    VEC(struct log_op) new_ops;
    VEC(struct log_type) new_types;
    VEC(struct log_tag) new_ranks; /* ids in order, after those of earlier pieces */
    uint64_t malformed;            /* pool lines without a usable number */
    uint64_t first_malformed_line;
};

struct log_worker {
    unsigned number;
    struct map ops, types, tags;
    VEC(struct log_tag) ranks; /* [0] is the untagged one */
    struct kept_names op_types;
    struct arena arena;
    struct op_text scratch;
    struct strbuf text;
    bool keep_ops; /* false: op lines and pool views are only counted (no new_ops; the first view of a piece is read; see
                      log_block.again) */
};

void log_worker_init(struct log_worker *worker, unsigned number, bool keep_ops);
void log_worker_release(struct log_worker *worker);

/* Parses the lines that start in [begin, end) of `bytes` into `piece`, whose memory is reused; a zeroed one is ready. A line
 * begins at `begin`; a continued part of a cut line (streams) begins at 0. `offset` is the position of bytes.ptr in the log. */
void log_parse(struct log_worker *worker, struct log_piece *piece, struct slice bytes, size_t begin, size_t end,
               uint64_t offset);
void log_piece_release(struct log_piece *piece);

static inline struct slice log_event_text(const struct log_piece *piece, const struct log_event *event) {
    return slice_of(piece->bytes.ptr + (event->offset - piece->offset), event->length);
}

#endif
