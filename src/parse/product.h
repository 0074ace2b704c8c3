/* SPDX-License-Identifier: Apache-2.0 */
/* Which product wrote a log: the words that only its output contains. Settings differ between products, the messages of the
 * runtime below do not. */
#ifndef TTMEM_PARSE_PRODUCT_H
#define TTMEM_PARSE_PRODUCT_H

#include <stdint.h>

#include "base/slice.h"

enum product_seen { SEEN_METAL = 1, SEEN_XLA = 2, SEEN_VLLM = 4, SEEN_ALL = 7 };

/* Logs show this at their beginning; no more of them is read. */
enum { PRODUCT_HEAD = 1 << 20 };

/* Set of enum product_seen. */
uint8_t product_seen(struct slice text);

#endif
