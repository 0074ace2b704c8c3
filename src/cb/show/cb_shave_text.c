/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/show/cb_shave_text.h"

#include "render/format/json_parts.h"

#include "cb/show/cb_text.h"

static const char *const kind_words[] = {
    [SHAVE_PARAMETER] = "parameter", [SHAVE_CONSTANT] = "constant", [SHAVE_FORMAT] = "format", [SHAVE_DOUBLE] = "double"};

static void value_write(struct strbuf *out, const struct term *term, const struct shave_value *v) {
    term_text(out, term, v->name, v->place.len ? 14 : 40);
    if (v->place.len) strbuf_addf(out, " (line %u)", v->line);
    strbuf_addz(out, " ");
    term_text(out, term, v->from, 20);
    strbuf_addz(out, " -> ");
    term_text(out, term, v->to, 20);
}

static void change_write(struct strbuf *out, const struct term *term, const struct shave_step *step) {
    for (unsigned k = 0; k < step->n_values; k++) {
        if (k) strbuf_addz(out, " and ");
        value_write(out, term, &step->values[k]);
    }
}

static void buffers_write(struct strbuf *out, const struct term *term, const struct shave_step *step) {
    enum { SHOWN = 4 };
    for (uint32_t i = 0; i < step->n_buffers && i < SHOWN; i++) {
        const struct shave_buffer *b = &step->buffers[i];
        if (i) strbuf_addz(out, ", ");
        if (b->index >= 0) strbuf_addf(out, "CB %d", (int)b->index);
        else term_text(out, term, b->name.len ? b->name : SLICE("?"), 24);
        if (b->before_tiles && b->after_tiles != b->before_tiles)
            strbuf_addf(out, " %llu -> %llu pages", (unsigned long long)b->before_tiles, (unsigned long long)b->after_tiles);
    }
    if (step->n_buffers > SHOWN) strbuf_addz(out, ", ...");
}

static void step_line(struct strbuf *out, const struct term *term, const struct shave_step *step) {
    struct strbuf cell = {0};
    change_write(&cell, term, step);
    strbuf_addz(out, "  ");
    text_left(out, strbuf_slice(&cell), 34);
    text_left(out, slice_from(kind_words[step->values[0].kind]), 10);
    strbuf_clear(&cell);
    add_grouped(&cell, step->saves);
    text_right(out, strbuf_slice(&cell), 11);
    strbuf_clear(&cell);
    add_grouped(&cell, step->bytes);
    text_right(out, strbuf_slice(&cell), 12);
    strbuf_addz(out, step->fits ? "  fits   " : "  not yet");
    strbuf_clear(&cell);
    add_grouped(&cell, step->fetched_again);
    text_right(out, strbuf_slice(&cell), 15);
    strbuf_addz(out, "  ");
    buffers_write(out, term, step);
    strbuf_addc(out, '\n');
    strbuf_release(&cell);
}

static void shape_line(struct strbuf *out, const struct term *term, const struct shave_shape *shape) {
    struct strbuf cell = {0};
    term_text(&cell, term, shape->name, 40);
    strbuf_addz(&cell, " ");
    term_text(&cell, term, shape->value, 20);
    strbuf_addz(out, "  ");
    text_left(out, strbuf_slice(&cell), 34);
    strbuf_addz(out, shape->tile ? "tile      the size of a tile follows from its format: not changed\n"
                                 : "shape     from the shape of a tensor: not changed\n");
    strbuf_release(&cell);
}

void cb_shave_text(struct strbuf *out, const struct term *term, const struct shave *shave) {
    term_text(out, term, shave->function, 60);
    strbuf_addz(out, shave->open ? " takes at most " : " takes ");
    add_grouped(out, shave->bytes);
    strbuf_addz(out, " B per core, ");
    add_grouped(out, shave->over);
    strbuf_addz(out, " B too many\n");
    if (shave->open)
        strbuf_addz(
            out,
            "Some sizes depend on a format or a value that is not given (--set). They are known as ranges, and so are the "
            "savings: each change saves at least the first figure, and the program then takes at most the second.\n");
    if (shave->steps.len || shave->shapes.len) {
        term_tone(out, term, TONE_DIM);
        strbuf_addf(out, "  change                            what      %11s%12s      more fetched again  buffers\n",
                    shave->open ? "saves >=" : "saves", shave->open ? "takes <=" : "then takes");
        term_tone(out, term, TONE_PLAIN);
    }
    for (size_t i = 0; i < shave->steps.len; i++) step_line(out, term, &shave->steps.items[i]);
    for (size_t i = 0; i < shave->shapes.len; i++) shape_line(out, term, &shave->shapes.items[i]);
    if (!shave->smallest && !shave->steps.len && shave->not_given.len) {
        strbuf_addz(
            out,
            "Nothing to change was found. Sizes depend on values that are not given; give those of the run that failed:\n ");
        for (size_t i = 0; i < shave->not_given.len; i++) {
            strbuf_addz(out, " --set ");
            term_text(out, term, shave->not_given.items[i], 60);
            strbuf_addz(out, "=N");
        }
        strbuf_addc(out, '\n');
        return;
    }
    if (!shave->smallest) {
        strbuf_addz(out, shave->steps.len && shave->open ? "No change of one or two of these frees enough for certain.\n"
                         : shave->steps.len              ? "No change of one or two of these frees enough.\n"
                         : shave->shapes.len             ? "Only values that are not changed would make them smaller.\n"
                                             : "Nothing that is given or written as a constant makes them smaller.\n");
        return;
    }
    strbuf_addz(out, "Smallest change that fits: ");
    change_write(out, term, shave->smallest);
    strbuf_addz(out, shave->open ? ", saves at least " : ", saves ");
    add_grouped(out, shave->smallest->saves);
    strbuf_addz(out, " B");
    if (shave->smallest->fetched_again) {
        strbuf_addz(out, "; ");
        add_grouped(out, shave->smallest->fetched_again);
        strbuf_addz(out, " more tiles fetched again where these operands are reused in four passes");
    }
    strbuf_addc(out, '\n');
}

static void step_json(struct json *j, const struct shave_step *step) {
    json_object(j);
    json_key(j, "changes");
    json_array(j);
    for (unsigned k = 0; k < step->n_values; k++) {
        const struct shave_value *v = &step->values[k];
        json_object(j);
        json_member_text(j, "kind", kind_words[v->kind]);
        json_member_str(j, "name", v->name);
        json_member_str(j, "from", v->from);
        json_member_str(j, "to", v->to);
        json_member_u64_if(j, "line", v->line > 0, v->line);
        json_object_end(j);
    }
    json_array_end(j);
    json_member_u64(j, "saved_bytes_per_core", step->saves);
    json_member_u64(j, "total_bytes_per_core", step->bytes);
    json_member_bool(j, "fits", step->fits);
    json_member_u64(j, "tiles_fetched_again", step->fetched_again);
    json_key(j, "buffers");
    json_array(j);
    for (uint32_t i = 0; i < step->n_buffers; i++) {
        const struct shave_buffer *b = &step->buffers[i];
        json_object(j);
        json_member_i64_if(j, "index", b->index >= 0, b->index);
        json_member_text_or_null(j, "name", b->name);
        json_member_u64(j, "before_bytes_per_core", b->before_bytes);
        json_member_u64(j, "after_bytes_per_core", b->after_bytes);
        json_object_end(j);
    }
    json_array_end(j);
    json_object_end(j);
}

void cb_shave_json(struct json *j, const struct shave *shave) {
    json_member_str(j, "function", shave->function);
    json_member_u64(j, "over_bytes_per_core", shave->over);
    json_member_u64(j, "total_bytes_per_core", shave->bytes);
    json_member_bool(j, "at_most", shave->open);
    json_key(j, "steps");
    json_array(j);
    for (size_t i = 0; i < shave->steps.len; i++) step_json(j, &shave->steps.items[i]);
    json_array_end(j);
    json_key(j, "shapes");
    json_array(j);
    for (size_t i = 0; i < shave->shapes.len; i++) {
        const struct shave_shape *shape = &shave->shapes.items[i];
        json_object(j);
        json_member_str(j, "name", shape->name);
        json_member_str(j, "value", shape->value);
        json_member_u64_if(j, "line", shape->line > 0, shape->line);
        json_member_text(j, "kind", shape->tile ? "tile" : "shape");
        json_object_end(j);
    }
    json_array_end(j);
    json_key(j, "not_given");
    json_array(j);
    for (size_t i = 0; i < shave->not_given.len; i++) json_str(j, shave->not_given.items[i]);
    json_array_end(j);
    json_key(j, "smallest_change");
    if (shave->smallest) step_json(j, shave->smallest);
    else json_null(j);
    json_member_u64(j, "evaluation_count", shave->scans);
}
