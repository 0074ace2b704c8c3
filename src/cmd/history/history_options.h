/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of ttmem history share: which store, which runs. */
#ifndef TTMEM_CMD_HISTORY_H
#define TTMEM_CMD_HISTORY_H

#include "base/json_write.h"
#include "cmd/line/cmd.h"
#include "render/compare/history.h"
#include "store/history.h"
#include "work/history_store.h"

#define OPTION_STORE \
    { "store", 0, OPTION_TEXT, "ADDRESS", "a file, or postgresql://... (default: TTMEM_STORE, or ~/.ttmem/history.db)" }

#define HISTORY_FILTER_OPTIONS                                                                                \
    {"model", 0, OPTION_TEXT, "NAME", "only runs of this model"},                                             \
        {"branch", 0, OPTION_TEXT, "NAME", "only runs of this branch"},                                       \
        {"label", 0, OPTION_TEXT, "NAME=VALUE", "only runs with this label"},                                 \
        {"since", 0, OPTION_TEXT, "AGE", "only runs added in the last hours, days or weeks: 12h, 30d, 8w"}, { \
        "limit", 0, OPTION_TEXT, "N", "the newest N; 0 is all"                                                \
    }

/* Reads the options of HISTORY_FILTER_OPTIONS. The label is split in `scratch`, which must outlive the filter. */
int history_filter_of(const struct args *args, int64_t default_limit, struct history_filter *filter, struct strbuf *scratch,
                      struct err *err);

/* Members of an open object: what identifies a run; its labels. */
void history_json_run(struct json *j, const struct history_run *run);
void history_json_labels(struct json *j, const struct history_details *details);
/* "measures": by name {"value_bytes", "value_count", "whole_bytes"}; bytes are per bank except those of the host. */
void history_json_measures(struct json *j, const struct history_details *details);

/* "missing_months": months that the answer lacks. */
void history_json_missing(struct json *j, const struct store *store);

/* "12h", "30d", "8w" as microseconds; `option` is what an error names. */
int history_age(const char *option, const char *text, int64_t *microseconds, struct err *err);

/* The measure of --measure, dram.peak if not given. */
const struct measure *history_measure(const struct args *args, struct err *err);

/* The trends of a series, one per model, with the rises that `limit` finds. trends_release frees the arrays. */
struct trends {
    struct arena arena;
    struct {
        struct trend *items;
        size_t len, cap;
    } list;
};
void trends_make(struct trends *trends, const struct history_series *series, const struct measure *measure,
                 const struct trend_limit *limit);
void trends_release(struct trends *trends);

#endif
