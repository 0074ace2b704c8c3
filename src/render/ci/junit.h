/* SPDX-License-Identifier: Apache-2.0 */
/* JUnit XML: one suite of cases. */
#ifndef TTMEM_RENDER_JUNIT_H
#define TTMEM_RENDER_JUNIT_H

#include <stdint.h>

#include "base/strbuf.h"

struct junit_time {
    int64_t begun_ns; /* since 1970 */
    int64_t took_ns;
};

/* For what began when clock_ns() was `began` and ends now. */
struct junit_time junit_time_since(int64_t began);

struct junit_suite {
    struct slice name;
    size_t tests, failures, errors;
    struct junit_time time;
};

/* The head of the document and of its suite; properties, then cases follow. */
void junit_begin(struct strbuf *out, const struct junit_suite *suite);
void junit_property(struct strbuf *out, struct slice name, struct slice value);
/* An open case: its content and </testcase> follow. A case judges a run that was read once, so it takes no time of its own. */
void junit_case(struct strbuf *out, struct slice class_name, struct slice name);
void junit_end(struct strbuf *out);

/* name="value", with a leading space. */
void junit_attribute(struct strbuf *out, const char *name, struct slice value);

#endif
