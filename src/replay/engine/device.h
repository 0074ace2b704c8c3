/* SPDX-License-Identifier: Apache-2.0 */
/* The device that a prediction is for: pools and geometry, and where they come from. */
#ifndef TTMEM_REPLAY_DEVICE_H
#define TTMEM_REPLAY_DEVICE_H

#include "base/err.h"
#include "base/slice.h"
#include "device/chip.h"
#include "device/tensor_type.h"
#include "parse/memview.h"

enum predict_device_source { DEVICE_ASSUMED, DEVICE_FROM_MODULE, DEVICE_GIVEN, DEVICE_FROM_LOG };

/* How well the size of a DRAM bank is known: on another board than the module's, the build's reserve may be taken at its
 * most, or be unknown and taken as that of a build without a profiler. */
enum predict_bank { BANK_EXACT, BANK_AT_LEAST, BANK_ESTIMATE };

struct predict_pool {
    unsigned banks;
    uint64_t base, bytes; /* per bank */
};

struct predict_device {
    const struct chip *chip; /* NULL: no board fits */
    enum predict_device_source source;
    struct predict_pool pools[POOL_COUNT];
    uint64_t dram_channel_bytes; /* of a bank, including the reserve: what the device reports */
    struct memory_geometry geometry;
    enum predict_bank bank;
};

/* What is known or requested beyond the module; zero fields are not given. */
struct device_wish {
    const struct chip *chip;
    unsigned dram_banks;
    uint64_t dram_bank_bytes;
    unsigned own_banks; /* of the device that it ran on, if `chip` is another one and a log is given */
    uint64_t own_bank_bytes;
    uint64_t trace_region; /* of the whole device */
    uint64_t l1_small;
    bool has_l1_small;
    bool from_log;     /* banks and bank size are those of a log */
    bool rounded_size; /* the bank size is known only to a thousandth of a MB */
};

/* `system_desc` is the text of the module's description, or empty. */
void device_make(struct predict_device *device, struct slice system_desc, const struct device_wish *wish);

/* "from the module", ... */
const char *device_source_words(enum predict_device_source source);

#endif
