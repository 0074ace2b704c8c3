/* SPDX-License-Identifier: Apache-2.0 */
/* What a build reserves at the start of every DRAM bank: a barrier, the profiler's buffers, device-side prints, queues. The
 * same build's reserve on another board follows from the one here. */
#ifndef TTMEM_DEVICE_RESERVE_H
#define TTMEM_DEVICE_RESERVE_H

#include "device/chip.h"

/* The most that the profiler takes of a bank. */
enum { CHIP_MOST_PROFILER = 5520000 };

/* What the build that reserves `own_reserved` bytes of a bank of `own` (NULL: unknown) reserves on `chip`. A log gives
 * `own_reserved` to within `slack`. False: unknown to within CHIP_MOST_PROFILER. */
uint64_t chip_least_dram_bank_bytes(const struct chip *chip);

/* What the build that sets aside `own_reserved` bytes of a bank of `own` (NULL: not known) sets aside on `chip`. A log gives
 * `own_reserved` to within `slack`. False: not known to within CHIP_MOST_PROFILER. */
bool chip_reserve_like(const struct chip *chip, const struct chip *own, uint64_t own_reserved, uint64_t slack,
                       uint64_t *reserved);

#endif
