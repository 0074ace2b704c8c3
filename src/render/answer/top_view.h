/* SPDX-License-Identifier: Apache-2.0 */
/* A sample of the devices as text, as a line of JSON, and as rows of CSV. */
#ifndef TTMEM_RENDER_TOP_VIEW_H
#define TTMEM_RENDER_TOP_VIEW_H

#include "base/term.h"
#include "model/live_devices.h"

struct top_options {
    const struct chip *chip; /* gives the capacity of each device; NULL: unknown */
};

void top_text(struct strbuf *out, const struct term *term, const struct live_devices *live, const struct top_options *options);

/* One line, including its end. */
void top_json(struct strbuf *out, const struct live_devices *live, const struct top_options *options);

/* One row per device and process, and one per device with the sum; with CRLF. */
void top_csv_header(struct strbuf *out);
void top_csv(struct strbuf *out, const struct live_devices *live);

/* The first line of a recording; the lines after it are top_json's. */
void top_recording_header(struct strbuf *out, const struct top_options *options, const char *version);

/* "0.3 s", "2 min", "5 h", "3 d" since then; "in the future" for impossible times. */
void add_age(struct strbuf *out, uint64_t then_ns, uint64_t now_ns);

#endif
