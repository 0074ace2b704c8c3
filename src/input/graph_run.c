/* SPDX-License-Identifier: Apache-2.0 */
/* A graph capture as a run: every function is an op in the order of the calls, with the buffers that are there before it, and
 * the circular buffers of its program where it has some. Each device is a rank and sees every function.
 *
 * Where a capture has no addresses (RunMode NO_DISPATCH), buffers lie where the simulated allocator puts them. */
#include <stdlib.h>

#include "base/num.h"
#include "base/vec.h"
#include "device/simulate.h"
#include "model/buffers.h"
#include "input/kinds.h"
#include "input/ttnn/inside.h"
#include "parse/foreign/graph.h"
#include "parse/foreign/graph_banks.h"
#include "parse/ttnn_words.h"

enum { MAX_DEVICES = 64, LOOK = 1 << 20 };

struct capture_device {
    uint64_t id;
    uint16_t rank;
    bool ready;
    struct sim sim;
    struct inside inside;
    struct idmap address_of; /* id of a buffer without an address -> index of `addresses` */
};

struct graph_capture {
    struct buffers *builder;
    struct capture_device devices[MAX_DEVICES];
    size_t device_count;
    uint64_t beyond; /* events of devices that do not fit */
    VEC(uint64_t) addresses;
    const struct chip *chip;
    uint64_t highest[POOL_COUNT]; /* end of the highest buffer */
    struct graph_device reported; /* the first one; id is UINT64_MAX when there is none */
    struct graph_banks banks;
    bool building;
    struct run *run;
    struct sim_map map;
    uint64_t depth; /* functions that have not ended */
};

static struct capture_device *device_of(struct graph_capture *c, const struct mem_event *event) {
    uint64_t id = event->has_device ? event->device : 0;
    for (size_t i = 0; i < c->device_count; i++)
        if (c->devices[i].id == id) return &c->devices[i];
    if (c->building || c->device_count == MAX_DEVICES) {
        c->beyond++;
        return NULL;
    }
    c->devices[c->device_count].id = id;
    return &c->devices[c->device_count++];
}

static bool touches_buffers(const struct mem_event *event) {
    return event && (event->kind == MEM_ALLOCATE || event->kind == MEM_FREE);
}

/* --- first pass: which devices there are --- */

static bool find_device(void *context, const struct graph_node *node, const struct mem_event *event) {
    struct graph_capture *c = context;
    enum pool pool;
    (void)node;
    if (!touches_buffers(event)) return true;
    device_of(c, event);
    graph_banks_event(&c->banks, event);
    uint64_t end = event->address + event->size_per_bank;
    if (ttnn_pool((int64_t)event->type, &pool) && end > c->highest[pool]) c->highest[pool] = end;
    return true;
}

/* A capture that does not name its device is of the first architecture whose memory reaches as far. */
static const struct chip *chip_by_addresses(const struct graph_capture *c) {
    static const char *const archs[] = {"wormhole_b0", "blackhole", "quasar"};
    const struct chip *chip = NULL;
    for (unsigned i = 0; i < sizeof archs / sizeof *archs; i++) {
        chip = chip_find(slice_from(archs[i]));
        if (c->highest[POOL_DRAM] <= chip->dram_view_bytes && c->highest[POOL_L1] <= chip->l1_bytes) break;
    }
    return chip;
}

static void take_reported(void *context, const struct graph_device *device) {
    struct graph_capture *c = context;
    if (c->reported.id != UINT64_MAX) return;
    c->reported = *device;
    c->chip = chip_find(device->arch);
    c->reported.arch = slice_of("", 0);
}

/* --- second pass: the run --- */

static struct sim_map map_of(const struct graph_capture *c) {
    struct sim_map map = sim_map_of(c->chip);
    const struct graph_device *d = &c->reported;
    uint64_t page;
    unsigned banks = c->banks.told ? 0 : graph_banks_found(&c->banks, &page);
    if (banks) map.l1_banks = banks;
    if (d->id == UINT64_MAX) return map;
    if (d->l1_banks && d->l1_banks < UINT16_MAX) map.l1_banks = (unsigned)d->l1_banks;
    if (d->l1_base && d->l1_base + d->l1_bank_bytes > d->l1_base) {
        map.l1_base = d->l1_base;
        map.l1_end = d->l1_base + d->l1_bank_bytes;
    }
    if (d->dram_channels && d->dram_channels < UINT16_MAX && d->dram_channel_bytes > map.dram_base) {
        map.dram_banks = (unsigned)d->dram_channels;
        map.dram_end = d->dram_channel_bytes;
    }
    return map;
}

static void make_ranks(struct graph_capture *c) {
    struct sim_map map = c->map = map_of(c);
    char name[NUM_ROOM];
    if (!c->device_count) c->devices[c->device_count++].id = 0;
    for (size_t i = 0; i < c->device_count; i++) {
        struct capture_device *d = &c->devices[i];
        size_t length = c->device_count > 1 ? num_write_u64(name, d->id) : 0;
        d->rank = buffers_rank(c->builder, slice_of(name, length));
        d->ready = sim_init(&d->sim, &map) == SIM_OK;
        inside_init(&d->inside, c->builder, c->run, d->rank, &c->map);
        buffers_pool(c->builder, d->rank, POOL_DRAM, map.dram_banks, true, map.dram_base, map.dram_end - map.dram_base);
        buffers_pool(c->builder, d->rank, POOL_L1, map.l1_banks, true, map.l1_base, map.l1_end - map.l1_base);
    }
    c->building = true;
}

static void add_function(struct graph_capture *c, const struct graph_node *node) {
    struct buffer_op op = {.name = node->name.len ? node->name : SLICE("function"), .line = node->counter};
    for (size_t i = 0; i < c->device_count; i++) {
        inside_tell(&c->devices[i].inside);
        buffers_op(c->builder, c->devices[i].rank, &op);
        inside_begin(&c->devices[i].inside);
    }
    c->depth++;
}

/* The program of the outermost function ends with it. */
static void end_function(struct graph_capture *c, const struct graph_node *node) {
    c->depth -= c->depth > 0;
    for (size_t i = 0; i < c->device_count; i++) {
        if (c->depth) inside_tell(&c->devices[i].inside);
        else inside_end(&c->devices[i].inside);
        buffers_op_ends(c->builder, c->devices[i].rank, node->duration_ns);
    }
}

/* Where the buffer lies: as the capture says, else as the simulator placed it. */
static bool find_address(struct graph_capture *c, struct capture_device *d, const struct mem_event *event, uint64_t *address) {
    struct sim_failure failure;
    *address = event->address;
    if (event->address) return true;
    const uint32_t *known = idmap_find(&d->address_of, event->id);
    if (event->kind == MEM_FREE) {
        if (!known || !d->ready) return false;
        *address = c->addresses.items[*known];
        idmap_remove(&d->address_of, event->id);
        sim_event(&d->sim, event, NULL, &failure);
        return true;
    }
    if (known || !d->ready || sim_event(&d->sim, event, address, &failure) != SIM_OK) return false;
    vec_push(&c->addresses, *address);
    return idmap_set(&d->address_of, event->id, (uint32_t)c->addresses.len - 1);
}

static void add_event(struct graph_capture *c, const struct mem_event *event) {
    struct capture_device *d = device_of(c, event);
    struct mem_event placed = *event;
    uint64_t page = 0;
    if (!event->page_size && !event->sharded && event->type == MEM_L1 && graph_banks_found(&c->banks, &page))
        placed.page_size = page;
    if (!d || !find_address(c, d, event, &placed.address)) return;
    inside_event(&d->inside, &placed, NULL);
}

/* Memory of a program is told by chip, buffers by mesh: where no device has the chip's number, it is of all of them. */
static void add_program_event(struct graph_capture *c, const struct mem_event *event) {
    const struct capture_device *own = NULL;
    for (size_t i = 0; i < c->device_count; i++)
        if (event->has_device && c->devices[i].id == event->device) own = &c->devices[i];
    for (size_t i = 0; i < c->device_count; i++)
        if (!own || own == &c->devices[i]) inside_event(&c->devices[i].inside, event, NULL);
}

static bool take_node(void *context, const struct graph_node *node, const struct mem_event *event) {
    struct graph_capture *c = context;
    if (node->kind == NODE_FUNCTION_START) add_function(c, node);
    else if (node->kind == NODE_FUNCTION_END) end_function(c, node);
    else if (touches_buffers(event)) add_event(c, event);
    else if (event) add_program_event(c, event);
    return true;
}

static int pass(const struct graph_calls *calls, struct slice bytes, const char *path, struct err *err) {
    struct graph_reader reader;
    enum { PIECE = 4 << 20 };
    if (!graph_reader_init(&reader, calls)) return err_set(err, ERR_INPUT, "%s: no memory to read it", path);
    for (size_t at = 0; at < bytes.len; at += PIECE)
        if (!graph_reader_push(&reader, slice_take(slice_skip(bytes, at), PIECE))) break;
    graph_reader_finish(&reader);
    uint64_t nodes = reader.nodes;
    graph_reader_release(&reader);
    return nodes ? 0 : err_set(err, ERR_LACKS, "%s holds no node of a graph capture", path);
}

bool graph_run_looks_like(struct slice bytes) {
    struct slice head = slice_take(bytes, LOOK);
    size_t at = 0;
    while (at < head.len && memchr(" \t\r\n", head.ptr[at], 4)) at++;
    return at < head.len && (head.ptr[at] == '[' || head.ptr[at] == '{') &&
           slice_find(head, SLICE("\"node_type\"")) != SLICE_NONE;
}

int graph_run_read(struct run *run, struct slice bytes, const char *path, struct err *err) {
    struct graph_capture *c = mem_zalloc(1, sizeof *c);
    c->reported.id = UINT64_MAX;
    const struct graph_calls first = {.node = find_device, .device = take_reported, .context = c};
    const struct graph_calls second = {.node = take_node, .context = c};
    int rc = pass(&first, bytes, path, err);
    bool assumed = !c->chip;
    if (assumed) c->chip = chip_by_addresses(c);
    if (rc == 0) {
        c->builder = buffers_begin(run, RUN_GRAPH_CAPTURE, bytes.len);
        if (assumed) buffers_device_assumed(c->builder);
        c->run = run;
        run->l1.step = NONE;
        make_ranks(c);
        rc = pass(&second, bytes, path, err);
        for (size_t i = 0; i < c->device_count; i++) inside_end(&c->devices[i].inside);
        buffers_end(c->builder);
    }
    for (size_t i = 0; i < c->device_count; i++) {
        if (c->devices[i].ready) sim_release(&c->devices[i].sim);
        inside_release(&c->devices[i].inside);
        idmap_release(&c->devices[i].address_of);
    }
    vec_release(&c->addresses);
    graph_banks_release(&c->banks);
    free(c);
    return rc;
}
