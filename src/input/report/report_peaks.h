/* SPDX-License-Identifier: Apache-2.0 */
/* Peaks that a report states: where the measured memory was highest. Records have the memory before and after ops; a peak
 * around a submit, or between two deallocates, is in none of them. */
#ifndef TTMEM_INPUT_REPORT_PEAKS_H
#define TTMEM_INPUT_REPORT_PEAKS_H

#include "input/report/report_files.h"
#include "input/report/report_told.h"
#include "model/run.h"

struct stated_peak {
    struct slice rank; /* its tag; empty: lines without one, or the files do not say */
    bool of_all;       /* the highest over all ranks */
    enum pool pool;
    struct told_pool view; /* free and largest are unknown */
    uint32_t after;        /* record, NONE: before the first one */
    uint64_t line;         /* of its memory block; 0: not recorded */
};

struct report_peaks {
    struct arena arena;
    VEC(struct stated_peak) items;
};

/* Per rank from the summary, else those of all ranks from the metadata of memory.json. */
void report_peaks_read(struct report_peaks *peaks, const struct report_files *files, struct slice metadata,
                       struct json_reader *reader);

/* The state to write after a record of a rank (NONE: before its first), whose records show no more than `seen`. */
struct told_state report_peaks_after(const struct report_peaks *peaks, struct slice rank, uint32_t record, const int64_t *seen);

/* Sets the sizes of pools that no block of the run shows, from memory_config in the metadata. */
void report_peaks_configs(struct run *run, struct slice metadata, struct json_reader *reader);

/* Sets the lines of the blocks that show a stated peak. */
void report_peaks_lines(const struct report_peaks *peaks, struct run *run);
void report_peaks_release(struct report_peaks *peaks);

#endif
