/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of changes that apply to every trace, and what they share. */
#ifndef TTMEM_ANALYSIS_FIT_KINDS_H
#define TTMEM_ANALYSIS_FIT_KINDS_H

#include "analysis/fit/fit.h"

extern const struct fit_kind fit_free_at_last_use, fit_free_everything, fit_no_program_cache; /* kinds_lifetime.c */
extern const struct fit_kind fit_largest_first, fit_place_first;                              /* kinds_order.c */
extern const struct fit_kind fit_weights_element, fit_other_element, fit_padding, fit_sharding, fit_no_map; /* kinds_size.c */

extern const struct fit_kind fit_batch;         /* batch.c */
extern const struct fit_kind fit_group_element; /* kinds_group.c */
extern const struct fit_kind fit_other_chip;    /* kinds_device.c */

/* Bytes of a buffer of the group in another element type: the same number of tiles of another size. `from` NULL: any type.
 * 0: unknown, or it is not larger now. */
uint64_t fit_in_element(const struct fit_group *group, uint64_t bytes, const char *from, const char *to);

/* The group of a key in a trace, or NONE. */
uint32_t fit_group_find(const struct fit_trace *trace, uint64_t key);

/* The tiles of an interleaved tensor and the size of each; false: not such a tensor, or its shape is unknown. */
bool fit_tiles(const struct tensor_type *type, uint64_t *tiles, uint64_t *tile_bytes);

/* The event that matters: the peak, or the failed request. */
uint32_t fit_event_that_matters(const struct fit *fit);

/* The event where free blocks matter: the request that failed, or was nearest to failing. */
uint32_t fit_event_of_blocks(const struct fit *fit);
static inline bool fit_is_there_at(const struct fit_buffer *buffer, uint32_t event) {
    return buffer->take <= event && event < buffer->free;
}

/* Is the buffer alive where it matters? */
bool fit_is_there(const struct fit *fit, const struct fit_buffer *buffer);

/* The least that a change of sizes must save to be tried: a hundredth of the peak, or, if less is missing, a quarter of
 * that. A failed request is part of the peak, and may be most of it. */
uint64_t fit_least_saving(const struct fit *fit);

/* Is it the board of the trace, or the one that represents its architecture? */
bool fit_is_own_board(const struct fit_trace *trace, const struct chip *board);

/* Are both boards with the same memory? */
bool fit_chips_are_alike(const struct fit_trace *trace, const struct fit_change *a, const struct fit_change *b);

/* What is alive where free blocks matter, by address; `out` has room for all buffers of the trace. Returns the number. */
struct fit_there {
    uint64_t address, end;
    uint32_t buffer;
};
size_t fit_there_find(const struct fit *fit, struct fit_there *out);

/* A group in the name of a change: its name, else the op that made it. */
void fit_group_words(const struct fit *fit, uint32_t group, char *out, size_t room);

#endif
