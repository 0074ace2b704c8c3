/* SPDX-License-Identifier: Apache-2.0 */
/* A graph capture's report as JSON and as text for the terminal. */
#ifndef TTMEM_RENDER_GRAPH_RENDER_H
#define TTMEM_RENDER_GRAPH_RENDER_H

#include "analysis/graph/graph_report.h"
#include "analysis/graph/graph_what_if.h"
#include "base/term.h"

struct graph_text_options {
    bool upstream_rules;
    bool all;       /* every row instead of the largest */
    bool arguments; /* of the first call, below each function */
    const graph_what_ifs *what_if;
};

/* The members of one object per segment, appended to an open array; replays of all of them are in the last. */
void graph_json(struct json *json, const struct graph_session *session, const graph_what_ifs *what_if);

void graph_text(struct strbuf *out, const struct term *term, const struct graph_session *session,
                const struct graph_text_options *options);

bool graph_what_if_fits(const struct graph_what_if *what);
/* The unchanged replay, if it takes more cores than the chip has; else NULL. */
const struct graph_what_if *graph_lacks_cores(const graph_what_ifs *list);
void graph_what_if_text(struct strbuf *out, const struct term *term, const struct graph_session *session,
                        const graph_what_ifs *list);
void graph_what_if_json(struct json *json, const struct graph_session *session, const graph_what_ifs *list);

/* tt-train's summary of all segments. */
void graph_summary(struct strbuf *out, const struct graph_session *session, bool upstream_rules);

/* "arguments" of a call, as a member of the open object; nothing if there are none. */
void graph_arguments_json(struct json *json, const struct graph_session *session, uint32_t first, uint32_t count);

/* Name of the function that made a buffer or reached a peak of that segment; empty outside all functions. */
struct slice graph_function_name(const struct graph_session *session, size_t segment, uint32_t function);

#endif
