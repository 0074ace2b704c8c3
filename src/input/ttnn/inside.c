/* SPDX-License-Identifier: Apache-2.0 */
#include "input/ttnn/inside.h"

#include "base/num.h"
#include "parse/ttnn_words.h"

enum { PLACED_ALIKE = 32 }; /* parts begin at multiples of this */

void inside_init(struct inside *in, struct buffers *b, struct run *run, uint16_t rank, const struct sim_map *map) {
    *in = (struct inside){.b = b, .run = run, .rank = rank, .map = map};
}

/* The fullest core of the fullest chip. */
static void find_program(struct inside *in) {
    in->program = (struct program_bytes){0};
    for (size_t i = 0; i < in->chip_count; i++)
        if (in->chips[i].memory.most.total > in->program.total) in->program = in->chips[i].memory.most;
}

void inside_begin(struct inside *in) {
    for (unsigned pool = 0; pool < POOL_COUNT; pool++)
        in->sum[pool] = in->high[pool] = buffers_sum(in->b, in->rank, (enum pool)pool);
    in->rose = in->has_program = false;
    in->margin = INT64_MAX;
    find_program(in);
}

/* Bytes per bank that a buffer takes. */
static uint64_t inside_bank_bytes(const struct inside *in, const struct mem_event *event) {
    return event->size_per_bank ? event->size_per_bank : sim_size_per_bank(in->map, event);
}

/* Places its parts on that core, one above the other from the bottom of L1. */
static uint64_t put_program(struct inside *in, uint64_t addresses[3]) {
    static const char *const names[] = {"B of circular buffers", "B of dataflow buffers", "B of scratchpads"};
    const int64_t parts[] = {in->program.circular, in->program.dataflow, in->program.scratchpad};
    uint64_t at = in->map->l1_base, left = in->program.total > 0 ? (uint64_t)in->program.total : 0, all = left;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t bytes = parts[i] > 0 ? (uint64_t)parts[i] : 0;
        char text[NUM_ROOM];
        if (bytes > left) bytes = left; /* the maxima of the kinds may be on different cores */
        addresses[i] = 0;
        if (!bytes) continue;
        struct buffer_tensor tensor = {
            .shape = slice_of(text, num_write_u64(text, bytes)), .dtype = slice_from(names[i]), .raw = true, .pool = POOL_L1};
        struct device_buffer buffer = {
            .pool = POOL_L1, .address = at, .bank_bytes = bytes, .tensor = &tensor, .class = TENSOR_CIRCULAR_BUFFER};
        /* an L1 buffer at that address is a clash: then the part gets no place */
        if (buffers_bytes_at(in->b, in->rank, POOL_L1, at)) buffer.address = i + 1;
        buffers_take(in->b, in->rank, &buffer);
        addresses[i] = buffer.address;
        at += num_ceil_div(bytes, PLACED_ALIKE) * PLACED_ALIKE;
        left -= bytes;
    }
    return all;
}

enum { MOST_AREAS = 256 };

struct telling {
    struct run *run;
    size_t first;
    uint32_t end;
};

/* The end of the programs, from the addresses of circular buffers; 0: not recorded. */
static uint64_t program_end(const struct inside *in) {
    uint64_t end = 0;
    for (size_t i = 0; i < in->chip_count; i++)
        if (in->chips[i].end > end) end = in->chips[i].end;
    return end;
}

/* The gap between the program and the lowest L1 buffer; INT64_MAX: no program, or nothing above it. */
static int64_t margin_of(const struct inside *in) {
    uint64_t lowest, end = program_end(in), least = in->map->l1_base + (uint64_t)in->program.total;
    if (in->program.total <= 0 || !buffers_lowest(in->b, in->rank, POOL_L1, &lowest)) return INT64_MAX;
    return (int64_t)lowest - (int64_t)(end > least ? end : least);
}

static void add_area(void *context, struct core_range cores, int64_t bytes) {
    struct telling *t = context;
    if (bytes <= 0 || t->run->l1_areas.len - t->first >= MOST_AREAS) return;
    uint32_t step = (uint32_t)t->run->steps.len - 1;
    vec_push(&t->run->l1_areas, ((struct l1_area){step, bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX, t->end, cores}));
}

/* Records the cores on which the fullest chip has it. */
static void tell_areas(struct inside *in) {
    struct telling telling = {in->run, in->run->l1_areas.len, (uint32_t)program_end(in)};
    for (size_t i = 0; i < in->chip_count; i++)
        if (in->chips[i].memory.most.total == in->program.total) {
            program_each_area(&in->chips[i].memory, add_area, &telling);
            return;
        }
}

/* Before something goes: is memory higher, or the program nearer to the buffers, than in the states recorded for this op? */
void inside_tell(struct inside *in) {
    uint64_t addresses[3], program = in->program.total > 0 ? (uint64_t)in->program.total : 0;
    bool higher = false;
    if (!in->rose) return;
    in->rose = false;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        uint64_t now = in->sum[pool] + (pool == POOL_L1 ? program : 0);
        higher |= now > in->high[pool];
        if (now > in->high[pool]) in->high[pool] = now;
    }
    int64_t margin = margin_of(in);
    if (!higher && margin >= in->margin) return;
    if (margin < in->margin) in->margin = margin;
    program = put_program(in, addresses);
    buffers_inside(in->b, in->rank);
    if (program) tell_areas(in);
    for (unsigned i = 0; program && i < 3; i++)
        if (addresses[i]) buffers_free(in->b, in->rank, POOL_L1, addresses[i]);
    if (program > in->run->l1.most_bytes) {
        in->run->l1.most_bytes = program;
        in->run->l1.step = (uint32_t)in->run->steps.len - 1;
    }
}

/* Index of the chip, INSIDE_CHIPS: there are too many. */
static size_t chip_of(struct inside *in, const struct mem_event *event) {
    uint64_t id = event->has_device ? event->device : UINT64_MAX;
    for (size_t i = 0; i < in->chip_count; i++)
        if (in->chips[i].id == id) return i;
    if (in->chip_count == INSIDE_CHIPS) return INSIDE_CHIPS;
    in->chips[in->chip_count].id = id;
    return in->chip_count++;
}

static void clear_chip(struct inside *in, size_t chip) {
    program_clear(&in->chips[chip].memory);
    in->chips[chip].end = 0;
}

static void release_program(struct inside *in, const struct mem_event *event) {
    inside_tell(in);
    for (size_t i = 0; i < in->chip_count; i++)
        if (!event || !event->has_device || in->chips[i].id == UINT64_MAX || in->chips[i].id == event->device)
            clear_chip(in, i);
    find_program(in);
}

/* The pool holds an unknown amount more. */
static void leave_out(struct inside *in, enum pool pool) {
    in->run->warnings[WARN_PARTS_UNREAD]++;
    in->run->unread_pools |= (uint8_t)(1u << pool);
}

void inside_lost(struct inside *in, const struct mem_event *event) {
    enum pool pool;
    if (ttnn_pool((int64_t)event->type, &pool)) leave_out(in, pool);
}

static void take_program(struct inside *in, const struct mem_event *event) {
    size_t chip = chip_of(in, event);
    if (event->borrowed) return;
    if ((event->unreadable && !event->size) || event->size > in->map->l1_end) { /* no core has that much */
        leave_out(in, POOL_L1);
        return;
    }
    if (chip == INSIDE_CHIPS || !program_add(&in->chips[chip].memory, event)) return;
    uint64_t end = event->address + event->size; /* both are smaller than a core's L1 */
    if (event->address && event->address < in->map->l1_end && end <= in->map->l1_end && end > in->chips[chip].end)
        in->chips[chip].end = end;
    in->run->l1.told = true;
    in->run->l1.ops += !in->has_program;
    in->has_program = in->rose = true;
    find_program(in);
}

/* Does the buffer fit into its memory, alone and with the others there? If not, something was recorded wrongly. */
static bool is_possible(const struct inside *in, const struct device_buffer *buffer, uint64_t old) {
    bool l1 = buffer->pool == POOL_L1 || buffer->pool == POOL_L1_SMALL;
    uint64_t end = l1 ? in->map->l1_end : in->map->dram_end, sum = in->sum[buffer->pool] - old;
    return buffer->bank_bytes <= end && (!l1 || sum + buffer->bank_bytes <= end);
}

/* Neither its bytes per bank nor its number of banks is known. */
static bool is_unspread(const struct inside *in, const struct mem_event *event) {
    return event->type == MEM_L1 && !event->size_per_bank && !event->num_cores && (in->unspread || event->sharded);
}

static void take_buffer(struct inside *in, const struct mem_event *event, const struct buffer_tensor *tensor) {
    struct device_buffer buffer = {.address = event->address, .bank_bytes = inside_bank_bytes(in, event), .tensor = tensor};
    if (!ttnn_pool((int64_t)event->type, &buffer.pool)) return;
    if (!event->address || !buffer.bank_bytes) {
        if (event->unreadable) leave_out(in, buffer.pool);
        return;
    }
    uint64_t old = buffers_bytes_at(in->b, in->rank, buffer.pool, buffer.address);
    if (old == buffer.bank_bytes) return;
    if (!is_possible(in, &buffer, old)) {
        leave_out(in, buffer.pool);
        return;
    }
    buffer.bounded = is_unspread(in, event);
    if (buffer.bounded) in->run->unspread_pools |= (uint8_t)(1u << buffer.pool);
    buffers_take(in->b, in->rank, &buffer);
    in->sum[buffer.pool] += buffer.bank_bytes - old;
    in->rose = true;
}

static void free_buffer(struct inside *in, const struct mem_event *event) {
    enum pool pool;
    if (!event->address || !ttnn_pool((int64_t)event->type, &pool)) return;
    uint64_t bytes = buffers_bytes_at(in->b, in->rank, pool, event->address);
    if (!bytes) return;
    inside_tell(in);
    buffers_free(in->b, in->rank, pool, event->address);
    in->sum[pool] -= bytes;
}

void inside_event(struct inside *in, const struct mem_event *event, const struct buffer_tensor *tensor) {
    program_scope_event(&in->scope, event);
    switch (event->kind) {
        case MEM_ALLOCATE:
            take_buffer(in, event, tensor);
            break;
        case MEM_FREE:
            free_buffer(in, event);
            break;
        case MEM_CIRCULAR_BUFFER:
        case MEM_DATAFLOW_BUFFER:
        case MEM_SCRATCHPAD:
            take_program(in, event);
            break;
        case MEM_RELEASE_PROGRAM:
            release_program(in, event);
            break;
        default:
            break;
    }
}

static void end_programs(struct inside *in) {
    inside_tell(in);
    for (size_t i = 0; i < in->chip_count; i++) clear_chip(in, i);
    in->program = (struct program_bytes){0};
}

void inside_function_begins(struct inside *in) {
    if (program_function_begins(&in->scope)) end_programs(in);
}

void inside_function_ends(struct inside *in) {
    if (program_function_ends(&in->scope)) end_programs(in);
}

void inside_end(struct inside *in) {
    end_programs(in);
    in->scope = (struct program_scope){0};
}

void inside_release(struct inside *in) {
    for (size_t i = 0; i < in->chip_count; i++) program_free(&in->chips[i].memory);
}
