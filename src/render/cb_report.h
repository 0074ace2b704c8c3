/* Simulation, sources and log of circular buffers in one document. */
#ifndef TTMEM_RENDER_CB_REPORT_H
#define TTMEM_RENDER_CB_REPORT_H

#include "analysis/cb_compare.h"
#include "analysis/cb_report.h"
#include "analysis/cb_runtime.h"
#include "base/json_write.h"
#include "render/doc.h"

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
void cb_report_json(struct json *j, const struct cb_report_parts *parts); /* a whole object */

#endif
