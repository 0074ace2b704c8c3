/* SPDX-License-Identifier: Apache-2.0 */
/* What `ttmem cb simulate` and `cb report` share: the workload of the command line, and strategies read from a file or from
 * a host source. */
#ifndef TTMEM_CMD_CB_WORKLOAD_H
#define TTMEM_CMD_CB_WORKLOAD_H

#include "cb/study/cb_report.h"
#include "cb/files/cb_tree.h"
#include "cmd/cb/cb_options.h"

#define CB_WORKLOAD_OPTIONS                                                                                                \
    OPTION_DEVICE("wormhole (default), blackhole, grayskull, quasar, or a board"),                                         \
        {"format", 0, OPTION_TEXT, "FORMAT", "data format of the tiles, not of the output (default Float32: 4096 B)"},     \
        {"tile-bytes", 0, OPTION_TEXT, "N", "bytes of a tile, instead of --format"},                                       \
        {"strategy", 0, OPTION_TEXT, "FILE", "a strategy of your own: C++ statements that set cb0_tiles, cb1_tiles, ..."}, \
        {"from", 0, OPTION_TEXT, "SOURCE",                                                                                 \
         "take the circular buffers of a host source, its sizes evaluated for the workload"},                              \
        {"set", 0, OPTION_LIST, "NAME=VALUE", "a value for what SOURCE leaves open"},                                      \
        {"reuse", 0, OPTION_TEXT, "INDEX",                                                                                 \
         "the buffer of SOURCE that holds the reused operand, where the kernels do not show it"},                          \
        {"kernel", 0, OPTION_LIST, "FILE",                                                                                 \
         "a kernel binary whose size counts against the kernel ring (where tt-metal keeps the kernels that run next)"},    \
        {"l1-buffers", 0, OPTION_TEXT, "BYTES", "L1 taken by tensors and other buffers"},                                  \
        {"passes", 0, OPTION_TEXT, "N", "times the program goes over the shard (default 4)"},                              \
        {"fetch-cost", 0, OPTION_TEXT, "N", "units to fetch a tile (default 2)"},                                          \
        {"compute-cost", 0, OPTION_TEXT, "N", "units to compute a tile (default 4)"}, {                                    \
        "write-cost", 0, OPTION_TEXT, "N", "units to write a tile (default 2)"                                             \
    }

struct cb_setup {
    struct cb_workload workload; /* without tile counts */
    const struct chip *chip;
    struct slice own_strategy; /* text of --strategy; the caller frees it */
    const char *own_name;
    const char *source_path; /* from --from */
    int64_t reuse;           /* from --reuse, -1: not given */
    struct cb_set *sets;
    size_t n_sets;
    uint64_t sets_used;          /* bit n: a strategy depends on the n-th */
    struct slice partial_reason; /* of the source, "" if it is understood */
    struct err *err;             /* while strategies are evaluated */
    struct arena arena;
};

int cb_setup_read(struct cb_setup *setup, const struct args *args, struct err *err);
void cb_setup_release(struct cb_setup *setup);

/* "16" -> 16, between 1 and CB_SIM_MAX_TILES. */
int cb_read_count(const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *out, struct err *err);

/* The two numbers of tiles: words of the command line, or --set tiles_per_shard=N --set r_tiles=N. */
int cb_setup_tiles(const struct cb_setup *setup, const struct args *args, uint64_t tiles[2], struct err *err);
/* A sweep sets these itself: -1 if they are given. */
int cb_setup_sweeps(const struct cb_setup *setup, struct err *err);
/* Reports options that were given but not used, and what is not understood. */
void cb_setup_notes(const struct invocation *inv, const struct cb_setup *setup);

/* Runs one workload. */
int cb_setup_study(struct cb_setup *setup, uint64_t a_tiles, uint64_t b_tiles, struct cb_study *study, struct err *err);

#endif
