/* SPDX-License-Identifier: Apache-2.0 */
#include "source/shared.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 1024 };

static void close_file(struct shared_file *file) {
    if (file->fd >= 0) close(file->fd);
    file->fd = -1;
}

/* The name may belong to another file by now, which is then opened. */
static void open_file(struct shared_file *file, int folder) {
    struct stat st;
    if (fstatat(folder, file->name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        file->error = errno;
        close_file(file);
        return;
    }
    if (file->fd >= 0 && st.st_ino == file->inode && st.st_dev == file->device) return;
    close_file(file);
    file->inode = st.st_ino;
    file->device = st.st_dev;
    file->owner = st.st_uid;
    file->error = S_ISREG(st.st_mode) ? 0 : EINVAL;
    if (file->error) return;
    file->fd = openat(folder, file->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file->fd < 0) file->error = errno;
}

static struct shared_file *file_of(struct shared_folder *folder, const char *name, uint64_t number) {
    size_t at = 0;
    while (at < folder->files.len && folder->files.items[at]->number < number) at++;
    for (size_t i = at; i < folder->files.len && folder->files.items[i]->number == number; i++)
        if (strcmp(folder->files.items[i]->name, name) == 0) return folder->files.items[i];
    if (folder->files.len >= MOST_FILES) return NULL;
    struct shared_file *file = mem_zalloc(1, sizeof *file);
    snprintf(file->name, sizeof file->name, "%s", name);
    file->number = number;
    file->fd = -1;
    vec_push(&folder->files, file);
    memmove(&folder->files.items[at + 1], &folder->files.items[at], sizeof *folder->files.items * (folder->files.len - 1 - at));
    return folder->files.items[at] = file;
}

static void forget_unseen(struct shared_folder *folder) {
    size_t kept = 0;
    for (size_t i = 0; i < folder->files.len; i++) {
        struct shared_file *file = folder->files.items[i];
        if (file->seen) {
            folder->files.items[kept++] = file;
            continue;
        }
        close_file(file);
        free(file);
    }
    folder->files.len = kept;
}

void shared_find(struct shared_folder *folder) {
    DIR *dir = opendir(folder->path);
    folder->error = dir ? 0 : errno;
    for (size_t i = 0; i < folder->files.len; i++) folder->files.items[i]->seen = false;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        uint64_t number;
        struct slice name = slice_from(entry->d_name);
        if (name.len >= sizeof folder->files.items[0]->name || !folder->is_name(name, &number)) continue;
        struct shared_file *file = file_of(folder, entry->d_name, number);
        if (!file) continue;
        file->seen = true;
        open_file(file, dirfd(dir));
    }
    forget_unseen(folder);
    if (dir) closedir(dir);
}

static size_t copy(struct shared_file *file, char *out) {
    ssize_t n = pread(file->fd, out, SHARED_COPY, 0);
    if (n < 0) file->error = errno;
    return n > 0 ? (size_t)n : 0;
}

void shared_read(struct shared_folder *folder) {
    for (size_t i = 0; i < folder->files.len; i++) {
        struct shared_file *file = folder->files.items[i];
        file->before_len = file->after_len = 0;
        if (file->fd < 0) continue;
        file->before_len = copy(file, file->before);
        file->after_len = copy(file, file->after);
    }
}

void shared_release(struct shared_folder *folder) {
    for (size_t i = 0; i < folder->files.len; i++) {
        close_file(folder->files.items[i]);
        free(folder->files.items[i]);
    }
    vec_release(&folder->files);
}
