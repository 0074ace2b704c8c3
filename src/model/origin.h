/* SPDX-License-Identifier: Apache-2.0 */
/* What a run was read from. Everything but a runtime log is built with model/buffers.h. */
#ifndef TTMEM_MODEL_ORIGIN_H
#define TTMEM_MODEL_ORIGIN_H

enum run_origin {
    RUN_LOG,
    RUN_TTNN_REPORT,
    RUN_TTRT_MEMORY,
    RUN_MEMORY_CSV,
    RUN_GRAPH_CAPTURE,
    RUN_RECORDING,
    RUN_INSPECTOR,
    RUN_PREDICTED,
    RUN_ORIGINS
};

/* What people call the input: "log", "module", "folder". */
static inline const char *run_origin_word(enum run_origin origin) {
    static const char *const words[RUN_ORIGINS] = {
        [RUN_LOG] = "log",          [RUN_TTNN_REPORT] = "report",    [RUN_TTRT_MEMORY] = "file",
        [RUN_MEMORY_CSV] = "file",  [RUN_GRAPH_CAPTURE] = "capture", [RUN_RECORDING] = "recording",
        [RUN_INSPECTOR] = "folder", [RUN_PREDICTED] = "module"};
    return words[origin];
}

/* Ends the name of a predicted run, so that every view shows that it is one. */
#define PREDICTED_ENDING "_predicted"

#endif
