/* SPDX-License-Identifier: Apache-2.0 */
#include "source/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"

/* A process that wrote within this time but cannot be seen counts as one of another namespace. */
#define JUST_NOW_NS ((uint64_t)3000000000)
/* The start of a process is known to a hundredth of a second, the boot time to a second. */
#define START_SLACK_NS ((uint64_t)2000000000)

int process_open(const char *proc, int pid, const char *what) {
    char path[4096];
    int n = pid ? snprintf(path, sizeof path, "%s/%d/%s", proc, pid, what) : snprintf(path, sizeof path, "%s/%s", proc, what);
    return n > 0 && (size_t)n < sizeof path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

size_t process_read(const char *proc, int pid, const char *what, char *out, size_t room) {
    int fd = process_open(proc, pid, what);
    if (fd < 0) return 0;
    /* the kernel returns these files in one piece: one shorter than the buffer is complete */
    ssize_t got = read(fd, out, room);
    close(fd);
    return got > 0 ? (size_t)got : 0;
}

size_t process_read_again(int fd, char *out, size_t room) {
    ssize_t got = pread(fd, out, room, 0);
    return got > 0 ? (size_t)got : 0;
}

static size_t read_proc(int pid, const char *what, char *out, size_t room) {
    return process_read("/proc", pid, what, out, room);
}

/* The name, which may contain anything, is in parentheses; then state, parent (field 4), ..., start (field 22). */
bool process_stat_read(const char *proc, int pid, struct process_stat *out) {
    char text[1024];
    struct slice rest = slice_of(text, process_read(proc, pid, "stat", text, sizeof text));
    const char *name_end = rest.len ? memrchr(rest.ptr, ')', rest.len) : NULL;
    if (!name_end) return false;
    rest = slice_between(name_end + 1, rest.ptr + rest.len);
    for (int field = 2; field < 22; field++) {
        size_t blank = slice_find_byte(rest, ' ');
        if (blank == SLICE_NONE) return false;
        rest = slice_skip(rest, blank + 1);
        uint64_t parent;
        if (field != 3) continue;
        if (!num_read_u64(rest, &parent) || parent > INT32_MAX) return false;
        out->parent = (int)parent;
    }
    return num_read_u64(rest, &out->start_ticks) > 0;
}

bool process_field_kb(struct slice text, const char *name, uint64_t *bytes) {
    struct slice key = slice_from(name);
    while (text.len) {
        if (slice_starts(text, key) && text.len > key.len && text.ptr[key.len] == ':') {
            uint64_t kb;
            if (!num_read_u64(slice_trim(slice_skip(text, key.len + 1)), &kb) || kb > UINT64_MAX / 1024) return false;
            *bytes = kb * 1024;
            return true;
        }
        size_t end = slice_find_byte(text, '\n');
        if (end == SLICE_NONE) break;
        text = slice_skip(text, end + 1);
    }
    return false;
}

/* When the process began, in ns since boot; 0 if unknown. */
static uint64_t start_since_boot(int pid) {
    struct process_stat stat;
    long per_second = sysconf(_SC_CLK_TCK);
    if (per_second <= 0 || !process_stat_read("/proc", pid, &stat)) return 0;
    uint64_t ticks = stat.start_ticks;
    return ticks / (uint64_t)per_second * 1000000000 + ticks % (uint64_t)per_second * (1000000000 / (uint64_t)per_second);
}

static bool began_later(int pid, uint64_t updated_ns, uint64_t now_ns) {
    struct timespec boot;
    uint64_t start = start_since_boot(pid);
    if (!start || clock_gettime(CLOCK_BOOTTIME, &boot) != 0) return false;
    uint64_t since_boot = (uint64_t)boot.tv_sec * 1000000000 + (uint64_t)boot.tv_nsec;
    if (start > since_boot || now_ns < since_boot - start) return false;
    return now_ns - (since_boot - start) > updated_ns + START_SLACK_NS;
}

enum process_state process_look(int pid, struct slice name, uint64_t updated_ns, uint64_t now_ns) {
    char comm[64];
    if (pid <= 0) return PROCESS_DEAD;
    if (kill(pid, 0) != 0 && errno != EPERM) {
        bool just_now = updated_ns <= now_ns + JUST_NOW_NS && updated_ns + JUST_NOW_NS > now_ns;
        return just_now ? PROCESS_NOT_VISIBLE : PROCESS_DEAD;
    }
    size_t n = read_proc(pid, "comm", comm, sizeof comm);
    if (n && comm[n - 1] == '\n') n--;
    /* a program may rename itself; another name alone proves nothing */
    if (!n || slice_equal(slice_of(comm, n), name)) return PROCESS_ALIVE;
    return began_later(pid, updated_ns, now_ns) ? PROCESS_REPLACED : PROCESS_ALIVE;
}

void process_command(int pid, struct strbuf *out) {
    char text[4096];
    size_t n = read_proc(pid, "cmdline", text, sizeof text);
    while (n && !text[n - 1]) n--;
    for (size_t i = 0; i < n; i++)
        if (!text[i]) text[i] = ' ';
    strbuf_add(out, slice_of(text, n));
}

uint64_t process_rss(int pid) {
    char text[128];
    uint64_t pages;
    struct slice line = slice_of(text, process_read("/proc", pid, "statm", text, sizeof text));
    size_t blank = slice_find_byte(line, ' ');
    if (blank == SLICE_NONE || !num_read_u64(slice_skip(line, blank + 1), &pages)) return 0;
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}
