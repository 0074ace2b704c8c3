#include "store/report_read.h"

#include <stdlib.h>

#include "base/json_split.h"
#include "base/num.h"
#include "store/report_check.h"

enum { MAX_RANKS = 255, MAX_CONFIGS = 255 };

struct slice member_text(struct json_value object, const char *name) {
    struct json_value value;
    struct slice text = slice_of("", 0);
    if (json_member(object, name, &value)) json_string_of(value, &text);
    return text;
}

bool member_u64(struct json_value object, const char *name, uint64_t *out) {
    struct json_value value;
    return json_member(object, name, &value) && json_u64_of(value, out);
}

static bool member_flag(struct json_value object, const char *name) {
    struct json_value value;
    bool flag = false;
    return json_member(object, name, &value) && json_bool_of(value, &flag) && flag;
}

static bool member_milli(struct json_value object, const char *name, int64_t *out) {
    struct json_value value;
    return json_member(object, name, &value) && json_milli_of(value, out) && *out >= 0 && *out < INT32_MAX;
}

/* Rank of a record: text, a number or null. */
static uint32_t rank_of(struct reading *r, struct json_value record) {
    struct json_value value;
    struct slice name = member_text(record, "rank");
    uint64_t number;
    char digits[NUM_ROOM];
    if (!name.len && json_member(record, "rank", &value) && json_u64_of(value, &number))
        name = slice_of(digits, num_write_u64(digits, number));
    uint32_t id = strtab_id(&r->rank_names, name.len ? name : SLICE("none"));
    for (uint32_t i = 0; i < r->ranks.len; i++)
        if (r->ranks.items[i].name == id) return i;
    if (r->ranks.len == MAX_RANKS) return MAX_RANKS - 1;
    vec_push(&r->ranks,
             ((struct read_rank){.name = id, .top = NONE, .nested = NONE, .last = {.step = NONE}, .caller = {.step = NONE}}));
    return (uint32_t)r->ranks.len - 1;
}

static uint32_t add_step(struct reading *r, uint32_t flags, uint32_t execution, uint32_t rank, uint64_t line) {
    struct page_columns *c = &r->page->columns;
    uint32_t step = (uint32_t)page_len(c, COL_STEP_FLAGS);
    page_push(c, COL_STEP_FLAGS, flags);
    page_push(c, COL_STEP_PROGRAM, execution);
    page_push(c, COL_STEP_RANK, rank);
    page_push(c, COL_STEP_LINE, line < UINT32_MAX ? (uint32_t)line : 0);
    page_push(c, COL_STEP_AFTER, NONE);
    page_push(c, COL_STEP_TEMPLATE, NONE);
    return step;
}

static uint32_t config_of(struct reading *r, const struct read_view *views) {
    struct read_config config = {0};
    for (unsigned pool = 0; pool < PAGE_POOLS; pool++) {
        bool known = views[pool].allocated >= 0;
        const struct read_config *last = r->configs.len ? &vec_last(&r->configs) : &config;
        config.banks[pool] = known ? (uint32_t)views[pool].banks : last->banks[pool];
        config.total[pool] = known ? (uint32_t)views[pool].total : last->total[pool];
    }
    bool added;
    uint32_t *id = map_at(&r->config_ids, hash_bytes(slice_of((const char *)&config, sizeof config)), &added);
    if (!added) return *id;
    if (r->configs.len == MAX_CONFIGS) return *id = MAX_CONFIGS - 1;
    vec_push(&r->configs, config);
    return *id = (uint32_t)r->configs.len - 1;
}

static uint32_t add_block(struct reading *r, uint32_t step, uint32_t rank, uint32_t reached_by, const struct read_view *views) {
    struct page_columns *c = &r->page->columns;
    uint32_t block = (uint32_t)page_len(c, COL_BLOCK_STEP);
    page_push(c, COL_BLOCK_STEP, step);
    page_push(c, COL_BLOCK_CONFIG, config_of(r, views));
    for (unsigned pool = 0; pool < PAGE_POOLS; pool++) {
        const struct read_view *v = &views[pool];
        bool have = v->allocated >= 0;
        page_push(c, COL_ALLOC + pool, have ? (uint32_t)v->allocated : NONE);
        page_push(c, COL_SLACK + pool, have ? (uint32_t)(v->total - v->allocated - v->free) : 0);
        page_push(c, COL_GAP + pool, have ? (uint32_t)(v->free - v->largest) : 0);
        if (!have || (r->peaks[pool].seen && r->peaks[pool].allocated >= (uint32_t)v->allocated)) continue;
        r->peaks[pool].seen = true;
        r->peaks[pool].allocated = (uint32_t)v->allocated;
        r->peaks[pool].total = (uint32_t)v->total;
        r->peaks[pool].step = reached_by;
        r->peaks[pool].before_step = step;
        r->peaks[pool].rank = rank;
    }
    return block;
}

static bool read_views(struct json_value record, struct read_view *views) {
    struct json_value memory, view;
    bool any = false;
    for (unsigned pool = 0; pool < PAGE_POOLS; pool++) views[pool].allocated = -1;
    if (!json_member(record, "memory", &memory)) return false;
    for (unsigned pool = 0; pool < PAGE_POOLS; pool++) {
        struct read_view *v = &views[pool];
        uint64_t banks = 1;
        int64_t allocated;
        if (!json_member(memory, pool_names[pool], &view) || !member_milli(view, "totalBytesAllocatedPerBank_MB", &allocated))
            continue;
        member_u64(view, "numBanks", &banks);
        v->banks = (int64_t)(banks < UINT32_MAX ? banks : 1);
        if (!member_milli(view, "totalBytesPerBank_MB", &v->total)) v->total = allocated;
        if (!member_milli(view, "totalBytesFreePerBank_MB", &v->free)) v->free = v->total - allocated;
        if (!member_milli(view, "largestContiguousBytesFreePerBank_MB", &v->largest)) v->largest = v->free;
        v->allocated = allocated;
        any = true;
    }
    return any;
}

static uint32_t freeing_template(struct reading *r) {
    bool added;
    uint32_t *id = map_at(&r->templates, hash_bytes(SLICE("between records")), &added);
    if (added) {
        page_template_end(r->page, page_str(r->page, SLICE("deallocates")), 0, 0, 0);
        *id = (uint32_t)page_len(&r->page->columns, COL_TPL_NAME) - 1;
    }
    return *id;
}

/* The next state of the rank is `views`. When the waiting step left another one, deallocates came in between: they get a step.
 * At the end nothing follows, and what the last step left gets one always. */
static void settle(struct reading *r, struct read_waiting *waiting, uint32_t rank, const struct read_view *views, bool at_end) {
    if (waiting->step == NONE || !waiting->has_after) return;
    struct read_view between[PAGE_POOLS];
    bool differs = at_end;
    for (unsigned pool = 0; pool < PAGE_POOLS; pool++) {
        between[pool] = views[pool];
        int64_t after = waiting->after[pool];
        if (after < 0 || views[pool].allocated < 0 || after == views[pool].allocated) continue;
        differs = true;
        between[pool].allocated = after;
        between[pool].free = views[pool].total - after;
        between[pool].largest = views[pool].largest < between[pool].free ? views[pool].largest : between[pool].free;
    }
    if (!differs) return;
    struct page_columns *c = &r->page->columns;
    uint32_t step = add_step(r, PAGE_FREE, page_value(c, COL_STEP_PROGRAM, waiting->step), rank, 0);
    page_set(c, COL_STEP_TEMPLATE, step, freeing_template(r));
    page_set(c, COL_STEP_AFTER, waiting->step, add_block(r, step, rank, waiting->step, between));
    waiting->step = NONE;
}

static void link_to(struct reading *r, struct read_waiting *waiting, uint32_t block) {
    if (waiting->step != NONE) page_set(&r->page->columns, COL_STEP_AFTER, waiting->step, block);
    waiting->step = NONE;
}

/* Which execution the record belongs to: a new one when program or const-eval graph change. */
static uint32_t enter_execution(struct reading *r, struct read_rank *rank, uint32_t number, struct slice graph,
                                uint32_t program, uint32_t template, uint32_t step) {
    bool again = !graph.len && rank->top != NONE && read_defined(r, template, rank->top, (uint8_t)number);
    if (rank->top == NONE || r->executions.items[rank->top].program != program || again) {
        vec_push(&r->executions,
                 ((struct read_execution){
                     .name = NONE, .program = program, .parent = NONE, .rank = number, .first = step, .last = step}));
        rank->top = (uint32_t)r->executions.len - 1;
        rank->nested = NONE;
    }
    if (!graph.len) rank->nested = NONE;
    else {
        uint32_t name = strtab_id(&r->names, graph);
        if (rank->nested == NONE || r->executions.items[rank->nested].name != name) {
            vec_push(&r->executions,
                     ((struct read_execution){
                         .name = name, .program = program, .parent = rank->top, .rank = number, .first = step, .last = step}));
            rank->nested = (uint32_t)r->executions.len - 1;
        }
        r->executions.items[rank->nested].last = step;
    }
    if (rank->top != NONE) r->executions.items[rank->top].last = step;
    return rank->nested != NONE ? rank->nested : rank->top;
}

static bool read_after(struct json_value record, int64_t *after) {
    struct json_value object;
    bool any = false;
    for (unsigned pool = 0; pool < PAGE_POOLS; pool++) after[pool] = -1;
    if (!json_member(record, "after", &object) || json_kind_of(object) != JSON_OBJECT) return false;
    for (unsigned pool = 0; pool < PAGE_POOLS; pool++) any = member_milli(object, pool_names[pool], &after[pool]) || any;
    return any;
}

static uint32_t record_flags(struct json_value record, const struct json_value *op) {
    uint32_t flags = PAGE_RECORD;
    if (member_flag(record, "is_weight_op")) flags |= PAGE_WEIGHT;
    if (member_flag(record, "const_eval_cache_miss")) flags |= PAGE_CACHE_MISS;
    if (op && member_flag(*op, "truncated")) flags |= PAGE_TRUNCATED;
    struct slice type = member_text(record, "op_type");
    if (slice_equal(type, SLICE("DeallocateOp"))) flags |= PAGE_FREE;
    if (type.len && slice_equal(type, member_text(record, "mlir_op"))) flags |= PAGE_BARE;
    return flags;
}

/* Banks tell the chip, and the chip its alignments. */
static void set_geometry(struct reading *r, uint64_t dram_banks, uint64_t l1_banks, int64_t dram_total) {
    r->chip = chip_guess((unsigned)dram_banks, (unsigned)l1_banks, (uint64_t)dram_total * NUM_MIB / 1000);
    r->geometry = (struct memory_geometry){.dram_banks = (unsigned)dram_banks, .l1_banks = (unsigned)l1_banks};
    if (!r->chip) return;
    r->geometry.dram_align = r->chip->dram_align;
    r->geometry.l1_align = r->chip->l1_align;
}

static void read_geometry(struct reading *r, const struct read_view *views) {
    bool dram = views[POOL_DRAM].allocated >= 0, l1 = views[POOL_L1].allocated >= 0;
    set_geometry(r, dram ? (uint64_t)views[POOL_DRAM].banks : 0, l1 ? (uint64_t)views[POOL_L1].banks : 0,
                 dram ? views[POOL_DRAM].total : 0);
}

static void read_record(struct reading *r, struct json_value record, const struct json_value *op, uint32_t range_program) {
    struct read_view views[PAGE_POOLS];
    bool has_block = read_views(record, views);
    uint32_t number = rank_of(r, record);
    struct read_rank *rank = &r->ranks.items[number];
    uint64_t line = 0, program = range_program;
    member_u64(record, "line", &line);
    if (!member_u64(record, "program_index", &program) && op) member_u64(*op, "program_index", &program);
    if (has_block && !r->geometry.dram_banks) read_geometry(r, views);
    uint32_t template = read_template(r, op, record);
    struct slice graph = member_text(record, "const_eval_graph");
    uint32_t before = rank->last.step;
    /* the state behind a step that runs a const-eval graph is that behind the graph */
    bool enters = graph.len && rank->nested == NONE, leaves = !graph.len && rank->nested != NONE;
    if (enters) {
        rank->caller = rank->last;
        rank->last.step = NONE;
    }
    if (has_block) {
        settle(r, &rank->last, number, views, false);
        if (leaves) settle(r, &rank->caller, number, views, false);
    }
    uint32_t flags = record_flags(record, op);
    r->weight_ops += (flags & PAGE_WEIGHT) != 0;
    uint32_t step = add_step(r, flags, NONE, number, line);
    uint32_t execution = enter_execution(r, rank, number, graph, program < NONE ? (uint32_t)program : NONE, template, step);
    page_set(&r->page->columns, COL_STEP_PROGRAM, step, execution);
    vec_push(&r->records, step);
    struct read_waiting next = {.step = step};
    next.has_after = read_after(record, next.after);
    r->has_after = r->has_after || next.has_after;
    if (has_block) {
        uint32_t block = add_block(r, step, number, before, views);
        link_to(r, &rank->last, block);
        if (leaves) link_to(r, &rank->caller, block);
        memcpy(rank->views, views, sizeof rank->views);
        rank->has_views = true;
    }
    rank->last = next;
    int64_t change[PAGE_POOLS];
    for (unsigned pool = 0; pool < PAGE_POOLS; pool++)
        change[pool] = next.after[pool] - (has_block ? views[pool].allocated : 0);
    page_set(&r->page->columns, COL_STEP_TEMPLATE, step, template);
    read_values(r, step, execution, (uint8_t)number, has_block && next.has_after ? change : NULL);
}

/* Ranges of records of the reports that have no program_index. */
struct program_range {
    uint64_t first, last;
};

static int read_configuration(struct reading *r, struct slice metadata, struct program_range **ranges, size_t *count,
                              struct err *err) {
    struct json_value root, list, item, config, pool;
    *ranges = NULL;
    *count = 0;
    if (!metadata.len) return 0;
    if (!json_parse(r->memory, metadata, &root))
        return err_set(err, ERR_INPUT, "%s: metadata: %s", r->files->parts[PART_MEMORY].path, json_error(r->memory));
    uint64_t banks[2] = {0};
    int64_t total = 0;
    if (json_member(root, "memory_config", &config))
        for (unsigned i = 0; i < 2; i++)
            if (json_member(config, pool_names[i], &pool)) {
                member_u64(pool, "num_banks", &banks[i]);
                if (i == 0) member_milli(pool, "total_bytes_per_bank_MB", &total);
            }
    set_geometry(r, banks[0], banks[1], total);
    if (!json_member(root, "programs", &list)) return 0;
    VEC(struct program_range) found = {0};
    for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &item);) {
        struct program_range range = {1, 0};
        member_u64(item, "start_op_index", &range.first);
        member_u64(item, "end_op_index", &range.last);
        vec_push(&found, range);
    }
    *ranges = found.items;
    *count = found.len;
    return 0;
}

/* The element of operations.json that belongs to a record; *has is false when the report has no such file. */
static int next_operation(struct reading *r, struct json_items *ops, uint64_t index, struct json_value record,
                          struct json_value *op, bool *has, struct err *err) {
    struct slice text;
    const char *path = r->files->parts[PART_OPERATIONS].path;
    *has = r->files->have[PART_OPERATIONS];
    if (!*has) return 0;
    if (!json_split_next(ops, &text))
        return err_set(err, ERR_INPUT, "%s and %s are of different runs: the latter has %llu operations only",
                       r->files->parts[PART_MEMORY].path, path, (unsigned long long)index);
    if (!json_parse(r->operations, text, op))
        return err_set(err, ERR_INPUT, "%s: operation %llu: %s", path, (unsigned long long)index, json_error(r->operations));
    int rc = check_pair(r, index, record, *op, err);
    return rc == 0 ? check_weights(r, index, *op, err) : rc;
}

static int read_records(struct reading *r, struct slice memory, struct slice operations, const struct program_range *ranges,
                        size_t count, struct err *err) {
    struct json_items records = json_split_items(memory), ops = json_split_items(operations);
    struct slice text;
    struct json_value record, op;
    uint32_t range = 0;
    uint64_t index = 0;
    for (; json_split_next(&records, &text); index++) {
        if (!json_parse(r->memory, text, &record))
            return err_set(err, ERR_INPUT, "%s: record %llu: %s", r->files->parts[PART_MEMORY].path, (unsigned long long)index,
                           json_error(r->memory));
        if (json_kind_of(record) != JSON_OBJECT)
            return err_set(err, ERR_INPUT, "%s: record %llu is not an object", r->files->parts[PART_MEMORY].path,
                           (unsigned long long)index);
        bool has_op;
        if (next_operation(r, &ops, index, record, &op, &has_op, err) != 0) return -1;
        while (range < count && ranges[range].last < index) range++;
        bool inside = range < count && ranges[range].first <= index;
        read_record(r, record, has_op ? &op : NULL, inside ? range : NONE);
    }
    if (json_split_next(&ops, &text))
        return err_set(err, ERR_INPUT, "%s and %s are of different runs: the former has %llu operations only",
                       r->files->parts[PART_MEMORY].path, r->files->parts[PART_OPERATIONS].path, (unsigned long long)index);
    if (records.broken) return err_set(err, ERR_INPUT, "%s is cut off or not JSON", r->files->parts[PART_MEMORY].path);
    return 0;
}

static void reading_release(struct reading *r) {
    json_reader_free(r->memory);
    json_reader_free(r->operations);
    strtab_release(&r->names);
    strtab_release(&r->rank_names);
    strbuf_release(&r->notes);
    vec_release(&r->executions);
    vec_release(&r->ranks);
    vec_release(&r->configs);
    vec_release(&r->tensors);
    vec_release(&r->modules);
    vec_release(&r->records);
    vec_release(&r->roles);
    vec_release(&r->argument_names);
    vec_release(&r->argument_bytes);
    map_release(&r->templates);
    map_release(&r->types);
    map_release(&r->values);
    map_release(&r->config_ids);
    map_release(&r->weight_ids);
}

int report_read(struct page_data *page, const struct report_files *files, struct arena *keep, struct strbuf *notes,
                struct err *err) {
    struct reading r = {
        .page = page, .files = files, .keep = keep, .memory = json_reader_new(), .operations = json_reader_new()};
    page_data_init(page);
    if (!r.memory || !r.operations) abort();
    struct slice text = files->parts[PART_MEMORY].bytes, metadata = slice_of("", 0), records = text;
    struct slice ops = files->have[PART_OPERATIONS] ? files->parts[PART_OPERATIONS].bytes : slice_of("", 0);
    int rc = check_files(&r, err);
    if (rc == 0 && json_split_kind(text) == '{') {
        json_split_member(text, "metadata", &metadata);
        if (!json_split_member(text, "operations", &records))
            rc = err_set(err, ERR_INPUT, "%s has no operations", files->parts[PART_MEMORY].path);
    }
    struct program_range *ranges = NULL;
    size_t count = 0;
    if (rc == 0) rc = read_configuration(&r, metadata, &ranges, &count, err);
    if (rc == 0) rc = read_registry(&r, err);
    if (rc == 0) rc = read_records(&r, records, ops, ranges, count, err);
    if (rc == 0) rc = read_modules(&r, err);
    if (rc == 0) {
        for (uint32_t i = 0; i < r.ranks.len; i++)
            if (r.ranks.items[i].has_views) settle(&r, &r.ranks.items[i].last, i, r.ranks.items[i].views, true);
        read_tensors_finish(&r);
        check_modules(&r);
        check_summary(&r);
        read_meta(&r, metadata);
    }
    if (notes) strbuf_add(notes, strbuf_slice(&r.notes));
    free(ranges);
    reading_release(&r);
    return rc;
}
