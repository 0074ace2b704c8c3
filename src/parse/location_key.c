/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/location_key.h"

#include "base/table/hash.h"
#include "parse/mlir_scan.h"

enum { MAX_DEPTH = 64 };

/* Salts, so that a name, a fused list and a call site of the same parts differ. */
enum { SALT_NAME = 1, SALT_FUSED = 2, SALT_CALLSITE = 3 };

uint64_t op_key(struct slice name, struct slice result) { return hash_mix(hash_bytes64(name), hash_bytes64(result)); }

static uint64_t key_of(struct slice s, const struct location_aliases *aliases, int depth);

/* "name", "name"(child), "file":1:2 */
static uint64_t name_key(struct slice s, const struct location_aliases *aliases, int depth) {
    const char *end = s.ptr + s.len, *past = mlir_skip_group(s.ptr, end);
    if (!past) past = end;
    uint64_t h = hash_mix(SALT_NAME, hash_bytes64(slice_between(s.ptr, past)));
    struct slice rest = slice_between(past, end);
    if (!rest.len) return h;
    if (rest.ptr[0] != '(') return hash_mix(h, hash_bytes64(rest));
    uint64_t child = key_of(mlir_inside(rest), aliases, depth);
    return child ? hash_mix(h, child) : h;
}

static uint64_t list_key(uint64_t h, struct slice list, const struct location_aliases *aliases, int depth) {
    struct slice item;
    while (mlir_next_item(&list, &item)) h = hash_mix(h, key_of(item, aliases, depth));
    return h;
}

static uint64_t callsite_key(struct slice inside, const struct location_aliases *aliases, int depth) {
    size_t at = slice_find(inside, SLICE(" at "));
    uint64_t h = hash_mix(SALT_CALLSITE, key_of(slice_take(inside, at), aliases, depth));
    return at == SLICE_NONE ? h : hash_mix(h, key_of(slice_skip(inside, at + 4), aliases, depth));
}

static uint64_t key_of(struct slice s, const struct location_aliases *aliases, int depth) {
    s = slice_trim(s);
    if (!s.len || depth >= MAX_DEPTH) return 0;
    if (s.ptr[0] == '"') return name_key(s, aliases, depth + 1);
    if (s.ptr[0] == '#') return aliases ? aliases->find(aliases->context, s) : 0;
    if (slice_starts(s, SLICE("callsite("))) return callsite_key(mlir_inside(slice_skip(s, 8)), aliases, depth + 1);
    if (slice_starts(s, SLICE("fused"))) {
        const char *end = s.ptr + s.len, *p = s.ptr + 5;
        if (p < end && *p == '<') p = mlir_skip_group(p, end);
        if (p && p < end && *p == '[') return list_key(SALT_FUSED, mlir_inside(slice_between(p, end)), aliases, depth + 1);
    }
    return 0;
}

uint64_t location_key(struct slice location, const struct location_aliases *aliases) { return key_of(location, aliases, 0); }
