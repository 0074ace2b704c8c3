#include "render/ir_json.h"

#include "base/json_write.h"
#include "base/num.h"
#include "model/module_lines.h"
#include "parse/location.h"
#include "parse/mlir_scan.h"
#include "render/json_parts.h"

enum { FLUSH_BYTES = 1 << 20 };

struct ir_writer {
    struct strbuf text;
    struct json json;
    struct outfile *file;
    struct err *err;
    bool failed;
};

static void flush(struct ir_writer *w, size_t above) {
    if (w->text.len <= above) return;
    if (!w->failed && outfile_write(w->file, strbuf_slice(&w->text), w->err) != 0) w->failed = true;
    strbuf_clear(&w->text);
}

/* Location aliases of a module by number; #loc is 0, #locN is N + 1. */
struct aliases {
    VEC(struct slice) texts;
};

static bool alias_number(struct slice alias, size_t *number) {
    uint64_t n = 0;
    if (!slice_starts(alias, SLICE("#loc"))) return false;
    struct slice digits = slice_skip(alias, 4);
    if (digits.len && (num_read_u64(digits, &n) != digits.len || n > 1 << 26)) return false;
    *number = digits.len ? (size_t)n + 1 : 0;
    return true;
}

static struct slice find_alias(void *context, struct slice alias) {
    const struct aliases *aliases = context;
    size_t number;
    if (!alias_number(alias, &number) || number >= aliases->texts.len) return slice_of("", 0);
    return aliases->texts.items[number];
}

static void collect_aliases(const struct module *module, struct slice log, struct aliases *aliases, struct arena *arena) {
    struct module_lines lines;
    struct slice line;
    module_lines_init(&lines, module, log);
    while (module_lines_next(&lines, &line)) {
        size_t number, equals = slice_starts(line, SLICE("#loc")) ? slice_find(line, SLICE(" = loc(")) : SLICE_NONE;
        if (equals == SLICE_NONE || !alias_number(slice_take(line, equals), &number)) continue;
        while (aliases->texts.len <= number) vec_push(&aliases->texts, slice_of("", 0));
        aliases->texts.items[number] = arena_copy(arena, mlir_inside(slice_trim(slice_skip(line, equals + 6))));
    }
    module_lines_release(&lines);
}

/* The location that closes an op's line, inside loc( ); empty when there is none. */
static struct slice line_location(struct slice line) {
    line = slice_trim(line);
    if (!line.len || (line.ptr[0] != '%' && line.ptr[0] != '"') || line.ptr[line.len - 1] != ')') return slice_of("", 0);
    for (size_t i = line.len; i > 5; i--)
        if (line.ptr[i - 1] == '(' && memcmp(line.ptr + i - 5, " loc", 4) == 0) return slice_of(line.ptr + i, line.len - i - 1);
    return slice_of("", 0);
}

static void write_text(struct ir_writer *w, const struct module *module, struct slice log) {
    struct module_lines lines;
    struct slice line;
    module_lines_init(&lines, module, log);
    json_key(&w->json, "text");
    json_raw(&w->json, SLICE("\""));
    struct strbuf quoted = {0};
    while (module_lines_next(&lines, &line)) {
        strbuf_clear(&quoted);
        json_quote(&quoted, line);
        strbuf_add(&w->text, slice_of(quoted.data + 1, quoted.len - 2));
        strbuf_add(&w->text, SLICE("\\n"));
        flush(w, FLUSH_BYTES);
    }
    strbuf_release(&quoted);
    strbuf_addc(&w->text, '"');
    module_lines_release(&lines);
}

static void write_index(struct ir_writer *w, const struct module *module, struct slice log) {
    struct arena arena = {0};
    struct aliases aliases = {0};
    struct map seen = {0};
    struct module_lines lines;
    struct slice line;
    struct strbuf name = {0};
    collect_aliases(module, log, &aliases, &arena);
    struct location_names names = {&aliases, find_alias};
    uint64_t number = 0;
    module_lines_init(&lines, module, log);
    json_key(&w->json, "loc_index");
    json_object(&w->json);
    while (module_lines_next(&lines, &line)) {
        number++;
        struct slice location = line_location(line);
        if (!location.len) continue;
        strbuf_clear(&name);
        location_display_with(&name, location, &names);
        if (!name.len) continue;
        bool added;
        map_at(&seen, hash_bytes(strbuf_slice(&name)), &added);
        if (!added) continue;
        json_key_slice(&w->json, strbuf_slice(&name));
        json_u64(&w->json, number);
        flush(w, FLUSH_BYTES);
    }
    json_object_end(&w->json);
    module_lines_release(&lines);
    strbuf_release(&name);
    map_release(&seen);
    vec_release(&aliases.texts);
    arena_release(&arena);
}

static void write_stage(struct ir_writer *w, const struct run *run, const char *key, uint32_t module, struct slice log) {
    json_key(&w->json, key);
    json_object(&w->json);
    if (module != NONE) {
        write_text(w, &run->modules.items[module], log);
        write_index(w, &run->modules.items[module], log);
    } else {
        json_member_text(&w->json, "text", "");
        json_key(&w->json, "loc_index");
        json_raw(&w->json, SLICE("{}"));
    }
    json_object_end(&w->json);
}

uint32_t module_of_stage(const struct run *run, uint32_t set, struct slice stage) {
    uint32_t found = NONE;
    for (size_t i = 0; i < run->modules.len; i++) {
        const struct module *module = &run->modules.items[i];
        if (module->set != set) continue;
        if (slice_equal(module->stage, stage)) return (uint32_t)i;
        if (slice_equal(stage, SLICE("ttnn")) && slice_equal(module->stage, SLICE("ttnn_runtime"))) found = (uint32_t)i;
    }
    return found;
}

static uint32_t program_of_set(const struct run *run, uint32_t set) {
    for (size_t i = 0; i < run->programs.len; i++) {
        uint32_t module = run->programs.items[i].module;
        if (module != NONE && run->modules.items[module].set == set) return (uint32_t)i;
    }
    return NONE;
}

static struct slice set_name(const struct run *run, uint32_t set) {
    for (size_t i = 0; i < run->modules.len; i++)
        if (run->modules.items[i].set == set && run->modules.items[i].text.symbol.len) return run->modules.items[i].text.symbol;
    return SLICE("module");
}

static void write_graph(struct ir_writer *w, const struct run *run, uint32_t set, struct slice log) {
    write_stage(w, run, "ttir", module_of_stage(run, set, SLICE("ttir")), log);
    write_stage(w, run, "ttnn", module_of_stage(run, set, SLICE("ttnn")), log);
}

int ir_json(const struct run *run, struct slice log, bool pretty, struct outfile *file, struct err *err) {
    struct ir_writer w = {.file = file, .err = err};
    w.json = (struct json){.out = &w.text, .pretty = pretty};
    uint32_t sets = run->modules.len ? vec_last(&run->modules).set + 1 : 0;
    json_object(&w.json);
    if (sets <= 1) {
        write_graph(&w, run, 0, log);
    } else {
        json_key(&w.json, "programs");
        json_array(&w.json);
        for (uint32_t set = 0; set < sets; set++) {
            json_object(&w.json);
            json_member_str(&w.json, "name", set_name(run, set));
            write_graph(&w, run, set, log);
            json_member_index(&w.json, "program_index", program_of_set(run, set));
            json_object_end(&w.json);
        }
        json_array_end(&w.json);
    }
    json_object_end(&w.json);
    strbuf_addc(&w.text, '\n');
    flush(&w, 0);
    strbuf_release(&w.text);
    return w.failed ? -1 : 0;
}

static void registry_metadata(struct json *j, const struct run *run) {
    uint64_t weights = 0, inputs = 0, bytes = 0;
    for (size_t i = 0; i < run->registry.len; i++) {
        const struct registry_entry *entry = &run->registry.items[i];
        bool weight = entry->role == ROLE_PARAMETER || entry->role == ROLE_CONSTANT;
        weights += weight;
        inputs += entry->role == ROLE_INPUT;
        if (weight) bytes += entry->bytes;
    }
    json_key(j, "metadata");
    json_object(j);
    json_member_u64(j, "total_entries", run->registry.len);
    json_member_u64(j, "total_weights", weights);
    json_member_u64(j, "total_inputs", inputs);
    json_member_u64(j, "total_weight_bytes", bytes);
    json_member_mb(j, "total_weight_MB", bytes);
    json_object_end(j);
}

int registry_json(const struct run *run, bool pretty, struct outfile *file, struct err *err) {
    struct strbuf text = {0};
    struct json j = {.out = &text, .pretty = pretty};
    json_object(&j);
    registry_metadata(&j, run);
    json_key(&j, "entries");
    json_array(&j);
    for (size_t i = 0; i < run->registry.len; i++) {
        const struct registry_entry *entry = &run->registry.items[i];
        char ssa[NUM_ROOM] = "%arg";
        json_object(&j);
        json_member_u64(&j, "index", i);
        json_member_str(&j, "ssa", slice_of(ssa, 4 + num_write_u64(ssa + 4, entry->argument)));
        json_member_str(&j, "name", entry->name);
        json_member_text(&j, "type", role_names[entry->role]);
        json_member_str(&j, "shape", entry->shape);
        json_member_str(&j, "dtype", entry->dtype);
        json_key(&j, "bytes");
        if (entry->bytes_known) json_u64(&j, entry->bytes);
        else json_null(&j);
        json_key(&j, "bytes_MB");
        if (entry->bytes_known) json_milli(&j, num_bytes_to_milli_mb(entry->bytes));
        else json_null(&j);
        json_member_index(&j, "program_index", entry->program);
        json_member_text_or_null(&j, "local_shape", entry->local_shape);
        json_member_bool(&j, "kv_cache", entry->kv_cache);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    strbuf_addc(&text, '\n');
    int rc = outfile_write(file, strbuf_slice(&text), err);
    strbuf_release(&text);
    return rc;
}
