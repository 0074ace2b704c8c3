/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/places.h"

#include <stdlib.h>

#include "analysis/failure/run_failures.h"

static size_t kind_of(uint32_t failure) { return failure & SITE_NOTE ? 1 : 0; }
static uint32_t number_of(uint32_t failure) { return failure & ~(uint32_t)SITE_NOTE; }

/* Who printed a line, as the run names its ranks; next to op and memory lines a tag with a single value means nothing, but
 * without such lines it may be the only hint. */
static uint32_t name_of(const struct run *run, const struct failure_place *place) {
    const struct rank *rank = &run->ranks.items[place->rank];
    return rank->name ? rank->name : !rank->records && !rank->blocks ? place->tag : 0;
}

static size_t tag_index(const struct places *places, uint32_t tag) {
    size_t i = 0;
    while (i < places->tags.len && places->tags.items[i] != tag) i++;
    return i;
}

void places_init(struct places *places, const struct run *run) {
    *places = (struct places){.run = run};
    const size_t counts[] = {run->failures.entries.len, run->notes.entries.len};
    for (size_t k = 0; k < 2; k++) places->first[k] = mem_zalloc(counts[k] + 2, sizeof **places->first);
    places->order = mem_zalloc(run->failure_places.len + 1, sizeof *places->order);
    for (size_t i = 0; i < run->failure_places.len; i++) {
        const struct failure_place *place = &run->failure_places.items[i];
        places->first[kind_of(place->failure)][number_of(place->failure) + 2]++;
        bool by_tag = place->tag && !run->ranks.items[place->rank].name && name_of(run, place);
        if (by_tag && tag_index(places, place->tag) == places->tags.len) vec_push(&places->tags, place->tag);
    }
    uint32_t sum = 0;
    for (size_t k = 0; k < 2; k++) {
        places->first[k][1] = places->first[k][0] = sum;
        for (size_t i = 2; i < counts[k] + 2; i++) sum = places->first[k][i] += places->first[k][i - 1];
    }
    for (size_t i = 0; i < run->failure_places.len; i++) {
        const struct failure_place *place = &run->failure_places.items[i];
        places->order[places->first[kind_of(place->failure)][number_of(place->failure) + 1]++] = (uint32_t)i;
    }
}

void places_release(struct places *places) {
    free(places->order);
    for (size_t k = 0; k < 2; k++) free(places->first[k]);
    vec_release(&places->tags);
}

size_t places_count(const struct places *places, uint32_t failure) {
    if (failure == NONE) return 0;
    const uint32_t *first = &places->first[kind_of(failure)][number_of(failure)];
    return first[1] - first[0];
}

const struct failure_place *places_at(const struct places *places, uint32_t failure, size_t i) {
    return &places->run->failure_places.items[places->order[places->first[kind_of(failure)][number_of(failure)] + i]];
}

static bool has_name(const struct slice *names, size_t count, struct slice name) {
    for (size_t i = 0; i < count; i++)
        if (slice_equal(names[i], name)) return true;
    return false;
}

void places_ranks(const struct places *places, uint32_t failure, struct arena *arena, struct failure_context *context) {
    enum { MOST = 4096 };
    const struct run *run = places->run;
    size_t count = places_count(places, failure), found = 0;
    if (!count) return;
    const struct failure_place *first = places_at(places, failure, 0);
    uint32_t name = name_of(run, first);
    if (name && !run->ranks.items[first->rank].name) context->rank_index = (uint32_t)tag_index(places, name);
    struct slice *names = arena_alloc(arena, (count < MOST ? count : MOST) * sizeof *names);
    for (size_t i = 0; i < count && found < MOST; i++) {
        name = name_of(run, places_at(places, failure, i));
        if (name && !has_name(names, found, run_string(run, name))) names[found++] = run_string(run, name);
    }
    context->ranks = names;
    context->rank_count = found;
}

/* An occurrence after which the same writer met the failure again was caught. */
static bool happens_again(const struct places *places, uint32_t failure, size_t i) {
    const struct failure_place *place = places_at(places, failure, i);
    for (size_t k = i + 1; k < places_count(places, failure); k++) {
        const struct failure_place *later = places_at(places, failure, k);
        if (!later->copy && later->tag == place->tag && later->rank == place->rank) return true;
    }
    return false;
}

/* The op that was running there, if it is another one than at the first place. */
static void describe_there(const struct places *places, const struct failure_place *place, struct explanation *e,
                           struct arena *arena) {
    const struct run *run = places->run;
    const struct failure *f = &e->entry->failure;
    if (e->number == SLICE_NONE || e->site != e->number || f->maybe_other || place->step == NONE) return;
    if (place->step == run_failure_step(run, e->number) || run->steps.items[place->step].record == NONE) return;
    e->context.shape = e->context.layout = slice_of("", 0);
    e->context.unpadded_bytes = e->context.bfp8_per_bank = 0;
    e->context.dram.has_largest = false;
    e->context.alive = (struct alive_figures){0};
    run_describe_step(run, place->step, f, &e->context);
    verdict_judge(f, &e->context, arena, &e->verdict);
}

/* The failure at another place: what was alive is shown once. */
static struct explanation occurrence(const struct places *places, const struct explanation *of, size_t i, struct arena *arena) {
    const struct failure_place *place = places_at(places, of->site, i);
    struct explanation e = *of;
    e.live = (struct failure_live){.answer = LIVE_DOES_NOT_APPLY};
    e.line = place->line;
    e.count = 1;
    uint32_t name = name_of(places->run, place);
    struct slice *rank = arena_alloc(arena, sizeof *rank);
    *rank = name ? run_string(places->run, name) : slice_of("", 0);
    e.context.rank = *rank;
    e.context.ranks = rank;
    e.context.rank_count = name != 0;
    if (name && !places->run->ranks.items[place->rank].name) e.context.rank_index = (uint32_t)tag_index(places, name);
    else if (name) e.context.rank_index = run_rank_index(places->run, place->rank);
    describe_there(places, place, &e, arena);
    if (happens_again(places, of->site, i))
        e.outcome = (struct failure_ending){OUTCOME_CAUGHT, "the program went on to another failure"};
    return e;
}

static int by_line(const void *a, const void *b) {
    const struct explanation *x = a, *y = b;
    return x->line < y->line ? -1 : x->line > y->line;
}

void explain_each(struct explain *explain) {
    if (!explain->run || !explain->failures.len) return;
    struct places places;
    places_init(&places, explain->run);
    size_t known = explain->failures.len;
    const struct failure_entry *decisive = explain->failures.items[explain->decisive].entry;
    for (size_t i = 0; i < known; i++) {
        size_t count = places_count(&places, explain->failures.items[i].site), own = 0;
        for (size_t k = 0; k < count; k++) {
            const struct failure_place *place = places_at(&places, explain->failures.items[i].site, k);
            if (place->copy) continue;
            struct explanation e = occurrence(&places, &explain->failures.items[i], k, &explain->arena);
            if (own++) {
                vec_push(&explain->failures, e);
                continue;
            }
            e.live = explain->failures.items[i].live;
            explain->failures.items[i] = e;
        }
    }
    places_release(&places);
    qsort(explain->failures.items, explain->failures.len, sizeof *explain->failures.items, by_line);
    for (size_t i = 0; i < explain->failures.len; i++)
        if (explain->failures.items[i].entry == decisive) explain->decisive = i; /* the last time counts */
}
