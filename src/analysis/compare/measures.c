/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/measures.h"

#include <stdlib.h>

#include "analysis/compare/diff.h"
#include "analysis/compare/measures_counts.h"
#include "base/num.h"
#include "analysis/run/peaks.h"
#include "parse/failure/failure.h"

static const char no_blocks[] =
    "the run has no memory blocks of that pool; run with TT_RUNTIME_MEMORY_LOG_LEVEL=all and a build with TT_RUNTIME_DEBUG=ON";
static const char not_in_module[] =
    "the module puts no tensor there; what else may lie there (circular buffers, tables, traces) is in no module";
static const char no_free[] = "the memory blocks do not show the largest free block";
static const char no_tensors[] = "no op lines show what was alive at the peak; run with TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG";
static const char no_repetition[] = "no program ran twice with memory blocks, so nothing shows what a repetition leaves";
static const char no_frees[] =
    "the run does not record when tensors are freed: a log with op lines, in which a program ran twice, does";

static const char around_programs[] =
    "memory is known around programs only, and may have been worse in between; run with TT_RUNTIME_MEMORY_LOG_LEVEL=all";

static const char between_gaps[] =
    "ops have no memory block, or lines of the log are missing, and memory may have been worse there; run with "
    "TT_RUNTIME_MEMORY_LOG_LEVEL=all and keep all of the log";

static const char one_thread[] =
    "tt-metal from 2026-05-27 on counts only what the thread that opened the first device allocates, so more may be allocated";

static const char banks_unknown[] =
    "the number of banks that the buffers of this capture lie on is not known, so a bank may hold more; "
    "ttnn.graph.end_graph_capture_to_file(path) writes it";

static const char from_tensors[] =
    "the peak is known from the sizes of its tensors, and may have been higher; run with TT_RUNTIME_MEMORY_LOG_LEVEL=all";
static const char other_rank_bound[] =
    "the peak of another rank is a lower bound, and may have been higher; ttmem ranks shows them all";
static const char of_meshes[] =
    "several meshes own devices, and Inspector does not say which one a buffer is on: the peak is a sum over them";
static const char of_one_rank[] =
    "the history keeps only what the rank with the highest peak of this run holds; another may hold more: add the run again";
static const char rank_untold[] = "another rank does not show what is alive at its peak; ttmem ranks shows them all";
static const char from_failure[] = "the peak is what the failure message states, and may have been higher";

static const char cut_peak[] =
    "the log ends inside a program: it does not say whether the run went on, so memory may have been worse later";

static const char ran_out[] = "the run ran out of memory, so it needs more than was ever allocated; --no-failure judges that";

static const char partial[] =
    "the module is cut, lacks parts, or has tensors of unknown size: it needs more than is predicted; ttmem predict says which";
static const char one_rank[] = "fewer than two ranks have memory blocks, so there is no spread";
static const char spread_of_bounds[] =
    "the peak of a rank that is not the highest is a lower bound: how far apart the ranks are is not known; ttmem ranks shows "
    "them";

static const char sizes_bounded[] =
    "Inspector does not record the bytes per bank of some buffers: with the most that they can be, it is not certain";

static const char no_classes[] =
    "Inspector does not record which buffers are weights, inputs or results of const-eval: activations.dram has them all";

static const char no_shapes[] = "Inspector does not record the shapes of some buffers: their padding is not known";

static const char slope_and_sizes[] =
    "the bounds of the slope, with sizes of which Inspector records only bounds, lie on both sides of the limit";

static bool is_of_ranks(const struct footprint *f) { return f->rank_peaks.len > 1 && !f->only_rank; }

/* The bounds if those of sizes are known; INT64_MIN, INT64_MAX: not known. */
static void set_range(const struct footprint_pool *at, int64_t low, int64_t high, struct measure_value *out) {
    if (!at->bounded && !at->of_meshes) return;
    out->at_most = low < out->value && high == out->value && !at->of_meshes;
    out->range = at->of_meshes ? of_meshes : sizes_bounded;
    out->low = at->of_meshes ? INT64_MIN : low;
    out->high = at->of_meshes ? INT64_MAX : high;
}

static bool knows_bounds(const struct footprint_pool *at) { return at->most_peak > 0; }

static int64_t most_peak(const struct footprint_pool *at) {
    return knows_bounds(at) && at->most_peak < INT64_MAX ? (int64_t)at->most_peak : INT64_MAX;
}

static const struct footprint_pool *seen_pool(const struct footprint *f, unsigned pool, struct measure_value *out) {
    if (f->pools[pool].seen) {
        if (pool == POOL_L1 && !f->has_l1_program) out->caveat = peak_without_circular;
        out->whole = footprint_total_bytes(&f->pools[pool]);
        const struct footprint_failure *first;
        /* after a caught failure the run continued without the request */
        out->bound = footprint_failures(f, &first) ? ran_out
                     : f->partial                  ? partial
                     : f->pools[pool].of_meshes    ? of_meshes
                     : f->pools[pool].unread       ? measure_unread
                     : f->pools[pool].unspread     ? banks_unknown
                     : f->pools[pool].of_thread    ? one_thread
                     : f->pools[pool].gaps         ? between_gaps
                     : f->pools[pool].sparse       ? around_programs
                     : f->ends_early               ? cut_peak
                                                   : NULL;
        return &f->pools[pool];
    }
    out->why = f->partial ? partial : footprint_is_predicted(f) ? not_in_module : no_blocks;
    return NULL;
}

static const char *bound_of_source(const struct footprint_pool *at, unsigned source) {
    static const char *const bounds[PEAK_SOURCES] = {around_programs, from_tensors, from_failure};
    return source == PEAK_MEASURED && at->gaps    ? between_gaps
           : source == PEAK_MEASURED && at->early ? cut_peak
                                                  : bounds[source];
}

/* The source of a peak, and why it may have been higher. */
static void set_source(struct measure_value *out, unsigned source, bool at_least, const struct footprint_pool *at) {
    static const char *const words[PEAK_SOURCES] = {"memory is not measured at every op", "from the sizes of its tensors",
                                                    "allocated, as the failure message states"};
    out->source = peak_source_names[source];
    out->at_least = at_least;
    out->how_known = !at_least                                  ? NULL
                     : source == PEAK_MEASURED && at->of_meshes ? "a sum over several meshes"
                     : source == PEAK_MEASURED && at->unread    ? "parts of the input could not be read"
                     : source == PEAK_MEASURED && at->unspread  ? "the number of banks that buffers lie on is not known"
                     : source == PEAK_MEASURED && at->of_thread ? "tt-metal from 2026-05-27 on counts only one thread"
                     : source == PEAK_MEASURED && at->bounded   ? "sizes of some buffers are bounds"
                     : source == PEAK_MEASURED && at->early     ? early_end_words(at->early)
                                                                : words[source];
    if (source != PEAK_MEASURED || (at_least && !at->bounded && !out->bound)) out->bound = bound_of_source(at, source);
    if (!at_least && at->any_bound && !out->bound) out->bound = other_rank_bound;
}

static void read_peak(const struct footprint *f, unsigned pool, struct measure_value *out) {
    const struct footprint_pool *at = seen_pool(f, pool, out);
    if (!at) return;
    out->known = true;
    out->value = at->peak_bytes ? (int64_t)at->peak_bytes : num_milli_mb_to_bytes(at->peak);
    set_source(out, at->source, footprint_peak_at_least(at), at);
    if (f->unread[0] && out->at_least && at->source == PEAK_MEASURED) out->how_known = f->unread;
    out->op = at->after_op;
    if (is_of_ranks(f)) out->rank = at->rank;
    set_range(at, out->value, most_peak(at), out);
    out->need = (int64_t)at->need;
    out->need_op = at->need_op;
    out->need_whole = num_milli_mb_to_bytes(at->need_total);
}

/* What is known at the peak alone may have been worse if the peak is a bound. */
static void set_unmeasured(const struct footprint_pool *at, struct measure_value *out) {
    if (!out->bound && at->source != PEAK_MEASURED) out->bound = bound_of_source(at, at->source);
    if (!out->bound && !at->bounded && footprint_peak_at_least(at)) out->bound = bound_of_source(at, at->source);
    if (!out->bound && at->any_bound && !at->bounded) out->bound = other_rank_bound;
}

static void read_largest_free(const struct footprint *f, unsigned pool, struct measure_value *out) {
    const struct footprint_pool *at = seen_pool(f, pool, out);
    if (at && !at->free_seen) out->why = no_free;
    if (!at || !at->free_seen) return;
    out->known = true;
    out->value = num_milli_mb_to_bytes(at->largest_free) + at->largest_free_rest;
    set_range(at, knows_bounds(at) ? out->value - (int64_t)at->most_slack : INT64_MIN, out->value, out);
    set_unmeasured(at, out);
    out->op = at->largest_free_op;
    if (is_of_ranks(f)) out->rank = at->free_rank;
}

static void read_gap(const struct footprint *f, unsigned pool, struct measure_value *out) {
    const struct footprint_pool *at = seen_pool(f, pool, out);
    if (at && !at->free_seen) out->why = no_free;
    if (!at || !at->free_seen) return;
    out->known = true;
    out->value = num_milli_mb_to_bytes(at->gap) + at->gap_rest;
    /* smaller holes are less outside the largest one */
    set_range(at, knows_bounds(at) ? (int64_t)at->least_gap : INT64_MIN, out->value, out);
    if (at->unspread) out->range = banks_unknown, out->low = INT64_MIN, out->high = out->value;
    set_unmeasured(at, out);
    out->op = at->gap_op;
    if (is_of_ranks(f)) out->rank = at->gap_rank;
}

static bool is_worse(const struct footprint_rank_figure *a, const struct footprint_rank_figure *b, bool by_share) {
    if (!by_share || !a->whole || !b->whole) return a->value > b->value;
    return (__int128)a->value * b->whole > (__int128)b->value * a->whole;
}

/* The rank that has most of it, of equal ones the first; false if no rank has it, as in older histories. */
static bool read_worst_rank(const struct footprint *f, enum footprint_figure figure, unsigned pool, bool by_share,
                            struct measure_value *out) {
    const struct footprint_rank *worst = NULL;
    bool untold = false;
    for (size_t i = 0; i < f->rank_peaks.len; i++) {
        const struct footprint_rank *rank = &f->rank_peaks.items[i];
        untold |= rank->seen >> pool & 1 && !rank->figures[figure].known;
        if (rank->figures[figure].known && (!worst || is_worse(&rank->figures[figure], &worst->figures[figure], by_share)))
            worst = rank;
    }
    if (!worst) return false;
    out->known = true;
    out->value = worst->figures[figure].value;
    out->whole = worst->figures[figure].whole;
    out->rank = worst->rank;
    if (untold && !out->bound) out->bound = rank_untold;
    if (worst->figures[figure].tensor >= f->rank_tensors.len) return true;
    out->tensor = &f->rank_tensors.items[worst->figures[figure].tensor];
    out->op = out->tensor->op;
    return true;
}

/* All banks: what the tensors alive at the peak take beyond their logical size. */
static void read_padding_of(const struct footprint *f, unsigned pool, bool by_share, struct measure_value *out) {
    uint64_t most = 0;
    const struct footprint_pool *at = seen_pool(f, pool, out);
    if (!at) return;
    out->whole = 0;
    out->why = no_tensors;
    out->at_peak = true;
    set_unmeasured(at, out);
    if (is_of_ranks(f)) {
        enum footprint_figure figure = pool == POOL_DRAM ? FIGURE_PADDING_DRAM : FIGURE_PADDING_L1;
        if (read_worst_rank(f, figure, pool, by_share, out)) return;
        if (!out->bound) out->bound = of_one_rank;
    }
    for (uint32_t i = 0; i < f->tensors.len; i++) {
        const struct footprint_tensor *t = &f->tensors.items[i];
        if (t->pool != pool || t->type >= f->types.len) continue;
        const struct footprint_type *type = &f->types.items[t->type];
        uint64_t over = footprint_padding(type);
        out->known = true;
        out->value += (int64_t)over;
        out->whole += (int64_t)type->logical_bytes;
        if (over <= most) continue;
        most = over;
        out->tensor = t;
        out->op = t->op;
    }
}

/* Is anything in the pool known to have elements? */
static bool has_padding(const struct footprint *f, unsigned pool) {
    for (size_t i = 0; i < f->tensors.len; i++) {
        const struct footprint_tensor *t = &f->tensors.items[i];
        if (t->pool == pool && t->type < f->types.len && f->types.items[t->type].logical_bytes) return true;
    }
    return false;
}

/* Without shapes, what is known is a part of it. */
static void set_shapeless(const struct footprint *f, unsigned pool, struct measure_value *out) {
    if (!out->known || !f->pools[pool].shapeless) return;
    if (!has_padding(f, pool)) out->known = false, out->why = no_shapes;
    out->range = no_shapes;
    out->low = out->value;
    out->high = INT64_MAX;
}

static void read_padding(const struct footprint *f, unsigned pool, struct measure_value *out) {
    read_padding_of(f, pool, false, out);
    set_shapeless(f, pool, out);
}

/* Per bank: what one class of tensors takes at the DRAM peak. */
static void read_class_of(const struct footprint *f, enum footprint_figure figure, bool by_share, struct measure_value *out) {
    static const uint8_t classes[FIGURE_COUNT] = {[FIGURE_WEIGHT] = LIVE_WEIGHT,
                                                  [FIGURE_CONST_EVAL] = LIVE_CONST_EVAL,
                                                  [FIGURE_ACTIVATION] = LIVE_ACTIVATION,
                                                  [FIGURE_INPUT] = LIVE_INPUT};
    uint64_t most = 0;
    const struct footprint_pool *at = seen_pool(f, POOL_DRAM, out);
    if (!at) return;
    if (at->no_classes && figure != FIGURE_ACTIVATION) {
        out->why = no_classes;
        return;
    }
    out->why = no_tensors;
    out->at_peak = true;
    set_unmeasured(at, out);
    if (is_of_ranks(f)) {
        if (read_worst_rank(f, figure, POOL_DRAM, by_share, out)) return;
        if (!out->bound) out->bound = of_one_rank;
    }
    out->known = f->tensors.len > 0;
    for (uint32_t i = 0; i < f->tensors.len; i++) {
        const struct footprint_tensor *t = &f->tensors.items[i];
        if (t->pool != POOL_DRAM || t->class != classes[figure] || t->type >= f->types.len) continue;
        uint64_t bytes = f->types.items[t->type].per_bank_bytes;
        out->value += (int64_t)bytes;
        if (bytes <= most) continue;
        most = bytes;
        out->tensor = t;
        out->op = t->op;
    }
}

/* Sizes are bounds only where no classes are recorded: then everything counts as activations, at the peak at least what is
 * shown and at most what the peak can be. */
static void set_class_range(const struct footprint *f, struct measure_value *out) {
    const struct footprint_pool *at = &f->pools[POOL_DRAM];
    if (!out->known) return;
    set_range(at, out->value, most_peak(at), out);
    out->at_least = out->range && footprint_peak_at_least(at);
}

static void read_class(const struct footprint *f, unsigned figure, struct measure_value *out) {
    read_class_of(f, (enum footprint_figure)figure, false, out);
    set_class_range(f, out);
}

static int by_peak(const void *a, const void *b) {
    const struct footprint_rank *x = *(const struct footprint_rank *const *)a, *y = *(const struct footprint_rank *const *)b;
    if (x->peak[POOL_DRAM] != y->peak[POOL_DRAM]) return x->peak[POOL_DRAM] < y->peak[POOL_DRAM] ? -1 : 1;
    int bound = (x->bound >> POOL_DRAM & 1) - (y->bound >> POOL_DRAM & 1); /* of two equal ones, the one that may be higher */
    return bound ? bound : x->rank > y->rank ? -1 : x->rank < y->rank;     /* the first of equal ones is the highest */
}

/* Highest minus lowest DRAM peak of the ranks; % of the median (see analysis/compare/ranks.h). */
static void read_spread(const struct footprint *f, unsigned pool, struct measure_value *out) {
    const struct footprint_rank **ranks = mem_alloc((f->rank_peaks.len + 1) * sizeof *ranks);
    size_t count = 0;
    for (size_t i = 0; i < f->rank_peaks.len; i++)
        if (f->rank_peaks.items[i].seen & 1u << pool) ranks[count++] = &f->rank_peaks.items[i];
    out->why = one_rank;
    if (count > 1) {
        qsort(ranks, count, sizeof *ranks, by_peak);
        out->known = true;
        out->value = num_milli_mb_to_bytes((int64_t)ranks[count - 1]->peak[pool] - ranks[0]->peak[pool]);
        out->whole = num_milli_mb_to_bytes(ranks[(count - 1) / 2]->peak[pool]);
        out->op = ranks[count - 1]->after_op;
        out->rank = ranks[count - 1]->rank;
        bool lower_bounds = false;
        for (size_t i = 0; i + 1 < count; i++) lower_bounds |= ranks[i]->bound >> pool & 1;
        struct measure_value peak = {0};
        seen_pool(f, pool, &peak);
        out->bound = peak.bound;
        if (!out->bound && (ranks[count - 1]->bound >> pool & 1 || f->pools[pool].any_bound)) out->bound = other_rank_bound;
        if (lower_bounds) out->known = false, out->why = spread_of_bounds;
    }
    free(ranks);
}

static void read_growth(const struct footprint *f, unsigned unused, struct measure_value *out) {
    (void)unused;
    out->why = no_repetition;
    int64_t least = 0, most = 0;
    bool sloped = false;
    for (uint32_t i = 0; i < f->programs.len; i++) {
        const struct footprint_program *program = &f->programs.items[i];
        int64_t bytes;
        if (!footprint_growth_bytes(program, &bytes)) continue;
        /* the highest over all programs lies between the highest of their lower bounds and the highest of their upper bounds */
        bool bounded = f->pools[POOL_DRAM].bounded;
        int64_t low = program->slope.known ? program->slope.least
                      : bounded            ? INT64_MIN
                                           : bytes,
                high = program->slope.known ? program->slope.most
                       : bounded            ? INT64_MAX
                                            : bytes;
        if (!out->known || low > least) least = low;
        if (!out->known || high > most) most = high;
        sloped |= program->slope.known;
        bool same = out->known && bytes == out->value && program->rank < f->programs.items[out->program].rank;
        if (out->known && bytes <= out->value && !same) continue;
        out->known = true;
        out->value = bytes;
        out->program = i;
        out->rank = is_of_ranks(f) ? program->rank : NONE;
    }
    if (sloped) measure_set_slope(out, least, most);
    if (out->known && f->pools[POOL_DRAM].bounded) {
        out->range = sloped ? slope_and_sizes : sizes_bounded;
        out->low = f->has_kept_growth ? INT64_MIN : least;
        out->high = f->has_kept_growth ? INT64_MAX : most;
    }
    if (f->has_kept_growth) {
        out->known = true;
        out->value = f->kept_growth_bytes;
    }
    out->whole = f->pools[POOL_DRAM].seen ? footprint_total_bytes(&f->pools[POOL_DRAM]) : 0;
    if (out->known && out->value > 0 && f->leaks.len) out->leak = 0;
}

static void read_never_freed(const struct footprint *f, unsigned unused, struct measure_value *out) {
    (void)unused;
    out->why = no_frees;
    out->known = f->has_leaks;
    bool told = is_of_ranks(f) && out->known && read_worst_rank(f, FIGURE_NEVER_FREED, POOL_DRAM, false, out);
    if (is_of_ranks(f) && out->known && !told) out->bound = of_one_rank;
    for (size_t i = 0; !told && i < f->leaks.len; i++) out->value += (int64_t)f->leaks.items[i].per_bank_bytes;
    if (f->leaks.len) out->leak = 0;
}

#define POOL_MEASURES(prefix, pool)                                                                                     \
    {prefix ".peak", "highest allocated, per bank", false, false, pool, read_peak},                                     \
        {prefix ".largest_free", "smallest that the largest free block ever was, per bank", false, true, pool,          \
         read_largest_free},                                                                                            \
    {                                                                                                                   \
        prefix ".free_gap", "most that was free outside the largest free block, per bank", false, false, pool, read_gap \
    }

const struct measure measure_table[] = {
    POOL_MEASURES("dram", POOL_DRAM),
    POOL_MEASURES("l1", POOL_L1),
    POOL_MEASURES("l1_small", POOL_L1_SMALL),
    POOL_MEASURES("trace", POOL_TRACE),
    {"l1.cb", "circular buffers, dataflow buffers and scratchpads of one op, on the fullest core", false, false, 0,
     measure_program},
    {"dram.spread", "highest minus lowest DRAM peak of the ranks, per bank; % of the median peak", false, false, POOL_DRAM,
     read_spread},
    {"padding.dram", "padding of what is alive at the DRAM peak, all banks; % of its size without padding", false, false,
     POOL_DRAM, read_padding},
    {"padding.l1", "the same at the L1 peak", false, false, POOL_L1, read_padding},
    {"weights.dram", "weights alive at the DRAM peak, per bank", false, false, FIGURE_WEIGHT, read_class},
    {"const_eval.dram", "const-eval results alive at the DRAM peak, per bank", false, false, FIGURE_CONST_EVAL, read_class},
    {"activations.dram", "activations alive at the DRAM peak, per bank", false, false, FIGURE_ACTIVATION, read_class},
    {"inputs.dram", "inputs alive at the DRAM peak, per bank", false, false, FIGURE_INPUT, read_class},
    {"growth_per_pass", "DRAM that stays after each repetition of a program, per bank", false, false, 0, read_growth},
    {"never_freed", "results that no deallocate frees, of programs whose passes leave memory behind, per bank", false, false, 0,
     read_never_freed},
    {"ops", "ops that ran", true, false, 0, measure_ops},
    {"program_runs", "runs of programs, const-evals and other nested ones among them", true, false, MEASURE_RUNS_ALL,
     measure_runs},
    {"main_runs", "runs of programs that a submit started", true, false, MEASURE_RUNS_MAIN, measure_runs},
    {"failures", "memory failures that ended the run", true, false, MEASURE_FAILURES_ENDED, measure_failures},
    {"failures_caught", "memory failures that were caught", true, false, MEASURE_FAILURES_CAUGHT, measure_failures},
    {"failures_any", "memory failures, however they ended", true, false, MEASURE_FAILURES_ANY, measure_failures},
    {"host.peak", "highest resident memory of the largest process on the host", false, false, FOOTPRINT_HOST_PEAK,
     measure_host},
    {"host.end", "the same for the processes alive when the last op was printed", false, false, FOOTPRINT_HOST_END,
     measure_host},
    {"host.growth_per_pass", "host memory that stays after each pass, robust slope; 0 where its bounds include 0", false, false,
     FOOTPRINT_HOST_GROWTH, measure_host},
    {"host.hugepages", "most huge pages in use on the machine while it ran", false, false, FOOTPRINT_HOST_HUGEPAGES,
     measure_host},
    {0},
};
const size_t measure_count = sizeof measure_table / sizeof *measure_table - 1;

const struct measure *measure_find(struct slice name) {
    for (const struct measure *m = measure_table; m->name; m++)
        if (slice_equal(name, slice_from(m->name))) return m;
    return NULL;
}

const char *measure_unit(const struct measure *measure) {
    if (measure->is_count) return "";
    return measure->read == read_padding || measure->read == measure_host ? "_bytes" : "_bytes_per_bank";
}

bool measure_is_total(const struct measure *measure) { return measure->read == read_padding; }

static const struct measure_value nothing_read = {.op = NONE, .program = NONE, .leak = NONE, .rank = NONE};

struct measure_value measure_read(const struct measure *measure, const struct footprint *f) {
    struct measure_value value = nothing_read;
    measure->read(f, measure->arg, &value);
    if (!value.known) value.value = 0;
    else value.why = NULL;
    if (value.known && f->unread[0]) value.bound = f->unread;
    return value;
}

struct measure_range measure_range(const struct measure *measure, const struct measure_value *v) {
    struct measure_range r = {v->range ? v->low : v->value, v->range ? v->high : v->value};
    if (v->bound && measure->low_is_bad) r.low = INT64_MIN;
    if (v->bound && !measure->low_is_bad) r.high = INT64_MAX;
    return r;
}

static bool sizes_differ(const struct footprint *f, unsigned pool) {
    uint32_t total = f->pools[pool].total;
    for (size_t i = 0; i < f->rank_peaks.len; i++)
        if (f->rank_peaks.items[i].seen >> pool & 1 && f->rank_peaks.items[i].total[pool] != total) return true;
    return false;
}

/* Free memory as a share: of each rank's own bank, the worst of them. */
static struct measure_value free_share(struct measure_value value, const struct footprint *f, unsigned pool,
                                       const struct footprint_share *share) {
    if (!share->seen) {
        value.known = !sizes_differ(f, pool);
        if (!value.known) value.why = "the banks of the ranks differ, and the history does not keep the free memory of each";
        return value;
    }
    value.value = num_milli_mb_to_bytes(share->peak);
    value.whole = num_milli_mb_to_bytes(share->total);
    value.op = share->op;
    value.of_share = sizes_differ(f, pool);
    value.high = value.value;
    if (value.of_share) value.low = INT64_MIN; /* the bounds are those of another bank */
    if (is_of_ranks(f)) value.rank = share->rank;
    return value;
}

struct measure_value measure_read_share(const struct measure *measure, const struct footprint *f) {
    struct measure_value value = measure_read(measure, f);
    if (value.known && is_of_ranks(f) && (measure->read == read_padding || measure->read == read_class)) {
        value = nothing_read;
        if (measure->read == read_padding) {
            read_padding_of(f, measure->arg, true, &value);
            set_shapeless(f, measure->arg, &value);
        } else {
            read_class_of(f, (enum footprint_figure)measure->arg, true, &value);
            set_class_range(f, &value);
        }
        if (value.known && f->unread[0]) value.bound = f->unread;
        if (value.range == no_shapes) value.low = INT64_MIN;
        return value;
    }
    if (value.range == no_shapes) value.low = INT64_MIN; /* what it is a share of is larger, too */
    if (value.known && measure->read == read_largest_free)
        return free_share(value, f, measure->arg, &f->pools[measure->arg].free_share);
    if (value.known && measure->read == read_gap) return free_share(value, f, measure->arg, &f->pools[measure->arg].gap_share);
    if (!value.known || measure->read != read_peak || !f->pools[measure->arg].tightest.seen) return value;
    const struct footprint_pool *at = &f->pools[measure->arg];
    value.value = num_milli_mb_to_bytes(at->tightest.peak);
    value.whole = num_milli_mb_to_bytes(at->tightest.total);
    value.op = at->tightest.op;
    value.rank = at->tightest.rank;
    value.of_share = true;
    value.low = value.value;
    value.high = INT64_MAX; /* the bounds are those of another bank */
    set_source(&value, at->tightest.source, at->tightest.at_least, at);
    return value;
}
