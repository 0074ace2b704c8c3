/* SPDX-License-Identifier: Apache-2.0 */
#include "model/census.h"

#include <stdlib.h>

#include "model/pieces.h"
#include "model/ranks/tag_names.h"
#include "model/run.h"
#include "parse/around.h"
#include "parse/failure/alike.h"
#include "scan/lines.h"

/* The block of a rank that may still get pools: blocks can span pieces. */
struct open_block {
    uint32_t rank; /* string id */
    bool is_rank;  /* by MPI's tag */
    bool loose;    /* a name that looks like many words */
    bool runs;     /* op or memory lines have the tag */
    bool open;
    uint8_t have; /* bit i for pool i */
    enum line_kind kind;
    bool before_submit;     /* the last block was that before a submit */
    VEC(uint32_t) programs; /* names of those that started and did not finish */
};

struct worker_ranks {
    VEC(uint32_t) places; /* the worker's rank id -> index in `blocks` */
};

struct counting {
    struct census *census;
    VEC(struct worker_ranks) workers;
    VEC(struct open_block) blocks; /* by rank */
    bool cut_line;                 /* the last piece ended within a line */
    uint8_t usual;                 /* pools that most blocks have */
    uint64_t failure_end;          /* where the last failure ends in the log */
    struct failure_alike alike;    /* its line */
};

static void count_name(struct census *census, struct census_name **rows, size_t *len, size_t *cap, struct slice name) {
    uint32_t id = strtab_id(&census->strings, name);
    for (size_t i = 0; i < *len; i++) {
        if ((*rows)[i].name != id) continue;
        (*rows)[i].count++;
        return;
    }
    if (*len == *cap) *rows = mem_grow(*rows, cap, *len + 1, sizeof **rows);
    (*rows)[(*len)++] = (struct census_name){id, 1};
}

#define COUNT(census, list, name) count_name((census), &(census)->list.items, &(census)->list.len, &(census)->list.cap, (name))

static void count_ops(struct census *census, uint32_t counts_as, uint32_t count) {
    census->ops += count;
    if (counts_as == LOG_COUNT_DEALLOCATE) census->deallocates += count;
    if (counts_as == LOG_COUNT_GET_DEVICE) census->get_devices += count;
}

static void note_config(struct census *census, const struct log_block *block) {
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        if (census->has_config[pool] || !(block->have & 1u << pool) || !block->pools[pool].banks) continue;
        census->has_config[pool] = true;
        census->config[pool] = block->pools[pool];
    }
}

/* A block counts with its first pool. */
static void count_pools(struct census *census, struct open_block *open, uint8_t pools) {
    if (!open->have && pools) {
        census->blocks++;
        census->submit_blocks += open->kind == LINE_BLOCK_BEFORE_SUBMIT || open->kind == LINE_BLOCK_AFTER_SUBMIT;
    }
    open->have |= pools;
}

static void restart(struct open_block *open, bool is_open, enum line_kind kind) {
    open->before_submit = kind == LINE_BLOCK_BEFORE_SUBMIT;
    open->open = is_open;
    open->have = 0;
    open->kind = kind;
}

/* As the model folds them: see on_headless in fold.c. */
static void count_block(struct census *census, struct open_block *open, const struct log_block *block, enum line_kind kind) {
    note_config(census, block);
    if (!block->headless) {
        restart(open, block->open, kind);
        count_pools(census, open, block->have);
        for (uint32_t as = 0; as < LOG_COUNTS; as++) {
            count_ops(census, as, block->again[as]);
            census->blocks += block->again[as];
        }
        return;
    }
    for (unsigned i = 0; i < block->pool_count; i++) {
        uint8_t pool = (uint8_t)(1u << block->order[i]);
        if (!open->open || (open->have & pool)) restart(open, true, kind);
        count_pools(census, open, pool);
        open->open = open->have != (1u << POOL_COUNT) - 1;
    }
}

static void count_failure(struct counting *c, const struct log_piece *piece, const struct log_event *event) {
    size_t from;
    struct census *census = c->census;
    struct slice text = failure_reach(piece->bytes, (size_t)(event->offset - piece->offset), event->length, &from);
    const size_t end = from + event->length;
    size_t counted = from; /* lines are counted up to here */
    uint64_t line = census->lines + 1 + event->line;
    const uint64_t base = event->offset - from;
    const struct failure *failure;
    if (c->failure_end > event->offset) from = (size_t)(c->failure_end - base);
    for (; (failure = failure_alike_search(&c->alike, text, base, from, end)); from = failure->at + failure->length) {
        c->failure_end = base + failure->at + failure->length;
        line += lines_between(text.ptr + counted, text.ptr + failure->at);
        counted = failure->at;
        if (failure_is_memory(failure)) failure_set_add(&census->failures, failure, line);
    }
}

static void count_dropped(struct census *census, const struct log_event *event, struct slice text) {
    uint64_t messages;
    for (size_t at = 0; around_dropped_next(text, &at, &messages);) {
        if (!census->dropped) census->dropped_line = census->lines + 1 + event->line + lines_between(text.ptr, text.ptr + at);
        census->dropped += messages < UINT64_MAX - census->dropped ? messages : UINT64_MAX - census->dropped;
    }
}

/* Inner programs that ended silently end with the enclosing one. */
static void finish_program(struct open_block *open, uint32_t name) {
    size_t at = open->programs.len;
    while (at > 0 && open->programs.items[at - 1] != name) at--;
    if (at > 0) open->programs.len = at - 1;
}

static void count_event(struct counting *c, const struct log_piece *piece, const struct log_event *event) {
    struct census *census = c->census;
    struct slice text = log_event_text(piece, event);
    struct open_block *open = &c->blocks.items[c->workers.items[piece->worker].places.items[event->rank]];
    if (open->loose && !open->runs && c->blocks.items[0].runs) open = &c->blocks.items[0]; /* the same rule as in fold_rank */
    if (event->failure) {
        count_failure(c, piece, event);
        open->programs.len = 0; /* it unwinds the programs around it */
        open->before_submit = open->open = false;
    }
    if (event->kind == LINE_TEXT || event->kind == LINE_FOREIGN) count_dropped(census, event, text);
    if (event->kind >= LINE_OP && event->kind <= LINE_FINISH) open->runs = true;
    switch ((enum line_kind)event->kind) {
        case LINE_OP:
            open->open = false;
            count_ops(census, event->value, 1);
            break;
        case LINE_BLOCK_OP:
        case LINE_BLOCK_BEFORE_SUBMIT:
        case LINE_BLOCK_AFTER_SUBMIT:
        case LINE_POOL:
            count_block(census, open, &piece->blocks.items[event->value], (enum line_kind)event->kind);
            c->usual |= open->have;
            break;
        case LINE_FINISH:
            open->open = false;
            finish_program(open, strtab_id(&census->strings, text));
            break;
        case LINE_START:
            open->open = false;
            finish_program(open,
                           strtab_id(&census->strings, text)); /* no program runs itself: that one ended by an exception */
            COUNT(census, programs, text);
            vec_push(&open->programs, strtab_id(&census->strings, text));
            break;
        case LINE_CACHE_HIT:
            census->cache_hits++;
            break;
        case LINE_CACHE_MISS:
            census->cache_misses++;
            break;
        case LINE_MODULE_BEGIN: {
            struct log_line read;
            logline_read(text, &read);
            COUNT(census, modules, read.text);
            break;
        }
        default:
            break;
    }
}

static uint32_t rank_place(struct counting *c, struct slice tag) {
    uint32_t name = strtab_id(&c->census->strings, tag);
    for (size_t i = 0; i < c->blocks.len; i++)
        if (c->blocks.items[i].rank == name) return (uint32_t)i;
    vec_push(&c->blocks, ((struct open_block){.rank = name}));
    return (uint32_t)(c->blocks.len - 1);
}

static void learn_ranks(struct counting *c, const struct log_piece *piece) {
    while (c->workers.len <= piece->worker) {
        uint32_t untagged = rank_place(c, slice_of("", 0));
        vec_push(&c->workers, ((struct worker_ranks){0}));
        vec_push(&vec_last(&c->workers).places, untagged);
    }
    for (size_t i = 0; i < piece->new_ranks.len; i++) {
        const struct log_tag *tag = &piece->new_ranks.items[i];
        uint32_t known = (uint32_t)c->blocks.len, place = rank_place(c, tag->text);
        if (tag->part == PREFIX_MPI && place == known) COUNT(c->census, ranks, tag->text);
        c->blocks.items[place].is_rank = tag->part == PREFIX_MPI;
        c->blocks.items[place].loose = tag->part & PREFIX_LOOSE;
        vec_push(&c->workers.items[piece->worker].places, place);
    }
}

static void count_piece(void *context, const struct log_piece *piece) {
    struct counting *c = context;
    learn_ranks(c, piece);
    for (size_t i = 0; i < piece->events.len; i++) count_event(c, piece, &piece->events.items[i]);
    c->census->lines += piece->lines;
    if (piece->lines || piece->cut_line) c->cut_line = piece->cut_line; /* otherwise no line starts in it */
}

/* Tags other than MPI's name ranks if two or more of their values run something. */
static void count_tagged_ranks(struct counting *c) {
    size_t running = 0;
    for (size_t i = 1; i < c->blocks.len; i++) {
        if (c->blocks.items[i].loose && c->blocks.items[0].runs) c->blocks.items[i].runs = false;
        running += c->blocks.items[i].runs && !c->blocks.items[i].is_rank;
    }
    for (size_t i = 1; running > 1 && i < c->blocks.len; i++)
        if (c->blocks.items[i].runs && !c->blocks.items[i].is_rank)
            COUNT(c->census, ranks, strtab_get(&c->census->strings, c->blocks.items[i].rank));
}

/* If programs show how they ended, they decide. */
static enum census_end end_of(const struct counting *c) {
    enum census_end end = ENDS_WHOLE;
    for (size_t i = 0; i < c->blocks.len; i++)
        if (c->blocks.items[i].programs.len) return ENDS_IN_PROGRAM;
    for (size_t i = 0; i < c->blocks.len && !c->census->programs.len; i++) {
        const struct open_block *open = &c->blocks.items[i];
        if (open->open && (open->have & c->usual) != c->usual) return ENDS_IN_BLOCK;
        if (open->before_submit) end = ENDS_IN_SUBMIT;
    }
    return end;
}

static const struct chip *chip_of_config(const struct census *census) {
    const struct pool_view *dram = &census->config[POOL_DRAM];
    if (!census->has_config[POOL_DRAM]) return NULL;
    return chip_guess(dram->banks, census->config[POOL_L1].banks, (uint64_t)dram->total * 1048576 / 1000);
}

struct sorted_rank {
    struct slice tag;
    struct census_name row;
};

static int by_tag(const void *a, const void *b) {
    return slice_natural(((const struct sorted_rank *)a)->tag, ((const struct sorted_rank *)b)->tag);
}

/* Like the ranks of a run: named by what distinguishes their tags, in that order. */
static void sort_ranks(struct census *census) {
    uint32_t *names = mem_alloc((census->ranks.len + 1) * sizeof *names);
    for (size_t i = 0; i < census->ranks.len; i++) names[i] = census->ranks.items[i].name;
    tag_names_choose(&census->strings, names, census->ranks.len);
    for (size_t i = 0; i < census->ranks.len; i++) census->ranks.items[i].name = names[i];
    free(names);
    struct sorted_rank *rows = mem_alloc((census->ranks.len + 1) * sizeof *rows);
    for (size_t i = 0; i < census->ranks.len; i++)
        rows[i] = (struct sorted_rank){strtab_get(&census->strings, census->ranks.items[i].name), census->ranks.items[i]};
    qsort(rows, census->ranks.len, sizeof *rows, by_tag);
    for (size_t i = 0; i < census->ranks.len; i++) census->ranks.items[i] = rows[i].row;
    free(rows);
}

int census_take(struct census *census, struct source *source, const struct byte_taker *stream, struct progress *progress,
                struct err *err) {
    *census = (struct census){0};
    struct counting c = {.census = census};
    struct piece_taker taker = {.context = &c, .take = count_piece};
    if (stream) taker.stream = *stream;
    int rc = pieces_read(source, &taker, &census->bytes, progress, err);
    census->lines += c.cut_line;
    count_tagged_ranks(&c);
    census->end = source->shrank ? ENDS_READING : source->cut ? ENDS_COMPRESSED : end_of(&c);
    for (size_t i = 0; i < c.workers.len; i++) vec_release(&c.workers.items[i].places);
    for (size_t i = 0; i < c.blocks.len; i++) vec_release(&c.blocks.items[i].programs);
    vec_release(&c.workers);
    vec_release(&c.blocks);
    census->binary = source_is_binary(source);
    sort_ranks(census);
    census->submit_only = census->blocks && census->blocks == census->submit_blocks;
    census->no_ops = !census->ops && !census->programs.len && !census->cache_hits && !census->cache_misses;
    census->chip = chip_of_config(census);
    return rc;
}

static void count_blocks_of(struct census *census, const struct run *run) {
    for (size_t i = 0; i < run->blocks.len; i++) {
        const struct block *block = &run->blocks.items[i];
        if (!block->have) continue;
        uint8_t kind = run->steps.items[block->step].kind;
        census->blocks++;
        census->submit_blocks += kind == STEP_BEFORE_SUBMIT || kind == STEP_AFTER_SUBMIT;
        for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
            if (census->has_config[pool] || !(block->have & 1u << pool)) continue;
            const struct pool_config *config = block_config(run, block, (enum pool)pool);
            census->has_config[pool] = true;
            census->config[pool] = (struct pool_view){.banks = config->banks, .total = config->total};
            census->config_rest[pool] = config->rest;
        }
    }
}

void census_of_run(struct census *census, const struct run *run) {
    *census = (struct census){.lines = run->lines,
                              .bytes = run->bytes,
                              .ops = run->op_lines,
                              .deallocates = run->deallocates,
                              .get_devices = run->get_devices,
                              .dropped = run->warnings[WARN_DROPPED],
                              .dropped_line = run->first_warning_line[WARN_DROPPED],
                              .end = run->warnings[WARN_CUT_INPUT] ? ENDS_COMPRESSED : ENDS_WHOLE};
    count_blocks_of(census, run);
    census->submit_only = run->origin == RUN_LOG && census->blocks && census->blocks == census->submit_blocks;
    census->no_ops = !run_tells_ops(run);
    census->no_log = run->origin != RUN_LOG;
    census->of_files = run->told_by_files != 0;
    census->no_counts = run->told_by_files & TOLD_NO_COUNTS;
    census->no_messages = run->told_by_files & TOLD_NO_FAILURES;
    census->predicted = run->origin == RUN_PREDICTED;
    census->of_inspector = run->inspector != NULL;
    const struct inspector_facts *facts = run->inspector;
    if (facts)
        census->buffers = (struct census_buffers){facts->buffers, facts->bounded,       facts->views,        facts->moves,
                                                  facts->torn,    facts->programs_made, facts->programs_kept};
    if (census->of_files && !census->no_counts) census->blocks = run->block_count;
    for (size_t i = 0; run->told_by_files && i < run->configs.len; i++) {
        const struct pool_config *config = &run->configs.items[i];
        if (census->has_config[config->pool]) continue;
        census->has_config[config->pool] = true;
        census->config[config->pool] = (struct pool_view){.banks = config->banks, .total = config->total};
    }
    census->chip = run->origin == RUN_LOG ? chip_of_config(census) : run->chip; /* for a log as in census_take */
    for (size_t i = 0; i < run->steps.len; i++) {
        census->cache_hits += (run->steps.items[i].flags & STEP_CACHE_HIT) != 0;
        census->cache_misses += (run->steps.items[i].flags & STEP_CACHE_MISS) != 0;
    }
    for (size_t i = 0; i < run->executions.len; i++) COUNT(census, programs, run_string(run, run->executions.items[i].name));
    for (size_t i = 0; i < run->modules.len; i++) COUNT(census, modules, run->modules.items[i].stage);
    for (size_t i = 0; i < run->ranks.len; i++)
        if (run->ranks.items[i].name) COUNT(census, ranks, run_string(run, run->ranks.items[i].name));
    for (size_t i = 0; i < run->failures.entries.len; i++) {
        const struct failure_entry *entry = &run->failures.entries.items[i];
        size_t number = failure_set_add(&census->failures, &entry->failure, entry->line);
        if (number != SLICE_NONE) census->failures.entries.items[number].count = entry->count;
    }
}

void census_release(struct census *census) {
    strtab_release(&census->strings);
    vec_release(&census->programs);
    vec_release(&census->modules);
    vec_release(&census->ranks);
    failure_set_release(&census->failures);
}
