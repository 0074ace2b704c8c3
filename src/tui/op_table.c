/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/op_table.h"

#include "base/amounts.h"
#include "render/format/short_location.h"

enum op_column { COLUMN_INDEX, COLUMN_NAME, COLUMN_DRAM, COLUMN_DELTA, COLUMN_L1, COLUMN_OUT, COLUMN_PLACE, OP_COLUMNS };

static const struct table_column columns[OP_COLUMNS] = {
    {"#", 7, true, false, 0, 0},        {"op", 22, false, false, 34, 0}, {"DRAM MB", 9, true, true, 11, 0},
    {"change", 9, true, true, 11, 0},   {"L1 MB", 7, true, true, 0, 90}, {"output", 18, false, false, 34, 110},
    {"location", 0, false, false, 0, 0}};

static bool state(const struct run *run, uint32_t block, enum pool pool, int64_t *out) {
    if (block == NONE || !(run->blocks.items[block].have & 1u << pool)) return false;
    *out = run->blocks.items[block].allocated[pool];
    return true;
}

/* What an op reached: the state after it if known, else before it. INT64_MIN: unknown. */
static int64_t reached(const struct run *run, const struct step *step, enum pool pool) {
    int64_t value;
    if (state(run, step->after, pool, &value) || state(run, step->block, pool, &value)) return value;
    return INT64_MIN;
}

static int64_t change(const struct run *run, const struct step *step) {
    int64_t before, after;
    return state(run, step->block, POOL_DRAM, &before) && state(run, step->after, POOL_DRAM, &after) ? after - before
                                                                                                     : INT64_MIN;
}

static const struct step *step_of(const struct run *run, size_t record) {
    return &run->steps.items[run->records.items[record]];
}

static struct slice place_of(const struct run *run, const struct step *step) {
    if (step->op == NONE) return slice_of("", 0);
    const struct op *op = &run->ops.items[step->op];
    return run_string(run, op->display ? op->display : op->callee);
}

void cell_milli(struct strbuf *out, int64_t milli, bool with_sign) {
    if (milli == INT64_MIN) return;
    if (with_sign && milli == 0) {
        strbuf_addc(out, '0');
        return;
    }
    unsigned decimals = milli >= 10000000 || milli <= -10000000 ? 1 : 3;
    strbuf_addz(out, with_sign ? figure_change(milli, decimals).text : figure_milli(milli, decimals).text);
}

void cell_type(struct strbuf *out, const struct tensor_type *type) {
    strbuf_add(out, type->shape);
    strbuf_addc(out, ' ');
    strbuf_add(out, type->dtype);
}

static void cell(void *who, size_t record, size_t column, struct strbuf *out, enum look *look) {
    const struct run *run = who;
    const struct step *step = step_of(run, record);
    switch ((enum op_column)column) {
        case COLUMN_INDEX:
            strbuf_addf(out, "%zu", record);
            break;
        case COLUMN_NAME:
            strbuf_add(out, step_name(run, step));
            break;
        case COLUMN_DRAM:
            cell_milli(out, reached(run, step, POOL_DRAM), false);
            break;
        case COLUMN_DELTA: {
            int64_t delta = change(run, step);
            if (delta == 0) *look = LOOK_DIM;
            cell_milli(out, delta, true);
            break;
        }
        case COLUMN_L1:
            cell_milli(out, reached(run, step, POOL_L1), false);
            break;
        case COLUMN_OUT:
            if (step->op != NONE && run->ops.items[step->op].result_count) {
                const struct op *op = &run->ops.items[step->op];
                cell_type(out, &run->types.items[run->refs.items[op->first_ref + op->operand_count].type]);
            }
            break;
        default:
            short_location_of(out, run, step);
            break;
    }
}

int cell_order(int64_t a, int64_t b) { return (a > b) - (a < b); }

int cell_order_text(struct slice a, struct slice b) {
    int found = memcmp(a.ptr, b.ptr, a.len < b.len ? a.len : b.len);
    return found ? found : cell_order((int64_t)a.len, (int64_t)b.len);
}

static int compare(void *who, size_t a, size_t b, size_t column) {
    const struct run *run = who;
    const struct step *x = step_of(run, a), *y = step_of(run, b);
    switch ((enum op_column)column) {
        case COLUMN_NAME:
            return cell_order_text(step_name(run, x), step_name(run, y));
        case COLUMN_DRAM:
            return cell_order(reached(run, x, POOL_DRAM), reached(run, y, POOL_DRAM));
        case COLUMN_DELTA:
            return cell_order(change(run, x), change(run, y));
        case COLUMN_L1:
            return cell_order(reached(run, x, POOL_L1), reached(run, y, POOL_L1));
        case COLUMN_PLACE:
            return cell_order_text(place_of(run, x), place_of(run, y));
        default:
            return cell_order((int64_t)a, (int64_t)b);
    }
}

void op_table_init(struct table *table, const struct run *run, enum op_order order) {
    static const size_t first[] = {[OPS_BY_INDEX] = COLUMN_INDEX, [OPS_BY_DRAM] = COLUMN_DRAM, [OPS_BY_CHANGE] = COLUMN_DELTA};
    *table = (struct table){.columns = columns,
                            .column_count = OP_COLUMNS,
                            .row_count = run->records.len,
                            .who = (void *)(uintptr_t)run,
                            .cell = cell,
                            .compare = compare,
                            .sort_column = first[order]};
}
