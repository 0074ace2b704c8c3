/* SPDX-License-Identifier: Apache-2.0 */
#include "render/json/ir_json.h"

#include "analysis/run/weights.h"
#include "base/json_write.h"
#include "base/num.h"
#include "model/module_lines.h"
#include "render/format/json_parts.h"
#include "render/json/module_index.h"

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

/* Writes the first line of every name. */
struct index_writer {
    struct ir_writer *w;
    struct map seen;
};

static void index_entry(void *context, const struct ir_line *line) {
    struct index_writer *index = context;
    bool added;
    if (!line->location.len) return;
    map_at(&index->seen, hash_bytes(line->location), &added);
    if (!added) return;
    json_key_slice(&index->w->json, line->location);
    json_u64(&index->w->json, line->number);
    flush(index->w, FLUSH_BYTES);
}

static void write_index(struct ir_writer *w, const struct module *module, struct slice log) {
    struct index_writer index = {.w = w};
    json_key(&w->json, "loc_index");
    json_object(&w->json);
    module_index(module, log, index_entry, &index);
    json_object_end(&w->json);
    map_release(&index.seen);
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

int ir_json(const struct run *run, bool pretty, struct outfile *file, struct err *err) {
    struct slice log = run->text;
    struct ir_writer w = {.file = file, .err = err};
    w.json = (struct json){.out = &w.text, .pretty = pretty};
    uint32_t sets = run_compilations(run);
    json_document(&w.json);
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
    struct weight_sum weights = weights_total(run);
    uint64_t inputs = 0;
    for (size_t i = 0; i < run->registry.len; i++) inputs += run->registry.items[i].role == ROLE_INPUT;
    json_key(j, "metadata");
    json_object(j);
    json_member_u64(j, "total_entries", run->registry.len);
    json_member_u64(j, "total_weights", weights.count);
    json_member_u64(j, "total_inputs", inputs);
    json_member_u64(j, "total_weight_bytes", weights.bytes);
    json_member_milli(j, "total_weight_MB", num_bytes_to_milli_mb(weights.bytes));
    json_object_end(j);
}

int registry_json(const struct run *run, bool pretty, struct outfile *file, struct err *err) {
    struct strbuf text = {0};
    struct json j = {.out = &text, .pretty = pretty};
    json_document(&j);
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
        json_member_u64(&j, "buffer_index", entry->buffer);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    strbuf_addc(&text, '\n');
    int rc = outfile_write(file, strbuf_slice(&text), err);
    strbuf_release(&text);
    return rc;
}
