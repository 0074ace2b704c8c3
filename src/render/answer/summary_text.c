/* SPDX-License-Identifier: Apache-2.0 */
#include "render/answer/summary_text.h"

#include <stdlib.h>

#include "analysis/failure/groups.h"
#include "analysis/rules/computed.h"
#include "model/left/pass_growth.h"
#include "analysis/run/thresholds.h"
#include "analysis/run/op_inside.h"
#include "base/amounts.h"
#include "base/num.h"
#include "render/answer/explain.h"
#include "render/answer/summary_sheet.h"
#include "render/host/host_text.h"
#include "render/format/short_location.h"
#include "render/format/warning_words.h"
#include "render/ranks/ranks_report.h"
#include "render/search/duplicates_report.h"
#include "render/search/leaks_report.h"

enum { BAR_CELLS = 40, NARROW_BAR_CELLS = 12, NARROW = 110, GROWTH_SHOWN = 5, FAILURES_SHOWN = 10, LABEL_COLUMNS = 12 };

/* Thousandths of a MB: with one decimal at 100 MB or more, else with two. */
static void add_short_milli(struct summary_sheet *p, int64_t milli) {
    add_milli(p->out, milli, milli >= 100000 ? 1 : milli >= 1000 || !milli ? 2 : 3);
}

static const struct pool_config *first_config(const struct run *run, enum pool pool) {
    for (size_t i = 0; i < run->configs.len; i++)
        if (run->configs.items[i].pool == pool) return &run->configs.items[i];
    return NULL;
}

/* Program runs that a submit started, by name; the rest are const-evals and other nested programs. */
static void add_main_runs(struct summary_sheet *p) {
    if (!p->o->main_runs || p->o->main_runs == p->o->program_runs) return;
    strbuf_addf(p->out, ", %s ", figure_grouped(p->o->main_runs).text);
    if (p->o->main_name == NONE) {
        strbuf_addz(p->out, "of them submitted");
        return;
    }
    strbuf_addz(p->out, "of ");
    term_text(p->out, p->term, run_string(p->run, p->o->main_name), 40);
}

/* For a run in which a device of another kind was opened later. */
static void add_other_devices(struct summary_sheet *p) {
    enum { SHOWN = 2 };
    const struct run *run = p->run;
    const struct pool_config *first = first_config(run, POOL_DRAM);
    for (size_t i = 0, shown = 0; run->parts.len && first && i < run->configs.len && shown < SHOWN; i++) {
        const struct pool_config *config = &run->configs.items[i];
        bool other = config->banks != first->banks || config->total != first->total;
        if (config->pool != POOL_DRAM || !config->total || !other) continue;
        strbuf_addf(p->out, "; later %u x ", config->banks);
        add_short_milli(p, config->total);
        strbuf_addz(p->out, " MB DRAM");
        shown++;
    }
}

static void headline(struct summary_sheet *p) {
    const struct run *run = p->run;
    term_tone(p->out, p->term, TONE_BOLD);
    term_text(p->out, p->term, p->source->name, 0);
    term_tone(p->out, p->term, TONE_PLAIN);
    strbuf_addz(p->out, "   ");
    add_count(p, run->records.len, run_is_states(run) ? "state" : "op", run_is_states(run) ? "states" : "ops");
    if (p->o->program_runs) {
        strbuf_addz(p->out, term_dot(p->term));
        add_count(p, p->o->program_runs, "program run", "program runs");
        add_main_runs(p);
    }
    if (run->chip) strbuf_addf(p->out, "%s%s", term_dot(p->term), run->chip->title);
    for (unsigned pool = 0; pool < POOL_L1_SMALL; pool++) {
        const struct pool_config *config = first_config(run, (enum pool)pool);
        if (!config || !config->total) continue;
        strbuf_addf(p->out, "%s%u x ", pool ? ", " : run->chip ? " " : term_dot(p->term), config->banks);
        add_short_milli(p, config->total);
        strbuf_addf(p->out, " MB %s", pool_names[pool]);
    }
    add_other_devices(p);
    uint64_t chips = run_mesh_chips(run);
    if (chips > 1) strbuf_addf(p->out, ", on each of %s chips", figure_grouped(chips).text);
    else if (!chips && run->chips_opened > 1) strbuf_addf(p->out, ", up to %s chips", figure_grouped(run->chips_opened).text);
    strbuf_addf(p->out, "%s%s MB read\n", term_dot(p->term), figure_ratio((int64_t)run->bytes, NUM_MIB, 1).text);
}

static void add_rank(struct summary_sheet *p, size_t rank) {
    struct slice tag = run_string(p->run, p->run->ranks.items[rank].name);
    strbuf_addz(p->out, "  rank ");
    term_text(p->out, p->term, tag.len ? tag : SLICE("untagged"), 0);
}

static void add_place(struct summary_sheet *p, const struct step *step) {
    struct strbuf place = {0};
    short_location_of(&place, p->run, step);
    if (place.len) strbuf_addz(p->out, "  ");
    term_text(p->out, p->term, strbuf_slice(&place), 60);
    strbuf_release(&place);
}

/* "#1516 ttnn.mean  reduce.864_mean" */
void summary_add_op(struct summary_sheet *p, uint32_t record, bool with_location) {
    const struct run *run = p->run;
    const struct step *step = &run->steps.items[run->records.items[record]];
    strbuf_addf(p->out, "#%u ", record);
    term_text(p->out, p->term, step_name(run, step), 48);
    if (with_location) add_place(p, step);
}

static enum tone pool_tone(enum pool pool, const struct peak *peak) {
    const struct threshold *crossed =
        threshold_crossed(pool == POOL_DRAM ? METRIC_DRAM : METRIC_L1, peak->allocated, peak->total);
    return !crossed ? TONE_PLAIN : crossed->severity > 1 ? TONE_BAD : TONE_WARN;
}

static void pool_share(struct summary_sheet *p, enum pool pool, const struct peak *peak) {
    bool narrow = p->term->columns && p->term->columns < NARROW;
    const char *unit = pool_unit(p->run, pool);
    if (!peak->total) {
        strbuf_addf(p->out, "%s%s MB per %s, capacity not known  ", peak->at_least ? "at least " : "",
                    figure_milli(peak->allocated, peak->allocated >= 100000 ? 1 : 3).text, unit);
        return;
    }
    term_bar(p->out, p->term, peak->allocated, peak->total, narrow ? NARROW_BAR_CELLS : BAR_CELLS);
    unsigned decimals = peak->total >= 100000 ? 1 : 3;
    strbuf_addf(p->out, peak->at_least ? "  at least %s / %s MB per %s  " : "  %9s / %s MB per %s  ",
                figure_milli(peak->allocated, decimals).text, figure_milli(peak->total, decimals).text, unit);
    enum tone tone = pool_tone(pool, peak);
    if (tone != TONE_PLAIN) term_tone(p->out, p->term, tone);
    strbuf_addf(p->out, "%3s %%", figure_percent(peak->allocated, peak->total, 0).text);
    if (tone != TONE_PLAIN) term_tone(p->out, p->term, TONE_PLAIN);
    strbuf_addz(p->out, "  ");
}

/* Banks differ in size between ranks or run parts, and another one is fuller than that of the highest peak. */
static void tightest_line(struct summary_sheet *p, enum pool pool) {
    const struct peak *peak = &p->o->peaks.pools[pool], *tightest = &p->o->peaks.tightest[pool];
    if (!tightest->seen || !tightest->allocated || !peak->total || tightest->total == peak->total) return;
    label(p, "");
    strbuf_addf(p->out, "highest share of a bank: %s%s of %s MB, %s %%", tightest->at_least ? "at least " : "",
                figure_milli(tightest->allocated, 3).text, figure_milli(tightest->total, 3).text,
                figure_percent(tightest->allocated, tightest->total, 1).text);
    if (tightest->rank != peak->rank) add_rank(p, tightest->rank);
    if (tightest->at_least) strbuf_addf(p->out, "  (%s)", peak_bound_words(tightest));
    strbuf_addc(p->out, '\n');
}

static void pool_line(struct summary_sheet *p, enum pool pool) {
    const struct peak *peak = &p->o->peaks.pools[pool];
    struct peak whole;
    if (peak_of_all_banks(p->run, peak, &whole)) {
        label(p, pool_names[pool]);
        strbuf_addf(p->out, "at least %s MB in all banks together, whose number is not known  ",
                    figure_milli(num_bytes_to_milli_mb(whole.all_banks_bytes), 3).text);
        if (whole.after_record != NONE) {
            strbuf_addz(p->out, "after ");
            summary_add_op(p, whole.after_record, true);
        }
        strbuf_addf(p->out, "  (%s)\n", peak_bound_words(&whole));
    }
    if (!peak->seen || (!peak->allocated && (pool >= POOL_L1_SMALL || !peak->total))) return;
    label(p, pool_names[pool]);
    pool_share(p, pool, peak);
    if (peak->source == PEAK_FAILURE && peak->before_record != NONE) {
        strbuf_addz(p->out, "in ");
        summary_add_op(p, peak->before_record, true);
    } else if (peak->after_record != NONE) {
        strbuf_addz(p->out, "after ");
        summary_add_op(p, peak->after_record, true);
    } else if (peak->source == PEAK_MEASURED) {
        char room[PEAK_PLACE_ROOM];
        strbuf_addz(p->out, peak_place_words(peak, room));
    }
    if (p->run->ranks.items[peak->rank].name) add_rank(p, peak->rank);
    if (peak->at_least && peak->allocated) strbuf_addf(p->out, "  (%s)", peak_bound_words(peak));
    strbuf_addc(p->out, '\n');
    tightest_line(p, pool);
}

/* The parts of the L1 peak, if circular buffers are known. */
static void l1_parts_line(struct summary_sheet *p) {
    const struct peak *peak = &p->o->peaks.pools[POOL_L1];
    struct op_inside at;
    if (!p->run->l1.told || !peak->seen || peak->after_record == NONE) return;
    op_inside_find(p->run, peak->after_record, &at);
    if (!at.known || !at.total_bytes) return;
    label(p, "");
    strbuf_addf(p->out, "%s%s B per core: circular buffers %s", peak->at_least ? "at least " : "",
                figure_grouped(at.total_bytes).text, figure_grouped(at.program_bytes).text);
    strbuf_addf(p->out, ", inside the op %s, before it or staying %s\n", figure_grouped(at.inside_bytes).text,
                figure_grouped(at.other_bytes).text);
}

static void padding_line(struct summary_sheet *p) {
    const struct live_sum *sum = &p->o->at_peak.sum;
    if (!p->o->has_live || !sum->logical_bytes || !live_sum_has_shapes(sum)) return;
    label(p, "padding");
    strbuf_addf(p->out, "%s %% on top of what is alive at the DRAM peak",
                figure_percent((int64_t)sum->padding_bytes, sum->logical_bytes, 0).text);
    const struct tensor_type *worst = NULL;
    uint64_t most = 0;
    for (size_t i = 0; i < p->o->at_peak.tensors.len; i++) {
        const struct tensor *tensor = &p->run->tensors.items[p->o->at_peak.tensors.items[i]];
        struct live_sum one = tensor_sum(p->run, tensor);
        if (one.padding_bytes <= most) continue;
        most = one.padding_bytes;
        worst = &p->run->types.items[tensor->type];
    }
    if (worst) {
        char padded[256];
        size_t n = tensor_padded_shape(worst, padded, sizeof padded);
        strbuf_addz(p->out, " (largest: ");
        term_text(p->out, p->term, worst->shape, 40);
        strbuf_addc(p->out, ' ');
        term_text(p->out, p->term, worst->dtype, 20);
        /* the surplus may be only pages of the last bank */
        if (!slice_equal(worst->shape, slice_of(padded, n))) {
            strbuf_addz(p->out, p->term->utf8 ? " → " : " -> ");
            term_text(p->out, p->term, slice_of(padded, n), 40);
        }
        strbuf_addz(p->out, ", ");
        add_short_milli(p, num_bytes_to_milli_mb(most));
        strbuf_addz(p->out, " MB in total)");
    }
    strbuf_addc(p->out, '\n');
}

/* What no tensor of the log explains at the peak, but a rule does. */
static void computed_line(struct summary_sheet *p) {
    static const struct {
        enum live_class class;
        const char *words;
    } rows[] = {{LIVE_RESHAPE_MAP, "maps of tiled reshapes"},
                {LIVE_TEMPORARY, "copies inside the op"},
                {LIVE_TABLE, "tables of convolutions"},
                {LIVE_BINARY, "kernel binaries"}};
    const struct live_set *set = &p->o->at_peak;
    if (!set->computed_bytes) return;
    label(p, "computed");
    add_short_milli(p, num_bytes_to_milli_mb(set->computed_bytes));
    strbuf_addz(p->out, " MB per bank of the DRAM peak in no tensor: ");
    bool first = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct live_computed *c = &set->computed[rows[i].class];
        if (!c->bytes) continue;
        strbuf_addf(p->out, "%s%s ", first ? "" : ", ", rows[i].words);
        add_short_milli(p, num_bytes_to_milli_mb(c->bytes));
        if (computed_is_estimate(rows[i].class)) strbuf_addz(p->out, " (estimate)");
        first = false;
    }
    strbuf_addc(p->out, '\n');
}

/* Programs of several modules may have one name, and so may their const-eval graphs, which are counted by name. */
static bool names_repeat(const struct overview *o) {
    for (size_t i = 0; i < o->programs.len; i++)
        if (o->programs.items[i].graphs > 1) return true;
    return false;
}

static void weights_line(struct summary_sheet *p) {
    uint64_t hits = 0, misses = 0;
    for (size_t i = 0; i < p->o->const_eval.len; i++) {
        hits += p->o->const_eval.items[i].hits;
        misses += p->o->const_eval.items[i].misses;
    }
    if (!p->o->weight_count && !p->o->const_eval.len) return;
    label(p, "weights");
    if (p->o->weight_count) {
        add_short_milli(p, num_bytes_to_milli_mb(p->o->weight_bytes));
        strbuf_addz(p->out, " MB of elements, ");
        add_count(p, p->o->weight_count, "tensor", "tensors");
        if (p->o->shared_weights) {
            strbuf_addz(p->out, ", ");
            add_grouped(p->out, p->o->shared_weights);
            strbuf_addz(p->out, " of them used by several programs");
        }
        if (p->o->weights_of_part && p->o->weights_line)
            strbuf_addf(p->out, ", on the device that was opened at line %s, which has most",
                        figure_grouped(p->o->weights_line).text);
        else if (p->o->weights_of_part) strbuf_addz(p->out, ", on the device that was opened first, which has most");
        if (run_has_ranks(p->run)) add_rank(p, p->o->weights_rank);
    }
    if (p->o->const_eval.len) {
        if (p->o->weight_count) strbuf_addz(p->out, term_dot(p->term));
        strbuf_addz(p->out, "const-eval ");
        add_count(p, p->o->const_eval.len, "graph", "graphs");
        if (p->o->const_eval.len > 1 && names_repeat(p->o)) strbuf_addz(p->out, " by name");
        strbuf_addz(p->out, ", ");
        if (hits || misses) add_count(p, misses, "miss", "misses");
        else strbuf_addz(p->out, "the log does not show the cache");
        if ((hits || misses) && !p->run->told_by_files) { /* the files of a report record only misses */
            strbuf_addz(p->out, ", ");
            add_count(p, hits, "hit", "hits");
        }
    }
    strbuf_addc(p->out, '\n');
}

static void rank_line(struct summary_sheet *p, const struct rank_row *row) {
    const struct rank *rank = &p->run->ranks.items[row->rank];
    const struct peak *peak = &row->peak;
    label(p, "rank");
    term_text(p->out, p->term, rank_title(p->run, row->rank), 24);
    strbuf_addz(p->out, "  ");
    add_count(p, rank->records, run_is_states(p->run) ? "state" : "op", run_is_states(p->run) ? "states" : "ops");
    if (peak->seen)
        strbuf_addf(p->out, ", DRAM peak %s%s", row->at_least ? "at least " : "", figure_milli(peak->allocated, 3).text);
    if (peak->seen && peak->total) strbuf_addf(p->out, " of %s", figure_milli(peak->total, 3).text);
    if (peak->seen) strbuf_addz(p->out, " MB per bank");
    strbuf_addc(p->out, '\n');
}

static int by_rank(const void *a, const void *b) {
    const struct rank_row *x = a, *y = b;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* A line about all of them, and where the highest departs from the median; then the ranks, only the extremes if there are
 * many. */
static void rank_lines(struct summary_sheet *p) {
    enum { FEW = 4, EXTREMES = 3 };
    if (p->run->ranks.len < 2) return;
    struct rank_rows rows;
    struct rank_diff why;
    struct strbuf line = {0};
    rank_rows_make(p->run, p->o, &rows);
    size_t count = rows.rows.len, shown = 0;
    struct ranks_page page = {.run = p->run, .rows = &rows};
    bool odd = rows.odd && rows.rows.items[0].odd;
    if (odd) {
        rank_diff_make(p->run, p->o, rows.rows.items[rows.median].rank, rows.rows.items[0].rank, &why);
        page.why = &why;
    }
    ranks_line(&line, &page);
    if (line.len && (count > FEW || rows.odd)) {
        label(p, "ranks");
        term_text(p->out, p->term, strbuf_slice(&line), 0);
        strbuf_addz(p->out, ", DRAM peaks per bank\n");
    }
    strbuf_clear(&line);
    ranks_start_line(&line, &page);
    if (line.len) {
        label(p, "");
        term_text(p->out, p->term, strbuf_slice(&line), 0);
        strbuf_addc(p->out, '\n');
    }
    if (odd) rank_diff_release(&why);
    if (count && count <= FEW) qsort(rows.rows.items, count, sizeof *rows.rows.items, by_rank);
    for (size_t i = 0; i < count; i++) {
        if (count > FEW && i >= EXTREMES && i != rows.median && i + EXTREMES < rows.measured) continue;
        rank_line(p, &rows.rows.items[i]);
        shown++;
    }
    if (shown < count) {
        label(p, "");
        strbuf_addf(p->out, "%zu more: ttmem ranks lists all\n", count - shown);
    }
    strbuf_release(&line);
    rank_rows_release(&rows);
}

static void growth_lines(struct summary_sheet *p) {
    for (size_t i = 0; i < p->o->growth.len && i < GROWTH_SHOWN; i++) {
        const struct growth *row = &p->o->growth.items[i];
        const struct step *step = &p->run->steps.items[row->step];
        label(p, i ? "" : "growth");
        size_t start = p->out->len;
        summary_add_op(p, row->record, false);
        size_t used = p->out->len - start;
        strbuf_fill(p->out, ' ', used < 34 ? 34 - used : 1);
        strbuf_addf(p->out, "%10s MB%s%s  ", figure_change(row->delta, 3).text, row->kind ? " " : "",
                    change_kind_words[row->kind]);
        if (step->op != NONE) {
            const struct op *op = &p->run->ops.items[step->op];
            if (op->result_count) {
                const struct tensor_type *type =
                    &p->run->types.items[p->run->refs.items[op->first_ref + op->operand_count].type];
                term_text(p->out, p->term, type->shape, 32);
                strbuf_addc(p->out, ' ');
                term_text(p->out, p->term, type->dtype, 16);
            }
            add_place(p, step);
        }
        if (p->run->ranks.items[step->rank].name) add_rank(p, step->rank);
        strbuf_addc(p->out, '\n');
    }
}

static void add_signed_size(struct strbuf *out, int64_t bytes) {
    if (bytes < 0) strbuf_addc(out, '-');
    add_size(out, bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes);
}

/* What passes leave in DRAM, over all of them: "no growth" if the bounds include zero. */
static void pass_growth_line(struct summary_sheet *p) {
    const struct slope *slope = &p->o->dram_growth;
    if (!slope->known) return;
    label(p, "passes");
    if (!slope->rises) {
        strbuf_addf(p->out, "no growth of DRAM over %zu passes\n", slope->points);
        return;
    }
    strbuf_addz(p->out, "DRAM +");
    add_size(p->out, (uint64_t)slope->per_step);
    strbuf_addz(p->out, " per bank per pass (");
    add_size(p->out, slope->low > 0 ? (uint64_t)slope->low : 0);
    strbuf_addz(p->out, " to ");
    add_size(p->out, (uint64_t)slope->high);
    strbuf_addf(p->out, ", %zu passes", slope->points);
    if (slope->least > INT64_MIN && (slope->least < slope->low || slope->most > slope->high)) {
        strbuf_addz(p->out, "; with all possible sizes ");
        add_signed_size(p->out, slope->least);
        strbuf_addz(p->out, " to ");
        add_signed_size(p->out, slope->most);
    }
    strbuf_addz(p->out, ")\n");
}

/* "; 24 more like it, lines 22 to 90, 1 ended the run, 24 were caught" */
static void add_alike(struct summary_sheet *p, const struct failure_group *group) {
    if (group->count < 2) return;
    strbuf_addf(p->out, "; %s more like it", figure_grouped(group->count - 1).text);
    strbuf_addf(p->out, ", lines %s", figure_grouped(group->first_line).text);
    strbuf_addf(p->out, " to %s", figure_grouped(group->last_line).text);
    explain_outcomes(p->out, group->count, group->ended, group->caught);
}

static void failure_lines(struct summary_sheet *p) {
    failure_groups groups = {0};
    failure_groups_make(&p->o->failures, &groups);
    size_t shown = groups.len < FAILURES_SHOWN ? groups.len : FAILURES_SHOWN;
    for (size_t i = 0; i < shown; i++) {
        const struct explanation *e = explain_ranked(&p->o->failures, groups.items[i].first);
        struct strbuf text = {0};
        explain_headline(&text, e);
        static const char *const labels[] = {
            [OUTCOME_UNKNOWN] = "failure", [OUTCOME_ENDED] = "FAILED", [OUTCOME_CAUGHT] = "caught", [OUTCOME_TEST] = "FAILED"};
        term_tone(p->out, p->term, e->outcome.kind == OUTCOME_CAUGHT ? TONE_PLAIN : TONE_BAD);
        label(p, labels[e->outcome.kind]);
        term_tone(p->out, p->term, TONE_PLAIN);
        term_text(p->out, p->term, strbuf_slice(&text), 0);
        strbuf_addf(p->out, "  line %llu", (unsigned long long)e->line);
        if (e->context.rank.len) {
            strbuf_addz(p->out, ", rank ");
            term_text(p->out, p->term, e->context.rank, 24);
        }
        if (e->context.has_op) {
            strbuf_addz(p->out, ", in ");
            if (e->context.has_index) strbuf_addf(p->out, "#%llu ", (unsigned long long)e->context.op_index);
            term_text(p->out, p->term, e->context.op, 48);
        }
        if (e->outcome.kind == OUTCOME_UNKNOWN) strbuf_addz(p->out, "; whether it ended the run is not known");
        add_alike(p, &groups.items[i]);
        strbuf_addc(p->out, '\n');
        strbuf_release(&text);
    }
    if (shown < groups.len)
        strbuf_addf(p->out, "%*s... and %zu of other kinds; ttmem explain lists them\n", LABEL_COLUMNS, "", groups.len - shown);
    if (p->o->failures.left_out)
        strbuf_addf(p->out, "%*sand %s further messages: too many different ones to list\n", LABEL_COLUMNS, "",
                    figure_grouped(p->o->failures.left_out).text);
    vec_release(&groups);
    if (p->o->failures.failures.len) strbuf_addc(p->out, '\n');
}

/* What ended the run, if it is not about memory. */
static void other_fatal_line(struct summary_sheet *p) {
    uint16_t rank = 0;
    const struct failure_entry *fatal = run_other_fatal(p->run, &rank);
    if (!fatal) return;
    term_tone(p->out, p->term, TONE_BAD);
    label(p, "FAILED");
    term_tone(p->out, p->term, TONE_PLAIN);
    strbuf_addz(p->out, failure_may_be_memory(&fatal->failure) ? "maybe a memory failure: " : "not a memory failure: ");
    term_text(p->out, p->term, slice_from(fatal->failure.words), 100);
    strbuf_addf(p->out, "  line %llu", (unsigned long long)fatal->line);
    struct slice tag = run_string(p->run, p->run->ranks.items[rank].name);
    if (tag.len) {
        strbuf_addz(p->out, ", rank ");
        term_text(p->out, p->term, tag, 24);
    }
    strbuf_addz(p->out, "\n\n");
}

static void warning_lines(struct summary_sheet *p) {
    for (unsigned i = 0; i < WARN_COUNT; i++) {
        uint64_t n = p->run->warnings[i];
        if (!n) continue;
        label(p, "note");
        term_tone(p->out, p->term, TONE_DIM);
        add_count(p, n, warning_words((enum warning)i, 1), warning_words((enum warning)i, 2));
        if (p->run->first_warning_line[i])
            strbuf_addf(p->out, ", first at line %llu", (unsigned long long)p->run->first_warning_line[i]);
        if (p->run->first_warning_file[i]) {
            strbuf_addz(p->out, " of rank ");
            term_text(p->out, p->term, run_string(p->run, p->run->first_warning_file[i]), 40);
        }
        term_tone(p->out, p->term, TONE_PLAIN);
        strbuf_addc(p->out, '\n');
    }
}

/* Without op lines no tensor is known; the steps of the memory blocks show since when memory is held. */
static void holder_lines(struct summary_sheet *p) {
    enum { SHOWN = 5 };
    const struct holders *held = &p->o->holders;
    for (size_t i = 0; i < held->len && i < SHOWN; i++) {
        label(p, i ? "" : "held");
        strbuf_addf(p->out, "%9s MB per bank since ", figure_milli(held->items[i].milli, 3).text);
        char room[HOLDER_ROOM];
        strbuf_addz(p->out, holder_since(&held->items[i], room));
        if (held->items[i].record != NONE) summary_add_op(p, held->items[i].record, false);
        strbuf_addz(p->out, ", by difference\n");
    }
    if (held->len > SHOWN) {
        label(p, "");
        strbuf_addf(p->out, "... and %s more\n", figure_grouped(held->len - SHOWN).text);
    }
}

/* What passes leave behind, by op, and how long that can go on. */
static void leak_lines(struct summary_sheet *p) {
    struct leak_page page = {p->run, &p->o->leaks, GROWTH_SHOWN};
    struct strbuf line = {0};
    for (size_t i = 0; leaks_line(&line, p->term, &page, i); i++) {
        label(p, i ? "" : p->o->leaks.rows.items[0].suspect ? "left?" : "left");
        strbuf_add(p->out, strbuf_slice(&line));
        strbuf_addc(p->out, '\n');
        strbuf_clear(&line);
    }
    strbuf_release(&line);
}

/* What could be freed: late frees and duplicates. */
static void waste_lines(struct summary_sheet *p) {
    struct strbuf line = {0};
    const struct late_peak *late = &p->o->late;
    if (late->seen && late->bytes > late->without_bytes) {
        label(p, "late");
        strbuf_addf(p->out,
                    "the DRAM peak would be %s MB per bank lower if everything were freed at its last use; ttmem late\n",
                    figure_milli(num_bytes_to_milli_mb(late->bytes - late->without_bytes), 3).text);
    }
    if (duplicates_line(&line, p->term, p->run, &p->o->duplicates)) {
        label(p, "twice");
        strbuf_addf(p->out, "%s; ttmem duplicates\n", strbuf_text(&line));
    }
    strbuf_release(&line);
}

static void missing_lines(struct summary_sheet *p) {
    for (size_t i = 0; i < p->o->missing.len; i++) {
        strbuf_addz(p->out, "  ");
        term_tone(p->out, p->term, TONE_DIM);
        strbuf_addf(p->out, "Not in this %s: %s.\n    %s", run_origin_word(p->run->origin), p->o->missing.items[i].what,
                    p->o->missing.items[i].setting);
        term_tone(p->out, p->term, TONE_PLAIN);
        strbuf_addc(p->out, '\n');
    }
}

void summary_text(struct strbuf *out, const struct term *term, const struct run *run, const struct overview *o,
                  const struct summary_source *source) {
    struct summary_sheet p = {out, term, run, o, source};
    headline(&p);
    strbuf_addc(out, '\n');
    failure_lines(&p);
    other_fatal_line(&p);
    summary_killed_line(&p);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        pool_line(&p, (enum pool)pool);
        if (pool == POOL_L1) l1_parts_line(&p);
    }
    rank_lines(&p);
    summary_estimated_line(&p);
    padding_line(&p);
    computed_line(&p);
    holder_lines(&p);
    weights_line(&p);
    summary_host_line(&p);
    summary_kv_line(&p);
    summary_inspector_lines(&p);
    pass_growth_line(&p);
    leak_lines(&p);
    waste_lines(&p);
    if (o->growth.len) strbuf_addc(out, '\n');
    growth_lines(&p);
    strbuf_addc(out, '\n');
    warning_lines(&p);
    missing_lines(&p);
}
