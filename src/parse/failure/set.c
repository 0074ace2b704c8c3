/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/failure/set.h"

#include "parse/failure/alike.h"

#include "scan/chunks.h"
#include "scan/count.h"

/* Ids differ between occurrences of one failure. */
static const uint32_t ids = 1u << FAILURE_PROGRAM | 1u << FAILURE_DEVICE | 1u << FAILURE_PID;

enum { AKIN_REACH = 64 };

static bool has_program(const struct failure_entry *e, uint64_t program) {
    for (size_t i = 0; i < e->programs.len; i++)
        if (e->programs.items[i] == program) return true;
    return false;
}

/* Do the digits of `n` begin with those of `start`? */
static bool begins_with(uint64_t n, uint64_t start) {
    while (n > start) n /= 10;
    return n == start && start;
}

static bool same_number(const struct failure *a, const struct failure *b, unsigned n) {
    if (a->number[n] == b->number[n]) return true;
    return ((a->open_ended >> n & 1) && begins_with(b->number[n], a->number[n])) ||
           ((b->open_ended >> n & 1) && begins_with(a->number[n], b->number[n]));
}

static bool same_values(const struct failure *a, const struct failure *b) {
    for (uint32_t both = a->known & b->known & ~ids; both; both &= both - 1)
        if (!same_number(a, b, (unsigned)__builtin_ctz(both))) return false;
    if (a->pool && b->pool && a->pool != b->pool) return false;
    return !a->core_range[0] || !b->core_range[0] || strcmp(a->core_range, b->core_range) == 0;
}

/* The kernel reports one kill in several lines, each with its own figures. */
static bool is_same_kill(const struct failure *a, const struct failure *b) {
    bool ids_differ =
        failure_knows(a, FAILURE_PID) && failure_knows(b, FAILURE_PID) && a->number[FAILURE_PID] != b->number[FAILURE_PID];
    return a->kind == FAILURE_HOST_KILLED && !ids_differ;
}

/* The kernel reports a kill, then the shell or CI reports its signal: both are the same kill. */
static bool is_kill_and_signal(const struct failure *a, const struct failure *b) {
    if (a->kind != FAILURE_HOST_KILLED || b->kind != FAILURE_HOST_KILLED) return false;
    bool told = failure_is_signal_9(a) || failure_is_signal_9(b);
    bool runner = (a->maybe_other && !failure_is_signal_9(a)) || (b->maybe_other && !failure_is_signal_9(b));
    return told && !runner && is_same_kill(a, b);
}

static bool same_text(const char *a, const char *b) { return !a[0] || !b[0] || strcmp(a, b) == 0; }

/* A message that says less than another is the same failure, cut, if everything it says agrees. */
static bool is_same(const struct failure_entry *e, const struct failure *f) {
    const struct failure *old = &e->failure;
    if (is_kill_and_signal(old, f)) return true;
    if (old->kind != f->kind || old->rule != f->rule || old->what != f->what || old->unformatted != f->unformatted ||
        !same_values(old, f) || !same_text(old->op, f->op) || !same_text(old->subject, f->subject) ||
        !same_text(old->core_type, f->core_type) || strcmp(old->words, f->words) != 0)
        return false;
    if (f->kind == FAILURE_HOST_KILLED) return is_same_kill(old, f);
    uint32_t mine = f->known & ~ids, theirs = old->known & ~ids;
    if ((mine & theirs) != mine && (mine & theirs) != theirs) return false;
    if (mine == theirs) return true;
    return !failure_knows(f, FAILURE_PROGRAM) || !e->programs.len || has_program(e, f->number[FAILURE_PROGRAM]);
}

/* Takes over names that only one of the two messages has. */
static void fill_names(struct failure *to, const struct failure *from) {
    if (!to->subject[0]) memcpy(to->subject, from->subject, sizeof from->subject);
    if (!to->cgroup[0]) memcpy(to->cgroup, from->cgroup, sizeof from->cgroup);
    if (!to->core_range[0]) memcpy(to->core_range, from->core_range, sizeof from->core_range);
    if (!to->pool) to->pool = from->pool;
    if (!to->op[0]) memcpy(to->op, from->op, sizeof from->op);
    if (!to->core_type[0]) memcpy(to->core_type, from->core_type, sizeof from->core_type);
}

/* Keeps the fuller message, at the place of the first. */
static void merge(struct failure_entry *e, const struct failure *f) {
    uint32_t mine = f->known & ~ids, theirs = e->failure.known & ~ids;
    const struct failure had = e->failure;
    if ((mine & theirs) == theirs && mine != theirs) e->failure = *f;
    for (unsigned n = 0; n < FAILURE_NUMBERS; n++)
        if ((mine & theirs) >> n & 1 && f->number[n] > e->failure.number[n]) e->failure.number[n] = f->number[n];
    if (failure_is_signal_9(&e->failure)) e->failure.what = f->what, e->failure.maybe_other = f->maybe_other;
    if (f->kind == FAILURE_HOST_KILLED) {
        uint32_t more = f->known & ~e->failure.known;
        for (unsigned n = 0; n < FAILURE_NUMBERS; n++)
            if (more >> n & 1) e->failure.number[n] = f->number[n];
        e->failure.known |= more;
    }
    fill_names(&e->failure, f);
    fill_names(&e->failure, &had);
}

static size_t put_bytes(char *out, size_t len, const void *bytes, size_t n) {
    memcpy(out + len, bytes, n);
    return len + n;
}

/* Equal for messages that say the same apart from ids; a message cut down to its id has nothing else. */
static struct hash128 values_key(const struct failure *f) {
    const uint32_t known = f->known & ~ids ? f->known & ~ids : f->known;
    const bool by_pid = f->kind == FAILURE_HOST_KILLED && failure_knows(f, FAILURE_PID);
    const uint64_t head[] = {
        f->kind,       f->pool, known, by_pid ? f->number[FAILURE_PID] + 1 : 0, (uintptr_t)f->rule, (uintptr_t)f->what,
        f->unformatted};
    const char *const texts[] = {f->op, f->words, f->core_range, f->core_type, f->subject};
    char values[sizeof head + sizeof f->number + sizeof f->op + sizeof f->words + sizeof f->core_range + sizeof f->core_type +
                sizeof f->subject];
    size_t len = put_bytes(values, 0, head, sizeof head);
    for (uint32_t left = known; left; left &= left - 1) /* few of them: the key stays short */
        len = put_bytes(values, len, &f->number[__builtin_ctz(left)], sizeof *f->number);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i][0]) len = put_bytes(values, len, texts[i], strlen(texts[i]) + 1);
        else values[len++] = 0;
    return hash_bytes(slice_of(values, len));
}

/* The entry, among the latest ones, of a message that says more or less of the same. */
static size_t find_akin(const struct failure_set *set, const struct failure *f) {
    size_t len = set->entries.len, first = len > AKIN_REACH ? len - AKIN_REACH : 0;
    if (len > FAILURE_SET_MAX) first = FAILURE_SET_MAX;
    for (size_t i = len; i > first; i--)
        if (is_same(&set->entries.items[i - 1], f)) return i - 1;
    return SLICE_NONE;
}

/* The entry for the latest of the failures that are no longer kept apart; it replaces the previous one of the same wording. */
static size_t take_latest(struct failure_set *set, const struct failure *f, uint64_t line) {
    for (size_t i = FAILURE_SET_MAX; i < set->entries.len; i++) {
        struct failure_entry *e = &set->entries.items[i];
        if (e->failure.kind != f->kind || e->failure.what != f->what || e->failure.rule != f->rule ||
            e->failure.pool != f->pool)
            continue;
        set->left_out += e->count;
        failure_copy(&e->failure, f);
        e->line = line;
        e->count = e->programs.len = 0;
        return i;
    }
    vec_push(&set->entries, ((struct failure_entry){.failure = *f, .line = line}));
    return set->entries.len - 1;
}

size_t failure_set_add(struct failure_set *set, const struct failure *f, uint64_t line) {
    struct hash128 key = values_key(f);
    uint32_t *place = map_find(&set->by_values, key);
    size_t i = place ? *place : find_akin(set, f);
    bool full = set->entries.len >= FAILURE_SET_MAX;
    if (i == SLICE_NONE && full && f->kind == FAILURE_TRACE_UNSAFE) { /* buffers refer to it */
        set->left_out++;
        return SLICE_NONE;
    }
    if (i == SLICE_NONE && full) i = take_latest(set, f, line);
    else if (i == SLICE_NONE) {
        i = set->entries.len;
        vec_push(&set->entries, ((struct failure_entry){.failure = *f, .line = line}));
    }
    bool added;
    if (!place && i < FAILURE_SET_MAX && set->by_values.len < 2 * FAILURE_SET_MAX)
        *map_at(&set->by_values, key, &added) = (uint32_t)i;
    struct failure_entry *e = &set->entries.items[i];
    if (e->count) merge(e, f);
    e->count++;
    if (failure_knows(f, FAILURE_PROGRAM) && e->programs.len < FAILURE_PROGRAMS_MAX &&
        !has_program(e, f->number[FAILURE_PROGRAM]))
        vec_push(&e->programs, f->number[FAILURE_PROGRAM]);
    return i;
}

void failure_set_release(struct failure_set *set) {
    for (size_t i = 0; i < set->entries.len; i++) vec_release(&set->entries.items[i].programs);
    vec_release(&set->entries);
    map_release(&set->by_values);
}

/* ---- a text in memory ---- */

struct chunk_failures {
    size_t begin, end;
    VEC(struct failure) found;
};

struct text_reading {
    struct failure_set *set;
    struct slice text;
    size_t end;     /* end of the last failure */
    size_t counted; /* line breaks are counted up to here */
    uint64_t lines;
};

/* Failures that begin in [from, end) of the chunk. */
static void search_chunk(struct slice text, size_t from, struct chunk_failures *out) {
    struct slice reach = text.len - out->end > FAILURE_WINDOW ? slice_take(text, out->end + FAILURE_WINDOW) : text;
    struct failure_alike alike = {0};
    const struct failure *f;
    out->found.len = 0;
    for (; (f = failure_alike_search(&alike, reach, 0, from, out->end)); from = f->at + f->length) vec_push(&out->found, *f);
}

static void *read_chunk(void *context, unsigned thread, struct slice text, size_t begin, size_t end) {
    (void)context, (void)thread;
    struct chunk_failures *out = mem_zalloc(1, sizeof *out);
    out->begin = begin, out->end = end;
    search_chunk(text, begin, out);
    return out;
}

/* A message of the previous chunk may extend into this one: anything that begins inside it is part of it. */
static void take_chunk(void *context, void *result) {
    struct text_reading *r = context;
    struct chunk_failures *chunk = result;
    if (chunk->found.len && chunk->found.items[0].at < r->end) search_chunk(r->text, r->end, chunk);
    for (size_t i = 0; i < chunk->found.len; i++) {
        const struct failure *f = &chunk->found.items[i];
        r->lines += count_byte(slice_between(r->text.ptr + r->counted, r->text.ptr + f->at), '\n');
        r->counted = f->at;
        r->end = f->at + f->length;
        failure_set_add(r->set, f, r->lines + 1);
    }
    vec_release(&chunk->found);
    free(chunk);
}

void failure_set_add_text(struct failure_set *set, struct slice text) {
    struct text_reading reading = {.set = set, .text = text};
    struct chunk_work work = {&reading, read_chunk, take_chunk};
    chunks_run(&work, text, chunks_threads(text.len));
}

/* ---- a text in pieces ---- */

/* Takes the failures that begin before `limit`; the text after them in `data` is complete. Keeps the rest for the next
 * round, with a lead before it. */
static void take(struct failure_stream *s, size_t limit) {
    struct slice text = slice_of(s->data, s->len);
    struct failure_alike alike = {0};
    const struct failure *f;
    size_t from = s->done, counted = 0;
    while ((f = failure_alike_search(&alike, text, 0, from, limit))) {
        s->lines += count_byte(slice_of(s->data + counted, f->at - counted), '\n');
        counted = f->at;
        failure_set_add(s->set, f, s->lines + 1);
        from = f->at + f->length;
    }
    size_t done = from > limit ? from : limit, drop = done > FAILURE_LEAD ? done - FAILURE_LEAD : 0;
    if (drop < counted) s->lines -= count_byte(slice_of(s->data + drop, counted - drop), '\n');
    else s->lines += count_byte(slice_of(s->data + counted, drop - counted), '\n');
    memmove(s->data, s->data + drop, s->len - drop);
    s->len -= drop;
    s->done = done - drop;
}

void failure_stream_took(struct failure_stream *s, size_t n) {
    s->len += n;
    s->bytes += n;
    if (s->len > s->done + FAILURE_WINDOW) take(s, s->len - FAILURE_WINDOW);
}

void failure_stream_finish(struct failure_stream *s) { take(s, s->len); }
