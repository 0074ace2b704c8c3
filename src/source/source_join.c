/* SPDX-License-Identifier: Apache-2.0 */
/* Several held files as one range of memory: code that refers to bytes of a log by offset does not need to know about files. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "source/guard.h"
#include "source/source.h"

static size_t pages_of(size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

/* A file whose descriptor was closed; -1 if the name belongs to another file by now. */
static int open_again(const struct source *file) {
    struct stat st;
    int fd = open(file->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || (fstat(fd, &st) == 0 && st.st_ino == file->inode && st.st_dev == file->device)) return fd;
    close(fd);
    return -1;
}

/* Small files are copied as they were when they were opened; the others are mapped. */
static int put(struct source_part *part, const struct source *file, char *at, struct err *err) {
    if (file->copy) {
        memcpy(at, file->copy, part->size);
        return 0;
    }
    int again = file->fd >= 0 ? -1 : open_again(file);
    bool mapped = part->size && (file->fd >= 0 || again >= 0) && guard_map_at(again >= 0 ? again : file->fd, part->size, at);
    int why = errno;
    if (again >= 0) close(again);
    if (!mapped && file->fd < 0) memcpy(at, file->bytes.ptr, part->size); /* another file has the name by now */
    errno = why;
    if (part->size && !mapped && file->fd >= 0 && errno == ENOMEM) mem_exhausted();
    if (part->size && !mapped && file->fd >= 0)
        return err_set_errno(err, ERR_INPUT, "cannot read '%s' beside the others", file->path);
    part->guarded = mapped;
    return 0;
}

int source_join(struct source *out, const struct source *files, size_t count, uint64_t *offsets, struct err *err) {
    size_t range = 0, used = 0;
    struct source_part *parts = mem_zalloc(count + 1, sizeof *parts);
    for (size_t i = 0; i < count; i++) {
        parts[i] = (struct source_part){.offset = range, .size = files[i].bytes.len};
        offsets[i] = range;
        used = range + parts[i].size;
        range += pages_of(parts[i].size);
    }
    char *memory = range ? mmap(NULL, range, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) : NULL;
    if (memory == MAP_FAILED) {
        free(parts);
        if (errno == ENOMEM) mem_exhausted();
        return err_set_errno(err, ERR_INPUT, "cannot read %zu files together", count);
    }
    *out = (struct source){.path = mem_strdup(count ? files[0].path : ""),
                           .fd = -1,
                           .mapped = true,
                           .bytes = slice_of(range ? memory : "", used),
                           .parts = parts,
                           .part_count = count,
                           .range_bytes = range};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++) rc = put(&parts[i], &files[i], memory + offsets[i], err);
    if (rc != 0) source_release(out);
    return rc;
}

void source_unjoin(struct source *source) {
    char *memory = (char *)(uintptr_t)source->bytes.ptr;
    for (size_t i = 0; i < source->part_count; i++)
        if (source->parts[i].guarded) guard_unmap(memory + source->parts[i].offset, source->parts[i].size);
    if (source->range_bytes) munmap(memory, source->range_bytes);
    free(source->parts);
}
