/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/failure/repeat.h"

#include <string.h>

/* A search from `from` that finds a failure at `at` depends on no other bytes than [from - BACK, at + AHEAD). */
enum { BACK = FAILURE_LEAD + FAILURE_LEAD / 2, AHEAD = FAILURE_WINDOW + FAILURE_LEAD };

/* Is all that the search depends on inside the text, and before the limit? */
static bool is_inside(struct slice text, size_t from, size_t limit, size_t at) {
    size_t end = limit < text.len ? limit : text.len;
    return from >= BACK && at < end && end - at >= AHEAD;
}

/* Do the bytes in [from, to) equal those `period` bytes before them? */
static bool repeats(struct failure_repeat *repeat, size_t period, size_t from, size_t to) {
    const char *text = repeat->text.ptr;
    bool known = period == repeat->period && from >= repeat->same_from && from <= repeat->same_to;
    size_t begin = known ? repeat->same_to : from;
    if (to > begin && memcmp(text + begin, text + begin - period, to - begin) != 0) return false;
    if (!known) repeat->period = period, repeat->same_from = from, repeat->same_to = from;
    if (to > repeat->same_to) repeat->same_to = to;
    return true;
}

bool failure_repeat_find(struct failure_repeat *repeat, struct slice text, uint64_t base, size_t from, size_t limit,
                         struct failure *f) {
    if (repeat->text.ptr != text.ptr || repeat->text.len != text.len || repeat->base != base) {
        repeat->text = text;
        repeat->base = base;
        repeat->added = 0;
        repeat->period = 0;
        return false;
    }
    for (unsigned n = 0; n < REPEAT_KEPT && n < repeat->added; n++) {
        const struct repeat_found *kept = &repeat->found[(repeat->added - 1 - n) % REPEAT_KEPT];
        size_t period = from - kept->from, at = kept->failure.at + period;
        if (kept->from >= from || !is_inside(text, from, limit, at)) continue;
        if (!repeats(repeat, period, from - BACK, at + AHEAD)) continue;
        *f = kept->failure;
        f->at = at;
        return true;
    }
    return false;
}

void failure_repeat_keep(struct failure_repeat *repeat, size_t from, size_t limit, const struct failure *f) {
    if (!is_inside(repeat->text, from, limit, f->at)) return;
    repeat->found[repeat->added++ % REPEAT_KEPT] = (struct repeat_found){from, *f};
}
