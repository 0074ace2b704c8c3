/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/foreign/graph_banks.h"

#include <string.h>

#include "base/num.h"
#include "parse/foreign/graph.h"

enum { MOST_LIVE = 4096, ALIGN = 32, PIECE = 1 << 20 };

static const unsigned counts[GRAPH_BANK_COUNTS] = {12, 20,  32,  48,  56,  63,  64,  70,  72, 80,
                                                   94, 108, 110, 117, 120, 124, 126, 130, 140};
/* Bytes of a tile, for captures without page sizes. */
static const uint64_t pages[] = {2048, 4096, 1088, 1024, 576};
/* Where L1 ends: Wormhole, Blackhole, Quasar. */
static const uint64_t tops[] = {1499136, 1572864, 4194304};

static uint64_t bank_bytes(uint64_t size, uint64_t page, unsigned banks) {
    uint64_t rows = num_ceil_div(num_ceil_div(size, page), banks);
    return num_ceil_div(rows * page, ALIGN) * ALIGN;
}

static bool explains(const struct graph_banks_buffer *b, unsigned banks, uint64_t distance, uint64_t *page) {
    *page = 0;
    if (b->page_size) return bank_bytes(b->size, b->page_size, banks) == distance;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (b->size % pages[i] == 0 && bank_bytes(b->size, pages[i], banks) == distance) {
            *page = pages[i];
            return true;
        }
    return false;
}

/* The buffer takes at most this much of a bank. */
static void take_distance(struct graph_banks *banks, const struct graph_banks_buffer *b, uint64_t distance) {
    if (!b->interleaved || !b->size || !distance) return;
    for (unsigned i = 0; i < GRAPH_BANK_COUNTS; i++) {
        uint64_t least = b->page_size ? bank_bytes(b->size, b->page_size, counts[i]) : num_ceil_div(b->size, counts[i]);
        if (least > distance) banks->impossible[i] = true;
        uint64_t page;
        if (least > distance || !explains(b, counts[i], distance, &page)) continue;
        if (!banks->exact[i]++) banks->page[i] = page;
        else if (banks->page[i] != page) banks->page[i] = 0;
    }
}

static size_t place_of(const struct graph_banks *banks, uint64_t address) {
    size_t at = 0;
    while (at < banks->live.len && banks->live.items[at].address < address) at++;
    return at;
}

static void allocate(struct graph_banks *banks, const struct mem_event *event) {
    struct graph_banks_buffer b = {.address = event->address,
                                   .size = event->size,
                                   .page_size = event->page_size,
                                   .id = event->id,
                                   .interleaved = !event->num_cores && !event->sharded};
    uint64_t top = 0;
    for (size_t i = 0; i < sizeof tops / sizeof *tops && !top; i++)
        if (b.address < tops[i]) top = tops[i];
    if (!top || banks->live.len >= MOST_LIVE) return;
    size_t at = place_of(banks, b.address);
    bool same =
        at < banks->live.len && banks->live.items[at].address == b.address; /* given out again: its free was not recorded */
    if (same) {
        banks->live.items[at] = b;
        return;
    }
    take_distance(banks, &b, (at < banks->live.len ? banks->live.items[at].address : top) - b.address);
    if (at) take_distance(banks, &banks->live.items[at - 1], b.address - banks->live.items[at - 1].address);
    vec_push(&banks->live, b);
    memmove(&banks->live.items[at + 1], &banks->live.items[at], (banks->live.len - 1 - at) * sizeof b);
    banks->live.items[at] = b;
}

static void release(struct graph_banks *banks, const struct mem_event *event) {
    for (size_t i = 0; i < banks->live.len; i++) {
        const struct graph_banks_buffer *b = &banks->live.items[i];
        if (event->address ? b->address != event->address : b->id != event->id) continue;
        banks->live.len--;
        memmove(&banks->live.items[i], &banks->live.items[i + 1], (banks->live.len - i) * sizeof *b);
        return;
    }
}

void graph_banks_event(struct graph_banks *banks, const struct mem_event *event) {
    if (event->type != MEM_L1) return;
    if (event->kind == MEM_ALLOCATE && event->size_per_bank && !event->num_cores) banks->told = true;
    if (event->kind == MEM_ALLOCATE && event->address) allocate(banks, event);
    else if (event->kind == MEM_FREE) release(banks, event);
}

unsigned graph_banks_found(const struct graph_banks *banks, uint64_t *page) {
    uint64_t most = 0;
    unsigned found = 0;
    *page = 0;
    for (unsigned i = 0; i < GRAPH_BANK_COUNTS; i++) {
        if (banks->impossible[i] || !banks->exact[i]) continue;
        if (banks->exact[i] == most) found = 0; /* two are equally good, so neither counts */
        if (banks->exact[i] <= most) continue;
        most = banks->exact[i];
        found = counts[i];
        *page = banks->page[i];
    }
    return found;
}

void graph_banks_release(struct graph_banks *banks) { vec_release(&banks->live); }

static bool take_node(void *context, const struct graph_node *node, const struct mem_event *event) {
    struct graph_banks *banks = context;
    (void)node;
    if (event) graph_banks_event(banks, event);
    return !banks->told;
}

unsigned graph_banks_of(struct slice capture, uint64_t *page) {
    struct graph_banks banks = {0};
    *page = 0;
    const struct graph_calls calls = {.node = take_node, .context = &banks};
    struct graph_reader reader;
    if (!graph_reader_init(&reader, &calls)) return 0;
    for (size_t at = 0; at < capture.len; at += PIECE)
        if (!graph_reader_push(&reader, slice_take(slice_skip(capture, at), PIECE))) break;
    graph_reader_finish(&reader);
    graph_reader_release(&reader);
    unsigned found = banks.told ? 0 : graph_banks_found(&banks, page);
    graph_banks_release(&banks);
    return found;
}
