/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into ttmem: the TTMEM_FAULT_AT-th call of kind TTMEM_FAULT fails, or ends the process where TTMEM_FAULT_KILL is
 * set. Kinds: malloc, read, write, open, rename, fsync, and move, a rename on a file system that cannot exchange two files. The
 * calls of all kinds are counted and, at the end, written to TTMEM_FAULT_COUNT as "kind number" lines. Children of the program
 * are left alone.
 *
 * The file TTMEM_CUT is cut to TTMEM_CUT_TO bytes as soon as the program has mapped it for the TTMEM_CUT_AT-th time. */
#include <dirent.h>
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
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *ptr, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

enum kind { MALLOC, READ, WRITE, OPEN, RENAME, FSYNC, MOVE, KINDS };
static const char *const names[KINDS] = {"malloc", "read", "write", "open", "rename", "fsync", "move"};

static char count_file[512];
static long at = -1;
static enum kind chosen = KINDS;
static bool ready;
static int kills; /* with this signal instead of failing; 0: with none */
static pid_t self;
static atomic_long calls[KINDS];

__attribute__((constructor)) static void begin(void) {
    const char *k = getenv("TTMEM_FAULT"), *n = getenv("TTMEM_FAULT_AT"), *f = getenv("TTMEM_FAULT_COUNT");
    for (int i = 0; k && i < KINDS; i++)
        if (strcmp(k, names[i]) == 0) chosen = (enum kind)i;
    if (n) at = atol(n);
    if (f) strncpy(count_file, f, sizeof count_file - 1);
    if (getenv("TTMEM_FAULT_KILL")) kills = atoi(getenv("TTMEM_FAULT_KILL"));
    self = getpid();
    unsetenv("LD_PRELOAD");
    ready = true;
}

__attribute__((destructor)) static void end(void) {
    ready = false;
    FILE *out = count_file[0] && getpid() == self ? fopen(count_file, "w") : NULL;
    for (int i = 0; out && i < KINDS; i++) fprintf(out, "%s %ld\n", names[i], atomic_load(&calls[i]));
    if (out) fclose(out);
}

static bool fails(enum kind kind) {
    if (!ready) return false;
    long number = atomic_fetch_add(&calls[kind], 1) + 1;
    if (kind != chosen || number != at || getpid() != self) return false;
    if (kills) raise(kills);
    return !kills;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAIL(number, value) (errno = (number), (value))

void *malloc(size_t size) { return fails(MALLOC) ? FAIL(ENOMEM, NULL) : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails(MALLOC) ? FAIL(ENOMEM, NULL) : __libc_calloc(count, size); }
void *realloc(void *ptr, size_t size) { return fails(MALLOC) ? FAIL(ENOMEM, NULL) : __libc_realloc(ptr, size); }
void *aligned_alloc(size_t alignment, size_t size) {
    return fails(MALLOC) ? FAIL(ENOMEM, NULL) : __libc_memalign(alignment, size);
}

ssize_t read(int fd, void *out, size_t room) { return fails(READ) ? FAIL(EIO, -1) : REAL(read)(fd, out, room); }
ssize_t pread(int fd, void *out, size_t room, off_t offset) {
    return fails(READ) ? FAIL(EIO, -1) : REAL(pread)(fd, out, room, offset);
}
ssize_t pread64(int fd, void *out, size_t room, off_t offset) { return pread(fd, out, room, offset); }
size_t fread(void *out, size_t size, size_t count, FILE *file) {
    enum { IO_ERROR = 0x20 }; /* what ferror looks at in glibc */
    if (!fails(READ)) return REAL(fread)(out, size, count, file);
    file->_flags |= IO_ERROR;
    return FAIL(EIO, 0);
}

/* What is said on stderr is not part of the fault. Neither are counters with which threads wake each other (eventfd: a file of
 * no kind): no disk and no peer can make those fail. */
static bool may_fail(int fd) {
    struct stat info;
    return fd != STDERR_FILENO && !(fstat(fd, &info) == 0 && !(info.st_mode & S_IFMT));
}

ssize_t write(int fd, const void *bytes, size_t len) {
    return may_fail(fd) && fails(WRITE) ? FAIL(ENOSPC, -1) : REAL(write)(fd, bytes, len);
}
ssize_t pwrite(int fd, const void *bytes, size_t len, off_t offset) {
    return fails(WRITE) ? FAIL(ENOSPC, -1) : REAL(pwrite)(fd, bytes, len, offset);
}
ssize_t pwrite64(int fd, const void *bytes, size_t len, off_t offset) { return pwrite(fd, bytes, len, offset); }

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    if (chosen == MOVE) return FAIL(EINVAL, -1);
    return fails(RENAME) ? FAIL(EIO, -1) : REAL(renameat2)(from_folder, from, to_folder, to, flags);
}
int rename(const char *from, const char *to) {
    return fails(chosen == MOVE ? MOVE : RENAME) ? FAIL(EIO, -1) : REAL(rename)(from, to);
}
int fsync(int fd) { return fails(FSYNC) ? FAIL(EIO, -1) : REAL(fsync)(fd); }
int fdatasync(int fd) { return fails(FSYNC) ? FAIL(EIO, -1) : REAL(fdatasync)(fd); }

#define TAKE_MODE(flags, mode)                                                     \
    va_list args;                                                                  \
    va_start(args, flags);                                                         \
    mode_t mode = (flags) & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(args, int) : 0; \
    va_end(args)

int open(const char *path, int flags, ...) {
    TAKE_MODE(flags, mode);
    return fails(OPEN) ? FAIL(EMFILE, -1) : REAL(open)(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    TAKE_MODE(flags, mode);
    return fails(OPEN) ? FAIL(EMFILE, -1) : REAL(open)(path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...) {
    TAKE_MODE(flags, mode);
    return fails(OPEN) ? FAIL(EMFILE, -1) : REAL(openat)(folder, path, flags, mode);
}
int __open_2(const char *path, int flags) { return fails(OPEN) ? FAIL(EMFILE, -1) : REAL(open)(path, flags); }
FILE *fopen(const char *path, const char *mode) { return fails(OPEN) ? FAIL(EMFILE, NULL) : REAL(fopen)(path, mode); }
DIR *opendir(const char *path) { return fails(OPEN) ? FAIL(EMFILE, NULL) : REAL(opendir)(path); }
void *mmap(void *address, size_t size, int access, int flags, int fd, off_t offset) {
    void *memory = (void *)syscall(SYS_mmap, address, size, access, flags, fd, offset);
    const char *victim = fd >= 0 && ready ? getenv("TTMEM_CUT") : NULL, *to = getenv("TTMEM_CUT_TO");
    const char *when = getenv("TTMEM_CUT_AT");
    static atomic_long mappings;
    struct stat mapped, named;
    if (victim && to && fstat(fd, &mapped) == 0 && stat(victim, &named) == 0 && mapped.st_ino == named.st_ino &&
        mapped.st_dev == named.st_dev && atomic_fetch_add(&mappings, 1) + 1 == (when ? atol(when) : 1) &&
        truncate(victim, atol(to)) != 0)
        abort();
    return memory;
}
void *mmap64(void *address, size_t size, int access, int flags, int fd, off_t offset) {
    return mmap(address, size, access, flags, fd, offset);
}

int mkostemp(char *name, int flags) { return fails(OPEN) ? FAIL(EMFILE, -1) : REAL(mkostemp)(name, flags); }
