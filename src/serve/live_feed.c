/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/live_feed.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "model/live_devices.h"
#include "render/page/page_template.h"
#include "render/answer/top_view.h"
#include "serve/answer.h"

enum { MOST_WATCHERS = 128, BLOCK = 64 << 10, FIND_EVERY_MS = 1000 };

struct feed_listener {
    struct live_feed *feed;
    struct MHD_Connection *connection;
    uint64_t serial;    /* of the last sample sent */
    struct strbuf text; /* the event being sent */
    size_t sent;
    bool waits; /* the connection is suspended */
};

struct live_feed {
    struct live_devices *live;
    struct top_options options;
    int interval_ms;
    pthread_t thread;
    bool threaded;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool ended;
    uint64_t serial;
    struct strbuf event; /* "data: {...}\n\n" of the newest sample */
    VEC(struct feed_listener *) watchers;
};

static struct timespec after_ms(int ms) {
    struct timespec when;
    clock_gettime(CLOCK_REALTIME, &when);
    when.tv_sec += ms / 1000;
    when.tv_nsec += (long)(ms % 1000) * 1000000;
    if (when.tv_nsec >= 1000000000) when.tv_sec++, when.tv_nsec -= 1000000000;
    return when;
}

/* The lock must be held. */
static void wake_watchers(struct live_feed *feed) {
    for (size_t i = 0; i < feed->watchers.len; i++) {
        struct feed_listener *watcher = feed->watchers.items[i];
        if (!watcher->waits) continue;
        watcher->waits = false;
        mhd.resume_connection(watcher->connection);
    }
}

static void *take_samples(void *context) {
    struct live_feed *feed = context;
    struct strbuf text = {0};
    int since_find = FIND_EVERY_MS;
    pthread_mutex_lock(&feed->lock);
    while (!feed->ended) {
        if (!feed->watchers.len) {
            since_find = FIND_EVERY_MS;
            pthread_cond_wait(&feed->wake, &feed->lock);
            continue;
        }
        pthread_mutex_unlock(&feed->lock);
        live_devices_sample(feed->live, since_find >= FIND_EVERY_MS);
        since_find = since_find >= FIND_EVERY_MS ? feed->interval_ms : since_find + feed->interval_ms;
        strbuf_clear(&text);
        strbuf_addz(&text, "data: ");
        top_json(&text, feed->live, &feed->options);
        strbuf_addc(&text, '\n');
        pthread_mutex_lock(&feed->lock);
        strbuf_clear(&feed->event);
        strbuf_add(&feed->event, strbuf_slice(&text));
        feed->serial++;
        wake_watchers(feed);
        struct timespec until = after_ms(feed->interval_ms);
        if (!feed->ended) pthread_cond_timedwait(&feed->wake, &feed->lock, &until);
    }
    pthread_mutex_unlock(&feed->lock);
    strbuf_release(&text);
    return NULL;
}

struct live_feed *live_feed_new(const char *folder, const struct chip *chip, int interval_ms) {
    struct live_feed *feed = mem_zalloc(1, sizeof *feed);
    feed->live = live_devices_new(folder);
    feed->options.chip = chip;
    feed->interval_ms = interval_ms;
    pthread_mutex_init(&feed->lock, NULL);
    pthread_cond_init(&feed->wake, NULL);
    feed->threaded = pthread_create(&feed->thread, NULL, take_samples, feed) == 0;
    return feed;
}

static ssize_t read_event(void *context, uint64_t position, char *out, size_t room) {
    struct feed_listener *watcher = context;
    struct live_feed *feed = watcher->feed;
    ssize_t n = 0;
    (void)position;
    pthread_mutex_lock(&feed->lock);
    if (watcher->sent == watcher->text.len && feed->serial > watcher->serial) {
        strbuf_clear(&watcher->text);
        strbuf_add(&watcher->text, strbuf_slice(&feed->event));
        watcher->sent = 0;
        watcher->serial = feed->serial;
    }
    if (feed->ended) n = MHD_CONTENT_READER_END_OF_STREAM;
    else if (watcher->sent < watcher->text.len) {
        size_t left = watcher->text.len - watcher->sent;
        n = (ssize_t)(left < room ? left : room);
        memcpy(out, watcher->text.data + watcher->sent, (size_t)n);
        watcher->sent += (size_t)n;
    } else {
        watcher->waits = true;
        mhd.suspend_connection(watcher->connection);
    }
    pthread_mutex_unlock(&feed->lock);
    return n;
}

static void forget_watcher(void *context) {
    struct feed_listener *watcher = context;
    struct live_feed *feed = watcher->feed;
    pthread_mutex_lock(&feed->lock);
    for (size_t i = 0; i < feed->watchers.len; i++)
        if (feed->watchers.items[i] == watcher) feed->watchers.items[i] = feed->watchers.items[--feed->watchers.len];
    pthread_mutex_unlock(&feed->lock);
    strbuf_release(&watcher->text);
    free(watcher);
}

static bool add_watcher(struct live_feed *feed, struct feed_listener *watcher) {
    pthread_mutex_lock(&feed->lock);
    bool room = !feed->ended && feed->threaded && feed->watchers.len < MOST_WATCHERS;
    if (room) vec_push(&feed->watchers, watcher);
    watcher->serial = feed->serial; /* the first event is a new sample */
    pthread_cond_signal(&feed->wake);
    pthread_mutex_unlock(&feed->lock);
    return room;
}

enum MHD_Result live_feed_answer(struct live_feed *feed, struct MHD_Connection *connection) {
    struct feed_listener *watcher = mem_zalloc(1, sizeof *watcher);
    watcher->feed = feed;
    watcher->connection = connection;
    if (!add_watcher(feed, watcher)) {
        free(watcher);
        return answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "too many watch already\n");
    }
    struct MHD_Response *response =
        mhd.create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_event, watcher, forget_watcher);
    if (!response) {
        forget_watcher(watcher);
        return MHD_NO;
    }
    answer_headers(response, "text/event-stream");
    enum MHD_Result rc = mhd.queue_response(connection, MHD_HTTP_OK, response);
    mhd.destroy_response(response);
    return rc;
}

enum MHD_Result live_page_answer(struct MHD_Connection *connection) {
    struct slice page = live_template();
    struct MHD_Response *response =
        mhd.create_response_from_buffer(page.len, (void *)(uintptr_t)page.ptr, MHD_RESPMEM_PERSISTENT);
    if (!response) return MHD_NO;
    answer_headers(response, "text/html; charset=utf-8");
    enum MHD_Result rc = mhd.queue_response(connection, MHD_HTTP_OK, response);
    mhd.destroy_response(response);
    return rc;
}

void live_feed_end(struct live_feed *feed) {
    pthread_mutex_lock(&feed->lock);
    feed->ended = true;
    wake_watchers(feed);
    pthread_cond_signal(&feed->wake);
    pthread_mutex_unlock(&feed->lock);
    if (feed->threaded) pthread_join(feed->thread, NULL);
    feed->threaded = false;
}

void live_feed_free(struct live_feed *feed) {
    live_devices_free(feed->live);
    strbuf_release(&feed->event);
    vec_release(&feed->watchers);
    pthread_mutex_destroy(&feed->lock);
    pthread_cond_destroy(&feed->wake);
    free(feed);
}
