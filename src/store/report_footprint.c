#include "store/report_footprint.h"

#include <stdlib.h>

#include "base/json_read.h"
#include "store/report_read.h"

struct making {
    const struct page_data *page;
    struct footprint *f;
    struct json_value meta;
    uint32_t *names;      /* of the page's strings -> of the footprint, + 1 */
    uint32_t *records;    /* step -> record, NONE */
    uint32_t *executions; /* execution -> string id of its name */
    size_t execution_count;
    struct map kinds;
};

static uint32_t value_at(const struct making *m, enum page_column column, size_t at) {
    const struct page_values *values = &m->page->columns.of[column];
    return at < values->len ? page_value(&m->page->columns, column, at) : NONE;
}

static uint64_t wide_at(const struct making *m, enum page_column column, size_t at) {
    const struct page_values *values = &m->page->columns.of[column];
    double value = at < values->len ? ((const double *)values->items)[at] : 0;
    return value > 0 ? (uint64_t)value : 0;
}

static uint32_t text_of(struct making *m, uint32_t id) {
    if (id == NONE) return 0;
    if (!m->names[id]) {
        uint32_t begin = value_at(m, COL_STR_OFFSET, id), end = value_at(m, COL_STR_OFFSET, id + 1);
        const char *bytes = m->page->columns.of[COL_STR].items;
        m->names[id] = strtab_id(&m->f->strings, bytes ? slice_of(bytes + begin, end - begin) : SLICE("")) + 1;
    }
    return m->names[id] - 1;
}

static bool meta_i64(struct json_value object, const char *name, int64_t *out) {
    struct json_value value;
    return json_member(object, name, &value) && json_i64_of(value, out);
}

static uint32_t meta_u32(struct json_value object, const char *name) {
    int64_t n;
    return meta_i64(object, name, &n) && n >= 0 && n < NONE ? (uint32_t)n : NONE;
}

static uint32_t meta_text(struct making *m, struct json_value object, const char *name) {
    struct json_value value;
    struct slice text;
    if (!json_member(object, name, &value) || !json_string_of(value, &text)) return 0;
    return strtab_id(&m->f->strings, text);
}

static void make_types(struct making *m) {
    for (size_t i = 0; i < page_len(&m->page->columns, COL_TYPE_SHAPE); i++) {
        uint32_t storage = value_at(m, COL_TYPE_STORAGE, i), pool = value_at(m, COL_TYPE_POOL, i);
        struct footprint_type type = {.shape = text_of(m, value_at(m, COL_TYPE_SHAPE, i)),
                                      .dtype = text_of(m, storage ? storage : value_at(m, COL_TYPE_DTYPE, i)),
                                      .layout = text_of(m, value_at(m, COL_TYPE_LAYOUT, i)),
                                      .grid = text_of(m, value_at(m, COL_TYPE_GRID, i)),
                                      .pool = (uint8_t)(pool < POOL_COUNT ? pool : POOL_COUNT),
                                      .logical_bytes = wide_at(m, COL_TYPE_LOGICAL, i),
                                      .padded_bytes = wide_at(m, COL_TYPE_PHYSICAL, i),
                                      .per_bank_bytes = wide_at(m, COL_TYPE_BANK, i)};
        vec_push(&m->f->types, type);
    }
}

/* The list of numbers under a name of meta.programs; an item that is no number is NONE. */
static uint32_t *program_column(const struct making *m, const char *name, size_t *count) {
    struct json_value programs, list, item;
    VEC(uint32_t) numbers = {0};
    vec_reserve(&numbers, 1);
    if (json_member(m->meta, "programs", &programs) && json_member(programs, name, &list))
        for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &item);) {
            int64_t n;
            vec_push(&numbers, json_i64_of(item, &n) && n >= 0 && n < NONE ? (uint32_t)n : NONE);
        }
    *count = numbers.len;
    return numbers.items;
}

static void make_executions(struct making *m) {
    struct json_value programs, list, item;
    struct slice text;
    VEC(uint32_t) names = {0};
    if (json_member(m->meta, "programs", &programs) && json_member(programs, "names", &list))
        for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &item);)
            vec_push(&names, json_string_of(item, &text) ? strtab_id(&m->f->strings, text) : 0);
    m->executions = program_column(m, "name", &m->execution_count);
    for (size_t i = 0; i < m->execution_count; i++)
        m->executions[i] = m->executions[i] < names.len ? names.items[m->executions[i]] : 0;
    vec_release(&names);
}

static uint32_t kind_of(struct making *m, uint32_t step) {
    uint32_t template = value_at(m, COL_STEP_TEMPLATE, step), execution = value_at(m, COL_STEP_PROGRAM, step);
    struct footprint_kind kind = {.type = NONE};
    if (execution < m->execution_count) kind.program = m->executions[execution];
    if (template != NONE) {
        uint32_t result = value_at(m, COL_TPL_OUT, template);
        kind.name = text_of(m, value_at(m, COL_TPL_NAME, template));
        kind.location = text_of(m, value_at(m, COL_TPL_LOC, template));
        if (result < value_at(m, COL_TPL_OUT, template + 1)) kind.type = value_at(m, COL_OUT_TYPE, result);
    }
    return footprint_kind(m->f, &m->kinds, &kind);
}

static void make_ops(struct making *m) {
    size_t steps = page_len(&m->page->columns, COL_STEP_FLAGS);
    m->records = mem_alloc(sizeof *m->records * (steps + 1));
    for (uint32_t i = 0; i < steps; i++) {
        m->records[i] = NONE;
        if (!(value_at(m, COL_STEP_FLAGS, i) & PAGE_RECORD)) continue;
        uint32_t line = value_at(m, COL_STEP_LINE, i);
        m->records[i] = (uint32_t)m->f->ops.len;
        vec_push(&m->f->ops, ((struct footprint_op){.kind = kind_of(m, i),
                                                    .reached = {NONE, NONE},
                                                    .held = NONE,
                                                    .line = line == NONE ? 0 : line,
                                                    .rank = value_at(m, COL_STEP_RANK, i)}));
    }
    m->f->has_ops = true;
    m->f->op_count = m->f->ops.len;
}

/* The last record of the rank in front of a step, NONE. */
static uint32_t record_before(const struct making *m, uint32_t step, uint32_t rank) {
    for (uint32_t i = step; i-- > 0;)
        if (m->records[i] != NONE && value_at(m, COL_STEP_RANK, i) == rank) return m->records[i];
    return NONE;
}

/* What a block says about the op behind which it stands: the highest state, and how little was free. */
static void take_block(struct making *m, size_t block, uint32_t last) {
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        uint32_t allocated = value_at(m, COL_ALLOC + pool, block);
        struct footprint_pool *at = &m->f->pools[pool];
        if (allocated == NONE || !at->seen) continue;
        if (pool < FOOTPRINT_REACHED && last != NONE) {
            uint32_t *reached = &m->f->ops.items[last].reached[pool];
            if (*reached == NONE || allocated > *reached) *reached = allocated;
        }
        int64_t slack = (int32_t)value_at(m, COL_SLACK + pool, block), gap = (int32_t)value_at(m, COL_GAP + pool, block);
        int64_t largest = (int64_t)at->total - allocated - slack - gap;
        if (!at->total || largest < 0 || gap < 0) continue;
        if (!at->free_seen || largest < at->largest_free) {
            at->largest_free = (uint32_t)largest;
            at->largest_free_op = last;
        }
        if (!at->free_seen || gap > at->gap) {
            at->gap = (uint32_t)gap;
            at->gap_op = last;
        }
        at->free_seen = true;
    }
}

/* Does any block stand in front of an op? Else all are around programs. */
static bool blocks_of_ops(const struct making *m) {
    size_t blocks = page_len(&m->page->columns, COL_BLOCK_STEP), steps = page_len(&m->page->columns, COL_STEP_FLAGS);
    for (size_t i = 0; i < blocks; i++) {
        uint32_t step = value_at(m, COL_BLOCK_STEP, i);
        if (step < steps && m->records[step] != NONE) return true;
    }
    return false;
}

static void make_states(struct making *m) {
    bool sparse = m->f->ops.len && !blocks_of_ops(m);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) m->f->pools[pool].sparse = sparse && m->f->pools[pool].seen;
    size_t steps = page_len(&m->page->columns, COL_STEP_FLAGS), blocks = page_len(&m->page->columns, COL_BLOCK_STEP);
    uint32_t last[256];
    for (size_t i = 0; i < 256; i++) last[i] = NONE;
    for (size_t i = 0, block = 0; i < steps; i++) {
        uint32_t rank = value_at(m, COL_STEP_RANK, i) & 255;
        for (; block < blocks && value_at(m, COL_BLOCK_STEP, block) <= i; block++) take_block(m, block, last[rank]);
        if (m->records[i] != NONE) last[rank] = m->records[i];
    }
}

static void make_pools(struct making *m) {
    struct json_value peaks, peak, configs, config, pair, item;
    if (!json_member(m->meta, "peaks", &peaks)) return;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        if (!json_member(peaks, pool_names[pool], &peak)) continue;
        uint32_t line = meta_u32(peak, "line");
        struct footprint_pool *at = &m->f->pools[pool];
        *at = (struct footprint_pool){.seen = true,
                                      .peak = meta_u32(peak, "allocated"),
                                      .total = meta_u32(peak, "capacity"),
                                      .after_op = meta_u32(peak, "op_index"),
                                      .before_op = meta_u32(peak, "before_op_index"),
                                      .rank = meta_u32(peak, "rank"),
                                      .line = line == NONE ? 0 : line,
                                      .largest_free_op = NONE,
                                      .gap_op = NONE};
        at->seen = at->peak != NONE && at->total != NONE;
        if (!json_member(m->meta, "configs", &configs)) continue;
        struct json_walk w = json_walk_of(configs);
        if (!json_next(&w, NULL, &config)) continue;
        struct json_walk in = json_walk_of(config);
        for (unsigned i = 0; json_next(&in, NULL, &pair) && i <= pool; i++) {
            int64_t banks;
            struct json_walk numbers = json_walk_of(pair);
            if (i == pool && json_next(&numbers, NULL, &item) && json_i64_of(item, &banks)) at->banks = (uint32_t)banks;
        }
    }
}

struct sized {
    uint64_t bytes;
    size_t tensor;
};

static int larger_first(const void *a, const void *b) {
    const struct sized *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->tensor < y->tensor ? -1 : x->tensor > y->tensor;
}

static struct footprint_tensor tensor_row(struct making *m, size_t i, unsigned pool) {
    static const uint8_t classes[] = {[PAGE_CLASS_WEIGHT] = LIVE_WEIGHT,
                                      [PAGE_CLASS_ACTIVATION] = LIVE_ACTIVATION,
                                      [PAGE_CLASS_CONST_EVAL] = LIVE_CONST_EVAL,
                                      [PAGE_CLASS_INPUT] = LIVE_INPUT};
    uint32_t back = value_at(m, COL_TEN_BACK, i), birth = value_at(m, COL_TEN_BIRTH, i), class = value_at(m, COL_TEN_CLASS, i);
    struct footprint_tensor row = {.op = NONE, .kind = NONE, .type = value_at(m, COL_TEN_TYPE, i), .pool = (uint8_t)pool};
    row.class = class <= PAGE_CLASS_INPUT ? classes[class] : LIVE_ACTIVATION;
    if (back == NONE || birth == NONE) {
        row.name = text_of(m, value_at(m, COL_TEN_NAME, i));
    } else {
        uint32_t step = birth - back, template = value_at(m, COL_STEP_TEMPLATE, step);
        row.op = m->records[step];
        row.kind = kind_of(m, step);
        row.program = m->f->kinds.items[row.kind].program;
        if (template == NONE) return row;
        uint32_t first = value_at(m, COL_TPL_OUT, template), end = value_at(m, COL_TPL_OUT, template + 1);
        for (uint32_t r = first; r < end; r++)
            if (value_at(m, COL_OUT_NAME, r) == value_at(m, COL_TEN_NAME, i)) row.result = (uint16_t)(r - first);
    }
    return row;
}

/* What is alive when the step of the peak is done: made by then, and not last used before it. */
static void make_tensors(struct making *m, unsigned pool) {
    struct json_value peaks, peak;
    int64_t step;
    if (!m->f->pools[pool].seen || !json_member(m->meta, "peaks", &peaks) || !json_member(peaks, pool_names[pool], &peak) ||
        !meta_i64(peak, "step", &step))
        return;
    VEC(struct sized) alive = {0};
    for (size_t i = 0; i < page_len(&m->page->columns, COL_TEN_BIRTH); i++) {
        int64_t birth = (int32_t)value_at(m, COL_TEN_BIRTH, i);
        uint32_t life = value_at(m, COL_TEN_LIFE, i), type = value_at(m, COL_TEN_TYPE, i);
        if (birth > step || (life != NONE && step > birth + life)) continue;
        if (value_at(m, COL_TEN_RANK, i) != m->f->pools[pool].rank && m->f->ranks.len > 1) continue;
        if (type >= m->f->types.len || m->f->types.items[type].pool != pool) continue;
        vec_push(&alive, ((struct sized){m->f->types.items[type].per_bank_bytes, i}));
    }
    if (alive.len) qsort(alive.items, alive.len, sizeof *alive.items, larger_first);
    for (size_t i = 0; i < alive.len; i++) vec_push(&m->f->tensors, tensor_row(m, alive.items[i].tensor, pool));
    vec_release(&alive);
}

/* Passes by the state behind their last op. Programs of one name that differ in their number of ops are different ones. */
static void make_passes(struct making *m) {
    size_t n, ranks, firsts, lasts;
    uint32_t *depth = program_column(m, "depth", &n), *rank = program_column(m, "rank", &ranks);
    uint32_t *first = program_column(m, "first_step", &firsts), *last = program_column(m, "last_step", &lasts);
    size_t steps = page_len(&m->page->columns, COL_STEP_FLAGS);
    struct map known = {0};
    for (size_t i = 0; i < n && i < ranks && i < firsts && i < lasts && i < m->execution_count; i++) {
        if (depth[i] || last[i] >= steps || first[i] > last[i]) continue;
        uint32_t record = record_before(m, last[i] + 1, rank[i]);
        if (record == NONE || m->f->ops.items[record].reached[POOL_DRAM] == NONE) continue;
        uint32_t shape = (uint32_t)hash_mix(m->executions[i], last[i] - first[i]);
        footprint_pass(m->f, &known, shape, rank[i], m->executions[i], m->f->ops.items[record].reached[POOL_DRAM]);
    }
    map_release(&known);
    free(depth);
    free(rank);
    free(first);
    free(last);
}

static void make_failures(struct making *m) {
    struct json_value list, item;
    if (!json_member(m->meta, "failures", &list)) return;
    for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &item);) {
        uint32_t line = meta_u32(item, "line"), step = meta_u32(item, "step");
        bool known = step < page_len(&m->page->columns, COL_STEP_FLAGS);
        vec_push(&m->f->failures, ((struct footprint_failure){.title = meta_text(m, item, "kind"),
                                                              .op = known ? m->records[step] : NONE,
                                                              .line = line == NONE ? 0 : line}));
    }
}

static bool member_of(struct json_value object, const char *name, struct footprint_host_figure *out) {
    return out->known = meta_i64(object, name, &out->bytes);
}

/* The summary's "host": processes with the highest peak first. */
static void make_host(struct making *m, const struct report_files *files, struct json_reader *reader) {
    struct json_value root, host, list, first, growth, grows;
    bool rises = false;
    m->f->host_peak_op = NONE;
    if (!files->have[PART_SUMMARY] || !json_parse(reader, files->parts[PART_SUMMARY].bytes, &root) ||
        !json_member(root, "host", &host) || !json_member(host, "processes", &list))
        return;
    struct json_walk walk = json_walk_of(list);
    if (!json_next(&walk, NULL, &first) || !member_of(first, "peak_bytes", &m->f->host[FOOTPRINT_HOST_PEAK])) return;
    member_of(first, "end_bytes", &m->f->host[FOOTPRINT_HOST_END]);
    m->f->host_peak_op = meta_u32(first, "peak_op_index");
    member_of(host, "hugepages_bytes", &m->f->host[FOOTPRINT_HOST_HUGEPAGES]);
    struct footprint_host_figure *out = &m->f->host[FOOTPRINT_HOST_GROWTH];
    if (!json_member(host, "growth_per_pass", &growth) || !member_of(growth, "bytes", out)) return;
    if (json_member(growth, "grows", &grows)) json_bool_of(grows, &rises);
    if (!rises) out->bytes = 0;
}

static void make_all(struct making *m, const struct report_files *files) {
    struct json_value ranks, item;
    struct slice text;
    m->names = mem_zalloc(page_len(&m->page->columns, COL_STR_OFFSET) + 1, sizeof *m->names);
    m->f->name = strtab_id(&m->f->strings, strbuf_slice(&files->name));
    m->f->chip = meta_text(m, m->meta, "chip");
    if (json_member(m->meta, "ranks", &ranks))
        for (struct json_walk w = json_walk_of(ranks); json_next(&w, NULL, &item);)
            vec_push(&m->f->ranks, json_string_of(item, &text) ? strtab_id(&m->f->strings, text) : 0);
    make_types(m);
    make_executions(m);
    make_ops(m);
    make_pools(m);
    make_states(m);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) make_tensors(m, pool);
    make_passes(m);
    make_failures(m);
    map_release(&m->kinds);
    free(m->names);
    free(m->records);
    free(m->executions);
}

int report_footprint(struct footprint *out, const struct report_files *files, struct err *err) {
    struct page_data page;
    struct arena keep = {0};
    struct making m = {.page = &page, .f = out};
    struct json_reader *reader = json_reader_new();
    *out = (struct footprint){0};
    int rc = report_read(&page, files, &keep, NULL, err);
    if (rc == 0 && (!reader || !json_parse(reader, strbuf_slice(&page.meta), &m.meta)))
        rc = err_set(err, ERR_INPUT, "%s cannot be read", files->parts[PART_MEMORY].path);
    if (rc == 0) {
        make_all(&m, files);
        make_host(&m, files, reader); /* the last: what it parses takes the place of the rest */
        struct hash128 memory = hash_bytes(files->parts[PART_MEMORY].bytes), ops = {0};
        if (files->have[PART_OPERATIONS]) ops = hash_bytes(files->parts[PART_OPERATIONS].bytes);
        out->content = (struct hash128){hash_mix(memory.low, ops.low), hash_mix(memory.high, ops.high)};
    }
    json_reader_free(reader);
    page_data_release(&page);
    arena_release(&keep);
    return rc;
}
