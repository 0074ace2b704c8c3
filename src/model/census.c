#include "model/census.h"

#include <stdlib.h>

#include "parse/log.h"
#include "scan/chunks.h"

enum { STREAM_BLOCK = 4 << 20, LONGEST_STREAM_LINE = 64 << 20 };

struct counting {
    struct census *census;
    struct log_worker *workers;
    struct progress *progress;
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

/* The op's name stands at the front of its text, behind the result. */
static bool names_op(struct slice text, struct slice name) {
    struct slice head = slice_take(text, 64);
    return slice_find(head, name) != SLICE_NONE;
}

static void count_op(struct census *census, struct slice text) {
    census->ops++;
    if (slice_starts(text, SLICE("\"ttnn.deallocate\"("))) census->deallocates++;
    else if (names_op(text, SLICE("\"ttnn.get_device\"("))) census->get_devices++;
}

static void count_block(struct census *census, const struct log_block *block, enum line_kind kind) {
    if (!block->have || block->headless) return;
    census->blocks++;
    census->submit_blocks += kind != LINE_BLOCK_OP;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        if (census->has_config[pool] || !(block->have & 1u << pool)) continue;
        census->has_config[pool] = true;
        census->config[pool] = block->pools[pool];
    }
}

static void count_failure(struct census *census, const struct log_piece *piece, const struct log_event *event) {
    const char *start = log_event_text(piece, event).ptr, *end = piece->bytes.ptr + piece->bytes.len;
    size_t room = (size_t)(end - start), reach = (size_t)event->length + FAILURE_WINDOW;
    struct slice text = slice_of(start, room < reach ? room : reach);
    struct failure failure;
    for (size_t from = 0; failure_next(text, from, &failure) && failure.at < event->length; from = failure.at + failure.length)
        failure_set_add(&census->failures, &failure, census->lines + event->line + 1);
}

static void count_event(struct census *census, const struct log_piece *piece, const struct log_event *event) {
    struct slice text = log_event_text(piece, event);
    if (event->failure) count_failure(census, piece, event);
    switch ((enum line_kind)event->kind) {
        case LINE_OP:
            count_op(census, text);
            break;
        case LINE_BLOCK_OP:
        case LINE_BLOCK_BEFORE_SUBMIT:
        case LINE_BLOCK_AFTER_SUBMIT:
        case LINE_POOL:
            count_block(census, &piece->blocks.items[event->value], (enum line_kind)event->kind);
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

static void count_piece(struct counting *c, const struct log_piece *piece) {
    struct census *census = c->census;
    for (size_t i = 0; i < piece->new_ranks.len; i++) COUNT(census, ranks, piece->new_ranks.items[i]);
    for (size_t i = 0; i < piece->events.len; i++) count_event(census, piece, &piece->events.items[i]);
    census->lines += piece->lines;
}

static void *parse_chunk(void *context, unsigned thread, struct slice bytes, size_t begin, size_t end) {
    struct counting *c = context;
    struct log_piece *piece = mem_zalloc(1, sizeof *piece);
    log_parse(&c->workers[thread], piece, bytes, begin, end, 0);
    return piece;
}

static void take_chunk(void *context, void *result) {
    struct counting *c = context;
    count_piece(c, result);
    log_piece_release(result);
    free(result);
    if (c->progress) progress_add(c->progress, CHUNK_BYTES);
}

static int take_stream(struct counting *c, struct source *source, struct err *err) {
    struct strbuf tail = {0};
    struct log_piece piece = {0};
    int64_t n = 1;
    while (n > 0) {
        size_t filled = 0;
        char *room = strbuf_room(&tail, STREAM_BLOCK);
        while (filled < STREAM_BLOCK && (n = source_read(source, room + filled, STREAM_BLOCK - filled, err)) > 0)
            filled += (size_t)n;
        tail.len += filled;
        c->census->bytes += filled;
        if (c->progress) progress_add(c->progress, filled);
        const char *lf = tail.len ? memrchr(tail.data, '\n', tail.len) : NULL;
        size_t take = n <= 0 || tail.len > LONGEST_STREAM_LINE ? tail.len : lf ? (size_t)(lf + 1 - tail.data) : 0;
        if (!take) continue;
        log_parse(&c->workers[0], &piece, slice_of(tail.data, take), 0, take, 0);
        count_piece(c, &piece);
        memmove(tail.data, tail.data + take, tail.len - take);
        tail.len -= take;
    }
    log_piece_release(&piece);
    strbuf_release(&tail);
    return n < 0 ? -1 : 0;
}

int census_take(struct census *census, struct source *source, struct progress *progress, struct err *err) {
    *census = (struct census){0};
    unsigned threads = source->mapped ? chunks_threads(source->bytes.len) : 1;
    struct counting c = {.census = census, .progress = progress, .workers = mem_zalloc(threads, sizeof *c.workers)};
    for (unsigned i = 0; i < threads; i++) log_worker_init(&c.workers[i], i, false);
    int rc = 0;
    if (source->mapped) {
        struct chunk_work work = {&c, parse_chunk, take_chunk};
        chunks_run(&work, source->bytes, threads);
        census->bytes = source->bytes.len;
    } else {
        rc = take_stream(&c, source, err);
    }
    for (unsigned i = 0; i < threads; i++) log_worker_release(&c.workers[i]);
    free(c.workers);
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
