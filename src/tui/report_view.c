/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/report_view.h"

#include "base/amounts.h"
#include "base/num.h"
#include "render/answer/explain.h"
#include "tui/dialog.h"
#include "tui/op_text.h"
#include "tui/table.h"
#include "tui/timeline.h"

enum tab { TAB_TIMELINE, TAB_CONSUMERS, TAB_GROWTH, TAB_LIVE, TAB_OPS, TAB_COUNT };
enum op_column { COLUMN_INDEX, COLUMN_NAME, COLUMN_DRAM, COLUMN_DELTA, COLUMN_L1, COLUMN_OUT, COLUMN_PLACE, OP_COLUMNS };
enum live_column { LIVE_SIZE, LIVE_SHAPE, LIVE_KIND, LIVE_PADDING, LIVE_FROM, LIVE_COLUMNS };

static const char *const tab_names[TAB_COUNT] = {"Timeline", "Top consumers", "Growth", "Live at peak", "Operations"};

static const struct table_column op_columns[OP_COLUMNS] = {
    {"#", 7, true, false},    {"operation", 22, false, false}, {"DRAM MB", 9, true, true},   {"change", 9, true, true},
    {"L1 MB", 7, true, true}, {"output", 18, false, false},    {"location", 0, false, false}};
static const struct table_column live_columns[LIVE_COLUMNS] = {{"MB/bank", 10, true, true},
                                                               {"tensor", 26, false, false},
                                                               {"kind", 11, false, false},
                                                               {"padding", 8, true, true},
                                                               {"made by", 0, false, false}};

struct opened_view {
    const struct opened *opened;
    enum tab tab;
    struct timeline timeline;
    struct table tables[TAB_COUNT]; /* those of tabs that are tables */
    bool arranged[TAB_COUNT];
};

static bool state(const struct run *run, uint32_t block, enum pool pool, int64_t *out) {
    if (block == NONE || !(run->blocks.items[block].have & 1u << pool)) return false;
    *out = run->blocks.items[block].allocated[pool];
    return true;
}

/* What an op reached: after it where that is known, else before it. INT64_MIN: not known. */
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

static void add_state(struct strbuf *out, int64_t milli, bool with_sign) {
    if (milli == INT64_MIN) return;
    if (with_sign && milli == 0) {
        strbuf_addc(out, '0');
        return;
    }
    unsigned decimals = milli >= 10000000 || milli <= -10000000 ? 1 : 3;
    strbuf_addz(out, with_sign ? figure_change(milli, decimals).text : figure_milli(milli, decimals).text);
}

static void add_type(struct strbuf *out, const struct tensor_type *type) {
    strbuf_add(out, type->shape);
    strbuf_addc(out, ' ');
    strbuf_add(out, type->dtype);
}

static void op_cell(void *who, size_t record, size_t column, struct strbuf *out, enum look *look) {
    const struct run *run = ((struct opened_view *)who)->opened->run;
    const struct step *step = step_of(run, record);
    switch ((enum op_column)column) {
        case COLUMN_INDEX:
            strbuf_addf(out, "%zu", record);
            break;
        case COLUMN_NAME:
            strbuf_add(out, step_name(run, step));
            break;
        case COLUMN_DRAM:
            add_state(out, reached(run, step, POOL_DRAM), false);
            break;
        case COLUMN_DELTA: {
            int64_t delta = change(run, step);
            if (delta == 0) *look = LOOK_DIM;
            add_state(out, delta, true);
            break;
        }
        case COLUMN_L1:
            add_state(out, reached(run, step, POOL_L1), false);
            break;
        case COLUMN_OUT:
            if (step->op != NONE && run->ops.items[step->op].result_count) {
                const struct op *op = &run->ops.items[step->op];
                add_type(out, &run->types.items[run->refs.items[op->first_ref + op->operand_count].type]);
            }
            break;
        default:
            strbuf_add(out, place_of(run, step));
            break;
    }
}

static int order(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int order_text(struct slice a, struct slice b) {
    int found = memcmp(a.ptr, b.ptr, a.len < b.len ? a.len : b.len);
    return found ? found : order((int64_t)a.len, (int64_t)b.len);
}

static int op_compare(void *who, size_t a, size_t b, size_t column) {
    const struct run *run = ((struct opened_view *)who)->opened->run;
    const struct step *x = step_of(run, a), *y = step_of(run, b);
    switch ((enum op_column)column) {
        case COLUMN_NAME:
            return order_text(step_name(run, x), step_name(run, y));
        case COLUMN_DRAM:
            return order(reached(run, x, POOL_DRAM), reached(run, y, POOL_DRAM));
        case COLUMN_DELTA:
            return order(change(run, x), change(run, y));
        case COLUMN_L1:
            return order(reached(run, x, POOL_L1), reached(run, y, POOL_L1));
        case COLUMN_PLACE:
            return order_text(place_of(run, x), place_of(run, y));
        default:
            return order((int64_t)a, (int64_t)b);
    }
}

static const struct tensor *live_tensor(const struct opened_view *v, size_t row) {
    return &v->opened->run->tensors.items[v->opened->overview->at_peak.tensors.items[row]];
}

static int64_t padding_of(const struct run *run, const struct tensor *tensor) {
    struct live_sum sum = tensor_sum(run, tensor);
    if (!sum.logical_bytes || sum.padded_bytes <= sum.logical_bytes) return 0;
    return num_percent_milli((int64_t)(sum.padded_bytes - sum.logical_bytes), (int64_t)sum.logical_bytes);
}

static void live_cell(void *who, size_t row, size_t column, struct strbuf *out, enum look *look) {
    const struct opened_view *v = who;
    const struct run *run = v->opened->run;
    const struct tensor *tensor = live_tensor(v, row);
    switch ((enum live_column)column) {
        case LIVE_SIZE:
            if (tensor_sum(run, tensor).bank_unknown) strbuf_addc(out, '?');
            else add_state(out, num_bytes_to_milli_mb(tensor_sum(run, tensor).per_bank_bytes), false);
            break;
        case LIVE_SHAPE:
            add_type(out, &run->types.items[tensor->type]);
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
            if (tensor->producer == NONE) {
                strbuf_addf(out, "argument %u", tensor->argument);
            } else {
                const struct step *step = &run->steps.items[tensor->producer];
                if (step->record != NONE) strbuf_addf(out, "#%u ", step->record);
                strbuf_add(out, step_name(run, step));
                strbuf_addz(out, "  ");
                strbuf_add(out, place_of(run, step));
            }
    }
}

static int live_compare(void *who, size_t a, size_t b, size_t column) {
    const struct opened_view *v = who;
    const struct run *run = v->opened->run;
    const struct tensor *x = live_tensor(v, a), *y = live_tensor(v, b);
    switch ((enum live_column)column) {
        case LIVE_SIZE:
            return order((int64_t)tensor_sum(run, x).per_bank_bytes, (int64_t)tensor_sum(run, y).per_bank_bytes);
        case LIVE_SHAPE:
            return order_text(run->types.items[x->type].shape, run->types.items[y->type].shape);
        case LIVE_KIND:
            return order(tensor_live_class(run, x), tensor_live_class(run, y));
        case LIVE_PADDING:
            return order(padding_of(run, x), padding_of(run, y));
        default:
            return order(x->producer, y->producer);
    }
}

static void make_tables(struct opened_view *v) {
    static const struct {
        enum tab tab;
        size_t sort_column;
    } op_tabs[] = {{TAB_CONSUMERS, COLUMN_DRAM}, {TAB_GROWTH, COLUMN_DELTA}, {TAB_OPS, COLUMN_INDEX}};
    for (size_t i = 0; i < sizeof op_tabs / sizeof *op_tabs; i++)
        v->tables[op_tabs[i].tab] = (struct table){.columns = op_columns,
                                                   .column_count = OP_COLUMNS,
                                                   .row_count = v->opened->run->records.len,
                                                   .who = v,
                                                   .cell = op_cell,
                                                   .compare = op_compare,
                                                   .sort_column = op_tabs[i].sort_column};
    v->tables[TAB_LIVE] = (struct table){.columns = live_columns,
                                         .column_count = LIVE_COLUMNS,
                                         .row_count = v->opened->overview->at_peak.tensors.len,
                                         .who = v,
                                         .cell = live_cell,
                                         .compare = live_compare,
                                         .sort_column = LIVE_SIZE};
}

static int draw_failure(const struct opened_view *v, int row) {
    const struct explain *failures = &v->opened->overview->failures;
    if (!failures->failures.len) return row;
    struct strbuf text = {0};
    const struct explanation *first = explain_ranked(failures, 0);
    static const char *const labels[] = {[OUTCOME_UNKNOWN] = "failure  ",
                                         [OUTCOME_ENDED] = "FAILED  ",
                                         [OUTCOME_CAUGHT] = "caught  ",
                                         [OUTCOME_TEST] = "FAILED  "};
    strbuf_addz(&text, labels[first->outcome.kind]);
    explain_headline(&text, first);
    screen_put(row, 1, screen_columns() - 2, first->outcome.kind == OUTCOME_CAUGHT ? LOOK_PLAIN : LOOK_BAD,
               strbuf_slice(&text));
    strbuf_release(&text);
    return row + 1;
}

static void draw_tabs(const struct opened_view *v, int row) {
    int at = 1;
    for (int i = 0; i < TAB_COUNT; i++) {
        at += screen_putf(row, at, 30, (enum tab)i == v->tab ? LOOK_CHOSEN : LOOK_DIM, " %d %s ", i + 1, tab_names[i]);
        at += 1;
    }
}

static int tab_at(int column) {
    int at = 1;
    for (int i = 0; i < TAB_COUNT; i++) {
        int width = (int)strlen(tab_names[i]) + 4;
        if (column >= at && column < at + width) return i;
        at += width + 1;
    }
    return -1;
}

/* What the blocks say is the truth; what op lines explain of it comes below. */
static int draw_live_head(const struct opened_view *v, int row) {
    const struct overview *o = v->opened->overview;
    const struct peak *peak = &o->peaks.pools[POOL_DRAM];
    if (!o->at_peak.tensors.len || !peak->seen) {
        screen_putz(row, 3, screen_columns() - 4, LOOK_DIM,
                    "The log's operation lines do not tell what is alive at the DRAM peak.");
        return row + 1;
    }
    int64_t known = num_bytes_to_milli_mb(o->at_peak.sum.per_bank_bytes),
            rest = live_unattributed(&o->at_peak, peak->allocated);
    uint64_t computed = o->at_peak.computed_bytes;
    screen_putf(row, 1, screen_columns() - 2, LOOK_PLAIN,
                "%s MB per bank at the peak: %s in %llu tensors below, %s%s%s not attributed",
                figure_milli(peak->allocated, 3).text, figure_milli(known, 3).text, (unsigned long long)o->at_peak.sum.tensors,
                computed ? figure_milli(num_bytes_to_milli_mb(computed), 3).text : "",
                computed ? " computed in no tensor, " : "", figure_milli(rest > 0 ? rest : 0, 3).text);
    return row + 2;
}

static const char *keys_of(const struct opened_view *v) {
    if (v->tables[v->tab].searching) return "type to search   Enter keep   Esc drop";
    if (v->tab == TAB_TIMELINE) return "←→ move  ↑↓ zoom  p pool  c capacity  m peak  Enter op  Tab next  ? help  q back";
    return "↑↓ move  / search  s sort  S reverse  Enter op  Tab next  ? help  q back";
}

static int tabs_row(const struct opened_view *v) { return v->opened->overview->failures.failures.len ? 3 : 2; }

static void draw(struct opened_view *v) {
    screen_clear();
    const char *change = opened_change(v->opened);
    screen_put_frame(change ? change : v->opened->name, keys_of(v));
    int row = draw_failure(v, 2);
    draw_tabs(v, row);
    row += 2;
    if (v->tab == TAB_LIVE) row = draw_live_head(v, row);
    int rows = screen_rows() - row - 1;
    if (v->tab == TAB_TIMELINE) timeline_draw(&v->timeline, row, rows);
    else table_draw(&v->tables[v->tab], row, rows);
    screen_show();
}

static void go(struct opened_view *v, int tab) {
    v->tab = (enum tab)((tab + TAB_COUNT) % TAB_COUNT);
    if (v->tab == TAB_TIMELINE || v->arranged[v->tab]) return;
    table_arrange(&v->tables[v->tab]);
    v->arranged[v->tab] = true;
}

static void help(bool *interrupted) {
    static const char text[] =
        "  1 … 5, Tab      the parts of the report\n"
        "  Enter, click    the operation in full\n"
        "  q, Esc          back\n"
        "\n"
        "  Timeline\n"
        "    ← →  h l      move by a column, by one operation\n"
        "    ↑ ↓  + -      closer, farther\n"
        "    p             next pool: DRAM, L1, L1_SMALL, TRACE\n"
        "    c             scale up to the capacity of a bank, or to the peak\n"
        "    m             to the peak\n"
        "\n"
        "  Tables\n"
        "    ↑ ↓ PgUp PgDn Home End\n"
        "    /             search in all columns\n"
        "    s, S          sort by the next column, reverse\n"
        "\n"
        "  MB are per bank, 1 MB is 1048576 bytes. Values are those after the operation\n"
        "  where the log tells them, else those before it.\n";
    struct text_page reading = {"keys", "q back", slice_from(text), NULL};
    text_show(&reading, interrupted);
}

static void show_op(struct opened_view *v, size_t record, bool *interrupted) {
    if (record >= v->opened->run->records.len) return;
    int key;
    do {
        struct strbuf text = {0};
        op_text(&text, screen_term(), v->opened, record);
        struct text_page reading = {v->opened->name, "n next   p previous   q back", strbuf_slice(&text), "np"};
        key = text_show(&reading, interrupted);
        strbuf_release(&text);
        if (key == 'n' && record + 1 < v->opened->run->records.len) record++;
        if (key == 'p' && record) record--;
    } while (key);
}

static void choose(struct opened_view *v, bool *interrupted) {
    if (v->tab == TAB_TIMELINE) {
        show_op(v, v->timeline.cursor, interrupted);
        return;
    }
    size_t row = table_row(&v->tables[v->tab]);
    if (row == SLICE_NONE) return;
    if (v->tab == TAB_LIVE) {
        uint32_t producer = live_tensor(v, row)->producer;
        row = producer == NONE ? SLICE_NONE : v->opened->run->steps.items[producer].record;
    }
    show_op(v, row, interrupted);
}

/* True: the view is left. */
static bool on_event(struct opened_view *v, struct event event, bool *interrupted) {
    struct table *table = v->tab == TAB_TIMELINE ? NULL : &v->tables[v->tab];
    if (event.key == KEY_CLICK && event.row == tabs_row(v) && tab_at(event.column) >= 0) {
        go(v, tab_at(event.column));
        return false;
    }
    if (event.key == KEY_INTERRUPT) *interrupted = true;
    if (event.key == KEY_INTERRUPT) return true;
    if (!table || !table->searching) {
        if (event.key == KEY_TAB) go(v, (int)v->tab + 1);
        if (event.key == KEY_BACK_TAB) go(v, (int)v->tab - 1);
        if (event.key == KEY_TEXT && event.ch >= '1' && event.ch < '1' + TAB_COUNT) go(v, (int)(event.ch - '1'));
        if (event.key == KEY_TEXT && event.ch == '?') help(interrupted);
        if (event.key == KEY_TEXT && event.ch == 'q') return true;
    }
    bool chosen = table ? false : timeline_event(&v->timeline, event);
    if (table) {
        enum table_answer answer = table_event(table, event);
        if (answer == TABLE_IGNORED && event.key == KEY_ESCAPE) return true;
        chosen = answer == TABLE_CHOSEN;
    } else if (event.key == KEY_ESCAPE) {
        return true;
    }
    if (chosen) choose(v, interrupted);
    return *interrupted;
}

enum answer report_view(const struct opened *opened) {
    struct opened_view v = {.opened = opened};
    bool interrupted = false;
    timeline_init(&v.timeline, opened);
    make_tables(&v);
    do draw(&v);
    while (!on_event(&v, screen_event(-1), &interrupted));
    timeline_release(&v.timeline);
    for (int i = 0; i < TAB_COUNT; i++) table_release(&v.tables[i]);
    return interrupted ? ANSWER_INTERRUPT : ANSWER_BACK;
}
