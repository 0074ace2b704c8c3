/* SPDX-License-Identifier: Apache-2.0 */
#include "source/spool_limit.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/size.h"

static uint64_t most;

void spool_limit_set(uint64_t bytes) { most = bytes; }

/* As the kernel estimates it; 0 when it does not tell. */
static uint64_t free_memory(void) {
    FILE *file = fopen("/proc/meminfo", "re");
    unsigned long long kib = 0;
    char line[128];
    while (file && fgets(line, sizeof line, file) && sscanf(line, "MemAvailable: %llu kB", &kib) != 1) continue;
    if (file) fclose(file);
    return (uint64_t)kib * 1024;
}

uint64_t spool_limit(void) {
    const uint64_t enough = (uint64_t)16 << 30;
    const char *asked = getenv("TTMEM_MAX_SPOOL");
    uint64_t bytes;
    if (most) return most;
    if (asked && size_read(slice_from(asked), &bytes) && bytes) return bytes;
    uint64_t memory = free_memory();
    return memory && memory < enough / 4 ? memory * 4 : enough;
}
