/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/metrics/metrics.h"

static void the_accept_header_chooses_the_form(void **state) {
    (void)state;
    static const struct {
        const char *accept;
        enum metrics_form form;
    } cases[] = {
        {NULL, METRICS_PROMETHEUS},
        {"", METRICS_PROMETHEUS},
        {"*/*", METRICS_PROMETHEUS},
        {"text/plain", METRICS_PROMETHEUS},
        /* as Prometheus 2.42 asks */
        {"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/"
         "plain;version=0.0.4;q=0.5,"
         "*/*;q=0.1",
         METRICS_OPENMETRICS},
        {"text/plain , \tApplication/OpenMetrics-Text ; q=0.3", METRICS_OPENMETRICS},
        {"application/openmetrics-text;q=0", METRICS_PROMETHEUS},
        {"application/openmetrics-text; q=0.000;version=1.0.0", METRICS_PROMETHEUS},
        {"application/openmetrics-text;q=0.01", METRICS_OPENMETRICS},
        {"application/openmetrics-text;q=", METRICS_OPENMETRICS},
        {"application/openmetrics-textual", METRICS_PROMETHEUS},
        {",,;;application/openmetrics-text", METRICS_PROMETHEUS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(metrics_accepted(cases[i].accept), cases[i].form);
}

static void families_differ_between_the_forms(void **state) {
    (void)state;
    static const struct metric_family counter = {"x_errors", "counter", NULL, "Errors."},
                                      size = {"x_size_bytes", "gauge", "bytes", "Size."};
    struct strbuf out = {0};
    metrics_family(&out, METRICS_PROMETHEUS, &counter);
    metrics_family(&out, METRICS_PROMETHEUS, &size);
    metrics_end(&out, METRICS_PROMETHEUS);
    assert_string_equal(strbuf_text(&out),
                        "# HELP x_errors_total Errors.\n# TYPE x_errors_total counter\n"
                        "# HELP x_size_bytes Size.\n# TYPE x_size_bytes gauge\n");
    strbuf_clear(&out);
    metrics_family(&out, METRICS_OPENMETRICS, &counter);
    metrics_sample(&out, &counter, NULL, 0);
    strbuf_addz(&out, "3\n");
    metrics_family(&out, METRICS_OPENMETRICS, &size);
    metrics_end(&out, METRICS_OPENMETRICS);
    assert_string_equal(strbuf_text(&out),
                        "# HELP x_errors Errors.\n# TYPE x_errors counter\nx_errors_total 3\n"
                        "# HELP x_size_bytes Size.\n# TYPE x_size_bytes gauge\n# UNIT x_size_bytes bytes\n# EOF\n");
    strbuf_release(&out);
}

static void label_values_are_escaped(void **state) {
    (void)state;
    static const struct metric_family family = {"x", "gauge", NULL, "X."};
    const struct metric_label labels[] = {{"a", SLICE("q\"b\\n\nz")}, {"b", slice_of("\xff\0k\xc3\xa9", 5)}};
    struct strbuf out = {0};
    metrics_sample(&out, &family, labels, 2);
    assert_string_equal(strbuf_text(&out), "x{a=\"q\\\"b\\\\n\\nz\",b=\"\xef\xbf\xbd?k\xc3\xa9\"} ");
    strbuf_release(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_accept_header_chooses_the_form),
        cmocka_unit_test(families_differ_between_the_forms),
        cmocka_unit_test(label_values_are_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
