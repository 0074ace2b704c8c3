/* SPDX-License-Identifier: Apache-2.0 */
/* Failures beyond the number that is kept apart: the latest of each wording replaces the previous one, including its line
 * and its place in the log, so that a log full of them takes no more memory. */
#include "model/fold.h"
#include "scan/lines.h"

static struct latest_failure *latest_at(struct fold *fold, uint32_t number) {
    size_t kind = number & SITE_NOTE ? 1 : 0, at = (number & ~(uint32_t)SITE_NOTE) - FAILURE_SET_MAX;
    while (fold->around.latest[kind].len <= at) vec_push(&fold->around.latest[kind], ((struct latest_failure){.place = NONE}));
    return &fold->around.latest[kind].items[at];
}

enum { LONGEST_MESSAGE = 4000 };

/* The line of a message as people read it, or the part of it that a progress bar left intact. */
static struct slice line_around(struct slice text, size_t at, char room[LONGEST_MESSAGE]) {
    size_t lowest = at > FAILURE_LEAD ? at - FAILURE_LEAD : 0;
    const char *from = text.ptr + lowest, *end = text.ptr + at, *above = memrchr(from, '\n', at - lowest), *part;
    if (above) from = above + 1;
    if ((part = memrchr(from, '\r', (size_t)(end - from)))) from = part + 1;
    size_t start = (size_t)(from - text.ptr);
    if (start && start == lowest) start = at; /* inside an endless line */
    text = slice_take(text, at + LONGEST_MESSAGE);
    struct slice line = slice_between(text.ptr + start, find_eol(text.ptr + at, text.ptr + text.len));
    return slice_trim(logline_clean(slice_take(line, LONGEST_MESSAGE), room));
}

void around_keep_line(struct fold *fold, uint32_t number, struct slice text, size_t at) {
    char room[LONGEST_MESSAGE];
    if (number < FAILURE_SET_MAX) {
        around_site(fold, number)->text = strtab_id(&fold->run->strings, line_around(text, at, room));
        return;
    }
    struct latest_failure *latest = latest_at(fold, number);
    latest->text = text;
    latest->at = at;
}

void around_settle_lines(struct fold *fold) {
    char room[LONGEST_MESSAGE];
    for (size_t kind = 0; kind < 2; kind++) {
        for (size_t i = 0; i < fold->around.latest[kind].len; i++) {
            struct latest_failure *latest = &fold->around.latest[kind].items[i];
            if (!latest->text.len) continue;
            strbuf_clear(&latest->line);
            strbuf_add(&latest->line, line_around(latest->text, latest->at, room));
            latest->text = slice_of("", 0);
        }
    }
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
