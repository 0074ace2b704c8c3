/* SPDX-License-Identifier: Apache-2.0 */
/* Programs fork while their threads use trackers. The child has only one thread: a lock that another thread held at that
 * moment would stay locked there for ever. So all trackers are locked for the fork, and unlocked on both sides. */
#include "track/track.h"

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static ttmem_tracker *first;

static void before_fork(void) {
    pthread_mutex_lock(&list_lock);
    for (ttmem_tracker *t = first; t; t = t->next) pthread_mutex_lock(&t->lock);
}

static void after_fork(void) {
    for (ttmem_tracker *t = first; t; t = t->next) pthread_mutex_unlock(&t->lock);
    pthread_mutex_unlock(&list_lock);
}

static bool is_ready;
static void prepare(void) { is_ready = pthread_atfork(before_fork, after_fork, after_fork) == 0; }

bool fork_list_add(ttmem_tracker *tracker) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
    if (!is_ready) return false;
    pthread_mutex_lock(&list_lock);
    tracker->next = first;
    tracker->link = &first;
    if (first) first->link = &tracker->next;
    first = tracker;
    pthread_mutex_unlock(&list_lock);
    return true;
}

void fork_list_remove(ttmem_tracker *tracker) {
    pthread_mutex_lock(&list_lock);
    *tracker->link = tracker->next;
    if (tracker->next) tracker->next->link = tracker->link;
    pthread_mutex_unlock(&list_lock);
}
