/* SPDX-License-Identifier: Apache-2.0 */
#include "source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/amounts.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "source/decoder.h"
#include "source/guard.h"
#include "source/recoder.h"
#include "source/spool_limit.h"

/* A file below SMALL is read at once: its bytes stay as they were, whatever happens to the file. */
enum { SPOOL_BLOCK = 1 << 20, SMALL = 256 << 10, SAMPLE = 4096 };

static ssize_t read_some(int fd, char *out, size_t room) {
    for (;;) {
        ssize_t n = read(fd, out, room);
        if (n >= 0 || errno != EINTR) return n;
    }
}

int64_t source_read_at(const struct source *source, uint64_t offset, char *out, size_t room) {
    size_t filled = 0;
    if (source->fd < 0) {
        struct slice rest = slice_take(slice_skip(source->bytes, (size_t)offset), room);
        memcpy(out, rest.ptr, rest.len);
        return (int64_t)rest.len;
    }
    while (filled < room) {
        ssize_t n = pread(source->fd, out + filled, room - filled, (off_t)(offset + filled));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        if (n == 0) break;
        filled += (size_t)n;
    }
    return (int64_t)filled;
}

/* Hash of the beginning and end of the file as it was opened. */
static struct hash128 sample_of(const struct source *source) {
    char room[2 * SAMPLE];
    uint64_t size = source->bytes.len, tail = size > SAMPLE ? size - SAMPLE : 0;
    int64_t head = source_read_at(source, 0, room, SAMPLE);
    int64_t rest = head < 0 ? 0 : source_read_at(source, tail, room + head, size < SAMPLE ? (size_t)size : SAMPLE);
    return hash_bytes(slice_of(room, head < 0 ? 0 : (size_t)(head + (rest < 0 ? 0 : rest))));
}

/* For a file to be held: in memory if it is small, else in a guarded mapping, which costs nothing until it is read. */
static int hold(struct source *source, uint64_t size, struct err *err) {
    struct stat st;
    source->bytes = slice_of("", 0);
    source->mapped = true;
    if (fstat(source->fd, &st) == 0) source->changed_at = st.st_mtim;
    if (size <= SMALL) {
        source->copy = mem_alloc(size);
        int64_t n = source_read_at(source, 0, source->copy, size);
        if (n < 0) return err_set_errno(err, ERR_INPUT, "cannot read '%s'", source->path);
        source->bytes = slice_of(source->copy, (size_t)n);
        source->sample = sample_of(source);
        return 0;
    }
    void *memory = guard_map(source->fd, size);
    if (!memory && errno == ENOMEM) mem_exhausted(); /* not a fault of the file */
    if (!memory) return err_set_errno(err, ERR_INPUT, "cannot read '%s'", source->path);
    madvise(memory, size, MADV_SEQUENTIAL);
    source->bytes = slice_of(memory, size);
    source->sample = sample_of(source);
    return 0;
}

enum source_change source_change(const struct source *source) {
    struct stat st;
    if (!source->mapped || !source->bytes.len || source->spooled) return SOURCE_KEPT;
    if (!source->copy && guard_broke(source->bytes.ptr)) return SOURCE_SHRANK;
    if (source->fd < 0
            ? !source->path || stat(source->path, &st) != 0 || st.st_ino != source->inode || st.st_dev != source->device
            : fstat(source->fd, &st) != 0)
        return SOURCE_KEPT; /* a mapping stays with its file, even if another one takes its name */
    if ((uint64_t)st.st_size < source->bytes.len) return SOURCE_SHRANK;
    if (st.st_mtim.tv_sec == source->changed_at.tv_sec && st.st_mtim.tv_nsec == source->changed_at.tv_nsec) return SOURCE_KEPT;
    return hash_equal(sample_of(source), source->sample) ? SOURCE_KEPT : SOURCE_REWRITTEN;
}

const char *source_change_text(const struct source *source) {
    if (source->shrank) return "shrank while it was read: only what comes before its new end counts";
    if (source->kept.problem) return "was read, but " KEPT_TEXT_MISSING;
    switch (source->copy ? SOURCE_KEPT : source_change(source)) {
        case SOURCE_SHRANK:
            return "shrank while it was read: what was looked for beyond its new end is missing";
        case SOURCE_REWRITTEN:
            return "was rewritten while it was read: parts of both may have been read; read it again";
        case SOURCE_KEPT:
            break;
    }
    return NULL;
}

size_t source_sound(const struct source *source) {
    struct stat st;
    size_t size = source->bytes.len, page = (size_t)sysconf(_SC_PAGESIZE);
    if (!source->mapped || source->copy || source->parts) return size;
    size = guard_sound(source->bytes.ptr, size);
    /* the rest of the page in which a file ends now reads as zeros */
    if (source->fd < 0 || fstat(source->fd, &st) != 0 || (uint64_t)st.st_size >= size) return size;
    return size - (size_t)st.st_size < page ? (size_t)st.st_size : size;
}

void source_close_file(struct source *source, bool large) {
    if (source->fd < 0 || !source->mapped || (!source->copy && (!large || source->spooled))) return;
    close(source->fd);
    source->fd = -1;
}

bool source_same_file(const struct source *a, const struct source *b) {
    return a->inode && a->inode == b->inode && a->device == b->device;
}

bool source_replaced(const struct source *source) {
    struct stat held, named;
    if (!source->path || source->fd < 0 || strcmp(source->path, "-") == 0 || fstat(source->fd, &held) != 0) return false;
    if (!S_ISREG(held.st_mode) || !held.st_nlink) return held.st_nlink == 0 && !source->spooled;
    return stat(source->path, &named) != 0 || named.st_ino != held.st_ino || named.st_dev != held.st_dev;
}

/* Reads enough to recognise compression; pipes cannot be rewound, so the bytes are kept for source_read. */
static int read_head(struct source *source, struct err *err) {
    while (source->head_len < sizeof source->head && recoder_needs_more(slice_of(source->head, source->head_len))) {
        ssize_t n = read_some(source->fd, source->head + source->head_len, sizeof source->head - source->head_len);
        if (n < 0) return err_set_errno(err, ERR_INPUT, "cannot read '%s'", source->path);
        if (n == 0) break;
        source->head_len += (size_t)n;
    }
    return 0;
}

static struct {
    int (*check)(const void *context, const char *path, struct err *err);
    const void *context;
} limit;

void source_limit(int (*check)(const void *context, const char *path, struct err *err), const void *context) {
    limit.check = check;
    limit.context = context;
}

static int open_named(struct source *source, struct err *err) {
    struct stat st;
    bool is_stdin = strcmp(source->path, "-") == 0;
    if (limit.check && limit.check(limit.context, source->path, err) != 0) return -1;
    source->fd = is_stdin ? dup(STDIN_FILENO) : open(source->path, O_RDONLY | O_CLOEXEC);
    if (source->fd < 0) return err_set_errno(err, ERR_INPUT, "cannot open '%s'", source->path);
    if (fstat(source->fd, &st) != 0) return err_set_errno(err, ERR_INPUT, "cannot read '%s'", source->path);
    source->device = st.st_dev;
    source->inode = st.st_ino;
    if (S_ISDIR(st.st_mode)) return err_set(err, ERR_INPUT, "%s is a folder, not a log", source->path);
    if (S_ISREG(st.st_mode)) source->file_bytes = (uint64_t)st.st_size;
    if (read_head(source, err) != 0) return -1;
    struct slice head = slice_of(source->head, source->head_len);
    const char *refused = recoder_refused(head);
    if (refused) return err_set(err, ERR_INPUT, "%s is %s, not a log", source->path, refused);
    source->decoder = decoder_for(head);
    source->recoder_known = !source->decoder;
    source->recoder = source->decoder ? NULL : recoder_for(head);
    bool of_kernel = !source->file_bytes && source->head_len; /* as in /proc: its size is not known, it is read like a pipe */
    bool at_start = S_ISREG(st.st_mode) && !of_kernel && lseek(source->fd, 0, SEEK_CUR) == (off_t)source->head_len;
    if (at_start && !source->decoder && !source->recoder) return hold(source, source->file_bytes, err);
    return 0;
}

int source_open(struct source *source, const char *path, struct err *err) {
    *source = (struct source){.path = mem_strdup(path), .fd = -1};
    if (open_named(source, err) == 0) return 0;
    source_release(source);
    return -1;
}

static int64_t read_raw(struct source *source, char *out, size_t room, struct err *err) {
    size_t kept = source->head_len - source->head_used;
    if (kept) {
        size_t n = kept < room ? kept : room;
        memcpy(out, source->head + source->head_used, n);
        source->head_used += n;
        return (int64_t)n;
    }
    ssize_t n = read_some(source->fd, out, room);
    if (n < 0) return err_set_errno(err, ERR_INPUT, "cannot read '%s'", source->path);
    return n;
}

static int64_t read_decoded(struct source *source, char *out, size_t room, struct err *err) {
    struct source_decoder *decoder = source->decoder;
    if (!decoder) return read_raw(source, out, room, err);
    struct slice *pending = decoder_pending(decoder);
    while (!source->cut) {
        size_t written = 0;
        enum decode_state state = decoder_step(decoder, pending, out, room, &written);
        if (state == DECODE_DAMAGED) source->cut = true;
        if (written) return (int64_t)written;
        if (source->cut) break;
        size_t size;
        char *buffer = decoder_buffer(decoder, &size);
        int64_t n = read_raw(source, buffer, size, err);
        if (n < 0) return -1;
        if (n == 0) {
            source->cut = !decoder_at_end(decoder);
            break;
        }
        *pending = slice_of(buffer, (size_t)n);
    }
    return 0;
}

/* Delivers what waits in `text`, of which `used` bytes are already gone. */
static size_t hand_out(const struct strbuf *text, size_t *used, char *out, size_t room) {
    size_t left = text->len - *used, n = left < room ? left : room;
    if (n) memcpy(out, text->data + *used, n);
    *used += n;
    return n;
}

static int64_t read_fresh(struct source *source, char *out, size_t room, struct err *err) {
    struct strbuf *recoded = &source->recoded;
    bool plain = source->recoder_known && !source->recoder;
    while (!plain && source->recoded_used == recoded->len && !source->recoder_ended) {
        if (!source->coded) source->coded = mem_alloc(SPOOL_BLOCK);
        int64_t n = read_decoded(source, source->coded, SPOOL_BLOCK, err);
        if (n < 0) return n;
        struct slice coded = slice_of(source->coded, (size_t)n);
        if (!source->recoder_known) source->recoder = recoder_for(coded); /* compressed: only now is its text visible */
        source->recoder_known = true;
        plain = !source->recoder;
        source->recoder_ended = n == 0;
        strbuf_clear(recoded);
        source->recoded_used = 0;
        if (plain) strbuf_add(recoded, coded);
        else recoder_take(source->recoder, coded, n == 0, recoded);
    }
    if (source->recoded_used < recoded->len) return (int64_t)hand_out(recoded, &source->recoded_used, out, room);
    return plain ? read_decoded(source, out, room, err) : 0;
}

enum { SAMPLED = 4096, ODD_PERCENT = 3, LEAST_SAMPLED = 16 };

static void sample(struct slice bytes, uint32_t *sampled, uint32_t *odd) {
    static const char of_terminals[] = "\a\b\t\n\v\f\r\x1b";
    for (size_t i = 0; i < bytes.len && *sampled < SAMPLED; i++, ++*sampled) {
        unsigned char c = (unsigned char)bytes.ptr[i];
        *odd += c == 0x7f || (c && c < ' ' && !memchr(of_terminals, c, sizeof of_terminals - 1));
    }
}

bool source_is_binary(const struct source *source) {
    uint32_t sampled = source->sampled, odd = source->odd;
    if (source->mapped) {
        sampled = odd = 0;
        sample(slice_take(source->bytes, SAMPLED), &sampled, &odd);
    }
    return sampled >= LEAST_SAMPLED && odd * 100 > sampled * ODD_PERCENT;
}

static int64_t read_unfiltered(struct source *source, char *out, size_t room, struct err *err) {
    size_t kept = source->peeked_len - source->peeked_used, take = kept < room ? kept : room;
    int64_t n = kept ? (int64_t)take : read_fresh(source, out, room, err);
    if (kept) memcpy(out, source->peeked + source->peeked_used, take);
    source->peeked_used += take;
    if (n > 0 && source->sampled < SAMPLED) sample(slice_of(out, (size_t)n), &source->sampled, &source->odd);
    return n;
}

int64_t source_read(struct source *source, char *out, size_t room, struct err *err) {
    struct source_filter *filter = &source->filter;
    if (!filter->context) return read_unfiltered(source, out, room, err);
    while (source->filtered_used == source->filtered.len && !source->filter_ended) {
        int64_t n = read_unfiltered(source, out, room, err);
        if (n < 0) return n;
        strbuf_clear(&source->filtered);
        source->filtered_used = 0;
        source->filter_ended = n == 0;
        filter->take(filter->context, slice_of(out, (size_t)n), n == 0, &source->filtered);
    }
    return (int64_t)hand_out(&source->filtered, &source->filtered_used, out, room);
}

int source_peek(struct source *source, struct slice *head, struct err *err) {
    *head = slice_take(source->bytes, SOURCE_PEEK);
    if (source->mapped) return 0;
    int64_t n = 1;
    if (!source->peeked) source->peeked = mem_alloc(SOURCE_PEEK);
    while (n > 0 && source->peeked_len < SOURCE_PEEK) {
        n = read_fresh(source, source->peeked + source->peeked_len, SOURCE_PEEK - source->peeked_len, err);
        if (n > 0) source->peeked_len += (size_t)n;
    }
    *head = slice_of(source->peeked, source->peeked_len);
    return n < 0 ? -1 : 0;
}

int source_spool(struct source *source, const char *folder, struct err *err) {
    if (source->mapped) return 0;
    if (spool_limit_check(err) != 0) return -1;
    size_t size = strlen(folder) + sizeof "/.ttmem-spool-XXXXXX";
    char *name = mem_alloc(size);
    snprintf(name, size, "%s/.ttmem-spool-XXXXXX", folder);
    int spool = mkostemp(name, O_CLOEXEC);
    if (spool < 0) err_set_errno(err, ERR_OUTPUT, "cannot write to '%s'", folder);
    else unlink(name);
    free(name);
    if (spool < 0) return -1;
    char *block = mem_alloc(SPOOL_BLOCK);
    const uint64_t most = spool_limit();
    uint64_t total = 0;
    int64_t n;
    int rc = 0;
    while (rc == 0 && (n = source_read(source, block, SPOOL_BLOCK, err)) != 0) {
        total += n < 0 ? 0 : (uint64_t)n;
        if (total > most)
            rc = err_set(
                err, ERR_INPUT, "%s holds more than %s, the most that is kept on disk while it is read; %s allows more",
                strcmp(source->path, "-") == 0 ? "the input" : source->path, figure_bytes(most).text, spool_limit_names());
        else rc = n < 0 ? -1 : write_all(spool, slice_of(block, (size_t)n), err);
    }
    free(block);
    if (rc != 0) {
        close(spool);
        return -1;
    }
    close(source->fd);
    source->fd = spool;
    source->spooled = true;
    return hold(source, total, err);
}

void source_looked_at(const struct source *source, struct slice bytes) {
    enum { PAGE = 4096 };
    uintptr_t from = ((uintptr_t)bytes.ptr + PAGE - 1) / PAGE * PAGE, until = (uintptr_t)(bytes.ptr + bytes.len) / PAGE * PAGE;
    if (source->mapped && !source->copy && until > from) madvise((void *)from, until - from, MADV_DONTNEED);
}

struct hash128 source_hash(const struct source *source) {
    enum { PIECE = 8 << 20 };
    struct hash_stream *stream = hash_stream_new();
    for (size_t at = 0; at < source->bytes.len; at += PIECE) {
        struct slice piece = slice_take(slice_skip(source->bytes, at), PIECE);
        hash_stream_add(stream, piece);
        source_looked_at(source, piece);
    }
    return hash_stream_end(stream);
}

void source_release(struct source *source) {
    if (source->parts) source_unjoin(source);
    else if (source->mapped && source->bytes.len && !source->copy)
        guard_unmap((void *)(uintptr_t)source->bytes.ptr, source->bytes.len);
    free(source->copy);
    if (source->fd >= 0) close(source->fd);
    decoder_free(source->decoder);
    recoder_free(source->recoder);
    free(source->coded);
    strbuf_release(&source->recoded);
    free(source->peeked);
    if (source->filter.context) source->filter.release(source->filter.context);
    strbuf_release(&source->filtered);
    kept_text_release(&source->kept);
    free(source->path);
    *source = (struct source){.fd = -1};
}
