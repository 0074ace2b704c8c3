/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that should have a log but have none: judged by the numbers of the others, by the count that ttmem run noted, or
 * because a log with a name like theirs is empty or cannot be read. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/num.h"
#include "input/log_files.h"
#include "input/rank_names.h"

enum { MOST_NOTES = 5, MOST_RANKS = 20000 };

struct member {
    char *path; /* of the rank */
    struct strbuf name;
    bool lost;  /* its log is left out */
    bool twice; /* its log is another rank's */
};
typedef VEC(struct member) members;

void rank_noted_beside(const char *log, struct strbuf *host, uint64_t *ranks) {
    const char *slash = strrchr(log, '/');
    struct strbuf path = {0};
    struct source source;
    struct err ignored = {0};
    *ranks = 0;
    if (slash) strbuf_add(&path, slice_between(log, slash + 1));
    strbuf_addz(&path, "rank.json");
    struct stat st;
    if (stat(strbuf_text(&path), &st) == 0 && source_open(&source, strbuf_text(&path), &ignored) == 0) {
        struct slice host_key = SLICE("\"host\":\""), ranks_key = SLICE("\"ranks\":");
        size_t at = slice_find(source.bytes, host_key), count_at = slice_find(source.bytes, ranks_key);
        struct slice rest = at == SLICE_NONE ? slice_of("", 0) : slice_skip(source.bytes, at + host_key.len);
        size_t end = slice_find_byte(rest, '"');
        if (end != SLICE_NONE) strbuf_add(host, slice_take(rest, end));
        struct slice count = count_at == SLICE_NONE ? slice_of("", 0) : slice_skip(source.bytes, count_at + ranks_key.len);
        if (!num_read_u64(slice_take(count, slice_find_byte(count, ',')), ranks) || *ranks > MOST_RANKS) *ranks = 0;
        source_release(&source);
    }
    strbuf_release(&path);
}

static uint64_t noted_ranks(const struct log_files *files) {
    struct strbuf host = {0};
    uint64_t most = 0, ranks;
    for (size_t i = 0; i < files->items.len; i++) {
        rank_noted_beside(files->items.items[i].path, &host, &ranks);
        if (ranks > most) most = ranks;
    }
    strbuf_release(&host);
    return most;
}

/* The path with every number as one '#': what the logs of ranks have in common. */
static void shape_of(struct strbuf *out, const char *path) {
    strbuf_clear(out);
    for (const char *p = path; *p; p++) {
        bool digit = *p >= '0' && *p <= '9';
        if (!digit || p == path || p[-1] < '0' || p[-1] > '9') strbuf_addc(out, digit ? '#' : *p);
    }
}

static int by_path(const void *a, const void *b) {
    const struct member *x = a, *y = b;
    int order = rank_path_order(x->path, y->path);
    return order ? order : (int)x->lost - (int)y->lost;
}

static int same_member(const void *a, const void *b) {
    return rank_path_order(((const struct member *)a)->path, ((const struct member *)b)->path);
}

/* The distinct shapes of the logs that were read. */
static void shapes_of(struct strbuf *shapes, const members *kept) {
    struct strbuf shape = {0};
    for (size_t i = 0; i < kept->len; i++) {
        shape_of(&shape, kept->items[i].path);
        strbuf_addc(&shape, '\0');
        if (slice_find(strbuf_slice(shapes), strbuf_slice(&shape)) == SLICE_NONE) strbuf_add(shapes, strbuf_slice(&shape));
    }
    strbuf_release(&shape);
}

static bool has_shape(const struct strbuf *shapes, const char *path) {
    struct strbuf shape = {0};
    shape_of(&shape, path);
    bool found = false;
    for (size_t at = 0; at < shapes->len && !found; at += strlen(shapes->data + at) + 1)
        found = strcmp(shapes->data + at, strbuf_text(&shape)) == 0;
    strbuf_release(&shape);
    return found;
}

/* Was a log in this rank's folder read? Everything else there belongs to the same rank. */
static bool folder_was_read(const struct log_files *files, const char *path) {
    const char *end = strrchr(path, '/'), *start = end;
    while (start && start > path && start[-1] != '/') start--;
    if (!start || strncasecmp(start, "rank", 4) != 0) return false;
    for (size_t i = 0; i < files->items.len; i++)
        if (slice_starts(slice_from(files->items.items[i].path), slice_between(path, end + 1))) return true;
    return false;
}

/* Collects the logs that were read and those with similar names; returns how many others cannot be read, or were named by the
 * user and hold nothing of a run. */
static size_t find_members(const struct log_files *files, members *all) {
    struct strbuf shapes = {0};
    size_t apart = 0, kept = 0;
    for (size_t i = 0; i < files->items.len; i++)
        vec_push(all, ((struct member){.path = log_file_rank_path(&files->items.items[i])}));
    if (all->len) qsort(all->items, all->len, sizeof *all->items, by_path);
    for (size_t i = 0; i < all->len; i++) { /* stdout and stderr belong to one rank */
        if (kept && strcmp(all->items[kept - 1].path, all->items[i].path) == 0) free(all->items[i].path);
        else all->items[kept++] = all->items[i];
    }
    all->len = kept;
    shapes_of(&shapes, all);
    for (size_t i = 0; i < files->lost.len; i++) {
        const struct log_lost *lost = &files->lost.items[i];
        struct member m = {.path = log_file_rank_path(&(struct log_file){.path = lost->path}),
                           .lost = lost->why != LOG_TWICE,
                           .twice = lost->why == LOG_TWICE};
        bool read = bsearch(&m, all->items, kept, sizeof m, same_member) || folder_was_read(files, lost->path);
        if (!read && has_shape(&shapes, m.path)) {
            vec_push(all, m);
        } else {
            apart += !read && (lost->why == LOG_UNREAD || (lost->why == LOG_EMPTY && !lost->found));
            free(m.path);
        }
    }
    qsort(all->items, all->len, sizeof *all->items, by_path);
    strbuf_release(&shapes);
    return apart;
}

static void name_members(members *all) {
    const char **paths = mem_zalloc(all->len + 1, sizeof *paths);
    struct strbuf *names = mem_zalloc(all->len + 1, sizeof *names);
    for (size_t i = 0; i < all->len; i++) paths[i] = all->items[i].path;
    rank_names(paths, all->len, names);
    for (size_t i = 0; i < all->len; i++) all->items[i].name = names[i];
    free(names);
    free(paths);
}

struct rank_gaps {
    struct strbuf text;
    size_t count;
};

static void add_missing(struct rank_gaps *to, struct slice name) {
    if (to->count++ < MOST_NOTES) strbuf_addf(&to->text, "%s%.*s", to->count > 1 ? ", " : "", SLICE_FMT(name));
}

static void add_number(struct rank_gaps *to, struct slice stem, uint64_t number) {
    struct strbuf name = {0};
    strbuf_addf(&name, "%.*s%llu", SLICE_FMT(stem), (unsigned long long)number);
    add_missing(to, strbuf_slice(&name));
    strbuf_release(&name);
}

/* Are the names a stem and a number that counts ranks, not processes or jobs? */
static bool are_numbered(const members *all, uint64_t noted, struct slice *stem, uint64_t *start) {
    uint64_t number, next = 0;
    for (size_t i = 0; i < all->len; i++) {
        struct slice name = strbuf_slice(&all->items[i].name);
        size_t digits = num_at_end(name, &number);
        if (!digits || (number < next && number + 1 != next)) return false;
        if (!i) *stem = slice_take(name, name.len - digits);
        else if (!slice_equal(*stem, slice_take(name, name.len - digits))) return false;
        if (!i && number == 1 && !noted) next = *start = 1; /* numbered from 1 */
        if (number >= (noted > next + all->len ? noted : next + all->len)) return false;
        next = number + 1;
    }
    return all->len > 1;
}

/* `lost`: ranks whose log is left out, and those without one if they are `known` to have existed; `holes`: the others
 * without one. Both in rank order. */
static void find_missing(const members *all, uint64_t noted, bool known, struct rank_gaps *lost, struct rank_gaps *holes) {
    uint64_t next = 0, number;
    struct slice stem = slice_of("", 0);
    bool numbered = are_numbered(all, noted, &stem, &next);
    struct rank_gaps *gaps = known ? lost : holes;
    for (size_t i = 0; i < all->len; i++) {
        struct slice name = strbuf_slice(&all->items[i].name);
        if (numbered && num_at_end(name, &number)) {
            for (; next < number; next++) add_number(gaps, stem, next);
            next = number + 1;
        }
        bool again = i && strcmp(all->items[i - 1].path, all->items[i].path) == 0; /* a log and its compressed copy */
        if (all->items[i].lost && !again) add_missing(lost, name);
    }
    for (; numbered && next < noted; next++) add_number(gaps, stem, next);
}

uint64_t rank_missing_note(struct input *in, const struct log_files *files) {
    members all = {0};
    struct rank_gaps lost = {0}, holes = {0};
    bool known = false; /* the folder is the run: the user did not select among its logs */
    size_t apart = find_members(files, &all), present = 0;
    uint64_t noted = noted_ranks(files);
    for (size_t i = 0; i < files->items.len; i++) known |= files->items.items[i].found;
    name_members(&all);
    find_missing(&all, noted, known, &lost, &holes);
    for (size_t i = 0; i < all.len; i++) present += !all.items[i].lost && !all.items[i].twice;
    if (lost.count)
        input_note(in, "%s%s%s %s no log that can be read, %zu other%s", lost.count > 1 ? "ranks " : "rank ",
                   strbuf_text(&lost.text), lost.count > MOST_NOTES ? ", ..." : "", lost.count > 1 ? "have" : "has", present,
                   present == 1 ? " has one" : "s have one");
    if (holes.count)
        input_note(in, "no log of %s%s%s was given, %zu other%s: %s missing?", holes.count > 1 ? "ranks " : "rank ",
                   strbuf_text(&holes.text), holes.count > MOST_NOTES ? ", ..." : "", present,
                   present == 1 ? " has one" : "s have one", holes.count > 1 ? "are they" : "is it");
    uint64_t missing = lost.count + apart + files->unread_words;
    if (known && all.len == 1 && noted > 1) {
        input_note(in, "this is one of %llu ranks: the others have no log that can be read", (unsigned long long)noted);
        missing = noted - 1;
    }
    for (size_t i = 0; i < all.len; i++) {
        strbuf_release(&all.items[i].name);
        free(all.items[i].path);
    }
    vec_release(&all);
    strbuf_release(&lost.text);
    strbuf_release(&holes.text);
    return missing;
}
