/* SPDX-License-Identifier: Apache-2.0 */
/* Changes tried by replay: the order of uploads, the smallest set against all sets, windows and sizes by hand. */
#include "testing.h"

#include "analysis/fit/fit.h"
#include "analysis/fit/regions.h"
#include "base/num.h"

enum { UNIT = 4096 };

static void no_op(const struct fit_trace *trace, uint32_t place, struct fit_op *op) {
    (void)trace;
    *op = (struct fit_op){.index = place};
}

static void begin(struct fit_trace *t, uint64_t units) {
    *t = (struct fit_trace){.pool = POOL_DRAM,
                            .bank = units * UNIT,
                            .capacity = units * UNIT,
                            .has_capacity = true,
                            .banks = 1,
                            .alignment = 32,
                            .op_of = no_op};
}

static uint32_t group(struct fit_trace *t, const char *name, enum live_class class, enum fit_holder holder) {
    return fit_trace_group(t, &(struct fit_group){.name = slice_from(name),
                                                  .key = t->groups.len + 1,
                                                  .class = (uint8_t) class,
                                                  .holder = (uint8_t)holder,
                                                  .place = NONE});
}

/* A weight is brought in row by row and made tiles of: both are there for a moment. Three of 10, 40 and 50 in a bank of 150:
 * the smallest first leaves holes of 10 and 40, and there is no place for the two of 50; the largest first fits. */
static bool upload(const unsigned *sizes, unsigned count, struct fit_result *result) {
    struct fit_trace t;
    struct fit_variant v;
    uint64_t work = 0;
    begin(&t, 150);
    for (unsigned i = 0; i < count; i++) {
        uint32_t g = group(&t, "w", LIVE_WEIGHT, HOLDER_RUNTIME), rows = group(&t, "", LIVE_TEMPORARY, HOLDER_OP);
        uint32_t staged = fit_trace_take(&t, rows, (uint64_t)sizes[i] * UNIT, UINT64_MAX, i);
        fit_trace_take(&t, g, (uint64_t)sizes[i] * UNIT, UINT64_MAX, i);
        fit_trace_free(&t, staged, i);
    }
    fit_variant_init(&v, &t);
    fit_replay(&v, result, NULL, &work);
    fit_variant_release(&v);
    fit_trace_release(&t);
    return result->fits;
}

static void largest_first_fits_where_smallest_first_does_not(void **state) {
    (void)state;
    struct fit_result result;
    assert_false(upload((const unsigned[]){10, 40, 50}, 3, &result));
    assert_int_equal(result.wants, 50 * UNIT);
    assert_int_equal(result.largest, 40 * UNIT);
    assert_int_equal(result.peak, 150 * UNIT);
    assert_true(upload((const unsigned[]){50, 40, 10}, 3, &result));
    assert_int_equal(result.margin, 10 * UNIT); /* the rows of the one of 40 lie in the hole of 50 */
}

/* The same by the change itself, on a trace that was placed. */
static void largest_weights_first_is_tried(void **state) {
    (void)state;
    struct fit_trace t;
    struct fit fit;
    begin(&t, 100);
    static const unsigned sizes[] = {10, 30};
    for (unsigned i = 0; i < 2; i++) {
        uint32_t early = group(&t, "", LIVE_ACTIVATION, HOLDER_PROGRAM);
        uint32_t buffer = fit_trace_take(&t, early, (i ? 30 : 20) * UNIT, UINT64_MAX, 0);
        fit_trace_take(&t, group(&t, i ? "large" : "small", LIVE_WEIGHT, HOLDER_RUNTIME), sizes[i] * (uint64_t)UNIT, UINT64_MAX,
                       0);
        fit_trace_free(&t, buffer, 0);
    }
    fit_begin(&fit, &t, NULL, (struct fit_target){0});
    fit_list(&fit, NULL);
    bool listed = false;
    for (size_t i = 0; i < fit.changes.len; i++) listed |= strcmp(fit.changes.items[i].name, "largest weights first") == 0;
    assert_true(listed);
    fit_release(&fit);
    fit_trace_release(&t);
}

static void freeing_moves_the_peak(void **state) {
    (void)state;
    struct fit_trace t;
    struct fit fit;
    begin(&t, 100);
    uint32_t a = fit_trace_take(&t, group(&t, "%a", LIVE_ACTIVATION, HOLDER_PROGRAM), 40 * UNIT, UINT64_MAX, 0);
    uint32_t b = fit_trace_take(&t, group(&t, "%b", LIVE_ACTIVATION, HOLDER_PROGRAM), 30 * UNIT, UINT64_MAX, 1);
    t.buffers.items[a].unused = 2; /* before the third event */
    fit_trace_take(&t, group(&t, "%c", LIVE_ACTIVATION, HOLDER_PROGRAM), 35 * UNIT, UINT64_MAX, 2);
    fit_trace_free(&t, a, 3);
    fit_trace_free(&t, b, 3);
    fit_begin(&fit, &t, NULL, (struct fit_target){0});
    fit_list(&fit, NULL);
    assert_false(fit.base.fits);
    assert_int_equal(fit.base.peak, 105 * UNIT);
    assert_int_equal(fit.base.wants, 35 * UNIT);
    assert_int_equal(fit.base.free, 30 * UNIT);
    fit_try_all(&fit);
    assert_true(fit.set.found && fit.set.proven && fit.set.exact);
    assert_int_equal(fit.set.count, 1);
    assert_string_equal(fit.changes.items[fit.set.changes[0]].name, "free %a after last use");
    assert_int_equal(fit.set.result.peak, 70 * UNIT);
    struct err err = {0};
    const char *names[] = {"Free %A after last use"};
    assert_int_equal(fit_try_named(&fit, names, 1, &err), 0);
    assert_int_equal(fit.set.result.peak, 70 * UNIT);
    names[0] = "free %z after last use";
    assert_int_equal(fit_try_named(&fit, names, 1, &err), -1);
    assert_int_equal(err.code, ERR_USAGE);
    fit_release(&fit);
    fit_trace_release(&t);
}

/* Two peaks: when the first is gone the second is above the target, and another tensor is late there. */
static void what_is_late_at_the_next_peak_is_tried(void **state) {
    (void)state;
    struct fit_trace t;
    struct fit fit;
    begin(&t, 200);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t idle =
            fit_trace_take(&t, group(&t, i ? "%b" : "%a", LIVE_ACTIVATION, HOLDER_PROGRAM), 40 * UNIT, UINT64_MAX, 0);
        t.buffers.items[idle].unused = (uint32_t)t.events.len;
        uint32_t other = group(&t, "%x", LIVE_ACTIVATION, HOLDER_OP);
        uint32_t large = fit_trace_take(&t, other, (i ? 50 : 60) * UNIT, UINT64_MAX, 0);
        fit_trace_free(&t, large, 0);
        fit_trace_free(&t, idle, 0);
    }
    fit_begin(&fit, &t, NULL, (struct fit_target){.bytes = 70 * UNIT});
    fit_list(&fit, NULL);
    fit_try_all(&fit);
    assert_true(fit.set.found && fit.set.proven);
    assert_int_equal(fit.set.count, 2);
    assert_int_equal(fit.set.result.peak, 60 * UNIT);
    fit_release(&fit);
    fit_trace_release(&t);
}

/* More late tensors than are tried one by one: together they are one change, which reaches the target alone. */
static void many_small_ones_together_reach_the_target(void **state) {
    (void)state;
    enum { MANY = 100 };
    struct fit_trace t;
    struct fit fit;
    uint32_t buffers[MANY];
    begin(&t, 200);
    for (unsigned i = 0; i < MANY; i++) {
        char *name = arena_alloc(&t.arena, 8);
        snprintf(name, 8, "%%%u", i);
        buffers[i] = fit_trace_take(&t, group(&t, name, LIVE_ACTIVATION, HOLDER_PROGRAM), UNIT, UINT64_MAX, i);
        t.buffers.items[buffers[i]].unused = (uint32_t)t.events.len;
    }
    for (unsigned i = 0; i < MANY; i++) fit_trace_free(&t, buffers[i], MANY);
    fit_begin(&fit, &t, NULL, (struct fit_target){.bytes = 2 * UNIT});
    fit_list(&fit, NULL);
    fit_try_all(&fit);
    assert_true(fit.set.found);
    assert_int_equal(fit.set.count, 1);
    assert_string_equal(fit.changes.items[fit.set.changes[0]].name, "free everything after last use");
    struct err err = {0};
    const char *names[] = {"free %77 after last use"};
    assert_int_equal(fit_try_named(&fit, names, 1, &err), 0);
    assert_int_equal(fit.set.result.peak, 99 * UNIT);
    fit_release(&fit);
    fit_trace_release(&t);
}

/* Forty that are late, and what stays is more than the target by itself: no set has to be replayed to know that none reaches
 * it. */
static void sets_that_cannot_save_enough_are_not_replayed(void **state) {
    (void)state;
    enum { MANY = 40, STAYS = 100 };
    struct fit_trace t;
    struct fit fit;
    uint32_t buffers[MANY];
    begin(&t, 400);
    fit_trace_take(&t, group(&t, "stays", LIVE_ACTIVATION, HOLDER_RETURNED), STAYS * UNIT, UINT64_MAX, 0);
    for (unsigned i = 0; i < MANY; i++) {
        char *name = arena_alloc(&t.arena, 8);
        snprintf(name, 8, "%%%u", i);
        buffers[i] = fit_trace_take(&t, group(&t, name, LIVE_ACTIVATION, HOLDER_PROGRAM), (i + 1) * UNIT, UINT64_MAX, i);
        t.buffers.items[buffers[i]].unused = (uint32_t)t.events.len;
    }
    for (unsigned i = 0; i < MANY; i++) fit_trace_free(&t, buffers[i], MANY);
    fit_begin(&fit, &t, NULL, (struct fit_target){.bytes = STAYS * UNIT});
    fit_list(&fit, NULL);
    fit_try_all(&fit);
    assert_false(fit.set.found || fit.set.maybe);
    assert_true(fit.replays < 2000);
    fit_release(&fit);
    fit_trace_release(&t);
}

/* A request that failed, in a trace where it finds a block; levels that are far from those that were measured. */
static void a_replay_that_is_not_what_happened_tells_nothing(void **state) {
    (void)state;
    struct fit_trace t;
    struct fit fit;
    begin(&t, 100);
    fit_trace_take(&t, group(&t, "%a", LIVE_ACTIVATION, HOLDER_PROGRAM), 50 * UNIT, UINT64_MAX, 0);
    t.follows = true;
    t.measured = 50 * UNIT;
    t.off = 5 * UNIT;
    fit_begin(&fit, &t, NULL, (struct fit_target){0});
    assert_int_equal(fit.difference, 5 * UNIT);
    assert_true(fit_is_told(&fit));
    fit_release(&fit);
    t.off = 6 * UNIT;
    fit_begin(&fit, &t, NULL, (struct fit_target){0});
    assert_false(fit_is_told(&fit));
    fit_release(&fit);
    t.off = 0;
    uint32_t request = group(&t, "", LIVE_ACTIVATION, HOLDER_OP);
    t.groups.items[request].request = true;
    fit_trace_take(&t, request, 10 * UNIT, UINT64_MAX, 0);
    fit_begin(&fit, &t, NULL, (struct fit_target){0});
    assert_true(fit.base.fits);
    assert_false(fit_is_told(&fit));
    fit_release(&fit);
    fit_trace_release(&t);
}

/* --- the smallest set against all sets --- */

static uint32_t next_random(uint32_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    return *seed ^= *seed << 5;
}

/* Tensors that overlap at random, each idle for a while before it goes. */
static void random_trace(struct fit_trace *t, uint32_t seed) {
    enum { TENSORS = 7 };
    uint32_t ends[TENSORS], idle[TENSORS], buffers[TENSORS];
    begin(t, 60 + next_random(&seed) % 60);
    for (unsigned i = 0; i < TENSORS; i++) {
        char *name = arena_alloc(&t->arena, 8);
        snprintf(name, 8, "%%%u", i);
        idle[i] = i + 1 + next_random(&seed) % 3;
        ends[i] = idle[i] + next_random(&seed) % 5;
        buffers[i] = fit_trace_take(t, group(t, name, LIVE_ACTIVATION, HOLDER_PROGRAM), (1 + next_random(&seed) % 40) * UNIT,
                                    UINT64_MAX, i);
        for (unsigned k = 0; k <= i; k++) {
            if (idle[k] == i + 1) t->buffers.items[buffers[k]].unused = (uint32_t)t->events.len;
            if (ends[k] == i + 1) fit_trace_free(t, buffers[k], i);
        }
    }
    for (unsigned k = 0; k < TENSORS; k++) {
        struct fit_buffer *b = &t->buffers.items[buffers[k]];
        if (b->unused != NONE && (b->unused >= t->events.len || (b->free != NONE && b->unused >= b->free))) b->unused = NONE;
    }
}

static unsigned bits(uint32_t set) { return (unsigned)__builtin_popcount(set); }

static void the_smallest_set_is_the_smallest(void **state) {
    (void)state;
    unsigned found = 0, larger = 0, none = 0;
    for (uint32_t seed = 1; seed <= 600; seed++) {
        struct fit_trace t;
        struct fit fit;
        random_trace(&t, seed * 2654435761u);
        fit_begin(&fit, &t, NULL, (struct fit_target){.percent_milli = seed % 3 ? 0 : 80000});
        fit_list(&fit, NULL);
        struct fit_change every[32];
        size_t own[32], count = 0, listed = fit.changes.len;
        memcpy(every, fit.changes.items,
               listed * sizeof *every); /* what does not help alone is not listed after it was tried */
        fit_try_all(&fit);
        for (size_t i = 0; i < listed; i++)
            if (!every[i].contains_others && !every[i].other_device) own[count++] = i;
        assert_true(count <= 8);
        unsigned best = UINT32_MAX;
        for (uint32_t set = 0; set < 1u << count; set++) {
            const struct fit_change *members[8];
            struct fit_result result;
            unsigned n = 0;
            for (size_t k = 0; k < count; k++)
                if (set >> k & 1) members[n++] = &every[own[k]];
            fit_evaluate(&fit, members, n, &result);
            if (fit_reaches(&fit, &result, 0) && bits(set) < best) best = bits(set);
        }
        assert_int_equal(fit.set.found, best != UINT32_MAX);
        assert_false(fit.set.maybe); /* all of them are exact */
        if (fit.set.found) {
            assert_true(fit.set.proven);
            assert_int_equal(fit.set.count, best);
            for (size_t i = 0; i < fit.set.count; i++) assert_false(fit.changes.items[fit.set.changes[i]].contains_others);
        }
        found += fit.set.found && fit.set.count > 0;
        larger += fit.set.found && fit.set.count > 1;
        none += !fit.set.found;
        fit_release(&fit);
        fit_trace_release(&t);
    }
    assert_true(found > 50 && larger > 10 && none > 50); /* the cases are worth their time */
}

/* A request of 50,733,056 bytes against a region of 50,000,000. */
static void a_region_is_what_was_used_and_a_margin(void **state) {
    (void)state;
    struct fit_region r = fit_region_of(50003968, 50733056, 12, true, 8192);
    assert_true(r.per_bank >= 50733056 + 50733056 / 10);
    assert_true(r.per_bank < 50733056 + 50733056 / 10 + 2 * 8192);
    assert_int_equal(r.per_bank % 8192, 0);
    assert_int_equal(r.total, 12 * r.per_bank);
    assert_true(r.gives_back < 0);
    r = fit_region_of(8192 * 100, 8192 * 10, 8, false, 8192);
    assert_int_equal(r.per_bank, 8192 * 11);
    assert_int_equal(r.gives_back, 8192 * 89);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(largest_first_fits_where_smallest_first_does_not),
        cmocka_unit_test(largest_weights_first_is_tried),
        cmocka_unit_test(freeing_moves_the_peak),
        cmocka_unit_test(what_is_late_at_the_next_peak_is_tried),
        cmocka_unit_test(many_small_ones_together_reach_the_target),
        cmocka_unit_test(sets_that_cannot_save_enough_are_not_replayed),
        cmocka_unit_test(a_replay_that_is_not_what_happened_tells_nothing),
        cmocka_unit_test(the_smallest_set_is_the_smallest),
        cmocka_unit_test(a_region_is_what_was_used_and_a_margin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
