#include "source/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"

/* A process that wrote within this time and cannot be seen is taken for one of another namespace. */
#define JUST_NOW_NS ((uint64_t)3000000000)
/* The start of a process is known to a hundredth of a second, the boot time to a second. */
#define START_SLACK_NS ((uint64_t)2000000000)

static size_t read_proc(int pid, const char *what, char *out, size_t room) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, what);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t n = read(fd, out, room);
    close(fd);
    return n > 0 ? (size_t)n : 0;
}

/* When the process began, in ns since boot; 0 when it cannot be told. Field 22 behind the name, which may hold anything. */
static uint64_t start_since_boot(int pid) {
    char text[1024];
    struct slice rest = slice_of(text, read_proc(pid, "stat", text, sizeof text));
    const char *name_end = rest.len ? memrchr(rest.ptr, ')', rest.len) : NULL;
    long per_second = sysconf(_SC_CLK_TCK);
    uint64_t ticks;
    if (!name_end || per_second <= 0) return 0;
    rest = slice_between(name_end + 1, rest.ptr + rest.len);
    for (int field = 2; field < 22; field++) {
        size_t blank = slice_find_byte(rest, ' ');
        if (blank == SLICE_NONE) return 0;
        rest = slice_skip(rest, blank + 1);
    }
    if (!num_read_u64(rest, &ticks)) return 0;
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
