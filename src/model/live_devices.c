/* SPDX-License-Identifier: Apache-2.0 */
#include "model/live_devices.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "source/shared.h"

/* A process is inspected again after this time; whether it still exists is checked whenever it wrote nothing new. */
#define LOOK_AGAIN_NS ((uint64_t)1000000000)

/* What is remembered about a process between samples. */
struct known_process {
    int32_t pid;
    enum process_state state;
    uint64_t looked_ns;
    char name[SHM_NAME];
    struct strbuf command;
    bool seen;
};

struct device_memory {
    uint64_t asic;
    struct live_device device;
    struct live_process processes[SHM_PROCESSES];
    char names[SHM_PROCESSES][SHM_NAME];
    uint64_t history[LIVE_HISTORY][SHM_KINDS];
};

struct live_devices {
    struct shared_folder folder;
    VEC(struct device_memory *) devices; /* one per file, in the same order */
    VEC(struct known_process *) known;
    uint64_t now_ns;
};

const char *const process_state_names[] = {[PROCESS_ALIVE] = "alive",
                                           [PROCESS_DEAD] = "dead",
                                           [PROCESS_REPLACED] = "pid reused",
                                           [PROCESS_NOT_VISIBLE] = "not visible"};

struct live_devices *live_devices_new(const char *folder) {
    struct live_devices *live = mem_zalloc(1, sizeof *live);
    const char *own = getenv("TTMEM_SHM_DIR");
    live->folder.path = folder ? folder : own && own[0] ? own : "/dev/shm";
    live->folder.is_name = shm_name;
    return live;
}

const char *live_devices_folder(const struct live_devices *live) { return live->folder.path; }

void live_devices_free(struct live_devices *live) {
    for (size_t i = 0; i < live->devices.len; i++) free(live->devices.items[i]);
    for (size_t i = 0; i < live->known.len; i++) {
        strbuf_release(&live->known.items[i]->command);
        free(live->known.items[i]);
    }
    vec_release(&live->devices);
    vec_release(&live->known);
    shared_release(&live->folder);
    free(live);
}

/* --- processes --- */

static struct known_process *know(struct live_devices *live, const struct shm_process *process) {
    for (size_t i = 0; i < live->known.len; i++) {
        struct known_process *known = live->known.items[i];
        if (known->pid == process->pid && strcmp(known->name, process->name) == 0) return known;
    }
    struct known_process *known = mem_zalloc(1, sizeof *known);
    known->pid = process->pid;
    memcpy(known->name, process->name, sizeof known->name);
    vec_push(&live->known, known);
    return known;
}

static const struct known_process *look(struct live_devices *live, const struct shm_process *process) {
    struct known_process *known = know(live, process);
    known->seen = true;
    if (known->looked_ns && live->now_ns - known->looked_ns < LOOK_AGAIN_NS) return known;
    known->state = process_look(process->pid, slice_from(process->name), process->updated_ns, live->now_ns);
    if (known->state == PROCESS_ALIVE && (!known->command.len || !known->looked_ns)) {
        strbuf_clear(&known->command);
        process_command(process->pid, &known->command);
    }
    known->looked_ns = live->now_ns;
    return known;
}

static void forget_processes(struct live_devices *live) {
    size_t kept = 0;
    for (size_t i = 0; i < live->known.len; i++) {
        struct known_process *known = live->known.items[i];
        if (known->seen) {
            known->seen = false;
            live->known.items[kept++] = known;
            continue;
        }
        strbuf_release(&known->command);
        free(known);
    }
    live->known.len = kept;
}

/* --- devices --- */

static void add_process(struct live_devices *live, struct device_memory *memory, const struct shm_process *from) {
    const struct known_process *known = look(live, from);
    struct live_device *device = &memory->device;
    struct live_process *process = &memory->processes[device->process_count];
    char *name = memory->names[device->process_count++];
    memcpy(name, from->name, SHM_NAME);
    *process = (struct live_process){.pid = from->pid,
                                     .state = known->state,
                                     .updated_ns = from->updated_ns,
                                     .rss_bytes = known->state == PROCESS_ALIVE ? process_rss(from->pid) : 0,
                                     .name = slice_from(name),
                                     .command = strbuf_slice(&known->command)};
    memcpy(process->bytes, from->bytes, sizeof process->bytes);
    for (unsigned kind = 0; process_counts(process) && kind < SHM_KINDS; kind++)
        device->sum[kind] = shm_sum(device->sum[kind], from->bytes[kind]);
}

static void fill(struct live_devices *live, struct device_memory *memory, const struct shm_segment *segment) {
    struct live_device *device = &memory->device;
    device->id = segment->device;
    device->updated_ns = segment->updated_ns;
    device->changing = segment->changing;
    device->chip_count = segment->chip_count;
    memcpy(device->chips, segment->chips, sizeof device->chips);
    memcpy(device->total, segment->totals, sizeof device->total);
    for (unsigned i = 0; i < segment->process_count; i++) add_process(live, memory, &segment->processes[i]);
    for (unsigned kind = 0; kind < SHM_KINDS; kind++)
        if (device->sum[kind] > device->peak[kind]) device->peak[kind] = device->sum[kind];
    memcpy(memory->history[device->history_len++ % LIVE_HISTORY], device->sum, sizeof device->sum);
}

static void read_device(struct live_devices *live, struct device_memory *memory, const struct shared_file *file) {
    static const enum device_problem problems[] = {[SHM_OK] = DEVICE_OK,
                                                   [SHM_SHORT] = DEVICE_SHORT,
                                                   [SHM_VERSION] = DEVICE_VERSION,
                                                   [SHM_NOT_ITS_NAME] = DEVICE_NOT_ITS_NAME,
                                                   [SHM_NOT_READY] = DEVICE_NOT_READY};
    struct live_device *device = &memory->device;
    struct shm_segment segment;
    device->process_count = device->chip_count = 0;
    memset(device->sum, 0, sizeof device->sum);
    memset(device->total, 0, sizeof device->total);
    device->owner = file->owner;
    if (file->error) {
        device->problem = file->error == EACCES || file->error == EPERM ? DEVICE_NO_PERMISSION : DEVICE_UNREADABLE;
        return;
    }
    device->problem = problems[shm_parse(slice_of(file->before, file->before_len), slice_of(file->after, file->after_len),
                                         file->number, &segment)];
    device->version = segment.version;
    device->size = file->after_len;
    if (device->problem == DEVICE_OK) fill(live, memory, &segment);
}

/* The memory of the i-th file; devices keep theirs as long as they exist. */
static struct device_memory *memory_of(struct live_devices *live, size_t i, uint64_t asic) {
    while (i < live->devices.len && live->devices.items[i]->asic < asic) {
        free(live->devices.items[i]);
        live->devices.len--;
        memmove(&live->devices.items[i], &live->devices.items[i + 1], sizeof *live->devices.items * (live->devices.len - i));
    }
    if (i < live->devices.len && live->devices.items[i]->asic == asic) return live->devices.items[i];
    struct device_memory *memory = mem_zalloc(1, sizeof *memory);
    memory->asic = memory->device.asic = asic;
    memory->device.processes = memory->processes;
    memory->device.history = (const uint64_t(*)[SHM_KINDS])memory->history;
    vec_push(&live->devices, memory);
    memmove(&live->devices.items[i + 1], &live->devices.items[i], sizeof *live->devices.items * (live->devices.len - 1 - i));
    return live->devices.items[i] = memory;
}

void live_devices_sample(struct live_devices *live, bool find) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    live->now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    if (find) shared_find(&live->folder);
    shared_read(&live->folder);
    for (size_t i = 0; i < live->folder.files.len; i++) {
        const struct shared_file *file = live->folder.files.items[i];
        read_device(live, memory_of(live, i, file->number), file);
    }
    while (live->devices.len > live->folder.files.len) free(live->devices.items[--live->devices.len]);
    forget_processes(live);
}

uint64_t live_devices_now(const struct live_devices *live) { return live->now_ns; }
size_t live_devices_count(const struct live_devices *live) { return live->devices.len; }
const struct live_device *live_devices_get(const struct live_devices *live, size_t i) {
    return &live->devices.items[i]->device;
}

bool live_devices_may_lack(const struct live_devices *live) {
    for (size_t i = 0; i < live->devices.len; i++)
        if (live_device_may_lack(&live->devices.items[i]->device, SHM_DRAM)) return true;
    return false;
}

uint64_t live_capacity(const struct chip *chip, enum shm_kind kind) {
    if (!chip) return 0;
    if (kind == SHM_DRAM) return chip_dram_bank_bytes(chip) * chip->dram_banks;
    return kind == SHM_L1 || kind == SHM_CB ? chip_l1_bank_bytes(chip) * chip->l1_banks : 0;
}

void live_device_problem(const struct live_device *device, struct strbuf *out) {
    switch (device->problem) {
        case DEVICE_OK:
            return;
        case DEVICE_NO_PERMISSION:
            strbuf_addf(out, "no permission: it belongs to user %u; run as that user or as root", device->owner);
            return;
        case DEVICE_UNREADABLE:
            strbuf_addz(out, "cannot be read: not a plain file, or gone");
            return;
        case DEVICE_SHORT:
            strbuf_addf(out, "has %llu bytes, a segment has %d: another version, or cut", (unsigned long long)device->size,
                        SHM_BYTES);
            return;
        case DEVICE_VERSION:
            strbuf_addf(out, "is of version %u; 2 to %d are known", device->version, SHM_NEWEST_VERSION);
            return;
        case DEVICE_NOT_ITS_NAME:
            strbuf_addz(out, "names another chip than its file");
            return;
        case DEVICE_NOT_READY:
            strbuf_addz(out, "is not filled in yet by the program that makes it");
    }
}
