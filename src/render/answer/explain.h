/* SPDX-License-Identifier: Apache-2.0 */
/* Explained failures as text and as JSON. */
#ifndef TTMEM_RENDER_EXPLAIN_H
#define TTMEM_RENDER_EXPLAIN_H

#include "analysis/failure/groups.h"
#include "base/json_write.h"
#include "base/strbuf.h"
#include "base/term.h"

struct fit;

/* One sentence without a line break: "Out of memory: fragmented. ...". For the head of other reports. */
void explain_headline(struct strbuf *out, const struct explanation *e);

/* How much to show: equal failures are one entry unless `all`; at most `limit` entries, 0: any number. */
struct explain_show {
    bool all;
    size_t limit;
    size_t json_limit; /* for JSON, which has no limit of its own */
};

void explain_text(struct strbuf *out, const struct term *term, const struct explain *explain, struct explain_show show);
/* " This alone is enough.", after the text of advice `i`; nothing after a remark. */
void explain_worth(struct strbuf *out, const struct verdict *v, size_t i);
/* "short by 1,024 to 5,120 B" after the caller's text; nothing if the figures are unknown. */
void explain_text_range(struct strbuf *out, const struct failure_group *group);
/* ", 1 ended the run, 24 were caught" if this differs among `count` failures. */
void explain_outcomes(struct strbuf *out, size_t count, size_t ended, size_t caught);
/* "ends inside @main after #1,204 without an error message", or the reason if one is known. */
void explain_cut(struct strbuf *out, const struct explain *explain);
/* Does a message say that the process was killed? */
bool explain_tells_kill(const struct explain *explain);
/* Only the array of failures, as a value inside other JSON; without what was alive, which `ttmem explain` shows. */
void explain_json_list(struct json *j, const struct explain *explain, size_t limit);
/* The member "cut": where the log ends in the middle of something, or null. */
void explain_json_cut(struct json *j, const struct explain *explain);
/* How many failures there are, and how many of them are not listed. */
void explain_json_counts(struct json *j, const struct explain *explain, size_t limit);
void explain_json_left_out(struct json *j, const struct explain *explain, size_t limit);
/* `fit`: what would be enough, or NULL. `shrank`: the log was cut while it was read. */
void explain_json(struct strbuf *out, const struct explain *explain, size_t limit, const struct fit *fit, bool shrank);

#endif
