/* SPDX-License-Identifier: Apache-2.0 */
/* Which rank a line is of: the one of its tag, where a tag separates ranks, and of its file, where several files are one run.
 */
#include <stdlib.h>

#include "model/fold.h"

#include "base/num.h"

static uint16_t add_rank(struct fold *fold, struct slice name) {
    bool added;
    uint16_t rank = run_write_rank(&fold->writer, name, &added);
    if (!added) return rank;
    fold->state_count = (size_t)rank + 1;
    fold->state = mem_resize(fold->state, fold->state_count, sizeof *fold->state);
    fold->state[rank] = (struct rank_state){.id = rank,
                                            .fresh = true,
                                            .pending = NONE,
                                            .last_site = NONE,
                                            .open_block = NONE,
                                            .last_block = NONE,
                                            .older = NONE,
                                            .newer = NONE,
                                            .dump.module = NONE,
                                            .torn_op = NONE};
    return rank;
}

/* The name under which a rank is kept until all are known: its file, then its tag. */
static uint32_t kept_name(struct fold *fold, uint32_t tag) {
    struct run *run = fold->run;
    if (!fold->names) return tag;
    struct strbuf name = {0};
    strbuf_add(&name, fold->names[fold->file]);
    if (tag) strbuf_addc(&name, PREFIX_OUTER_END);
    strbuf_add(&name, run_string(run, tag));
    uint32_t id = strtab_id(&run->strings, strbuf_slice(&name));
    strbuf_release(&name);
    return id;
}

void fold_begin_ranks(struct fold *fold) {
    struct run *run = fold->run;
    fold->first_state = fold->state_count;
    fold->first_module = run->modules.len;
    fold->first_writer = NONE;
    fold->tagged_ranks = 0;
    vec_clear(&fold->writers);
    for (size_t i = 0; i < fold->worker_count; i++) vec_clear(&fold->tags[i].writers);
    if (fold->file) around_next_file(fold);
    vec_push(&fold->writers, ((struct log_writer){.has_rank = true}));
    uint16_t rank = add_rank(fold, run_string(run, kept_name(fold, 0)));
    if (rank < fold->first_state) fold->first_state = rank; /* another file of the rank before */
    fold->writers.items[0].rank = rank;
}

/* The writer of a tag. In one log MPI's names a rank at once; what another one means shows later. */
static uint32_t writer_of(struct fold *fold, const struct log_tag *tag) {
    uint32_t name = strtab_id(&fold->run->strings, tag->text);
    for (size_t i = 0; i < fold->writers.len; i++)
        if (fold->writers.items[i].name == name) return (uint32_t)i;
    struct log_writer writer = {.name = name, .rank = fold->writers.items[0].rank, .has_rank = tag->is_rank && !fold->names};
    if (writer.has_rank) writer.rank = add_rank(fold, tag->text);
    vec_push(&fold->writers, writer);
    return (uint32_t)fold->writers.len - 1;
}

uint32_t fold_writer(struct fold *fold, unsigned worker, uint16_t tag) {
    struct worker_tags *tags = &fold->tags[worker];
    while (tags->writers.len <= tag) vec_push(&tags->writers, NONE);
    if (tags->writers.items[tag] == NONE) tags->writers.items[tag] = writer_of(fold, &tags->known.items[tag]);
    return tags->writers.items[tag];
}

/* A tag separates ranks when two or more of its values stand before op or memory lines. The first of them may be the only one:
 * it shares the rank of lines without a tag, and gives it its name when another one comes. */
struct rank_state *fold_rank(struct fold *fold, uint32_t number, bool runs) {
    struct log_writer *writer = &fold->writers.items[number];
    if (!writer->has_rank && runs) {
        writer->has_rank = true;
        fold->tagged_ranks++;
        if (fold->first_writer == NONE) fold->first_writer = number;
        else writer->rank = add_rank(fold, run_string(fold->run, kept_name(fold, writer->name)));
    }
    return &fold->state[writer->rank];
}

/* Text carries the tags of ranks only where those are known: whose the failing line is. */
struct rank_state *fold_failing_rank(struct fold *fold, struct rank_state *rank, struct slice text, size_t at) {
    if (fold->writers.len < 2) return rank;
    char room[PREFIX_TAG_ROOM];
    const char *above = memrchr(text.ptr, '\n', at);
    struct line_prefix prefix = line_prefix_read(slice_skip(text, above ? (size_t)(above + 1 - text.ptr) : 0), PREFIX_ALL);
    struct slice tag = line_prefix_writer(&prefix, room);
    for (size_t i = 1; tag.len && i < fold->writers.len; i++)
        if (fold->writers.items[i].has_rank && slice_equal(run_string(fold->run, fold->writers.items[i].name), tag))
            return &fold->state[fold->writers.items[i].rank];
    return rank;
}

static struct slice line_tag(struct slice text, size_t at) {
    const char *above = at ? memrchr(text.ptr, '\n', at) : NULL;
    return line_prefix_read(slice_skip(text, above ? (size_t)(above + 1 - text.ptr) : 0),
                            PREFIX_ALL & ~(uint32_t)PREFIX_CONTAINER) /* "critical |" */
        .tag;
}

/* The number that a line begins with as its tag, and what stands after it; false when it has no such tag. */
static bool numbered_line(struct slice line, uint64_t *number, struct slice *rest) {
    line = slice_take(line, slice_find_byte(line, '\n'));
    struct line_prefix prefix = line_prefix_read(line, PREFIX_ALL & ~(uint32_t)PREFIX_CONTAINER);
    *rest = slice_skip(line, prefix.len);
    return prefix.tag.len && num_read_u64(prefix.tag, number) == prefix.tag.len;
}

/* A bare number may also count lines, or the items of somebody's list. It is a writer's where the line beside it has the same,
 * or another number that does not count on from it; where both lines say the same, ranks do so in their order; and where there
 * is no line beside it. */
struct slice fold_failing_tag(struct slice text, size_t at) {
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

void fold_name_ranks(struct fold *fold) {
    struct run *run = fold->run;
    const struct log_writer *first = fold->first_writer == NONE ? NULL : &fold->writers.items[fold->first_writer];
    if (fold->tagged_ranks > 1) run->ranks.items[first->rank].name = kept_name(fold, first->name);
    for (size_t i = fold->first_module; i < run->modules.len; i++) {
        struct module *module = &run->modules.items[i];
        uint32_t name = strtab_id(&run->strings, module->tag);
        for (size_t w = 1; w < fold->writers.len; w++)
            if (fold->writers.items[w].name == name) module->rank = fold->writers.items[w].rank;
    }
    if (!fold->names) fold_choose_names(run);
}

static struct slice last_part(struct slice name) {
    const char *end = name.len ? memrchr(name.ptr, PREFIX_OUTER_END, name.len) : NULL;
    return end ? slice_between(end + 1, name.ptr + name.len) : name;
}

static struct slice first_part(struct slice name) { return slice_take(name, slice_find_byte(name, PREFIX_OUTER_END)); }

static struct slice whole(struct slice name) { return name; }

/* Whether the parts tell the ranks apart that have a name. */
static bool tells_apart(const struct run *run, struct slice (*part)(struct slice name)) {
    struct map seen = {0};
    bool apart = true, added = true;
    for (size_t i = 0; apart && i < run->ranks.len; i++) {
        if (run->ranks.items[i].name) map_at(&seen, hash_bytes(part(run_string(run, run->ranks.items[i].name))), &added);
        apart = added;
    }
    map_release(&seen);
    return apart;
}

void fold_choose_names(struct run *run) {
    static struct slice (*const parts[])(struct slice name) = {last_part, first_part, whole};
    size_t part = 0;
    while (part < 2 && !tells_apart(run, parts[part])) part++;
    for (size_t i = 0; i < run->ranks.len; i++) {
        char room[2 * PREFIX_TAG_ROOM];
        struct slice name = slice_take(parts[part](run_string(run, run->ranks.items[i].name)), sizeof room);
        for (size_t k = 0; k < name.len; k++) room[k] = name.ptr[k] == PREFIX_OUTER_END ? ' ' : name.ptr[k];
        run->ranks.items[i].name = strtab_id(&run->strings, slice_of(room, name.len));
    }
}

struct named_rank {
    struct slice name;
    uint16_t was;
};

static int by_name(const void *a, const void *b) {
    const struct named_rank *x = a, *y = b;
    int order = slice_natural(x->name, y->name);
    return order ? order : x->was < y->was ? -1 : x->was > y->was;
}

/* The number of a rank is its place in every list: who wrote first does not matter. */
void fold_sort_ranks(struct run *run) {
    size_t count = run->ranks.len;
    struct named_rank *order = mem_alloc((count + 1) * sizeof *order);
    struct rank *ranks = mem_alloc((count + 1) * sizeof *ranks);
    uint16_t *now = mem_alloc((count + 1) * sizeof *now);
    for (size_t i = 0; i < count; i++) order[i] = (struct named_rank){run_string(run, run->ranks.items[i].name), (uint16_t)i};
    qsort(order, count, sizeof *order, by_name);
    for (size_t i = 0; i < count; i++) {
        ranks[i] = run->ranks.items[order[i].was];
        now[order[i].was] = (uint16_t)i;
    }
    if (count) memcpy(run->ranks.items, ranks, count * sizeof *ranks);
#define RENUMBER(rows) \
    for (size_t i = 0; i < run->rows.len; i++) run->rows.items[i].rank = now[run->rows.items[i].rank]
    RENUMBER(steps);
    RENUMBER(executions);
    RENUMBER(tensors);
    RENUMBER(regions);
    RENUMBER(modules);
    RENUMBER(parts);
    RENUMBER(failure_sites);
    RENUMBER(note_sites);
#undef RENUMBER
    free(order);
    free(ranks);
    free(now);
}
