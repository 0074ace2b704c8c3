/* SPDX-License-Identifier: Apache-2.0 */
/* Why a measure is unknown, or only a bound. For measures.c alone. */
#ifndef TTMEM_ANALYSIS_MEASURE_WORDS_H
#define TTMEM_ANALYSIS_MEASURE_WORDS_H

#include "analysis/compare/footprint.h"

static const char no_blocks[] =
    "the run has no memory blocks of that pool; run with TT_RUNTIME_MEMORY_LOG_LEVEL=all and a build with TT_RUNTIME_DEBUG=ON";
static const char not_in_module[] =
    "the module puts no tensor there; what else may lie there (circular buffers, tables, traces) is in no module";
static const char no_free[] = "the memory blocks do not show the largest free block";
static const char no_tensors[] = "no op lines show what was alive at the peak; run with TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG";
static const char no_repetition[] = "no program ran twice with memory blocks, so nothing shows what a repetition leaves";
static const char no_frees[] =
    "the run does not record when tensors are freed: a log with op lines, in which a program ran twice, does";

static const char no_host[] = "host memory was not recorded: ttmem run does so, and keeps NAME_host.jsonl beside the log";
static const char *const host_missing[FOOTPRINT_HOST_COUNT] = {
    [FOOTPRINT_HOST_PEAK] = no_host,
    [FOOTPRINT_HOST_END] = no_host,
    [FOOTPRINT_HOST_GROWTH] = "no program ran often and long enough to show what a pass leaves on the host",
    [FOOTPRINT_HOST_HUGEPAGES] = "the machine does not report its huge pages",
};

static const char around_programs[] =
    "memory is known around programs only, and may have been worse in between; run with TT_RUNTIME_MEMORY_LOG_LEVEL=all";

static const char between_gaps[] =
    "ops have no memory block, or lines of the log are missing, and memory may have been worse there; run with "
    "TT_RUNTIME_MEMORY_LOG_LEVEL=all and keep all of the log";

static const char parts_unread[] = "parts of the input that record it could not be read, so it may have been worse";

static const char banks_unknown[] =
    "the number of banks that the buffers of this capture lie on is not known, so a bank may hold more; "
    "ttnn.graph.end_graph_capture_to_file(path) writes it";

static const char from_tensors[] =
    "the peak is known from the sizes of its tensors, and may have been higher; run with TT_RUNTIME_MEMORY_LOG_LEVEL=all";
static const char other_rank_bound[] =
    "the peak of another rank is a lower bound, and may have been higher; ttmem ranks shows them all";
static const char of_meshes[] =
    "several meshes own devices, and Inspector does not say which one a buffer is on: the peak is a sum over them";
static const char of_one_rank[] =
    "the history keeps only what the rank with the highest peak of this run holds; another may hold more: add the run again";
static const char rank_untold[] = "another rank does not show what is alive at its peak; ttmem ranks shows them all";
static const char from_failure[] = "the peak is what the failure message states, and may have been higher";

static const char ends_early[] =
    "the log ends inside a program and does not say why: the run was ended from outside, is still going, or the log is cut";

static const char cut_peak[] =
    "the log ends inside a program: it does not say whether the run went on, so memory may have been worse later";

static const char no_messages[] = "the report keeps no messages of failures: only the log that it was made from has them";

static const char more_failures[] = "there are more different failures than are distinguished: at least this many";

static const char other_fatal[] =
    "the run ended with a fatal error that is not about memory: whether it would have run out of memory is not known";

static const char maybe_memory[] =
    "the run ended with a fatal error that may be about memory: whether it is a memory failure is not known";

static const char ran_out[] = "the run ran out of memory, so it needs more than was ever allocated; --no-failure judges that";

static const char partial[] =
    "the module is cut, lacks parts, or has tensors of unknown size: it needs more than is predicted; ttmem predict says which";
static const char one_rank[] = "fewer than two ranks have memory blocks, so there is no spread";
static const char spread_of_bounds[] =
    "the peak of a rank that is not the highest is a lower bound: how far apart the ranks are is not known; ttmem ranks shows "
    "them";

static const char sizes_bounded[] =
    "Inspector does not record the bytes per bank of some buffers: with the most that they can be, it is not certain";

static const char no_classes[] =
    "Inspector does not record which buffers are weights, inputs or results of const-eval: activations.dram has them all";

static const char no_shapes[] = "Inspector does not record the shapes of some buffers: their padding is not known";

static const char slope_bounds[] =
    "the bounds of the slope lie on both sides of the limit: the passes vary too much, or are too few, to tell";

static const char slope_and_sizes[] =
    "the bounds of the slope, with sizes of which Inspector records only bounds, lie on both sides of the limit";

static const char cut_counts[] = "the log ends inside a program: more may have run than it shows";

#endif
