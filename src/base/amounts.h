/* SPDX-License-Identifier: Apache-2.0 */
/* Amounts as shown. Integers in, text out, no floating point, and one rounding: half away from zero. Appended to a buffer
 * (add_*), or by value for use in printf arguments (figure_*): printf("%s MB", figure_milli(peak, 2).text). A MB has 1048576
 * bytes; the runtime prints thousandths of it. */
#ifndef TTMEM_BASE_AMOUNTS_H
#define TTMEM_BASE_AMOUNTS_H

#include <stdint.h>

#include "base/strbuf.h"

struct figure {
    char text[32];
};

struct figure figure_milli(int64_t thousandths, unsigned decimals);  /* 8278650 with 2 -> "8278.65" */
struct figure figure_change(int64_t thousandths, unsigned decimals); /* the same with its sign: 770 with 2 -> "+0.77" */
struct figure figure_ratio(int64_t part, uint64_t whole, unsigned decimals);
struct figure figure_percent(int64_t part, uint64_t whole, unsigned decimals); /* without the percent sign */
struct figure figure_grouped(uint64_t n);                                      /* 969369600 -> "969,369,600" */
struct figure figure_bytes(uint64_t bytes);                                    /* "22,528 B", "1863.25 MB" */
struct figure figure_signed_bytes(int64_t bytes,
                                  bool plus); /* the same with its sign; `plus`: also for an amount that is not negative */

/* part / whole with `decimals` (0 to 6) digits after the point; "0.00" if whole is 0. */
void add_ratio(struct strbuf *out, int64_t part, uint64_t whole, unsigned decimals);

/* 1606 -> "1,606". */
void add_grouped(struct strbuf *out, uint64_t n);

/* Thousandths of a MB. */
static inline void add_milli(struct strbuf *out, int64_t milli, unsigned decimals) { add_ratio(out, milli, 1000, decimals); }

/* Bytes in MB. */
static inline void add_mb(struct strbuf *out, uint64_t bytes, unsigned decimals) {
    add_ratio(out, bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes, 1048576, decimals);
}

/* Bytes in MB with two decimals, ties to even: for text that replaces what another program prints with printf. */
void add_mb_even(struct strbuf *out, uint64_t bytes);

/* 100 * part / whole with one decimal and the sign: "76.2 %". */
void add_percent(struct strbuf *out, int64_t part, uint64_t whole);
/* In the format of the agent report: "76.2%". */
void add_percent_close(struct strbuf *out, int64_t part, uint64_t whole);

/* The same with as many decimals as needed to differ from a percentage that it does not equal: "90.004%" beside 90. */
void add_percent_beside(struct strbuf *out, uint64_t part, uint64_t whole, unsigned percent);

/* "1,606 B". */
void add_bytes(struct strbuf *out, uint64_t bytes);

/* "1.95 MB", "62.5 KB", "512 B". */
void add_size(struct strbuf *out, uint64_t bytes);

/* The same, but 10 KB and more in MB with three decimals, as logs show them; `plus` as above. */
void add_log_size(struct strbuf *out, int64_t bytes, bool plus);

/* In the largest unit up to TB that it fills: "1.4 GB"; `fine`: a second decimal below 100 of the unit. */
void add_scaled_size(struct strbuf *out, uint64_t bytes, bool fine);

#endif
