/* SPDX-License-Identifier: Apache-2.0 */
#include "input/report/report_ir.h"

#include "base/table/hash.h"
#include "input/report/report_told.h"

/* Two models can share a few ops by chance. */
enum { MOST_PROBED = 400, LEAST_PROBED = 8, SHARED_BY_CHANCE = 10, LOST_BY_CHANCE = 20 };

static struct hash128 line_key(struct slice op, struct slice value, struct slice shape) {
    struct hash128 parts[] = {hash_bytes(op), hash_bytes(value), hash_bytes(shape)};
    return hash_bytes(slice_of((const char *)parts, sizeof parts));
}

static struct slice until(struct slice s, char end) { return slice_take(s, slice_find_byte(s, end)); }

/* "1x32" of "tensor<1x32xbf16, #layout> ..."; empty if there is none. */
static struct slice shape_of(struct slice type) {
    if (!slice_starts(type, SLICE("tensor<"))) return slice_of("", 0);
    struct slice inside = until(until(slice_skip(type, 7), '>'), ',');
    const char *last = inside.len ? memrchr(inside.ptr, 'x', inside.len) : NULL;
    return last ? slice_between(inside.ptr, last) : slice_of("", 0);
}

/* %4:3 = "ttnn.add"(...) ... -> tensor<1x32xbf16, #layout> */
static void take_line(struct report_ir *ir, struct slice line) {
    size_t equals = slice_find(line, SLICE(" = "));
    if (!slice_starts(line, SLICE("%")) || equals == SLICE_NONE) return;
    struct slice value = until(slice_take(line, equals), ':'), op = slice_skip(line, equals + 3);
    bool quoted = slice_starts(op, SLICE("\""));
    struct slice name = quoted ? until(slice_skip(op, 1), '"') : until(until(op, '('), ' ');
    struct slice type = line;
    for (size_t at; (at = slice_find(type, SLICE("-> "))) != SLICE_NONE;) type = slice_skip(type, at + 3);
    if (slice_starts(type, SLICE("("))) type = slice_skip(type, 1);
    bool added;
    map_at(&ir->lines, line_key(name, value, shape_of(type)), &added);
}

void report_ir_take(struct report_ir *ir, struct json_value module) {
    struct slice text = told_text(module, "text"), name;
    struct json_value places, line_number;
    bool added;
    ir->modules++;
    if (json_member(module, "loc_index", &places))
        for (struct json_walk w = json_walk_of(places); json_next(&w, &name, &line_number);)
            map_at(&ir->places, hash_bytes(name), &added);
    while (text.len) {
        struct slice line = until(text, '\n');
        take_line(ir, slice_trim(line));
        text = slice_skip(text, line.len + 1);
    }
}

void report_ir_probe(struct report_ir *ir, struct json_value op) {
    struct slice value = told_text(op, "result"), shape = shape_of(told_text(op, "output_type")), place = told_text(op, "loc");
    if (ir->places.len && place.len && ir->placed < MOST_PROBED) {
        ir->placed++;
        ir->known += map_find(&ir->places, hash_bytes(place)) != NULL;
    }
    if (!ir->modules || ir->probed == MOST_PROBED || !value.len || !shape.len) return;
    ir->probed++;
    ir->found += map_find(&ir->lines, line_key(told_text(op, "mlir_op"), value, shape)) != NULL;
}

int report_ir_check(const struct report_ir *ir, const struct report_files *files, size_t programs, struct err *err) {
    bool all = ir->modules >= programs;
    bool same = ir->probed < LEAST_PROBED || (all ? ir->found * SHARED_BY_CHANCE >= ir->probed : ir->found > 0);
    bool placed = !all || !programs || ir->placed < LEAST_PROBED || (ir->placed - ir->known) * LOST_BY_CHANCE <= ir->placed;
    if (same && !placed)
        return err_set(err, ERR_INPUT,
                       "%s and %s are from different runs: the modules hold %zu of the locations of the first %zu ops; "
                       "remove the first file to read the report without it",
                       files->parts[PART_IR].path, files->parts[PART_MEMORY].path, ir->known, ir->placed);
    if (same) return 0;
    return err_set(err, ERR_INPUT,
                   "%s and %s are from different runs: the modules hold %zu of the first %zu ops; remove the first file to "
                   "read the report without it",
                   files->parts[PART_IR].path, files->parts[PART_MEMORY].path, ir->found, ir->probed);
}

void report_ir_release(struct report_ir *ir) {
    map_release(&ir->lines);
    map_release(&ir->places);
}
