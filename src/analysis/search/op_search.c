/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/search/op_search.h"

#include <stdlib.h>
#include <strings.h>

#include "analysis/run/top_ops.h"
#include "base/num.h"
#include "base/size.h"
#include "model/buffer/block_bytes.h"

enum { WHOLE_SHARE = 100 * 1000 };

int op_wish_over(struct op_wish *wish, const char *text, struct err *err) {
    static const struct {
        const char *name;
        enum pool pool;
    } pools[] = {{"dram", POOL_DRAM}, {"l1", POOL_L1}};
    struct slice all = slice_from(text), pool = slice_take(all, slice_find_byte(all, '=')),
                 limit = slice_skip(all, pool.len < all.len ? pool.len + 1 : all.len);
    uint64_t share;
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
        if (!slice_equal(pool, slice_from(pools[i].name))) continue;
        bool percent = slice_ends(limit, SLICE("%"));
        wish->over = true;
        wish->over_pool = pools[i].pool;
        if (percent && num_read_thousandths(slice_take(limit, limit.len - 1), &share) == limit.len - 1 && share > 0 &&
            limit.len > 1) {
            wish->over_share = share;
            return 0;
        }
        bool unit = limit.len && !(limit.ptr[limit.len - 1] >= '0' && limit.ptr[limit.len - 1] <= '9');
        if (!percent && unit && size_read(limit, &wish->over_bytes) && wish->over_bytes) return 0;
    }
    if (!wish->over && pool.len && pool.len < all.len)
        return err_set(err, ERR_USAGE, "--over takes dram or l1, not '%.*s'", (int)(pool.len < 60 ? pool.len : 60), pool.ptr);
    uint64_t bare;
    if (wish->over && limit.len && num_read_thousandths(limit, &bare) == limit.len)
        return err_set(err, ERR_USAGE, "'%.100s' of --over has no unit: write dram=80%%, dram=900MB or l1=1.2MB", text);
    return err_set(err, ERR_USAGE, "'%.100s' of --over is not a limit: write dram=80%%, dram=900MB or l1=1.2MB", text);
}

bool op_text_contains(struct slice text, const char *part) {
    size_t len = strlen(part);
    for (size_t i = 0; i + len <= text.len; i++)
        if (strncasecmp(text.ptr + i, part, len) == 0) return true;
    return false;
}

struct op_memory op_memory_of(const struct run *run, uint32_t record, enum pool pool) {
    const struct step *step = &run->steps.items[run->records.items[record]];
    const struct block *before = step->block == NONE ? NULL : &run->blocks.items[step->block],
                       *after = step->after == NONE ? NULL : &run->blocks.items[step->after];
    struct op_memory state = {0};
    if (!after || !(after->have & 1u << pool)) return state;
    state = (struct op_memory){.known = true,
                               .allocated = block_allocated_bytes(run, after, pool),
                               .largest_known = block_largest_known(after, pool),
                               .largest_free = block_largest_bytes(run, after, pool),
                               .capacity = config_bytes(block_config(run, after, pool))};
    state.delta_known = before && before->have & 1u << pool;
    if (state.delta_known) state.delta = state.allocated - block_allocated_bytes(run, before, pool);
    return state;
}

static bool is_dtype(const struct op_wish *wish, struct slice dtype) {
    return slice_equal(dtype, slice_from(wish->dtype)) || (wish->format && data_format_find(dtype) == wish->format);
}

/* One answer per distinct op, because a log repeats few ops many times. */
static bool *ops_with_tensor(const struct run *run, const struct op_wish *wish) {
    bool *fit = mem_zalloc(run->ops.len + 1, sizeof *fit);
    for (size_t i = 0; i < run->ops.len; i++) {
        const struct op *op = &run->ops.items[i];
        for (unsigned r = 0; r < (unsigned)op->operand_count + op->result_count && !fit[i]; r++) {
            const struct tensor_type *type = &run->types.items[run->refs.items[op->first_ref + r].type];
            fit[i] = type->kind == TYPE_TENSOR && (!wish->shape || slice_equal(type->shape, slice_from(wish->shape))) &&
                     (!wish->dtype || is_dtype(wish, type->dtype));
        }
    }
    return fit;
}

static bool is_named(const struct run *run, const struct step *step, const struct op_wish *wish) {
    if (wish->name && !op_text_contains(step_name(run, step), wish->name)) return false;
    if (wish->located && !(step->op != NONE && wish->located[step->op])) return false;
    if (wish->one_rank && step->rank != wish->rank) return false;
    if (!wish->program) return true;
    /* the program itself, or the outermost one that it runs in */
    uint32_t program = step_program(run, step);
    const struct execution *own = step->execution == NONE ? NULL : &run->executions.items[step->execution];
    return (own && slice_equal(run_string(run, own->name), slice_from(wish->program))) ||
           (program != NONE && slice_equal(run_string(run, run->programs.items[program].name), slice_from(wish->program)));
}

static bool is_over(const struct run *run, const struct op_wish *wish, uint32_t record, uint32_t reached) {
    if (!reached) return false;
    /* a log has bytes only in thousandths; an exact state is looked up again */
    int64_t bytes = run->rests.len ? record_reached_bytes(run, record, wish->over_pool) : num_milli_mb_to_bytes(reached);
    if (!wish->over_share) return (uint64_t)bytes >= wish->over_bytes;
    const struct step *step = &run->steps.items[run->records.items[record]];
    uint32_t near = step->after != NONE ? step->after : step->block, capacity = 0;
    if (near != NONE && run->blocks.items[near].have & 1u << wish->over_pool)
        capacity = block_config(run, &run->blocks.items[near], wish->over_pool)->total;
    if (!capacity && step->block != NONE && run->blocks.items[step->block].have & 1u << wish->over_pool)
        capacity = block_config(run, &run->blocks.items[step->block], wish->over_pool)->total;
    return capacity && (uint64_t)reached * WHOLE_SHARE >= (uint64_t)capacity * wish->over_share;
}

bool *op_search(const struct run *run, const struct op_wish *wish) {
    bool *fit = mem_zalloc(run->records.len + 1, sizeof *fit);
    bool *tensors = wish->shape || wish->dtype ? ops_with_tensor(run, wish) : NULL;
    uint32_t *reached = wish->over ? records_reached(run, wish->over_pool) : NULL;
    for (uint32_t i = 0; i < run->records.len; i++) {
        const struct step *step = &run->steps.items[run->records.items[i]];
        fit[i] = is_named(run, step, wish) && (!tensors || (step->op != NONE && tensors[step->op])) &&
                 (!reached || is_over(run, wish, i, reached[i]));
        if (fit[i] && wish->no_longer_fits) {
            struct op_memory state = op_memory_of(run, i, POOL_DRAM);
            fit[i] = state.largest_known && (uint64_t)state.largest_free < wish->no_longer_fits;
        }
    }
    free(tensors);
    free(reached);
    return fit;
}
