/* SPDX-License-Identifier: Apache-2.0 */
/* The rank of a failure: its line may have the tag of a rank, even of one that ran nothing. */
#include <string.h>
#include <strings.h>

#include "model/fold.h"

#include "base/num.h"
#include "base/table/hash.h"

static struct line_prefix prefix_at(struct slice text, size_t at, uint32_t parts) {
    const char *above = at ? memrchr(text.ptr, '\n', at) : NULL;
    return line_prefix_read(slice_skip(text, above ? (size_t)(above + 1 - text.ptr) : 0), parts);
}

/* A logger's level followed by a bar looks like a container name. */
static bool is_level(struct slice tag) {
    static const char *const levels[] = {"critical", "fatal", "error", "warning", "warn", "info", "debug", "trace"};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (tag.len == strlen(levels[i]) && strncasecmp(tag.ptr, levels[i], tag.len) == 0) return true;
    return false;
}

static struct slice line_tag(struct slice text, size_t at) {
    return prefix_at(text, at, PREFIX_ALL & ~(uint32_t)PREFIX_CONTAINER).tag; /* such as "critical |" */
}
/* The number that a line has as its tag, and the text after it; false if it has no such tag. */
static bool numbered_line(struct slice line, uint64_t *number, struct slice *rest) {
    line = slice_take(line, slice_find_byte(line, '\n'));
    struct line_prefix prefix = line_prefix_read(line, PREFIX_ALL & ~(uint32_t)PREFIX_CONTAINER);
    *rest = slice_skip(line, prefix.len);
    return prefix.tag.len && num_read_u64(prefix.tag, number) == prefix.tag.len;
}

/* A bare number can also count lines or list items. It is a writer's tag if a neighbouring line has a number that does not
 * continue the count, or the same text (ranks print it in order), or if there is no neighbouring line. */
static struct slice failing_tag(struct slice text, size_t at) {
    enum { MOST_RANKS = 4096 };
    struct slice tag = line_tag(text, at), own, other;
    uint64_t number, beside;
    if (!tag.len || num_read_u64(tag, &number) != tag.len) return tag;
    const char *above = at ? memrchr(text.ptr, '\n', at) : NULL, *below = memchr(text.ptr + at, '\n', text.len - at);
    const char *over = above && above > text.ptr ? memrchr(text.ptr, '\n', (size_t)(above - text.ptr)) : NULL;
    struct slice lines[] = {above ? slice_between(over ? over + 1 : text.ptr, above) : slice_of("", 0),
                            below ? slice_between(below + 1, text.ptr + text.len) : slice_of("", 0)};
    bool alone = true, writer = false;
    numbered_line(slice_skip(text, above ? (size_t)(above + 1 - text.ptr) : 0), &number, &own);
    for (size_t i = 0; i < 2; i++) {
        if (!slice_take(lines[i], slice_find_byte(lines[i], '\n')).len) continue;
        alone = false;
        if (!numbered_line(lines[i], &beside, &other)) continue;
        bool counts_on = i ? beside == number + 1 : beside + 1 == number;
        writer |= !counts_on || slice_equal(own, other);
    }
    return (alone || writer) && number < MOST_RANKS ? tag : slice_of("", 0);
}

/* The rank whose loose tag ("node1:") begins the line. Words of the message look like such a tag too ("TT_FATAL:"), so the
 * first that names a rank counts. */
static struct rank_state *loosely_tagged(struct fold *fold, struct slice text, size_t at) {
    enum { MOST_WORDS = 8 };
    const char *above = at ? memrchr(text.ptr, '\n', at) : NULL;
    struct slice line = slice_between(above ? above + 1 : text.ptr, text.ptr + at);
    struct rank_state *known = NULL;
    for (size_t end = 0, n = 0; end < line.len && n < MOST_WORDS && !known; n++) {
        size_t space = slice_find_byte(slice_skip(line, end), ' ');
        end = space == SLICE_NONE ? line.len : end + space + 1;
        known = fold_known_rank(fold, line_prefix_read(slice_take(line, end), PREFIX_RUNTIME).tag);
    }
    return known;
}

/* Finds the rank of the failing line by its tag. A tag of the same kind as those of ranks is a rank too, even if it ran
 * nothing. If no rank has run yet, this is decided at the end. */
static struct rank_state *failing_rank(struct fold *fold, struct rank_state *rank, struct slice text, size_t at,
                                       struct failure_line *line) {
    char room[PREFIX_TAG_ROOM];
    struct line_prefix prefix = prefix_at(text, at, PREFIX_ALL);
    struct slice tag = line_prefix_writer(&prefix, room);
    const struct log_writer *first = fold->first_writer == NONE ? NULL : &fold->writers.items[fold->first_writer];
    fold->early_tag = 0;
    struct rank_state *known = fold_known_rank(fold, tag);
    if (!known && first && first->part & PREFIX_LOOSE) known = loosely_tagged(fold, text, at);
    line->named = known != NULL;
    line->by_mpi = prefix.tag_is_rank;
    if (known) return known;
    if (!tag.len && rank->id == fold->writers.items[0].rank) return &fold->state[fold->untagged_rank];
    if (!tag.len || (prefix.tag_part == PREFIX_CONTAINER && is_level(prefix.tag))) return rank;
    line->named = first && first->part == prefix.tag_part;
    if (line->named) return fold_rank(fold, fold_tag_writer(fold, tag, prefix.tag_part), true);
    if (!first && !fold->untagged_runs && (prefix.tag_part == PREFIX_CONTAINER || failing_tag(text, at).len)) {
        fold->early_tag = strtab_id(&fold->run->strings, tag);
        fold->early_part = prefix.tag_part;
    }
    return rank;
}

/* Do the bytes that name the writer agree? The texts are alike, so they are at the same places. */
static bool same_who(const struct failure_line *line, struct slice before) {
    for (unsigned i = 0; i < FAILURE_WHO; i++) {
        size_t at = line->who[i].at;
        if (memcmp(line->before + at, before.ptr + at, line->who[i].len) != 0) return false;
    }
    return true;
}

/* Keeps the text before a message, and what of it names the writer. */
static void keep_before(struct failure_line *line, struct slice before, bool loose) {
    struct line_prefix all = line_prefix_read(before, PREFIX_ALL);
    struct slice who[FAILURE_WHO] = {all.tag, all.outer, all.job,
                                     line_prefix_read(before, PREFIX_ALL & ~(uint32_t)PREFIX_CONTAINER).tag};
    if (loose) who[0] = before; /* any word may be a tag */
    for (size_t i = 0; i < FAILURE_WHO; i++) {
        line->who[i].at = who[i].len ? (uint8_t)(who[i].ptr - before.ptr) : 0;
        line->who[i].len = (uint8_t)who[i].len;
    }
    memcpy(line->before, before.ptr, before.len);
    line->before_len = (uint8_t)before.len;
}

struct failure_line *fold_line_like(struct fold *fold, uint32_t rank, struct slice before, bool *again) {
    const struct failure_alike *alike = &fold->alike;
    const struct alike_row *row = &alike->rows[alike->last];
    const bool loose = fold->first_writer != NONE && fold->writers.items[fold->first_writer].part & PREFIX_LOOSE;
    *again = false;
    if (!alike->on || !before.len || before.len > FAILURE_LEAD_KEPT || before.len != row->at ||
        row->tag_at + row->tag_len > row->at)
        return &fold->lines[FAILURE_LINES];
    uint64_t place = hash_bytes64(slice_take(slice_skip(before, row->tag_at), row->tag_len)) + alike->last * 5u + rank;
    struct failure_line *line = &fold->lines[place % FAILURE_LINES];
    *again = line->chain == alike->chain && line->row == alike->last && line->writer == rank &&
             line->before_len == before.len && same_who(line, before);
    if (!*again) keep_before(line, before, loose);
    line->row = alike->last;
    return line;
}

void fold_failing_line(struct fold *fold, uint32_t rank, struct slice text, size_t at, struct failure_line *line) {
    uint64_t number;
    line->failing = failing_rank(fold, &fold->state[rank], text, at, line)->id;
    struct slice tag = failing_tag(text, at), any = line_tag(text, at);
    line->tag = tag.len ? strtab_id(&fold->run->strings, tag) : 0;
    line->counted = any.len && num_read_u64(any, &number) == any.len;
    line->early_tag = fold->early_tag;
    line->early_part = fold->early_part;
}

bool fold_meets_failure(struct fold *fold, enum meeting meeting, uint32_t rank, uint32_t failure) {
    const uint64_t key = (uint64_t)rank << 32 | failure;
    bool added;
    *map_at(&fold->met, (struct hash128){hash_mix(meeting, key), key}, &added) = 1;
    return added;
}

void fold_failed_early(struct fold *fold, uint32_t failure, uint64_t line, bool counts) {
    if (fold->early_tag)
        vec_push(&fold->early, ((struct early_failure){failure, fold->early_tag, fold->early_part, line, counts}));
    fold->early_tag = 0;
}

/* Assigns failures that came before any rank had run. */
void fold_place_early(struct fold *fold) {
    struct run *run = fold->run;
    const uint16_t from = fold->writers.items[0].rank;
    for (size_t i = 0; i < fold->early.len; i++) {
        const struct early_failure *early = &fold->early.items[i];
        const bool alike = fold->first_writer != NONE && fold->writers.items[fold->first_writer].part == early->part;
        if (!alike && !fold_known_rank(fold, run_string(run, early->tag))) continue;
        uint32_t writer = fold_tag_writer(fold, run_string(run, early->tag), early->part);
        struct rank_state *rank = fold_rank(fold, writer, true);
        const bool is_note = early->failure & SITE_NOTE, kill = !is_note && around_is_kill(fold, early->failure);
        bool first = !is_note && fold_meets_failure(fold, PLACED_EARLY, rank->id, early->failure);
        if (first && !early->counts && !kill && rank->moments) rank->failures++; /* a copy, but of another rank's message */
        if (rank->id == from) continue;
        for (size_t k = 0; k < run->failure_places.len; k++) {
            struct failure_place *place = &run->failure_places.items[k];
            if (place->failure == early->failure && place->line == early->line && place->rank == from)
                place->rank = (uint16_t)rank->id;
        }
        struct failure_site *site = around_site(fold, early->failure);
        if (early->counts && fold->state[from].failures) {
            fold->state[from].failures--;
            fold->state[from].kills -= kill && fold->state[from].kills;
            rank->failures++;
            rank->kills += kill;
        }
        if (site->rank != from || site->step != NONE) continue;
        site->rank = (uint16_t)rank->id;
        site->moment = 0;
        site->failures_so_far = rank->failures - rank->kills;
    }
    vec_clear(&fold->early);
}
