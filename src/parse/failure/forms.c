/* SPDX-License-Identifier: Apache-2.0 */
/* The classic messages. Texts from tt-metal: impl/allocator/{bank_manager,allocator,algorithms/free_list*}.cpp,
 * impl/program/program.cpp, impl/dataflow_buffer/dataflow_buffer.cpp, distributed/mesh_trace.cpp, impl/trace/trace.cpp,
 * impl/buffers/circular_buffer_config.cpp, 2023 to 2026. */
#include "parse/failure/forms.h"

/* "bank size is only N B" (late 2025) lost its "only" when the statistics were added. */
#define BANK_STATISTICS                                                                                               \
    NUMBER(BANK, "bank size is only", "B"), NUMBER(BANK, "bank size is", "B"), NUMBER(ALLOCATED, "(allocated:", "B"), \
        NUMBER(FREE, "free:", "B"), NUMBER(LARGEST, "largest free block:", "B")

static const struct failure_step oom_values[] = {
    NUMBER(REQUESTED, "allocate", "B"),
    POOL("", "buffer"),
    NUMBER(BANKS, "across", "bank"),
    NUMBER(PER_BANK, "each bank needs to store", "B"),
    BANK_STATISTICS,
    {0},
};

static const struct failure_step dependencies_values[] = {
    NUMBER(REQUESTED, "allocate", "B"),
    POOL("", "across"),
    NUMBER(BANKS, "across", "bank"),
    NUMBER(PER_BANK, "(", "B per bank"),
    BANK_STATISTICS,
    NUMBER(PLACEABLE, "occupied range(s),", "B"),
    NUMBER(PLACEABLE_LARGEST, "window(s), largest", "B"),
    {0},
};

static const struct failure_step address_values[] = {
    NUMBER(LIMIT, "address below", "."),
    NUMBER(L1_ADDRESS, "Allocation at", NULL),
    NUMBER(L1_ADDRESS, "Allocation ends at", NULL),
    NUMBER(L1_ADDRESS, "Tried to allocate at", NULL),
    {0},
};

static const struct failure_step beyond_values[] = {
    CORES("core range", "grow"),
    NUMBER(REGION_END, "grow to", "B"),
    NUMBER(LIMIT, "beyond max L1 size of", "B"),
    {0},
};

static const struct failure_step clash_values[] = {
    NUMBER(PROGRAM, "in program", "clash"),
    CORES("on core range", "."),
    NUMBER(L1_ADDRESS, "L1 buffer allocated at", "and"),
    NUMBER(REGION_END, "buffer region ends at", NULL),
    {0},
};

static const struct failure_step service_values[] = {
    CORES("service-core range", "in program"),
    NUMBER(PROGRAM, "in program", "clash"),
    NUMBER(L1_ADDRESS, "lowest service allocation at", ","),
    NUMBER(REGION_END, "CB region ends at", ")"),
    {0},
};

static const struct failure_step trace_values[] = {
    NUMBER(REQUESTED, "of size", "B"),
    NUMBER(DEVICE, "on MeshDevice", ","),
    NUMBER(DEVICE, "on device", ","),
    NUMBER(LIMIT, "but only", "B"),
    {0},
};

static const struct failure_step kernel_config_values[] = {
    NUMBER(REQUESTED, "size (", ")"),
    NUMBER(LIMIT, "kernel config buffer (", ")"),
    CORE_TYPE_BEHIND,
    {0},
};

static const struct failure_step cb_size_values[] = {
    NUMBER(REQUESTED, "size to", "."),       NUMBER(REQUESTED, "circular buffer to", "B"),
    NUMBER(REQUESTED, "buffer size", "B"),   NUMBER(REQUESTED, "Requested", "B"),
    NUMBER(LIMIT, "L1 buffer size of", "B"), NUMBER(LIMIT, "L1 buffer bank size of", "B"),
    NUMBER(LIMIT, "L1 buffer of", "B"),      {0},
};

static const struct failure_step offset_values[] = {
    NUMBER(REQUESTED, "address_offset (", ")"),
    STEP(ADD, REQUESTED, "total_size (", ")"),
    NUMBER(LIMIT, "buffer bank size (", ")"),
    {0},
};

static const struct failure_step page_values[] = {
    NUMBER(REQUESTED, "buffer size", "B"),
    NUMBER(LIMIT, "page size", "B"),
    {0},
};

static const struct failure_step grid_values[] = {
    CORES("core range", "in program"),
    NUMBER(PROGRAM, "in program", "exceeds"),
    {0},
};

#define CB "Statically allocated circular buffers"
#define DFB "Statically allocated dataflow buffers"
#define WARNING_ONLY "may allow this circular buffer"
#define TOO_LARGE "a circular buffer is larger than the L1 buffer it lives in"

/* clang-format off: one row per wording */
const struct failure_form failure_forms_classic[] = {
    {FORM(OOM, "Not enough space after considering dependencies to allocate", NULL, dependencies_values)},
    {FORM(OOM, "Out of Memory: Not enough space to allocate", NULL, oom_values)},
    {FORM(OOM, "Not enough space to allocate", "bank", oom_values), .wants_pool = true},
    {FORM(OOM_ADDRESS, "Cannot allocate at an address below", NULL, address_values), .pool = FAILURE_L1},

    {FORM(CB_CLASH, CB, "clash with", clash_values)},
    {FORM(CB_BEYOND_L1, CB, "grow to", beyond_values)},
    {FORM(CB_CLASH, CB " in", NULL, clash_values)}, /* cut */
    {FORM(CB_BEYOND_L1, CB " on", NULL, beyond_values)},
    {FORM(CB_CLASH, "Circular buffers on service-core range", NULL, service_values)},
    {FORM(DFB_CLASH, DFB, "clash with", clash_values)},
    {FORM(DFB_BEYOND_L1, DFB, "grow to", beyond_values)},
    {FORM(DFB_CLASH, DFB " in", NULL, clash_values)}, /* cut */
    {FORM(DFB_BEYOND_L1, DFB " on", NULL, beyond_values)},
    /* abridged by people */
    {FORM(CB_CLASH, "Circular buffers", "clash with L1 buffers", clash_values)},
    {FORM(CB_BEYOND_L1, "Circular buffers", "beyond max L1", beyond_values)},
    {FORM(DFB_CLASH, "Dataflow buffers", "clash with L1 buffers", clash_values)},
    {FORM(DFB_BEYOND_L1, "Dataflow buffers", "beyond max L1", beyond_values)},

    {FORM(TRACE_REGION, "Creating trace buffers of size", NULL, trace_values), .pool = FAILURE_TRACE},
    {FORM(KERNEL_CONFIG, "Program size", "too large for kernel config buffer", kernel_config_values)},

    {RULE("Cannot set to globally allocated buffer. Circular buffer size", NULL, TOO_LARGE, cb_size_values)},
    {RULE("Cannot set circular buffer size to", NULL, TOO_LARGE, cb_size_values), .unless = WARNING_ONLY},
    {RULE("Cannot set circular buffer size to", WARNING_ONLY, TOO_LARGE, cb_size_values), .warning = true},
    {RULE("Cannot grow circular buffer to", NULL, TOO_LARGE, cb_size_values)}, /* 2023 */
    {RULE("Circular buffer size", "exceeds allocated L1 buffer", TOO_LARGE, cb_size_values), .unless = WARNING_ONLY},
    {RULE("Circular buffer size", WARNING_ONLY, TOO_LARGE, cb_size_values), .warning = true},
    {RULE("Requested", "dynamic circular buffer cannot be larger", TOO_LARGE, cb_size_values)},
    {RULE("Total circular buffer size", "must be divisible by page size",
          "the size of a circular buffer is not a multiple of its page size", page_values),
     .limit_is_page = true},
    {RULE("Circular buffer core range", "exceeds device compute grid",
          "a circular buffer lies on cores outside the compute grid", grid_values)},
    {RULE("Total size for circular buffer must be non-zero", NULL, "a circular buffer has no size", NULL)},
    {RULE("Circular buffer size cannot be 0", NULL, "a circular buffer has no size", NULL)},
    {RULE("Buffer index", "exceeds max number of circular buffers per core",
          "the index of a circular buffer is above what a core has", NULL)},
    {RULE("Requested number of circular buffers", "exceeds max number of circular buffers per core",
          "the program asks for more circular buffers than a core has", NULL)},
    {RULE("For buffer index", "Would cause wraparound", "a circular buffer has more pages than can be counted", NULL)},
    {RULE("Illegal circular buffer index", NULL, "a page size is set for a circular buffer index without a data format", NULL)},
    {RULE("address_offset (", "exceeds buffer bank size", TOO_LARGE, offset_values)},
    {RULE("Output circular buffer index", "exceeds maximum value", "the index of a circular buffer is above what a core has",
          NULL)},
    {RULE("Interm circular buffer index", "exceeds maximum value", "the index of a circular buffer is above what a core has",
          NULL)},
    {RULE("scratch_cb_size_bytes (", "must be >= tensor page size", "a circular buffer is smaller than a page", NULL)},
    {RULE("Address offset + total size exceeds buffer size", NULL, TOO_LARGE, NULL)},
    {.start = NULL},
};

const struct failure_form *const failure_tables[] = {failure_forms_classic, failure_forms_runtime, failure_forms_ops,
                                                     failure_forms_host, NULL};
