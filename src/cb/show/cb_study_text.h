/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads under circular-buffer strategies, for the terminal (also as the body of the markdown report). */
#ifndef TTMEM_RENDER_CB_STUDY_TEXT_H
#define TTMEM_RENDER_CB_STUDY_TEXT_H

#include "cb/study/cb_report.h"
#include "base/json_write.h"
#include "base/term.h"

void cb_study_text(struct strbuf *out, const struct term *term, const struct cb_study *study);

/* Writes members into the caller's open object. */
void cb_study_json(struct json *j, const struct cb_study *study);

/* What the adaptive strategy gains over the fixed one at this workload; "" if they are the same. */
void cb_trade_write(struct strbuf *out, const struct cb_study *study);
/* The two recommendations: "CB0 16, CB1 12, CB2 2, CB16 2 tiles: 128 KB, score 5.1, LOW", or why there is none. */
void cb_low_write(struct strbuf *out, const struct cb_study *study);
void cb_best_write(struct strbuf *out, const struct cb_study *study);
/* LOW, MEDIUM, HIGH, or what does not fit. */
const char *cb_verdict(const struct cb_pressure *pressure);

#endif
