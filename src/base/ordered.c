/* SPDX-License-Identifier: Apache-2.0 */
#include "base/ordered.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

enum { MAX_THREADS = 64, WINDOW_PER_THREAD = 3 };

struct schedule {
    const struct ordered_work *work;
    size_t count;  /* total number of jobs */
    size_t next;   /* first job that has not begun */
    size_t taken;  /* results delivered so far */
    size_t window; /* how far making may run ahead of taking: bounds memory */
    bool handing_over;
    bool exhausted; /* a thread ran out of memory: all stop */
    bool guarded;   /* the caller has a guard, so this jumps to it */
    void *scope;    /* of its memory */
    void **ready;   /* ring of `window` results; a job's slot is number % window */
    bool *is_ready;
    pthread_mutex_t lock;
    pthread_cond_t moved;
};

struct thread_start {
    struct schedule *schedule;
    unsigned number;
};

/* With the lock held: delivers every result that is next in order, unless another thread is doing so. */
static void hand_over(struct schedule *s) {
    if (s->handing_over) return;
    s->handing_over = true;
    while (s->taken < s->count && !s->exhausted && s->is_ready[s->taken % s->window]) {
        size_t number = s->taken, place = number % s->window;
        void *result = s->ready[place];
        pthread_mutex_unlock(&s->lock);
        s->work->take(s->work->context, number, result);
        pthread_mutex_lock(&s->lock);
        s->is_ready[place] = false;
        s->taken++;
        pthread_cond_broadcast(&s->moved);
    }
    s->handing_over = false;
}

static void work_loop(struct thread_start *start);

/* Jobs are made and taken without the lock, so that a thread never holds it when memory runs out. */
static void *work_guarded(void *argument) {
    struct thread_start *start = argument;
    struct schedule *s = start->schedule;
    struct mem_guard guard;
    void *outer = mem_scope_enter(s->scope);
    if (!s->guarded) {
        work_loop(start);
    } else {
        if (mem_try(&guard)) {
            work_loop(start);
        } else {
            pthread_mutex_lock(&s->lock);
            s->exhausted = true;
            pthread_cond_broadcast(&s->moved);
            pthread_mutex_unlock(&s->lock);
        }
        mem_guard_end(&guard);
    }
    mem_scope_enter(outer);
    return NULL;
}

static void work_loop(struct thread_start *start) {
    struct schedule *s = start->schedule;
    pthread_mutex_lock(&s->lock);
    while (s->next < s->count && !s->exhausted) {
        if (s->next - s->taken >= s->window) {
            pthread_cond_wait(&s->moved, &s->lock);
            continue;
        }
        size_t number = s->next++;
        pthread_mutex_unlock(&s->lock);
        void *result = s->work->make(s->work->context, start->number, number);
        pthread_mutex_lock(&s->lock);
        s->ready[number % s->window] = result;
        s->is_ready[number % s->window] = true;
        hand_over(s);
    }
    pthread_mutex_unlock(&s->lock);
}

void ordered_run(const struct ordered_work *work, size_t count, unsigned threads) {
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    if (threads < 1) threads = 1;
    struct schedule s = {.work = work,
                         .count = count,
                         .window = (size_t)threads * WINDOW_PER_THREAD,
                         .guarded = mem_guarded(),
                         .scope = mem_scope()};
    s.ready = mem_zalloc(s.window, sizeof *s.ready);
    s.is_ready = mem_zalloc(s.window, sizeof *s.is_ready);
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.moved, NULL);
    pthread_t ids[MAX_THREADS];
    struct thread_start starts[MAX_THREADS];
    unsigned started = 0;
    for (unsigned i = 0; i < threads; i++) starts[i] = (struct thread_start){&s, i};
    for (unsigned i = 1; i < threads && i < count; i++, started++)
        if (pthread_create(&ids[started], NULL, work_guarded, &starts[i]) != 0) break;
    work_guarded(&starts[0]);
    for (unsigned i = 0; i < started; i++) pthread_join(ids[i], NULL);
    pthread_mutex_destroy(&s.lock);
    pthread_cond_destroy(&s.moved);
    free(s.ready);
    free(s.is_ready);
    if (s.exhausted) mem_exhausted(); /* no thread is left */
}

unsigned ordered_threads(void) {
    const char *asked = getenv("TTMEM_THREADS");
    long wanted = asked ? strtol(asked, NULL, 10) : 0;
    if (wanted > 0) return wanted < MAX_THREADS ? (unsigned)wanted : MAX_THREADS;
    cpu_set_t cores;
    int count = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
    return count < MAX_THREADS ? (unsigned)count : MAX_THREADS;
}
