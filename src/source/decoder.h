/* SPDX-License-Identifier: Apache-2.0 */
/* Decompression for streams: .gz (several members are one stream) and .zst. */
#ifndef TTMEM_SOURCE_DECODER_H
#define TTMEM_SOURCE_DECODER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct source_decoder;

/* The decoder for data that starts with `head`, or NULL if it is not compressed. */
struct source_decoder *decoder_for(struct slice head);

enum decode_state { DECODE_MORE_INPUT, DECODE_OUTPUT_FULL, DECODE_DAMAGED };

/* Takes from *in, writes to out; *written is the number of bytes. */
enum decode_state decoder_step(struct source_decoder *decoder, struct slice *in, char *out, size_t room, size_t *written);

/* Does the data so far end a member or frame? */
bool decoder_at_end(const struct source_decoder *decoder);

/* Bytes read from the file and not decoded yet; the decoder owns the buffer. */
char *decoder_buffer(struct source_decoder *decoder, size_t *size);
struct slice *decoder_pending(struct source_decoder *decoder);

void decoder_free(struct source_decoder *decoder);

#endif
