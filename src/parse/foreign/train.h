/* SPDX-License-Identifier: Apache-2.0 */
/* Training memory summaries, as MemoryUsageTracker::print_memory_usage writes them into a training log:
 *
 *     === Memory Usage Summary ===
 *
 *     --- NAME ---
 *       DRAM: Segment Peak 0.00 MB, Allocations 0.00 MB, Deallocations 0.00 MB, Segment Change +0.00 MB
 *       DRAM: Cumulative Peak 0.00 MB, Cumulative Current 0.00 MB
 *       L1: Peak CB 0.00 MB, Peak Buffer 0.00 MB, Peak Total 0.00 MB
 *
 *     === Final Totals ===
 *     Overall DRAM Peak: 0.00 MB, Final DRAM Usage: 0.00 MB
 *
 * Read by figure, not by line: a summary whose head, tail or lines are missing, torn, wrapped or mixed with other output
 * gives what is left of it. The lines of each MPI rank are read as a separate text. A figure without its "MB" was cut and is
 * not used. */
#ifndef TTMEM_PARSE_TRAIN_H
#define TTMEM_PARSE_TRAIN_H

#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

enum train_figure {
    TRAIN_SEGMENT_PEAK,
    TRAIN_ALLOCATIONS,
    TRAIN_DEALLOCATIONS,
    TRAIN_CHANGE,
    TRAIN_CUMULATIVE_PEAK,
    TRAIN_CUMULATIVE_CURRENT,
    TRAIN_L1_CB,
    TRAIN_L1_BUFFER,
    TRAIN_L1_TOTAL,
    TRAIN_FIGURES,
};

struct train_phase {
    struct slice name;         /* empty: its header line is missing */
    uint64_t line;             /* of the header, or of the first figure */
    uint32_t known;            /* bit f: figure f was printed */
    int64_t mb[TRAIN_FIGURES]; /* thousandths of a MB (1 MB = 1048576 bytes) */
    uint64_t lines[TRAIN_FIGURES];
};

static inline bool train_has(const struct train_phase *phase, enum train_figure figure) { return phase->known >> figure & 1; }

#define TRAIN_WRAPPED_MB (((int64_t)1 << 40) * 1000) /* thousandths of a MB */

/* An L1 figure that no chip can have: an unsigned counter went below 0 and wrapped around 2^64 bytes. */
static inline bool train_wrapped(const struct train_phase *phase, enum train_figure figure) {
    return figure >= TRAIN_L1_CB && train_has(phase, figure) && phase->mb[figure] >= TRAIN_WRAPPED_MB;
}

/* A number from the log and its line. */
struct train_value {
    bool known;
    uint64_t line;
    int64_t value;
};

struct train_summary {
    struct slice file; /* as given to train_parse; not owned */
    struct slice name; /* last line of text before the summary, may be empty */
    uint64_t line;     /* of its first line */
    bool has_rank;
    uint64_t rank;
    bool has_head;                   /* begins with its own first line, so everything counts from 0 */
    struct train_value parameters;   /* nearest above in the same rank's text, else in the file */
    struct train_value device_mb;    /* thousandths of a MB */
    struct train_value overall_peak; /* thousandths of a MB; unknown: the summary was cut, or the figure is too large */
    struct train_value final_usage;
    bool has_totals;    /* its last line was there, readable or not */
    uint64_t too_large; /* figures that do not fit 2^64 bytes; they count as not printed */
    VEC(struct train_phase) phases;
};

struct train_log {
    VEC(struct train_summary) summaries; /* in order of their first lines, file by file */
    uint64_t lines;
    uint64_t empty_heads;  /* "=== Memory Usage Summary ===" with nothing after it */
    bool captured_nothing; /* the tracker printed "No traces captured" */
    bool device_is_zero;   /* a log printed 0 MB, which counts as unknown */
    struct arena text;     /* names */
};

/* Adds the summaries of one file's text to a log that starts zeroed. `file` must outlive the log; `text` need not. */
void train_parse(struct train_log *log, struct slice file, struct slice text);

/* The same for a text that comes in pieces, of which little is kept: get room, write bytes, then call took. Finishing
 * releases the reader. */
struct train_reader;
struct train_reader *train_reader_new(struct train_log *log, struct slice file);
char *train_reader_room(struct train_reader *reader, size_t size);
void train_reader_took(struct train_reader *reader, size_t size);
void train_reader_finish(struct train_reader *reader);

void train_log_release(struct train_log *log);

#endif
