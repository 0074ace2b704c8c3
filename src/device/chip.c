/* SPDX-License-Identifier: Apache-2.0 */
#include "device/chip.h"

#define GIB 1073741824u
#define DEVICE_PRINT 1048576u /* region for device-side prints at the start of every DRAM bank */

/* Shared by all boards of an architecture. The unreserved DRAM base is one alignment for the barrier, then one more and the
 * print region. */
#define WORMHOLE                                                                                                     \
    .arch = "wormhole_b0", .dram_banks = 12, .dram_view_bytes = GIB, .dram_unreserved_base = 32 + 32 + DEVICE_PRINT, \
    .dram_align = 32, .l1_align = 16, .l1_bytes = 1499136, .l1_firmware_end = 35008, .l1_unreserved_base = 105664,   \
    .max_circular_buffers = 32
#define BLACKHOLE                                                                                                         \
    .arch = "blackhole", .dram_view_bytes = 4278190080, .dram_unreserved_base = 64 + 64 + DEVICE_PRINT, .dram_align = 64, \
    .l1_align = 16, .l1_bytes = 1572864, .l1_firmware_end = 40960, .l1_unreserved_base = 111616, .max_circular_buffers = 64

/* A chip has fewer L1 banks than cores, because a row or column of them dispatches work. With ethernet dispatch all are
 * banks: 64 on n300 and T3000 as well as on n150. On Blackhole, firmware switches off no column, one or two (130, 120 or 110
 * banks), on any board. */
const struct chip chip_table[] = {
    {.name = "n150",
     .title = "Wormhole n150",
     .aliases = "nebula_x1",
     .chips = 1,
     WORMHOLE,
     .l1_banks = 64,
     .l1_bank_counts = {64, 63}},
    {.name = "n300",
     .title = "Wormhole n300",
     .aliases = "nebula_x2",
     .chips = 2,
     WORMHOLE,
     .l1_banks = 56,
     .l1_bank_counts = {56, 64}},
    {.name = "t3k",
     .title = "Wormhole T3000",
     .aliases = "t3000 quietbox llmbox",
     .chips = 8,
     WORMHOLE,
     .l1_banks = 56,
     .l1_bank_counts = {56, 64}},
    {.name = "wh_galaxy",
     .title = "Wormhole Galaxy",
     .aliases = "galaxy tg 6u",
     .chips = 32,
     WORMHOLE,
     .l1_banks = 72,
     .l1_bank_counts = {72, 70, 80}},
    {.name = "p100",
     .title = "Blackhole p100",
     .aliases = "",
     .chips = 1,
     BLACKHOLE,
     .dram_banks = 7,
     .l1_banks = 110,
     .l1_bank_counts = {110, 120, 130}},
    {.name = "p150",
     .title = "Blackhole p150",
     .aliases = "",
     .chips = 1,
     BLACKHOLE,
     .dram_banks = 8,
     .l1_banks = 130,
     .l1_bank_counts = {130, 140, 120, 110}},
    {.name = "p300",
     .title = "Blackhole p300",
     .aliases = "",
     .chips = 2,
     BLACKHOLE,
     .dram_banks = 8,
     .l1_banks = 110,
     .l1_bank_counts = {110, 120}},
    {.name = "bh_galaxy",
     .title = "Blackhole Galaxy",
     .aliases = "",
     .chips = 32,
     BLACKHOLE,
     .dram_banks = 8,
     .l1_banks = 110,
     .l1_bank_counts = {110, 120, 130}},
    {.name = "wormhole_b0", .title = "Wormhole", .aliases = "wormhole wh", .chips = 1, WORMHOLE, .l1_banks = 64},
    {.name = "blackhole", .title = "Blackhole", .aliases = "bh", .chips = 1, BLACKHOLE, .dram_banks = 8, .l1_banks = 110},
    {.name = "quasar",
     .arch = "quasar",
     .title = "Quasar",
     .aliases = "",
     .chips = 1,
     .dram_banks = 2,
     .dram_view_bytes = GIB,
     .dram_unreserved_base = 64 + 64 + DEVICE_PRINT,
     .dram_align = 64,
     .l1_align = 16,
     .l1_bytes = 4194304,
     .l1_firmware_end = 211440,
     .l1_unreserved_base = 313856,
     .l1_banks = 32,
     .max_circular_buffers = 64},
    {.name = "grayskull",
     .arch = "grayskull",
     .title = "Grayskull",
     .aliases = "e75 e150 gs",
     .chips = 1,
     .dram_banks = 8,
     .dram_view_bytes = GIB,
     .dram_unreserved_base = 32,
     .dram_align = 32,
     .l1_align = 16,
     .l1_bytes = 1048576,
     .l1_unreserved_base = 100384,
     .l1_banks = 108,
     .l1_bank_counts = {108},
     .max_circular_buffers = 32},
    {0},
};

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool same_name(struct slice given, const char *name, size_t len) {
    if (given.len != len) return false;
    for (size_t i = 0; i < len; i++)
        if (lower(given.ptr[i]) != name[i]) return false;
    return true;
}

static bool has_name(const struct chip *chip, struct slice given) {
    if (same_name(given, chip->name, strlen(chip->name))) return true;
    for (const char *word = chip->aliases; *word;) {
        size_t len = strcspn(word, " ");
        if (same_name(given, word, len)) return true;
        word += len + (word[len] == ' ');
    }
    return false;
}

const struct chip *chip_row(uint64_t row) {
    for (const struct chip *chip = chip_table; chip->name; chip++)
        if ((uint64_t)(chip - chip_table) == row) return chip;
    return NULL;
}

const struct chip *chip_find(struct slice name) {
    for (const struct chip *chip = chip_table; chip->name; chip++)
        if (has_name(chip, name)) return chip;
    /* a board's revision: n150s, n300d, p150b */
    if (name.len < 2 || name.ptr[name.len - 2] < '0' || name.ptr[name.len - 2] > '9') return NULL;
    char last = lower(name.ptr[name.len - 1]);
    return last >= 'a' && last <= 'z' ? chip_find(slice_take(name, name.len - 1)) : NULL;
}

static bool fits_dram(const struct chip *chip, unsigned dram_banks, uint64_t bank_bytes) {
    if (dram_banks != chip->dram_banks) return false;
    /* Reserved regions make a bank smaller than its view, but never by half. */
    return !bank_bytes || (bank_bytes <= chip->dram_view_bytes && bank_bytes > chip->dram_view_bytes / 2);
}

static bool has_l1_banks(const struct chip *chip, unsigned l1_banks) {
    for (unsigned i = 0; i < CHIP_L1_BANK_COUNTS && chip->l1_bank_counts[i]; i++)
        if (chip->l1_bank_counts[i] == l1_banks) return true;
    return false;
}

const struct chip *chip_of_arch(const struct chip *board) {
    for (const struct chip *chip = chip_table; chip->name; chip++)
        if (strcmp(chip->name, board->arch) == 0) return chip;
    return board;
}

bool chip_fits(const struct chip *board, unsigned dram_banks, unsigned l1_banks) {
    return (!dram_banks || board->dram_banks == dram_banks) && (!l1_banks || has_l1_banks(board, l1_banks));
}

unsigned chip_sure_dram_banks(const struct chip *chip) {
    for (const struct chip *other = chip_table; chip == chip_of_arch(chip) && other->name; other++)
        if (strcmp(other->arch, chip->arch) == 0 && other->dram_banks != chip->dram_banks) return 0;
    return chip->dram_banks;
}

typedef uint64_t chip_figure(const struct chip *chip);

static uint64_t dram_of(const struct chip *chip) { return chip->dram_banks * chip->dram_view_bytes; }
static uint64_t dram_bank_of(const struct chip *chip) { return chip->dram_view_bytes; }
static uint64_t l1_of(const struct chip *chip) { return chip->l1_bytes; }

static unsigned most_l1_banks(const struct chip *chip) {
    unsigned most = chip->l1_banks;
    for (unsigned i = 0; i < CHIP_L1_BANK_COUNTS; i++)
        if (chip->l1_bank_counts[i] > most) most = chip->l1_bank_counts[i];
    return most;
}

static uint64_t most_of(const struct chip *chip, uint64_t l1_banks, chip_figure *figure) {
    uint64_t most = chip ? figure(chip) : 0;
    for (const struct chip *any = chip_table; !chip && any->name; any++)
        if (most_l1_banks(any) >= l1_banks && figure(any) > most) most = figure(any);
    return most;
}

uint64_t chip_most_l1_bank_bytes(const struct chip *chip, uint64_t banks) { return most_of(chip, banks, l1_of); }
uint64_t chip_most_dram_bank_bytes(const struct chip *chip) { return most_of(chip, 0, dram_bank_of); }
uint64_t chip_most_dram_bytes(const struct chip *chip) { return most_of(chip, 0, dram_of); }

unsigned chip_sure_l1_banks(const struct chip *chip) {
    return chip->l1_bank_counts[0] && !chip->l1_bank_counts[1] ? chip->l1_banks : 0;
}

static const struct chip *guess(unsigned dram_banks, unsigned l1_banks, uint64_t dram_bank_bytes, unsigned *boards) {
    const struct chip *first = NULL, *board = NULL;
    *boards = 0;
    for (const struct chip *chip = chip_table; chip->name; chip++) {
        if (!fits_dram(chip, dram_banks, dram_bank_bytes)) continue;
        if (!first) first = chip;
        if (has_l1_banks(chip, l1_banks) && !(*boards)++) board = chip;
    }
    return board ? board : first;
}

const struct chip *chip_nearest(unsigned dram_banks, unsigned l1_banks, uint64_t dram_bank_bytes) {
    unsigned boards;
    const struct chip *found = guess(dram_banks, l1_banks, dram_bank_bytes, &boards);
    /* A number of DRAM banks that only one board has identifies it (7: p100). */
    return !found || boards || chip_of_arch(found)->dram_banks != dram_banks ? found : chip_of_arch(found);
}

const struct chip *chip_guess(unsigned dram_banks, unsigned l1_banks, uint64_t dram_bank_bytes) {
    unsigned boards;
    const struct chip *found = guess(dram_banks, l1_banks, dram_bank_bytes, &boards);
    return !found || boards == 1 || chip_of_arch(found)->dram_banks != dram_banks ? found : chip_of_arch(found);
}
