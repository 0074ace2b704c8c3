/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/fit/fit.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/fit/effects.h"
#include "analysis/fit/kinds.h"
#include "base/num.h"
#include "device/allocator_or_end.h"

/* Events that go through the allocator for one answer: a second or two. Short programs are answered at once: this many
 * events, and this many replays. */
static const uint64_t BUDGET = 7000000, SHORT_BUDGET = 1000000, SHORT_REPLAYS = 60;
enum {
    MOST_CHANGES = 200,
    OFF_PART = 10, /* a replay that is off by more than this part of the measured peak is useless */
    ROOM_PART = 100
};

uint64_t fit_asked_of(const struct fit *fit, const struct fit_result *result) {
    const struct fit_target *t = &fit->target;
    /* of the bank itself, including what cannot be used */
    uint64_t bank = result->capacity == fit->trace->capacity ? fit->trace->bank : result->capacity;
    return t->percent_milli ? (uint64_t)((unsigned __int128)bank * t->percent_milli / 100000) : t->bytes;
}

uint64_t fit_limit_of(const struct fit *fit, const struct fit_result *result) {
    uint64_t limit = fit_asked_of(fit, result);
    return limit && limit < result->capacity ? limit : result->capacity;
}

const char *const fit_verdict_keys[FIT_VERDICTS] = {"fits", "may_fit", "does_not_fit"};

/* Sums decide what cannot fit. If they are estimates, so are the blocks that a replay finds: it fits only if there is more room
 * than the figures may be off, and does not if more is missing than that. Other sizes may also be placed elsewhere; what that
 * changes is not known. */
static enum fit_verdict judge(const struct fit *fit, const struct fit_result *r, uint64_t off, uint64_t limit) {
    uint64_t low = r->peak > off ? r->peak - off : 0, high = r->peak + off + fit->trace->higher;
    uint64_t blocks = off + fit->trace->higher + fit->blocks_off;
    /* a failed request fails again if nothing is saved, however much a log rounds */
    bool as_it_was = fit->failed && fit->trace->follows && r->capacity == fit->base.capacity && r->peak >= fit->base.peak;
    if (as_it_was || (r->cut && r->wants)) return FIT_DOES_NOT_FIT;
    if (low > limit) return FIT_DOES_NOT_FIT;
    uint64_t missing = r->wants > r->largest ? r->wants - r->largest : 0;
    if (!r->fits) return r->cut || (blocks && missing <= blocks) ? FIT_MAY_FIT : FIT_DOES_NOT_FIT;
    if (high > limit) return FIT_MAY_FIT;
    return r->margin != INT64_MAX && (uint64_t)(r->margin < 0 ? 0 : r->margin) < blocks ? FIT_MAY_FIT : FIT_FITS;
}

enum fit_verdict fit_in_bank(const struct fit *fit, const struct fit_result *r, uint64_t uncertainty) {
    return judge(fit, r, uncertainty + fit->difference, r->capacity);
}

enum fit_verdict fit_to_target(const struct fit *fit, const struct fit_result *r, uint64_t uncertainty) {
    return judge(fit, r, uncertainty + fit->difference, fit_limit_of(fit, r));
}

enum fit_verdict fit_was_in_bank(const struct fit *fit) {
    if (fit->failed) return FIT_DOES_NOT_FIT;
    return fit->trace->measured ? FIT_FITS : fit_in_bank(fit, &fit->base, 0);
}

enum fit_verdict fit_was_to_target(const struct fit *fit) {
    if (fit->failed) return FIT_DOES_NOT_FIT;
    if (!fit->trace->measured) return fit_to_target(fit, &fit->base, 0);
    return fit->trace->measured <= fit_limit_of(fit, &fit->base) ? FIT_FITS : FIT_DOES_NOT_FIT;
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
        vec_last(&fit->changes).assumption = "lifetimes as op lines give them; what they do not explain stays as it was";
        vec_last(&fit->changes).uncertainty = FIT_LOG_ROUNDING;
    } else if (fit->trace->bounded) {
        vec_last(&fit->changes).assumption = "sizes of some buffers are lower bounds";
    } else if (fit->base.equal != fit->base.compared) {
        vec_last(&fit->changes).assumption = "free blocks as this replay has them";
    }
    return &vec_last(&fit->changes);
}

/* Applies the changes to the trace. */
static void make_variant(struct fit *fit, struct fit_variant *v, const struct fit_change *const *set, size_t count) {
    const struct fit_trace *trace = fit->source.trace ? fit->source.trace(fit->source.context, set, count) : NULL;
    if (trace && trace != fit->trace) fit->work += fit->source.cost;
    fit_variant_init(v, trace ? trace : fit->trace);
    for (size_t i = 0; i < count; i++) {
        if (!set[i]->kind->apply) continue;
        if (set[i]->effects && v->trace == fit->trace) fit_effects_apply(v, set[i]->effects);
        else set[i]->kind->apply(v, set[i]);
    }
}

void fit_follow(struct fit *fit, const struct fit_change *change, const struct fit_watcher *watcher) {
    struct fit_variant v;
    make_variant(fit, &v, &change, 1);
    fit_levels(&v, watcher);
    fit_variant_release(&v);
}

void fit_evaluate(struct fit *fit, const struct fit_change *const *set, size_t count, struct fit_result *result) {
    struct fit_variant v;
    make_variant(fit, &v, set, count);
    fit_replay(&v, result, NULL, &fit->work);
    fit->replays++;
    fit_variant_release(&v);
}

/* The smallest bank that holds it, between what is allocated together and twice that; exact to the allocator's alignment if
 * there is time, else an upper bound. */
static void find_need(struct fit *fit) {
    enum { MOST_TRIES = 48, LEAST_TRIES = 8 };
    uint64_t step = fit->trace->alignment ? fit->trace->alignment : 1, events = fit->trace->events.len + 1;
    uint64_t low = num_ceil_div(fit->base.peak, step), high = fit->base.fits ? fit->trace->capacity / step : low * 2;
    uint64_t tries = BUDGET / 4 / events < MOST_TRIES ? BUDGET / 4 / events : MOST_TRIES;
    if (!low || fit->trace->follows || tries < LEAST_TRIES) return;
    for (uint64_t i = 0; i < tries && low <= high; i++) {
        struct fit_variant v;
        struct fit_result result;
        fit_variant_init(&v, fit->trace);
        uint64_t middle = i == 0 ? low : i == 1 ? high : low + (high - low) / 2;
        v.capacity = middle * step;
        fit_replay(&v, &result, NULL, &fit->work);
        fit_variant_release(&v);
        if (result.fits) {
            fit->needs = v.capacity;
            high = middle - 1;
            if (i == 0) break;
        } else if (i == 1) {
            return;
        } else {
            low = middle + 1;
        }
    }
    fit->needs_less = low <= high && fit->needs > low * step;
}

/* The failed request was never measured: without it the levels should be the same. */
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

/* How far the free blocks of the replay are from those of the run, which had its buffers elsewhere. */
static void compare_blocks(struct fit *fit) {
    const struct fit_trace *t = fit->trace;
    struct allocator was, is;
    if (!t->placed || fit->base.equal == fit->base.compared) return;
    if (!allocator_ok(allocator_init(&was, t->base, t->bank, t->alignment))) return;
    if (!allocator_ok(allocator_init(&is, t->base, t->bank, t->alignment))) {
        allocator_release(&was);
        return;
    }
    bool *there = mem_zalloc(2 * t->buffers.len + 2, sizeof *there);
    for (size_t i = 0; i < t->events.len; i++) {
        uint32_t id = t->events.items[i] / 2;
        const struct fit_buffer *b = &t->buffers.items[id];
        const uint64_t places[] = {b->address, fit->addresses[id]};
        if (places[0] == UINT64_MAX || places[1] == UINT64_MAX) continue;
        for (int k = 0; k < 2; k++) {
            struct allocator *a = k ? &is : &was;
            bool *held = &there[2 * id + (size_t)k];
            if (fit_is_free(t->events.items[i])) {
                if (*held) allocator_free(a, places[k]);
                *held = false;
            } else {
                *held = allocator_ok(allocator_take_at(a, places[k], b->bytes));
            }
        }
        uint64_t x = allocator_stats(&was).largest_free, y = allocator_stats(&is).largest_free, off = x > y ? x - y : y - x;
        if (off > fit->blocks_off) fit->blocks_off = off;
    }
    free(there);
    allocator_release(&was);
    allocator_release(&is);
}

static uint64_t budget_of(const struct fit_trace *trace, uint64_t source_cost) {
    uint64_t budget = SHORT_BUDGET + SHORT_REPLAYS * (trace->events.len + source_cost);
    return budget < BUDGET ? budget : BUDGET;
}

void fit_begin(struct fit *fit, const struct fit_trace *trace, const struct fit_source *source, struct fit_target target) {
    *fit = (struct fit){.trace = trace, .target = target, .budget = budget_of(trace, source ? source->cost : 0)};
    if (source) fit->source = *source;
    struct fit_variant v;
    fit_variant_init(&v, trace);
    fit->addresses = mem_alloc((trace->buffers.len + 1) * sizeof *fit->addresses);
    fit_replay(&v, &fit->base, fit->addresses, &fit->work);
    fit->replays = 1;
    fit_variant_release(&v);
    if (trace->follows && fit->base.fits) {
        fit->base.margin = trace->room;
        fit->base.margin_place = trace->room_place;
    }
    for (size_t i = 0; i < trace->groups.len; i++) fit->failed |= trace->groups.items[i].request && !trace->compiled;
    compare_measured(fit);
    compare_blocks(fit);
}

bool fit_is_told(const struct fit *fit) {
    const struct fit_trace *trace = fit->trace;
    if (fit->failed && fit->base.fits) return false;
    if (!trace->measured) return true; /* there is nothing to compare it with */
    return fit->difference < FIT_LOG_ROUNDING || fit->difference <= trace->measured / OFF_PART;
}

void fit_list(struct fit *fit, const struct fit_kind *const *kinds) {
    fit->kinds = kinds;
    for (size_t i = 0; kinds && kinds[i]; i++) kinds[i]->list(fit, kinds[i]);
    for (size_t i = 0; fit_run_kinds[i]; i++) fit_run_kinds[i]->list(fit, fit_run_kinds[i]);
}

static int64_t saving_of(const struct fit *fit, const struct fit_change *c) {
    return (int64_t)fit->base.peak - (int64_t)c->result.peak;
}

/* A program is easier to change than a board. What is certain to reach the target comes first, then what may; an exact figure
 * is worth more than an estimate. Then what saves most. */
static bool comes_first(const struct fit *fit, const struct fit_change *x, const struct fit_change *y) {
    enum fit_verdict of_x = fit_to_target(fit, &x->result, x->uncertainty),
                     of_y = fit_to_target(fit, &y->result, y->uncertainty);
    if (x->other_device != y->other_device) return y->other_device;
    if (of_x != of_y) return of_x < of_y;
    if (of_x == FIT_FITS && !x->assumption != !y->assumption) return !x->assumption;
    if (saving_of(fit, x) != saving_of(fit, y)) return saving_of(fit, x) > saving_of(fit, y);
    if (fit_is_better(fit, &x->result, &y->result)) return true;
    if (fit_is_better(fit, &y->result, &x->result)) return false;
    if (x->kind == y->kind && x->other_device) return x->number < y->number; /* in the order of boards */
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

/* Does it save something, improve the verdict, or leave clearly more room in one block? For another chip, the question is
 * whether it fits there. */
static bool helps(const struct fit *fit, const struct fit_change *c) {
    if (c->other_device || c->result.cut) return c->other_device;
    int64_t least = fit->trace->follows ? FIT_LOG_ROUNDING : 0; /* a log shows no smaller differences */
    if (saving_of(fit, c) > least || fit_to_target(fit, &c->result, c->uncertainty) < fit_was_to_target(fit)) return true;
    bool room = c->result.fits && fit->base.fits && c->result.margin != INT64_MAX && fit->base.margin != INT64_MAX;
    return room && c->result.margin - fit->base.margin > (int64_t)(fit->trace->bank / ROOM_PART);
}

static void leave_out_what_does_not_help(struct fit *fit) {
    struct fit_set *set = &fit->set;
    size_t kept = 0;
    for (size_t i = 0; i < fit->changes.len; i++) {
        bool chosen = false;
        for (size_t k = 0; k < set->count; k++) {
            if (set->changes[k] != i) continue;
            chosen = true;
            set->changes[k] = kept; /* `kept` never exceeds i, so later rounds do not match it again */
        }
        if (!chosen && !helps(fit, &fit->changes.items[i])) fit->no_help++;
        else fit->changes.items[kept++] = fit->changes.items[i];
    }
    fit->changes.len = kept;
}

/* A board with the same memory as an earlier one: the replay is the same. */
static const struct fit_change *tried_alike(const struct fit *fit, const struct fit_change *change, size_t before) {
    for (size_t i = 0; i < before; i++)
        if (fit_chips_are_alike(fit->trace, &fit->changes.items[i], change)) return &fit->changes.items[i];
    return NULL;
}

void fit_try_all(struct fit *fit) {
    enum { CHIPS_KEPT = 3 }; /* for a long run, this many boards are tried before more of its tensors */
    size_t kept = 0, chips = 0;
    for (size_t i = 0; i < fit->changes.len; i++) chips += fit->changes.items[i].other_device;
    uint64_t half = fit->budget / 2, for_chips = (chips < CHIPS_KEPT ? chips : CHIPS_KEPT) * fit->trace->events.len;
    if (fit->source.trace || for_chips > half) for_chips = 0;
    for (size_t i = 0; i < fit->changes.len; i++) {
        struct fit_change *change = &fit->changes.items[i];
        const struct fit_change *alike = tried_alike(fit, change, kept);
        if (alike) change->result = alike->result;
        else if (fit->work > half - (change->other_device ? 0 : for_chips)) {
            ++*(change->other_device ? &fit->chips_left_out : &fit->left_out);
            continue;
        } else fit_evaluate(fit, (const struct fit_change *const *)&change, 1, &change->result);
        fit->changes.items[kept++] = *change;
    }
    fit->changes.len = kept;
    sort_changes(fit);
    fit_search(fit);
    leave_out_what_does_not_help(fit);
    find_need(fit);
}

bool fit_enough(const struct fit *fit, struct fit_set *out) {
    *out = fit->set;
    if (out->found) return out->count > 0;
    for (size_t i = 0; i < fit->changes.len; i++) {
        const struct fit_change *c = &fit->changes.items[i];
        if (!c->other_device || !fit_reaches(fit, &c->result, c->uncertainty)) continue;
        *out = (struct fit_set){.found = true,
                                .proven = true,
                                .count = 1,
                                .changes = {i},
                                .result = c->result,
                                .uncertainty = c->uncertainty,
                                .exact = !c->assumption};
        return true;
    }
    return out->maybe && out->count;
}

/* What is already listed is not added again. */
static bool add_to_set(const struct fit *fit, struct fit_set *s, size_t added, struct err *err) {
    const struct fit_change *change = &fit->changes.items[added];
    for (size_t i = 0; i < s->count; i++) {
        const struct fit_change *other = &fit->changes.items[s->changes[i]];
        if (other == change) return true;
        const char *why = fit_exclude_each_other(other, change);
        if (why) {
            err_set(err, ERR_USAGE, "'%s' and '%s' cannot be tried together: %s", other->name, change->name, why);
            return false;
        }
    }
    s->changes[s->count++] = added;
    return true;
}

int fit_try_named(struct fit *fit, const char *const *names, size_t count, struct err *err) {
    const struct fit_change *set[FIT_SET_MOST];
    struct fit_set *s = &fit->set;
    if (count > FIT_SET_MOST) return err_set(err, ERR_USAGE, "--try may be given at most %d times", FIT_SET_MOST);
    *s = (struct fit_set){.exact = true};
    for (size_t i = 0; i < count; i++) {
        size_t found = fit_find_named(fit, names[i], err);
        if (found == SIZE_MAX) return -1;
        if (!add_to_set(fit, s, found, err)) return -1;
    }
    count = s->count;
    for (size_t i = 0; i < count; i++) {
        set[i] = &fit->changes.items[s->changes[i]];
        s->uncertainty += set[i]->uncertainty;
        if (set[i]->assumption) s->exact = false;
    }
    fit_evaluate(fit, set, count, &s->result);
    enum fit_verdict verdict = fit_to_target(fit, &s->result, s->uncertainty);
    s->found = verdict == FIT_FITS;
    s->maybe = verdict == FIT_MAY_FIT;
    return 0;
}

void fit_release(struct fit *fit) {
    free(fit->addresses);
    arena_release(&fit->arena);
    vec_release(&fit->changes);
}
