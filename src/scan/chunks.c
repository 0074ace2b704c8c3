#include "scan/chunks.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sched.h>

#include "base/mem.h"
#include "scan/find.h"

enum { MAX_THREADS = 64, WINDOW_PER_THREAD = 3 };

struct schedule {
    const struct chunk_work *work;
    struct slice bytes;
    size_t count;     /* chunks in all */
    size_t next;      /* first chunk that nobody took */
    size_t taken;     /* chunks handed over so far */
    size_t window;    /* how far parsing may run ahead of handing over: bounds memory */
    bool handing_over;
    void **ready; /* ring of `window` results; a chunk's place is number % window */
    bool *is_ready;
    pthread_mutex_t lock;
    pthread_cond_t moved;
};

struct thread_start {
    struct schedule *schedule;
    unsigned number;
};

/* The chunk begins behind the first line end at or after the nominal place, so that no line is owned twice. */
static size_t line_start(struct slice bytes, size_t nominal) {
    if (nominal == 0) return 0;
    if (nominal >= bytes.len) return bytes.len;
    const char *end = bytes.ptr + bytes.len;
    const char *eol = find_eol(bytes.ptr + nominal - 1, end);
    if (eol == end) return bytes.len;
    if (*eol == '\r' && eol + 1 < end && eol[1] == '\n') eol++;
    return (size_t)(eol + 1 - bytes.ptr);
}

/* With the lock held: hands over every result that is next in order, unless another thread is doing so. */
static void hand_over(struct schedule *s) {
    if (s->handing_over) return;
    s->handing_over = true;
    while (s->taken < s->count && s->is_ready[s->taken % s->window]) {
        size_t place = s->taken % s->window;
        void *result = s->ready[place];
        pthread_mutex_unlock(&s->lock);
        s->work->take(s->work->context, result);
        pthread_mutex_lock(&s->lock);
        s->is_ready[place] = false;
        s->taken++;
        pthread_cond_broadcast(&s->moved);
    }
    s->handing_over = false;
}

static void *work_loop(void *argument) {
    struct thread_start *start = argument;
    struct schedule *s = start->schedule;
    pthread_mutex_lock(&s->lock);
    while (s->next < s->count) {
        if (s->next - s->taken >= s->window) {
            pthread_cond_wait(&s->moved, &s->lock);
            continue;
        }
        size_t chunk = s->next++;
        pthread_mutex_unlock(&s->lock);
        size_t begin = line_start(s->bytes, chunk * CHUNK_BYTES);
        size_t end = line_start(s->bytes, (chunk + 1) * CHUNK_BYTES);
        void *result = s->work->parse(s->work->context, start->number, s->bytes, begin, end);
        pthread_mutex_lock(&s->lock);
        s->ready[chunk % s->window] = result;
        s->is_ready[chunk % s->window] = true;
        hand_over(s);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

void chunks_run(const struct chunk_work *work, struct slice bytes, unsigned threads) {
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    if (threads < 1) threads = 1;
    struct schedule s = {.work = work, .bytes = bytes, .count = (bytes.len + CHUNK_BYTES - 1) / CHUNK_BYTES};
    s.window = (size_t)threads * WINDOW_PER_THREAD;
    s.ready = mem_zalloc(s.window, sizeof *s.ready);
    s.is_ready = mem_zalloc(s.window, sizeof *s.is_ready);
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.moved, NULL);
    pthread_t ids[MAX_THREADS];
    struct thread_start starts[MAX_THREADS];
    unsigned started = 0;
    for (unsigned i = 0; i < threads; i++) starts[i] = (struct thread_start){&s, i};
    for (unsigned i = 1; i < threads && i < s.count; i++, started++)
        if (pthread_create(&ids[started], NULL, work_loop, &starts[i]) != 0) break;
    work_loop(&starts[0]);
    for (unsigned i = 0; i < started; i++) pthread_join(ids[i], NULL);
    pthread_mutex_destroy(&s.lock);
    pthread_cond_destroy(&s.moved);
    free(s.ready);
    free(s.is_ready);
}

unsigned chunks_threads(size_t bytes) {
    const char *asked = getenv("TTMEM_THREADS");
    if (asked && atoi(asked) > 0) return (unsigned)atoi(asked);
    cpu_set_t cores;
    int count = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
    size_t useful = bytes / CHUNK_BYTES + 1;
    return (size_t)count < useful ? (unsigned)count : (unsigned)useful;
}
