#include "model/census.h"

#include "model/pieces.h"

/* A block whose heading ended a piece: it counts when the next piece has its pools. */
struct open_heading {
    uint32_t rank;
    enum line_kind kind;
};

struct worker_ranks {
    VEC(uint32_t) names; /* the worker's rank id -> string id */
};

struct counting {
    struct census *census;
    VEC(struct worker_ranks) workers;
    VEC(struct open_heading) open;
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

static void count_op(struct census *census, uint32_t counts_as) {
    census->ops++;
    census->deallocates += counts_as == LOG_COUNT_DEALLOCATE;
    census->get_devices += counts_as == LOG_COUNT_GET_DEVICE;
}

static void note_config(struct census *census, const struct log_block *block) {
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        if (census->has_config[pool] || !(block->have & 1u << pool)) continue;
        census->has_config[pool] = true;
        census->config[pool] = block->pools[pool];
    }
}

static void count_block(struct counting *c, const struct log_block *block, uint32_t rank, enum line_kind kind) {
    bool counts = block->have && !block->headless;
    for (size_t i = 0; i < c->open.len; i++) {
        if (c->open.items[i].rank != rank) continue;
        if (block->headless && block->have) counts = true, kind = c->open.items[i].kind;
        c->open.items[i] = c->open.items[--c->open.len];
        break;
    }
    if (block->open && !block->have && !block->headless) vec_push(&c->open, ((struct open_heading){rank, kind}));
    if (!counts) return;
    c->census->blocks++;
    c->census->submit_blocks += kind != LINE_BLOCK_OP;
    note_config(c->census, block);
}

static void count_failure(struct census *census, const struct log_piece *piece, const struct log_event *event) {
    struct slice text = log_event_text_and(piece, event, FAILURE_WINDOW);
    struct failure failure;
    for (size_t from = 0; failure_next(text, from, &failure) && failure.at < event->length; from = failure.at + failure.length)
        failure_set_add(&census->failures, &failure, census->lines + event->line + 1);
}

static void count_event(struct counting *c, const struct log_piece *piece, const struct log_event *event) {
    struct census *census = c->census;
    struct slice text = log_event_text(piece, event);
    if (event->failure) count_failure(census, piece, event);
    switch ((enum line_kind)event->kind) {
        case LINE_OP:
            count_op(census, event->value);
            break;
        case LINE_BLOCK_OP:
        case LINE_BLOCK_BEFORE_SUBMIT:
        case LINE_BLOCK_AFTER_SUBMIT:
        case LINE_POOL:
            count_block(c, &piece->blocks.items[event->value], c->workers.items[piece->worker].names.items[event->rank],
                        (enum line_kind)event->kind);
            break;
        case LINE_START:
            COUNT(census, programs, text);
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

static void learn_ranks(struct counting *c, const struct log_piece *piece) {
    struct strtab *strings = &c->census->strings;
    while (c->workers.len <= piece->worker) {
        vec_push(&c->workers, ((struct worker_ranks){0}));
        vec_push(&c->workers.items[c->workers.len - 1].names, strtab_id(strings, slice_of("", 0)));
    }
    for (size_t i = 0; i < piece->new_ranks.len; i++) {
        COUNT(c->census, ranks, piece->new_ranks.items[i]);
        vec_push(&c->workers.items[piece->worker].names, strtab_id(strings, piece->new_ranks.items[i]));
    }
}

static void count_piece(void *context, const struct log_piece *piece) {
    struct counting *c = context;
    learn_ranks(c, piece);
    for (size_t i = 0; i < piece->events.len; i++) count_event(c, piece, &piece->events.items[i]);
    c->census->lines += piece->lines;
}

int census_take(struct census *census, struct source *source, struct progress *progress, struct err *err) {
    *census = (struct census){0};
    struct counting c = {.census = census};
    struct piece_taker taker = {&c, count_piece, false};
    int rc = pieces_read(source, &taker, &census->bytes, progress, err);
    for (size_t i = 0; i < c.workers.len; i++) vec_release(&c.workers.items[i].names);
    vec_release(&c.workers);
    vec_release(&c.open);
    census->cut = source->cut;
    const struct pool_view *dram = &census->config[POOL_DRAM];
    if (census->has_config[POOL_DRAM])
        census->chip = chip_guess(dram->banks, census->config[POOL_L1].banks, (uint64_t)dram->total * 1048576 / 1000);
    return rc;
}

void census_release(struct census *census) {
    strtab_release(&census->strings);
    vec_release(&census->programs);
    vec_release(&census->modules);
    vec_release(&census->ranks);
    failure_set_release(&census->failures);
}
