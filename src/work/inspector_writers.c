/* SPDX-License-Identifier: Apache-2.0 */
#include "work/inspector_writers.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "source/process.h"

/* Does the process have a file below the folder open? */
static bool has_open(int pid, const char *folder) {
    char path[64], target[PATH_MAX];
    size_t length = strlen(folder);
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    DIR *dir = opendir(path);
    if (!dir) return false; /* gone, or another user's */
    for (struct dirent *entry; !found && (entry = readdir(dir));) {
        ssize_t n = readlinkat(dirfd(dir), entry->d_name, target, sizeof target);
        found = n > 0 && (size_t)n > length && memcmp(target, folder, length) == 0 && target[length] == '/';
    }
    closedir(dir);
    return found;
}

static void add_process(struct host_record *record, int pid, uint32_t step) {
    char name[64];
    uint64_t rss = process_rss(pid);
    if (!rss) return;
    size_t length = process_read("/proc", pid, "comm", name, sizeof name);
    while (length && (name[length - 1] == '\n' || name[length - 1] == '\0')) length--;
    struct host_record_process process = {.pid = (uint64_t)pid, .gone_ms = HOST_UNKNOWN};
    process.name = arena_copy(&record->arena, slice_of(name, length));
    vec_push(&record->processes, process);
    vec_push(&record->samples,
             ((struct host_record_sample){.rss_bytes = rss, .process = (uint32_t)record->processes.len - 1, .step = step}));
}

struct host_record *inspector_writers(const char *folder, uint32_t step) {
    char *whole = realpath(folder, NULL);
    DIR *proc = whole ? opendir("/proc") : NULL;
    struct host_record *record = mem_zalloc(1, sizeof *record);
    record->tied = true;
    record->cgroup_limit_bytes = HOST_UNKNOWN;
    for (struct dirent *entry; proc && (entry = readdir(proc));) {
        uint64_t pid;
        struct slice name = slice_from(entry->d_name);
        if (num_read_u64(name, &pid) != name.len || !pid || pid > INT_MAX || (int)pid == getpid()) continue;
        if (has_open((int)pid, whole)) add_process(record, (int)pid, step);
    }
    if (proc) closedir(proc);
    free(whole);
    if (record->processes.len) return record;
    host_record_release(record);
    free(record);
    return NULL;
}
