/* SPDX-License-Identifier: Apache-2.0 */
#include "input/ttnn/python_io.h"

#include <sys/stat.h>

#include "base/json_split.h"
#include "base/strbuf.h"
#include "parse/foreign/python_stack.h"
#include "source/source.h"

static uint32_t location_of(struct python_io *io, struct json_value record) {
    struct json_value frames, item;
    struct slice text;
    struct strbuf stack = {0}, place = {0};
    struct python_frame frame;
    if (json_member(record, "python_stack_trace", &frames)) {
        if (json_string_of(frames, &text)) strbuf_add(&stack, text);
        for (struct json_walk walk = json_walk_of(frames); json_next(&walk, NULL, &item);) {
            if (json_string_of(item, &text)) strbuf_add(&stack, text);
            strbuf_addc(&stack, '\n');
        }
    }
    if (python_stack_frame(strbuf_slice(&stack), &frame)) python_frame_place(&place, &frame);
    uint32_t id = strtab_id(&io->texts, strbuf_slice(&place));
    strbuf_release(&stack);
    strbuf_release(&place);
    return id;
}

void python_io_add(struct python_io *io, struct slice text) {
    struct json_value record, value;
    struct slice name;
    if (!io->json) io->json = json_reader_new();
    if (!io->json || !json_parse(io->json, text, &record) || !json_member(record, "name", &value) ||
        !json_string_of(value, &name)) {
        io->unreadable++;
        return;
    }
    uint32_t id = strtab_id(&io->texts, name);
    uint32_t location = location_of(io, record);
    while (io->names.len <= id) vec_push(&io->names, (struct python_io_queue){0});
    struct slice kept = io->keep_texts ? arena_copy(&io->kept, text) : slice_of("", 0);
    vec_push(&io->records, ((struct python_io_record){.location = location, .text = kept}));
    uint32_t number = (uint32_t)io->records.len;
    if (io->names.items[id].last) io->records.items[io->names.items[id].last - 1].next = number;
    else io->names.items[id].first = number;
    io->names.items[id].last = number;
}

static void add_all(struct python_io *io, struct slice array) {
    struct slice record;
    struct json_items items = json_split_items(array);
    while (json_split_next(&items, &record)) python_io_add(io, record);
    io->unreadable += items.broken;
}

bool python_io_beside(struct python_io *io, const char *capture) {
    struct slice name = slice_from(capture);
    struct strbuf path = {0};
    struct source source;
    struct err ignored = {0};
    struct stat st;
    if (!slice_ends(name, SLICE(".json"))) return false;
    strbuf_add(&path, slice_take(name, name.len - 5));
    strbuf_addz(&path, ".python_io.json");
    bool read =
        stat(strbuf_text(&path), &st) == 0 && S_ISREG(st.st_mode) && source_open(&source, strbuf_text(&path), &ignored) == 0;
    if (read) {
        if (source.mapped) add_all(io, source.bytes);
        source_release(&source);
    }
    strbuf_release(&path);
    return read;
}

const struct python_io_record *python_io_take(struct python_io *io, struct slice name) {
    if (!io->records.len) return NULL;
    uint32_t id = strtab_id(&io->texts, name);
    if (id >= io->names.len || !io->names.items[id].first) return NULL;
    const struct python_io_record *record = &io->records.items[io->names.items[id].first - 1];
    io->names.items[id].first = record->next;
    return record;
}

struct slice python_io_next(struct python_io *io, struct slice name) {
    const struct python_io_record *record = python_io_take(io, name);
    return record ? strtab_get(&io->texts, record->location) : slice_of("", 0);
}

void python_io_release(struct python_io *io) {
    strtab_release(&io->texts);
    vec_release(&io->records);
    vec_release(&io->names);
    json_reader_free(io->json);
    arena_release(&io->kept);
    *io = (struct python_io){0};
}
