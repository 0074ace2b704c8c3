/* SPDX-License-Identifier: Apache-2.0 */
/* First occurrence of any of up to FIND_ANY_MAX needles, at the speed of memory: the bytes are read once, whatever the
 * number of needles. Made for rare needles: every place with the four bytes of a needle's fingerprint is compared in full. A
 * finder is made once and then only read: safe from any thread. */
#ifndef TTMEM_SCAN_FIND_ANY_H
#define TTMEM_SCAN_FIND_ANY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum { FIND_ANY_MAX = 128, FIND_ANY_FINGERPRINT = 4, FIND_ANY_BUCKETS = 8, FIND_ANY_HASHES = 8192 };

struct needle {
    const char *text; /* at least fingerprint + 4 bytes */
    uint8_t len;
    uint8_t fingerprint; /* where its four rarest bytes begin */
    uint8_t bucket;      /* 1 to 8: searched together with the others of its bucket; 0: any */
    bool begins_word;    /* the text before it must not end in two letters: one may belong to a colour or an escape */
    uint64_t then[2];    /* bit c: the character c may follow it, ignoring spaces; none: anything may */
};

#define NEEDLE(literal, fingerprint_at) \
    { .text = literal, .len = sizeof(literal) - 1, .fingerprint = fingerprint_at }
/* The same in a bucket: 0 to 7. */
#define NEEDLE_IN(number, literal, fingerprint_at) \
    { .text = literal, .len = sizeof(literal) - 1, .fingerprint = fingerprint_at, .bucket = 1 + (number) }

/* Needles by bucket, and the tables that find a bucket by four bytes. Plain memory, nothing to release. */
struct finder {
    /* Bit b of low[k][nibble] and high[k][nibble]: the k-th fingerprint byte of a needle of bucket b may have that nibble. */
    uint8_t low[FIND_ANY_FINGERPRINT][16], high[FIND_ANY_FINGERPRINT][16];
    /* The needles by the hash of their fingerprint, as chains of numbers from 1 on; 0 ends one. In texts that are not typical,
     * most places with a bucket have no fingerprint. */
    uint8_t of_hash[FIND_ANY_HASHES], next[FIND_ANY_MAX];
    uint32_t fingerprint[FIND_ANY_MAX]; /* as four bytes of a text are loaded */
    struct needle needle[FIND_ANY_MAX];
    uint8_t first[FIND_ANY_BUCKETS + 1]; /* bucket b: needles first[b] to first[b + 1] */
};

/* At most FIND_ANY_MAX needles; their texts must outlive the finder. */
void finder_init(struct finder *finder, const struct needle *needles, size_t count);

/* Chooses the bucket for a further needle, so that the fewest places in a sample of typical text need a second look: `looks`
 * is set to their number. */
void finder_place(const struct finder *finder, struct slice sample, struct needle *needle, size_t *looks);

/* Start of a needle at or after `from`, or SLICE_NONE. If needles overlap, any of them may be found. */
size_t find_any(const struct finder *finder, struct slice text, size_t from);

#endif
