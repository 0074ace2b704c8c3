/* SPDX-License-Identifier: Apache-2.0 */
#include "source/spool_limit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/size.h"

static uint64_t most;
static bool has_option;

void spool_limit_set(uint64_t bytes) { most = bytes; }

void spool_limit_option(void) { has_option = true; }

const char *spool_limit_names(void) { return has_option ? "--max-spool SIZE or TTMEM_MAX_SPOOL=SIZE" : "TTMEM_MAX_SPOOL=SIZE"; }

/* The kernel's estimate; 0 if it does not say. */
static uint64_t free_memory(void) {
    static const char heading[] = "MemAvailable:";
    FILE *file = fopen("/proc/meminfo", "re");
    uint64_t kib = 0;
    char line[128];
    while (file && !kib && fgets(line, sizeof line, file)) {
        if (strncmp(line, heading, sizeof heading - 1) != 0) continue;
        num_read_u64(slice_from(line + sizeof heading - 1 + strspn(line + sizeof heading - 1, " ")), &kib);
    }
    if (file) fclose(file);
    return kib * 1024;
}

/* 0: not set, or not a size. */
static uint64_t of_environment(void) {
    const char *asked = getenv("TTMEM_MAX_SPOOL");
    uint64_t bytes = 0;
    return asked && size_read(slice_from(asked), &bytes) ? bytes : 0;
}

int spool_limit_check(struct err *err) {
    const char *asked = getenv("TTMEM_MAX_SPOOL");
    if (most || !asked || !asked[0] || of_environment()) return 0;
    return err_set(err, ERR_USAGE, "TTMEM_MAX_SPOOL takes a size such as 64GB, not '%.100s'", asked);
}

uint64_t spool_limit(void) {
    const uint64_t enough = (uint64_t)16 << 30;
    uint64_t asked = most ? most : of_environment();
    if (asked) return asked;
    uint64_t memory = free_memory();
    return memory && memory < enough / 4 ? memory * 4 : enough;
}
