/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about Tenstorrent chips and boards, per chip: DRAM banks, L1 of a Tensix core, alignments. A const table; nothing to
 * own or release, safe from any thread.
 *
 * Sizes are those of the hardware and of the default memory map of 2026. What a run can allocate is less and moves between
 * releases (profiler and trace regions in DRAM, kernel-config ring in L1): numbers from a log or capture take precedence. */
#ifndef TTMEM_DEVICE_CHIP_H
#define TTMEM_DEVICE_CHIP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum { CHIP_L1_BANK_COUNTS = 4 };

struct chip {
    const char *name;    /* board, or the architecture if the board is unknown: "n150", "p150", "wormhole_b0" */
    const char *arch;    /* "wormhole_b0", "blackhole", "quasar", "grayskull" */
    const char *title;   /* as shown: "Wormhole n150" */
    const char *aliases; /* further names, separated by spaces */
    unsigned chips;      /* on the board; all other fields are per chip */

    unsigned dram_banks;           /* "views" of the allocator */
    uint64_t dram_view_bytes;      /* one bank, before anything is reserved */
    uint64_t dram_unreserved_base; /* first address that can be allocated, in a build without profiler */
    unsigned dram_align;
    unsigned l1_align;

    uint64_t l1_bytes;                            /* of one core */
    uint64_t l1_firmware_end;                     /* the ring of kernels begins here; 0: unknown */
    uint64_t l1_unreserved_base;                  /* circular buffers grow up from here, L1 buffers down from the end */
    unsigned l1_banks;                            /* usual number of compute cores; each is a bank */
    unsigned l1_bank_counts[CHIP_L1_BANK_COUNTS]; /* all numbers seen with this board, 0 ends */
    unsigned max_circular_buffers;                /* per core */
};

/* NULL-name-terminated, boards first, then one row per architecture. */
extern const struct chip chip_table[];

/* Finds it by board, architecture or alias, in any case; a trailing revision letter is ignored ("n300d", "p150b"). NULL if
 * unknown. */
const struct chip *chip_find(struct slice name);

/* The nth row of the table; NULL beyond it. */
const struct chip *chip_row(uint64_t row);

/* The same for user input: -1 with ERR_USAGE that lists the known names. */
struct err;
int chip_choose(const char *name, const struct chip **chip, struct err *err);

/* The row of its architecture, for what all of its boards share. */
const struct chip *chip_of_arch(const struct chip *board);

/* Can the board have these banks? 0 for unknown. */
bool chip_fits(const struct chip *board, unsigned dram_banks, unsigned l1_banks);

/* The number that all boards of the architecture, or this one, have; 0 if they differ. */
unsigned chip_sure_dram_banks(const struct chip *chip);
unsigned chip_sure_l1_banks(const struct chip *chip);

/* The board that has these banks, the architecture's row if only that is certain (several boards fit), NULL if nothing fits.
 * `l1_banks` and `dram_bank_bytes` may be 0 for unknown. */
const struct chip *chip_guess(unsigned dram_banks, unsigned l1_banks, uint64_t dram_bank_bytes);

/* The same, but the smallest of several matching boards, for figures that need some board. */
const struct chip *chip_nearest(unsigned dram_banks, unsigned l1_banks, uint64_t dram_bank_bytes);

/* The most that a bank of the chip (NULL: of any chip) can hold, before anything is reserved; for DRAM also the most of all
 * banks together. `banks` is the least number of L1 banks, from what was allocated on them; 0: unknown. */
uint64_t chip_most_l1_bank_bytes(const struct chip *chip, uint64_t banks);
uint64_t chip_most_dram_bank_bytes(const struct chip *chip);
uint64_t chip_most_dram_bytes(const struct chip *chip);

/* Bytes that can be allocated in one bank with the default map and no trace region, L1_SMALL or profiler. */
static inline uint64_t chip_dram_bank_bytes(const struct chip *chip) {
    return chip->dram_view_bytes - chip->dram_unreserved_base;
}
static inline uint64_t chip_l1_bank_bytes(const struct chip *chip) { return chip->l1_bytes - chip->l1_unreserved_base; }

#endif
