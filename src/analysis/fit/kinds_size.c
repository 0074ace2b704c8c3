/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors that take less: another element type, no padding, a part on each of several chips. Estimates: the users of such
 * tensors keep their own sizes, and conversions are not in the trace. */
#include <stdio.h>

#include "analysis/fit/kinds.h"
#include "analysis/fit/limits.h"
#include "base/num.h"
#include "device/tile.h"

enum { TILE = 32, MOST_PADDED = 5, MOST_MAPS = 3 };

static const struct {
    const char *name;
    unsigned classes;      /* bits of enum live_class */
    const char *from, *to; /* element types; from NULL: any larger one */
    const char *setting;
} element_rows[] = {
    {"bfp8 weights", 1u << LIVE_WEIGHT | 1u << LIVE_CONST_EVAL, NULL, "bfp_bf8", "weights as bfp_bf8"},
    {"bfp4 weights", 1u << LIVE_WEIGHT | 1u << LIVE_CONST_EVAL, NULL, "bfp_bf4", "weights as bfp_bf4"},
    {"bf16 weights", 1u << LIVE_WEIGHT | 1u << LIVE_CONST_EVAL, "f32", "bf16", "weights that are f32 as bf16"},
    {"bf16 const-eval", 1u << LIVE_CONST_EVAL, "f32", "bf16", "f32 results of const-eval as bf16"},
    {"bf16 activations", 1u << LIVE_ACTIVATION | 1u << LIVE_TEMPORARY, "f32", "bf16", "activations that are f32 as bf16"},
};

uint64_t fit_in_element(const struct fit_group *group, uint64_t bytes, const char *from, const char *to) {
    const struct tensor_type *type = group->type;
    uint64_t old, made;
    if (!type || !type->tiled || !tile_bytes_by_name(type->storage, TILE, TILE, &old) ||
        !tile_bytes_by_name(slice_from(to), TILE, TILE, &made) || made >= old || bytes % old != 0)
        return 0;
    if (from && !slice_equal(type->storage, slice_from(from))) return 0;
    return bytes / old * made;
}

static uint64_t changed_bytes(const struct fit_trace *trace, size_t row, uint32_t buffer) {
    const struct fit_buffer *b = &trace->buffers.items[buffer];
    const struct fit_group *group = &trace->groups.items[b->group];
    if (group->class >= LIVE_CLASS_COUNT || !(element_rows[row].classes >> group->class & 1) || group->request) return 0;
    return fit_in_element(group, b->bytes, element_rows[row].from, element_rows[row].to);
}

static void apply_element(struct fit_variant *v, const struct fit_change *change) {
    for (uint32_t i = 0; i < v->trace->buffers.len; i++) {
        uint64_t bytes = changed_bytes(v->trace, change->number, i);
        if (bytes) fit_variant_element(v, i, bytes);
    }
}

static void list_elements(struct fit *fit, const struct fit_kind *kind, bool weights) {
    if (fit->trace->compiled) return;
    for (size_t row = 0; row < sizeof element_rows / sizeof *element_rows; row++) {
        uint64_t saved = 0, largest = 0;
        if (((element_rows[row].classes >> LIVE_WEIGHT & 1) == 1) != weights) continue;
        for (uint32_t i = 0; i < fit->trace->buffers.len; i++) {
            const struct fit_buffer *b = &fit->trace->buffers.items[i];
            uint64_t bytes = changed_bytes(fit->trace, row, i);
            if (!bytes || !fit_is_there(fit, b)) continue;
            saved += b->bytes - bytes;
            if (b->bytes > largest) largest = b->bytes;
        }
        struct fit_change *change = saved > fit_least_saving(fit) ? fit_add(fit, kind, 0, NONE) : NULL;
        if (!change) continue;
        snprintf(change->name, sizeof change->name, "%s", element_rows[row].name);
        change->number = row;
        change->setting = element_rows[row].setting;
        change->assumption = "ops and conversions as they are";
        change->uncertainty += largest;
        if (weights) change->one_of = "weights have one element type";
    }
}

static void list_weights(struct fit *fit, const struct fit_kind *kind) { list_elements(fit, kind, true); }
static void list_others(struct fit *fit, const struct fit_kind *kind) { list_elements(fit, kind, false); }

/* --- padding --- */

static bool tiles_of(const uint64_t *dims, unsigned rank, unsigned a, unsigned b, uint64_t *tiles) {
    *tiles = 1;
    for (unsigned i = 0; i < rank; i++)
        if (!num_mul(*tiles, i == a || i == b ? num_ceil_div(dims[i], TILE) : dims[i], tiles)) return false;
    return true;
}

bool fit_tiles(const struct tensor_type *type, uint64_t *tiles, uint64_t *tile_bytes) {
    uint64_t dims[FIT_MOST_DIMS];
    if (!type || !type->tiled || type->memory_layout != LAYOUT_INTERLEAVED ||
        !tile_bytes_by_name(type->storage, TILE, TILE, tile_bytes))
        return false;
    unsigned rank = fit_dims(type, dims);
    if (rank == 1) dims[rank++] = 1; /* a row of tiles */
    return rank >= 2 && tiles_of(dims, rank, rank - 2, rank - 1, tiles);
}

/* Bytes per bank with the order of dimensions that pads least, 0 if there is no better one; *a and *b are then the last two. */
static uint64_t unpadded_bytes(const struct fit_group *group, uint64_t bytes, unsigned banks, unsigned *a, unsigned *b) {
    const struct tensor_type *type = group->type;
    uint64_t dims[FIT_MOST_DIMS], tile, now, best;
    if (!type || !type->tiled || !banks || type->memory_layout != LAYOUT_INTERLEAVED ||
        !tile_bytes_by_name(type->storage, TILE, TILE, &tile) || bytes % tile != 0)
        return 0;
    unsigned rank = fit_dims(type, dims);
    if (rank < 3 || !tiles_of(dims, rank, rank - 2, rank - 1, &now)) return 0;
    if (num_ceil_div(now, banks) * tile != bytes) return 0;
    best = now;
    for (unsigned i = 0; i < rank; i++) {
        for (unsigned k = i + 1; k < rank; k++) {
            uint64_t tiles;
            if (!tiles_of(dims, rank, i, k, &tiles) || tiles >= best) continue;
            best = tiles;
            *a = i;
            *b = k;
        }
    }
    return best < now ? num_ceil_div(best, banks) * tile : 0;
}

static void apply_padding(struct fit_variant *v, const struct fit_change *change) {
    uint32_t group = fit_group_find(v->trace, change->group);
    unsigned a, b;
    for (uint32_t i = 0; group != NONE && i < v->trace->buffers.len; i++) {
        const struct fit_buffer *buffer = &v->trace->buffers.items[i];
        if (buffer->group != group) continue;
        uint64_t bytes = unpadded_bytes(&v->trace->groups.items[group], buffer->bytes, v->trace->banks, &a, &b);
        if (bytes) fit_variant_resize(v, i, bytes);
    }
}

static void list_padding(struct fit *fit, const struct fit_kind *kind) {
    const struct fit_trace *trace = fit->trace;
    unsigned listed = 0;
    for (uint32_t i = 0; i < trace->buffers.len; i++) {
        const struct fit_buffer *b = &trace->buffers.items[i];
        const struct fit_group *group = &trace->groups.items[b->group];
        unsigned first, second;
        bool tensor = group->class == LIVE_ACTIVATION || group->class == LIVE_CONST_EVAL || group->class == LIVE_INPUT ||
                      group->class == LIVE_WEIGHT;
        if (!tensor || !fit_is_there(fit, b)) continue;
        uint64_t bytes = unpadded_bytes(group, b->bytes, trace->banks, &first, &second);
        if (!bytes || b->bytes - bytes < fit_least_saving(fit)) continue;
        if (listed++ >= MOST_PADDED) {
            fit->left_out++;
            continue;
        }
        struct fit_change *change = fit_add(fit, kind, group->key, group->place);
        if (!change) continue;
        char words[FIT_NAME_ROOM - 40];
        fit_group_words(fit, b->group, words, sizeof words);
        snprintf(change->name, sizeof change->name, "no padding in %s (dims %u and %u last)", words, first, second);
        change->setting = "transpose it so that these dimensions are last; the ops that use it must change too";
        change->assumption = "only this tensor changes, not what is made of it";
        change->uncertainty += b->bytes;
    }
}

/* --- maps of tiled reshapes --- */

static void apply_no_map(struct fit_variant *v, const struct fit_change *change) {
    uint32_t group = fit_group_find(v->trace, change->group);
    for (uint32_t i = 0; group != NONE && i < v->trace->buffers.len; i++)
        if (v->trace->buffers.items[i].group == group) fit_variant_resize(v, i, 0);
}

/* The largest that are alive where it matters. */
static void list_no_map(struct fit *fit, const struct fit_kind *kind) {
    const struct fit_trace *trace = fit->trace;
    uint32_t largest[MOST_MAPS];
    unsigned count = 0;
    for (uint32_t i = 0; i < trace->buffers.len; i++) {
        const struct fit_buffer *b = &trace->buffers.items[i];
        if (trace->groups.items[b->group].class != LIVE_RESHAPE_MAP || !fit_is_there(fit, b)) continue;
        unsigned at = count;
        while (at && trace->buffers.items[largest[at - 1]].bytes < b->bytes) at--;
        if (at == MOST_MAPS) continue;
        for (unsigned k = count < MOST_MAPS ? count : MOST_MAPS - 1; k > at; k--) largest[k] = largest[k - 1];
        largest[at] = i;
        if (count < MOST_MAPS) count++;
    }
    for (unsigned i = 0; i < count; i++) {
        const struct fit_buffer *b = &trace->buffers.items[largest[i]];
        const struct fit_group *group = &trace->groups.items[b->group];
        struct fit_change *change = fit_add(fit, kind, group->key, group->place);
        if (!change) return;
        char words[FIT_NAME_ROOM - 16];
        fit_group_words(fit, b->group, words, sizeof words);
        snprintf(change->name, sizeof change->name, "no %s", words);
        change->setting = "reshape row-major tensors there: that needs no map";
        change->assumption = "the tensors take as much in rows as in tiles";
        change->uncertainty += b->bytes;
    }
}

/* --- a part on each of several chips --- */

static bool divides(const struct fit_group *group, uint64_t chips) {
    uint64_t dims[FIT_MOST_DIMS];
    unsigned rank = fit_dims(group->type, dims);
    for (unsigned i = 0; i < rank; i++)
        if (dims[i] % (chips * (i + 2 >= rank ? TILE : 1)) == 0) return true;
    return false;
}

static uint64_t part_of(const struct fit_trace *trace, const struct fit_buffer *b, uint64_t chips) {
    const struct fit_group *group = &trace->groups.items[b->group];
    uint64_t tile;
    if (group->class != LIVE_WEIGHT || !group->type || !group->type->tiled || !divides(group, chips) ||
        !tile_bytes_by_name(group->type->storage, TILE, TILE, &tile) || b->bytes % tile != 0)
        return 0;
    return num_ceil_div(b->bytes / tile, chips) * tile;
}

static void apply_sharding(struct fit_variant *v, const struct fit_change *change) {
    for (uint32_t i = 0; i < v->trace->buffers.len; i++) {
        uint64_t bytes = part_of(v->trace, &v->trace->buffers.items[i], change->number);
        if (bytes) fit_variant_resize(v, i, bytes);
    }
}

static void list_sharding(struct fit *fit, const struct fit_kind *kind) {
    for (uint64_t chips = 2; chips <= 8; chips *= 2) {
        uint64_t saved = 0;
        for (uint32_t i = 0; i < fit->trace->buffers.len; i++) {
            const struct fit_buffer *b = &fit->trace->buffers.items[i];
            uint64_t bytes = fit_is_there(fit, b) ? part_of(fit->trace, b, chips) : 0;
            if (bytes) saved += b->bytes - bytes;
        }
        struct fit_change *change = saved > fit_least_saving(fit) ? fit_add(fit, kind, 0, NONE) : NULL;
        if (!change) continue;
        snprintf(change->name, sizeof change->name, "weights over %llu chips", (unsigned long long)chips);
        change->number = chips;
        change->setting = "shard the weights that divide evenly over a mesh";
        change->assumption = "activations and what collects results take as much as before";
        change->uncertainty += fit->base.peak / 10;
        change->one_of = "weights are spread over one number of chips";
        change->other_device = true;
    }
}

const struct fit_kind fit_weights_element = {"element_of_weights", list_weights, apply_element, NULL};
const struct fit_kind fit_other_element = {"element_of_activations", list_others, apply_element, NULL};
const struct fit_kind fit_padding = {"padding", list_padding, apply_padding, NULL};
const struct fit_kind fit_sharding = {"sharding", list_sharding, apply_sharding, NULL};
const struct fit_kind fit_no_map = {"no_map", list_no_map, apply_no_map, NULL};
