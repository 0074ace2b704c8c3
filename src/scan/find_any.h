/* SPDX-License-Identifier: Apache-2.0 */
/* First occurrence of any of up to FIND_ANY_MAX needles, at the speed of memory: the bytes are looked at once, whatever the
 * number of needles. Made for rare needles: every place where the four bytes of a needle's fingerprint stand is compared in
 * full. No state, safe from any thread. */
#ifndef TTMEM_SCAN_FIND_ANY_H
#define TTMEM_SCAN_FIND_ANY_H

#include <stdint.h>

#include "base/slice.h"

enum { FIND_ANY_MAX = 128, FIND_ANY_FINGERPRINT = 4 };

struct needle {
    const char *text; /* at least fingerprint + 4 bytes */
    uint8_t len;
    uint8_t fingerprint; /* where its four rarest bytes begin */
    uint8_t bucket;      /* 1 to 8: looked for together with the others of its bucket; 0: any */
};

#define NEEDLE(literal, fingerprint_at) \
    { literal, sizeof(literal) - 1, fingerprint_at, 0 }

/* Start of a needle at or after `from`, or SLICE_NONE. Where needles overlap, any of them may be the one found. */
size_t find_any(const struct needle *needles, size_t count, struct slice text, size_t from);

#endif
