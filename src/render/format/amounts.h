/* Exact amounts as text, appended to a buffer: integers in, rounded half up on the way out, no floating point. */
#ifndef TTMEM_RENDER_AMOUNTS_H
#define TTMEM_RENDER_AMOUNTS_H

#include <stdint.h>

#include "base/strbuf.h"

/* part / whole with `decimals` (0 to 6) digits behind the point; "0.00" when whole is 0. */
void add_ratio(struct strbuf *out, int64_t part, uint64_t whole, unsigned decimals);

/* 1606 -> "1,606". */
void add_grouped(struct strbuf *out, uint64_t n);

/* Thousandths of a MB, as the runtime prints them. */
static inline void add_milli(struct strbuf *out, int64_t milli, unsigned decimals) { add_ratio(out, milli, 1000, decimals); }

/* Bytes in MB of 1048576. */
static inline void add_mb(struct strbuf *out, uint64_t bytes, unsigned decimals) {
    add_ratio(out, bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes, 1048576, decimals);
}

/* 100 * part / whole with one decimal and the sign: "76.2%". */
void add_percent(struct strbuf *out, int64_t part, uint64_t whole);

/* The same with as many decimals as it takes to tell it from a percentage that it does not equal: "90.004%" beside 90. */
void add_percent_beside(struct strbuf *out, uint64_t part, uint64_t whole, unsigned percent);

/* "1.95 MB", "62.5 KB", "512 B". */
void add_size(struct strbuf *out, uint64_t bytes);

#endif
