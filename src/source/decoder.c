/* SPDX-License-Identifier: Apache-2.0 */
#include "source/decoder.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/mem.h"

enum { INPUT_BYTES = 256 << 10, GZIP_WINDOW = 15 + 16 };

struct source_decoder {
    enum decode_state (*step)(struct source_decoder *, struct slice *, char *, size_t, size_t *);
    void (*end)(struct source_decoder *);
    z_stream gzip;
    ZSTD_DStream *zstd;
    bool at_end;
    struct slice pending;
    char input[INPUT_BYTES];
};

static enum decode_state gzip_step(struct source_decoder *d, struct slice *in, char *out, size_t room, size_t *written) {
    *written = 0;
    while (in->len && *written < room) {
        if (d->at_end) {
            /* another member, or padding after the last one */
            if ((unsigned char)in->ptr[0] != 0x1f) {
                *in = slice_skip(*in, in->len);
                return DECODE_MORE_INPUT;
            }
            inflateReset(&d->gzip);
            d->at_end = false;
        }
        d->gzip.next_in = (unsigned char *)(uintptr_t)in->ptr;
        d->gzip.avail_in = (unsigned)in->len;
        d->gzip.next_out = (unsigned char *)out + *written;
        d->gzip.avail_out = (unsigned)(room - *written);
        int rc = inflate(&d->gzip, Z_NO_FLUSH);
        *written = room - d->gzip.avail_out;
        *in = slice_skip(*in, in->len - d->gzip.avail_in);
        if (rc == Z_STREAM_END) d->at_end = true;
        else if (rc == Z_MEM_ERROR) mem_exhausted();
        else if (rc != Z_OK && rc != Z_BUF_ERROR) return DECODE_DAMAGED;
        else if (rc == Z_BUF_ERROR) break;
    }
    return *written == room ? DECODE_OUTPUT_FULL : DECODE_MORE_INPUT;
}

static void gzip_end(struct source_decoder *d) { inflateEnd(&d->gzip); }

static enum decode_state zstd_step(struct source_decoder *d, struct slice *in, char *out, size_t room, size_t *written) {
    *written = 0;
    if (!in->len && d->at_end) return DECODE_MORE_INPUT; /* another call would begin a frame */
    ZSTD_inBuffer input = {in->ptr, in->len, 0};
    ZSTD_outBuffer output = {out, room, 0};
    size_t rc = 1;
    do {
        size_t before_in = input.pos, before_out = output.pos;
        rc = ZSTD_decompressStream(d->zstd, &output, &input);
        d->at_end = rc == 0;
        if (ZSTD_isError(rc)) {
            output.pos = before_out; /* output of a failed call means nothing */
            break;
        }
        if (input.pos == before_in && output.pos == before_out) break;
    } while (output.pos < room && (input.pos < input.size || rc > 0));
    *written = output.pos;
    if (in->len) *in = slice_skip(*in, input.pos);
    if (ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation) mem_exhausted();
    if (ZSTD_isError(rc)) return DECODE_DAMAGED;
    return output.pos == room ? DECODE_OUTPUT_FULL : DECODE_MORE_INPUT;
}

static void zstd_end(struct source_decoder *d) { ZSTD_freeDStream(d->zstd); }

struct source_decoder *decoder_for(struct slice head) {
    bool gzip = slice_starts(head, SLICE("\x1f\x8b"));
    if (!gzip && !slice_starts(head, SLICE("\x28\xb5\x2f\xfd"))) return NULL;
    struct source_decoder *d = mem_zalloc(1, sizeof *d);
    if (gzip) {
        d->step = gzip_step;
        d->end = gzip_end;
        if (inflateInit2(&d->gzip, GZIP_WINDOW) != Z_OK) mem_exhausted();
    } else {
        d->step = zstd_step;
        d->end = zstd_end;
        d->zstd = ZSTD_createDStream();
        if (!d->zstd) mem_exhausted();
    }
    return d;
}

enum decode_state decoder_step(struct source_decoder *d, struct slice *in, char *out, size_t room, size_t *written) {
    return d->step(d, in, out, room, written);
}

bool decoder_at_end(const struct source_decoder *d) { return d->at_end; }

char *decoder_buffer(struct source_decoder *d, size_t *size) {
    *size = sizeof d->input;
    return d->input;
}

struct slice *decoder_pending(struct source_decoder *d) {
    return &d->pending;
}

void decoder_free(struct source_decoder *d) {
    if (!d) return;
    d->end(d);
    free(d);
}
