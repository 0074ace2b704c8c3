/* SPDX-License-Identifier: Apache-2.0 */
/* Writes lines: prefixes, rank tags, line ends, line numbers, merging of rank streams, and cutting at a byte limit.
 * The buffer is flushed only when a line begins, so the line that crosses the limit and the last line are whole in it. */
#include "genlog.h"

#include <stdlib.h>
#include <string.h>

#define FLUSH_AT (4u << 20)

void sink_init(struct sink *s, struct gen *g, FILE *file, uint64_t limit) {
    *s = (struct sink){.gen = g, .file = file, .limit = limit, .queueing = -1, .clock = 1000.0, .rng = {g->opt.seed ^ 0x51e5}};
    s->queues = xrealloc(NULL, sizeof *s->queues * (size_t)(g->device_count + 1));
    memset(s->queues, 0, sizeof *s->queues * (size_t)(g->device_count + 1));
}

void sink_release(struct sink *s) {
    for (int i = 0; i <= s->gen->device_count; i++) {
        text_release(&s->queues[i].bytes);
        free(s->queues[i].items);
    }
    free(s->queues);
    text_release(&s->buf);
}

uint64_t sink_bytes(const struct sink *s) {
    uint64_t queued = 0;
    for (int i = 0; i < s->gen->device_count; i++) queued += s->queues[i].bytes.len;
    return s->flushed + s->buf.len + queued;
}

static void flush(struct sink *s) {
    if (s->file && s->buf.len && fwrite(s->buf.p, 1, s->buf.len, s->file) != s->buf.len) die("write failed");
    s->flushed += s->buf.len;
    s->buf.len = 0;
}

static void refresh_prefix(struct sink *s) {
    enum line_prefix kind = s->gen->opt.prefix;
    uint64_t ms = s->lines * 3;
    if (kind == PREFIX_CI && (s->lines % 64 == 0 || !s->prefix_len))
        s->prefix_len =
            (size_t)snprintf(s->prefix, sizeof s->prefix, "2026-06-11T%02u:%02u:%02u.%03u0000Z ", (unsigned)(ms / 3600000 % 24),
                             (unsigned)(ms / 60000 % 60), (unsigned)(ms / 1000 % 60), (unsigned)(ms % 1000));
    else if (kind == PREFIX_DOCKER && !s->prefix_len)
        s->prefix_len = (size_t)snprintf(s->prefix, sizeof s->prefix, "tt-worker-1  | ");
}

/* Ends the line in the buffer with eol, numbers it and reports its event. A lone "\r" ends only a part of the line. */
static void close_line(struct sink *s, const char *eol, const struct event *e) {
    size_t content = s->buf.len - s->content_start;
    bool first_part = !s->in_line;
    text_puts(&s->buf, eol);
    s->lines += first_part;
    s->in_line = strcmp(eol, "\r") == 0;
    bool cut = false, counts = true;
    if (s->limit && s->flushed + s->buf.len > s->limit) {
        size_t end = (size_t)(s->limit - s->flushed);
        size_t kept = end > s->content_start ? end - s->content_start : 0;
        cut = kept < content;
        if (end == s->line_start && first_part) s->lines--; /* nothing of this line is left */
        size_t need = e && e->need ? e->need : content;
        counts = kept >= need && end > s->line_start;
        if (e && e->kind != EV_NONE && !counts && kept) truth_ambiguous(s->gen->truth);
        s->buf.len = end;
        s->full = true;
    }
    if (e && e->kind != EV_NONE && counts) truth_event(s->gen->truth, e, s->lines, cut);
    s->line_start = s->content_start = s->buf.len;
}

static void write_bar(struct sink *s) {
    static const char full_block[] = "\xe2\x96\x88";
    uint32_t done = s->bar++ % 100;
    s->content_start = s->buf.len;
    if (done & 1) { /* tqdm starts with \r */
        close_line(s, "\r", NULL);
        if (s->full) return;
    }
    text_printf(&s->buf, "Generating: %3u%%|", done);
    for (uint32_t i = 0; i < done / 10; i++) text_puts(&s->buf, full_block);
    text_printf(&s->buf, "| %u/100 [00:%02u<00:10,  9.9it/s]", done, done / 2);
    close_line(s, "\r", NULL);
}

static void open_line(struct sink *s, int rank, bool runtime) {
    if (s->buf.len >= FLUSH_AT) {
        flush(s);
        s->line_start = 0;
    }
    refresh_prefix(s);
    text_put(&s->buf, s->prefix, s->prefix_len);
    const struct options *o = &s->gen->opt;
    if (o->cr_progress && runtime && rng_chance(&s->rng, 0.02)) {
        write_bar(s);
        if (s->full) return;
    }
    if (o->nul && runtime && rng_chance(&s->rng, 0.01)) text_put(&s->buf, "\0\0\0\0\0\0\0", 7);
    if (rank >= 0) text_printf(&s->buf, "[1,%d]<stdout>:", rank);
    s->content_start = s->buf.len;
}

static void begin(struct sink *s, int rank, bool runtime) {
    if (s->queueing >= 0) {
        struct queue *q = &s->queues[s->queueing];
        GROW(q->items, q->count, q->cap);
        q->items[q->count].offset = q->bytes.len;
        return;
    }
    if (!s->full) open_line(s, rank, runtime);
}

void sink_begin(struct sink *s, int rank) { begin(s, rank, false); }

/* A bar or NULs may stand before a runtime line; never before a blank one, where \r would join the \n after it. */
void sink_begin_runtime(struct sink *s, int rank) { begin(s, rank, true); }

void sink_put(struct sink *s, const char *p, size_t n) {
    if (s->queueing >= 0) text_put(&s->queues[s->queueing].bytes, p, n);
    else if (!s->full) text_put(&s->buf, p, n);
}

void sink_puts(struct sink *s, const char *p) { sink_put(s, p, strlen(p)); }

void sink_end(struct sink *s, const struct event *e) {
    if (s->queueing >= 0) {
        struct queue *q = &s->queues[s->queueing];
        struct queued *item = &q->items[q->count++];
        item->len = q->bytes.len - item->offset;
        item->event = e ? *e : (struct event){0};
        return;
    }
    if (!s->full) close_line(s, s->gen->opt.crlf ? "\r\n" : "\n", e);
}

void sink_line(struct sink *s, int rank, const char *text) {
    sink_begin(s, rank);
    sink_puts(s, text);
    sink_end(s, NULL);
}

/* Writes the queued lines of all ranks, each rank in order, shuffled together a few lines at a time. */
void sink_merge(struct sink *s) {
    int left = s->gen->device_count;
    s->queueing = -1;
    while (left > 0 && !s->full) {
        int r = (int)rng_below(&s->rng, (uint32_t)s->gen->device_count);
        struct queue *q = &s->queues[r];
        if (q->next == q->count) continue;
        for (uint32_t burst = 1 + rng_below(&s->rng, 4); burst && q->next < q->count; burst--) {
            struct queued *item = &q->items[q->next++];
            begin(s, r, item->event.kind != EV_NONE);
            sink_put(s, q->bytes.p + item->offset, item->len);
            sink_end(s, &item->event);
        }
        left -= q->next == q->count;
    }
    for (int i = 0; i < s->gen->device_count; i++) {
        struct queue *q = &s->queues[i];
        q->bytes.len = q->count = q->next = 0;
    }
}

void sink_finish(struct sink *s) {
    if (s->gen->opt.no_final_newline && !s->full && s->buf.len) {
        s->buf.len--;
        if (s->buf.len && s->buf.p[s->buf.len] == '\n' && s->buf.p[s->buf.len - 1] == '\r') s->buf.len--;
    }
    flush(s);
}
