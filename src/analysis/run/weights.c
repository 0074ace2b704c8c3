#include "analysis/run/weights.h"

#include <stdlib.h>

struct sized {
    uint64_t bytes;
    uint32_t entry;
};

static int larger_first(const void *a, const void *b) {
    const struct sized *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

void weights_list(const struct run *run, struct weights *out) {
    *out = (struct weights){0};
    VEC(struct sized) sized = {0};
    for (uint32_t i = 0; i < run->registry.len; i++) {
        const struct registry_entry *entry = &run->registry.items[i];
        if (entry->role == ROLE_PARAMETER || entry->role == ROLE_CONSTANT) vec_push(&sized, ((struct sized){entry->bytes, i}));
    }
    if (sized.len) qsort(sized.items, sized.len, sizeof *sized.items, larger_first);
    for (size_t i = 0; i < sized.len; i++) vec_push(&out->entries, sized.items[i].entry);
    vec_release(&sized);
}

void weights_release(struct weights *weights) { vec_release(&weights->entries); }
