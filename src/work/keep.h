/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the report of a log that was read: its files in their own folder. */
#ifndef TTMEM_WORK_KEEP_H
#define TTMEM_WORK_KEEP_H

#include "analysis/run/overview.h"
#include "work/open.h"
#include "store/report.h"

/* Writes the report's files and appends their folder to `folder`; the log's name becomes the name that the report got.
 * `markdown` is the report for agents, kept beside the others; NULL if it was not made. */
int keep_report(const struct work *work, struct input *in, const struct overview *overview,
                const struct report_options *options, const struct strbuf *markdown, struct strbuf *folder, struct err *err);

#endif
