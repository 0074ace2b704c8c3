/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/ir/pieces.h"

#include "base/table/map.h"

bool module_is_ttnn(struct slice text) {
    return slice_find(text, SLICE("func.func")) != SLICE_NONE && slice_find(text, SLICE("\"ttnn.")) != SLICE_NONE;
}

struct splitting {
    struct module_pieces *pieces;
    struct slice text;
    struct map aliases; /* of the piece */
    bool has_body;      /* the piece has a module, or functions without one */
    bool has_module, closed;
};

static void begin_piece(struct splitting *s, size_t at, uint32_t lines_before) {
    struct module_piece *last = s->pieces->list.len ? &vec_last(&s->pieces->list) : NULL;
    if (last) last->text.len = (size_t)(s->text.ptr + at - last->text.ptr);
    vec_push(&s->pieces->list, ((struct module_piece){.text = slice_skip(s->text, at), .lines_before = lines_before}));
    map_clear(&s->aliases);
    s->has_body = s->has_module = s->closed = false;
}

static bool is_head(struct slice line) {
    return slice_starts(line, SLICE("module")) || slice_starts(line, SLICE("builtin.module"));
}

/* Location aliases follow the module that they belong to; other aliases, and names that already exist, belong to the next. */
static bool begins_next(struct splitting *s, struct slice line) {
    if (slice_starts(line, SLICE("// -----")) || is_head(line)) return s->has_body;
    if (line.ptr[0] != '#') return false;
    bool added, location = slice_starts(line, SLICE("#loc"));
    map_at(&s->aliases, hash_bytes(slice_take(line, slice_find_byte(line, ' '))), &added);
    return s->closed && (!added || !location);
}

static void note(struct splitting *s, struct slice line) {
    bool added;
    if (line.ptr[0] == '#') map_at(&s->aliases, hash_bytes(slice_take(line, slice_find_byte(line, ' '))), &added);
    s->has_module = s->has_module || is_head(line);
    s->has_body = s->has_body || s->has_module || slice_starts(line, SLICE("func.func"));
    s->closed = s->closed || (s->has_module && line.ptr[0] == '}');
}

void module_pieces_find(struct module_pieces *pieces, struct slice text) {
    struct splitting s = {.pieces = pieces, .text = text};
    uint32_t number = 0;
    begin_piece(&s, 0, 0);
    for (size_t at = 0; at < text.len; number++) {
        struct slice line = slice_take(slice_skip(text, at), slice_find_byte(slice_skip(text, at), '\n'));
        if (line.len && line.ptr[0] != ' ') {
            if (begins_next(&s, line)) begin_piece(&s, at, number);
            note(&s, line);
        }
        at += line.len + 1;
    }
    if (!s.has_body && pieces->list.len > 1) { /* a separator at the end */
        size_t rest = vec_last(&pieces->list).text.len;
        pieces->list.len--;
        vec_last(&pieces->list).text.len += rest;
    }
    map_release(&s.aliases);
}

void module_pieces_release(struct module_pieces *pieces) { vec_release(&pieces->list); }

int module_pieces_check(const struct module_pieces *pieces, const char *path, struct err *err) {
    size_t count = pieces->list.len;
    for (size_t i = 0; count > 1 && i < count; i++) {
        struct slice text = pieces->list.items[i].text;
        if (slice_find(text, SLICE("// IR Dump ")) != SLICE_NONE)
            return err_set(
                err, ERR_LACKS,
                "%s holds one program as it was after each of several passes (%zu modules): give the last of them in a "
                "file of its own",
                path, count);
        if (!module_is_ttnn(text))
            return err_set(err, ERR_LACKS,
                           "%s holds %zu modules, and the one after line %u has no TTNN ops: give the TTNN modules alone", path,
                           count, pieces->list.items[i].lines_before);
    }
    return 0;
}
