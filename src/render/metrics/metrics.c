/* SPDX-License-Identifier: Apache-2.0 */
#include "render/metrics/metrics.h"

#include <string.h>
#include <strings.h>

#include "base/utf8.h"

const char *const metrics_types[] = {
    [METRICS_PROMETHEUS] = "text/plain; version=0.0.4; charset=utf-8",
    [METRICS_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/* Does a quality such as ";q=0.00" among a media range's parameters mean "not this one"? */
static bool is_refused(struct slice parameters) {
    for (size_t i = 0; i + 2 < parameters.len; i++) {
        if ((parameters.ptr[i] | 32) != 'q' || parameters.ptr[i + 1] != '=') continue;
        if (i && !strchr("; \t", parameters.ptr[i - 1])) continue;
        for (i += 2; i < parameters.len && strchr("0.", parameters.ptr[i]); i++) continue;
        return i == parameters.len || strchr("; \t", parameters.ptr[i]);
    }
    return false;
}

enum metrics_form metrics_accepted(const char *accept) {
    static const char wanted[] = "application/openmetrics-text";
    struct slice rest = slice_from(accept ? accept : "");
    while (rest.len) {
        size_t comma = slice_find_byte(rest, ',');
        struct slice range = slice_take(rest, comma == SLICE_NONE ? rest.len : comma);
        rest = slice_skip(rest, comma == SLICE_NONE ? rest.len : comma + 1);
        while (range.len && strchr(" \t", range.ptr[0])) range = slice_skip(range, 1);
        if (range.len < sizeof wanted - 1 || strncasecmp(range.ptr, wanted, sizeof wanted - 1) != 0) continue;
        range = slice_skip(range, sizeof wanted - 1);
        if (range.len && !strchr("; \t", range.ptr[0])) continue;
        if (!is_refused(range)) return METRICS_OPENMETRICS;
    }
    return METRICS_PROMETHEUS;
}

static bool is_counter(const struct metric_family *family) { return strcmp(family->type, "counter") == 0; }

void metrics_family(struct strbuf *out, enum metrics_form form, const struct metric_family *family) {
    /* the older format identifies a counter by the name of its samples, the newer one by that of its family */
    const char *suffix = is_counter(family) && form == METRICS_PROMETHEUS ? "_total" : "";
    strbuf_addf(out, "# HELP %s%s %s\n", family->name, suffix, family->help);
    strbuf_addf(out, "# TYPE %s%s %s\n", family->name, suffix, family->type);
    if (form == METRICS_OPENMETRICS && family->unit) strbuf_addf(out, "# UNIT %s %s\n", family->name, family->unit);
}

static void label_value(struct strbuf *out, struct slice value) {
    struct strbuf clean = {0};
    utf8_add_valid(&clean, value);
    for (size_t i = 0; i < clean.len; i++) {
        char c = clean.data[i];
        if (c == '\\' || c == '"') strbuf_addc(out, '\\');
        if (c == '\n') strbuf_addz(out, "\\n");
        else strbuf_addc(out, c ? c : '?');
    }
    strbuf_release(&clean);
}

void metrics_sample(struct strbuf *out, const struct metric_family *family, const struct metric_label *labels, size_t count) {
    strbuf_addf(out, "%s%s", family->name, is_counter(family) ? "_total" : "");
    for (size_t i = 0; i < count; i++) {
        strbuf_addf(out, "%c%s=\"", i ? ',' : '{', labels[i].name);
        label_value(out, labels[i].value);
        strbuf_addc(out, '"');
    }
    strbuf_addz(out, count ? "} " : " ");
}

void metrics_end(struct strbuf *out, enum metrics_form form) {
    if (form == METRICS_OPENMETRICS) strbuf_addz(out, "# EOF\n");
}

void metrics_build_info(struct strbuf *out, enum metrics_form form, const char *version) {
    static const struct metric_family family = {"ttmem_build_info", "gauge", NULL, "The ttmem that wrote this; always 1."};
    metrics_family(out, form, &family);
    metrics_sample(out, &family, &(struct metric_label){"version", slice_from(version)}, 1);
    strbuf_addz(out, "1\n");
}
