/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inspector/specs.h"

#include "parse/foreign/inspector_spec.h"

enum { MOST_JUMPS = 64 };

static uint32_t kind_of(struct specs *s, struct strtab *strings, const struct inspector_spec *spec) {
    struct spec_kind kind = {.bytes = spec->bytes,
                             .shape = strtab_id(strings, strbuf_slice(&spec->shape)),
                             .dtype = strtab_id(strings, spec->dtype),
                             .pool = (uint8_t)spec->pool,
                             .layout = (uint8_t)spec->layout,
                             .tiled = spec->tiled};
    uint64_t key[] = {kind.bytes, (uint64_t)kind.shape << 32 | kind.dtype,
                      (uint64_t)kind.pool << 16 | (uint64_t)kind.layout << 8 | kind.tiled};
    bool added;
    uint32_t *id = map_at(&s->by_kind, hash_bytes(slice_of((const char *)key, sizeof key)), &added);
    if (added) {
        *id = (uint32_t)s->kinds.len;
        vec_push(&s->kinds, kind);
    }
    return *id;
}

static uint32_t list_of(struct specs *s, struct strtab *strings, struct slice parameters) {
    struct inspector_spec spec;
    uint32_t first = (uint32_t)s->lists.len;
    vec_push(&s->lists, 0);
    while (inspector_spec_next(&parameters, &spec)) {
        uint32_t kind = kind_of(s, strings, &spec);
        vec_push(&s->lists, kind);
        s->lists.items[first]++;
        strbuf_release(&spec.shape);
    }
    return first + 1;
}

void specs_take(struct specs *s, struct strtab *strings, struct slice parameters) {
    bool added;
    uint32_t *list = map_at(&s->by_text, hash_bytes(parameters), &added);
    if (added) *list = list_of(s, strings, parameters);
    vec_push(&s->given, *list);
}

static uint64_t size_key(unsigned pool, uint64_t bytes) { return bytes * POOL_COUNT + pool; }

static void add_use(struct specs *s, uint32_t op, uint32_t number) {
    const struct spec_kind *kind = &s->kinds.items[number];
    uint64_t key = size_key(kind->pool, kind->bytes);
    uint32_t *known = idmap_find(&s->by_size, key), index = known ? *known : (uint32_t)s->sizes.len;
    if (!known) {
        vec_push(&s->sizes, (spec_uses){0});
        idmap_set(&s->by_size, key, index);
    }
    spec_uses *uses = &s->sizes.items[index];
    if (uses->len && vec_last(uses).op == op && vec_last(uses).kind == number) return;
    vec_push(uses, ((struct spec_use){.op = op, .kind = number}));
}

void specs_finish(struct specs *s) {
    for (uint32_t op = 0; op < s->given.len; op++) {
        size_t list = s->given.items[op] - 1; /* its length, then its members */
        for (uint32_t i = 0; i < s->lists.items[list]; i++) add_use(s, op, s->lists.items[list + 1 + i]);
    }
    for (size_t i = 0; i < s->sizes.len; i++) {
        spec_uses *uses = &s->sizes.items[i];
        uint32_t differs = (uint32_t)uses->len;
        for (uint32_t k = (uint32_t)uses->len; k-- > 0;) {
            if (k + 1 < uses->len && uses->items[k + 1].kind != uses->items[k].kind) differs = k + 1;
            uses->items[k].differs = differs;
        }
    }
}

size_t specs_of(const struct specs *s, unsigned pool, uint64_t bytes, uint32_t from, uint32_t until,
                const struct spec_kind *out[SPECS_NAMED]) {
    const uint32_t *known = idmap_find(&s->by_size, size_key(pool, bytes));
    if (!known) return 0;
    const spec_uses *uses = &s->sizes.items[*known];
    size_t low = 0, high = uses->len, count = 0;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (uses->items[mid].op < from) low = mid + 1;
        else high = mid;
    }
    for (unsigned jumps = 0; low < uses->len && uses->items[low].op < until && jumps < MOST_JUMPS; jumps++) {
        const struct spec_kind *kind = &s->kinds.items[uses->items[low].kind];
        size_t seen = 0;
        while (seen < count && out[seen] != kind) seen++;
        if (seen == count && count == SPECS_NAMED) break;
        if (seen == count) out[count++] = kind;
        low = uses->items[low].differs;
    }
    return count;
}

void specs_release(struct specs *s) {
    for (size_t i = 0; i < s->sizes.len; i++) vec_release(&s->sizes.items[i]);
    vec_release(&s->kinds);
    vec_release(&s->lists);
    vec_release(&s->given);
    vec_release(&s->sizes);
    map_release(&s->by_text);
    map_release(&s->by_kind);
    idmap_release(&s->by_size);
}
