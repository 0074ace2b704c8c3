/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes as people type them: 12884901888, 12GB, 1863.25MB, 969369600*2, 1.2e10. Units are powers of 1024. */
#ifndef TTMEM_BASE_SIZE_H
#define TTMEM_BASE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

/* Reads the whole text as bytes, rounded to nearest; false if it is not a size or does not fit. The product is exact before
 * the only rounding, so 0.5*12GB is 6 GB. */
bool size_read(struct slice text, uint64_t *bytes);

#endif
