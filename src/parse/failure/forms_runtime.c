/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of tt-metal's runtime beyond the classic ones: traces, L1 arenas, kernels and their arguments, huge pages, fabric.
 * Texts from tt_metal/{distributed,impl,fabric,llrt} and its umd, ttnn/ttnn/unsafe_allocation_tracker.py, 2024 to 2026. */
#include "parse/failure/forms.h"

static const struct failure_step overlap_values[] = {
    FAR(ADDRESS, "Trace buffer at address", "overlaps"),
    FAR(HIGH_WATER, "high water mark:", NULL),
    FAR(HIGH_WATER2, "Deletion high water mark:", NULL),
    {0},
};

static const struct failure_step alive_values[] = {
    FAR(COUNT, "Found", "device buffer"),
    NAME("[op:", "]"),
    {0},
};

static const struct failure_step service_core_values[] = {
    CORES("on core", "("),
    FAR(REQUESTED, "(", "bytes requested"),
    {0},
};

static const struct failure_step drisc_values[] = {
    FAR(REQUESTED, "requested", "B"),
    FAR(ALIGNED, "(aligned", "B"),
    FAR(LIMIT, "zone is", "B"),
    {0},
};

static const struct failure_step drisc_zone_values[] = {
    FAR(REQUESTED, "zone (", "B"),
    FAR(LIMIT, "unreserved size:", "B"),
    {0},
};

static const struct failure_step shard_values[] = {
    FAR(COUNT, "number of shards", "to be"),
    FAR(BANKS, "number of L1 banks", NULL),
    {0},
};

static const struct failure_step ring_values[] = {
    FAR(REQUESTED, "ring size (", "bytes"),
    FAR(LIMIT, "unreserved L1 size (", "bytes"),
    {0},
};

static const struct failure_step borrowed_values[] = {
    FAR(REQUESTED, "has total size", "B"),
    FAR(LIMIT, "per-bank size of", "B"),
    {0},
};

static const struct failure_step entries_values[] = {
    FAR(REQUESTED, "=", "bytes"),
    FAR(LIMIT, "' (", "bytes"),
    {0},
};

static const struct failure_step binary_values[] = {
    FAR(REQUESTED, "cache size (", ","),
    FAR(LIMIT, ",", ")"),
    {0},
};

static const struct failure_step query_values[] = {
    FAR(LIMIT, "Cache size:", ","),
    FAR(REQUESTED, "requested:", NULL),
    {0},
};

static const struct failure_step segment_values[] = {
    STEP(HEX, REQUESTED, ",+", ")"),
    STEP(HEX, LIMIT, "limit of", "bytes"),
    {0},
};

static const struct failure_step payload_values[] = {
    FAR(REQUESTED, "->", "B prefetcher"),
    FAR(LIMIT, "prefetch command size (", "B"),
    {0},
};

static const struct failure_step args_values[] = {
    SUBJECT("targeting kernel", " on ("),
    CORES("on", "are"),
    FAR(COUNT_LIMIT, "Max allowable is", NULL),
    {0},
};

static const struct failure_step semaphore_values[] = {
    FAR(COUNT_LIMIT, "number of semaphores (", ")"),
    {0},
};

static const struct failure_step metadata_values[] = {
    FAR(REQUESTED, "metadata size", "exceeds"),
    FAR(LIMIT, "KERNEL_CONFIG window", "for"),
    {0},
};

static const struct failure_step auxiliary_values[] = {
    FAR(REQUESTED, "requested", "bytes"),
    FAR(ALIGNED, "(", "aligned"),
    FAR(ALLOCATED, "),", "of"),
    FAR(LIMIT, "of", "used"),
    {0},
};

static const struct failure_step mapping_values[] = {
    FAR(DEVICE, "(device:", ","),
    WORDS("errno: Cannot allocate memory"),
    {0},
};

static const struct failure_step sysmem_values[] = {
    STEP(HEX, REQUESTED, "of size", "bytes"),
    {0},
};

static const struct failure_step shared_values[] = {
    FAR(REQUESTED, "(size:", "errno"),
    WORDS("Cannot allocate memory"),
    {0},
};

static const struct failure_step channels_values[] = {
    FAR(COUNT_LIMIT, "NumHostMemChannels:", "used"),
    FAR(COUNT, "less than target:", "."),
    {0},
};

static const struct failure_step pinned_values[] = {
    STEP(HEX, REQUESTED, "with size", "and"),
    STEP(HEX, REQUESTED, "with size", ":"),
    WORDS("Cannot allocate memory"),
    {0},
};

static const struct failure_step dma_values[] = {
    FAR(REQUESTED, "of size", ":"),
    WORDS("Cannot allocate memory"),
    {0},
};

static const struct failure_step channel_values[] = {
    FAR(REQUESTED, "channel size of", "B"),
    FAR(REQUESTED, "channel size", "exceeds"),
    FAR(LIMIT, "available space of", "B"),
    FAR(LIMIT, "available space", NULL),
    {0},
};

static const struct failure_step mux_values[] = {
    FAR(REQUESTED, "end address:", NULL),
    FAR(REQUESTED, "end address", "exceeds"),
    FAR(LIMIT, "L1 end address:", NULL),
    FAR(LIMIT, "L1 end address", NULL),
    {0},
};

static const struct failure_step worker_l1_values[] = {
    FAR(REQUESTED, "Worker L1 size", "is"),
    FAR(LIMIT, "max size", NULL),
    {0},
};

static const struct failure_step dispatch_values[] = {
    FAR(REQUESTED, "zone end (", ")"),
    FAR(LIMIT, "(size", ")"),
    FAR(LIMIT, "exceeds L1 size", NULL),
    {0},
};

static const struct failure_step gcb_values[] = {
    FAR(REQUESTED, "GCB size (", "B"),
    FAR(LIMIT, "cap (", "B"),
    {0},
};

static const struct failure_step row_values[] = {
    FAR(REQUESTED, "row_bytes=", "B"),
    FAR(LIMIT, "stage half (", "B"),
    {0},
};

static const struct failure_step region_values[] = {
    FAR(LIMIT, "kernel region (", "B"),
    {0},
};

static const struct failure_step third_values[] = {
    FAR(LIMIT, "stage_third=", "B"),
    {0},
};

static const struct failure_step reservation_values[] = {
    FAR(LIMIT, "free L1 (", "B"),
    FAR(REQUESTED, "reservations (", "B"),
    {0},
};

static const struct failure_step queue_values[] = {
    FAR(LIMIT, "Command queue size", "B"),
    FAR(REQUESTED, "too small for the", "B"),
    {0},
};

static const struct failure_step issue_values[] = {
    FAR(LIMIT, "has size of", "which"),
    {0},
};

static const struct failure_step slot_values[] = {
    FAR(COUNT_LIMIT, "(per-core", "limit"),
    {0},
};

static const struct failure_step layout_values[] = {
    STEP(HEX, REQUESTED, "dispatch_cb_end=", ","),
    STEP(HEX, LIMIT, "l1_size=", ")"),
    {0},
};

static const struct failure_step relay_values[] = {
    FAR(REQUESTED, "Buffer End", "Exceeds"),
    FAR(LIMIT, "Max L1", NULL),
    {0},
};

static const struct failure_step through_values[] = {
    STEP(HEX, REQUESTED, "through address", ","),
    STEP(HEX, LIMIT, "has only", "bytes"),
    {0},
};

static const struct failure_step mux_buffer_values[] = {
    FAR(LIMIT, "equal to:", ","),
    FAR(REQUESTED, "got:", NULL),
    {0},
};

static const struct failure_step command_values[] = {
    FAR(REQUESTED, "of size", "B"),
    FAR(LIMIT, "max command size", "B"),
    {0},
};

static const struct failure_step state_values[] = {
    FAR(REQUESTED, "of size", "B"),
    STEP(POOL, NUMBERS, " in ", "buffer type"),
    {0},
};

static const struct failure_step stack_values[] = {
    FAR(DEVICE, "on Device", "Core"),
    SUBJECT("! Kernel", " uses"),
    {0},
};

static const struct failure_step profiler_values[] = {
    FAR(DEVICE, "on device", ":"),
    FAR(REQUESTED, "(need", "B"),
    FAR(LIMIT, "bank size is", "B"),
    {0},
};

#define RESERVED_BY_SERVICE "What a service reserves is larger than the L1 that is free on its core"
#define TRACE_DURING "The trace buffers overlap with DRAM used during the capture"
#define TRACE_OTHER "The trace buffers overlap with DRAM used by another live trace"
#define DFB_BORROWED "A dataflow buffer is larger than the tensor whose memory it borrows"
#define SEMAPHORES_GONE "A core has no semaphore left"
#define BINARY_CACHE "The binaries of a program are larger than the prefetcher's cache"
#define MUX_END "The buffers of a fabric mux reach beyond the L1 of their core"
#define CHANNELS "The channels of the fabric need more L1 than there is"

/* clang-format off: one row per wording */
const struct failure_form failure_forms_runtime[] = {
    {WHAT(TRACE_OVERLAP, "Trace buffer at address", "overlaps with DRAM activity captured by another live trace", TRACE_OTHER,
          overlap_values)},
    {WHAT(TRACE_OVERLAP, "Trace buffer at address", "overlaps with", TRACE_DURING, overlap_values)},
    {WHAT(TRACE_UNSAFE, "Found", "device buffer(s) still alive before", "Buffers are alive that a trace replay overwrites",
          alive_values)},
    {WHAT(TRACE_UNSAFE, "Allocating device buffers is potentially unsafe due to the existence of an active trace", NULL,
          "Buffers are allocated while a trace is active", NULL),
     .warning = true},
    {WHAT(TRACE_UNSAFE, "Allocating device buffers is unsafe due to the existence of an active trace", NULL,
          "Buffers are allocated while a trace is active", NULL),
     .warning = true},

    {WHAT(L1_ZONE, "internal::ServiceCoreManager: L1 OOM on core", NULL, "The L1 of a service core is full",
          service_core_values),
     .pool = FAILURE_L1},
    {WHAT(L1_ZONE, "DRISC L1 GCB zone full", NULL, "The zone of global circular buffers in the L1 of a DRAM core is full",
          drisc_values),
     .pool = FAILURE_L1},
    {WHAT(L1_ZONE, "DRISC L1 GCB zone (", "must leave room",
          "The zone of global circular buffers leaves no room in the L1 of a DRAM core", drisc_zone_values),
     .pool = FAILURE_L1},
    {WHAT(L1_ZONE, "Tensor prefetcher cannot fit one K-row", NULL,
          "One row of a tensor does not fit the prefetcher's stage in the L1 of a DRAM core", row_values),
     .pool = FAILURE_L1},
    {WHAT(L1_ZONE, "Receiver-contiguous mode cannot fit a single K-row slice", NULL,
          "One row of a tensor does not fit the prefetcher's stage in the L1 of a DRAM core", third_values),
     .pool = FAILURE_L1},
    {WHAT(L1_ZONE, "DRISC L1 kernel region (", "too small for", "The kernels' region in the L1 of a DRAM core is too small",
          region_values),
     .pool = FAILURE_L1},
    {WHAT(L1_ZONE, "H2DStreamService: service-core free L1", "too small for reservations", RESERVED_BY_SERVICE,
          reservation_values),
     .pool = FAILURE_L1},
    {WHAT(L1_ZONE, "D2HStreamService: service-core free L1", "too small for reservations", RESERVED_BY_SERVICE,
          reservation_values),
     .pool = FAILURE_L1},
    {WHAT(L1_ZONE, "GCB size (", "exceeds the remote-CB page-count cap",
          "A global circular buffer is larger than its pages can be counted", gcb_values),
     .pool = FAILURE_L1},
    {WHAT(L1_SHARDS, "Expected number of shards", "total number of L1 banks", "There are more shards than L1 banks",
          shard_values),
     .pool = FAILURE_L1},
    {WHAT(L1_ZONE, "Worker L1 size", "is larger than max size", "worker_l1_size is larger than the L1 of a core allows",
          worker_l1_values),
     .pool = FAILURE_L1},
    {WHAT(L1_ZONE, "Last CQ zone end (", "extends past L1 end", "The command queues reach beyond the L1 of their core",
          dispatch_values),
     .pool = FAILURE_L1},
    {WHAT(L1_ZONE, "DPRINT dispatch L1 region (", "exceeds L1 size", "The print buffers reach beyond the L1 of their core",
          dispatch_values),
     .pool = FAILURE_L1},

    {WHAT(DFB_OP, "DFB", "exceeds Tensix unreserved L1 size", "A dataflow buffer is larger than the L1 of a core",
          ring_values)},
    {WHAT(DFB_OP, "Borrowed-memory DFB id", "exceeds the borrowed Buffer", DFB_BORROWED, borrowed_values)},
    {WHAT(DFB_OP, "DFB '", "is larger than its borrowed TensorParameter", DFB_BORROWED, entries_values)},

    {WHAT(KERNEL_BINARY, "Kernel binary size exceeds prefetcher cache size", NULL, BINARY_CACHE, binary_values)},
    {WHAT(KERNEL_BINARY, "Prefetcher cache query failed", NULL, BINARY_CACHE, query_values)},
    {WHAT(KERNEL_BINARY, "segment[", "overflows region", "The code or data of a kernel is larger than its region",
          segment_values),
     .path_before = true},
    {WHAT(RUNTIME_ARGS, "A single core's unique runtime args", NULL,
          "The runtime arguments of one core do not fit a prefetch command", payload_values)},
    {WHAT(RUNTIME_ARGS, "unique+common runtime args targeting kernel", NULL, "A kernel has more runtime arguments than fit",
          args_values),
     .count_before = true},
    {WHAT(RUNTIME_ARGS, "Number of unique runtime args and common runtime args exceeds", NULL,
          "A kernel has more runtime arguments than fit", NULL)},
    {WHAT(SEMAPHORES, "Cannot add semaphore on core", NULL, SEMAPHORES_GONE, semaphore_values)},
    {WHAT(SEMAPHORES, "Ran out of semaphore IDs on core", NULL, SEMAPHORES_GONE, NULL)},
    {WHAT(SEMAPHORES, "Semaphore id", "exceeds max value", SEMAPHORES_GONE, NULL)},
    {WHAT(SEMAPHORES, "No available semaphore ID for", NULL, SEMAPHORES_GONE, NULL)},
    {WHAT(SEMAPHORES, "No free L1 semaphore slot", NULL, SEMAPHORES_GONE, slot_values)},
    {WHAT(RUNTIME_ARGS, "Generated prefetcher command of size", NULL, "A command is larger than the prefetcher takes",
          command_values)},
    {WHAT(KERNEL_BINARY, "Failed to allocate binary region", NULL,
          "The binaries of a traced program do not fit the kernel config buffer", NULL)},
    {WHAT(RUNTIME_ARGS, "Failed to allocate non-binary region", NULL,
          "The arguments of a traced program do not fit the kernel config buffer", NULL)},
    {WHAT(KERNEL_BINARY, "Watcher detected stack overflow", NULL, "A kernel uses all of its stack", stack_values)},
    {FORM(OOM, "Failed to apply state: cannot allocate region", NULL, state_values)},
    {WHAT(L1_ZONE, "Dispatch layout overflows L1", NULL, "The dispatcher's buffers reach beyond the L1 of their core",
          layout_values),
     .pool = FAILURE_L1},
    {WHAT(L1_ZONE, "internal::ServiceCoreManager::reserve_l1_to_top", NULL,
          "L1 of a service core cannot be reserved: it is taken, or beyond its end", NULL),
     .pool = FAILURE_L1},
    {WHAT(L1_ZONE, "Real-time profiler disabled on device", "user-allocatable L1",
          "The profiler is off: its buffers do not fit the L1 of its core", profiler_values),
     .pool = FAILURE_L1, .warning = true},
    {WHAT(KERNEL_CONFIG, "Program metadata size", "exceeds reserved KERNEL_CONFIG window", NULL, metadata_values)},

    {WHAT(HUGEPAGES, "Hugepage auxiliary region exhausted", NULL, "The huge page's region for sockets and services is full",
          auxiliary_values)},
    {WHAT(HUGEPAGES, "Command queue size", "too small for the",
          "The command queue in the huge page leaves no room for sockets and services", queue_values)},
    {WHAT(HUGEPAGES, "Issue queue for cq_id", "too small", "The command queue in the huge page is too small", issue_values)},
    {WHAT(HUGEPAGES, "NumHostMemChannels:", "less than target", "The host has fewer huge pages than the device would use",
          channels_values),
     .warning = true},
    {WHAT(HUGEPAGES, "Mapping a hugepage failed", NULL, "A huge page could not be mapped", mapping_values)},
    {WHAT(HUGEPAGES, "Failed to allocate sysmem buffer of size", NULL,
          "The host has no memory for a buffer that the device reads", sysmem_values)},

    {WHAT(HUGEPAGES, "Failed to allocate memory for device/host shared buffer", NULL,
          "The host has no memory for a buffer that the device reads", shared_values)},
    {WHAT(HUGEPAGES, "Failed to pin pages for hugepage", "Cannot allocate memory",
          "Pages of the host cannot be pinned for the device", pinned_values),
     .certain = true},
    {WHAT(HUGEPAGES, "Failed to pin pages for DMA", NULL, FAILURE_PLAIN_PAGES " of the host cannot be pinned for the device",
          pinned_values)},
    {WHAT(HUGEPAGES, "Failed to pin pages for", NULL, "Pages of the host cannot be pinned for the device", pinned_values)},
    {WHAT(HUGEPAGES, "Failed pinning pages", NULL, "Pages of the host cannot be pinned for the device", NULL)},
    {WHAT(HUGEPAGES, "Failed to allocate DMA buffer", NULL, "The driver has no memory for its DMA buffer; it does without",
          dma_values),
     .warning = true},

    {WHAT(FABRIC, "Total channel size", "exceeds available space", CHANNELS, channel_values)},
    {WHAT(FABRIC, "Fabric channel allocation exceeds its slot capacity", NULL, CHANNELS, NULL)},
    {WHAT(FABRIC, "channel buffers spilled past the end of usable L1 region", NULL, CHANNELS, NULL)},
    {WHAT(FABRIC, "Failed to find suitable buffer slot configuration", NULL, CHANNELS, NULL)},
    {WHAT(FABRIC, "Mux memory map end address", "L1 end address", MUX_END, mux_values)},
    {WHAT(FABRIC, "Relay memory map end address", "L1 end address",
          "The buffers of a fabric relay reach beyond the L1 of their core", mux_values)},
    {WHAT(FABRIC, "FabricMuxV2 memory map end address", "L1 end address", MUX_END, mux_values)},
    {WHAT(FABRIC, "Memory map end address:", "allocated L1 end address", MUX_END, mux_values)},
    {WHAT(FABRIC, "Memory map end address:", "is greater than L1 end address", MUX_END, mux_values)},
    {WHAT(FABRIC, "RelayMux Buffer End", "Max L1", MUX_END, relay_values)},
    {WHAT(FABRIC, "fabric mux requires L1 through address", NULL, MUX_END, through_values)},
    {WHAT(FABRIC, "Buffer size bytes should be less than or equal to:", "but got", CHANNELS, mux_buffer_values)},
    {WHAT(FABRIC, "Not enough L1 space for mux core memory requirements", NULL,
          "The fabric mux does not fit the L1 that is left", NULL),
     .op = "ttnn.experimental.selective_reduce_combine"},

    {FORM(NOT_MEMORY, "TT_FATAL:", NULL, NULL), .last_resort = true},
    {FORM(NOT_MEMORY, "TT_FATAL @", NULL, NULL), .last_resort = true},
    {FORM(NOT_MEMORY, "TT_THROW:", NULL, NULL), .last_resort = true},
    {FORM(NOT_MEMORY, "TT_THROW @", NULL, NULL), .last_resort = true},
    {.start = NULL},
};
