/* SPDX-License-Identifier: Apache-2.0 */
/* Finished segments: what usage/ counted, kept per device, and the answers drawn from it. DRAM figures are those of one
 * chip, the one with the highest peak over all segments, so that figures of different segments can be compared; L1 figures
 * are those of the fullest core of any chip. Owns its memory; never ends the process. */
#ifndef TTMEM_USAGE_SEGMENTS_H
#define TTMEM_USAGE_SEGMENTS_H

#include "base/json_write.h"
#include "usage/summary.h"
#include "usage/usage.h"

struct segment_device {
    uint64_t id; /* USAGE_NO_DEVICE: the capture names none */
    bool tied;
    uint64_t mesh;
    struct usage_pool pools[MEM_TYPES];
    struct usage_l1 l1;
};

struct segment {
    char *name; /* may contain any byte */
    size_t name_len;
    struct segment_device *devices;
    size_t devices_len;
    struct usage_upstream upstream;
    bool l1_whole; /* buffers in L1 are counted over all banks, so what a core holds is unknown */
};

struct segments {
    struct segment *items;
    size_t len, cap;
};

/* Ends the current segment of `usage` under that name and starts the next. USAGE_NO_MEMORY: nothing has changed. */
enum usage_result segments_close(struct segments *segments, struct usage *usage, struct slice name);
void segments_release(struct segments *segments);

/* Id of the chip whose DRAM rises highest over all segments; USAGE_NO_DEVICE if there is none. */
uint64_t segments_main_device(const struct segments *segments);

/* That chip's DRAM in one segment; zeros if it did not appear. */
struct usage_pool segment_pool(const struct segment *segment, uint64_t device, enum mem_type type);

/* Each figure the maximum over chips. */
struct usage_l1 segment_l1(const struct segment *segment);

/* Lines for usage_summary; `out` has room for segments->len. Names point into the segments. */
void segments_lines(const struct segments *segments, bool upstream_rules, struct usage_line *out);

/* Writes the members of a segment's object: "name", "dram", "l1", "trace", "l1_small", "upstream", "devices".
 * `function_name` gives the text of a peak's tag (may be NULL). */
void segment_json(struct json *json, const struct segment *segment, uint64_t main_device,
                  struct slice (*function_name)(const void *context, uint32_t tag), const void *context);

/* Bytes that segment_json needs at most without indentation. `longest_name`: of function_name's texts. */
size_t segment_json_room(const struct segment *segment, size_t longest_name);

#endif
