/* SPDX-License-Identifier: Apache-2.0 */
/* libttmem when the host has no memory: the n-th request fails, for every n. Nothing may end the process or crash, the
 * call says TTMEM_NO_MEMORY, and the tracker can be used and freed afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ttmem/ttmem.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *ptr, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *ptr, size_t size);

static long until_failure = -1;

static int fails(void) { return until_failure >= 0 && until_failure-- == 0; }

void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return fails() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *ptr, size_t size) { return fails() ? NULL : __real_realloc(ptr, size); }

static const char capture[] =
    "[{\"counter\":0,\"node_type\":\"function_start\",\"params\":{\"name\":\"f\"},\"connections\":[1,2,3]},"
    "{\"counter\":1,\"node_type\":\"buffer\",\"params\":{\"size\":4096,\"type\":\"L1\"},\"connections\":[]},"
    "{\"counter\":2,\"node_type\":\"buffer_allocate\",\"params\":{\"size\":4096,\"type\":\"L1\",\"device_id\":7},"
    "\"connections\":[1]},"
    "{\"counter\":3,\"node_type\":\"circular_buffer_allocate\",\"params\":{\"size\":64,\"core_range_set\":\"{[0-0 - 1-1]}\"}}]";

static int failures;

static void see(ttmem_status status) {
    assert_true(status == TTMEM_OK || status == TTMEM_NO_MEMORY || status == TTMEM_NOT_ACTIVE || status == TTMEM_ACTIVE ||
                status == TTMEM_NOT_FOUND);
    failures += status == TTMEM_NO_MEMORY;
}

static void use(ttmem_mode mode) {
    ttmem_tracker *tracker;
    ttmem_status status = ttmem_tracker_new(&tracker);
    see(status);
    if (status != TTMEM_OK) return;
    see(ttmem_begin_capture(tracker, mode));
    see(ttmem_function_start(tracker, "function"));
    static const ttmem_core_range ranges[] = {{0, 0, 3, 3}, {2, 2, 5, 5}};
    for (uint64_t i = 1; i <= 100; i++) {
        ttmem_buffer buffer = {
            .device = i % 3, .type = i % 2 ? TTMEM_DRAM : TTMEM_L1, .id = i, .size = 2048, .page_size = 2048};
        see(ttmem_buffer_allocate(tracker, &buffer, NULL));
        if (i % 3 == 0) see(ttmem_buffer_deallocate(tracker, &buffer));
        ttmem_program_memory memory = {.device = i % 3, .size = 64, .ranges = &ranges[i % 2], .ranges_len = 1};
        see(ttmem_circular_buffer_allocate(tracker, &memory));
    }
    see(ttmem_function_end(tracker) == TTMEM_OK ? TTMEM_OK : TTMEM_NOT_ACTIVE);
    see(ttmem_snapshot(tracker, "one"));
    see(ttmem_capture_json(tracker, capture, sizeof capture - 1));
    see(ttmem_end_capture(tracker, "two"));
    see(ttmem_add_segment_json(tracker, "three", capture, sizeof capture - 1));
    char *json = ttmem_json(tracker), *summary = ttmem_summary(tracker);
    failures += !json + !summary;
    ttmem_free(json);
    ttmem_free(summary);
    ttmem_clear(tracker);
    ttmem_tracker_free(tracker);
}

static void every_request_may_fail(void **state) {
    (void)state;
    static const ttmem_mode modes[] = {TTMEM_NORMAL, TTMEM_NO_DISPATCH};
    for (size_t m = 0; m < 2; m++) {
        int with_failure = 0;
        for (long n = 0;; n++) {
            failures = 0;
            until_failure = n;
            use(modes[m]);
            bool used_up = until_failure >= 0; /* fewer requests than n: all have had their turn */
            until_failure = -1;
            with_failure += failures > 0;
            if (used_up) break;
            assert_true(n < 100000);
        }
        assert_true(with_failure > 10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_request_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
