/* SPDX-License-Identifier: Apache-2.0 */
#include "source/kept_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "source/spool_limit.h"

enum { BLOCK = 256 << 10 };

void kept_text_init(struct kept_text *kept, const char *folder) { *kept = (struct kept_text){.folder = folder, .fd = -1}; }

static bool make_file(struct kept_text *kept) {
    size_t size = strlen(kept->folder) + sizeof "/.ttmem-kept-XXXXXX";
    char *name = mem_alloc(size);
    snprintf(name, size, "%s/.ttmem-kept-XXXXXX", kept->folder);
    kept->fd = mkostemp(name, O_CLOEXEC);
    if (kept->fd < 0) kept->problem = errno;
    else unlink(name);
    kept->most = spool_limit();
    free(name);
    return kept->open = kept->fd >= 0;
}

static void write_part(struct kept_text *kept, uint64_t offset, struct slice part) {
    for (size_t done = 0; done < part.len && !kept->problem;) {
        ssize_t n = pwrite(kept->fd, part.ptr + done, part.len - done, (off_t)(offset + done));
        if (n < 0 && errno != EINTR) kept->problem = errno;
        if (n > 0) done += (size_t)n;
    }
}

/* Lines of a module are kept one by one, and there may be millions. */
static void flush(struct kept_text *kept) {
    write_part(kept, kept->block_at, slice_of(kept->block, kept->block_len));
    kept->block_len = 0;
}

void kept_text_add(struct kept_text *kept, uint64_t offset, struct slice part) {
    if (!kept->folder || kept->problem || !part.len) return;
    if (!kept->open && !make_file(kept)) return;
    kept->bytes += part.len;
    if (kept->bytes > kept->most) kept->problem = EFBIG;
    bool goes_on = offset == kept->block_at + kept->block_len && part.len <= BLOCK - kept->block_len;
    if (!goes_on) flush(kept);
    if (part.len > BLOCK) {
        write_part(kept, offset, part);
        return;
    }
    if (!kept->block) kept->block = mem_alloc(BLOCK);
    if (!kept->block_len) kept->block_at = offset;
    memcpy(kept->block + kept->block_len, part.ptr, part.len);
    kept->block_len += part.len;
}

struct slice kept_text_map(struct kept_text *kept, uint64_t size) {
    flush(kept);
    if (!kept->open || kept->problem || !size) return slice_of("", 0);
    void *memory = ftruncate(kept->fd, (off_t)size) == 0 ? mmap(NULL, size, PROT_READ, MAP_SHARED, kept->fd, 0) : MAP_FAILED;
    if (memory == MAP_FAILED) kept->problem = errno;
    else kept->whole = slice_of(memory, size);
    return memory == MAP_FAILED ? slice_of("", 0) : kept->whole;
}

void kept_text_release(struct kept_text *kept) {
    if (kept->whole.len) munmap((void *)(uintptr_t)kept->whole.ptr, kept->whole.len);
    if (kept->open) close(kept->fd);
    free(kept->block);
    *kept = (struct kept_text){.fd = -1};
}
