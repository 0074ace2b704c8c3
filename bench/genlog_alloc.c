/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated device: one free list per pool, all banks in lock step, as tt-metal's BankManager keeps it. */
#include "genlog.h"

#include <stdlib.h>
#include <string.h>

const char *const pool_names[POOL_COUNT] = {"DRAM", "L1", "L1_SMALL", "TRACE"};

void free_list_init(struct free_list *f, uint64_t total, uint64_t align, bool top_down) {
    *f = (struct free_list){.total = total, .align = align, .top_down = top_down, .dirty = true};
    if (total) {
        GROW(f->spans, 0, f->cap);
        f->spans[f->count++] = (struct span){0, total};
    }
}

void free_list_release(struct free_list *f) {
    free(f->spans);
    *f = (struct free_list){0};
}

static void span_remove(struct free_list *f, size_t i) {
    memmove(f->spans + i, f->spans + i + 1, (f->count - i - 1) * sizeof *f->spans);
    f->count--;
}

/* First fit in address order: bottom-up takes the low end of the lowest span, top-down the high end of the highest. */
bool free_list_take(struct free_list *f, uint64_t size, uint64_t *addr, uint64_t *reserved) {
    uint64_t need = round_up(size > f->align ? size : f->align, f->align);
    for (size_t k = 0; k < f->count; k++) {
        size_t i = f->top_down ? f->count - 1 - k : k;
        struct span *s = &f->spans[i];
        if (s->size < need) continue;
        *addr = f->top_down ? s->addr + s->size - need : s->addr;
        *reserved = need;
        if (!f->top_down) s->addr += need;
        s->size -= need;
        if (!s->size) span_remove(f, i);
        f->allocated += need;
        f->dirty = true;
        return true;
    }
    return false;
}

void free_list_give(struct free_list *f, uint64_t addr, uint64_t size) {
    size_t lo = 0, hi = f->count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (f->spans[mid].addr < addr) lo = mid + 1;
        else hi = mid;
    }
    bool left = lo > 0 && f->spans[lo - 1].addr + f->spans[lo - 1].size == addr;
    bool right = lo < f->count && addr + size == f->spans[lo].addr;
    if (left) {
        f->spans[lo - 1].size += size;
        if (right) {
            f->spans[lo - 1].size += f->spans[lo].size;
            span_remove(f, lo);
        }
    } else if (right) {
        f->spans[lo].addr = addr;
        f->spans[lo].size += size;
    } else {
        GROW(f->spans, f->count, f->cap);
        memmove(f->spans + lo + 1, f->spans + lo, (f->count - lo) * sizeof *f->spans);
        f->spans[lo] = (struct span){addr, size};
        f->count++;
    }
    f->allocated -= size;
    f->dirty = true;
}

uint64_t free_list_largest(struct free_list *f) {
    if (f->dirty) {
        f->largest = 0;
        for (size_t i = 0; i < f->count; i++)
            if (f->spans[i].size > f->largest) f->largest = f->spans[i].size;
        f->dirty = false;
    }
    return f->largest;
}

static void count_live(struct device *d, const struct buffer *b, bool alive) {
    if (b->pool > POOL_L1) return;
    d->live = alive ? d->live + 1 : d->live - 1;
    d->live_bytes[b->pool] += alive ? b->size : (uint64_t)0 - b->size;
}

/* Returns a buffer with one reference. */
int device_alloc(struct device *d, enum pool pool, uint64_t per_bank) {
    struct buffer b = {.pool = pool, .refs = 1};
    if (!free_list_take(&d->pools[pool], per_bank, &b.addr, &b.size))
        die("the simulated %s is full (%llu B per bank wanted): use fewer --programs or --const-eval", pool_names[pool],
            (unsigned long long)per_bank);
    int i;
    if (d->free_count) {
        i = d->free_slots[--d->free_count];
    } else {
        GROW(d->buffers, d->buffer_count, d->buffer_cap);
        i = (int)d->buffer_count++;
    }
    d->buffers[i] = b;
    count_live(d, &b, true);
    return i;
}

void device_drop(struct device *d, int buffer) {
    if (buffer < 0 || --d->buffers[buffer].refs) return;
    struct buffer *b = &d->buffers[buffer];
    if (!b->hidden) count_live(d, b, false);
    free_list_give(&d->pools[b->pool], b->addr, b->size);
    GROW(d->free_slots, d->free_count, d->free_cap);
    d->free_slots[d->free_count++] = buffer;
}

/* Memory that no tensor of the log explains: what was on the device before the log began. */
void device_hide(struct device *d, int buffer) {
    count_live(d, &d->buffers[buffer], false);
    d->buffers[buffer].hidden = true;
}
