/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/live_table.h"

#include "base/amounts.h"
#include "base/num.h"
#include "render/format/short_location.h"
#include "tui/op_table.h"

enum live_column { LIVE_SIZE, LIVE_SHAPE, LIVE_KIND, LIVE_PADDING, LIVE_FROM, LIVE_COLUMNS };
enum group_column { GROUP_SUM, GROUP_COUNT, GROUP_LARGEST, GROUP_SHARE, GROUP_KEY, GROUP_FIRST, GROUP_COLUMNS };

static const struct table_column live_columns[LIVE_COLUMNS] = {{"MB/bank", 10, true, true, 0, 0},
                                                               {"tensor", 22, false, false, 34, 0},
                                                               {"kind", 11, false, false, 0, 0},
                                                               {"padding", 8, true, true, 0, 90},
                                                               {"name, or made by", 0, false, false, 0, 0}};
static const struct table_column group_columns[GROUP_COLUMNS] = {
    {"MB/bank", 10, true, true, 0, 0}, {"count", 7, true, true, 0, 0},   {"largest", 10, true, true, 0, 0},
    {"share", 6, true, true, 0, 100},  {"group", 0, false, false, 0, 0}, {"first made by", 24, false, false, 60, 100}};

static const struct tensor *tensor_of(const struct opened *opened, size_t row) {
    return &opened->run->tensors.items[opened->overview->at_peak.tensors.items[row]];
}

static int64_t padding_of(const struct run *run, const struct tensor *tensor) {
    struct live_sum sum = tensor_sum(run, tensor);
    return sum.logical_bytes ? num_percent_milli((int64_t)sum.padding_bytes, (int64_t)sum.logical_bytes) : 0;
}

static void add_maker(struct strbuf *out, const struct run *run, const struct step *step) {
    if (step->record != NONE) strbuf_addf(out, "#%u ", step->record);
    strbuf_add(out, step_name(run, step));
    strbuf_addz(out, "  ");
    short_location_of(out, run, step);
}

static void live_cell(void *who, size_t row, size_t column, struct strbuf *out, enum look *look) {
    const struct opened *opened = who;
    const struct run *run = opened->run;
    const struct tensor *tensor = tensor_of(opened, row);
    switch ((enum live_column)column) {
        case LIVE_SIZE:
            if (tensor_sum(run, tensor).bank_unknown) strbuf_addc(out, '?');
            else cell_milli(out, num_bytes_to_milli_mb(tensor_sum(run, tensor).per_bank_bytes), false);
            break;
        case LIVE_SHAPE:
            cell_type(out, &run->types.items[tensor->type]);
            break;
        case LIVE_KIND:
            strbuf_addz(out, live_class_names[tensor_live_class(run, tensor)]);
            break;
        case LIVE_PADDING: {
            int64_t percent = padding_of(run, tensor);
            if (percent > 50000) *look = LOOK_WARN;
            if (percent) strbuf_addf(out, "%s %%", figure_milli(percent, 0).text);
            break;
        }
        default:
            if (tensor_name(run, tensor).len) strbuf_add(out, tensor_name(run, tensor));
            else if (tensor->producer == NONE) strbuf_addf(out, "argument %u", tensor->argument);
            else add_maker(out, run, &run->steps.items[tensor->producer]);
    }
}

static int live_compare(void *who, size_t a, size_t b, size_t column) {
    const struct opened *opened = who;
    const struct run *run = opened->run;
    const struct tensor *x = tensor_of(opened, a), *y = tensor_of(opened, b);
    switch ((enum live_column)column) {
        case LIVE_SIZE:
            return cell_order((int64_t)tensor_sum(run, x).per_bank_bytes, (int64_t)tensor_sum(run, y).per_bank_bytes);
        case LIVE_SHAPE:
            return cell_order_text(run->types.items[x->type].shape, run->types.items[y->type].shape);
        case LIVE_KIND:
            return cell_order(tensor_live_class(run, x), tensor_live_class(run, y));
        case LIVE_PADDING:
            return cell_order(padding_of(run, x), padding_of(run, y));
        default:
            return cell_order(x->producer, y->producer);
    }
}

void live_table_init(struct table *table, const struct opened *opened) {
    *table = (struct table){.columns = live_columns,
                            .column_count = LIVE_COLUMNS,
                            .row_count = opened->overview->at_peak.tensors.len,
                            .who = (void *)(uintptr_t)opened,
                            .cell = live_cell,
                            .compare = live_compare,
                            .sort_column = LIVE_SIZE};
}

int live_head_draw(const struct opened *opened, int row) {
    const struct overview *o = opened->overview;
    const struct peak *peak = &o->peaks.pools[POOL_DRAM];
    if (!o->at_peak.tensors.len || !peak->seen) {
        screen_putz(row, 3, screen_columns() - 4, LOOK_DIM, "The log's op lines do not show what is alive at the DRAM peak.");
        return row + 1;
    }
    int64_t known = num_bytes_to_milli_mb(o->at_peak.sum.per_bank_bytes),
            rest = live_unattributed(&o->at_peak, peak->allocated);
    uint64_t computed = o->at_peak.computed_bytes;
    screen_putf(row, 1, screen_columns() - 2, LOOK_PLAIN,
                "%s MB per bank at the peak: %s in %llu tensors below, %s%s%s unattributed",
                figure_milli(peak->allocated, 3).text, figure_milli(known, 3).text, (unsigned long long)o->at_peak.sum.tensors,
                computed ? figure_milli(num_bytes_to_milli_mb(computed), 3).text : "",
                computed ? " computed in no tensor, " : "", figure_milli(rest > 0 ? rest : 0, 3).text);
    return row + 2;
}

size_t live_table_record(const struct opened *opened, size_t row) {
    uint32_t producer = tensor_of(opened, row)->producer;
    uint32_t record = producer == NONE ? NONE : opened->run->steps.items[producer].record;
    return record == NONE ? SLICE_NONE : record;
}

/* --- groups --- */

static void group_cell(void *who, size_t row, size_t column, struct strbuf *out, enum look *look) {
    const struct group_table *g = who;
    const struct run *run = g->opened->run;
    const struct live_group *group = &g->groups.groups.items[row];
    const struct live_sum *all = &g->opened->overview->at_peak.sum;
    switch ((enum group_column)column) {
        case GROUP_SUM:
            if (group->sum.bank_unknown) strbuf_addc(out, '?');
            else cell_milli(out, num_bytes_to_milli_mb(group->sum.per_bank_bytes), false);
            break;
        case GROUP_COUNT:
            add_grouped(out, group->sum.tensors);
            break;
        case GROUP_LARGEST:
            if (!group->sum.bank_unknown) cell_milli(out, num_bytes_to_milli_mb(group->largest_bytes_per_bank), false);
            break;
        case GROUP_SHARE:
            if (!all->bank_unknown && all->per_bank_bytes)
                add_percent(out, (int64_t)group->sum.per_bank_bytes, all->per_bank_bytes);
            break;
        case GROUP_KEY: {
            struct slice key = strtab_get(&g->groups.keys, group->key);
            if (!key.len) *look = LOOK_DIM;
            strbuf_add(out, key.len ? key : SLICE("not known"));
            break;
        }
        default:
            if (group->first_record != NONE) add_maker(out, run, &run->steps.items[run->records.items[group->first_record]]);
    }
}

static int group_compare(void *who, size_t a, size_t b, size_t column) {
    const struct group_table *g = who;
    const struct live_group *x = &g->groups.groups.items[a], *y = &g->groups.groups.items[b];
    switch ((enum group_column)column) {
        case GROUP_COUNT:
            return cell_order((int64_t)x->sum.tensors, (int64_t)y->sum.tensors);
        case GROUP_LARGEST:
            return cell_order((int64_t)x->largest_bytes_per_bank, (int64_t)y->largest_bytes_per_bank);
        case GROUP_KEY:
            return cell_order_text(strtab_get(&g->groups.keys, x->key), strtab_get(&g->groups.keys, y->key));
        case GROUP_FIRST:
            return cell_order(x->first_record, y->first_record);
        default:
            return cell_order((int64_t)x->sum.per_bank_bytes, (int64_t)y->sum.per_bank_bytes);
    }
}

static void group(struct group_table *g) {
    live_groups_make(g->opened->run, &g->opened->overview->at_peak, g->by, short_location, &g->groups);
    g->table.row_count = g->groups.groups.len;
    table_arrange(&g->table);
}

void group_table_init(struct group_table *g, const struct opened *opened) {
    *g = (struct group_table){.opened = opened, .by = LIVE_BY_MODULE};
    g->table = (struct table){.columns = group_columns,
                              .column_count = GROUP_COLUMNS,
                              .who = g,
                              .cell = group_cell,
                              .compare = group_compare,
                              .sort_column = GROUP_SUM};
    group(g);
}

void group_table_next(struct group_table *g) {
    live_groups_release(&g->groups);
    g->by = (enum live_by)((g->by + 1) % LIVE_BY_COUNT);
    group(g);
    g->table.selected = 0;
}

int group_head_draw(const struct group_table *g, int row) {
    int at = 1 + screen_putz(row, 1, screen_columns() - 2, LOOK_PLAIN, "Alive at the DRAM peak, by");
    for (int by = 0; by < LIVE_BY_COUNT; by++)
        at += screen_putf(row, at, screen_columns() - at - 1, (enum live_by)by == g->by ? LOOK_BOLD : LOOK_DIM, "  %s",
                          live_by_names[by]);
    screen_putz(row, at, screen_columns() - at - 1, LOOK_DIM, "   b: the next");
    return row + 2;
}

size_t group_table_record(const struct group_table *g, size_t row) {
    uint32_t record = g->groups.groups.items[row].first_record;
    return record == NONE ? SLICE_NONE : record;
}

void group_table_release(struct group_table *g) {
    live_groups_release(&g->groups);
    table_release(&g->table);
}
