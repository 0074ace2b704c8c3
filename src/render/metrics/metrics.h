/* SPDX-License-Identifier: Apache-2.0 */
/* The text formats of Prometheus (0.0.4) and OpenMetrics (1.0.0): families of samples, each with its help and type once.
 *
 * A family is complete before the next begins; the caller ensures that no two samples of a family have the same labels,
 * because a scraper would refuse the whole document. Label values may be any bytes. */
#ifndef TTMEM_RENDER_METRICS_H
#define TTMEM_RENDER_METRICS_H

#include "base/strbuf.h"

enum metrics_form { METRICS_PROMETHEUS, METRICS_OPENMETRICS };

extern const char *const metrics_types[]; /* the media type of each form */

/* The form that an Accept header requests; NULL: none was sent. */
enum metrics_form metrics_accepted(const char *accept);

struct metric_family {
    const char *name; /* including its unit; a counter's without _total */
    const char *type; /* "gauge", "counter" */
    const char *unit; /* "bytes", "seconds", or NULL */
    const char *help; /* plain words, nothing to escape */
};

struct metric_label {
    const char *name;
    struct slice value;
};

void metrics_family(struct strbuf *out, enum metrics_form form, const struct metric_family *family);

/* Everything of a sample but its value: "name{a="b"} ". */
void metrics_sample(struct strbuf *out, const struct metric_family *family, const struct metric_label *labels, size_t count);

/* The end of the document. */
void metrics_end(struct strbuf *out, enum metrics_form form);

/* ttmem_build_info, which every document has. */
void metrics_build_info(struct strbuf *out, enum metrics_form form, const char *version);

#endif
