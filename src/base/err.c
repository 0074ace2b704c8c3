/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void fill(struct err *err, enum err_code code, const char *format, va_list args) {
    err->code = code;
    vsnprintf(err->text, sizeof err->text, format, args);
}

int err_set(struct err *err, enum err_code code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (err) fill(err, code, format, args);
    va_end(args);
    return -1;
}

int err_set_errno(struct err *err, enum err_code code, const char *format, ...) {
    int saved = errno;
    if (!err) return -1;
    va_list args;
    va_start(args, format);
    fill(err, code, format, args);
    va_end(args);
    size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(saved));
    return -1;
}
