/* SPDX-License-Identifier: Apache-2.0 */
/* What an event costs a program that is tracked: prints the nanoseconds of a buffer event and of a program event. */
#include <stdio.h>
#include <time.h>

#include "ttmem/ttmem.h"

enum { EVENTS = 2000000, LIVE = 1024, BUFFERS_OF_A_PROGRAM = 9, ROUNDS = 3 };

static double nanoseconds(clock_t from) { return (double)(clock() - from) * 1e9 / CLOCKS_PER_SEC / EVENTS; }

static void buffer_events(ttmem_tracker *tracker) {
    for (uint64_t i = 0; i < EVENTS / 2; i++) {
        ttmem_buffer buffer = {
            .type = i % 8 ? TTMEM_DRAM : TTMEM_L1, .address = 4096 + i % LIVE * 64, .size = 64, .size_per_bank = 64};
        ttmem_buffer_allocate(tracker, &buffer, NULL);
        buffer.address = 4096 + (i + LIVE / 2) % LIVE * 64;
        if (i >= LIVE) ttmem_buffer_deallocate(tracker, &buffer);
    }
}

static void program_events(ttmem_tracker *tracker) {
    ttmem_core_range grid = {.x1 = 7, .y1 = 7};
    ttmem_program_memory memory = {.size = 4096, .ranges = &grid, .ranges_len = 1};
    for (unsigned i = 0; i < EVENTS / (BUFFERS_OF_A_PROGRAM + 1); i++) {
        for (unsigned j = 0; j < BUFFERS_OF_A_PROGRAM; j++) ttmem_circular_buffer_allocate(tracker, &memory);
        ttmem_program_release(tracker, 0);
    }
}

static double cheapest(void (*events)(ttmem_tracker *)) {
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        ttmem_tracker *tracker;
        if (ttmem_tracker_new(&tracker) != TTMEM_OK) return best;
        ttmem_begin_capture(tracker, TTMEM_NORMAL);
        clock_t start = clock();
        events(tracker);
        double cost = nanoseconds(start);
        if (cost < best) best = cost;
        ttmem_tracker_free(tracker);
    }
    return best;
}

int main(void) {
    printf("%.0f %.0f\n", cheapest(buffer_events), cheapest(program_events));
    return 0;
}
