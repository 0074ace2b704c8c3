/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/foreign/shm.h"

#include "base/num.h"

const char *const shm_kind_names[SHM_KINDS] = {"DRAM", "L1", "L1_SMALL", "TRACE", "CB"};
const char *const shm_kind_keys[SHM_KINDS] = {"dram", "l1", "l1_small", "trace", "cb"};

/* Offsets of the fields, and sizes of the two tables. */
enum {
    AT_VERSION = 0,
    AT_UPDATED = 8,
    AT_REFERENCES = 16,
    AT_ASIC = 32,
    AT_DEVICE = 40,
    AT_TOTALS = 48,
    AT_CHIPS = 88,
    CHIP_SIZE = 48,
    CHIP_REMOTE = 4,
    CHIP_BYTES = 8,
    AT_PROCESSES = 856,
    PROCESS_SIZE = 120,
    PROCESS_BYTES = 8,
    PROCESS_UPDATED = 48,
    PROCESS_NAME = 56,
    AT_STATE = 8536, /* since version 4: READY once all fields are written */
};

enum { OLDEST_VERSION = 2, VERSION_WITH_STATE = 4, READY = 0x52454459 };

_Static_assert(AT_CHIPS + SHM_CHIPS * CHIP_SIZE == AT_PROCESSES, "the tables lie one after the other");
_Static_assert(AT_PROCESSES + SHM_PROCESSES * PROCESS_SIZE == AT_STATE && (int)AT_STATE < (int)SHM_BYTES, "the tables fit");

#define NO_CHIP UINT32_MAX

static uint32_t u32_at(struct slice s, size_t at) {
    uint32_t n;
    memcpy(&n, s.ptr + at, sizeof n);
    return n;
}

static uint64_t u64_at(struct slice s, size_t at) {
    uint64_t n;
    memcpy(&n, s.ptr + at, sizeof n);
    return n;
}

static void read_bytes(struct slice s, size_t at, uint64_t *bytes) {
    for (size_t kind = 0; kind < SHM_KINDS; kind++) bytes[kind] = u64_at(s, at + kind * sizeof *bytes);
}

uint64_t shm_sum(uint64_t a, uint64_t b) {
    uint64_t sum;
    return num_add(a, b, &sum) && sum < SHM_MOST ? sum : SHM_MOST;
}

static void read_chips(struct slice s, struct shm_segment *out) {
    for (size_t i = 0; i < SHM_CHIPS; i++) {
        size_t at = AT_CHIPS + i * CHIP_SIZE;
        if (u32_at(s, at) == NO_CHIP) continue;
        struct shm_chip *chip = &out->chips[out->chip_count++];
        chip->id = u32_at(s, at);
        chip->remote = u32_at(s, at + CHIP_REMOTE) != 0;
        read_bytes(s, at + CHIP_BYTES, chip->bytes);
    }
}

static void read_processes(struct slice before, struct slice after, struct shm_segment *out) {
    for (size_t i = 0; i < SHM_PROCESSES; i++) {
        size_t at = AT_PROCESSES + i * PROCESS_SIZE;
        int32_t pid = (int32_t)u32_at(after, at);
        if (pid != (int32_t)u32_at(before, at)) {
            out->changing++;
            continue;
        }
        if (pid <= 0) continue;
        struct shm_process *process = &out->processes[out->process_count++];
        process->pid = pid;
        read_bytes(after, at + PROCESS_BYTES, process->bytes);
        process->updated_ns = u64_at(after, at + PROCESS_UPDATED);
        memcpy(process->name, after.ptr + at + PROCESS_NAME, SHM_NAME);
        process->name[SHM_NAME - 1] = 0;
    }
}

enum shm_state shm_parse(struct slice before, struct slice after, uint64_t asic, struct shm_segment *out) {
    memset(out, 0, sizeof *out);
    if (before.len < SHM_BYTES || after.len < SHM_BYTES) return SHM_SHORT;
    out->version = u32_at(after, AT_VERSION);
    if (out->version < OLDEST_VERSION || out->version > SHM_NEWEST_VERSION) return SHM_VERSION;
    if (out->version >= VERSION_WITH_STATE && u32_at(after, AT_STATE) != READY) return SHM_NOT_READY;
    out->asic = u64_at(after, AT_ASIC);
    out->device = u32_at(after, AT_DEVICE);
    if (out->asic != asic) return SHM_NOT_ITS_NAME;
    out->updated_ns = u64_at(after, AT_UPDATED);
    out->references = u32_at(after, AT_REFERENCES);
    read_bytes(after, AT_TOTALS, out->totals);
    read_chips(after, out);
    read_processes(before, after, out);
    return SHM_OK;
}

bool shm_name(struct slice name, uint64_t *asic) {
    static const struct slice front = {"tt_device_", 10}, back = {"_memory", 7};
    if (!slice_starts(name, front) || !slice_ends(name, back) || name.len <= front.len + back.len) return false;
    struct slice number = slice_of(name.ptr + front.len, name.len - front.len - back.len);
    return num_read_u64(number, asic) == number.len;
}
