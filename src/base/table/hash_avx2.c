/* SPDX-License-Identifier: Apache-2.0 */
#include "base/table/hash_avx2.h"

#if defined(__AVX2__)

#define XXH_INLINE_ALL
#include <xxhash.h>

struct hash128 hash_bytes_avx2(struct slice s) {
    XXH128_hash_t h = XXH3_128bits(s.ptr, s.len);
    return (struct hash128){h.low64, h.high64};
}

void hash_state_add_avx2(void *state, struct slice bytes) { XXH3_128bits_update(state, bytes.ptr, bytes.len); }

#endif
