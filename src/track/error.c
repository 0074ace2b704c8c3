/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>

#include "track/track.h"

static _Thread_local char last_error[512];

const char *ttmem_last_error(void) { return last_error; }

ttmem_status track_fail(ttmem_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(last_error, sizeof last_error, format, args);
    va_end(args);
    return status;
}

ttmem_status track_fail_no_memory(void) {
    return track_fail(TTMEM_NO_MEMORY, "MemoryUsageTracker: the host has no memory left");
}

ttmem_status track_fail_null(const char *function) {
    return track_fail(TTMEM_BAD_ARGUMENT, "MemoryUsageTracker: an argument of %s is NULL", function);
}
