/* SPDX-License-Identifier: Apache-2.0 */
#include "device/reserve.h"

#include <string.h>

enum { BUILD_PROFILER = 1, BUILD_PRINTS = 2, BUILD_QUEUES = 4, BUILDS = 8 };
enum { PRINTS = 1 << 20, QUEUES = 16 << 20 };

/* For one bank: the profiler divides its buffers of all cores among the banks. *sure is false if the number of cores is not
 * known well enough; the result is then an upper bound. */
static uint64_t profiler_bytes(const struct chip *chip, bool *sure) {
    static const struct {
        const char *arch;
        unsigned banks;
        uint64_t bytes;
    } rows[] = {{"wormhole_b0", 12, 1920000}, {"blackhole", 8, 4800000}};
    *sure = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(chip->arch, rows[i].arch) == 0 && chip->dram_banks == rows[i].banks) return rows[i].bytes;
    *sure = false;
    return CHIP_MOST_PROFILER;
}

static bool reserved_by(const struct chip *chip, unsigned build, uint64_t *reserved) {
    bool sure = true;
    *reserved = chip->dram_align;
    if (build & BUILD_PROFILER) *reserved += profiler_bytes(chip, &sure);
    if (build & BUILD_PRINTS) *reserved += chip->dram_align + PRINTS;
    if (build & BUILD_QUEUES) *reserved += QUEUES;
    return sure;
}

uint64_t chip_least_dram_bank_bytes(const struct chip *chip) {
    uint64_t reserved;
    reserved_by(chip, BUILD_PROFILER | BUILD_PRINTS, &reserved);
    return chip->dram_view_bytes - reserved;
}

bool chip_reserve_like(const struct chip *chip, const struct chip *own, uint64_t own_reserved, uint64_t slack,
                       uint64_t *reserved) {
    if (own && strcmp(own->arch, chip->arch) == 0 && own->dram_banks == chip->dram_banks) {
        *reserved = own_reserved;
        return true;
    }
    for (unsigned build = 0; own && build < BUILDS; build++) {
        uint64_t here;
        if (!reserved_by(own, build, &here)) continue;
        if (here <= own_reserved + slack && own_reserved <= here + slack) return reserved_by(chip, build, reserved);
    }
    *reserved = chip->dram_unreserved_base;
    return false;
}
