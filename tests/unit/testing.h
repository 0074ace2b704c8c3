/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the log engine share. */
#ifndef TTMEM_TESTS_TESTING_H
#define TTMEM_TESTS_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/strbuf.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static inline char *text_of(struct slice s) {
    char *text = malloc(s.len + 1);
    memcpy(text, s.len ? s.ptr : "", s.len);
    text[s.len] = '\0';
    return text;
}

static inline void slice_is(struct slice s, const char *expected, const char *file, int line) {
    char *text = text_of(s);
    _assert_string_equal(text, expected, file, line);
    free(text);
}

#define assert_slice(s, expected) slice_is((s), (expected), __FILE__, __LINE__)

/* Empty when the file is not there. */
static inline struct strbuf file_text(const char *path) {
    struct strbuf text = {0};
    FILE *file = fopen(path, "rb");
    if (!file) return text;
    for (size_t n; (n = fread(strbuf_room(&text, 65536), 1, 65536, file)) > 0;) strbuf_took(&text, n);
    fclose(file);
    return text;
}

/* A file of the folder with real logs; the tests that use it are skipped where it is absent. */
static inline const char *shared_path(const char *name) {
    static char path[512];
    const char *data = getenv("TTMEM_DATA");
    snprintf(path, sizeof path, "%s/%s", data ? data : "../shared/data", name);
    return path;
}

#endif
