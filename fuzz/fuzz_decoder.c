/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as .gz or .zst: what comes out does not depend on the sizes in which it is asked for and handed in. */
#include <stdint.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "source/decoder.h"

enum { MOST = 1 << 20 };

static void decode(struct strbuf *out, struct slice bytes, size_t piece, size_t room) {
    struct source_decoder *decoder = decoder_for(bytes);
    char *block = malloc(room);
    enum decode_state state = DECODE_MORE_INPUT;
    while (decoder && block && bytes.len && state != DECODE_DAMAGED && out->len < MOST) {
        struct slice in = slice_take(bytes, piece);
        bytes = slice_skip(bytes, piece);
        do {
            size_t written = 0;
            state = decoder_step(decoder, &in, block, room, &written);
            if (written > room) abort();
            strbuf_add(out, slice_of(block, written));
        } while (state == DECODE_OUTPUT_FULL && out->len < MOST);
        if (state == DECODE_MORE_INPUT && in.len && !decoder_at_end(decoder)) break;
    }
    if (decoder) decoder_at_end(decoder);
    free(block);
    if (decoder) decoder_free(decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    struct slice bytes = slice_of((const char *)data + 1, size - 1);
    struct strbuf whole = {0}, pieces = {0};
    decode(&whole, bytes, bytes.len, 65536);
    decode(&pieces, bytes, (size_t)data[0] + 1, 512);
    size_t same = whole.len < pieces.len ? whole.len : pieces.len;
    if (same && memcmp(whole.data, pieces.data, same) != 0) abort();
    strbuf_release(&whole);
    strbuf_release(&pieces);
    return 0;
}
