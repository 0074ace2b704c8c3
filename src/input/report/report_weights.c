/* SPDX-License-Identifier: Apache-2.0 */
#include "input/report/report_weights.h"

#include <stdlib.h>

#include "base/json_split.h"
#include "base/num.h"
#include "input/report/report_told.h"
#include "model/run_write.h"

enum { LONGEST_NAME = 80 };

/* "%arg12" -> 12 */
static bool argument_of(struct slice value, uint32_t *number) {
    uint64_t n;
    struct slice digits = slice_skip(value, 4);
    if (!slice_starts(value, SLICE("%arg")) || !digits.len || num_read_u64(digits, &n) != digits.len || n >= NONE) return false;
    *number = (uint32_t)n;
    return true;
}

static enum argument_role role_of(struct slice type) {
    for (enum argument_role role = ROLE_UNKNOWN; role <= ROLE_CONSTANT; role++)
        if (slice_equal(type, slice_from(role_names[role]))) return role;
    return ROLE_UNKNOWN;
}

static void add(struct report_weights *w, uint32_t program, uint32_t argument, struct json_value from,
                enum argument_role role) {
    bool added;
    map_at(&w->known, (struct hash128){program, argument}, &added);
    if (!added) return;
    struct registry_entry entry = {.argument = argument, .module = NONE, .program = NONE, .role = role};
    entry.name = arena_copy(&w->arena, told_text(from, "name"));
    entry.shape = arena_copy(&w->arena, told_text(from, "shape"));
    entry.local_shape = arena_copy(&w->arena, told_text(from, "local_shape"));
    entry.dtype = arena_copy(&w->arena, told_text(from, "dtype"));
    entry.bytes_known = told_u64(from, "bytes", &entry.bytes);
    entry.kv_cache = told_true(from, "kv_cache");
    uint64_t buffer = NONE;
    told_u64(from, "buffer_index", &buffer);
    uint32_t row = w->by_operations ? NONE : (uint32_t)w->rows.len - 1;
    vec_push(&w->arguments, ((struct told_argument){program, row, (uint32_t)buffer, entry}));
}

int report_weights_read(struct report_weights *w, const struct report_files *files, struct json_reader *reader,
                        struct err *err) {
    struct slice list, text;
    struct json_value entry;
    w->by_operations = !files->have[PART_REGISTRY];
    if (w->by_operations) return 0;
    const char *path = files->parts[PART_REGISTRY].path;
    if (!json_split_member(files->parts[PART_REGISTRY].bytes, "entries", &list) || json_split_kind(list) != '[')
        return err_set(err, ERR_INPUT, "%s has no entries", path);
    struct json_items items = json_split_items(list);
    while (json_split_next(&items, &text)) {
        uint64_t program = 0;
        uint32_t argument;
        struct json_value of;
        if (!json_parse(reader, text, &entry)) return err_set(err, ERR_INPUT, "%s: %s", path, json_error(reader));
        if (json_member(entry, "program_index", &of) && !json_u64_of(of, &program)) program = NONE; /* it never ran */
        struct registry_row row = {.name = arena_copy(&w->arena, told_text(entry, "name"))};
        row.has_bytes = told_u64(entry, "bytes", &row.bytes);
        vec_push(&w->rows, row);
        if (argument_of(told_text(entry, "ssa"), &argument))
            add(w, (uint32_t)program, argument, entry, role_of(told_text(entry, "type")));
    }
    return 0;
}

int report_weights_check(const struct report_weights *w, const struct report_files *files, uint64_t index, struct json_value op,
                         struct err *err) {
    struct json_value list, weight;
    if (w->by_operations || !json_member(op, "weights", &list)) return 0;
    for (struct json_walk walk = json_walk_of(list); json_next(&walk, NULL, &weight);) {
        uint64_t place, bytes;
        struct slice name = told_text(weight, "name");
        if (!told_u64(weight, "registry_index", &place)) continue;
        const struct registry_row *row = place < w->rows.len ? &w->rows.items[place] : NULL;
        struct slice listed = row ? row->name : slice_of("", 0);
        bool renamed = row && name.len && !slice_equal(name, listed);
        bool resized = row && row->has_bytes && told_u64(weight, "bytes", &bytes) && bytes != row->bytes;
        if (row && !renamed && !resized) continue;
        return err_set(err, ERR_INPUT, "%s and %s are from different runs: op %llu uses weight %llu, %.*s, which %s%.*s there",
                       files->parts[PART_OPERATIONS].path, files->parts[PART_REGISTRY].path, (unsigned long long)index,
                       (unsigned long long)place, SLICE_FMT(slice_take(name, LONGEST_NAME)),
                       !row      ? "is missing"
                       : renamed ? "is "
                                 : "has another size",
                       SLICE_FMT(slice_take(renamed ? listed : slice_of("", 0), LONGEST_NAME)));
    }
    return 0;
}

/* An op that uses as many arguments as it lists weights uses these, in order. */
void report_weights_of_op(struct report_weights *w, uint32_t program, struct json_value op) {
    enum { MOST = 64 };
    struct json_value list, item;
    struct slice value;
    uint32_t arguments[MOST];
    size_t used = 0, listed = 0;
    if (!w->by_operations || !json_member(op, "inputs", &list)) return;
    for (struct json_walk walk = json_walk_of(list); used < MOST && json_next(&walk, NULL, &item);)
        if (json_string_of(item, &value) && argument_of(value, &arguments[used])) used++;
    if (!used || !json_member(op, "weights", &list)) return;
    for (struct json_walk walk = json_walk_of(list); json_next(&walk, NULL, &item);) listed++;
    size_t next = 0;
    for (struct json_walk walk = json_walk_of(list); listed == used && json_next(&walk, NULL, &item);)
        add(w, program, arguments[next++], item, ROLE_PARAMETER);
}

static void write_entry(struct run_writer *writer, struct registry_entry entry, uint32_t program) {
    struct arena *arena = &writer->run->arena;
    struct slice *const texts[] = {&entry.name, &entry.shape, &entry.local_shape, &entry.dtype};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) *texts[i] = arena_copy(arena, *texts[i]);
    entry.program = program;
    run_write_registry(writer, &entry);
}

static uint32_t run_program(const struct run *run, const uint32_t *program_of, uint32_t told) {
    for (uint32_t p = 0; told != NONE && p < run->programs.len; p++)
        if (program_of[p] == told) return p;
    return NONE;
}

/* The buffers that entries share, if the file gives one for every entry. */
static bool link_told(const struct report_weights *w, struct run *run) {
    uint32_t *place = mem_alloc((w->rows.len + 1) * sizeof *place);
    bool all = true;
    for (size_t i = 0; i < w->rows.len; i++) place[i] = NONE;
    for (uint32_t i = 0; i < w->arguments.len; i++) place[w->arguments.items[i].row] = i;
    for (uint32_t i = 0; all && i < w->arguments.len; i++) {
        uint32_t row = w->arguments.items[i].buffer;
        all = row < w->rows.len && place[row] <= i;
        if (all) run->registry.items[i].buffer = place[row];
    }
    for (size_t i = 0; all && i < run->registry.len; i++) run->registry.items[i].users = 0;
    for (size_t i = 0; all && i < run->registry.len; i++) run->registry.items[run->registry.items[i].buffer].users++;
    free(place);
    return all;
}

/* Takes the registry as it is in the file: what the modules gave is linked to no program. */
static void take_registry(const struct report_weights *w, struct run_writer *writer, const uint32_t *program_of) {
    struct run *run = writer->run;
    run->registry.len = 0;
    for (size_t i = 0; i < w->arguments.len; i++)
        write_entry(writer, w->arguments.items[i].entry, run_program(run, program_of, w->arguments.items[i].program));
    for (uint32_t p = 0; p < run->programs.len; p++) {
        struct program *program = &run->programs.items[p];
        uint32_t i = 0;
        while (i < w->arguments.len && w->arguments.items[i].program != program_of[p]) i++;
        program->first_entry = i;
        while (i < w->arguments.len && w->arguments.items[i].program == program_of[p]) i++;
        program->entry_count = i - program->first_entry;
    }
    if (!link_told(w, run)) run_link_buffers(run);
}

void report_weights_end(struct report_weights *w, struct run *run, const uint32_t *program_of) {
    struct run_writer writer = {.run = run};
    if (!w->by_operations) {
        take_registry(w, &writer, program_of);
        return;
    }
    for (uint32_t p = 0; p < run->programs.len; p++) {
        struct program *program = &run->programs.items[p];
        if (program->entry_count) continue;
        program->first_entry = (uint32_t)run->registry.len;
        for (size_t i = 0; i < w->arguments.len; i++) {
            if (w->arguments.items[i].program != program_of[p]) continue;
            write_entry(&writer, w->arguments.items[i].entry, p);
            program->entry_count++;
        }
    }
    run_link_buffers(run);
}

void report_weights_release(struct report_weights *w) {
    arena_release(&w->arena);
    vec_release(&w->arguments);
    vec_release(&w->rows);
    map_release(&w->known);
}
