/* SPDX-License-Identifier: Apache-2.0 */
/* Content hashes: equal content, equal key. 128 bits of XXH3, so that different contents do not collide by accident. */
#ifndef TTMEM_BASE_HASH_H
#define TTMEM_BASE_HASH_H

#include <stdint.h>

#include "base/slice.h"

struct hash128 {
    uint64_t low;
    uint64_t high;
};

struct hash128 hash_bytes(struct slice s);
uint64_t hash_bytes64(struct slice s);

/* The same for bytes that come in pieces. The end gives the hash and releases the stream. */
struct hash_stream;
struct hash_stream *hash_stream_new(void);
void hash_stream_add(struct hash_stream *stream, struct slice bytes);
struct hash128 hash_stream_end(struct hash_stream *stream);
uint64_t hash_stream_end64(struct hash_stream *stream);

static inline bool hash_equal(struct hash128 a, struct hash128 b) { return a.low == b.low && a.high == b.high; }

/* Folds one more value into a running hash. */
static inline uint64_t hash_mix(uint64_t h, uint64_t value) {
    h ^= value + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
    h *= 0xff51afd7ed558ccdu;
    return h ^ (h >> 32);
}

#endif
