/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/study/cb_sim.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "device/chip.h"

const char *const cb_level_names[] = {[CB_LOW] = "LOW", [CB_MEDIUM] = "MEDIUM", [CB_HIGH] = "HIGH"};
const char *const cb_role_names[] = {[CB_OPERAND_A] = "operand A",
                                     [CB_OPERAND_B] = "operand B, reused",
                                     [CB_INTERMEDIATE] = "intermediate",
                                     [CB_OUTPUT] = "output"};

enum cb_role cb_role_of(int64_t index) {
    if (index == 0) return CB_OPERAND_A;
    if (index == 1) return CB_OPERAND_B;
    return index >= 16 && index < 24 ? CB_OUTPUT : CB_INTERMEDIATE;
}

enum cb_role cb_sim_role(const struct cb_sim_buffer *buffer) {
    return buffer->has_role ? buffer->role : cb_role_of(buffer->index);
}

const struct cb_workload_class *cb_workload_class(const struct cb_workload *workload) {
    static const struct cb_workload_class classes[] = {
        {"small", "optimal buffering", "high performance, low pressure", 8},
        {"medium", "balanced allocation", "good performance, some pressure", 16},
        {"large", "conservative allocation", "stable, higher pressure", 32},
        {"very large", "streaming mode", "slower but stable", UINT64_MAX},
    };
    uint64_t tiles = workload->a_tiles > workload->b_tiles ? workload->a_tiles : workload->b_tiles;
    const struct cb_workload_class *c = classes;
    while (tiles > c->up_to) c++;
    return c;
}

uint64_t cb_kernel_ring(const struct chip *chip) {
    return chip->l1_firmware_end ? chip->l1_unreserved_base - chip->l1_firmware_end : 0;
}

uint64_t cb_sim_bytes(const struct cb_sim_buffer *buffer) {
    return buffer->tensor_backed || buffer->shared ? 0 : buffer->tiles * buffer->tile_bytes;
}

static void sizes_of(struct cb_strategy_sizes *out, const char *name, const struct cb_workload *w, uint64_t a, uint64_t b,
                     uint64_t middle, uint64_t output) {
    *out = (struct cb_strategy_sizes){.name = slice_from(name), .n_buffers = 4};
    out->buffers[0] = (struct cb_sim_buffer){.index = 0, .tiles = a, .tile_bytes = w->tile_bytes};
    out->buffers[1] = (struct cb_sim_buffer){.index = 1, .tiles = b, .tile_bytes = w->tile_bytes};
    out->buffers[2] = (struct cb_sim_buffer){.index = 2, .tiles = middle, .tile_bytes = w->tile_bytes};
    out->buffers[3] = (struct cb_sim_buffer){.index = 16, .tiles = output, .tile_bytes = w->tile_bytes};
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

void cb_strategy_fixed(struct cb_strategy_sizes *out, const struct cb_workload *w) { sizes_of(out, "fixed", w, 4, 4, 4, 4); }

void cb_strategy_adaptive(struct cb_strategy_sizes *out, const struct cb_workload *w) {
    if (w->a_tiles > 16 || w->b_tiles > 16) sizes_of(out, "adaptive", w, 2, 2, 2, 2);
    else sizes_of(out, "adaptive", w, least(6, w->a_tiles + 2), least(w->b_tiles, 6), 2, 2);
}

/* --- figures --- */

static uint64_t need_of(const struct cb_workload *w, const struct cb_sim_buffer *buffer) {
    return cb_sim_role(buffer) == CB_OPERAND_B ? w->b_tiles : w->a_tiles;
}

static const struct cb_sim_buffer *buffer_of(const struct cb_strategy_sizes *sizes, enum cb_role role) {
    for (unsigned i = 0; i < sizes->n_buffers; i++)
        if (cb_sim_role(&sizes->buffers[i]) == role) return &sizes->buffers[i];
    return NULL;
}

static enum cb_level level_of(int64_t value, int64_t medium_from, int64_t high_above) {
    return value < medium_from ? CB_LOW : value <= high_above ? CB_MEDIUM : CB_HIGH;
}

/* part / whole in thousandths of a percent, without overflow. */
static int64_t percent(unsigned __int128 part, unsigned __int128 whole) {
    return whole ? (int64_t)((part * 100000 + whole / 2) / whole) : 0;
}

static void figures(struct cb_pressure *out, const struct cb_strategy_sizes *sizes, const struct cb_workload *w,
                    const struct chip *chip) {
    const struct cb_sim_buffer *a = buffer_of(sizes, CB_OPERAND_A), *b = buffer_of(sizes, CB_OPERAND_B);
    unsigned __int128 held = 0, needed = 0, usable = 0, allocated = 0;
    for (unsigned i = 0; i < sizes->n_buffers; i++) {
        const struct cb_sim_buffer *s = &sizes->buffers[i];
        if (!cb_sim_bytes(s)) continue;
        allocated += (unsigned __int128)s->tiles * s->tile_bytes;
        usable += (unsigned __int128)least(s->tiles, need_of(w, s)) * s->tile_bytes;
    }
    uint64_t a_bytes = a ? a->tile_bytes : w->tile_bytes, b_bytes = b ? b->tile_bytes : w->tile_bytes;
    needed = (unsigned __int128)w->a_tiles * a_bytes + (unsigned __int128)w->b_tiles * b_bytes;
    if (a) held += (unsigned __int128)least(a->tiles, w->a_tiles) * a_bytes;
    if (b) held += (unsigned __int128)least(b->tiles, w->b_tiles) * b_bytes;
    uint64_t b_held = b ? least(b->tiles, w->b_tiles) : 0;
    out->cb_bytes = allocated > UINT64_MAX ? UINT64_MAX : (uint64_t)allocated;
    out->available_bytes = chip_l1_bank_bytes(chip);
    if (!num_add(out->cb_bytes, w->l1_buffer_bytes, &out->used_bytes)) out->used_bytes = UINT64_MAX;
    out->fits = out->used_bytes <= out->available_bytes;
    out->kernels_fit = !cb_kernel_ring(chip) || w->kernel_bytes <= cb_kernel_ring(chip);
    out->miss_milli = percent(w->b_tiles - b_held, w->b_tiles);
    out->coverage_milli = percent(held, needed);
    out->efficiency_milli = percent(usable, allocated);
    out->used_milli = percent(out->used_bytes, out->available_bytes);
    int64_t used = out->used_milli > 100000 ? 100000 : out->used_milli;
    out->score_milli = (60 * out->miss_milli + 25 * (100000 - out->coverage_milli) + 15 * used + 50) / 100;
    out->thrashing = level_of(out->miss_milli, 25000, 75000);
    out->pressure = level_of(out->score_milli, 30000, 70000);
    out->coverage = out->coverage_milli > 80000 ? CB_LOW : out->coverage_milli >= 40000 ? CB_MEDIUM : CB_HIGH;
    out->verdict = out->thrashing > out->pressure ? out->thrashing : out->pressure;
    if (!out->fits || !out->kernels_fit) out->verdict = CB_HIGH;
}

/* --- the run, tile by tile --- */

/* When the last tiles of a buffer were emptied: a ring as long as the buffer, or as the run if that is shorter. */
struct ring {
    uint64_t *times;
    uint64_t len, count;
};

static void ring_init(struct ring *r, uint64_t tiles, uint64_t most) {
    r->len = tiles < 1 ? 1 : least(tiles, most);
    r->times = mem_zalloc(r->len, sizeof *r->times);
    r->count = 0;
}

/* The moment at which there is room for one more tile. */
static uint64_t ring_room(const struct ring *r) { return r->count < r->len ? 0 : r->times[r->count % r->len]; }

static void ring_add(struct ring *r, uint64_t freed_at) { r->times[r->count++ % r->len] = freed_at; }

struct lane {
    const struct cb_sim_buffer *buffer;
    struct cb_sim_use *use, unused; /* unused: for a strategy without this buffer */
    struct ring ring;
    uint64_t emptied; /* tiles emptied at the last queried moment */
};

static void lane_init(struct lane *lane, const struct cb_strategy_sizes *sizes, struct cb_pressure *out, enum cb_role role,
                      uint64_t most) {
    *lane = (struct lane){0};
    lane->buffer = buffer_of(sizes, role);
    lane->use = lane->buffer ? &out->uses[lane->buffer - sizes->buffers] : &lane->unused;
    ring_init(&lane->ring, lane->buffer ? lane->buffer->tiles : 1, most);
}

/* Counts the tiles in the buffer at `now`, which never decreases; `filled` is the number put in so far. */
static void note_level(struct lane *lane, uint64_t filled, uint64_t now) {
    struct ring *r = &lane->ring;
    if (r->count > r->len && lane->emptied < r->count - r->len) lane->emptied = r->count - r->len;
    while (lane->emptied < r->count && r->times[lane->emptied % r->len] <= now) lane->emptied++;
    uint64_t level = filled - lane->emptied;
    if (level > lane->use->high_water) lane->use->high_water = level;
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Moves the clock to `when`, if that is later, and counts the wait. */
static void wait_until(uint64_t *clock, uint64_t when, uint64_t *stalled) {
    if (when <= *clock) return;
    *stalled += when - *clock;
    *clock = when;
}

static void run(struct cb_pressure *out, const struct cb_strategy_sizes *sizes, const struct cb_workload *w) {
    uint64_t steps = w->a_tiles * w->passes, reader = 0, compute = 0, writer = 0, fetches = 0;
    struct lane a, b, result;
    lane_init(&a, sizes, out, CB_OPERAND_A, steps);
    lane_init(&b, sizes, out, CB_OPERAND_B, steps);
    lane_init(&result, sizes, out, CB_OUTPUT, steps);
    uint64_t capacity = b.buffer ? b.buffer->tiles : 1, held = least(capacity, w->b_tiles);
    uint64_t stream_free = 0, b_seen = 0; /* stream_free: when the slot for tiles that are not held is empty again */
    uint64_t *b_ready = mem_zalloc(held ? held : 1, sizeof *b_ready);
    for (uint64_t i = 0; i < steps; i++) {
        wait_until(&reader, ring_room(&a.ring), &a.use->producer_stall);
        note_level(&a, i + 1, reader);
        reader += w->fetch_cost;
        uint64_t a_at = reader, which = i % w->b_tiles, b_at;
        bool is_held = which < held;
        if (is_held && b_seen > which) {
            b_at = b_ready[which];
        } else {
            if (!is_held) wait_until(&reader, stream_free, &b.use->producer_stall);
            reader += w->fetch_cost;
            b_at = reader;
            fetches++;
            if (is_held) b_ready[which] = b_at;
        }
        b_seen = later(b_seen, which + 1);
        wait_until(&compute, a_at, &a.use->consumer_wait);
        wait_until(&compute, b_at, &b.use->consumer_wait);
        wait_until(&compute, ring_room(&result.ring), &result.use->producer_stall);
        note_level(&result, i + 1, compute);
        compute += w->compute_cost;
        ring_add(&a.ring, compute);
        if (!is_held) stream_free = compute;
        wait_until(&writer, compute, &result.use->consumer_wait);
        writer += w->write_cost;
        ring_add(&result.ring, writer);
    }
    b.use->high_water = least(capacity, w->b_tiles);
    uint64_t first_time = least(w->b_tiles, steps);
    out->fetched = fetches;
    out->fetched_again = fetches > first_time ? fetches - first_time : 0;
    out->total_time = writer;
    uint64_t reading = steps * w->fetch_cost + first_time * w->fetch_cost;
    out->ideal_time = later(reading, later(steps * w->compute_cost, steps * w->write_cost));
    for (unsigned i = 0; i < sizes->n_buffers; i++) {
        enum cb_role role = cb_sim_role(&sizes->buffers[i]);
        if (role == CB_INTERMEDIATE) out->uses[i].high_water = least(1, sizes->buffers[i].tiles);
        bool overloaded = role == CB_OPERAND_B && w->b_tiles > capacity;
        out->uses[i].single =
            role != CB_INTERMEDIATE && (overloaded || (sizes->buffers[i].tiles < 2 && need_of(w, &sizes->buffers[i]) > 1));
    }
    free(a.ring.times);
    free(b.ring.times);
    free(result.ring.times);
    free(b_ready);
}

void cb_simulate(struct cb_pressure *out, const struct cb_strategy_sizes *sizes, const struct cb_workload *workload,
                 const struct chip *chip) {
    *out = (struct cb_pressure){0};
    figures(out, sizes, workload, chip);
    run(out, sizes, workload);
}

/* --- recommendations --- */

enum { AROUND = 2 }; /* tiles of CB2 and CB16, so that filling and emptying overlap */

static struct cb_pressure figures_of(const struct cb_strategy_sizes *sizes, const struct cb_workload *w,
                                     const struct chip *chip) {
    struct cb_pressure p = {0};
    struct cb_workload without_kernels = *w;
    without_kernels.kernel_bytes = 0; /* circular buffer sizes do not affect them */
    figures(&p, sizes, &without_kernels, chip);
    return p;
}

/* Tiles that the free L1 has room for. */
static uint64_t room_tiles(const struct cb_workload *w, const struct chip *chip) {
    uint64_t room = chip_l1_bank_bytes(chip);
    room = room > w->l1_buffer_bytes ? room - w->l1_buffer_bytes : 0;
    return w->tile_bytes ? room / w->tile_bytes : 0;
}

static bool is_low(struct cb_strategy_sizes *out, const struct cb_workload *w, const struct chip *chip, uint64_t a,
                   uint64_t b) {
    sizes_of(out, "smallest LOW", w, a, b, AROUND, AROUND);
    return figures_of(out, w, chip).verdict == CB_LOW;
}

/* At the same number of tiles, one in CB1 lowers the score more than one in CB0. So CB1 grows until it holds the whole
 * operand, then CB0; the verdict changes only once on this path. */
bool cb_smallest_low(struct cb_strategy_sizes *out, const struct cb_workload *w, const struct chip *chip) {
    uint64_t room = room_tiles(w, chip), a = least(2, w->a_tiles);
    if (room < 2 * AROUND + a + 1) return false;
    uint64_t b = least(w->b_tiles, room - 2 * AROUND - a);
    bool in_b = is_low(out, w, chip, a, b);
    if (!in_b && b < w->b_tiles) return false;
    uint64_t low = in_b ? 1 : a, high = in_b ? b : least(w->a_tiles, room - 2 * AROUND - b);
    if (!in_b && !is_low(out, w, chip, high, b)) return false;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (is_low(out, w, chip, in_b ? a : middle, in_b ? middle : b)) high = middle;
        else low = middle + 1;
    }
    return is_low(out, w, chip, in_b ? a : low, in_b ? low : b);
}

static bool is_better(const struct cb_pressure *p, const struct cb_pressure *than) {
    if (p->verdict != than->verdict) return p->verdict < than->verdict;
    if (p->score_milli != than->score_milli) return p->score_milli < than->score_milli;
    return p->cb_bytes < than->cb_bytes;
}

/* The score is linear in the tiles of CB0 and CB1, so its minimum is in a corner of what fits. With less than two tiles,
 * reading and computing take turns, so the corners have two where there is room. */
bool cb_best_within(struct cb_strategy_sizes *out, const struct cb_workload *w, const struct chip *chip) {
    uint64_t room = room_tiles(w, chip), around = room >= 2 * AROUND + 2 ? AROUND : 1;
    if (room < 4) return false;
    uint64_t left = room - 2 * around; /* for CB0 and CB1 */
    uint64_t a_least = least(least(2, w->a_tiles), left - 1);
    struct cb_pressure best = {0};
    bool found = false;
    for (unsigned corner = 0; corner < 4; corner++) {
        uint64_t b = least(corner & 1 ? least(2, w->b_tiles) : w->b_tiles, left - a_least);
        uint64_t a = corner & 2 ? a_least : least(w->a_tiles, left - b);
        struct cb_strategy_sizes sizes;
        sizes_of(&sizes, "best within L1", w, a, b, around, around);
        struct cb_pressure p = figures_of(&sizes, w, chip);
        if (found && !is_better(&p, &best)) continue;
        found = true;
        best = p;
        *out = sizes;
    }
    return found;
}
