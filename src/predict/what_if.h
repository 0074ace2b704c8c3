/* SPDX-License-Identifier: Apache-2.0 */
/* What would change the answer: the same programs replayed with one thing different. */
#ifndef TTMEM_PREDICT_WHAT_IF_H
#define TTMEM_PREDICT_WHAT_IF_H

#include "predict/prediction.h"

struct what_if {
    char option[64];   /* as typed */
    const char *words; /* its meaning in words; may be NULL */
    bool exact;        /* false: an estimate */
    bool fits;
    bool whole; /* all of it was followed; otherwise it fits as far as it was followed */
    bool other_board;
    uint64_t peak, capacity;   /* of DRAM, per bank */
    int64_t margin;            /* what its tightest request leaves of the largest free block; INT64_MAX: there was none */
    enum predict_bank bank;    /* how well the capacity is known */
    unsigned left_out_layouts; /* sharded layouts whose grid the device does not have */
};

struct what_ifs {
    VEC(struct what_if) list;
};

/* Tries what may help if the prediction does not fit, best first: those that fit, with the most room left. */
void what_if_try(struct what_ifs *tried, struct prediction *p);
void what_ifs_release(struct what_ifs *tried);

#endif
