/* SPDX-License-Identifier: Apache-2.0 */
#include "device/core_range.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/try.h"

enum { COORDINATE_MAX = 65535 };

/* The four numbers between '[' and ']', whatever is around them. */
static bool parse_range(struct slice text, struct core_range *out) {
    uint64_t numbers[4];
    size_t found = 0;
    for (size_t i = 0; i < text.len;) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            i++;
            continue;
        }
        if (found == 4) return false;
        size_t used = num_read_u64(slice_skip(text, i), &numbers[found]);
        if (!used || numbers[found++] > COORDINATE_MAX) return false;
        i += used;
    }
    if (found != 4) return false;
    uint16_t ax = (uint16_t)numbers[0], ay = (uint16_t)numbers[1], bx = (uint16_t)numbers[2], by = (uint16_t)numbers[3];
    *out = (struct core_range){ax < bx ? ax : bx, ay < by ? ay : by, ax < bx ? bx : ax, ay < by ? by : ay};
    return true;
}

enum core_text core_ranges_parse(struct core_ranges *out, struct slice text) {
    out->len = 0;
    text = slice_trim(text);
    if (slice_equal(text, SLICE("{}"))) return CORE_TEXT_OK;
    while (text.len) {
        size_t open = slice_find_byte(text, '[');
        if (open == SLICE_NONE) break;
        struct slice inside = slice_skip(text, open + 1);
        size_t close = slice_find_byte(inside, ']');
        struct core_range range;
        if (close == SLICE_NONE || !parse_range(slice_take(inside, close), &range)) return CORE_TEXT_WRONG;
        if (!vec_try_reserve(out, out->len + 1)) return CORE_TEXT_NO_MEMORY;
        out->items[out->len++] = range;
        text = slice_skip(inside, close + 1);
    }
    return out->len ? CORE_TEXT_OK : CORE_TEXT_WRONG;
}

void core_ranges_release(struct core_ranges *ranges) {
    free(ranges->items);
    *ranges = (struct core_ranges){0};
}

uint64_t core_ranges_count(const struct core_range *ranges, size_t len) {
    uint64_t cores = 0;
    for (size_t i = 0; i < len; i++)
        cores += (uint64_t)(ranges[i].x1 - ranges[i].x0 + 1) * (uint64_t)(ranges[i].y1 - ranges[i].y0 + 1);
    return cores;
}
