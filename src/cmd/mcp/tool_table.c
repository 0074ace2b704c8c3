/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/mcp/tool_table.h"

#include <stddef.h>

#define RUN_ARGUMENT \
    { "run", ARGUMENT_RUN, true, NULL, NULL, NULL, "log, report, module or folder; report name; history id; branch:NAME" }
#define LIMIT(n) \
    { "limit", ARGUMENT_INTEGER, false, "--limit", NULL, n, "rows (" n ")" }

const struct tool tool_table[] = {
    {"ttmem_summary",
     "summary",
     "What a run used: chip, peaks per pool and the op of each, growth, padding, weights, failures. Start here.",
     {RUN_ARGUMENT}},
    {"ttmem_explain",
     "explain",
     "Why it ran out of memory: class, op, figures, and the change that is enough. For a log or a pasted message.",
     {{"run", ARGUMENT_RUN, false, NULL, NULL, NULL, "log or report; or give text"},
      {"text", ARGUMENT_TEXT, false, NULL, NULL, NULL, "pasted output, at most 64 KiB"},
      LIMIT("10")}},
    {"ttmem_live",
     "live",
     "What is alive at the peak or before an op: tensors by size, sums by class, what no tensor explains.",
     {RUN_ARGUMENT,
      {"at", ARGUMENT_PLACE, false, "--at", NULL, NULL, "\"peak\" or the index of an op"},
      {"pool", ARGUMENT_STRING, false, "--pool", "dram|l1", NULL, "memory (dram)"},
      LIMIT("20")}},
    {"ttmem_ops",
     "top-ops",
     "Ops that stand out by memory, growth or padding.",
     {RUN_ARGUMENT, {"by", ARGUMENT_STRING, false, "--by", "dram|l1|growth|padding", NULL, "measure (dram)"}, LIMIT("10")}},
    {"ttmem_op",
     "op",
     "Everything about one op: tensors, layouts, padding, location, memory before and after.",
     {RUN_ARGUMENT, {"index", ARGUMENT_WORD, true, NULL, NULL, NULL, "the number shown with a #"}}},
    {"ttmem_compare",
     "diff",
     "What changed between two runs and why the peak moved; every byte is charged to a cause.",
     {{"before", ARGUMENT_RUN, true, NULL, NULL, NULL, "run"}, {"after", ARGUMENT_RUN, true, NULL, NULL, NULL, "run"}}},
    {"ttmem_check",
     "check",
     "Holds a run against limits: the step that verifies a fix. ok is true when every rule is kept.",
     {RUN_ARGUMENT,
      {"rules", ARGUMENT_RULES, false, NULL, NULL, NULL,
       "\"max dram.peak 80%\", \"min dram.largest_free 64MB\", \"no-failure\"; none: the .ttmem-budget file"},
      {"baseline", ARGUMENT_RUN_OPTION, false, "--baseline", NULL, NULL, "run that limits with + or - are against"}}},
    {"ttmem_predict",
     "predict",
     "Whether a compiled TTNN module fits, before anything runs: verdict, failing op, what holds the memory.",
     {{"module", ARGUMENT_RUN, true, NULL, NULL, NULL, "TTNN module, .ttnn binary, codegen folder, or log with modules"},
      {"device", ARGUMENT_STRING, false, "--device", NULL, NULL, "n150, n300, p150, ..."}}},
    {0},
};
