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
    {0},
};

static const struct failure_step cb_size_values[] = {
    NUMBER(REQUESTED, "size to", "."),
    NUMBER(REQUESTED, "buffer size", "B"),
    NUMBER(REQUESTED, "Requested", "B"),
    NUMBER(LIMIT, "L1 buffer size of", "B"),
    NUMBER(LIMIT, "L1 buffer bank size of", "B"),
    NUMBER(LIMIT, "L1 buffer of", "B"),
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
const struct failure_form failure_forms[] = {
    {FAILURE_OOM, "Not enough space after considering dependencies to allocate", NULL, NULL, NULL, dependencies_values},
    {FAILURE_OOM, "Out of Memory: Not enough space to allocate", NULL, NULL, NULL, oom_values},
    {FAILURE_OOM, "Not enough space to allocate", "bank", NULL, NULL, oom_values},
    {FAILURE_OOM_ADDRESS, "Cannot allocate at an address below", NULL, NULL, NULL, address_values},

    {FAILURE_CB_CLASH, CB " in program", NULL, NULL, NULL, clash_values},
    {FAILURE_CB_CLASH, CB, "clash with", NULL, NULL, clash_values},
    {FAILURE_CB_BEYOND_L1, CB " on core range", NULL, NULL, NULL, beyond_values},
    {FAILURE_CB_BEYOND_L1, CB, "grow", NULL, NULL, beyond_values},
    {FAILURE_CB_CLASH, "Circular buffers on service-core range", NULL, NULL, NULL, service_values},
    {FAILURE_DFB_CLASH, DFB " in program", NULL, NULL, NULL, clash_values},
    {FAILURE_DFB_CLASH, DFB, "clash with", NULL, NULL, clash_values},
    {FAILURE_DFB_BEYOND_L1, DFB " on core range", NULL, NULL, NULL, beyond_values},
    {FAILURE_DFB_BEYOND_L1, DFB, "grow", NULL, NULL, beyond_values},
    /* abridged by people; the first letter may be a capital */
    {FAILURE_CB_CLASH, "ircular buffers", "clash with L1 buffers", NULL, NULL, clash_values},
    {FAILURE_CB_BEYOND_L1, "ircular buffers", "beyond max L1", NULL, NULL, beyond_values},
    {FAILURE_DFB_CLASH, "ataflow buffers", "clash with L1 buffers", NULL, NULL, clash_values},
    {FAILURE_DFB_BEYOND_L1, "ataflow buffers", "beyond max L1", NULL, NULL, beyond_values},

    {FAILURE_TRACE_REGION, "Creating trace buffers of size", NULL, NULL, NULL, trace_values},
    {FAILURE_KERNEL_CONFIG, "Program size", "too large for kernel config buffer", NULL, NULL, kernel_config_values},

    {FAILURE_CB_RULE, "Cannot set to globally allocated buffer. Circular buffer size", NULL, NULL, TOO_LARGE, cb_size_values},
    {FAILURE_CB_RULE, "Cannot set circular buffer size to", NULL, WARNING_ONLY, TOO_LARGE, cb_size_values},
    {FAILURE_CB_RULE, "Circular buffer size", "exceeds allocated L1 buffer", WARNING_ONLY, TOO_LARGE, cb_size_values},
    {FAILURE_CB_RULE, "Requested", "dynamic circular buffer cannot be larger", NULL, TOO_LARGE, cb_size_values},
    {FAILURE_CB_RULE, "Total circular buffer size", "must be divisible by page size", NULL,
     "the size of a circular buffer is no multiple of its page size", page_values},
    {FAILURE_CB_RULE, "Circular buffer core range", "exceeds device compute grid", NULL,
     "a circular buffer lies on cores outside the compute grid", grid_values},
    {FAILURE_CB_RULE, "Total size for circular buffer must be non-zero", NULL, NULL, "a circular buffer has no size", NULL},
    {FAILURE_CB_RULE, "Circular buffer size cannot be 0", NULL, NULL, "a circular buffer has no size", NULL},
    {FAILURE_CB_RULE, "Buffer index", "exceeds max number of circular buffers per core", NULL,
     "the index of a circular buffer is above what a core has", NULL},
    {FAILURE_CB_RULE, "Requested number of circular buffers", "exceeds max number of circular buffers per core", NULL,
     "the program asks for more circular buffers than a core has", NULL},
    {FAILURE_CB_RULE, "Illegal circular buffer index", NULL, NULL,
     "a page size is set for a circular buffer index without a data format", NULL},
    {0},
};
