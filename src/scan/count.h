/* SPDX-License-Identifier: Apache-2.0 */
/* How often a byte occurs, at the speed of memory. */
#ifndef TTMEM_SCAN_COUNT_H
#define TTMEM_SCAN_COUNT_H

#include "base/slice.h"

size_t count_byte(struct slice s, char c);

#endif
