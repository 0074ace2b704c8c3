/* Texts from tt-metal: impl/allocator/{bank_manager,allocator,algorithms/free_list*}.cpp, impl/program/program.cpp,
 * impl/dataflow_buffer/dataflow_buffer.cpp, distributed/mesh_trace.cpp, impl/trace/trace.cpp,
 * impl/buffers/circular_buffer_config.cpp, 2023 to 2026. */
#include "parse/failure_forms.h"

#define NUMBER(field, words_before, word_after) \
    { STEP_NUMBER, FAILURE_##field, words_before, word_after }
#define POOL(words_before, word_after) \
    { STEP_POOL, FAILURE_NUMBERS, words_before, word_after }
#define CORES(words_before, word_after) \
    { STEP_CORES, FAILURE_NUMBERS, words_before, word_after }

/* "bank size is only N B" (late 2025) lost its "only" when the statistics came. */
#define BANK_STATISTICS                                                                                               \
    NUMBER(BANK, "bank size is only", "B"), NUMBER(BANK, "bank size is", "B"), NUMBER(ALLOCATED, "(allocated:", "B"), \
        NUMBER(FREE, "free:", "B"), NUMBER(LARGEST, "largest free block:", "B")

#define OOM_STEPS                                                                                \
    {                                                                                            \
        NUMBER(REQUESTED, "allocate", "B"), POOL("", "buffer"), NUMBER(BANKS, "across", "bank"), \
            NUMBER(PER_BANK, "each bank needs to store", "B"), BANK_STATISTICS                   \
    }

#define BEYOND_STEPS \
    { CORES("core range", "grow"), NUMBER(REGION_END, "grow to", "B"), NUMBER(LIMIT, "beyond max L1 size of", "B") }

#define CLASH_STEPS                                                                                                \
    {                                                                                                              \
        NUMBER(PROGRAM, "in program", "clash"), CORES("on core range", "."),                                       \
            NUMBER(L1_ADDRESS, "L1 buffer allocated at", "and"), NUMBER(REGION_END, "buffer region ends at", NULL) \
    }

#define CB "Statically allocated circular buffers"
#define DFB "Statically allocated dataflow buffers"

const struct failure_form failure_forms[] = {
    {FAILURE_OOM,
     "Not enough space after considering dependencies to allocate",
     NULL,
     NULL,
     NULL,
     {NUMBER(REQUESTED, "allocate", "B"), POOL("", "across"), NUMBER(BANKS, "across", "bank"),
      NUMBER(PER_BANK, "(", "B per bank"), BANK_STATISTICS, NUMBER(PLACEABLE, "occupied range(s),", "B"),
      NUMBER(PLACEABLE_LARGEST, "window(s), largest", "B")}},
    {FAILURE_OOM, "Out of Memory: Not enough space to allocate", NULL, NULL, NULL, OOM_STEPS},
    {FAILURE_OOM, "Not enough space to allocate", "bank", NULL, NULL, OOM_STEPS},
    {FAILURE_OOM_ADDRESS,
     "Cannot allocate at an address below",
     NULL,
     NULL,
     NULL,
     {NUMBER(LIMIT, "address below", "."), NUMBER(L1_ADDRESS, "Allocation at", NULL),
      NUMBER(L1_ADDRESS, "Allocation ends at", NULL), NUMBER(L1_ADDRESS, "Tried to allocate at", NULL)}},

    {FAILURE_CB_CLASH, CB " in program", NULL, NULL, NULL, CLASH_STEPS},
    {FAILURE_CB_BEYOND_L1, CB " on core range", NULL, "clash with", NULL, BEYOND_STEPS},
    {FAILURE_CB_CLASH, CB, "clash with", NULL, NULL, CLASH_STEPS},
    {FAILURE_CB_BEYOND_L1, CB, "beyond max L1", NULL, NULL, BEYOND_STEPS},
    {FAILURE_CB_BEYOND_L1, CB, "grow to", NULL, NULL, BEYOND_STEPS},
    {FAILURE_CB_CLASH,
     "Circular buffers on service-core range",
     NULL,
     NULL,
     NULL,
     {CORES("service-core range", "in program"), NUMBER(PROGRAM, "in program", "clash"),
      NUMBER(L1_ADDRESS, "lowest service allocation at", ","), NUMBER(REGION_END, "CB region ends at", ")")}},
    {FAILURE_DFB_CLASH, DFB " in program", NULL, NULL, NULL, CLASH_STEPS},
    {FAILURE_DFB_BEYOND_L1, DFB " on core range", NULL, "clash with", NULL, BEYOND_STEPS},
    {FAILURE_DFB_CLASH, DFB, "clash with", NULL, NULL, CLASH_STEPS},
    {FAILURE_DFB_BEYOND_L1, DFB, "beyond max L1", NULL, NULL, BEYOND_STEPS},
    {FAILURE_DFB_BEYOND_L1, DFB, "grow to", NULL, NULL, BEYOND_STEPS},

    {FAILURE_TRACE_REGION,
     "Creating trace buffers of size",
     NULL,
     NULL,
     NULL,
     {NUMBER(REQUESTED, "of size", "B"), NUMBER(DEVICE, "on MeshDevice", ","), NUMBER(DEVICE, "on device", ","),
      NUMBER(LIMIT, "but only", "B")}},
    {FAILURE_KERNEL_CONFIG,
     "Program size",
     "too large for kernel config buffer",
     NULL,
     NULL,
     {NUMBER(REQUESTED, "size (", ")"), NUMBER(LIMIT, "kernel config buffer (", ")")}},

    {FAILURE_CB_RULE,
     "Cannot set to globally allocated buffer. Circular buffer size",
     NULL,
     NULL,
     "a circular buffer is larger than the L1 buffer it lives in",
     {NUMBER(REQUESTED, "buffer size", "B"), NUMBER(LIMIT, "L1 buffer size of", "B"), NUMBER(LIMIT, "bank size of", "B")}},
    {FAILURE_CB_RULE,
     "Cannot set circular buffer size to",
     NULL,
     "may allow this circular buffer",
     "a circular buffer is larger than the L1 buffer it lives in",
     {NUMBER(REQUESTED, "size to", "."), NUMBER(LIMIT, "L1 buffer bank size of", "B"),
      NUMBER(LIMIT, "L1 buffer size of", "B")}},
    {FAILURE_CB_RULE,
     "Circular buffer size",
     "exceeds allocated L1 buffer",
     "may allow this circular buffer",
     "a circular buffer is larger than the L1 buffer it lives in",
     {NUMBER(REQUESTED, "buffer size", "B"), NUMBER(LIMIT, "L1 buffer size of", "B"), NUMBER(LIMIT, "bank size of", "B")}},
    {FAILURE_CB_RULE,
     "Requested",
     "dynamic circular buffer cannot be larger than allocated L1 buffer",
     NULL,
     "a circular buffer is larger than the L1 buffer it lives in",
     {NUMBER(REQUESTED, "Requested", "B"), NUMBER(LIMIT, "L1 buffer of", "B")}},
    {FAILURE_CB_RULE,
     "Total circular buffer size",
     "must be divisible by page size",
     NULL,
     "the size of a circular buffer is no multiple of its page size",
     {NUMBER(REQUESTED, "buffer size", "B"), NUMBER(LIMIT, "page size", "B")}},
    {FAILURE_CB_RULE, "Total size for circular buffer must be non-zero", NULL, NULL, "a circular buffer has no size", {{0}}},
    {FAILURE_CB_RULE,
     "Buffer index",
     "exceeds max number of circular buffers per core",
     NULL,
     "the index of a circular buffer is above what a core has",
     {{0}}},
    {FAILURE_CB_RULE,
     "Requested number of circular buffers",
     "exceeds max number of circular buffers per core",
     NULL,
     "a core has fewer circular buffers than the program asks for",
     {{0}}},
    {FAILURE_CB_RULE,
     "Illegal circular buffer index",
     NULL,
     NULL,
     "a page size is set for a circular buffer index that has no data format",
     {{0}}},
    {FAILURE_CB_RULE,
     "Circular buffer core range",
     "exceeds device compute grid",
     NULL,
     "a circular buffer lies on cores outside the compute grid",
     {CORES("core range", "in program"), NUMBER(PROGRAM, "in program", "exceeds")}},
    {0},
};
