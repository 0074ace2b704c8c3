/* SPDX-License-Identifier: Apache-2.0 */
#include "input/rank_names.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"
#include "base/table/map.h"
#include "base/vec.h"

enum piece_kind { PIECE_DIGITS, PIECE_LETTERS, PIECE_OTHER };

static enum piece_kind kind_of(char c) {
    if (c >= '0' && c <= '9') return PIECE_DIGITS;
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? PIECE_LETTERS : PIECE_OTHER;
}

/* A path as numbers, words and single other bytes. */
struct pieces {
    VEC(struct slice) of;
};

static void split(struct pieces *out, const char *path) {
    for (const char *p = path; *p;) {
        enum piece_kind kind = kind_of(*p);
        const char *start = p++;
        while (*p && kind != PIECE_OTHER && kind_of(*p) == kind) p++;
        vec_push(&out->of, slice_between(start, p));
    }
}

static uint64_t number_of(struct slice digits) {
    uint64_t n;
    return digits.len && kind_of(digits.ptr[0]) == PIECE_DIGITS && num_read_u64(digits, &n) == digits.len ? n : UINT64_MAX;
}

/* The text at a place, with the letters directly before it, so that it is host2 and not 2. */
static struct slice word_at(const struct pieces *pieces, size_t place) {
    struct slice s = pieces->of.items[place];
    const struct slice *before = place ? &pieces->of.items[place - 1] : NULL;
    if (!before || kind_of(s.ptr[0]) != PIECE_DIGITS || kind_of(before->ptr[0]) != PIECE_LETTERS) return s;
    return slice_between(before->ptr, s.ptr + s.len);
}

/* The number of different texts there, and the largest number. */
static size_t values_at(const struct pieces *files, size_t count, size_t place, uint64_t *largest) {
    struct map seen = {0};
    *largest = 0;
    for (size_t i = 0; i < count; i++) {
        bool added;
        struct slice s = files[i].of.items[place];
        map_at(&seen, hash_bytes(s), &added);
        uint64_t n = number_of(s);
        if (n > *largest) *largest = n;
    }
    size_t values = seen.len;
    map_release(&seen);
    return values;
}

static bool same_shape(const struct pieces *files, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (files[i].of.len != files[0].of.len) return false;
    return true;
}

/* Paths of one shape: the place that distinguishes all, else all places that differ. */
static void name_by_places(const struct pieces *files, size_t count, size_t distinct, struct strbuf *names) {
    size_t best = SIZE_MAX;
    uint64_t best_largest = UINT64_MAX, largest;
    for (size_t place = 0; place < files[0].of.len; place++) {
        if (values_at(files, count, place, &largest) != distinct || largest > best_largest) continue;
        best = place;
        best_largest = largest;
    }
    for (size_t place = 0; place < files[0].of.len; place++) {
        if (best == SIZE_MAX ? values_at(files, count, place, &largest) < 2 : place != best) continue;
        for (size_t i = 0; i < count; i++) {
            if (names[i].len) strbuf_addc(&names[i], ',');
            strbuf_add(&names[i], word_at(&files[i], place));
        }
    }
}

static size_t distinct_paths(const char *const *paths, size_t count) {
    struct map seen = {0};
    for (size_t i = 0; i < count; i++) {
        bool added;
        map_at(&seen, hash_bytes(slice_from(paths[i])), &added);
    }
    size_t n = seen.len;
    map_release(&seen);
    return n;
}

/* The paths without the folders that all have in common. */
static void name_by_rest(const char *const *paths, size_t count, struct strbuf *names) {
    size_t common = strlen(paths[0]);
    for (size_t i = 1; i < count; i++) {
        size_t n = 0;
        while (n < common && paths[i][n] == paths[0][n]) n++;
        common = n;
    }
    while (common && paths[0][common - 1] != '/') common--;
    for (size_t i = 0; i < count; i++) strbuf_addz(&names[i], paths[i] + common);
}

/* The number that a path itself calls a rank: rank.3, rank_3, rank3; the last of them. Empty: none. */
static struct slice told_rank(const char *path) {
    struct slice found = slice_of("", 0);
    for (const char *p = path; (p = strstr(p, "rank")); p += 4) {
        const char *start = p + 4 + (p[4] && strchr("._-", p[4])), *end = start;
        while (kind_of(*end) == PIECE_DIGITS) end++;
        if (end > start) found = slice_between(start, end);
    }
    return found;
}

/* False if some path does not say, or two say the same. */
static bool name_by_word(const char *const *paths, size_t count, size_t distinct, struct strbuf *names) {
    struct map seen = {0};
    size_t told = 0;
    for (size_t i = 0; i < count; i++) {
        bool added;
        struct slice rank = told_rank(paths[i]);
        if (rank.len) map_at(&seen, hash_bytes(rank), &added);
        told += rank.len > 0;
    }
    bool apart = told == count && seen.len == distinct;
    for (size_t i = 0; apart && i < count; i++) strbuf_add(&names[i], told_rank(paths[i]));
    map_release(&seen);
    return apart;
}

void rank_names(const char *const *paths, size_t count, struct strbuf *names) {
    struct pieces *files = mem_zalloc(count + 1, sizeof *files);
    for (size_t i = 0; i < count; i++) split(&files[i], paths[i]);
    size_t distinct = distinct_paths(paths, count);
    bool named = distinct > 1 && name_by_word(paths, count, distinct, names);
    if (!named && distinct > 1 && same_shape(files, count)) name_by_places(files, count, distinct, names);
    else if (!named && count) name_by_rest(paths, count, names);
    for (size_t i = 0; i < count; i++) vec_release(&files[i].of);
    free(files);
}

/* "nodeA" and "nodeB" */
static bool differ_in_last_letter(struct slice a, struct slice b) {
    return a.len == b.len && a.len && memcmp(a.ptr, b.ptr, a.len - 1) == 0;
}

/* Numbers may differ, and, where those of other paths differ, folders and the last letter of a name. */
static bool differs_like(const struct pieces *path, const struct pieces *other, const struct pieces *known, size_t count) {
    size_t folders = path->of.len; /* number of places before the name */
    while (folders && path->of.items[folders - 1].ptr[0] != '/') folders--;
    for (size_t place = 0; place < path->of.len; place++) {
        struct slice mine = path->of.items[place], its = other->of.items[place];
        if (kind_of(mine.ptr[0]) != kind_of(its.ptr[0])) return false;
        bool may = slice_equal(mine, its) || kind_of(mine.ptr[0]) == PIECE_DIGITS;
        for (size_t i = 0; !may && (place < folders || differ_in_last_letter(mine, its)) && i < count; i++)
            may = known[i].of.len == path->of.len && !slice_equal(known[i].of.items[place], its);
        if (!may) return false;
    }
    return true;
}

bool rank_path_is_like(const char *path, const char *const *known, size_t count) {
    struct pieces own = {0}, *others = mem_zalloc(count + 1, sizeof *others);
    bool like = false;
    split(&own, path);
    for (size_t i = 0; i < count; i++) split(&others[i], known[i]);
    for (size_t i = 0; i < count && !like; i++)
        like = others[i].of.len == own.of.len && differs_like(&own, &others[i], others, count);
    for (size_t i = 0; i < count; i++) vec_release(&others[i].of);
    vec_release(&own.of);
    free(others);
    return like;
}

/* "host0" and "node-a1" in host0/rank.0.log: a folder named like a host. */
static struct slice host_folder(const char *path) {
    static const char *const words[] = {"host", "node"};
    for (const char *at = path, *end; (end = strchr(at, '/')); at = end + 1)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strncasecmp(at, words[i], strlen(words[i])) == 0) return slice_between(at, end);
    return slice_of("", 0);
}

/* "node01" in train-71-node01-3.log, Slurm's %x-%j-%N-%t: after the number of the job, before that of the task. */
static struct slice host_in_name(const char *path, struct slice *job) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strchr(name, '.');
    struct slice stem = dot ? slice_between(name, dot) : slice_from(name);
    uint64_t number;
    size_t task = num_at_end(stem, &number), from = slice_find_byte(stem, '-');
    if (!task || task + 1 >= stem.len || stem.ptr[stem.len - task - 1] != '-') return slice_of("", 0);
    struct slice rest = from == SLICE_NONE ? slice_of("", 0) : slice_skip(slice_take(stem, stem.len - task - 1), from + 1);
    while (rest.len) {
        size_t end = slice_find_byte(rest, '-');
        if (end == SLICE_NONE) break;
        *job = slice_take(rest, end);
        rest = slice_skip(rest, end + 1);
        if (num_read_u64(*job, &number) == job->len && rest.len && kind_of(rest.ptr[0]) == PIECE_LETTERS) return rest;
    }
    return slice_of("", 0);
}

void rank_hosts(const char *const *paths, size_t count, struct strbuf *hosts) {
    struct slice first = slice_of("", 0), job = first;
    bool folders = count > 0, names = count > 0;
    for (size_t i = 0; i < count; i++) {
        folders &= host_folder(paths[i]).len > 0;
        names &= host_in_name(paths[i], &job).len > 0;
        if (!i) first = job;
        names &= slice_equal(first, job);
    }
    for (size_t i = 0; (folders || names) && i < count; i++)
        strbuf_add(&hosts[i], folders ? host_folder(paths[i]) : host_in_name(paths[i], &job));
}

int rank_path_order(const char *a, const char *b) {
    struct pieces x = {0}, y = {0};
    split(&x, a);
    split(&y, b);
    int order = 0;
    for (size_t i = 0; !order && i < x.of.len && i < y.of.len; i++) {
        struct slice p = x.of.items[i], q = y.of.items[i];
        uint64_t m = number_of(p), n = number_of(q);
        if (m != n && m != UINT64_MAX && n != UINT64_MAX) order = m < n ? -1 : 1;
        else order = memcmp(p.ptr, q.ptr, p.len < q.len ? p.len : q.len);
        if (!order && p.len != q.len) order = p.len < q.len ? -1 : 1;
    }
    if (!order) order = x.of.len < y.of.len ? -1 : x.of.len > y.of.len;
    vec_release(&x.of);
    vec_release(&y.of);
    return order;
}
