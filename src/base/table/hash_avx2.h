/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of hash.c for processors with AVX2, with the same results, in a file that is compiled with -mavx2. */
#ifndef TTMEM_BASE_HASH_AVX2_H
#define TTMEM_BASE_HASH_AVX2_H

#include "base/table/hash.h"

struct hash128 hash_bytes_avx2(struct slice s);
void hash_state_add_avx2(void *state, struct slice bytes); /* an XXH3_state_t */

#endif
