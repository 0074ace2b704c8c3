/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/fit/fit.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/fit/kinds.h"
#include "base/num.h"

/* Events that are put through the allocator for one answer: a second or two. */
static const uint64_t BUDGET = 9000000;
enum {
    MOST_CHANGES = 200,
    RETRACE = 8,  /* as much work as that many replays */
    OFF_PART = 10 /* a replay that is off by more than that part of what was measured tells nothing */
};

uint64_t fit_limit_of(const struct fit *fit, const struct fit_result *result) {
    const struct fit_target *t = &fit->target;
    /* of the bank itself, whatever of it cannot be used */
    uint64_t bank = result->capacity == fit->trace->capacity ? fit->trace->bank : result->capacity;
    uint64_t limit = t->percent_milli ? (uint64_t)((unsigned __int128)bank * t->percent_milli / 100000) : t->bytes;
    return limit && limit < result->capacity ? limit : result->capacity;
}

bool fit_reaches(const struct fit *fit, const struct fit_result *result) {
    return result->fits && result->peak <= fit_limit_of(fit, result);
}

struct fit_change *fit_add(struct fit *fit, const struct fit_kind *kind, uint64_t group, uint32_t place) {
    if (fit->changes.len >= MOST_CHANGES) {
        fit->left_out++;
        return NULL;
    }
    return fit_add_wanted(fit, kind, group, place);
}

struct fit_change *fit_add_wanted(struct fit *fit, const struct fit_kind *kind, uint64_t group, uint32_t place) {
    vec_push(&fit->changes, ((struct fit_change){.kind = kind, .group = group, .place = place}));
    if (fit->trace->follows) {
        vec_last(&fit->changes).assumption = "lifetimes as op lines tell them; what they do not explain stays as it was";
        vec_last(&fit->changes).uncertainty = FIT_LOG_ROUNDING;
    }
    return &vec_last(&fit->changes);
}

void fit_evaluate(struct fit *fit, const struct fit_change *const *set, size_t count, struct fit_result *result) {
    const struct fit_trace *trace = fit->source.trace ? fit->source.trace(fit->source.context, set, count) : NULL;
    struct fit_variant v;
    if (trace && trace != fit->trace) fit->work += RETRACE * trace->events.len;
    fit_variant_init(&v, trace ? trace : fit->trace);
    for (size_t i = 0; i < count; i++)
        if (set[i]->kind->apply) set[i]->kind->apply(&v, set[i]);
    fit_replay(&v, result, NULL, &fit->work);
    fit->replays++;
    fit_variant_release(&v);
}

/* The smallest bank that holds it, between what is allocated together and twice that. */
static void find_need(struct fit *fit) {
    enum { TRIES = 12 };
    uint64_t low = fit->base.peak, step = fit->trace->alignment ? fit->trace->alignment : 1;
    uint64_t high = fit->base.fits ? fit->trace->capacity : low * 2;
    if (!low || fit->trace->events.len * (TRIES + 2) > BUDGET / 4) return;
    for (int i = 0; i < TRIES + 2 && high >= low; i++) {
        struct fit_variant v;
        struct fit_result result;
        fit_variant_init(&v, fit->trace);
        uint64_t middle = i == 0 ? low : i == 1 ? high : low + (high - low) / 2;
        v.capacity = num_ceil_div(middle, step) * step;
        fit_replay(&v, &result, NULL, &fit->work);
        fit_variant_release(&v);
        if (result.fits) fit->needs = high = v.capacity;
        else if (i == 1) return;
        else low = v.capacity + 1;
        if (i == 0 && result.fits) return;
    }
}

/* What failed was never measured: without it the heights should be the same. */
static void compare_measured(struct fit *fit) {
    const struct fit_trace *trace = fit->trace;
    struct fit_variant v;
    struct fit_result result;
    if (!trace->measured) return;
    fit_variant_init(&v, trace);
    for (uint32_t i = 0; i < trace->buffers.len; i++)
        if (trace->groups.items[trace->buffers.items[i].group].request) fit_variant_resize(&v, i, 0);
    fit_sums(&v, &result);
    fit_variant_release(&v);
    fit->difference = result.peak > trace->measured ? result.peak - trace->measured : trace->measured - result.peak;
    if (trace->off > fit->difference) fit->difference = trace->off;
}

void fit_begin(struct fit *fit, const struct fit_trace *trace, const struct fit_source *source, struct fit_target target) {
    *fit = (struct fit){.trace = trace, .target = target, .budget = BUDGET};
    if (source) fit->source = *source;
    struct fit_variant v;
    fit_variant_init(&v, trace);
    fit->addresses = mem_alloc((trace->buffers.len + 1) * sizeof *fit->addresses);
    fit_replay(&v, &fit->base, fit->addresses, &fit->work);
    fit->replays = 1;
    fit_variant_release(&v);
    compare_measured(fit);
}

bool fit_is_told(const struct fit *fit) {
    const struct fit_trace *trace = fit->trace;
    bool failed = false;
    for (size_t i = 0; i < trace->groups.len; i++) failed |= trace->groups.items[i].request;
    if (failed && fit->base.fits) return false;
    return fit->difference < FIT_LOG_ROUNDING || fit->difference <= trace->measured / OFF_PART;
}

void fit_list(struct fit *fit, const struct fit_kind *const *kinds) {
    for (size_t i = 0; kinds && kinds[i]; i++) kinds[i]->list(fit, kinds[i]);
    for (size_t i = 0; fit_run_kinds[i]; i++) fit_run_kinds[i]->list(fit, fit_run_kinds[i]);
}

static bool comes_first(const struct fit *fit, const struct fit_change *x, const struct fit_change *y) {
    bool good_x = fit_reaches(fit, &x->result), good_y = fit_reaches(fit, &y->result), was_good = fit_reaches(fit, &fit->base);
    if (good_x != good_y) return good_x;
    bool near_x = (good_x && !was_good) || fit_is_better(fit, &x->result, &fit->base);
    bool near_y = (good_y && !was_good) || fit_is_better(fit, &y->result, &fit->base);
    if (near_x != near_y) return near_x;
    if (x->other_device != y->other_device) return y->other_device; /* a program is easier to change than a board */
    if (good_x && !x->assumption != !y->assumption) return !x->assumption;
    if (fit_is_better(fit, &x->result, &y->result)) return true;
    if (fit_is_better(fit, &y->result, &x->result)) return false;
    return strcmp(x->name, y->name) < 0;
}

static void sort_changes(struct fit *fit) {
    for (size_t i = 1; i < fit->changes.len; i++) {
        struct fit_change change = fit->changes.items[i];
        size_t k = i;
        for (; k > 0 && comes_first(fit, &change, &fit->changes.items[k - 1]); k--)
            fit->changes.items[k] = fit->changes.items[k - 1];
        fit->changes.items[k] = change;
    }
}

void fit_try_all(struct fit *fit) {
    size_t kept = 0;
    uint64_t half = fit->budget / 2;
    for (size_t i = 0; i < fit->changes.len; i++) {
        struct fit_change *change = &fit->changes.items[i];
        if (fit->work > half) {
            fit->left_out++;
            continue;
        }
        fit_evaluate(fit, (const struct fit_change *const *)&change, 1, &change->result);
        fit->changes.items[kept++] = *change;
    }
    fit->changes.len = kept;
    sort_changes(fit);
    fit_search(fit);
    find_need(fit);
}

int fit_try_named(struct fit *fit, const char *const *names, size_t count, struct err *err) {
    const struct fit_change *set[FIT_SET_MOST];
    struct fit_set *s = &fit->set;
    if (count > FIT_SET_MOST) return err_set(err, ERR_USAGE, "--try may be given %d times", FIT_SET_MOST);
    *s = (struct fit_set){.count = count, .exact = true};
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < fit->changes.len && strcasecmp(fit->changes.items[k].name, names[i]) != 0) k++;
        if (k == fit->changes.len && !fit_add_late(fit, names[i])) {
            struct strbuf known = {0};
            for (k = 0; k < fit->changes.len && k < 12; k++)
                strbuf_addf(&known, "%s\"%s\"", k ? ", " : "", fit->changes.items[k].name);
            int rc = err_set(err, ERR_USAGE, "nothing that can be tried is called \"%s\": %s", names[i],
                             known.len ? strbuf_text(&known) : "there is nothing to try");
            strbuf_release(&known);
            return rc;
        }
        s->changes[i] = k;
    }
    for (size_t i = 0; i < count; i++) {
        set[i] = &fit->changes.items[s->changes[i]];
        s->uncertainty += set[i]->uncertainty;
        if (set[i]->assumption) s->exact = false;
    }
    fit_evaluate(fit, set, count, &s->result);
    s->found = fit_reaches(fit, &s->result);
    return 0;
}

void fit_release(struct fit *fit) {
    free(fit->addresses);
    vec_release(&fit->changes);
}
