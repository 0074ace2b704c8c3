/* SPDX-License-Identifier: Apache-2.0 */
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

enum { MAX_OPEN = 64, LONGEST_WAIT_MS = 200, LONGEST_HOLD_MS = 10000 };

/* Temporary names for the signal handler; a slot is NULL or a name that stays valid while it is there. */
static _Atomic(char *) unfinished[MAX_OPEN];

static atomic_bool ending;
static atomic_int creating; /* number of files being created */
static atomic_bool holding; /* a thread exchanges files */
static _Thread_local bool holds;
static sigset_t before_hold;

static void remember(char *name) {
    for (int i = 0; i < MAX_OPEN; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&unfinished[i], &none, name)) return;
    }
}

static void forget(char *name) {
    for (int i = 0; i < MAX_OPEN; i++) {
        char *expected = name;
        if (atomic_compare_exchange_strong(&unfinished[i], &expected, NULL)) return;
    }
}

int outfile_put(const char *path, struct slice bytes, struct err *err) {
    struct outfile file;
    if (outfile_open(&file, path, err) != 0) return -1;
    if (outfile_write(&file, bytes, err) == 0 && outfile_commit(&file, err) == 0) return 0;
    outfile_abort(&file);
    return -1;
}

void outfile_abort_all(void) {
    atomic_store(&ending, true);
    /* another thread may be creating a file. If it is this one, it never continues, so the wait is limited */
    for (int i = 0; i < LONGEST_WAIT_MS && atomic_load(&creating); i++) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    for (int i = 0; !holds && i < LONGEST_HOLD_MS && atomic_load(&holding); i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    for (int i = 0; i < MAX_OPEN; i++) {
        char *name = atomic_load(&unfinished[i]);
        if (name) unlink(name);
    }
}

/* The signal is delivered afterwards, or another thread that gets it waits. */
void outfile_hold(void) {
    sigset_t all;
    sigfillset(&all);
    static const int faults[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_BLOCK, &all, &before_hold);
    holds = true;
    atomic_store(&holding, true);
    while (atomic_load(&ending)) pause(); /* it was too late: the files are gone */
}

void outfile_let_go(void) {
    atomic_store(&holding, false);
    holds = false;
    pthread_sigmask(SIG_SETMASK, &before_hold, NULL);
}

/* The mask can only be read by changing it for all threads, so this is done once. */
static pthread_once_t mask_once = PTHREAD_ONCE_INIT;
static mode_t mask;

static void read_mask(void) {
    mask = umask(0);
    umask(mask);
}

int outfile_open(struct outfile *file, const char *path, struct err *err) {
    return outfile_open_as(file, path, ".ttmem-", err);
}

/* Hidden and short beside the file, so that any legal name works. */
static char *temporary_name(const char *path, const char *prefix) {
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash + 1 - path) : 0, size = folder + strlen(prefix) + sizeof "XXXXXX";
    char *name = mem_alloc(size);
    memcpy(name, path, folder);
    snprintf(name + folder, size - folder, "%sXXXXXX", prefix);
    return name;
}

int outfile_open_as(struct outfile *file, const char *path, const char *prefix, struct err *err) {
    *file = (struct outfile){.path = mem_strdup(path), .fd = STDOUT_FILENO};
    if (strcmp(path, "-") == 0) return 0;
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        /* /dev/null, a pipe: nothing to rename */
        file->fd = open(path, O_WRONLY | O_CLOEXEC);
        if (file->fd < 0) err_set_errno(err, ERR_OUTPUT, "cannot write '%s'", path);
        if (file->fd >= 0) return 0;
        free(file->path);
        return -1;
    }
    file->temporary = temporary_name(path, prefix);
    /* first, so that a signal handler finds the file under any name; a handler that comes too late for it waits for the end */
    remember(file->temporary);
    atomic_fetch_add(&creating, 1);
    if (!atomic_load(&ending)) file->fd = mkostemp(file->temporary, O_CLOEXEC);
    atomic_fetch_sub(&creating, 1);
    if (atomic_load(&ending)) {
        if (file->fd > STDERR_FILENO) unlink(file->temporary);
        for (;;) pause();
    }
    if (file->fd < 0) {
        err_set_errno(err, ERR_OUTPUT, "cannot write '%s'", path);
        forget(file->temporary);
        free(file->temporary);
        free(file->path);
        return -1;
    }
    pthread_once(&mask_once, read_mask);
    fchmod(file->fd, 0666 & ~mask);
    return 0;
}

/* The kernel refuses to write from a mapping whose file was cut, but a read of it is repaired (source/guard.h). */
static void touch(struct slice bytes) {
    enum { LEAST_PAGE = 4096 };
    for (size_t i = 0; i < bytes.len; i += LEAST_PAGE) (void)*(const volatile char *)(bytes.ptr + i);
    (void)*(const volatile char *)(bytes.ptr + bytes.len - 1);
}

int write_all(int fd, struct slice bytes, struct err *err) {
    for (bool touched = false; bytes.len;) {
        ssize_t n = write(fd, bytes.ptr, bytes.len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EFAULT && !touched) {
            touch(bytes);
            touched = true;
            continue;
        }
        if (n < 0 && errno == EPIPE) return err_set(err, ERR_OUTPUT, "%s", "");
        if (n < 0) return err_set_errno(err, ERR_OUTPUT, "cannot write output");
        bytes = slice_skip(bytes, (size_t)n);
    }
    return 0;
}

int outfile_write(struct outfile *file, struct slice bytes, struct err *err) {
    file->written += bytes.len;
    if (write_all(file->fd, bytes, err) == 0) return 0;
    if ((err && !err->text[0]) || file->fd == STDOUT_FILENO) return -1;
    return err_set_errno(err, ERR_OUTPUT, "cannot write '%s'", file->path);
}

int outfile_sync(struct outfile *file, struct err *err) {
    if (!file->temporary || fsync(file->fd) == 0) return 0;
    return err_set_errno(err, ERR_OUTPUT, "cannot write '%s'", file->path);
}

static void release(struct outfile *file) {
    if (file->temporary) forget(file->temporary);
    free(file->temporary);
    free(file->path);
    *file = (struct outfile){.fd = -1};
}

int outfile_finish(struct outfile *file, struct err *err) {
    int fd = file->fd;
    if (fd <= STDERR_FILENO) return 0;
    file->fd = -1;
    return close(fd) == 0 ? 0 : err_set_errno(err, ERR_OUTPUT, "cannot write '%s'", file->path);
}

int outfile_take_over(struct outfile *file, struct err *err) {
    struct stat st, own;
    if (!file->temporary || stat(file->path, &st) != 0 || fstat(file->fd, &own) != 0) return 0;
    /* the owner first, because changing it clears the set-user bits */
    bool same = own.st_uid == st.st_uid && own.st_gid == st.st_gid;
    if (!same && fchown(file->fd, st.st_uid, st.st_gid) != 0)
        return err_set_errno(err, ERR_OUTPUT, "cannot keep the owner of '%s'", file->path);
    if (fchmod(file->fd, st.st_mode & 07777) != 0)
        return err_set_errno(err, ERR_OUTPUT, "cannot keep the mode of '%s'", file->path);
    return 0;
}

int outfile_commit(struct outfile *file, struct err *err) {
    int rc = outfile_finish(file, err);
    if (file->temporary) {
        if (rc == 0 && rename(file->temporary, file->path) != 0)
            rc = err_set_errno(err, ERR_OUTPUT, "cannot write '%s'", file->path);
        if (rc != 0) unlink(file->temporary);
    }
    release(file);
    return rc;
}

/* If two files cannot be exchanged, the replaced one gets a second name first. */
static bool swap_by_link(struct outfile *file) {
    size_t size = strlen(file->temporary) + sizeof "~";
    char *kept = mem_alloc(size);
    snprintf(kept, size, "%s~", file->temporary);
    remember(kept);
    if (link(file->path, kept) == 0 && rename(file->temporary, file->path) == 0) {
        forget(file->temporary);
        free(file->temporary);
        file->temporary = kept;
        return true;
    }
    unlink(kept);
    forget(kept);
    free(kept);
    return false;
}

int outfile_swap(struct outfile *file, struct err *err) {
    struct stat st;
    if (!file->temporary) return outfile_finish(file, err);
    if (outfile_finish(file, err) != 0) return -1;
    bool replaces = lstat(file->path, &st) == 0 && S_ISREG(st.st_mode);
    if (replaces && renameat2(AT_FDCWD, file->temporary, AT_FDCWD, file->path, RENAME_EXCHANGE) == 0) return 0;
    if (replaces && swap_by_link(file)) return 0;
    if (rename(file->temporary, file->path) != 0) return err_set_errno(err, ERR_OUTPUT, "cannot write '%s'", file->path);
    forget(file->temporary);
    free(file->temporary);
    file->temporary = NULL;
    return 0;
}

void outfile_abort(struct outfile *file) {
    if (file->fd > STDERR_FILENO) close(file->fd);
    if (file->temporary) unlink(file->temporary);
    release(file);
}

int make_folders(const char *path, struct err *err) {
    char *copy = mem_strdup(path);
    int rc = 0;
    for (char *slash = copy + 1; rc == 0; slash++) {
        char c = *slash;
        if (c != '/' && c != '\0') continue;
        *slash = '\0';
        struct stat st;
        if (mkdir(copy, 0777) != 0 && errno != EEXIST) rc = err_set_errno(err, ERR_OUTPUT, "cannot create folder '%s'", copy);
        else if (stat(copy, &st) == 0 && !S_ISDIR(st.st_mode)) rc = err_set(err, ERR_OUTPUT, "%s is not a folder", copy);
        *slash = c;
        if (c == '\0') break;
    }
    free(copy);
    return rc;
}
