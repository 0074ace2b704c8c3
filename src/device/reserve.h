/* SPDX-License-Identifier: Apache-2.0 */
/* What a build sets aside at the start of every DRAM bank: a barrier, the profiler's buffers, device-side prints, queues. The
 * same build on another board sets aside an amount that follows from the one here. */
#ifndef TTMEM_DEVICE_RESERVE_H
#define TTMEM_DEVICE_RESERVE_H

#include "device/chip.h"

/* The most that the profiler takes of a bank. */
enum { CHIP_MOST_PROFILER = 5520000 };

/* Bytes of a bank that every usual build can allocate: one with the profiler and device-side prints, no trace region. A build
 * without the profiler can allocate up to chip_dram_bank_bytes. */
uint64_t chip_least_dram_bank_bytes(const struct chip *chip);

/* What the build that sets aside `own_reserved` bytes of a bank of `own` (NULL: not known) sets aside on `chip`. A log gives
 * `own_reserved` to within `slack`. False: not known to within CHIP_MOST_PROFILER. */
bool chip_reserve_like(const struct chip *chip, const struct chip *own, uint64_t own_reserved, uint64_t slack,
                       uint64_t *reserved);

#endif
