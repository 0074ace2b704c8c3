/* SPDX-License-Identifier: Apache-2.0 */
#include "source/guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_MAPPINGS = 1 << 16 }; /* the most that Linux lets a process have by default */
#define NEVER_FAILED UINTPTR_MAX

/* What the signal handler reads: `end` is 0 while a slot is free or being filled. */
static struct guarded {
    atomic_bool taken;
    _Atomic(uintptr_t) begin, end;
    _Atomic(uintptr_t) sound; /* reads up to here did not fail; NEVER_FAILED: none did */
} guarded[MOST_MAPPINGS];
static atomic_size_t highest; /* slots from here on were never used */

static pthread_mutex_t installing = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t page;
static struct sigaction before;

static struct guarded *slot_of(uintptr_t address) {
    for (size_t i = 0, end = atomic_load(&highest); i < end; i++)
        if (address < atomic_load(&guarded[i].end) && address >= atomic_load(&guarded[i].begin)) return &guarded[i];
    return NULL;
}

/* The rest of the mapping becomes zeros, and the read that failed is tried again. mmap is a bare system call here. */
static void on_bus_error(int number, siginfo_t *info, void *context) {
    (void)context;
    int saved = errno;
    uintptr_t address = (uintptr_t)info->si_addr & ~(page - 1);
    struct guarded *slot = slot_of((uintptr_t)info->si_addr);
    if (slot) {
        uintptr_t end = (atomic_load(&slot->end) + page - 1) & ~(page - 1);
        void *zeros = mmap((void *)address, end - address, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (zeros != MAP_FAILED) {
            uintptr_t sound = atomic_load(&slot->sound);
            while (address < sound && !atomic_compare_exchange_weak(&slot->sound, &sound, address)) {
            }
            errno = saved;
            return;
        }
    }
    sigaction(number, &before, NULL); /* not ours: the instruction runs again and ends the program, as without this handler */
}

/* Checked for every mapping: another part of the program may have taken over the signal since. */
static void install(void) {
    struct sigaction now, action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_RESTART};
    pthread_mutex_lock(&installing);
    page = (uintptr_t)sysconf(_SC_PAGESIZE);
    sigaction(SIGBUS, NULL, &now);
    if (!(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != on_bus_error) {
        before = now;
        sigaction(SIGBUS, &action, NULL);
    }
    pthread_mutex_unlock(&installing);
}

void *guard_map(int fd, size_t size) { return guard_map_at(fd, size, NULL); }

void *guard_map_at(int fd, size_t size, void *at) {
    install();
    struct guarded *slot = NULL;
    for (size_t i = 0; i < MOST_MAPPINGS && !slot; i++)
        if (!atomic_exchange(&guarded[i].taken, true)) slot = &guarded[i];
    for (size_t now = atomic_load(&highest); slot && now <= (size_t)(slot - guarded);)
        if (atomic_compare_exchange_weak(&highest, &now, (size_t)(slot - guarded) + 1)) break;
    if (!slot) {
        errno = ENFILE;
        return NULL;
    }
    void *memory = mmap(at, size, PROT_READ, MAP_PRIVATE | (at ? MAP_FIXED : 0), fd, 0);
    if (memory == MAP_FAILED) {
        atomic_store(&slot->taken, false);
        return NULL;
    }
    atomic_store(&slot->sound, NEVER_FAILED);
    atomic_store(&slot->begin, (uintptr_t)memory);
    atomic_store(&slot->end, (uintptr_t)memory + size);
    return memory;
}

bool guard_broke(const void *memory) {
    const struct guarded *slot = slot_of((uintptr_t)memory);
    return slot && atomic_load(&slot->sound) != NEVER_FAILED;
}

size_t guard_sound(const void *memory, size_t size) {
    const struct guarded *slot = slot_of((uintptr_t)memory);
    uintptr_t sound = slot ? atomic_load(&slot->sound) : NEVER_FAILED;
    return sound == NEVER_FAILED || sound - (uintptr_t)memory > size ? size : sound - (uintptr_t)memory;
}

void guard_unmap(void *memory, size_t size) {
    struct guarded *slot = slot_of((uintptr_t)memory);
    if (slot) atomic_store(&slot->end, 0);
    munmap(memory, size);
    if (slot) atomic_store(&slot->taken, false);
}
