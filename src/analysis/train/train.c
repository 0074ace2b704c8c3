/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/train/train.h"

#include "base/table/map.h"
#include "base/num.h"
#include "base/strbuf.h"

static const struct slice role_names[TRAIN_ROLES] = {
    [TRAIN_MODEL] = SLICE("MODEL_CREATION"),
    [TRAIN_OPTIMIZER] = SLICE("OPTIMIZER_CREATION"),
    [TRAIN_FORWARD] = SLICE("FORWARD_PASS"),
    [TRAIN_BACKWARD] = SLICE("BACKWARD_PASS"),
};

/* Stays far from the ends of the type, so that differences of results fit. */
static int64_t add(int64_t a, int64_t b) {
    static const int64_t most = 1000000000000000000;
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum)) sum = a < 0 ? -most : most;
    return sum > most ? most : sum < -most ? -most : sum;
}

int64_t train_percent(int64_t part, int64_t whole) {
    if (whole <= 0) return 0;
    __int128 twice = (__int128)part * 20000; /* hundredths of a percent, doubled */
    __int128 rounded = (twice + (part < 0 ? -whole : whole)) / ((__int128)whole * 2);
    return rounded > INT64_MAX / 10    ? INT64_MAX / 10 * 10
           : rounded < -INT64_MAX / 10 ? -(INT64_MAX / 10 * 10)
                                       : (int64_t)rounded * 10;
}

static struct slice without_digits(struct slice s, size_t *digits) {
    size_t len = s.len;
    while (len && s.ptr[len - 1] >= '0' && s.ptr[len - 1] <= '9') len--;
    *digits = s.len - len;
    return slice_take(s, len);
}

struct slice train_fold_name(struct slice name) {
    enum { SEQUENCE_DIGITS = 6 }; /* memory_snapshot writes __%06d */
    for (;;) {
        size_t digits;
        struct slice head = without_digits(name, &digits);
        bool micro = digits && slice_ends(head, SLICE("_micro_")),
             sequence = digits >= SEQUENCE_DIGITS && slice_ends(head, SLICE("__"));
        if (!micro && !sequence) return name;
        struct slice shorter = slice_take(head, head.len - (micro ? strlen("_micro_") : strlen("__")));
        if (!shorter.len) return name;
        name = shorter;
    }
}

static enum train_role role_of(struct slice name) {
    for (enum train_role r = 0; r < TRAIN_ROLES; r++)
        if (slice_equal(name, role_names[r])) return r;
    return TRAIN_NO_ROLE;
}

static bool change_of(const struct train_phase *phase, int64_t *change) {
    if (train_has(phase, TRAIN_CHANGE)) *change = phase->mb[TRAIN_CHANGE];
    else if (train_has(phase, TRAIN_ALLOCATIONS) && train_has(phase, TRAIN_DEALLOCATIONS))
        *change = phase->mb[TRAIN_ALLOCATIONS] - phase->mb[TRAIN_DEALLOCATIONS];
    else return false;
    return true;
}

/* Memory in use when each phase starts: what the previous phase printed, else what its own figures or the sum so far give. */
static void find_starts(struct train_result *r, struct arena *arena) {
    const struct train_summary *s = r->summary;
    r->before = arena_zalloc(arena, (s->phases.len + 1) * sizeof *r->before);
    for (size_t i = 0; i < s->phases.len; i++) {
        const struct train_phase *phase = &s->phases.items[i];
        int64_t change = 0;
        bool known = change_of(phase, &change);
        if (i == 0 && !s->has_head && known && train_has(phase, TRAIN_CUMULATIVE_CURRENT))
            r->before[0] = phase->mb[TRAIN_CUMULATIVE_CURRENT] - change;
        bool printed = train_has(phase, TRAIN_CUMULATIVE_CURRENT);
        r->before[i + 1] = printed ? phase->mb[TRAIN_CUMULATIVE_CURRENT] : add(r->before[i], change);
    }
}

static int64_t reach(const struct train_result *r, size_t i) {
    const struct train_phase *phase = &r->summary->phases.items[i];
    return add(r->before[i], train_has(phase, TRAIN_SEGMENT_PEAK) ? phase->mb[TRAIN_SEGMENT_PEAK] : 0);
}

static void fold_phases(struct train_result *r, struct arena *arena) {
    const struct train_summary *s = r->summary;
    struct map by_name = {0};
    r->fold_of = arena_alloc(arena, (s->phases.len + 1) * sizeof *r->fold_of);
    for (size_t i = 0; i < s->phases.len; i++) {
        const struct train_phase *phase = &s->phases.items[i];
        struct slice name = train_fold_name(phase->name);
        bool added;
        uint32_t *place = map_at(&by_name, hash_bytes(name), &added);
        if (added) {
            *place = (uint32_t)r->folds.len;
            vec_push(&r->folds, ((struct train_fold){.name = name, .role = role_of(name), .first = i, .worst = i}));
        }
        struct train_fold *fold = &r->folds.items[*place];
        r->fold_of[i] = *place;
        fold->count++;
        fold->last = i;
        if (reach(r, i) > reach(r, fold->worst)) fold->worst = i;
        int64_t change;
        if (change_of(phase, &change)) {
            fold->change = add(fold->change, change);
            fold->known |= 1u << TRAIN_CHANGE;
        }
        fold->allocations = add(fold->allocations, phase->mb[TRAIN_ALLOCATIONS]);
        fold->deallocations = add(fold->deallocations, phase->mb[TRAIN_DEALLOCATIONS]);
        fold->known |= phase->known & (1u << TRAIN_ALLOCATIONS | 1u << TRAIN_DEALLOCATIONS);
    }
    map_release(&by_name);
}

static const struct train_fold *fold_for(const struct train_result *r, enum train_role role) {
    for (size_t i = 0; i < r->folds.len; i++)
        if (r->folds.items[i].role == role) return &r->folds.items[i];
    return NULL;
}

/* The expectation is rounded to 0.01 MB, as summaries are, so that the difference is that of the two figures shown. */
static void compare_size(struct train_size *size, bool has_expected, uint64_t bytes) {
    size->has_expected = has_expected;
    size->expected = has_expected ? (num_bytes_to_milli_mb(bytes) + 5) / 10 * 10 : 0;
    size->has_difference = size->has_actual && has_expected && size->expected;
    if (size->has_difference) size->difference_pct = train_percent(add(size->actual, -size->expected), size->expected);
}

/* Theory, in bf16: two bytes per parameter; AdamW keeps two moments per parameter; gradients have the model's type. */
static void measure_sizes(struct train_result *r, const struct train_options *o) {
    const struct train_summary *s = r->summary;
    const struct train_fold *model = fold_for(r, TRAIN_MODEL), *optimizer = fold_for(r, TRAIN_OPTIMIZER);
    const struct train_fold *backward = fold_for(r, TRAIN_BACKWARD);
    uint64_t model_bytes = o->model_bytes, optimizer_bytes = o->optimizer_bytes;
    bool has_model = o->has_model || (s->parameters.known && num_mul((uint64_t)s->parameters.value, 2, &model_bytes));
    bool has_optimizer = o->has_optimizer || (has_model && num_mul(model_bytes, 2, &optimizer_bytes));
    if (model && model->known >> TRAIN_CHANGE & 1) r->model = (struct train_size){.has_actual = true, .actual = model->change};
    if (optimizer && optimizer->known >> TRAIN_CHANGE & 1)
        r->optimizer = (struct train_size){.has_actual = true, .actual = optimizer->change};
    if (backward && optimizer) {
        const struct train_phase *end = &s->phases.items[backward->last], *start = &s->phases.items[optimizer->last];
        if (train_has(end, TRAIN_CUMULATIVE_CURRENT) && train_has(start, TRAIN_CUMULATIVE_CURRENT))
            r->gradients = (struct train_size){
                .has_actual = true, .actual = end->mb[TRAIN_CUMULATIVE_CURRENT] - start->mb[TRAIN_CUMULATIVE_CURRENT]};
    }
    r->model.expected_given = o->has_model;
    r->optimizer.expected_given = o->has_optimizer;
    r->gradients.expected_given = o->has_gradients;
    compare_size(&r->model, has_model, model_bytes);
    compare_size(&r->optimizer, has_optimizer, optimizer_bytes);
    compare_size(&r->gradients, o->has_gradients || has_model, o->has_gradients ? o->gradients_bytes : model_bytes);
}

static bool tells_height(const struct train_phase *phase) {
    return train_has(phase, TRAIN_CUMULATIVE_PEAK) || train_has(phase, TRAIN_SEGMENT_PEAK) ||
           train_has(phase, TRAIN_CUMULATIVE_CURRENT);
}

static void find_peak(struct train_result *r) {
    const struct train_summary *s = r->summary;
    r->has_peak = s->overall_peak.known;
    r->peak = s->overall_peak.value;
    r->peak_is_lower_bound = !s->overall_peak.known;
    for (size_t i = 0; !s->overall_peak.known && i < s->phases.len; i++) {
        const struct train_phase *phase = &s->phases.items[i];
        if (!tells_height(phase)) continue;
        int64_t high = train_has(phase, TRAIN_CUMULATIVE_PEAK) ? phase->mb[TRAIN_CUMULATIVE_PEAK] : reach(r, i);
        if (!r->has_peak || high > r->peak) r->peak = high;
        r->has_peak = true;
    }
    size_t highest = 0;
    for (size_t i = 0; i < s->phases.len; i++) {
        const struct train_phase *phase = &s->phases.items[i];
        if (train_has(phase, TRAIN_CUMULATIVE_PEAK) && phase->mb[TRAIN_CUMULATIVE_PEAK] >= r->peak) {
            r->peak_phase = i;
            r->has_peak_phase = true;
            return;
        }
        if (reach(r, i) > reach(r, highest)) highest = i;
    }
    r->has_peak_phase = r->has_peak && s->phases.len > 0;
    r->peak_phase = highest;
}

/* Activations and gradients overhead of the training step at the peak: the forward pass at or before the phase that sets the
 * peak (else the first one), and the backward pass that follows it. With one forward and one backward pass: those. */
static void find_step(struct train_result *r) {
    const struct train_summary *s = r->summary;
    size_t forward = SIZE_MAX, backward = SIZE_MAX;
    for (size_t i = 0; i < s->phases.len; i++) {
        enum train_role role = r->folds.items[r->fold_of[i]].role;
        if (role == TRAIN_FORWARD && (forward == SIZE_MAX || (r->has_peak_phase && i <= r->peak_phase)))
            forward = i, backward = SIZE_MAX;
        if (role == TRAIN_BACKWARD && backward == SIZE_MAX) backward = i;
    }
    int64_t change;
    if (forward != SIZE_MAX && change_of(&s->phases.items[forward], &change)) {
        r->has_activations = true;
        r->activations = change;
    }
    if (backward != SIZE_MAX && train_has(&s->phases.items[backward], TRAIN_SEGMENT_PEAK)) {
        r->has_overhead = true;
        r->overhead = s->phases.items[backward].mb[TRAIN_SEGMENT_PEAK];
    }
}

static int64_t at_least_zero(int64_t n) { return n > 0 ? n : 0; }

static int64_t held(const struct train_size *size, bool measured) {
    return at_least_zero(measured || !size->has_expected ? size->actual : size->expected);
}

static void break_down(struct train_result *r, const struct train_options *o) {
    r->parts_measured = o->use_actual_sizes || !r->model.has_expected;
    r->parts[PART_MODEL] = held(&r->model, r->parts_measured);
    r->parts[PART_OPTIMIZER] = held(&r->optimizer, r->parts_measured);
    r->parts[PART_ACTIVATIONS] = at_least_zero(r->activations);
    r->parts[PART_GRADIENTS_OVERHEAD] = at_least_zero(r->overhead);
    int64_t rest = r->peak;
    for (enum train_part part = PART_OTHER + 1; part < TRAIN_PARTS; part++) rest = add(rest, -r->parts[part]);
    r->parts[PART_OTHER] = at_least_zero(rest);
    r->parts_excess = r->has_peak ? at_least_zero(-rest) : 0;
}

static void check(struct train_result *r, uint64_t line, struct slice phase, const char *what, int64_t printed,
                  int64_t recomputed) {
    int64_t difference = add(printed, -recomputed);
    if (difference <= TRAIN_TOLERANCE && difference >= -TRAIN_TOLERANCE) return;
    vec_push(&r->disagreements, ((struct train_disagreement){line, phase, what, printed, recomputed}));
}

/* Each figure is recomputed from the figures printed before it, so one wrong figure is reported once and not carried on. */
static void check_figures(struct train_result *r) {
    const struct train_summary *s = r->summary;
    bool has_current = s->has_head, has_peak = s->has_head;
    int64_t current = 0, peak = 0;
    for (size_t i = 0; i < s->phases.len; i++) {
        const struct train_phase *phase = &s->phases.items[i];
        const int64_t *mb = phase->mb;
        const uint64_t *lines = phase->lines;
        if (train_has(phase, TRAIN_CHANGE) && train_has(phase, TRAIN_ALLOCATIONS) && train_has(phase, TRAIN_DEALLOCATIONS))
            check(r, lines[TRAIN_CHANGE], phase->name, "change", mb[TRAIN_CHANGE],
                  mb[TRAIN_ALLOCATIONS] - mb[TRAIN_DEALLOCATIONS]);
        bool prints_peak = train_has(phase, TRAIN_CUMULATIVE_PEAK), prints_current = train_has(phase, TRAIN_CUMULATIVE_CURRENT);
        if (prints_peak && has_peak && has_current && train_has(phase, TRAIN_SEGMENT_PEAK)) {
            int64_t high = add(current, mb[TRAIN_SEGMENT_PEAK]);
            check(r, lines[TRAIN_CUMULATIVE_PEAK], phase->name, "cumulative_peak", mb[TRAIN_CUMULATIVE_PEAK],
                  high > peak ? high : peak);
        }
        int64_t change;
        if (prints_current && has_current && change_of(phase, &change))
            check(r, lines[TRAIN_CUMULATIVE_CURRENT], phase->name, "cumulative_current", mb[TRAIN_CUMULATIVE_CURRENT],
                  add(current, change));
        has_peak = prints_peak;
        has_current = prints_current;
        peak = mb[TRAIN_CUMULATIVE_PEAK];
        current = mb[TRAIN_CUMULATIVE_CURRENT];
    }
    if (!s->phases.len) return;
    struct slice totals = SLICE("");
    if (s->overall_peak.known && has_peak) check(r, s->overall_peak.line, totals, "overall_peak", s->overall_peak.value, peak);
    if (s->final_usage.known && has_current)
        check(r, s->final_usage.line, totals, "final_usage", s->final_usage.value, current);
}

static void use_chip(struct train_result *r, const struct chip *chip, enum train_device_from from) {
    r->device = num_bytes_to_milli_mb(train_chip_bytes(chip));
    r->device_most = num_bytes_to_milli_mb(train_chip_most_bytes(chip));
    r->device_from = from;
}

/* The user's values take precedence over the log's. */
static void choose_device(struct train_result *r, const struct train_options *o) {
    r->chip = o->chip;
    if (o->has_device) {
        r->device = num_bytes_to_milli_mb(o->device_bytes);
        r->device_from = DEVICE_OPTION;
    } else if (o->chip) {
        use_chip(r, o->chip, DEVICE_CHIP);
    } else if (r->summary->device_mb.known) {
        r->device = r->summary->device_mb.value;
        r->device_from = DEVICE_LOG;
    } else {
        use_chip(r, chip_find(TRAIN_DEFAULT_CHIP), DEVICE_DEFAULT);
    }
    if (r->device < 1) r->device = 1; /* a part of less than 0.001 MB still counts */
    if (r->device_most < r->device) r->device_most = r->device;
}

static struct slice file_stem(struct slice file) {
    for (size_t at; (at = slice_find_byte(file, '/')) != SLICE_NONE;) file = slice_skip(file, at + 1);
    size_t dot = slice_find_byte(file, '.');
    return dot && dot != SLICE_NONE ? slice_take(file, dot) : file;
}

/* A name that no earlier summary has: the line above it, else its file; then the rank, then a number. */
static void name_result(struct train_report *report, struct train_result *r, struct map *names) {
    struct strbuf name = {0};
    strbuf_add(&name, r->summary->name.len ? r->summary->name : file_stem(r->summary->file));
    if (r->summary->has_rank) strbuf_addf(&name, " (rank %llu)", (unsigned long long)r->summary->rank);
    size_t plain = name.len;
    bool added;
    uint32_t *uses = map_at(names, hash_bytes(strbuf_slice(&name)), &added);
    for (uint32_t n = ++*uses; !added; n++) {
        name.len = plain;
        strbuf_addf(&name, " (%u)", n);
        *map_at(names, hash_bytes(strbuf_slice(&name)), &added) = 1;
        if (added) *map_find(names, hash_bytes(slice_take(strbuf_slice(&name), plain))) = n;
    }
    r->name = arena_copy(&report->arena, strbuf_slice(&name));
    strbuf_release(&name);
}

void train_analyze(struct train_report *report, const struct train_log *log, const struct train_options *options) {
    struct map names = {0};
    for (size_t i = 0; i < log->summaries.len; i++) {
        struct train_result *r = vec_add(&report->results);
        *r = (struct train_result){.summary = &log->summaries.items[i]};
        name_result(report, r, &names);
        choose_device(r, options);
        find_starts(r, &report->arena);
        fold_phases(r, &report->arena);
        measure_sizes(r, options);
        find_peak(r);
        find_step(r);
        break_down(r, options);
        check_figures(r);
        train_fit(r);
    }
    map_release(&names);
    train_compare(report);
}

void train_report_release(struct train_report *report) {
    for (size_t i = 0; i < report->results.len; i++) {
        vec_release(&report->results.items[i].folds);
        vec_release(&report->results.items[i].disagreements);
        vec_release(&report->results.items[i].advice);
    }
    vec_release(&report->results);
    vec_release(&report->comparisons);
    arena_release(&report->arena);
}
