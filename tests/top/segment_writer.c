/* SPDX-License-Identifier: Apache-2.0 */
/* Makes segments of shared memory as tt-metal does, for the tests of ttmem top.
 *   segment_writer DIR CHIP DEVICE PROCESS...            writes one and ends
 *   segment_writer --hold DIR CHIP DEVICE PROCESS...     stays, as a program that has the device open
 *   segment_writer --storm SECONDS DIR CHIP              changes everything at full speed
 *   segment_writer --shrink SECONDS DIR CHIP             cuts and grows the file at full speed
 *   segment_writer --lie DIR CHIP                        fields that cannot be
 *   segment_writer --many N DIR                          N devices, one process each, all this one; stays
 * SEGMENT_VERSION in the environment is another version than 3; a segment of version 4 is ready unless SEGMENT_STATE is another
 * state. PROCESS is PID:NAME:DRAM:L1:L1_SMALL:TRACE:CB[:AGE]; PID "self" is the writer, AGE seconds since its last update. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct chip_stats {
    uint32_t chip_id, is_remote;
    uint64_t bytes[5];
};

struct process_stats {
    int32_t pid;
    uint64_t bytes[5];
    uint64_t updated;
    char name[64];
};

struct region {
    uint32_t version, num_active;
    uint64_t updated;
    uint32_t references;
    uint64_t board_serial, asic;
    uint32_t device;
    uint64_t totals[5];
    struct chip_stats chips[16];
    struct process_stats processes[64];
    uint32_t state;
    char rest[36];
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct region) == 8576, "the size of tt-metal's segment");

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int descriptor;

static struct region *make(const char *folder, uint64_t chip, uint32_t device) {
    char path[4096];
    snprintf(path, sizeof path, "%s/tt_device_%llu_memory", folder, (unsigned long long)chip);
    descriptor = open(path, O_RDWR | O_CREAT, 0600);
    if (descriptor < 0 || ftruncate(descriptor, sizeof(struct region)) != 0) {
        perror(path);
        exit(1);
    }
    struct region *region = mmap(NULL, sizeof *region, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (region == MAP_FAILED) {
        perror(path);
        exit(1);
    }
    memset(region, 0, sizeof *region);
    for (int i = 0; i < 16; i++) region->chips[i].chip_id = UINT32_MAX;
    region->version = getenv("SEGMENT_VERSION") ? (uint32_t)atoi(getenv("SEGMENT_VERSION")) : 3;
    if (region->version >= 4) region->state = getenv("SEGMENT_STATE") ? (uint32_t)atoi(getenv("SEGMENT_STATE")) : 0x52454459;
    region->asic = chip;
    region->device = device;
    region->updated = now_ns();
    return region;
}

static void add_process(struct region *region, int slot, char *text) {
    struct process_stats *process = &region->processes[slot];
    char *field = strtok(text, ":");
    process->pid = strcmp(field, "self") == 0 ? getpid() : atoi(field);
    snprintf(process->name, sizeof process->name, "%s", strtok(NULL, ":"));
    for (int i = 0; i < 5; i++) {
        field = strtok(NULL, ":");
        process->bytes[i] = field ? strtoull(field, NULL, 10) : 0;
        region->totals[i] += process->bytes[i];
    }
    field = strtok(NULL, ":");
    process->updated = now_ns() - (field ? strtoull(field, NULL, 10) : 0) * 1000000000;
    region->num_active++;
    region->references++;
}

static void storm(struct region *region, double seconds) {
    uint64_t end = now_ns() + (uint64_t)(seconds * 1e9), n = 1;
    volatile struct region *r = region;
    while (now_ns() < end)
        for (int i = 0; i < 1000; i++) {
            n = n * 6364136223846793005u + 1442695040888963407u;
            volatile struct process_stats *process = &r->processes[n >> 58];
            process->pid = n & 1 ? 0 : getpid();
            for (int k = 0; k < 5; k++) r->totals[k] = process->bytes[k] = n >> (8 * k + 8);
            process->name[n >> 20 & 63] = (char)(n >> 13);
            r->updated = process->updated = now_ns();
            r->num_active = (uint32_t)n;
        }
}

static void shrink(double seconds) {
    uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);
    static struct region whole;
    if (pread(descriptor, &whole, sizeof whole, 0) < 0) return;
    for (unsigned i = 0; now_ns() < end; i++) {
        static const off_t sizes[] = {0, 100, 4096, 8575, 8576};
        if (ftruncate(descriptor, sizes[i % 5]) != 0 || pwrite(descriptor, &whole, i % 5 == 4 ? sizeof whole : 0, 0) < 0)
            return;
    }
}

static void lie(struct region *region) {
    region->num_active = region->references = UINT32_MAX;
    region->updated = UINT64_MAX;
    memset(region->chips, 0x7f, sizeof region->chips);
    for (int i = 0; i < 5; i++) region->totals[i] = UINT64_MAX;
    for (int i = 0; i < 64; i++) {
        struct process_stats *process = &region->processes[i];
        process->pid = i % 3 == 0 ? -i : i % 3 == 1 ? INT32_MAX - i : getpid();
        memset(process->name, i % 2 ? '\x1b' : 0xff, sizeof process->name);
        for (int k = 0; k < 5; k++) process->bytes[k] = UINT64_MAX - (uint64_t)i;
        process->updated = (uint64_t)i << 58;
    }
}

static void many(int count, const char *folder) {
    for (int i = 0; i < count; i++) {
        struct region *region = make(folder, (uint64_t)i + 1, (uint32_t)i);
        char text[] = "self:segment_writer:8589934592:1048576:0:0:4096";
        add_process(region, 0, text);
        close(descriptor);
    }
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 && strncmp(argv[1], "--", 2) == 0 ? argv[1] : "";
    if (argc < 4) return 2;
    if (strcmp(mode, "--storm") == 0) storm(make(argv[3], strtoull(argv[4], NULL, 10), 0), atof(argv[2]));
    else if (strcmp(mode, "--shrink") == 0) {
        make(argv[3], strtoull(argv[4], NULL, 10), 0);
        shrink(atof(argv[2]));
    } else if (strcmp(mode, "--lie") == 0) lie(make(argv[2], strtoull(argv[3], NULL, 10), UINT32_MAX));
    else if (strcmp(mode, "--many") == 0) many(atoi(argv[2]), argv[3]);
    else {
        char **words = argv + (mode[0] ? 2 : 1);
        struct region *region = make(words[0], strtoull(words[1], NULL, 10), (uint32_t)atoi(words[2]));
        for (int i = 0; words[3 + i] && i < 64; i++) add_process(region, i, words[3 + i]);
    }
    if (strcmp(mode, "--hold") == 0 || strcmp(mode, "--many") == 0) {
        printf("%d\n", getpid());
        fflush(stdout);
        pause();
    }
    return 0;
}
