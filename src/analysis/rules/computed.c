/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/rules/computed.h"

#include "analysis/run/live_curve.h"
#include "base/num.h"
#include "base/strbuf.h"
#include "replay/engine/replay.h"

/* Larger than any device: what an op leaves does not depend on other memory. */
enum { ROOM_BITS = 50 };

/* Thousandths of a MB by which a sum of tensors may differ from a memory block that holds nothing else. */
enum { ROUNDING = 2 };

/* The device of one rank since it was opened. */
struct computed_device {
    struct replay replay;
    struct computed *computed;
    uint64_t inside, want; /* of an op that requests `want` */
    uint32_t step, until;
    uint16_t rank;
    bool met; /* a request of that size came */
};

static enum live_class class_of(enum memory_class class) {
    return class == MEMORY_RESHAPE_MAP ? LIVE_RESHAPE_MAP
           : class == MEMORY_TABLE     ? LIVE_TABLE
           : class == MEMORY_BINARY    ? LIVE_BINARY
           : class == MEMORY_TEMPORARY ? LIVE_TEMPORARY
                                       : LIVE_CLASS_COUNT;
}

static void on_take(void *context, uint32_t number) {
    struct computed_device *o = context;
    const struct buffer *b = &o->replay.memory.buffers.items[number];
    enum live_class class = class_of((enum memory_class)b->class);
    if (b->pool != POOL_DRAM) return;
    o->met = o->met || (o->want && b->bytes == o->want);
    if (class == LIVE_TEMPORARY) o->inside += o->met ? 0 : b->bytes;
    else if (class != LIVE_CLASS_COUNT && !o->want)
        vec_push(&o->computed->parts,
                 ((struct computed_part){
                     .bytes = b->bytes, .step = o->step, .gone = o->until, .rank = o->rank, .class = (uint8_t) class}));
}

static void on_free(void *context, uint32_t number) {
    struct computed_device *o = context;
    const struct buffer *b = &o->replay.memory.buffers.items[number];
    if (b->pool == POOL_DRAM && b->class == MEMORY_TEMPORARY && !o->met) o->inside -= b->bytes;
}

/* The device that the operation ran on. */
static struct memory_geometry geometry_of(const struct run *run, const struct op *op) {
    for (uint32_t i = 0; i < (uint32_t)op->operand_count + op->result_count; i++) {
        const struct op_ref *ref = &run->refs.items[op->first_ref + i];
        if (ref->type != NONE && run->types.items[ref->type].device.dram_banks) return run->types.items[ref->type].device;
    }
    return run->geometry;
}

static struct predict_device device_of(const struct run *run, const struct op *op) {
    struct predict_device device = {.geometry = geometry_of(run, op)};
    for (int pool = 0; pool < POOL_COUNT; pool++)
        device.pools[pool] = (struct predict_pool){device.geometry.dram_banks, 0, (uint64_t)1 << ROOM_BITS};
    device.pools[POOL_L1].banks = device.geometry.l1_banks;
    /* how many slices a convolution is cut into depends on what L1 holds */
    for (size_t i = 0; i < run->configs.len; i++) {
        const struct pool_config *config = &run->configs.items[i];
        if (config->pool == POOL_L1 && config->total && config->banks == device.geometry.l1_banks)
            device.pools[POOL_L1].bytes = (uint64_t)config->total * NUM_MIB / 1000;
    }
    if (!device.geometry.dram_align && run->chip) device.geometry.dram_align = run->chip->dram_align;
    return device;
}

static void open_device(struct computed_device *o, const struct run *run, struct computed *computed, const struct step *first,
                        uint32_t until) {
    struct predict_device device = device_of(run, &run->ops.items[first->op]);
    *o = (struct computed_device){.computed = computed, .rank = first->rank, .until = until};
    replay_init(&o->replay, &device, &(struct replay_options){.keep_going = true});
    o->replay.memory.watch = (struct memory_watch){.context = o, .took = on_take, .freed = on_free};
}

static bool has_computed(const struct run *run) { return run->origin == RUN_LOG && run->geometry.dram_banks && run->op_lines; }

static bool leaves_something(const struct op *op) { return op->kind == OP_PLAIN && !op->truncated && op->result_count; }

/* Of a stream, whose bytes are gone, only ops that were mended keep their text. */
static bool is_printed(const struct run *run) {
    for (size_t i = 0; i < run->ops.len; i++)
        if (!run_op_text(run, &run->ops.items[i]).len) return false;
    return true;
}

/* The op as printed, or only its types: the same for all ops of a run, so that equal programs stay equal. */
static struct slice op_words(const struct run *run, const struct op *op, bool printed, struct arena *arena) {
    struct slice text = printed ? run_op_text(run, op) : slice_of("", 0);
    if (text.len) return text;
    struct strbuf made = {0};
    strbuf_addf(&made, "%%r = \"%.*s\"(", SLICE_FMT(run_string(run, op->name)));
    for (uint16_t i = 0; i < op->operand_count; i++) strbuf_addf(&made, "%s%%%u", i ? ", " : "", i);
    strbuf_addz(&made, ") : (");
    for (uint32_t i = 0; i < (uint32_t)op->operand_count + op->result_count; i++) {
        if (i == op->operand_count) strbuf_addz(&made, ") -> (");
        else if (i) strbuf_addz(&made, ", ");
        strbuf_add(&made, run->types.items[run->refs.items[op->first_ref + i].type].text);
    }
    strbuf_addz(&made, ") loc(unknown)");
    text = arena_copy(arena, strbuf_slice(&made));
    strbuf_release(&made);
    return text;
}

/* One device: its ops in order, only the first of equal texts. */
static void compute_rank(const struct run *run, uint16_t rank, uint32_t end, bool printed, struct ir *ir,
                         struct computed *computed) {
    struct computed_device o;
    uint32_t *seen = mem_zalloc(run->ops.len + 1, sizeof *seen), part = 0;
    for (uint32_t i = 0; i < end && i < run->steps.len; i++) {
        const struct step *at = &run->steps.items[i];
        if (at->rank != rank || at->kind != STEP_OP || at->op == NONE) continue;
        if (!part || i >= o.until) {
            if (part++) replay_release(&o.replay);
            open_device(&o, run, computed, at, run_part_end(run, rank, i));
        }
        if (seen[at->op] == part || !leaves_something(&run->ops.items[at->op])) continue;
        seen[at->op] = part;
        if (!ir_add_lone_op(ir, op_words(run, &run->ops.items[at->op], printed, &ir->types.arena))) continue;
        o.step = i;
        replay_lone_op(&o.replay, ir, (uint32_t)ir->ops.len - 1);
    }
    if (part) replay_release(&o.replay);
    free(seen);
}

static int earlier_first(const void *a, const void *b) {
    const struct computed_part *x = a, *y = b;
    return x->step < y->step ? -1 : x->step > y->step;
}

/* One device since it was opened, followed over its memory blocks. */
struct watched_device {
    uint64_t least;  /* bytes per bank that no tensor explained */
    uint32_t until;  /* step at which it is opened again */
    bool known, ran; /* a state before any operation was seen; an operation ran */
};

/* Goes over the steps from `first` to that of a block: devices opened again, ops that ran. */
static void pass_steps(const struct run *run, struct watched_device *devices, uint32_t first, uint32_t to) {
    for (uint32_t i = first; i < to; i++) {
        const struct step *at = &run->steps.items[i];
        struct watched_device *d = &devices[at->rank];
        if (i >= d->until) *d = (struct watched_device){.until = run_part_end(run, at->rank, i)};
        d->ran = d->ran || (at->kind == STEP_OP && at->op != NONE && leaves_something(&run->ops.items[at->op]));
    }
}

static void find_before(const struct run *run, uint32_t end, uint16_t rank, struct computed *computed) {
    struct live_walk walk;
    if (!live_walk_begin(&walk, run)) return;
    struct watched_device *devices = mem_zalloc(run->ranks.len + 1, sizeof *devices);
    uint32_t passed = 0;
    for (size_t i = 0; i < run->blocks.len; i++) {
        const struct block *block = &run->blocks.items[i];
        if (block->step > end || block->step >= run->steps.len) break;
        uint16_t own = run->steps.items[block->step].rank;
        pass_steps(run, devices, passed, block->step);
        passed = block->step > passed ? block->step : passed;
        struct watched_device *d = &devices[own];
        if (block->step >= d->until) *d = (struct watched_device){.until = run_part_end(run, own, block->step)};
        /* before a submit, arguments of a program that has not begun already exist */
        bool counts = block->have & 1u << POOL_DRAM && block_is_of_op(run, block);
        if (!counts || (rank != COMPUTED_ALL_RANKS && own != rank) || (d->ran && !d->known)) continue;
        const struct live_point *sums = live_walk_to(&walk, block->step);
        int64_t rest = block->allocated[POOL_DRAM] - num_bytes_to_milli_mb(sums[POOL_DRAM].per_bank_bytes);
        uint64_t bytes = rest > ROUNDING ? (uint64_t)rest * NUM_MIB / 1000 : 0;
        if (d->known && bytes >= d->least) continue;
        d->known = true;
        d->least = bytes;
        vec_push(&computed->before, ((struct computed_before){bytes, block->step, own}));
    }
    free(devices);
    live_walk_end(&walk);
}

void computed_find(const struct run *run, uint32_t end, uint16_t rank, struct computed *computed) {
    *computed = (struct computed){0};
    if (!has_computed(run)) return;
    struct ir ir = {0};
    const bool printed = is_printed(run);
    for (size_t i = 0; i < run->ranks.len; i++)
        if (rank == COMPUTED_ALL_RANKS || rank == i) compute_rank(run, (uint16_t)i, end, printed, &ir, computed);
    ir_release(&ir);
    if (run->ranks.len > 1 && computed->parts.len)
        qsort(computed->parts.items, computed->parts.len, sizeof *computed->parts.items, earlier_first);
    if (computed->parts.len) find_before(run, end, rank, computed);
}

void computed_release(struct computed *computed) {
    vec_release(&computed->parts);
    vec_release(&computed->before);
}

uint64_t computed_before_ops(const struct run *run, uint16_t rank, uint32_t step) {
    struct computed computed = {0};
    find_before(run, step, rank, &computed);
    uint64_t bytes = computed.before.len ? vec_last(&computed.before).bytes : 0;
    /* a device that was opened again has its own, or none */
    if (computed.before.len && run_part_end(run, rank, vec_last(&computed.before).step) <= step) bytes = 0;
    computed_release(&computed);
    return bytes;
}

/* Copies inside an op whose request of `want` bytes per bank of DRAM failed, as far as it had made them by then: bytes per
 * bank. 0 if the rules know no such request. */
static uint64_t computed_inside(const struct run *run, uint32_t step, uint64_t want) {
    const struct step *at = step < run->steps.len ? &run->steps.items[step] : NULL;
    if (!want || !has_computed(run) || !at || at->kind != STEP_OP || at->op == NONE) return 0;
    struct ir ir = {0};
    struct computed_device o;
    open_device(&o, run, NULL, at, NONE);
    o.want = want;
    if (ir_add_lone_op(&ir, op_words(run, &run->ops.items[at->op], is_printed(run), &ir.types.arena)))
        replay_lone_op(&o.replay, &ir, 0);
    uint64_t bytes = o.met ? o.inside : 0;
    replay_release(&o.replay);
    ir_release(&ir);
    return bytes;
}

bool computed_has(enum live_class class) {
    return class == LIVE_TEMPORARY || class == LIVE_RESHAPE_MAP || class == LIVE_TABLE || class == LIVE_BINARY;
}

bool computed_is_estimate(enum live_class class) { return class == LIVE_TABLE || class == LIVE_BINARY; }

void live_compute(const struct run *run, uint32_t step, enum pool pool, int64_t allocated, uint64_t want,
                  struct live_set *set) {
    /* exact ones first: they are certain parts of the unattributed memory */
    static const enum live_class order[] = {LIVE_RESHAPE_MAP, LIVE_TEMPORARY, LIVE_TABLE, LIVE_BINARY};
    int64_t rest = allocated - num_bytes_to_milli_mb(set->sum.per_bank_bytes);
    if (pool != POOL_DRAM || set->sum.bank_unknown || step >= run->steps.len || !has_computed(run)) return;
    set->has_computed = true;
    if (rest <= 0) return;
    uint16_t rank = run->steps.items[step].rank;
    uint64_t room = (uint64_t)rest * NUM_MIB / 1000, before = computed_before_ops(run, rank, step);
    uint64_t inside = computed_inside(run, step, want);
    room -= before < room ? before : room;
    if (!room) return;
    struct computed computed;
    computed_find(run, step, rank, &computed);
    for (size_t i = 0; i < computed.parts.len; i++) {
        const struct computed_part *part = &computed.parts.items[i];
        if (part->gone <= step) continue;
        set->computed[part->class].by_rule += part->bytes;
        set->computed[part->class].parts++;
    }
    computed_release(&computed);
    if (inside) set->computed[LIVE_TEMPORARY] = (struct live_computed){.by_rule = inside, .parts = 1};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        struct live_computed *c = &set->computed[order[i]];
        c->bytes = c->by_rule < room ? c->by_rule : room;
        set->computed_bytes += c->bytes;
        room -= c->bytes;
    }
}
