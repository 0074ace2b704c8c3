#include "model/foreign.h"

#include <stddef.h>

static const struct foreign_format formats[] = {
    {"ttnn report database", RUN_TTNN_REPORT, ttnn_report_looks_like, ttnn_report_read},
    {"ttrt memory results", RUN_TTRT_MEMORY, ttrt_memory_looks_like, ttrt_memory_read},
    {"tt-metal memory report", RUN_MEMORY_CSV, memory_csv_looks_like, memory_csv_read},
    {"recording of ttmem top", RUN_RECORDING, recording_looks_like, recording_read},
    {"graph capture", RUN_GRAPH_CAPTURE, graph_run_looks_like, graph_run_read},
};

const struct foreign_format *foreign_find(struct slice bytes) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].looks_like(bytes)) return &formats[i];
    return NULL;
}
