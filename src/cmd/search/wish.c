/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/search/wish.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "device/tile.h"
#include "render/format/short_location.h"

enum { MOST_NAMES = 12 };

/* "256x1024", "256,1024" and "[256, 1024]", in the first form. */
static int read_shape(const char *text, struct strbuf *out, struct err *err) {
    bool apart = false, wrong = !text[0];
    for (const char *p = text; *p && !wrong; p++) {
        if (*p >= '0' && *p <= '9') {
            if (apart && out->len) strbuf_addc(out, 'x');
            strbuf_addc(out, *p);
            apart = false;
        } else {
            wrong = !strchr("x, []()", *p);
            apart = true;
        }
    }
    if (!wrong && out->len) return 0;
    if (strcmp(text, "scalar") == 0) return 0;
    return err_set(err, ERR_USAGE, "'%.100s' is not a shape: write 1x32x2048 or 1,32,2048", text);
}

/* The format of that name in MLIR, ttnn or tt-metal, in any case; "bfp8" is tt-metal's Bfp8_b. */
static const struct data_format *format_named(const char *text) {
    static const struct {
        const char *word, *name;
    } short_names[] = {{"bfp8", "Bfp8_b"},   {"bfp8_b", "Bfp8_b"}, {"bfp4", "Bfp4_b"}, {"bfp4_b", "Bfp4_b"}, {"bfp2", "Bfp2_b"},
                       {"bfp2_b", "Bfp2_b"}, {"int32", "i32"},     {"int16", "i16"},   {"int8", "i8"},       {"bool", "i1"}};
    struct slice all = slice_from(text);
    const char *dot = strrchr(text, '.');
    if (dot) all = slice_from(dot + 1);
    char lower[32], upper[32];
    if (!all.len || all.len >= sizeof lower) return NULL;
    for (size_t i = 0; i <= all.len; i++) {
        unsigned char c = i < all.len ? (unsigned char)all.ptr[i] : 0;
        lower[i] = (char)tolower(c);
        upper[i] = (char)toupper(c);
    }
    const struct data_format *found = data_format_find(all);
    if (!found) found = data_format_find(slice_from(lower));
    if (!found) found = data_format_find(slice_from(upper));
    for (size_t i = 0; i < sizeof short_names / sizeof *short_names && !found; i++)
        if (strcmp(lower, short_names[i].word) == 0) found = data_format_find(slice_from(short_names[i].name));
    return found;
}

static void add_name(struct strbuf *names, struct slice name, unsigned *count) {
    if (!name.len || *count > MOST_NAMES) return;
    struct strbuf seen = {0};
    strbuf_addz(&seen, ", ");
    strbuf_add(&seen, strbuf_slice(names));
    strbuf_addz(&seen, ", ");
    struct strbuf own = {0};
    strbuf_addz(&own, ", ");
    strbuf_add(&own, name);
    strbuf_addz(&own, ", ");
    if (slice_find(strbuf_slice(&seen), strbuf_slice(&own)) == SLICE_NONE && (*count)++ < MOST_NAMES) {
        if (names->len) strbuf_addz(names, ", ");
        strbuf_add(names, name);
    }
    strbuf_release(&seen);
    strbuf_release(&own);
}

static int refuse(const char *what, const char *word, struct strbuf *names, unsigned count, struct err *err) {
    err_set(err, ERR_USAGE, "unknown %s '%.100s'; this run has %s%s", what, word, names->len ? strbuf_text(names) : "none",
            count > MOST_NAMES ? ", ..." : "");
    strbuf_release(names);
    return -1;
}

static int check_dtype(const struct run *run, struct op_wish *wish, struct err *err) {
    struct strbuf names = {0};
    unsigned count = 0;
    wish->format = format_named(wish->dtype);
    for (size_t i = 0; i < run->types.len; i++) {
        if (run->types.items[i].kind != TYPE_TENSOR) continue;
        if (slice_equal(run->types.items[i].dtype, slice_from(wish->dtype))) wish->dtype_seen = true;
        add_name(&names, run->types.items[i].dtype, &count);
    }
    if (!wish->format && !wish->dtype_seen) return refuse("element type", wish->dtype, &names, count, err);
    strbuf_release(&names);
    return 0;
}

static int check_program(const struct run *run, const char *word, struct err *err) {
    struct strbuf names = {0};
    unsigned count = 0;
    bool found = false;
    for (size_t i = 0; i < run->executions.len && !found; i++) {
        struct slice name = run_string(run, run->executions.items[i].name);
        found = slice_equal(name, slice_from(word));
        add_name(&names, name, &count);
    }
    if (!found) return refuse("program", word, &names, count, err);
    strbuf_release(&names);
    return 0;
}

/* Per distinct op: its place, as in the log or shortened as in tables. */
static bool *find_located(const struct run *run, const char *part) {
    bool *located = mem_zalloc(run->ops.len + 1, sizeof *located);
    struct strbuf place = {0};
    for (size_t i = 0; i < run->ops.len; i++) {
        struct slice whole = run_string(run, run->ops.items[i].display);
        strbuf_clear(&place);
        short_location(&place, whole);
        located[i] = op_text_contains(whole, part) || op_text_contains(strbuf_slice(&place), part);
    }
    strbuf_release(&place);
    return located;
}

int wish_check(const struct input *in, struct op_wish *wish, struct wish_room *room, struct err *err) {
    if (wish->shape && read_shape(wish->shape, &room->shape, err) != 0) return -1;
    if (wish->shape && room->shape.len) wish->shape = strbuf_text(&room->shape);
    else if (wish->shape) wish->shape = "";
    if (wish->dtype && check_dtype(&in->run, wish, err) != 0) return -1;
    if (wish->program && check_program(&in->run, wish->program, err) != 0) return -1;
    if (wish->location) wish->located = room->located = find_located(&in->run, wish->location);
    return 0;
}

void wish_release(struct wish_room *room) {
    strbuf_release(&room->shape);
    free(room->located);
}
