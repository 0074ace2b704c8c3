/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/stdio.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/outfile.h"
#include "base/vec.h"
#include "mcp/answer.h"

enum { READ_BYTES = 64 << 10, MOST_WAITING = 256, PROGRESS_MS = 250 };

/* A line that waits for the worker, or is being worked on. */
struct waiting {
    struct strbuf line;
    struct strbuf id; /* empty: cannot be cancelled */
    bool cancelled;
    struct waiting *next;
};

struct channel {
    const struct mcp_offer *offer;
    int in, out;
    pthread_mutex_t lock; /* guards everything below, and the output */
    pthread_cond_t more, room;
    struct waiting *first, **last;
    size_t count;
    struct waiting *working;
    bool ended; /* no more input */
    struct err write_err;
    bool write_failed;
    struct progress progress; /* of the current request */
    struct strbuf token;      /* its progress token; empty: progress was not requested */
    uint64_t progress_told;   /* in thousandths; only increases are sent */
};

static void put(struct channel *c, struct slice text) {
    if (!c->write_failed && text.len) c->write_failed = write_all(c->out, text, &c->write_err) != 0;
}

static struct waiting *take(struct channel *c) {
    pthread_mutex_lock(&c->lock);
    while (!c->first && !c->ended) pthread_cond_wait(&c->more, &c->lock);
    struct waiting *w = c->first;
    if (w) {
        c->first = w->next;
        if (!c->first) c->last = &c->first;
        c->count--;
        c->working = w;
        pthread_cond_signal(&c->room);
    }
    pthread_mutex_unlock(&c->lock);
    return w;
}

static void set_token(struct channel *c, struct slice token) {
    pthread_mutex_lock(&c->lock);
    strbuf_clear(&c->token);
    strbuf_add(&c->token, token);
    c->progress_told = 0;
    atomic_store(&c->progress.done, 0);
    atomic_store(&c->progress.total, 0);
    atomic_store(&c->progress.stop, c->working && c->working->cancelled);
    pthread_mutex_unlock(&c->lock);
}

static void *work(void *context) {
    struct channel *c = context;
    struct json_reader *reader = json_reader_new();
    struct mcp_peer peer = {0};
    struct strbuf reply = {0};
    for (struct waiting *w; (w = take(c));) {
        struct mcp_request request;
        const char *why = "";
        int code = w->cancelled ? 0 : mcp_request_read(reader, strbuf_slice(&w->line), &request, &why);
        strbuf_clear(&reply);
        if (code != 0 && (code == MCP_NOT_JSON || code == MCP_NOT_A_REQUEST || request.id.len)) {
            mcp_error(&reply, request.id, code, slice_from(why), slice_from(""));
        } else if (code == 0 && !w->cancelled) {
            set_token(c, request.token);
            mcp_answer(c->offer, &peer, &request, &c->progress, &reply);
            set_token(c, slice_from(""));
        }
        pthread_mutex_lock(&c->lock);
        c->working = NULL;
        if (!w->cancelled) put(c, strbuf_slice(&reply));
        pthread_mutex_unlock(&c->lock);
        strbuf_release(&w->line);
        strbuf_release(&w->id);
        free(w);
    }
    strbuf_release(&reply);
    json_reader_free(reader);
    return NULL;
}

static bool is_id(const struct waiting *w, struct slice id) { return w && w->id.len && slice_equal(strbuf_slice(&w->id), id); }

static void cancel(struct channel *c, struct slice id) {
    pthread_mutex_lock(&c->lock);
    if (is_id(c->working, id)) {
        c->working->cancelled = true;
        atomic_store(&c->progress.stop, true); /* stops its reading */
    }
    for (struct waiting *w = c->first; w; w = w->next) w->cancelled |= is_id(w, id);
    pthread_mutex_unlock(&c->lock);
}

static void hand_over(struct channel *c, struct slice line, struct slice id) {
    struct waiting *w = mem_zalloc(1, sizeof *w);
    strbuf_add(&w->line, line);
    strbuf_add(&w->id, id);
    pthread_mutex_lock(&c->lock);
    while (c->count >= MOST_WAITING) pthread_cond_wait(&c->room, &c->lock);
    *c->last = w;
    c->last = &w->next;
    c->count++;
    pthread_cond_signal(&c->more);
    pthread_mutex_unlock(&c->lock);
}

static void on_line(struct channel *c, struct json_reader *reader, struct slice line) {
    struct mcp_request request;
    struct slice id;
    const char *why;
    while (line.len && (line.ptr[line.len - 1] == '\r' || line.ptr[line.len - 1] == ' ')) line.len--;
    if (!line.len) return;
    int code = mcp_request_read(reader, line, &request, &why);
    if (code == 0 && !request.id.len) {
        if (mcp_cancelled_id(&request, &id)) cancel(c, id);
        return;
    }
    hand_over(c, line, code == 0 ? request.id : slice_from(""));
}

static void say_too_long(struct channel *c) {
    struct strbuf reply = {0};
    mcp_error(&reply, slice_from(""), MCP_NOT_A_REQUEST, SLICE("a request is at most 4 MiB"), slice_from(""));
    pthread_mutex_lock(&c->lock);
    put(c, strbuf_slice(&reply));
    pthread_mutex_unlock(&c->lock);
    strbuf_release(&reply);
}

static void tell_progress(struct channel *c) {
    pthread_mutex_lock(&c->lock);
    uint64_t total = atomic_load(&c->progress.total), done = atomic_load(&c->progress.done);
    uint64_t permille = total ? done * 1000 / total : 0;
    if (permille > 1000) permille = 1000;
    if (c->token.len && c->working && !c->working->cancelled && permille > c->progress_told) {
        struct strbuf line = {0};
        c->progress_told = permille;
        strbuf_addf(&line,
                    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,"
                    "\"progress\":%llu.%llu,\"total\":100,\"message\":\"reading\"}}\n",
                    strbuf_text(&c->token), (unsigned long long)permille / 10, (unsigned long long)permille % 10);
        put(c, strbuf_slice(&line));
        strbuf_release(&line);
    }
    pthread_mutex_unlock(&c->lock);
}

/* Splits the input into lines. A line that is too long is answered once and skipped. */
static void take_lines(struct channel *c, struct json_reader *reader, struct strbuf *got, bool *skipping) {
    struct slice left = strbuf_slice(got);
    for (size_t at; (at = slice_find_byte(left, '\n')) < left.len; left = slice_skip(left, at + 1)) {
        if (!*skipping) on_line(c, reader, slice_take(left, at));
        *skipping = false;
    }
    if (left.len > MCP_LINE_BYTES && !*skipping) {
        say_too_long(c);
        *skipping = true;
    }
    if (*skipping) left.len = 0;
    memmove(got->data, left.ptr, left.len);
    got->len = left.len;
}

static bool is_busy(struct channel *c) {
    pthread_mutex_lock(&c->lock);
    bool busy = c->count || c->working;
    pthread_mutex_unlock(&c->lock);
    return busy;
}

/* Returns errno, or 0 at the end of the input. */
static int read_lines(struct channel *c) {
    struct json_reader *reader = json_reader_new();
    struct strbuf got = {0};
    bool skipping = false, failed = false;
    int error = 0;
    while (!failed) {
        struct pollfd wait = {.fd = c->in, .events = POLLIN};
        int ready = poll(&wait, 1, is_busy(c) ? PROGRESS_MS : -1);
        tell_progress(c);
        pthread_mutex_lock(&c->lock);
        failed = c->write_failed;
        pthread_mutex_unlock(&c->lock);
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        ssize_t n = read(c->in, strbuf_room(&got, READ_BYTES), READ_BYTES);
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n < 0) error = errno;
        if (n <= 0) break;
        strbuf_took(&got, (size_t)n);
        take_lines(c, reader, &got, &skipping);
    }
    if (!failed && !error && !skipping && got.len) on_line(c, reader, strbuf_slice(&got)); /* it may lack a newline */
    strbuf_release(&got);
    json_reader_free(reader);
    return error;
}

int mcp_stdio(const struct mcp_offer *offer, int in, int out, struct err *err) {
    struct channel c = {.offer = offer,
                        .in = in,
                        .out = out,
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .more = PTHREAD_COND_INITIALIZER,
                        .room = PTHREAD_COND_INITIALIZER};
    c.last = &c.first;
    pthread_t worker;
    if (pthread_create(&worker, NULL, work, &c) != 0) return err_set(err, ERR_BUG, "cannot start a thread");
    int error = read_lines(&c);
    pthread_mutex_lock(&c.lock);
    c.ended = true;
    pthread_cond_broadcast(&c.more);
    pthread_mutex_unlock(&c.lock);
    pthread_join(worker, NULL);
    strbuf_release(&c.token);
    if (c.write_failed) *err = c.write_err;
    if (error && !c.write_failed) return err_set(err, ERR_INPUT, "cannot read requests: %s", strerror(error));
    return c.write_failed ? -1 : 0;
}
