/* SPDX-License-Identifier: Apache-2.0 */
#include "base/table/hash.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/mem.h"
#include "base/table/hash_avx2.h"

#if defined(__x86_64__)
static bool have_avx2(void) { return __builtin_cpu_supports("avx2"); }
#else
static bool have_avx2(void) { return false; }
#define hash_bytes_avx2(s) ((struct hash128){0, 0})
#define hash_state_add_avx2(state, bytes) ((void)(state), (void)(bytes))
#endif

struct hash128 hash_bytes(struct slice s) {
    if (s.len > XXH3_MIDSIZE_MAX && have_avx2()) return hash_bytes_avx2(s); /* shorter ones take no vectors */
    XXH128_hash_t h = XXH3_128bits(s.ptr, s.len);
    return (struct hash128){h.low64, h.high64};
}

uint64_t hash_bytes64(struct slice s) { return XXH3_64bits(s.ptr, s.len); }

struct hash_stream {
    XXH3_state_t state;
};

struct hash_stream *hash_stream_new(void) {
    size_t alignment = _Alignof(struct hash_stream);
    struct hash_stream *stream = aligned_alloc(alignment, (sizeof *stream + alignment - 1) / alignment * alignment);
    if (!stream) mem_exhausted();
    XXH3_128bits_reset(&stream->state);
    return stream;
}

/* One state serves both lengths of the hash. */
void hash_stream_add(struct hash_stream *stream, struct slice bytes) {
    if (have_avx2()) hash_state_add_avx2(&stream->state, bytes);
    else XXH3_128bits_update(&stream->state, bytes.ptr, bytes.len);
}

struct hash128 hash_stream_end(struct hash_stream *stream) {
    XXH128_hash_t h = XXH3_128bits_digest(&stream->state);
    free(stream);
    return (struct hash128){h.low64, h.high64};
}

uint64_t hash_stream_end64(struct hash_stream *stream) {
    uint64_t h = XXH3_64bits_digest(&stream->state);
    free(stream);
    return h;
}
