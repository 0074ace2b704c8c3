/* SPDX-License-Identifier: Apache-2.0 */
/* Devices as their shared memory segments show them now: what each process holds, which processes are alive, peaks and
 * history since the start. A sample is valid until the next one.
 *
 * A process that died without cleaning up leaves its numbers in the segment: it is listed, but not part of the sum. */
#ifndef TTMEM_MODEL_LIVE_DEVICES_H
#define TTMEM_MODEL_LIVE_DEVICES_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "device/chip.h"
#include "parse/foreign/shm.h"
#include "source/process.h"

enum { LIVE_HISTORY = 1024 };

enum device_problem {
    DEVICE_OK,
    DEVICE_NO_PERMISSION,
    DEVICE_UNREADABLE,
    DEVICE_SHORT,
    DEVICE_VERSION,
    DEVICE_NOT_ITS_NAME,
    DEVICE_NOT_READY,
};

struct live_process {
    int32_t pid;
    enum process_state state;
    uint64_t bytes[SHM_KINDS];
    uint64_t updated_ns;
    uint64_t rss_bytes;         /* on the host; 0: unknown, as for processes that are not visible here */
    struct slice name, command; /* may contain any bytes */
};

struct live_device {
    uint64_t asic;
    uint32_t id;
    enum device_problem problem;
    uint32_t version; /* of the segment */
    uint64_t size;    /* DEVICE_SHORT */
    unsigned owner;   /* DEVICE_NO_PERMISSION: user id */
    uint64_t updated_ns;
    uint64_t sum[SHM_KINDS];   /* over the processes that are alive */
    uint64_t total[SHM_KINDS]; /* as stored in the segment */
    uint64_t peak[SHM_KINDS];  /* of `sum`, since the start */
    struct shm_chip chips[SHM_CHIPS];
    unsigned chip_count;
    unsigned changing;
    struct live_process *processes;
    unsigned process_count;
    const uint64_t (*history)[SHM_KINDS]; /* ring of LIVE_HISTORY sums */
    uint64_t history_len;                 /* number of samples so far; the newest is at (history_len - 1) % LIVE_HISTORY */
};

struct live_devices;

/* `folder` NULL: $TTMEM_SHM_DIR, else /dev/shm. */
struct live_devices *live_devices_new(const char *folder);
void live_devices_free(struct live_devices *live);
const char *live_devices_folder(const struct live_devices *live);

/* Takes a sample. `find`: also look for devices that came or went. */
void live_devices_sample(struct live_devices *live, bool find);

uint64_t live_devices_now(const struct live_devices *live); /* of the sample, ns since 1970 */
size_t live_devices_count(const struct live_devices *live);
const struct live_device *live_devices_get(const struct live_devices *live, size_t i);

/* Bytes of that memory on a chip over all banks, 0 if unknown. Circular buffers share L1. */
uint64_t live_capacity(const struct chip *chip, enum shm_kind kind);

/* "alive", "dead", "pid reused", "not visible" */
extern const char *const process_state_names[];

/* What is wrong with a device's segment, as a part of a sentence; nothing if it is fine. */
void live_device_problem(const struct live_device *device, struct strbuf *out);

/* May the figures be lower bounds? tt-metal from 2026-05-27 on counts only what the thread that opened the first device
 * allocates. Segments of version 2 are older; version 3 is from before and after, version 4 from after. Circular buffers are
 * summed over all programs. */
static inline bool live_device_may_lack(const struct live_device *device, enum shm_kind kind) {
    return device->problem == DEVICE_OK && device->version > 2 && kind != SHM_CB;
}

/* Of any device? */
bool live_devices_may_lack(const struct live_devices *live);

static inline bool process_counts(const struct live_process *process) {
    return process->state == PROCESS_ALIVE || process->state == PROCESS_NOT_VISIBLE;
}

#endif
