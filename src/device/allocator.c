/* SPDX-License-Identifier: Apache-2.0 */
#include "device/allocator.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"

/* Nodes are referred to by index, because the array moves when it grows. Index 0 is the empty tree with largest = 0. */

static uint64_t max_u64(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void refresh(struct allocator *a, uint32_t node) {
    struct free_block *b = &a->blocks[node];
    b->largest = max_u64(b->size, max_u64(a->blocks[b->left].largest, a->blocks[b->right].largest));
}

static uint32_t next_random(struct allocator *a) {
    a->random ^= a->random << 13;
    a->random ^= a->random >> 17;
    a->random ^= a->random << 5;
    return a->random;
}

/* Everything below `address` to *left, the rest to *right. */
static void split(struct allocator *a, uint32_t node, uint64_t address, uint32_t *left, uint32_t *right) {
    if (!node) {
        *left = *right = 0;
        return;
    }
    uint32_t part;
    if (a->blocks[node].address < address) {
        split(a, a->blocks[node].right, address, &part, right);
        a->blocks[node].right = part;
        *left = node;
    } else {
        split(a, a->blocks[node].left, address, left, &part);
        a->blocks[node].left = part;
        *right = node;
    }
    refresh(a, node);
}

static uint32_t join(struct allocator *a, uint32_t left, uint32_t right) {
    if (!left || !right) return left ? left : right;
    uint32_t top = a->blocks[left].priority > a->blocks[right].priority ? left : right;
    if (top == left) a->blocks[left].right = join(a, a->blocks[left].right, right);
    else a->blocks[right].left = join(a, left, a->blocks[right].left);
    refresh(a, top);
    return top;
}

/* Makes room for one more free block before anything changes. */
static bool can_insert(struct allocator *a) {
    return a->unused || a->blocks_len < a->blocks_cap ||
           try_reserve_in((void **)&a->blocks, &a->blocks_cap, a->blocks_len + 1, sizeof *a->blocks);
}

static uint32_t insert_below(struct allocator *a, uint32_t node, uint32_t added) {
    if (!node) return added;
    struct free_block *b = &a->blocks[added];
    if (b->priority > a->blocks[node].priority) {
        split(a, node, b->address, &b->left, &b->right);
        refresh(a, added);
        return added;
    }
    if (b->address < a->blocks[node].address) a->blocks[node].left = insert_below(a, a->blocks[node].left, added);
    else a->blocks[node].right = insert_below(a, a->blocks[node].right, added);
    refresh(a, node);
    return node;
}

static void insert(struct allocator *a, uint64_t address, uint64_t size) {
    uint32_t node = a->unused;
    if (node) a->unused = a->blocks[node].left;
    else node = (uint32_t)a->blocks_len++;
    a->blocks[node] = (struct free_block){.address = address, .size = size, .largest = size, .priority = next_random(a)};
    a->root = insert_below(a, a->root, node);
}

static uint32_t erase_below(struct allocator *a, uint32_t node, uint64_t address) {
    struct free_block *b = &a->blocks[node];
    if (b->address == address) {
        uint32_t rest = join(a, b->left, b->right);
        b->left = a->unused;
        a->unused = node;
        return rest;
    }
    if (b->address < address) b->right = erase_below(a, b->right, address);
    else b->left = erase_below(a, b->left, address);
    refresh(a, node);
    return node;
}

/* The block must exist. */
static void erase(struct allocator *a, uint64_t address) { a->root = erase_below(a, a->root, address); }

/* Changes the size or start of a block without passing a neighbour, and updates the nodes above it. */
static void change(struct allocator *a, uint64_t address, uint64_t new_address, uint64_t size) {
    uint32_t path[256];
    size_t depth = 0;
    uint32_t node = a->root;
    while (a->blocks[node].address != address) {
        if (depth < sizeof path / sizeof *path) path[depth] = node;
        depth++;
        node = a->blocks[node].address < address ? a->blocks[node].right : a->blocks[node].left;
    }
    if (depth > sizeof path / sizeof *path) { /* deeper than chance allows */
        erase(a, address);
        insert(a, new_address, size);
        return;
    }
    a->blocks[node].address = new_address;
    a->blocks[node].size = size;
    refresh(a, node);
    while (depth) {
        uint32_t above = path[--depth];
        uint64_t before = a->blocks[above].largest;
        refresh(a, above);
        if (a->blocks[above].largest == before) break;
    }
}

static uint32_t first_fit(const struct allocator *a, uint64_t size, bool from_low_end) {
    uint32_t node = a->root;
    if (!node || a->blocks[node].largest < size) return 0;
    for (;;) {
        const struct free_block *b = &a->blocks[node];
        uint32_t near = from_low_end ? b->left : b->right;
        if (near && a->blocks[near].largest >= size) node = near;
        else if (b->size >= size) return node;
        else node = from_low_end ? b->right : b->left;
    }
}

/* The last free block that starts at or below `address`. */
static uint32_t at_or_below(const struct allocator *a, uint64_t address) {
    uint32_t node = a->root, best = 0;
    while (node) {
        if (a->blocks[node].address <= address) {
            best = node;
            node = a->blocks[node].right;
        } else {
            node = a->blocks[node].left;
        }
    }
    return best;
}

static bool can_take(struct allocator *a) {
    return a->taken_unused || a->taken_len < a->taken_cap ||
           try_reserve_in((void **)&a->taken, &a->taken_cap, a->taken_len + 1, sizeof *a->taken);
}

static enum allocator_result remember(struct allocator *a, uint64_t address, uint64_t size) {
    uint32_t slot = a->taken_unused ? a->taken_unused : (uint32_t)a->taken_len;
    if (!idmap_set(&a->by_address, address, slot)) return ALLOCATOR_NO_MEMORY;
    if (a->taken_unused) a->taken_unused = a->taken[slot].next_unused;
    else a->taken_len++;
    a->taken[slot] = (struct taken_block){address, size, 0};
    a->allocated += size;
    if (a->allocated > a->high_water) a->high_water = a->allocated;
    return ALLOCATOR_OK;
}

/* Cuts [address, address + size) out of the free block that contains it. */
static void cut(struct allocator *a, uint32_t node, uint64_t address, uint64_t size) {
    uint64_t block = a->blocks[node].address, end = block + a->blocks[node].size;
    uint64_t before = address - block, after = end - (address + size);
    if (before) change(a, block, block, before);
    else if (after) change(a, block, address + size, after);
    else erase(a, block);
    if (before && after) insert(a, address + size, after);
}

static enum allocator_result take(struct allocator *a, uint32_t node, uint64_t address, uint64_t size) {
    if (!can_insert(a) || !can_take(a)) return ALLOCATOR_NO_MEMORY;
    enum allocator_result result = remember(a, address, size);
    if (result == ALLOCATOR_OK) cut(a, node, address, size);
    return result;
}

enum allocator_result allocator_init(struct allocator *a, uint64_t start, uint64_t size, uint64_t alignment) {
    *a = (struct allocator){.start = start, .size = size, .alignment = alignment ? alignment : 1, .random = 2463534242u};
    if (!try_reserve_in((void **)&a->blocks, &a->blocks_cap, 16, sizeof *a->blocks) ||
        !try_reserve_in((void **)&a->taken, &a->taken_cap, 16, sizeof *a->taken)) {
        allocator_release(a);
        return ALLOCATOR_NO_MEMORY;
    }
    a->blocks[0] = (struct free_block){0};
    a->taken[0] = (struct taken_block){0}; /* index 0 ends the list of unused ones */
    a->blocks_len = a->taken_len = 1;
    if (size) insert(a, start, size);
    return ALLOCATOR_OK;
}

void allocator_release(struct allocator *a) {
    free(a->blocks);
    free(a->taken);
    idmap_release(&a->by_address);
    *a = (struct allocator){0};
}

uint64_t allocator_round(const struct allocator *a, uint64_t size) {
    if (size < a->alignment) return a->alignment;
    uint64_t over = size % a->alignment;
    if (!over) return size;
    return size > UINT64_MAX - (a->alignment - over) ? UINT64_MAX : size + (a->alignment - over);
}

enum allocator_result allocator_take(struct allocator *a, uint64_t size, bool bottom_up, uint64_t *address) {
    size = allocator_round(a, size);
    uint32_t node = first_fit(a, size, bottom_up);
    if (!node) return ALLOCATOR_FULL;
    const struct free_block *block = &a->blocks[node];
    *address = bottom_up ? block->address : block->address + block->size - size;
    return take(a, node, *address, size);
}

enum allocator_result allocator_take_at(struct allocator *a, uint64_t address, uint64_t size) {
    size = allocator_round(a, size);
    uint32_t node = at_or_below(a, address);
    if (!node) return ALLOCATOR_FULL;
    uint64_t offset = address - a->blocks[node].address, room = a->blocks[node].size;
    if (offset > room || size > room - offset) return ALLOCATOR_FULL;
    return take(a, node, address, size);
}

bool allocator_free(struct allocator *a, uint64_t address) {
    const uint32_t *slot = idmap_find(&a->by_address, address);
    if (!slot || !can_insert(a)) return false;
    uint32_t freed = *slot;
    uint64_t size = a->taken[freed].size;
    idmap_remove(&a->by_address, address);
    a->taken[freed].next_unused = a->taken_unused;
    a->taken_unused = freed;
    a->allocated -= size;

    /* The block that starts below, and the one right after. */
    uint32_t low = at_or_below(a, address), high = at_or_below(a, address + size);
    struct free_block before = a->blocks[low], after = a->blocks[high];
    bool joins_before = low && before.address + before.size == address;
    bool joins_next = high && after.address == address + size;
    if (joins_before && joins_next) {
        erase(a, after.address);
        change(a, before.address, before.address, before.size + size + after.size);
    } else if (joins_before) {
        change(a, before.address, before.address, before.size + size);
    } else if (joins_next) {
        change(a, after.address, address, size + after.size);
    } else {
        insert(a, address, size);
    }
    return true;
}

struct allocator_stats allocator_stats(const struct allocator *a) {
    return (struct allocator_stats){a->size, a->allocated, a->size - a->allocated, a->blocks[a->root].largest};
}

bool allocator_lowest(const struct allocator *a, uint64_t *address) {
    if (!a->allocated) return false;
    uint32_t node = a->root;
    while (node && a->blocks[node].left) node = a->blocks[node].left;
    bool free_at_start = node && a->blocks[node].address == a->start;
    *address = free_at_start ? a->start + a->blocks[node].size : a->start;
    return true;
}
