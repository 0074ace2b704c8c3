/* SPDX-License-Identifier: Apache-2.0 */
/* Simulation, sources and log of circular buffers in one document. */
#ifndef TTMEM_RENDER_CB_REPORT_H
#define TTMEM_RENDER_CB_REPORT_H

#include "cb/study/cb_compare.h"
#include "cb/study/cb_report.h"
#include "cb/study/cb_runtime.h"
#include "base/json_write.h"
#include "render/format/doc.h"

struct cb_report_parts {
    const struct cb_study *studies; /* one, or a sweep */
    size_t n_studies;
    bool has_source;
    struct cb_files files;
    size_t files_read;
    const struct cb_log *log; /* NULL: none */
    const struct cb_runtime *runtime;
    struct slice log_name;
};

void cb_report_doc(struct doc *doc, const struct cb_report_parts *parts);
void cb_report_json(struct json *j, const struct cb_report_parts *parts); /* writes a whole object */

#endif
