/* SPDX-License-Identifier: Apache-2.0 */
/* Failures beyond the number that is kept apart: the latest of each wording replaces the previous one, including its line
 * and its place in the log, so that a log full of them takes no more memory. */
#include "model/fold.h"

static struct latest_failure *latest_at(struct fold *fold, uint32_t number) {
    size_t kind = number & SITE_NOTE ? 1 : 0, at = (number & ~(uint32_t)SITE_NOTE) - FAILURE_SET_MAX;
    while (fold->around.latest[kind].len <= at) vec_push(&fold->around.latest[kind], ((struct latest_failure){.place = NONE}));
    return &fold->around.latest[kind].items[at];
}

void around_keep_line(struct fold *fold, uint32_t number, struct slice line) {
    struct strbuf *kept = &latest_at(fold, number)->line;
    strbuf_clear(kept);
    strbuf_add(kept, line);
}

void around_keep_place(struct fold *fold, const struct failure_place *place) {
    struct run *run = fold->run;
    struct latest_failure *latest = latest_at(fold, place->failure);
    if (latest->place != NONE) run->failure_places.items[latest->place] = *place;
    else if (run->failure_places.len < FAILURE_PLACES_MAX) {
        latest->place = (uint32_t)run->failure_places.len;
        vec_push(&run->failure_places, *place);
    }
}

void around_release_latest(struct fold *fold) {
    for (size_t kind = 0; kind < 2; kind++) {
        for (size_t i = 0; i < fold->around.latest[kind].len; i++) {
            struct strbuf *line = &fold->around.latest[kind].items[i].line;
            if (line->len)
                fold->run->failure_sites.items[FAILURE_SET_MAX + i].text = strtab_id(&fold->run->strings, strbuf_slice(line));
            strbuf_release(line);
        }
        vec_release(&fold->around.latest[kind]);
    }
}
