/* SPDX-License-Identifier: Apache-2.0 */
#include "source/entries.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "source/entry_line.h"

enum {
    DOCKER_PART = 16 << 10, /* Docker splits a line into entries of this many bytes */
    DOCKER_SLACK = 64,      /* bad UTF-8 grows when it is written as JSON */
    MOST_HELD = 64 << 20,   /* most bytes that wait for the end of a line */
    MOST_PLACES = 1 << 16,
    NAME_ROOM = 16,
    TIME_ROOM = 48,
};

/* Does the text continue in the next entry of its stream? */
enum goes_on { ENDS, PERHAPS, GOES_ON };

/* A line of the file that is incomplete, or that waits for an earlier one. */
struct entry_place {
    struct strbuf text;
    enum goes_on goes_on;
    char stream[NAME_ROOM], time[TIME_ROOM];
};

struct entries {
    enum entry_form form;
    bool keeps_ends;    /* an entry had a line end, so an entry without one is a part */
    struct strbuf line; /* of the file, so far */
    bool too_long;      /* the line goes out as it is */
    struct strbuf text;
    VEC(struct entry_place) places; /* in the order of the file; empty unless the first one waits */
    size_t held;
};

struct entries *entries_for(struct slice head) {
    size_t end = slice_find_byte(head, '\n');
    enum entry_form form = entry_form_of(slice_take(head, end == SLICE_NONE ? head.len : end));
    if (form == ENTRY_NONE) return NULL;
    struct entries *entries = mem_zalloc(1, sizeof *entries);
    entries->form = form;
    return entries;
}

static void name(char *room, size_t size, struct slice text) {
    text = slice_take(text, size - 1);
    if (text.len) memcpy(room, text.ptr, text.len);
    room[text.len] = '\0';
}

static void put_line(struct strbuf *out, struct slice text) {
    strbuf_add(out, text);
    strbuf_addc(out, '\n');
}

/* Delivers the complete lines; all lines if `all`. */
static void flush(struct entries *e, bool all, struct strbuf *out) {
    size_t done = 0;
    for (; done < e->places.len && (all || e->places.items[done].goes_on == ENDS); done++) {
        struct entry_place *place = &e->places.items[done];
        put_line(out, strbuf_slice(&place->text));
        e->held -= place->text.len;
        strbuf_release(&place->text);
    }
    if (!done) return;
    e->places.len -= done;
    memmove(e->places.items, e->places.items + done, e->places.len * sizeof *e->places.items);
}

static struct entry_place *waiting(struct entries *e, const char *stream) {
    for (size_t i = e->places.len; i-- > 0;)
        if (e->places.items[i].goes_on != ENDS && strcmp(e->places.items[i].stream, stream) == 0) return &e->places.items[i];
    return NULL;
}

static struct entry_place *add_place(struct entries *e, struct slice before, struct slice text) {
    struct entry_place *place = vec_add(&e->places);
    *place = (struct entry_place){.goes_on = ENDS};
    strbuf_add(&place->text, before);
    strbuf_add(&place->text, text);
    e->held += place->text.len;
    return place;
}

/* Docker writes the same time into all parts of a line; a different time begins a line, as after a restart. */
static bool continues(const struct entry_place *place, const struct entry_line *entry) {
    char time[TIME_ROOM];
    name(time, sizeof time, entry->time);
    return place->goes_on == GOES_ON || (time[0] && strcmp(time, place->time) == 0);
}

static enum goes_on goes_on_after(struct entries *e, const struct entry_line *entry, struct slice *text) {
    bool ended = entry->escaped && text->len && text->ptr[text->len - 1] == '\n';
    if (ended) text->len--;
    e->keeps_ends = e->keeps_ends || ended;
    if (entry->tagged) return entry->partial ? GOES_ON : ENDS;
    if (ended) return ENDS;
    if (entry->escaped && text->len >= DOCKER_PART && text->len <= DOCKER_PART + DOCKER_SLACK) return GOES_ON;
    return e->keeps_ends ? PERHAPS : ENDS;
}

static void take_entry(struct entries *e, const struct entry_line *entry, struct strbuf *out) {
    char stream[NAME_ROOM];
    strbuf_clear(&e->text);
    entry_line_add_text(entry, &e->text);
    struct slice text = strbuf_slice(&e->text), before = entry->before;
    enum goes_on goes_on = goes_on_after(e, entry, &text);
    if (!e->places.len && goes_on == ENDS) { /* the usual case */
        strbuf_add(out, before);
        if (before.len) strbuf_addz(out, "F ");
        put_line(out, text);
        return;
    }
    name(stream, sizeof stream, entry->stream);
    struct entry_place *place = waiting(e, stream);
    if (place && !continues(place, entry)) {
        place->goes_on = ENDS;
        place = NULL;
    }
    if (place) {
        strbuf_add(&place->text, text);
        e->held += text.len;
        place->goes_on = goes_on;
        add_place(e, SLICE(""), SLICE(""));
    } else {
        place = add_place(e, before, before.len ? SLICE("F ") : SLICE(""));
        strbuf_add(&place->text, text);
        e->held += text.len;
        place->goes_on = goes_on;
        name(place->stream, sizeof place->stream, entry->stream);
        name(place->time, sizeof place->time, entry->time);
    }
    flush(e, e->held > MOST_HELD || e->places.len > MOST_PLACES, out);
}

static void take_line(struct entries *e, struct slice line, struct strbuf *out) {
    struct entry_line entry;
    if (entry_line_read(e->form, line, &entry)) {
        take_entry(e, &entry, out);
    } else if (e->places.len) {
        add_place(e, line, SLICE(""));
        flush(e, e->held > MOST_HELD || e->places.len > MOST_PLACES, out);
    } else {
        put_line(out, line);
    }
}

static void give_up(struct entries *e, struct strbuf *out) {
    flush(e, true, out);
    strbuf_add(out, strbuf_slice(&e->line));
    strbuf_clear(&e->line);
    e->too_long = true;
}

void entries_take(struct entries *e, struct slice in, bool end, struct strbuf *out) {
    while (in.len) {
        size_t at = slice_find_byte(in, '\n');
        bool whole = at != SLICE_NONE;
        struct slice part = slice_take(in, whole ? at : in.len);
        in = slice_skip(in, part.len + whole);
        if (e->too_long) strbuf_add(out, part);
        else if (!whole || e->line.len) strbuf_add(&e->line, part);
        if (whole && e->too_long) strbuf_addc(out, '\n');
        else if (whole) take_line(e, e->line.len ? strbuf_slice(&e->line) : part, out);
        else if (e->line.len > MOST_HELD) give_up(e, out);
        if (!whole) break;
        strbuf_clear(&e->line);
        e->too_long = false;
    }
    if (!end) return;
    if (e->line.len) take_line(e, strbuf_slice(&e->line), out);
    strbuf_clear(&e->line);
    flush(e, true, out);
}

void entries_free(struct entries *e) {
    if (!e) return;
    for (size_t i = 0; i < e->places.len; i++) strbuf_release(&e->places.items[i].text);
    vec_release(&e->places);
    strbuf_release(&e->line);
    strbuf_release(&e->text);
    free(e);
}
