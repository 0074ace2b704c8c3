/* SPDX-License-Identifier: Apache-2.0 */
#include "base/table/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

struct hash128 hash_bytes(struct slice s) {
    XXH128_hash_t h = XXH3_128bits(s.ptr, s.len);
    return (struct hash128){h.low64, h.high64};
}

uint64_t hash_bytes64(struct slice s) { return XXH3_64bits(s.ptr, s.len); }
