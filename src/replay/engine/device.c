/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/engine/device.h"

#include "base/num.h"
#include "device/reserve.h"

/* TT-XLA opens devices with this much L1_SMALL (tt-mlir include/ttmlir/Target/.../Constants.h); tt-metal's default is 0. */
enum { DEFAULT_L1_SMALL = 65536, TRACE_ROUNDING = 8192, MOST_BANKS = 4096 };

/* The first chip of a system description. */
struct description {
    struct slice arch;
    uint64_t grid_rows, grid_columns;
    uint64_t dram_banks, dram_channel, dram_base, dram_align, l1_size, l1_base;
};

static uint64_t number_of(struct slice text, struct slice key) {
    size_t at = slice_find(text, key);
    uint64_t n = 0;
    if (at != SLICE_NONE) num_read_u64(slice_skip(text, at + key.len), &n);
    return n;
}

static bool describe(struct slice text, struct description *d) {
    size_t at = slice_find(text, SLICE("arch = <"));
    if (at == SLICE_NONE) return false;
    text = slice_skip(text, at + 8);
    size_t end = slice_find_byte(text, '}');
    text = slice_take(text, end);
    *d = (struct description){.arch = slice_take(text, slice_find_byte(text, '>')),
                              .grid_rows = number_of(text, SLICE(" grid = ")),
                              .dram_banks = number_of(text, SLICE("num_dram_channels = ")),
                              .dram_channel = number_of(text, SLICE("dram_channel_size = ")),
                              .dram_base = number_of(text, SLICE(" dram_unreserved_base = ")),
                              .dram_align = number_of(text, SLICE("noc_dram_address_align_bytes = ")),
                              .l1_size = number_of(text, SLICE(" l1_size = ")),
                              .l1_base = number_of(text, SLICE(" l1_unreserved_base = "))};
    at = slice_find(text, SLICE(" grid = "));
    if (at != SLICE_NONE) {
        struct slice grid = slice_skip(text, at + 8);
        at = slice_find_byte(slice_take(grid, 16), 'x');
        if (at != SLICE_NONE) num_read_u64(slice_skip(grid, at + 1), &d->grid_columns);
    }
    return d->dram_banks && d->dram_banks <= MOST_BANKS && d->dram_channel > d->dram_base && d->dram_align <= 4096 &&
           d->grid_rows <= MOST_BANKS && d->grid_columns <= MOST_BANKS;
}

static void set_dram(struct predict_device *device, unsigned banks, uint64_t base, uint64_t bytes) {
    device->pools[POOL_DRAM] = (struct predict_pool){banks, base, bytes};
    device->geometry.dram_banks = banks;
}

static void set_l1(struct predict_device *device, unsigned banks, uint64_t base, uint64_t end) {
    device->pools[POOL_L1] = (struct predict_pool){banks, base, end > base ? end - base : 0};
    device->geometry.l1_banks = banks;
}

static void take_chip(struct predict_device *device, const struct chip *chip) {
    device->chip = chip;
    device->dram_channel_bytes = chip->dram_view_bytes;
    set_dram(device, chip->dram_banks, chip->dram_unreserved_base, chip_dram_bank_bytes(chip));
    set_l1(device, chip->l1_banks, chip->l1_unreserved_base, chip->l1_bytes);
    device->geometry.dram_align = chip->dram_align;
    device->geometry.l1_align = chip->l1_align;
}

static void take_description(struct predict_device *device, const struct description *d) {
    unsigned banks = (unsigned)d->dram_banks, cores = (unsigned)(d->grid_rows * d->grid_columns);
    uint64_t bytes = d->dram_channel - d->dram_base;
    const struct chip *arch = chip_find(d->arch);
    device->chip = chip_nearest(banks, cores, bytes);
    if (arch) {
        device->geometry.dram_align = arch->dram_align;
        device->geometry.l1_align = arch->l1_align;
    }
    set_dram(device, banks, d->dram_base, bytes);
    device->dram_channel_bytes = d->dram_channel;
    if (cores && d->l1_size) set_l1(device, cores, d->l1_base, d->l1_size);
    if (d->dram_align) device->geometry.dram_align = (unsigned)d->dram_align;
}

/* The end of L1 belongs to L1_SMALL, that of DRAM to the trace region. */
static void cut_off_regions(struct predict_device *device, const struct device_wish *wish) {
    struct predict_pool *l1 = &device->pools[POOL_L1], *dram = &device->pools[POOL_DRAM];
    uint64_t small = wish->has_l1_small ? wish->l1_small : DEFAULT_L1_SMALL;
    if (small > l1->bytes) small = l1->bytes;
    l1->bytes -= small;
    device->pools[POOL_L1_SMALL] = (struct predict_pool){l1->banks, l1->base + l1->bytes, small};
    uint64_t trace = num_ceil_div(num_ceil_div(wish->trace_region, dram->banks), TRACE_ROUNDING) * TRACE_ROUNDING;
    if (trace > dram->bytes) trace = dram->bytes;
    dram->bytes -= trace;
    device->pools[POOL_TRACE] = (struct predict_pool){dram->banks, dram->base + dram->bytes, trace};
}

/* Another board with the same build: its reserve in a bank there follows from its reserve here. */
static void take_other_chip(struct predict_device *device, const struct chip *chip, const struct description *own,
                            const struct device_wish *wish) {
    enum { LOG_ROUNDING = 1049 };
    const struct chip *was = !own ? NULL : device->chip ? device->chip : chip_find(own->arch);
    uint64_t reserved = own ? own->dram_base : 0, slack = 0, described = own ? own->dram_channel - own->dram_base : 0;
    bool differs = wish->own_bank_bytes + LOG_ROUNDING < described || described + LOG_ROUNDING < wish->own_bank_bytes;
    if (wish->own_bank_bytes && differs) {
        was = chip_nearest(wish->own_banks, 0, wish->own_bank_bytes);
        slack = LOG_ROUNDING;
        reserved = was && was->dram_view_bytes > wish->own_bank_bytes ? was->dram_view_bytes - wish->own_bank_bytes : 0;
    }
    take_chip(device, chip);
    if (!own && !wish->own_bank_bytes) return; /* nothing is known about the build */
    bool known = chip_reserve_like(chip, was, reserved, slack, &reserved);
    device->bank = known ? BANK_EXACT : reserved >= CHIP_MOST_PROFILER ? BANK_AT_LEAST : BANK_ESTIMATE;
    if (reserved < chip->dram_view_bytes) set_dram(device, chip->dram_banks, reserved, chip->dram_view_bytes - reserved);
}

void device_make(struct predict_device *device, struct slice system_desc, const struct device_wish *wish) {
    struct description d;
    bool described = describe(system_desc, &d);
    *device = (struct predict_device){0};
    take_chip(device, chip_find(SLICE("n150")));
    device->source = DEVICE_ASSUMED;
    if (described) {
        take_description(device, &d);
        device->source = DEVICE_FROM_MODULE;
    }
    /* the module's own chip, given by its board's name, keeps the module's figures: they are exact */
    bool same = wish->chip && described && device->chip == wish->chip;
    if (wish->chip) {
        if (!same) take_other_chip(device, wish->chip, described ? &d : NULL, wish);
        device->source = DEVICE_GIVEN;
    }
    struct predict_pool *dram = &device->pools[POOL_DRAM];
    if (wish->dram_banks) set_dram(device, wish->dram_banks, dram->base, dram->bytes);
    bool agrees = wish->rounded_size && num_bytes_to_milli_mb(dram->bytes) == num_bytes_to_milli_mb(wish->dram_bank_bytes);
    if (wish->dram_bank_bytes && !agrees) dram->bytes = wish->dram_bank_bytes;
    if (wish->dram_bank_bytes) device->bank = BANK_EXACT;
    bool other_size = wish->dram_bank_bytes && !wish->from_log; /* not a real board: nothing is reserved */
    if (other_size || device->dram_channel_bytes < dram->bytes) device->dram_channel_bytes = dram->bytes;
    if (wish->dram_banks || wish->dram_bank_bytes) device->source = wish->from_log ? DEVICE_FROM_LOG : DEVICE_GIVEN;
    cut_off_regions(device, wish);
}

const char *device_source_words(enum predict_device_source source) {
    static const char *const words[] = {"assumed", "from the module", "as given", "from the log"};
    return words[source];
}
