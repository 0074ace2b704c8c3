/* SPDX-License-Identifier: Apache-2.0 */
#include "render/ci/junit.h"

#include <time.h>

#include "base/progress.h"
#include "render/format/escape.h"

void junit_attribute(struct strbuf *out, const char *name, struct slice value) {
    strbuf_addf(out, " %s=\"", name);
    escape_xml(out, value);
    strbuf_addc(out, '"');
}

struct junit_time junit_time_since(int64_t began) {
    struct timespec now;
    int64_t took = clock_ns() - began;
    clock_gettime(CLOCK_REALTIME, &now);
    return (struct junit_time){(int64_t)now.tv_sec * 1000000000 + now.tv_nsec - took, took};
}

void junit_begin(struct strbuf *out, const struct junit_suite *suite) {
    time_t seconds = (time_t)(suite->time.begun_ns / 1000000000);
    struct tm parts;
    char when[32] = "1970-01-01T00:00:00Z";
    if (gmtime_r(&seconds, &parts)) strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &parts);
    strbuf_addz(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite");
    junit_attribute(out, "name", suite->name);
    strbuf_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\" time=\"%lld.%03lld\" timestamp=\"%s\">\n",
                suite->tests, suite->failures, suite->errors, (long long)(suite->time.took_ns / 1000000000),
                (long long)(suite->time.took_ns / 1000000 % 1000), when);
}

void junit_property(struct strbuf *out, struct slice name, struct slice value) {
    strbuf_addz(out, "<property");
    junit_attribute(out, "name", name);
    junit_attribute(out, "value", value);
    strbuf_addz(out, "/>\n");
}

void junit_case(struct strbuf *out, struct slice class_name, struct slice name) {
    strbuf_addz(out, "<testcase");
    junit_attribute(out, "classname", class_name);
    junit_attribute(out, "name", name);
    strbuf_addz(out, " time=\"0.000\">");
}

void junit_end(struct strbuf *out) { strbuf_addz(out, "</testsuite>\n</testsuites>\n"); }
