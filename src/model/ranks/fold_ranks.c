/* SPDX-License-Identifier: Apache-2.0 */
/* The rank of a line: that of its tag if tags separate ranks, and of its file if several files form one run. */
#include <stdlib.h>

#include "model/fold.h"
#include "model/ranks/tag_names.h"

static uint16_t add_rank(struct fold *fold, struct slice name) {
    bool added;
    uint16_t rank = run_write_rank(&fold->writer, name, &added);
    if (rank < fold->first_state) fold->first_state = rank; /* a rank of an earlier file: its state is closed again */
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

/* The name of a rank until all are known: its file, then its tag. */
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
    fold->untagged_runs = false;
    vec_clear(&fold->early);
    vec_clear(&fold->writers);
    for (size_t i = 0; i < fold->worker_count; i++) vec_clear(&fold->tags[i].writers);
    if (fold->file) around_next_file(fold);
    vec_push(&fold->writers, ((struct log_writer){.has_rank = true}));
    uint16_t rank = add_rank(fold, run_string(run, kept_name(fold, 0)));
    fold->writers.items[0].rank = fold->untagged_rank = rank;
}

/* The writer of a tag. In a single log MPI's tag names a rank at once; what other tags mean shows later. */
uint32_t fold_tag_writer(struct fold *fold, struct slice tag, uint32_t part) {
    uint32_t name = strtab_id(&fold->run->strings, tag);
    for (size_t i = 0; i < fold->writers.len; i++)
        if (fold->writers.items[i].name == name) return (uint32_t)i;
    struct log_writer writer = {
        .name = name, .part = part, .rank = fold->writers.items[0].rank, .has_rank = part == PREFIX_MPI && !fold->names};
    if (writer.has_rank) writer.rank = add_rank(fold, tag);
    vec_push(&fold->writers, writer);
    return (uint32_t)fold->writers.len - 1;
}

uint32_t fold_writer(struct fold *fold, unsigned worker, uint16_t tag) {
    struct worker_tags *tags = &fold->tags[worker];
    while (tags->writers.len <= tag) vec_push(&tags->writers, NONE);
    const struct log_tag *known = &tags->known.items[tag];
    if (tags->writers.items[tag] == NONE) tags->writers.items[tag] = fold_tag_writer(fold, known->text, known->part);
    return tags->writers.items[tag];
}

/* If a rank has a tag, lines without one belong to another rank. */
static void part_untagged(struct fold *fold) {
    const struct log_writer *first = fold->first_writer == NONE ? NULL : &fold->writers.items[fold->first_writer];
    if (!first || first->rank != fold->writers.items[0].rank || first->part & PREFIX_LOOSE) return;
    fold->run->ranks.items[first->rank].name = kept_name(fold, first->name);
    fold->untagged_rank = add_rank(fold, run_string(fold->run, kept_name(fold, 0)));
}

/* A tag separates ranks if two or more of its values precede op or memory lines, or if there are such lines without a tag as
 * well. The first value may be the only one: it shares the rank of untagged lines, and names it when a second value comes. */
struct rank_state *fold_rank(struct fold *fold, uint32_t number, bool runs) {
    struct log_writer *writer = &fold->writers.items[number];
    if (!number && runs) {
        if (!fold->untagged_runs) part_untagged(fold);
        fold->untagged_runs = true;
        return &fold->state[fold->untagged_rank];
    }
    if (!writer->has_rank && writer->part & PREFIX_LOOSE && fold->untagged_runs) return &fold->state[fold->untagged_rank];
    if (!writer->has_rank && runs) {
        bool shares = fold->first_writer == NONE && !fold->untagged_runs;
        writer->has_rank = true;
        fold->tagged_ranks++;
        if (fold->first_writer == NONE) fold->first_writer = number;
        if (!shares) writer->rank = add_rank(fold, run_string(fold->run, kept_name(fold, writer->name)));
    }
    return &fold->state[writer->rank];
}

bool fold_is_stranger(const struct fold *fold, uint32_t number) {
    const struct log_writer *writer = &fold->writers.items[number];
    const struct log_writer *first = fold->first_writer == NONE ? NULL : &fold->writers.items[fold->first_writer];
    return number && !writer->has_rank && first && first->part == writer->part;
}

struct rank_state *fold_known_rank(struct fold *fold, struct slice tag) {
    for (size_t i = 1; tag.len && i < fold->writers.len; i++)
        if (fold->writers.items[i].has_rank && slice_equal(run_string(fold->run, fold->writers.items[i].name), tag))
            return &fold->state[fold->writers.items[i].rank];
    return NULL;
}

struct rank_state *fold_text_rank(struct fold *fold, struct slice line, struct slice *rest) {
    char room[PREFIX_TAG_ROOM];
    struct line_prefix prefix = line_prefix_read(line, PREFIX_ALL);
    *rest = slice_skip(line, prefix.len);
    return fold_known_rank(fold, line_prefix_writer(&prefix, room));
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

void fold_choose_names(struct run *run) {
    uint32_t *names = mem_alloc((run->ranks.len + 1) * sizeof *names);
    for (size_t i = 0; i < run->ranks.len; i++) names[i] = run->ranks.items[i].name;
    tag_names_choose(&run->strings, names, run->ranks.len);
    for (size_t i = 0; i < run->ranks.len; i++) run->ranks.items[i].name = names[i];
    free(names);
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

/* Ranks are numbered by name in every list, whichever wrote first. */
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
    RENUMBER(failure_places);
    RENUMBER(note_sites);
#undef RENUMBER
    free(order);
    free(ranks);
    free(now);
}
