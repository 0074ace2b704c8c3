/* SPDX-License-Identifier: Apache-2.0 */
#include "input/kinds.h"

#include <stddef.h>

#include "predict/ir/forms.h"
#include "predict/predicted_run.h"

const struct input_kind input_log = {.name = "a log", .read = log_read};

/* The first that fits counts. */
static const struct input_kind kinds[] = {
    {.name = "a report", .is_folder = report_is_folder, .is_file = report_is_file, .read = report_read},
    {.name = "a folder of Inspector", .is_folder = inspector_is_folder, .read = inspector_read},
    {.name = "a ttnn report", .file_in = ttnn_report_file_in, .read_bytes = ttnn_report_read},
    {.name = "a folder of graph captures", .is_folder = graph_folder_is, .read = graph_folder_read},
    {.name = "a folder that codegen wrote", .file_in = form_folder_module, .read_bytes = predicted_run_read},
    {.name = "a ttnn report database", .is_content = ttnn_report_looks_like, .read_bytes = ttnn_report_read},
    {.name = "memory results of ttrt", .is_content = ttrt_memory_looks_like, .read_bytes = ttrt_memory_read},
    {.name = "a memory report of tt-metal", .is_content = memory_csv_looks_like, .read_bytes = memory_csv_read},
    {.name = "a recording of ttmem top", .is_content = recording_looks_like, .read_bytes = recording_read},
    {.name = "a graph capture",
     .is_content = graph_run_looks_like,
     .read_bytes = graph_run_read,
     .read_source = graph_source_read},
    {.name = "a compiled TTNN module", .is_content = predicted_run_looks_like, .read_bytes = predicted_run_read},
    {.name = "a folder of ranks' reports", .is_folder = rank_reports_is_folder, .read = rank_reports_read},
    {.name = "a folder of logs", .is_folder = log_folder_is, .read = log_folder_read},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const struct input_kind *kind_of_folder(const char *path) {
    struct strbuf file = {0};
    size_t i = 0;
    while (i < KINDS && !(kinds[i].is_folder && kinds[i].is_folder(path)) &&
           !(kinds[i].file_in && kinds[i].file_in(path, &file)))
        i++;
    strbuf_release(&file);
    return i < KINDS ? &kinds[i] : NULL;
}

const struct input_kind *kind_of_file(const char *path) {
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].is_file && kinds[i].is_file(path)) return &kinds[i];
    return NULL;
}

const struct input_kind *kind_of_content(struct slice head) {
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].is_content && kinds[i].is_content(head)) return &kinds[i];
    return NULL;
}
