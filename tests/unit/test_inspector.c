/* SPDX-License-Identifier: Apache-2.0 */
/* Inspector folders: what is read from the events of a simulated run equals what the simulator did. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../bench/inspector_sim.h"
#include "analysis/run/holes.h"
#include "analysis/run/live.h"
#include "analysis/run/overview.h"
#include "model/left/pass_growth.h"
#include "base/num.h"
#include "base/outfile.h"
#include "model/buffer/block_bytes.h"
#include "model/inspector/join.h"
#include "model/inspector/passes.h"
#include "model/inspector/to_run.h"
#include "model/run.h"
#include "parse/foreign/inspector_spec.h"
#include "testing.h"
#include "work/inspector_watch.h"

static char folder[] = "/tmp/ttmem_inspector_XXXXXX";

static void put(const char *name, struct slice text) {
    char path[256];
    struct err err;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(fd >= 0);
    assert_int_equal(write_all(fd, text, &err), 0);
    close(fd);
}

static void put_all(const struct insim *s) {
    put("mesh_buffers_log.yaml", strbuf_slice(&s->buffers));
    put("mesh_workloads_log.yaml", strbuf_slice(&s->workloads));
    put("programs_log.yaml", strbuf_slice(&s->programs));
    put("mesh_devices_log.yaml", strbuf_slice(&s->devices));
    put("startup.yaml", strbuf_slice(&s->startup));
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"mesh_buffers_log.yaml", "mesh_workloads_log.yaml", "programs_log.yaml",
                                        "mesh_devices_log.yaml", "startup.yaml"};
    char path[256];
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

static void run_ops(struct insim *s, unsigned ops, unsigned period) {
    for (unsigned i = 0; i < ops; i++) insim_op(s, 17 + i % period, i < period, true, false);
}

static void read_folder(struct inspector_data *data, struct run *run) {
    struct err err;
    *run = (struct run){0};
    assert_int_equal(inspector_data_read(data, folder, NULL, &err), 0);
    if (inspector_run_make(run, data, folder, &err) != 0) fail_msg("%s", err.text);
}

/* Addresses and sizes of what is alive before a step. */
static uint64_t places_at(const struct run *run, uint32_t step, uint64_t live[SIM_POOLS]) {
    uint64_t places = 0;
    live[0] = live[1] = 0;
    for (size_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *t = &run->tensors.items[i];
        if (!tensor_alive(t, step, run->steps.items[step].rank)) continue;
        unsigned pool = tensor_in_pool(run, t, POOL_DRAM) ? SIM_DRAM : SIM_L1;
        struct insim_buffer b = {.address = run->addresses.items[i],
                                 .bank_bytes = tensor_per_bank_bytes(&run->types.items[t->type], &run->geometry),
                                 .pool = (uint8_t)pool};
        live[pool]++;
        places += insim_place_hash(&b);
    }
    return places;
}

/* Every op's state, and at some of them every buffer and hole. */
static void check_states(const struct insim *s, const struct run *run, unsigned every) {
    assert_int_equal(run->records.len, s->ops);
    for (uint32_t op = 1; op < s->ops; op++) {
        uint32_t step = run->records.items[op];
        const struct insim_state *state = &s->states.items[op];
        const struct block *block = &run->blocks.items[run->steps.items[step].block];
        for (unsigned pool = 0; pool < SIM_POOLS; pool++) {
            if (!(block->have & 1u << pool)) continue;
            assert_int_equal(block_allocated_bytes(run, block, pool), state->allocated[pool]);
            assert_int_equal(block_largest_bytes(run, block, pool), state->largest[pool]);
        }
        if (op % every) continue;
        uint64_t live[SIM_POOLS];
        assert_int_equal(places_at(run, step, live), state->places);
        for (unsigned pool = 0; pool < SIM_POOLS; pool++) {
            struct holes holes;
            assert_int_equal(live[pool], state->live[pool]);
            assert_true(holes_at(run, step, (enum pool)pool, &holes));
            assert_int_equal(holes.largest, state->largest[pool]);
            assert_int_equal(holes.free, holes.bytes - state->allocated[pool]);
            /* a pin keeps two holes apart: without it they and it would be one */
            for (size_t i = 0; i < holes.pins.len; i++) assert_true(holes.pins.items[i].joined > holes.pins.items[i].bytes);
            holes_release(&holes);
        }
    }
}

static void check_peaks(const struct insim *s, const struct run *run) {
    struct overview overview;
    overview_make(run, &overview);
    for (unsigned pool = 0; pool < SIM_POOLS; pool++) assert_int_equal(peak_bytes(&overview.peaks.pools[pool]), s->peak[pool]);
    overview_release(&overview);
}

static void check_chip(const char *chip) {
    struct insim s;
    struct inspector_data data;
    struct run run;
    insim_init(&s, 7, chip);
    s.most_live = 60;
    run_ops(&s, 900, 20);
    put_all(&s);
    read_folder(&data, &run);
    const struct inspector_rank *rank = &data.ranks.items[0];
    assert_int_equal(rank->torn, 0);
    assert_int_equal(rank->owners.all.len, s.allocations);
    assert_int_equal(rank->owners.unknown_frees + rank->owners.lost_frees, 0);
    assert_int_equal(data.chip->dram_banks, s.chip->dram_banks);
    assert_int_equal(rank->meshes, 1);
    assert_true(rank->has_startup);
    assert_int_equal(rank->startup.high_resolution_ns - rank->startup.system_ns, 211);
    check_states(&s, &run, 50);
    check_peaks(&s, &run);
    /* 45 passes of 20 ops, and growth is theirs */
    assert_int_equal(run.executions.len, 45);
    assert_int_equal(run.programs.len, 1);
    /* the simulator placed them, so they replay to the same places */
    assert_int_equal(run.inspector->replayed, s.allocations);
    assert_int_equal(run.inspector->as_placed, s.allocations);
    assert_int_equal(run.inspector->programs_kept, 20);
    run_release(&run);
    inspector_data_release(&data);
    insim_release(&s);
}

static void test_truth(void **state) {
    (void)state;
    check_chip("n150");
    check_chip("p150");
    check_chip("p100");
}

/* Appends what a file has between two places, as a program does that is still running. */
static void append(const char *name, struct slice text) {
    char path[256];
    struct err err;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_APPEND);
    assert_true(fd >= 0);
    assert_int_equal(write_all(fd, text, &err), 0);
    close(fd);
}

static struct slice piece_of(const struct strbuf *whole, unsigned piece, unsigned pieces) {
    size_t from = whole->len * piece / pieces, to = whole->len * (piece + 1) / pieces;
    return slice_of(whole->data + from, to - from);
}

/* The same through a watch of files that grow, cut at any byte; then the devices are opened again and everything is gone. */
static void check_followed(const struct insim *s, unsigned pieces, unsigned every) {
    struct inspector_watch watch;
    struct run run;
    struct err err;
    bool grew, cleared;
    uint32_t last_ops = 0;
    static const struct insim nothing;
    put_all(&nothing);
    assert_int_equal(inspector_watch_open(&watch, folder, chip_find(SLICE("n150")), &err), 0);
    for (unsigned i = 0; i < pieces; i++) {
        append("mesh_devices_log.yaml", piece_of(&s->devices, i, pieces));
        append("programs_log.yaml", piece_of(&s->programs, i, pieces));
        append("mesh_workloads_log.yaml", piece_of(&s->workloads, i, pieces));
        append("mesh_buffers_log.yaml", piece_of(&s->buffers, i, pieces));
        assert_int_equal(inspector_watch_look(&watch, &grew, &cleared, &err), 0);
        assert_true(grew && !cleared);
        assert_true(watch.status.ops >= last_ops);
        last_ops = (uint32_t)watch.status.ops;
    }
    assert_int_equal(inspector_watch_run(&watch, &run, &err), 0);
    check_states(s, &run, every);
    check_peaks(s, &run);
    assert_int_equal(watch.status.peak[POOL_DRAM], num_bytes_to_milli_mb(s->peak[SIM_DRAM]));
    assert_int_equal(watch.status.peak[POOL_L1], num_bytes_to_milli_mb(s->peak[SIM_L1]));
    assert_int_equal(watch.status.ops, s->ops);
    run_release(&run);
    inspector_watch_look(&watch, &grew, &cleared, &err);
    put_all(&nothing);
    assert_int_equal(inspector_watch_look(&watch, &grew, &cleared, &err), 0);
    assert_true(cleared);
    assert_int_equal(watch.status.ops, 0);
    inspector_watch_close(&watch);
}

static void test_followed(void **state) {
    (void)state;
    struct insim s;
    insim_init(&s, 13, "n150");
    s.most_live = 20;
    run_ops(&s, 200, 20);
    check_followed(&s, 977, 10);
    insim_release(&s);
}

static void test_million(void **state) {
    (void)state;
    struct insim s;
    struct inspector_data data;
    struct run run;
    insim_init(&s, 3, "n150");
    s.most_live = 400;
    const uint64_t wanted = getenv("TTMEM_TEST_QUICK") ? 100000 : 1000000;
    while (s.allocations < wanted) insim_op(&s, 17 + s.ops % 40, s.ops < 40, true, false);
    put_all(&s);
    read_folder(&data, &run);
    assert_int_equal(data.ranks.items[0].owners.all.len, s.allocations);
    check_states(&s, &run, 100000);
    check_peaks(&s, &run);
    run_release(&run);
    inspector_data_release(&data);
    check_followed(&s, 50, 100000);
    insim_release(&s);
}

/* What passes leave is what the simulator says that they left, and programs are counted at each op. */
static void test_growth(void **state) {
    (void)state;
    enum { PERIOD = 20, PASSES = 30, SKIPPED = PASSES / 5 };
    for (unsigned leaks = 0; leaks < 2; leaks++) {
        struct insim s;
        struct inspector_data data;
        struct run run;
        struct slope found, told;
        int64_t values[PASSES];
        insim_init(&s, 7, "n150");
        s.most_live = 4;
        for (unsigned i = 0; i < PERIOD * PASSES; i++)
            insim_op(&s, 17 + i % PERIOD, i < PERIOD, true, leaks && i >= PERIOD && i % PERIOD == 3);
        put_all(&s);
        read_folder(&data, &run);
        for (unsigned i = 0; i < PASSES; i++) {
            uint64_t bytes = i + 1 < PASSES ? s.states.items[(i + 1) * PERIOD].allocated[SIM_DRAM] : s.sum[SIM_DRAM];
            values[i] = (int64_t)((uint64_t)num_bytes_to_milli_mb(bytes) * 1048576 / 1000);
        }
        slope_find(values + SKIPPED, PASSES - SKIPPED, &told);
        pass_growth_find(&run, POOL_DRAM, &found);
        assert_true(found.known);
        assert_int_equal(found.points, PASSES - SKIPPED);
        assert_int_equal(found.per_step, told.per_step);
        assert_int_equal(found.low, told.low);
        assert_int_equal(found.high, told.high);
        assert_int_equal(found.rises, leaks);
        assert_int_equal(run.inspector->op_programs.len, run.records.len);
        for (size_t i = PERIOD; i < run.records.len; i++) assert_int_equal(run.inspector->op_programs.items[i], PERIOD);
        run_release(&run);
        inspector_data_release(&data);
        insim_release(&s);
    }
}

/* Pages that do not fill all banks: what is proved is right, the rest is a bound from below. */
static void test_bounds(void **state) {
    (void)state;
    struct insim s;
    struct inspector_data data;
    struct err err;
    insim_init(&s, 11, "n150");
    s.odd_sizes = true;
    s.only = SIM_DRAM;
    s.most_live = 40;
    VEC(struct insim_buffer) made = {0};
    for (unsigned i = 0; i < 400; i++) {
        size_t before = s.live.len;
        uint64_t first = s.allocations;
        insim_tensor(&s, SIM_DRAM);
        if (s.allocations > first) vec_push(&made, s.live.items[before]);
        if (s.live.len > s.most_live) insim_free(&s, insim_random(&s, s.live.len));
    }
    put_all(&s);
    put("mesh_workloads_log.yaml", SLICE(""));
    assert_int_equal(inspector_data_read(&data, folder, chip_find(SLICE("n150")), &err), 0);
    const struct owners *o = &data.ranks.items[0].owners;
    assert_int_equal(o->all.len, made.len);
    size_t proved = 0;
    for (size_t i = 0; i < o->all.len; i++) {
        assert_int_equal(o->all.items[i].address, made.items[i].address);
        assert_true(o->all.items[i].bank_bytes <= made.items[i].bank_bytes);
        assert_true(o->all.items[i].most_bytes >= made.items[i].bank_bytes);
        proved += o->all.items[i].proved && o->all.items[i].bank_bytes == made.items[i].bank_bytes;
    }
    assert_true(proved > made.len / 2);
    vec_release(&made);
    inspector_data_release(&data);
    insim_release(&s);
}

struct counted {
    uint64_t events, allocated;
};

static void count(void *who, const struct inspector_event *event) {
    struct counted *c = who;
    c->events++;
    c->allocated += event->kind == INSPECTOR_ALLOCATED;
}

static struct counted parse_in(struct slice text, size_t block, uint64_t *torn) {
    struct counted c = {0};
    struct inspector_parser p;
    inspector_init(&p, count, &c);
    for (size_t at = 0; at < text.len; at += block) {
        size_t n = text.len - at < block ? text.len - at : block;
        memcpy(inspector_room(&p, n), text.ptr + at, n);
        inspector_took(&p, n);
    }
    inspector_finish(&p);
    *torn = p.torn;
    inspector_release(&p);
    return c;
}

static void test_cut_everywhere(void **state) {
    (void)state;
    struct insim s;
    struct err err;
    insim_init(&s, 5, "n150");
    s.most_live = 6;
    run_ops(&s, 12, 5);
    put_all(&s);
    struct slice whole = strbuf_slice(&s.buffers);
    uint64_t before = 0, torn;
    for (size_t cut = 0; cut <= whole.len; cut++) {
        struct counted c = parse_in(slice_take(whole, cut), 1 << 20, &torn);
        assert_true(c.events >= before && c.events <= before + 1);
        assert_true(torn <= 1);
        before = c.events;
        struct counted small = parse_in(slice_take(whole, cut), 7, &torn);
        assert_int_equal(small.events, c.events);
        if (cut % 211) continue;
        struct inspector_data data;
        struct run run = {0};
        put("mesh_buffers_log.yaml", slice_take(whole, cut));
        assert_int_equal(inspector_data_read(&data, folder, NULL, &err), 0);
        int rc = inspector_run_make(&run, &data, folder, &err);
        assert_true(rc == 0 || err.code == ERR_LACKS);
        run_release(&run);
        inspector_data_release(&data);
    }
    insim_release(&s);
}

/* Length and time of the entry at a place. */
static size_t entry_length(struct slice text) {
    size_t next = slice_find(slice_skip(text, 1), SLICE("\n- "));
    return next == SLICE_NONE ? text.len : next + 2;
}

static uint64_t entry_time(struct slice entry) {
    static const char key[] = "timestamp_ns: ";
    size_t at = slice_find(entry, SLICE("timestamp_ns: "));
    return strtoull(entry.ptr + at + sizeof key - 1, NULL, 10);
}

/* Two threads, one with DRAM and one with L1: whole entries as they come in time, so that events of one stand between the two
 * of a move of the other. */
static void test_two_writers(void **state) {
    (void)state;
    struct insim a, b;
    struct inspector_data data;
    struct err err;
    insim_init(&a, 21, "n150");
    insim_init(&b, 22, "n150");
    a.only = SIM_DRAM;
    b.only = SIM_L1;
    b.stack += 1 << 20;
    b.next_id += (uint64_t)1 << 40;
    a.most_live = b.most_live = 30;
    for (unsigned i = 0; i < 400; i++) insim_op(&a, 17 + i, false, false, false);
    for (unsigned i = 0; i < 400; i++) insim_op(&b, 17 + i, false, false, false);
    struct strbuf mixed = {0};
    struct slice left = strbuf_slice(&a.buffers), right = strbuf_slice(&b.buffers);
    while (left.len || right.len) {
        size_t x = left.len ? entry_length(left) : 0, y = right.len ? entry_length(right) : 0;
        bool first = x && (!y || entry_time(slice_take(left, x)) <= entry_time(slice_take(right, y)));
        strbuf_add(&mixed, first ? slice_take(left, x) : slice_take(right, y));
        if (first) left = slice_skip(left, x);
        else right = slice_skip(right, y);
    }
    put_all(&a);
    put("mesh_buffers_log.yaml", strbuf_slice(&mixed));
    put("mesh_workloads_log.yaml", SLICE(""));
    struct run run;
    read_folder(&data, &run);
    assert_int_equal(data.ranks.items[0].torn, 0);
    assert_int_equal(data.ranks.items[0].owners.all.len, a.allocations + b.allocations);
    struct overview overview;
    overview_make(&run, &overview);
    assert_int_equal(overview.peaks.pools[POOL_DRAM].allocated, num_bytes_to_milli_mb(a.peak[SIM_DRAM]));
    assert_int_equal(overview.peaks.pools[POOL_L1].allocated, num_bytes_to_milli_mb(b.peak[SIM_L1]));
    overview_release(&overview);
    run_release(&run);
    inspector_data_release(&data);
    /* mixed by lines and by bytes: nothing but whole entries count, and reading goes on after what is torn */
    for (unsigned grain = 0; grain < 2; grain++) {
        strbuf_clear(&mixed);
        left = strbuf_slice(&a.buffers);
        right = strbuf_slice(&b.buffers);
        while (left.len || right.len) {
            struct slice *from = right.len && (!left.len || insim_random(&a, 60) == 0) ? &right : &left;
            size_t n = grain ? 1 + insim_random(&a, 200) : slice_find_byte(*from, '\n') + 1;
            strbuf_add(&mixed, slice_take(*from, n));
            *from = slice_skip(*from, n);
        }
        uint64_t torn;
        struct counted c = parse_in(strbuf_slice(&mixed), 4096, &torn);
        assert_true(torn > 0);
        assert_true(c.events + torn * 4 > (a.entries + b.entries) / 2);
        put("mesh_buffers_log.yaml", strbuf_slice(&mixed));
        assert_int_equal(inspector_data_read(&data, folder, NULL, &err), 0);
        run = (struct run){0};
        inspector_run_make(&run, &data, folder, &err);
        run_release(&run);
        inspector_data_release(&data);
    }
    strbuf_release(&mixed);
    insim_release(&a);
    insim_release(&b);
}

#define ALLOCATED(id, address)                                          \
    "- mesh_buffer_allocated:\n    id: " #id "\n    address: " #address \
    "\n    size: 24576\n    device_local_size: 24576\n"                 \
    "    buffer_type: DRAM\n    timestamp_ns: 5\n"
#define DEALLOCATED(id, address) "- mesh_buffer_deallocated:\n    id: " #id "\n    address: " #address "\n    timestamp_ns: 9\n"

static struct owners owners_of(const char *text) {
    struct inspector_data data;
    struct err err;
    put("mesh_buffers_log.yaml", slice_from(text));
    assert_int_equal(inspector_data_read(&data, folder, chip_find(SLICE("n150")), &err), 0);
    struct owners found = data.ranks.items[0].owners;
    inspector_data_release(&data);
    return found; /* counts only */
}

static void test_odd_events(void **state) {
    (void)state;
    put("mesh_workloads_log.yaml", SLICE(""));
    put("programs_log.yaml", SLICE(""));
    put("mesh_devices_log.yaml", SLICE(""));
    /* a view's free is not its parent's; a view may stand longer than what it shows */
    struct owners o = owners_of(ALLOCATED(1, 4096) ALLOCATED(2, 4096) DEALLOCATED(2, 4096) ALLOCATED(3, 5120)
                                    DEALLOCATED(1, 4096) DEALLOCATED(3, 5120));
    assert_int_equal(o.views, 2);
    assert_int_equal(o.allocations, 3);
    assert_int_equal(o.unknown_frees, 0);
    /* frees of ids that nothing has, of other addresses, and an id that comes twice */
    o = owners_of(DEALLOCATED(7, 4096) ALLOCATED(1, 4096) DEALLOCATED(1, 8192) ALLOCATED(1, 65536));
    assert_int_equal(o.unknown_frees, 2);
    assert_int_equal(o.lost_frees, 1);
    /* no place: not a buffer of the map, and its free is known */
    o = owners_of(ALLOCATED(1, 0) DEALLOCATED(1, 0));
    assert_int_equal(o.unplaced, 1);
    assert_int_equal(o.unknown_frees, 0);
    o = owners_of(ALLOCATED(1, 18446744073709551615) ALLOCATED(2, 18446744073709551616) ALLOCATED(x, 1));
    assert_int_equal(o.unbelievable, 1);
    assert_int_equal(o.allocations, 1);
}

static void test_op_names(void **state) {
    (void)state;
    static const char *const names[][2] = {{"MatmulDeviceOperation", "ttnn.matmul"},
                                           {"ReshapeViewDeviceOperation", "ttnn.reshape"},
                                           {"InterleavedToShardedDeviceOperation", "ttnn.interleaved_to_sharded"},
                                           {"BinaryNgDeviceOperation", "ttnn.binary_ng"},
                                           {"SDPAOperation", "ttnn.sdpa"},
                                           {"Reduce<float, 2>", "ttnn.reduce"},
                                           {"", "ttnn."}};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct strbuf out = {0};
        inspector_op_name(&out, slice_from(names[i][0]));
        assert_string_equal(strbuf_text(&out), names[i][1]);
        strbuf_release(&out);
    }
}

static void test_names_fit(void **state) {
    (void)state;
    assert_true(inspector_name_fits(SLICE("ttnn.matmul"), SLICE("ttnn.linear")));
    assert_true(inspector_name_fits(SLICE("ttnn.binary_ng"), SLICE("ttnn.add")));
    assert_true(inspector_name_fits(SLICE("ttnn.conv2d"), SLICE("ttnn.conv2d")));
    assert_false(inspector_name_fits(SLICE("ttnn.binary_ng"), SLICE("ttnn.ad")));
    assert_false(inspector_name_fits(SLICE("ttnn.matmul"), SLICE("ttnn.add")));
    assert_false(inspector_name_fits(SLICE(""), SLICE("ttnn.add")));
}

/* Sizes by tt-metal's rules: tiles of 32 x 32, of bf16 2048 bytes, of bfp8 1088; rows as they are. */
static void test_specs(void **state) {
    (void)state;
    struct slice text = SLICE(
        "[0]: TensorSpec(logical_shape=Shape([2, 33, 40]),tensor_layout=TensorLayout(dtype=DataType::BFLOAT16,page_config="
        "PageConfig(config=TilePageConfig(tile=Tile())),memory_config=MemoryConfig(memory_layout=TensorMemoryLayout::"
        "HEIGHT_SHARDED,buffer_type=BufferType::L1))), [1]: TensorSpec(logical_shape=Shape([40]),tensor_layout=TensorLayout("
        "dtype=DataType::UINT32,page_config=PageConfig(config=RowMajorPageConfig()),memory_config=MemoryConfig(memory_layout="
        "TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::DRAM))), [2]: TensorSpec(logical_shape=Shape([99999999999, "
        "99999999999, 2]),dtype=DataType::BFLOAT16,buffer_type=BufferType::DRAM), [3]: TensorSpec(");
    struct inspector_spec spec;
    assert_true(inspector_spec_next(&text, &spec));
    assert_int_equal(spec.bytes, 2 * 2 * 2 * 2048);
    assert_int_equal(spec.pool, POOL_L1);
    assert_int_equal(spec.layout, 1);
    assert_slice(strbuf_slice(&spec.shape), "2x33x40");
    strbuf_release(&spec.shape);
    assert_true(inspector_spec_next(&text, &spec));
    assert_int_equal(spec.bytes, 160);
    assert_slice(spec.dtype, "u32");
    strbuf_release(&spec.shape);
    assert_false(inspector_spec_next(&text, &spec));
}

static void test_passes(void **state) {
    (void)state;
    static const struct {
        const char *ops;
        size_t period, first, count;
    } cases[] = {
        {"abcabcabc", 3, 0, 3}, {"xyzabababab", 2, 3, 4}, {"abcdefgh", 0, 0, 0}, {"xabcabcab", 3, 3, 2}, {"", 0, 0, 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct inspector_op ops[16] = {0};
        struct inspector_passes passes;
        size_t n = strlen(cases[i].ops);
        /* workloads that come again, one for all of them, and new ones each time */
        for (unsigned kind = 0; kind < 3; kind++) {
            for (size_t k = 0; k < n; k++) {
                ops[k].name = (uint32_t)cases[i].ops[k];
                ops[k].workload = kind == 0 ? (uint64_t)cases[i].ops[k] : kind == 1 ? 17 : 100 + k;
            }
            inspector_passes_find(ops, n, &passes);
            assert_int_equal(passes.period, cases[i].period);
            assert_int_equal(passes.first, cases[i].first);
            assert_int_equal(passes.count, cases[i].count);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truth),          cmocka_unit_test(test_million),     cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_cut_everywhere), cmocka_unit_test(test_two_writers), cmocka_unit_test(test_odd_events),
        cmocka_unit_test(test_op_names),       cmocka_unit_test(test_passes),      cmocka_unit_test(test_growth),
        cmocka_unit_test(test_followed),       cmocka_unit_test(test_specs),       cmocka_unit_test(test_names_fit),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
