/* SPDX-License-Identifier: Apache-2.0 */
/* libttmem in a process where one of the first allocations fails, also one of C++ or simdjson:
 *   tracker CAPTURE N        the peak of the capture
 *   tracker CAPTURE N PEAK   each of N allocations fails, in a child of its own, so that every time is the first: the peak is
 *                            that, or the call says that memory ran out. Prints how often it did. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ttmem/ttmem.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *ptr, size_t size);

static long until_failure = -1; /* negative: never */

static int fails(void) { return until_failure >= 0 && until_failure-- == 0 ? (errno = ENOMEM, 1) : 0; }

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
void *realloc(void *ptr, size_t size) { return fails() ? NULL : __libc_realloc(ptr, size); }

static char capture[1 << 20];

/* 0: all is counted; 3: the library said that memory ran out; 1: neither. */
static int use(size_t len, long long peak) {
    ttmem_tracker *tracker;
    ttmem_status status = ttmem_tracker_new(&tracker);
    if (status != TTMEM_OK) return status == TTMEM_NO_MEMORY ? 3 : 1;
    status = ttmem_add_segment_json(tracker, "one", capture, len);
    ttmem_dram_usage usage = {0};
    if (status == TTMEM_OK) status = ttmem_get_dram_usage(tracker, "one", &usage);
    int result = status == TTMEM_NO_MEMORY ? 3 : status == TTMEM_OK && (!peak || usage.peak == peak) ? 0 : 1;
    if (!peak) printf("%lld\n", (long long)usage.peak);
    ttmem_tracker_free(tracker);
    return result;
}

int main(int argc, char **argv) {
    FILE *file = argc > 2 ? fopen(argv[1], "rb") : NULL;
    if (!file) return 2;
    size_t len = fread(capture, 1, sizeof capture, file);
    fclose(file);
    long places = atol(argv[2]), exhausted = 0;
    long long peak = argc > 3 ? atoll(argv[3]) : 0;
    if (!peak) return use(len, 0);
    for (long n = 0; n < places; n++) {
        pid_t child = fork();
        if (child < 0) return 2;
        if (!child) {
            until_failure = n;
            _exit(use(len, peak));
        }
        int how;
        if (waitpid(child, &how, 0) != child || !WIFEXITED(how) || (WEXITSTATUS(how) != 0 && WEXITSTATUS(how) != 3)) {
            printf("allocation %ld: the process ended with %d\n", n, how);
            return 1;
        }
        exhausted += WEXITSTATUS(how) == 3;
    }
    printf("%ld\n", exhausted);
    return 0;
}
