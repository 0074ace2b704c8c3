/* SPDX-License-Identifier: Apache-2.0 */
/* Weights that the device holds more than once. What a const-eval graph makes of parameters stays in the runtime's cache: if
 * two equal graphs made the same result from the same parameters, one would be enough; an f32 result of a bf16 weight is a
 * copy of twice its size. */
#ifndef TTMEM_ANALYSIS_DUPLICATES_H
#define TTMEM_ANALYSIS_DUPLICATES_H

#include "analysis/run/live.h"

enum duplicate_kind {
    DUPLICATE_PREPARED, /* one program prepares the same parameters in the same way several times */
    DUPLICATE_PROGRAMS, /* several programs each keep an equal result of the same parameters */
    DUPLICATE_F32,      /* a copy in f32 of a weight in bf16 */
    DUPLICATE_KINDS
};

extern const char *const duplicate_names[DUPLICATE_KINDS]; /* "prepared_twice", ... for JSON */

struct duplicate {
    uint8_t kind;
    uint32_t tensor;   /* the first of them */
    uint32_t source;   /* registry entry of its first parameter, or NONE */
    uint32_t copies;   /* beyond the first; for an f32 copy: all */
    uint32_t programs; /* that keep one */
    uint64_t extra;    /* per bank: what the copies take; over all banks if bank_unknown */
};

struct duplicates {
    bool known;                 /* the log has const-eval graphs */
    VEC(struct duplicate) rows; /* most bytes first */
    bool bank_unknown;          /* the number of banks is unknown: figures are over all of them */
    uint64_t extra;             /* over all rows, like theirs */
};

void duplicates_find(const struct run *run, struct duplicates *out);
void duplicates_release(struct duplicates *duplicates);

#endif
