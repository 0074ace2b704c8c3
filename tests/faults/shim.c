/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into ttmem: the TTMEM_FAULT_AT-th call of TTMEM_FAULT (malloc, read, write, open, rename, fsync) fails, or ends the
 * process where TTMEM_FAULT_KILL is set. Without a number the calls are counted and written to TTMEM_FAULT_COUNT. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *ptr, size_t size);

static char kind[16], count_file[512];
static long at = -1;
static bool kills, ready;
static atomic_long calls;

__attribute__((constructor)) static void begin(void) {
    const char *k = getenv("TTMEM_FAULT"), *n = getenv("TTMEM_FAULT_AT"), *f = getenv("TTMEM_FAULT_COUNT");
    if (k) strncpy(kind, k, sizeof kind - 1);
    if (n) at = atol(n);
    if (f) strncpy(count_file, f, sizeof count_file - 1);
    kills = getenv("TTMEM_FAULT_KILL") != NULL;
    ready = k != NULL;
}

__attribute__((destructor)) static void end(void) {
    ready = false;
    FILE *out = count_file[0] ? fopen(count_file, "w") : NULL;
    if (out) fprintf(out, "%ld\n", atomic_load(&calls)), fclose(out);
}

static bool fails(const char *what) {
    if (!ready || strcmp(what, kind) != 0) return false;
    if (atomic_fetch_add(&calls, 1) + 1 != at) return false;
    if (kills) raise(SIGKILL);
    return true;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

void *malloc(size_t size) { return fails("malloc") ? (errno = ENOMEM, NULL) : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails("malloc") ? (errno = ENOMEM, NULL) : __libc_calloc(count, size); }
void *realloc(void *ptr, size_t size) { return fails("malloc") ? (errno = ENOMEM, NULL) : __libc_realloc(ptr, size); }

ssize_t read(int fd, void *out, size_t room) { return fails("read") ? (errno = EIO, -1) : REAL(read)(fd, out, room); }
ssize_t pread(int fd, void *out, size_t room, off_t offset) {
    return fails("read") ? (errno = EIO, -1) : REAL(pread)(fd, out, room, offset);
}
ssize_t pread64(int fd, void *out, size_t room, off_t offset) { return pread(fd, out, room, offset); }
/* what is said on stderr is not part of the fault */
ssize_t write(int fd, const void *bytes, size_t len) {
    return fd != STDERR_FILENO && fails("write") ? (errno = ENOSPC, -1) : REAL(write)(fd, bytes, len);
}
/* Where renames fail, files cannot change places either: what follows is a plain rename, which is the one that is counted. */
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    if (ready && strcmp(kind, "rename") == 0 && !kills) {
        errno = EINVAL;
        return -1;
    }
    return fails("rename") ? (errno = EIO, -1) : REAL(renameat2)(from_folder, from, to_folder, to, flags);
}
int rename(const char *from, const char *to) { return fails("rename") ? (errno = EIO, -1) : REAL(rename)(from, to); }
int fsync(int fd) { return fails("fsync") ? (errno = EIO, -1) : REAL(fsync)(fd); }

int open(const char *path, int flags, ...) {
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(args, int) : 0;
    va_end(args);
    return fails("open") ? (errno = EMFILE, -1) : REAL(open)(path, flags, mode);
}
