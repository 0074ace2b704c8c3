/* Explained failures as text for people and as JSON. */
#ifndef TTMEM_RENDER_EXPLAIN_H
#define TTMEM_RENDER_EXPLAIN_H

#include "analysis/failure/explain.h"
#include "base/json_write.h"
#include "base/strbuf.h"
#include "base/term.h"

/* One sentence, without line break: "Out of memory: fragmented. ...". For the head of other reports. */
void explain_headline(struct strbuf *out, const struct explanation *e);

void explain_text(struct strbuf *out, const struct term *term, const struct explain *explain);
/* The array of failures alone, as a value inside other JSON; without what was alive, which `ttmem explain` tells. */
void explain_json_list(struct json *j, const struct explain *explain);
void explain_json(struct strbuf *out, const struct explain *explain);

#endif
