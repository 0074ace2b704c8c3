/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inspector/to_run.h"

#include <stdlib.h>

#include "base/num.h"
#include "device/simulate.h"
#include "model/buffers.h"
#include "model/inspector/passes.h"
#include "model/inspector/replay.h"
#include "model/run.h"

enum { MOST_STATES = 1 << 16 };

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

void inspector_op_name(struct strbuf *out, struct slice name) {
    static const struct {
        const char *name, *ttnn;
    } names[] = {{"ReshapeView", "reshape"}, {"BinaryNg", "binary_ng"}, {"LayerNorm", "layer_norm"}, {"MoveOverlap", "move"}};
    static const char *const ends[] = {"DeviceOperation", "Operation", "DeviceOp"};
    struct slice text = slice_take(name, slice_find_byte(name, '<'));
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (slice_ends(text, slice_from(ends[i])) && text.len > strlen(ends[i])) {
            text = slice_take(text, text.len - strlen(ends[i]));
            break;
        }
    strbuf_addz(out, "ttnn.");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_equal(text, slice_from(names[i].name))) {
            strbuf_addz(out, names[i].ttnn);
            return;
        }
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool begins = is_upper(c) && i && (!is_upper(text.ptr[i - 1]) || (i + 1 < text.len && !is_upper(text.ptr[i + 1])));
        if (begins && text.ptr[i - 1] != '_') strbuf_addc(out, '_');
        strbuf_addc(out, is_upper(c) ? (char)(c + 32) : c);
    }
}

/* The events of a rank in order: a buffer comes (index * 2) or goes (index * 2 + 1). */
struct inspector_telling {
    struct buffers *b;
    const struct run *run;
    const struct inspector_rank *data;
    uint16_t rank;
    uint32_t *moves;
    size_t move_count;
    uint64_t clock_ns, start_ns;                /* times may go back by microseconds: the file order counts */
    size_t op, sent;                            /* the next ones */
    bool begun;                                 /* op `op` has begun */
    uint64_t split_ns;                          /* events before this time belong to the previous op */
    uint64_t sum[POOL_COUNT], high[POOL_COUNT]; /* current, and the highest state of this op given so far */
    bool rose;
    uint32_t pass; /* the next pass to begin */
    struct inspector_passes passes;
    uint32_t births, births_per_state;
    struct inspector_facts *facts;
    size_t program; /* the next program event */
    int64_t programs;
    struct replay_pool pools[POOL_COUNT];
    struct idmap sizes; /* pool and bytes -> number of live buffers */
    bool no_replay;
};

/* Most moments are views and moves, at which no buffer comes or goes. */
static void fill_moves(struct inspector_telling *t) {
    const struct owners *o = &t->data->owners;
    size_t moments = (size_t)o->moment + 1;
    t->moves = mem_alloc(sizeof *t->moves * moments);
    for (size_t i = 0; i < moments; i++) t->moves[i] = NONE;
    for (uint32_t i = 0; i < o->all.len; i++) {
        t->moves[o->all.items[i].born] = i * 2;
        if (o->all.items[i].gone != OWNER_LIVE) t->moves[o->all.items[i].gone] = i * 2 + 1;
    }
    for (size_t i = 0; i < moments; i++)
        if (t->moves[i] != NONE) t->moves[t->move_count++] = t->moves[i];
    t->moves = mem_resize(t->moves, t->move_count + 1, sizeof *t->moves);
}

static void told(struct inspector_telling *t) {
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) t->high[pool] = t->sum[pool];
    t->rose = false;
}

/* Before a buffer goes: is the current state the highest of this op so far? */
static void tell_height(struct inspector_telling *t) {
    bool higher = false;
    if (!t->rose) return;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        higher |= t->sum[pool] > t->high[pool];
        if (t->sum[pool] > t->high[pool]) t->high[pool] = t->sum[pool];
    }
    t->rose = false;
    if (higher) buffers_inside(t->b, t->rank);
}

/* Programs so far: made minus destroyed. */
static int64_t programs_now(struct inspector_telling *t) {
    const struct inspector_rank *data = t->data;
    for (; t->program < data->programs.len; t->program++) {
        int64_t at = data->programs.items[t->program];
        if ((uint64_t)(at < 0 ? -at : at) > t->clock_ns) break;
        t->programs += at < 0 ? -1 : 1;
    }
    return t->programs;
}

static void end_pass(struct inspector_telling *t) {
    buffers_pass_ends(t->b, t->rank, true);
    vec_push(&t->facts->pass_programs, programs_now(t));
}

static void pass_edges(struct inspector_telling *t) {
    if (!t->passes.period || t->op < t->passes.first) return;
    size_t into = t->op - t->passes.first;
    if (into % t->passes.period) return;
    if (into) end_pass(t);
    if (into / t->passes.period < t->passes.count) buffers_pass_begins(t->b, t->rank, SLICE("pass"));
}

static void begin_op(struct inspector_telling *t) {
    if (t->begun) return;
    const struct inspector_op *op = &t->data->ops.items[t->op];
    struct slice cpp = strtab_get(&t->data->strings, op->name);
    struct strbuf name = {0};
    tell_height(t);
    inspector_op_name(&name, cpp);
    pass_edges(t);
    struct buffer_op made = {.name = strbuf_slice(&name),
                             .location = op->place ? strtab_get(&t->data->strings, op->place) : cpp};
    buffers_op(t->b, t->rank, &made);
    int64_t programs = programs_now(t);
    vec_push(&t->facts->op_programs, programs > 0 && programs < UINT32_MAX ? (uint32_t)programs : 0);
    strbuf_release(&name);
    told(t);
    t->begun = true;
}

/* Handles the entries up to a time: these ops have run. */
static void pass_entries(struct inspector_telling *t, uint64_t until_ns) {
    const struct inspector_rank *data = t->data;
    while (t->op < data->ops.len && data->ops.items[t->op].time_ns <= until_ns) {
        uint64_t entry = data->ops.items[t->op].time_ns;
        if (entry > t->clock_ns) t->clock_ns = entry;
        buffers_at(t->b, t->rank, t->clock_ns - t->start_ns);
        begin_op(t);
        t->op++;
        t->begun = false;
        /* binaries of this op are sent before the next entry */
        uint64_t next = t->op < data->ops.len ? data->ops.items[t->op].time_ns : UINT64_MAX;
        t->split_ns = 0;
        while (t->sent < data->sent.len && data->sent.items[t->sent] < next) {
            if (data->sent.items[t->sent] >= entry) t->split_ns = data->sent.items[t->sent];
            t->sent++;
        }
    }
}

static void add_state(struct inspector_telling *t) {
    struct strbuf name = {0};
    uint64_t ns = t->clock_ns - t->start_ns;
    tell_height(t);
    strbuf_addf(&name, "+%llu.%03llu s", (unsigned long long)(ns / 1000000000), (unsigned long long)(ns / 1000000 % 1000));
    buffers_add_state(t->b, t->rank, strbuf_slice(&name), 0);
    strbuf_release(&name);
    told(t);
}

/* If only counts are wanted, a pool is its sum, without buffers. */
static void tell_sum(struct inspector_telling *t, unsigned pool) {
    uint64_t sum = t->sum[pool], bytes = t->pools[pool].bytes;
    buffers_state(t->b, t->rank, (enum pool)pool, sum, bytes > sum ? bytes - sum : 0, 0);
}

/* Number of live buffers of that size; `change` is 1, -1 or 0. */
static uint32_t of_size(struct inspector_telling *t, const struct owner *owner, int change) {
    uint64_t key = owner->device_bytes * POOL_COUNT + owner->pool;
    const uint32_t *known = idmap_find(&t->sizes, key);
    uint32_t before = known ? *known : 0;
    if (change) idmap_set(&t->sizes, key, change > 0 ? before + 1 : before ? before - 1 : 0);
    return before;
}

/* Number of ops whose entry is not after that time. */
static uint32_t ops_until(const struct inspector_rank *data, uint64_t ns) {
    size_t low = 0, high = data->ops.len;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (data->ops.items[mid].time_ns <= ns) low = mid + 1;
        else high = mid;
    }
    return (uint32_t)low;
}

/* The tensor in a buffer: one of its size that ops after its maker take while it exists. The maker's own inputs qualify only
 * if no other buffer has that size. */
static void name_tensor(struct inspector_telling *t, const struct owner *owner, struct buffer_tensor *out,
                        struct strbuf *several) {
    const struct inspector_rank *data = t->data;
    const struct spec_kind *kinds[SPECS_NAMED];
    bool others = of_size(t, owner, 1) > 0;
    if (!data->ops.len) return;
    uint32_t until = owner->gone == OWNER_LIVE ? UINT32_MAX : ops_until(data, owner->gone_ns), made = (uint32_t)t->op;
    size_t count = specs_of(&data->specs, owner->pool, owner->device_bytes, made + 1, until, kinds);
    if (!count && !others) count = specs_of(&data->specs, owner->pool, owner->device_bytes, made, until, kinds);
    if (count == 1) {
        out->shape = strtab_get(&data->strings, kinds[0]->shape);
        out->dtype = strtab_get(&data->strings, kinds[0]->dtype);
        out->tiled = kinds[0]->tiled;
        out->layout = (enum buffer_layout)kinds[0]->layout;
        out->raw = false;
        t->facts->named++;
    } else if (count) {
        strbuf_addz(several, "bytes: ");
        for (size_t i = 0; i < count; i++)
            strbuf_addf(several, "%s%.*sx%.*s", i ? " or " : "", SLICE_FMT(strtab_get(&data->strings, kinds[i]->shape)),
                        SLICE_FMT(strtab_get(&data->strings, kinds[i]->dtype)));
        out->dtype = strbuf_slice(several);
        t->facts->several++;
    }
}

/* The most bytes per bank that it can take: no buffer extends beyond its pool. */
static uint64_t most_of(const struct inspector_telling *t, const struct owner *owner) {
    const struct replay_pool *pool = &t->pools[owner->pool];
    uint64_t most = owner->most_bytes, end = pool->base + pool->bytes;
    if (pool->known && owner->address < end && most > end - owner->address) most = end - owner->address;
    return most < owner->bank_bytes ? owner->bank_bytes : most;
}

static void come(struct inspector_telling *t, const struct owner *owner) {
    if (t->data->ops.len) {
        if (t->op < t->data->ops.len && owner->born_ns > t->split_ns) begin_op(t);
    } else if (t->births++ % t->births_per_state == 0) {
        add_state(t);
    }
    t->sum[owner->pool] += owner->bank_bytes;
    t->rose = true;
    if (t->no_replay) {
        tell_sum(t, owner->pool);
        return;
    }
    bool binary = t->op && t->split_ns && owner->born_ns <= t->split_ns && owner->pool == POOL_DRAM && !owner->moves;
    char bytes[NUM_ROOM];
    struct strbuf several = {0};
    struct buffer_tensor tensor = {.shape = slice_of(bytes, num_write_u64(bytes, owner->device_bytes)),
                                   .dtype = binary ? SLICE("kernel") : SLICE("bytes"),
                                   .raw = true,
                                   .pool = (enum pool)owner->pool};
    if (!binary) name_tensor(t, owner, &tensor, &several);
    struct device_buffer buffer = {.pool = (enum pool)owner->pool,
                                   .address = owner->address,
                                   .bank_bytes = owner->bank_bytes,
                                   .bounded = !owner->proved && owner->most_bytes > owner->bank_bytes,
                                   .tensor = &tensor};
    size_t tensors = t->run->tensors.len;
    buffers_take(t->b, t->rank, &buffer);
    if (buffer.bounded && t->run->tensors.len > tensors) vec_push(&t->facts->slacks, most_of(t, owner) - owner->bank_bytes);
    strbuf_release(&several);
}

static void go(struct inspector_telling *t, const struct owner *owner) {
    tell_height(t);
    t->sum[owner->pool] -= owner->bank_bytes;
    if (t->no_replay) {
        tell_sum(t, owner->pool);
        return;
    }
    of_size(t, owner, -1);
    buffers_free(t->b, t->rank, (enum pool)owner->pool, owner->address);
}

/* Upper bounds: the most that can have been allocated, and the most by which one buffer can be larger. */
static void count_bounds(struct inspector_telling *t) {
    const struct owners *o = &t->data->owners;
    uint64_t sum[POOL_COUNT] = {0};
    for (size_t i = 0; i < t->move_count; i++) {
        const struct owner *owner = &o->all.items[t->moves[i] / 2];
        uint64_t most = most_of(t, owner);
        if (t->moves[i] & 1) {
            sum[owner->pool] -= most;
            continue;
        }
        sum[owner->pool] += most;
        if (sum[owner->pool] > t->facts->most_peak[owner->pool]) t->facts->most_peak[owner->pool] = sum[owner->pool];
        if (most - owner->bank_bytes > t->facts->most_slack[owner->pool])
            t->facts->most_slack[owner->pool] = most - owner->bank_bytes;
    }
}

static void tell_rank(struct inspector_telling *t) {
    const struct owners *o = &t->data->owners;
    fill_moves(t);
    inspector_passes_find(t->data->ops.items, t->data->ops.len, &t->passes);
    t->births_per_state = (uint32_t)(o->all.len / MOST_STATES) + 1;
    t->clock_ns = t->start_ns;
    for (size_t i = 0; i < t->move_count; i++) {
        const struct owner *owner = &o->all.items[t->moves[i] / 2];
        bool gone = t->moves[i] & 1;
        uint64_t time = gone ? owner->gone_ns : owner->born_ns;
        pass_entries(t, time ? time - 1 : 0);
        if (time > t->clock_ns) t->clock_ns = time;
        buffers_at(t->b, t->rank, t->clock_ns - t->start_ns);
        if (gone) go(t, owner);
        else come(t, owner);
    }
    tell_height(t);
    pass_entries(t, UINT64_MAX);
    if (t->passes.period && t->op >= t->passes.first + t->passes.count * t->passes.period) end_pass(t);
    if (!t->data->ops.len && o->all.len) add_state(t);
    if (!t->no_replay) {
        count_bounds(t);
        replay_owners(o, t->moves, t->move_count, t->pools, t->facts);
    }
    idmap_release(&t->sizes);
    free(t->moves);
}

/* Sets the chip's pools, widened to what was seen. Traces have their own part at the end of DRAM, filled upwards: DRAM ends
 * where the lowest of them begins. L1_SMALL is the same for L1, but is filled downwards, and nothing records its size: L1
 * ends between its highest buffer and the lowest one of L1_SMALL. The border is known if the two touch, or if the size of
 * L1's first buffer, which gets the highest address, is exact; otherwise the size is unknown, and the map ends with the
 * highest buffer. */
static void tell_pools(struct inspector_telling *t, const struct chip *chip) {
    const struct owners *o = &t->data->owners;
    struct sim_map map = sim_map_of(chip);
    uint64_t base[2] = {map.dram_base, map.l1_base}, end[2] = {map.dram_end, map.l1_end}, top[2] = {0};
    uint64_t traces = UINT64_MAX;
    uint64_t small = UINT64_MAX;      /* lowest address in L1_SMALL */
    const struct owner *first = NULL; /* in L1 */
    for (size_t i = 0; i < o->all.len; i++) {
        const struct owner *owner = &o->all.items[i];
        if (owner->pool == POOL_TRACE && owner->address < traces) traces = owner->address;
        if (owner->pool == POOL_L1_SMALL && owner->address < small) small = owner->address;
        if (owner->pool == POOL_L1 && !first) first = owner;
        if (owner->pool > POOL_L1) continue;
        t->facts->beyond += owner->address >= end[owner->pool];
        if (owner->address < base[owner->pool]) base[owner->pool] = owner->address;
        if (owner->address + owner->bank_bytes > top[owner->pool]) top[owner->pool] = owner->address + owner->bank_bytes;
    }
    if (traces < end[POOL_DRAM] && traces >= top[POOL_DRAM] && traces > base[POOL_DRAM]) end[POOL_DRAM] = traces;
    bool exact = first && first->most_bytes <= first->bank_bytes && first->address + first->bank_bytes == top[POOL_L1];
    bool open_end = small != UINT64_MAX && small != top[POOL_L1] && !exact;
    if (small != UINT64_MAX) end[POOL_L1] = top[POOL_L1] ? top[POOL_L1] : small;
    for (unsigned pool = 0; pool <= POOL_L1; pool++) {
        if (top[pool] > end[pool]) end[pool] = top[pool];
        bool one = t->data->meshes < 2; /* with several meshes, addresses are not a map and sizes not a capacity */
        /* like the replay, the largest free block needs a simulated allocator */
        buffers_pool(t->b, t->rank, (enum pool)pool, o->banks[pool], one && !t->no_replay, base[pool],
                     one ? end[pool] - base[pool] : 0);
        if (pool == POOL_L1 && open_end) buffers_open_end(t->b, t->rank, POOL_L1);
        t->pools[pool] = (struct replay_pool){one, base[pool], end[pool] - base[pool]};
    }
}

static uint64_t first_time(const struct inspector_rank *rank) {
    uint64_t first = UINT64_MAX;
    if (rank->owners.all.len) first = rank->owners.all.items[0].born_ns;
    if (rank->ops.len && rank->ops.items[0].time_ns < first) first = rank->ops.items[0].time_ns;
    return first;
}

/* Entries that are not buffers with a place on a device: "2 frees of unknown buffers, 1 torn entry". */
static bool what_else(const struct inspector_data *data, struct strbuf *out) {
    struct {
        uint64_t count;
        const char *one, *many;
    } rows[] = {
        {0, "torn entry", "torn entries"},
        {0, "free of an unknown buffer", "frees of unknown buffers"},
        {0, "buffer without an address", "buffers without an address"},
        {0, "buffer of the host", "buffers of the host"},
        {0, "entry with a size or an address that no device has", "entries with sizes or addresses that no device has"}};
    for (size_t i = 0; i < data->ranks.len; i++) {
        const struct inspector_rank *rank = &data->ranks.items[i];
        const uint64_t more[] = {rank->torn, rank->owners.unknown_frees, rank->owners.unplaced, rank->owners.on_host,
                                 rank->owners.unbelievable};
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) rows[k].count += more[k];
    }
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (!rows[k].count) continue;
        strbuf_addf(out, "%s%llu %s", out->len ? ", " : "", (unsigned long long)rows[k].count,
                    rows[k].count == 1 ? rows[k].one : rows[k].many);
    }
    return out->len > 0;
}

static int no_buffers(const struct inspector_data *data, const char *path, struct err *err) {
    struct strbuf found = {0};
    bool other = what_else(data, &found);
    int rc = other ? err_set(err, ERR_LACKS, "%s names no buffer with a place on a device, only %s", path, strbuf_text(&found))
                   : err_set(err, ERR_LACKS, "%s names no device buffer: nothing was allocated, or a later opening emptied it",
                             path);
    strbuf_release(&found);
    return rc;
}

static int check(const struct inspector_data *data, const char *path, struct err *err) {
    bool file = false, events = false;
    for (size_t i = 0; i < data->ranks.len; i++) {
        const struct inspector_rank *rank = &data->ranks.items[i];
        file |= rank->has_buffers_file;
        events |= rank->owners.all.len > 0;
    }
    if (!file)
        return err_set(err, ERR_LACKS,
                       "%s has no mesh_buffers_log.yaml: this tt-metal is older than 2026-08-21, or "
                       "TT_METAL_INSPECTOR_LOG_MESH_BUFFERS=1 was not set; ttmem run --inspector sets it",
                       path);
    if (!events) return no_buffers(data, path, err);
    return 0;
}

static void count_facts(struct inspector_facts *facts, const struct inspector_rank *rank) {
    const struct owners *o = &rank->owners;
    facts->buffers += o->all.len;
    for (size_t i = 0; i < o->all.len; i++) facts->bounded_in[o->all.items[i].pool] += !o->all.items[i].proved;
    facts->bounded = 0;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) facts->bounded += facts->bounded_in[pool];
    facts->views += o->views;
    facts->moves += o->moves;
    facts->torn += rank->torn;
    if (rank->meshes > facts->meshes) facts->meshes = rank->meshes;
    for (size_t i = 0; i < rank->programs.len; i++) {
        facts->programs_made += rank->programs.items[i] > 0;
        if (rank->programs.items[i] > 0) facts->programs_kept++;
        else facts->programs_kept -= facts->programs_kept > 0;
    }
}

int inspector_run_make(struct run *run, const struct inspector_data *data, const char *path, struct err *err) {
    uint64_t bytes = 0, torn = 0, start = UINT64_MAX;
    if (check(data, path, err) != 0) return -1;
    for (size_t i = 0; i < data->ranks.len; i++) {
        bytes += data->ranks.items[i].bytes;
        torn += data->ranks.items[i].torn;
        if (first_time(&data->ranks.items[i]) < start) start = first_time(&data->ranks.items[i]);
    }
    struct buffers *b = buffers_begin(run, RUN_INSPECTOR, bytes);
    run->inspector = mem_zalloc(1, sizeof *run->inspector);
    for (size_t i = 0; i < data->ranks.len; i++) {
        struct inspector_telling t = {.b = b,
                                      .run = run,
                                      .data = &data->ranks.items[i],
                                      .start_ns = start,
                                      .facts = run->inspector,
                                      .no_replay = data->no_replay};
        t.rank = buffers_rank(b, t.data->name);
        tell_pools(&t, data->chip);
        tell_rank(&t);
        count_facts(run->inspector, t.data);
    }
    const struct inspector_rank *first = &data->ranks.items[0];
    run->inspector->start_unix_ns = start;
    if (first->has_startup) run->inspector->start_unix_ns += first->startup.system_ns - first->startup.high_resolution_ns;
    run->inspector->chip_named = data->chip_named;
    run->inspector->likelier = data->likelier ? (uint64_t)(data->likelier - chip_table) + 1 : 0;
    run->inspector->tied_ops = data->tied_ops;
    run->inspector->tied_by = data->tied_by;
    if (!data->chip_named) buffers_device_assumed(b);
    run->chip = data->chip;
    buffers_end(b);
    if (run->inspector->meshes > 1) {
        vec_release(&run->addresses);
        vec_release(&run->regions);
    }
    if (run->inspector->op_programs.len != run->records.len) vec_clear(&run->inspector->op_programs);
    run->warnings[WARN_PARTS_UNREAD] = torn;
    return 0;
}
