/* SPDX-License-Identifier: Apache-2.0 */
/* Exact numbers: integers and thousandths (the runtime prints MB with three decimals), in and out of text. */
#ifndef TTMEM_BASE_NUM_H
#define TTMEM_BASE_NUM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum { NUM_ROOM = 32 }; /* bytes that any num_write_* call may need */

#define NUM_MIB 1048576

/* Reads decimal digits; returns the number of bytes read, 0 if there is no digit or the number does not fit. */
size_t num_read_u64(struct slice s, uint64_t *out);

/* The digits at the end of a text: "1,7" and "rank-07" end with 7. Returns their count, 0 as above. */
size_t num_at_end(struct slice s, uint64_t *out);

/* "1022.169" -> 1022169. Decimals after the third round half up. Returns bytes read, 0 on failure. */
size_t num_read_thousandths(struct slice s, uint64_t *out);

size_t num_write_u64(char *out, uint64_t n);
size_t num_write_i64(char *out, int64_t n);

/* Shortest decimal that reads back the same: 1022169 -> "1022.169", 500 -> "0.5", 3000 -> "3". */
size_t num_write_thousandths(char *out, int64_t n);

/* 1606 -> "1,606". */
size_t num_write_grouped(char *out, uint64_t n);

/* a * b, or false if it does not fit. */
bool num_mul(uint64_t a, uint64_t b, uint64_t *out);
bool num_add(uint64_t a, uint64_t b, uint64_t *out);

static inline uint64_t num_ceil_div(uint64_t a, uint64_t b) { return b ? a / b + (a % b != 0) : 0; }

/* a * 100 / b in thousandths of a percent, rounded; 0 if b is 0. */
int64_t num_percent_milli(int64_t a, int64_t b);

/* Bytes as MB with three decimals, in thousandths, rounded to nearest. */
static inline int64_t num_bytes_to_milli_mb(uint64_t bytes) {
    return (int64_t)(((unsigned __int128)bytes * 1000 + NUM_MIB / 2) / NUM_MIB);
}

/* The reverse: thousandths of a MB as bytes, rounded to nearest. */
static inline int64_t num_milli_mb_to_bytes(int64_t milli) {
    /* called for every figure of every block: one more multiplication avoids a 128-bit division */
    if (milli >= 0 && milli <= UINT32_MAX) return (int64_t)(((uint64_t)milli * NUM_MIB + 500) / 1000);
    __int128 scaled = (__int128)milli * NUM_MIB;
    return (int64_t)((scaled + (scaled < 0 ? -500 : 500)) / 1000);
}

#endif
