#include "base/json_split.h"
#include "base/num.h"
#include "render/format/json_parts.h"
#include "store/report_reading.h"

static enum argument_role role_of(struct slice name) {
    for (unsigned i = 0; i <= ROLE_CONSTANT; i++)
        if (slice_equal(name, slice_from(role_names[i]))) return i;
    return ROLE_UNKNOWN;
}

static void number_or_null(struct json *j, struct json_value entry, const char *name) {
    uint64_t number;
    if (member_u64(entry, name, &number)) json_u64(j, number);
    else json_null(j);
}

static void text_or_null(struct json *j, struct json_value entry, const char *name) {
    struct slice text = member_text(entry, name);
    if (text.len) json_str(j, text);
    else json_null(j);
}

/* The shape as text: "512x512", or a list of numbers in older reports. */
static void shape_text(struct json *j, struct json_value entry) {
    struct json_value shape, item;
    if (!json_member(entry, "shape", &shape) || json_kind_of(shape) != JSON_ARRAY) {
        text_or_null(j, entry, "shape");
        return;
    }
    struct strbuf text = {0};
    uint64_t dim;
    for (struct json_walk w = json_walk_of(shape); json_next(&w, NULL, &item);)
        if (json_u64_of(item, &dim)) strbuf_addf(&text, "%s%llu", text.len ? "x" : "", (unsigned long long)dim);
    json_str(j, strbuf_slice(&text));
    strbuf_release(&text);
}

static void registry_entry(struct reading *r, struct json_value entry, struct slice type) {
    struct json *j = &r->registry;
    struct json_value kv;
    bool is_kv = false;
    size_t index = r->roles.len;
    if (!index) {
        j->out = &r->page->registry;
        json_object(j);
        json_key(j, "entries");
        json_array(j);
    }
    vec_push(&r->roles, (uint8_t)role_of(type));
    vec_push(&r->argument_names, arena_copy(r->keep, member_text(entry, "ssa")));
    vec_push(&r->argument_names, arena_copy(r->keep, member_text(entry, "name")));
    uint64_t bytes = 0;
    member_u64(entry, "bytes", &bytes);
    vec_push(&r->argument_bytes, bytes);
    json_array(j);
    json_u64(j, index);
    text_or_null(j, entry, "ssa");
    text_or_null(j, entry, "name");
    json_str(j, type);
    shape_text(j, entry);
    text_or_null(j, entry, "dtype");
    number_or_null(j, entry, "bytes");
    number_or_null(j, entry, "program_index");
    text_or_null(j, entry, "local_shape");
    json_bool(j, json_member(entry, "kv_cache", &kv) && json_bool_of(kv, &is_kv) && is_kv);
    number_or_null(j, entry, "buffer_index");
    json_array_end(j);
}

/* Says which part of a file cannot be read. */
static int garbled(const struct reading *r, enum report_part part, const char *what, size_t number, struct err *err) {
    return err_set(err, ERR_INPUT, "%s: %s %zu: %s", r->files->parts[part].path, what, number, json_error(r->operations));
}

int read_registry(struct reading *r, struct err *err) {
    struct slice list, text;
    struct json_value entry;
    if (!r->files->have[PART_REGISTRY]) return 0;
    if (!json_split_member(r->files->parts[PART_REGISTRY].bytes, "entries", &list) || json_split_kind(list) != '[')
        return err_set(err, ERR_INPUT, "%s has no entries", r->files->parts[PART_REGISTRY].path);
    struct json_items items = json_split_items(list);
    while (json_split_next(&items, &text)) {
        if (!json_parse(r->operations, text, &entry)) return garbled(r, PART_REGISTRY, "entry", r->roles.len, err);
        registry_entry(r, entry, member_text(entry, "type"));
    }
    return 0;
}

uint32_t read_weight(struct reading *r, struct json_value weight) {
    uint64_t place;
    if (r->files->have[PART_REGISTRY])
        return member_u64(weight, "registry_index", &place) && place < r->roles.len ? (uint32_t)place : NONE;
    struct slice name = member_text(weight, "name");
    bool added;
    uint32_t *id = map_at(&r->weight_ids, hash_bytes(name), &added);
    uint64_t bytes;
    if (!added) return *id;
    *id = (uint32_t)r->roles.len;
    registry_entry(r, weight, SLICE("parameter"));
    if (member_u64(weight, "bytes", &bytes)) r->weight_bytes += bytes;
    return *id;
}

static void take_module(struct reading *r, struct json_value graph, const char *stage, uint32_t program) {
    struct json_value module;
    if (!json_member(graph, stage, &module)) return;
    struct slice text = member_text(module, "text");
    if (!text.len) return;
    uint32_t number = (uint32_t)r->page->modules.len;
    struct page_module *kept = vec_add(&r->page->modules);
    *kept = (struct page_module){.text = arena_copy(r->keep, text)};
    struct page_lines lines = {r->page, number};
    kept->lines = module_text_index(kept->text, page_line, &lines);
    vec_push(&r->modules, ((struct read_module){stage, program, text.len, kept->lines}));
}

static void take_graph(struct reading *r, struct json_value graph, uint32_t otherwise) {
    uint64_t program = otherwise;
    member_u64(graph, "program_index", &program);
    take_module(r, graph, "ttir", (uint32_t)program);
    take_module(r, graph, "ttnn", (uint32_t)program);
}

int read_modules(struct reading *r, struct err *err) {
    if (!r->files->have[PART_IR]) return 0;
    struct slice text = r->files->parts[PART_IR].bytes, list, item;
    struct json_value graph;
    if (!json_split_member(text, "programs", &list)) {
        if (!json_parse(r->operations, text, &graph)) return garbled(r, PART_IR, "program", 0, err);
        take_graph(r, graph, 0);
        return 0;
    }
    struct json_items items = json_split_items(list);
    for (uint32_t i = 0; json_split_next(&items, &item); i++) {
        if (!json_parse(r->operations, item, &graph)) return garbled(r, PART_IR, "program", i, err);
        take_graph(r, graph, i);
    }
    return 0;
}

static int64_t module_for(const struct reading *r, uint32_t program, const char *stage) {
    for (size_t i = 0; i < r->modules.len; i++)
        if (strcmp(r->modules.items[i].stage, stage) == 0 && r->modules.items[i].program == program) return (int64_t)i;
    return -1;
}

/* Name of a program by its number in the metadata; "program" where the report has none. */
static void name_programs(struct reading *r, struct json_value metadata, bool has_metadata) {
    struct json_value list, item;
    VEC(uint32_t) names = {0};
    if (has_metadata && json_member(metadata, "programs", &list))
        for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &item);)
            vec_push(&names, strtab_id(&r->names, member_text(item, "name")));
    for (size_t i = 0; i < r->executions.len; i++) {
        struct read_execution *e = &r->executions.items[i];
        if (e->name == NONE)
            e->name = e->program < names.len ? names.items[e->program] : strtab_id(&r->names, SLICE("program"));
    }
    vec_release(&names);
}

static void numbers(struct json *j, const char *key, const struct reading *r,
                    int64_t (*value)(const struct reading *, const struct read_execution *)) {
    json_key(j, key);
    json_array(j);
    for (size_t i = 0; i < r->executions.len; i++) json_i64(j, value(r, &r->executions.items[i]));
    json_array_end(j);
}

static int64_t name_of(const struct reading *r, const struct read_execution *e) {
    (void)r;
    return e->name;
}
static int64_t nested_of(const struct reading *r, const struct read_execution *e) {
    (void)r;
    return e->parent != NONE; /* kind 1 is const-eval, depth 1 is nested: the only nesting the files know */
}
static int64_t rank_of(const struct reading *r, const struct read_execution *e) {
    (void)r;
    return e->rank;
}
static int64_t first_of(const struct reading *r, const struct read_execution *e) {
    (void)r;
    return e->first;
}
static int64_t last_of(const struct reading *r, const struct read_execution *e) {
    (void)r;
    return e->last;
}
static int64_t ttir_of(const struct reading *r, const struct read_execution *e) { return module_for(r, e->program, "ttir"); }
static int64_t ttnn_of(const struct reading *r, const struct read_execution *e) { return module_for(r, e->program, "ttnn"); }

static void member_programs(struct json *j, const struct reading *r) {
    json_key(j, "programs");
    json_object(j);
    json_key(j, "names");
    json_array(j);
    for (uint32_t i = 0; i < r->names.strings.len; i++) json_str(j, strtab_get(&r->names, i));
    json_array_end(j);
    numbers(j, "name", r, name_of);
    numbers(j, "kind", r, nested_of);
    numbers(j, "depth", r, nested_of);
    numbers(j, "rank", r, rank_of);
    numbers(j, "first_step", r, first_of);
    numbers(j, "last_step", r, last_of);
    numbers(j, "ttir", r, ttir_of);
    numbers(j, "ttnn", r, ttnn_of);
    json_object_end(j);
}

static void member_configs(struct json *j, const struct reading *r) {
    json_key(j, "pools");
    json_array(j);
    for (unsigned pool = 0; pool < PAGE_POOLS; pool++) json_text(j, pool_names[pool]);
    json_array_end(j);
    json_key(j, "configs");
    json_array(j);
    for (size_t i = 0; i < r->configs.len; i++) {
        json_array(j);
        for (unsigned pool = 0; pool < PAGE_POOLS; pool++) {
            if (!r->configs.items[i].banks[pool]) {
                json_null(j);
                continue;
            }
            json_array(j);
            json_u64(j, r->configs.items[i].banks[pool]);
            json_u64(j, r->configs.items[i].total[pool]);
            json_array_end(j);
        }
        json_array_end(j);
    }
    json_array_end(j);
}

static void record_or_null(struct json *j, const struct reading *r, const char *key, uint32_t step) {
    uint32_t record = NONE;
    for (uint32_t i = 0; step != NONE && i < r->records.len && record == NONE; i++)
        if (r->records.items[i] >= step) record = r->records.items[i] == step ? i : NONE, i = (uint32_t)r->records.len;
    json_member_index(j, key, record);
}

/* Peaks of the blocks; the metadata knows higher ones that stood in front of deallocates. */
static void member_peaks(struct json *j, const struct reading *r, struct json_value metadata, bool has_metadata) {
    struct json_value peaks, peak, value;
    json_key(j, "peaks");
    json_object(j);
    for (unsigned pool = 0; pool < PAGE_POOLS; pool++) {
        if (!r->peaks[pool].seen) continue;
        int64_t allocated = 0;
        uint64_t op = 0, line = 0;
        bool told = has_metadata && json_member(metadata, "peaks", &peaks) && json_member(peaks, pool_names[pool], &peak) &&
                    json_member(peak, "allocated_MB", &value) && json_milli_of(value, &allocated);
        bool higher =
            told && allocated > (int64_t)r->peaks[pool].allocated && member_u64(peak, "op_index", &op) && op < r->records.len;
        if (told) member_u64(peak, "line", &line);
        json_key(j, pool_names[pool]);
        json_object(j);
        json_member_i64(j, "allocated", higher ? allocated : (int64_t)r->peaks[pool].allocated);
        json_member_u64(j, "capacity", r->peaks[pool].total);
        uint32_t step = higher ? r->records.items[op] : r->peaks[pool].step;
        json_member_i64(j, "step", step == NONE ? -1 : (int64_t)step);
        json_member_u64(j, "before_step", r->peaks[pool].before_step);
        record_or_null(j, r, "op_index", step);
        record_or_null(j, r, "before_op_index", r->peaks[pool].before_step);
        json_member_u64(j, "rank", r->peaks[pool].rank);
        json_member_u64(j, "line", line);
        json_object_end(j);
    }
    json_object_end(j);
}

static void milli_mb(struct json *j, const char *key, struct json_value failure, const char *name) {
    uint64_t bytes;
    if (member_u64(failure, name, &bytes)) json_member_i64(j, key, num_bytes_to_milli_mb(bytes));
    else json_member_null(j, key);
}

static void member_failure(struct json *j, const struct reading *r, struct json_value failure) {
    struct slice kind = member_text(failure, "kind"), verdict = member_text(failure, "verdict"),
                 pool = member_text(failure, "pool");
    struct json_value advice, item;
    struct strbuf title = {0};
    uint64_t op;
    if (slice_equal(kind, SLICE("oom"))) strbuf_addf(&title, "Out of %.*s memory: %.*s", SLICE_FMT(pool), SLICE_FMT(verdict));
    else strbuf_addf(&title, "Failure: %.*s, %.*s", SLICE_FMT(kind), SLICE_FMT(verdict));
    json_object(j);
    json_member_str(j, "kind", verdict);
    json_member_str(j, "title", strbuf_slice(&title));
    json_member_text(j, "verdict", "");
    json_key(j, "advice");
    json_array(j);
    if (json_member(failure, "advice", &advice))
        for (struct json_walk w = json_walk_of(advice); json_next(&w, NULL, &item);) {
            struct slice text;
            if (json_string_of(item, &text)) json_str(j, text);
        }
    json_array_end(j);
    json_member_text(j, "text", "");
    json_member_null(j, "pool");
    milli_mb(j, "need", failure, "per_bank_bytes");
    milli_mb(j, "free", failure, "free_bytes");
    milli_mb(j, "largest", failure, "largest_free_bytes");
    if (member_u64(failure, "op_index", &op) && op < r->records.len) json_member_u64(j, "step", r->records.items[op]);
    else json_member_null(j, "step");
    json_member_u64(j, "rank", 0);
    json_key(j, "line");
    number_or_null(j, failure, "line");
    json_object_end(j);
    strbuf_release(&title);
}

static void member_failures(struct json *j, const struct reading *r, struct json_value metadata, bool has_metadata) {
    struct json_value list, item;
    json_key(j, "failures");
    json_array(j);
    if (has_metadata && json_member(metadata, "failures", &list))
        for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &item);) member_failure(j, r, item);
    json_array_end(j);
}

static void caveat(struct json *j, int pool, const char *text) {
    json_object(j);
    json_key(j, "pools");
    json_array(j);
    if (pool >= 0) json_i64(j, pool);
    json_array_end(j);
    json_member_text(j, "text", text);
    json_object_end(j);
}

static void member_caveats(struct json *j, const struct reading *r) {
    json_key(j, "caveats");
    json_array(j);
    if (r->peaks[POOL_DRAM].seen)
        caveat(j, POOL_DRAM,
               r->has_after ? "State in front of each op: what an op allocates and frees while it runs is not in the log."
                            : "Lower bound: the files hold the memory in front of each op only; what was allocated and freed "
                              "again between two of them, and while an op ran, is not known.");
    if (r->peaks[POOL_L1].seen)
        caveat(j, POOL_L1, "Lower bound: circular buffers and buffers inside an op are not in a runtime log.");
    caveat(j, -1,
           r->has_after
               ? "Made from the files of a report, not from the log: the states between two ops are those behind the first one."
               : "Made from the files of a report, not from the log: memory is known in front of each op only, so a peak "
                 "between two ops may be missing.");
    if (r->tensors.len)
        caveat(j, -1, "Lifetimes are taken from the first and last op that names a value: deallocations are not in the files.");
    for (struct slice rest = strbuf_slice(&r->notes); rest.len;) {
        size_t end = slice_find_byte(rest, '\n');
        struct strbuf line = {0};
        strbuf_add(&line, slice_take(rest, end));
        caveat(j, -1, strbuf_text(&line));
        strbuf_release(&line);
        rest = slice_skip(rest, end + 1);
    }
    json_array_end(j);
    json_key(j, "missing");
    json_array(j);
    if (!r->modules.len) {
        json_object(j);
        json_member_text(j, "what", "module dumps");
        json_member_text(j, "setting", "TTXLA_LOGGER_LEVEL=DEBUG");
        json_object_end(j);
    }
    json_array_end(j);
}

static void member_weights(struct json *j, struct reading *r) {
    uint64_t count = 0, bytes = r->weight_bytes, total = 0;
    struct slice text;
    struct json_value metadata;
    for (size_t i = 0; i < r->roles.len; i++)
        count += r->roles.items[i] == ROLE_PARAMETER || r->roles.items[i] == ROLE_CONSTANT;
    if (r->files->have[PART_REGISTRY] && json_split_member(r->files->parts[PART_REGISTRY].bytes, "metadata", &text) &&
        json_parse(r->operations, text, &metadata) && member_u64(metadata, "total_weight_bytes", &total))
        bytes = total;
    json_key(j, "weights");
    json_object(j);
    json_member_u64(j, "bytes", bytes);
    json_member_u64(j, "count", count);
    json_object_end(j);
}

static void member_modules(struct json *j, const struct reading *r) {
    json_key(j, "modules");
    json_array(j);
    for (size_t i = 0; i < r->modules.len; i++) {
        const struct read_module *module = &r->modules.items[i];
        char section[NUM_ROOM] = "ir";
        uint32_t name = NONE;
        for (size_t e = 0; e < r->executions.len && name == NONE; e++)
            if (r->executions.items[e].program == module->program) name = r->executions.items[e].name;
        json_object(j);
        json_member_text(j, "stage", module->stage);
        json_member_text(j, "name", "");
        json_member_index(j, "program", name);
        json_member_u64(j, "bytes", module->bytes);
        json_member_u64(j, "lines", module->lines);
        json_member_str(j, "section", slice_of(section, 2 + num_write_u64(section + 2, i)));
        json_object_end(j);
    }
    json_array_end(j);
}

static void member_source(struct json *j, struct json_value metadata, bool has_metadata) {
    struct json_value source;
    json_key(j, "source");
    if (!has_metadata || !json_member(metadata, "source", &source)) {
        json_null(j);
        return;
    }
    json_object(j);
    json_key(j, "path");
    text_or_null(j, source, "path");
    json_key(j, "bytes");
    number_or_null(j, source, "bytes");
    json_object_end(j);
}

void read_meta(struct reading *r, struct slice text) {
    struct json_value metadata = {0};
    bool has_metadata = text.len && json_parse(r->memory, text, &metadata);
    struct json j = {.out = &r->page->meta};
    const struct page_columns *c = &r->page->columns;
    name_programs(r, metadata, has_metadata);
    if (r->roles.len) {
        json_array_end(&r->registry);
        json_object_end(&r->registry);
    }
    json_object(&j);
    json_member_u64(&j, "format", 1);
    json_member_str(&j, "name", strbuf_slice(&r->files->name));
    json_key(&j, "generator");
    if (has_metadata) text_or_null(&j, metadata, "generator");
    else json_null(&j);
    member_source(&j, metadata, has_metadata);
    json_member_text(&j, "chip", r->chip ? r->chip->title : NULL);
    json_member_u64(&j, "steps", page_len(c, COL_STEP_FLAGS));
    json_member_u64(&j, "records", r->records.len);
    json_member_u64(&j, "blocks", page_len(c, COL_BLOCK_STEP));
    json_member_u64(&j, "tensors", page_len(c, COL_TEN_BIRTH));
    json_member_u64(&j, "ops", r->records.len);
    json_member_u64(&j, "weight_ops", r->weight_ops);
    json_key(&j, "ranks");
    json_array(&j);
    for (size_t i = 0; i < r->ranks.len; i++) json_str(&j, strtab_get(&r->rank_names, r->ranks.items[i].name));
    json_array_end(&j);
    member_configs(&j, r);
    member_programs(&j, r);
    member_peaks(&j, r, metadata, has_metadata);
    member_failures(&j, r, metadata, has_metadata);
    member_caveats(&j, r);
    member_weights(&j, r);
    json_key(&j, "roles_known");
    json_bool(&j, r->files->have[PART_REGISTRY] && r->roles.len);
    member_modules(&j, r);
    json_object_end(&j);
}
