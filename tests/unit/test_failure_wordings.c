/* SPDX-License-Identifier: Apache-2.0 */
/* parse/ and analysis/: what each wording says, by hand: its class, the op it names and its figures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "analysis/failure/failure_class.h"
#include "base/strbuf.h"
#include "parse/failure/set.h"

enum { FIGURES = 5 };

struct wording {
    const char *class, *text, *op;
    struct {
        enum failure_number number;
        uint64_t value;
    } figures[FIGURES]; /* all that the message has; up to a value of 0 */
    uint64_t shortfall, overlap;
};

#define N(name, v) \
    { FAILURE_##name, v }

static const struct wording wordings[] = {
    {"host-alloc",
     "LLVM ERROR: out of memory\nAllocation failed\nPLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/",
     "",
     {N(REQUESTED, 0)},
     0,
     0},
    {"host-alloc",
     "ray.exceptions.ObjectStoreFullError: Failed to put object ffff01 in object store because it is full. Object size is "
     "7340032 "
     "bytes.",
     "",
     {N(REQUESTED, 7340032)},
     0,
     0},
    {"host-killed",
     "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.\nMemory on the node was 27.64GB",
     "",
     {N(REQUESTED, 0)},
     0,
     0},
    {"cb-over-l1",
     "RuntimeError: TT_FATAL @ /w/ttnn/cpp/a.cpp:87: false\ninfo:\nuntilize codegen: single-buffer CB plan exceeds L1 and "
     "cannot "
     "be reduced",
     "ttnn.untilize",
     {N(REQUESTED, 0)},
     0,
     0},
    {"hugepages",
     "TT_THROW @ /w/umd/pci_device.cpp:423: tt::exception\ninfo:\nFailed to pin pages for DMA: {}\nCannot allocate memory\n"
     "backtrace:\n --- PCIDevice::map_for_dma(void*, unsigned long)",
     "",
     {N(REQUESTED, 0)},
     0,
     0},
    {"host-alloc",
     "TT_FATAL @ /w/a.cpp:3: false\ninfo:\nmapping of the queue failed\nCannot allocate memory",
     "",
     {N(REQUESTED, 0)},
     0,
     0},
    {"host-alloc",
     "RuntimeError: unable to mmap 7340032 bytes from file <a.safetensors>: Cannot allocate memory (12)",
     "",
     {N(REQUESTED, 7340032)},
     0,
     0},
    {"kv-cache", /* 1.50 GiB free, 3.25 wanted */
     "ValueError: Free memory on device (1.50/4.00 GiB) on startup is less than desired GPU memory utilization (0.8, 3.25 "
     "GiB). "
     "Decrease GPU memory utilization",
     "",
     {N(LIMIT, 1610612736), N(REQUESTED, 3489660928)},
     1879048192,
     0},
    {"unknown",
     "Status: INTERNAL: Error preparing computation: Out of memory allocating 123456789 bytes.",
     "",
     {N(REQUESTED, 123456789)},
     0,
     0},
    {"compile-l1", "error: 'func.func' op required L1 memory usage exceeds memory capacity", "", {N(REQUESTED, 0)}, 0, 0},
    {"hugepages",
     "2024-12-03 15:18:36.763 | WARNING  | SiliconDriver   - NumHostMemChannels: 1 used for device_id: 0x401e less than "
     "target: "
     "3. Workload will fail if it exceeds NumHostMemChannels. Increase Number of Hugepages.",
     "",
     {N(COUNT_LIMIT, 1), N(COUNT, 3)},
     0,
     0},
    {"host-killed", "make: *** [Makefile:3: all] Killed", "", {N(REQUESTED, 0)}, 0, 0},
    {"host-killed", "c++: fatal error: Killed signal terminated program cc1plus", "", {N(REQUESTED, 0)}, 0, 0},
    {"host-killed", "ProcessExitedException: process 3 terminated with signal SIGKILL", "", {N(REQUESTED, 0)}, 0, 0},
    {"host-killed", "failed (exitcode: -9) local_rank: 0 (pid: 17) of binary: /usr/bin/python3", "", {N(REQUESTED, 0)}, 0, 0},
    {"host-killed",
     "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.",
     "",
     {N(REQUESTED, 0)},
     0,
     0},
    {"trace-overlap",
     "TT_FATAL: Trace buffer at address 900000000 overlaps with DRAM activity during trace capture. Allocation high water "
     "mark: "
     "900001024, Deletion high water mark: 900004096. Reduce allocations during trace capture",
     "",
     {N(ADDRESS, 900000000), N(HIGH_WATER, 900001024), N(HIGH_WATER2, 900004096)},
     0,
     4096},
    {"trace-overlap",
     "Trace buffer at address 900000000 overlaps with buffers deallocated during trace capture (deletion high water mark: "
     "900000512). Avoid deallocating",
     "",
     {N(ADDRESS, 900000000), N(HIGH_WATER, 900000512)},
     0,
     512},
    {"trace-overlap",
     "Trace buffer at address 800000000 overlaps with buffers allocated during trace capture (allocation high water mark: "
     "800000064). Reduce allocations",
     "",
     {N(ADDRESS, 800000000), N(HIGH_WATER, 800000064)},
     0,
     64},
    {"trace-overlap",
     "Trace buffer at address 700 overlaps with DRAM activity captured by another live trace (maximum live trace high water "
     "mark: 1000). Release the existing trace",
     "",
     {N(ADDRESS, 700), N(HIGH_WATER, 1000)},
     0,
     300},
    {"trace-unsafe",
     "RuntimeError: Found 3 device buffer(s) still alive before trace replay. These will be corrupted on replay.\n"
     "Buffer 99 [op: ttnn.matmul]\n  allocated at:\n",
     "ttnn.matmul",
     {N(COUNT, 3)},
     0,
     0},
    {"l1-exhausted",
     "TT_FATAL: internal::ServiceCoreManager: L1 OOM on core (x=2,y=9) (4096 bytes requested)",
     "",
     {N(REQUESTED, 4096)},
     0,
     0},
    {"l1-exhausted",
     "TT_THROW: DRISC L1 GCB zone full: requested 5000 B (aligned 5024 B); zone is 65536 B starting at 0x20000",
     "",
     {N(REQUESTED, 5000), N(ALIGNED, 5024), N(LIMIT, 65536)},
     0,
     0},
    {"l1-exhausted", /* 200,016 of a zone of 98,304 */
     "TT_THROW: DRISC L1 GCB zone full: requested 200001 B (aligned 200016 B); zone is 98304 B starting at 0x12000",
     "",
     {N(REQUESTED, 200001), N(ALIGNED, 200016), N(LIMIT, 98304)},
     101712,
     0},
    {"hugepages", /* fits without its alignment */
     "TT_FATAL: Hugepage auxiliary region exhausted: requested 33 bytes (64 aligned), 65500 of 65536 used",
     "",
     {N(REQUESTED, 33), N(ALIGNED, 64), N(ALLOCATED, 65500), N(LIMIT, 65536)},
     28,
     0},
    {"l1-shards",
     "Expected number of shards 131 to be less than or equal to total number of L1 banks 130 in compute cores",
     "",
     {N(COUNT, 131), N(BANKS, 130)},
     0,
     0},
    {"fabric",
     "TT_FATAL: Memory map end address: 1600000 is greater than L1 end address: 1572864",
     "",
     {N(REQUESTED, 1600000), N(LIMIT, 1572864)},
     27136,
     0},
    {"l1-exhausted",
     "TT_FATAL: DRISC L1 kernel region (65536 B) too small for socket buffers + stage ring",
     "",
     {N(LIMIT, 65536)},
     0,
     0},
    {"l1-exhausted",
     "TT_FATAL: Receiver-contiguous mode cannot fit a single K-row slice (n_per_recv=4, tile_bytes=2048, stage_third=1024 B). "
     "Reduce n_per_recv",
     "",
     {N(LIMIT, 1024)},
     0,
     0},
    {"l1-exhausted",
     "TT_FATAL: H2DStreamService: service-core free L1 (4096 B) too small for reservations (8192 B)",
     "",
     {N(REQUESTED, 8192), N(LIMIT, 4096)},
     4096,
     0},
    {"hugepages",
     "TT_FATAL: Command queue size 4096 B is too small for the 65536 B aux reservation",
     "",
     {N(REQUESTED, 65536), N(LIMIT, 4096)},
     61440,
     0},
    {"hugepages", "TT_FATAL: Issue queue for cq_id 0 has size of 4096 which is too small", "", {N(LIMIT, 4096)}, 0, 0},
    {"cb-over-l1",
     "TT_FATAL: DRAM slicing configuration failed for Conv2d with output layout TILE. Unable to find a valid slice "
     "configuration. "
     "This indicates that even with maximum slicing granularity, the operation requires more L1 memory than available. Output "
     "shape: 512x512, Available L1: 1234567 bytes",
     "Conv2d",
     {N(LIMIT, 1234567)},
     0,
     0},
    {"host-alloc", "E       MemoryError\n", "", {N(REQUESTED, 0)}, 0, 0},
    {"host-alloc",
     "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 1.50 GiB for an array with shape (3,) and data type int8",
     "",
     {N(REQUESTED, 1610612736)},
     0,
     0},
    {"host-killed",
     "##[error]The runner has received a shutdown signal. This can happen when the runner service is stopped, or a manually "
     "started runner is canceled.",
     "",
     {N(REQUESTED, 0)},
     0,
     0},
    {"host-killed",
     "The self-hosted runner: x-1 lost communication with the server. Verify the machine is running and has a healthy network "
     "connection.",
     "",
     {N(REQUESTED, 0)},
     0,
     0},
    {"cb-rule",
     "TT_FATAL: address_offset (512) + total_size (4096) exceeds buffer bank size (4500)",
     "",
     {N(REQUESTED, 4608), N(LIMIT, 4500)},
     0,
     0},
    {"dfb-over-l1",
     "TT_FATAL: DFB 7: ring size (1500000 bytes) exceeds Tensix unreserved L1 size (1400000 bytes); reduce capacity",
     "",
     {N(REQUESTED, 1500000), N(LIMIT, 1400000)},
     100000,
     0},
    {"runtime-args",
     "A single core's unique runtime args (70000 B payload -> 70100 B prefetcher command) exceed the max prefetch command size "
     "(65536 B) for this dispatch core type.",
     "",
     {N(REQUESTED, 70100), N(LIMIT, 65536)},
     4564,
     0},
    {"runtime-args",
     "TT_THROW: 342 unique+common runtime args targeting kernel writer on (x=3,y=1) are too large. Max allowable is 341",
     "",
     {N(COUNT, 342), N(COUNT_LIMIT, 341)},
     0,
     0},
    {"kernel-binary",
     "TT_FATAL: Kernel binary size exceeds prefetcher cache size (600, 500)",
     "",
     {N(REQUESTED, 600), N(LIMIT, 500)},
     100,
     0},
    {"kernel-binary",
     "TT_FATAL: Prefetcher cache query failed. Cache size: 500, requested: 601",
     "",
     {N(REQUESTED, 601), N(LIMIT, 500)},
     101,
     0},
    {"kernel-binary",
     "TT_THROW: /c/kernels/y/brisc.elf: segment[2] [0x8000,+0x1a00) overflows region:1 limit of 0x1000 bytes, reduce the size "
     "of",
     "",
     {N(REQUESTED, 0x1a00), N(LIMIT, 0x1000)},
     0xa00,
     0},
    {"kernel-config",
     "TT_THROW: Cannot add semaphore on core range [0-0 - 1-1]. Max number of semaphores (8) reached!",
     "",
     {N(COUNT_LIMIT, 8)},
     0,
     0},
    {"hugepages",
     "TT_FATAL: Hugepage auxiliary region exhausted: requested 100 bytes (128 aligned), 60000 of 60050 used",
     "",
     {N(REQUESTED, 100), N(ALIGNED, 128), N(ALLOCATED, 60000), N(LIMIT, 60050)},
     78,
     0},
    {"hugepages",
     "warning | UMD | UMD: Mapping a hugepage failed. (device: 3, 0/0 errno: Cannot allocate memory).",
     "",
     {N(DEVICE, 3)},
     0,
     0},
    {"hugepages",
     "RuntimeError: Failed to allocate sysmem buffer of size 0x1000 bytes with mmap.",
     "",
     {N(REQUESTED, 4096)},
     0,
     0},
    {"fabric",
     "TT_FATAL: Total channel size of 1000 B exceeds available space of 900 B",
     "",
     {N(REQUESTED, 1000), N(LIMIT, 900)},
     100,
     0},
    {"fabric",
     "Mux memory map end address: 1500100 exceeds allocated L1 end address: 1499136",
     "",
     {N(REQUESTED, 1500100), N(LIMIT, 1499136)},
     964,
     0},
    {"fabric",
     "FabricMuxV2 memory map end address 1500100 exceeds worker L1 end address 1500000",
     "",
     {N(REQUESTED, 1500100), N(LIMIT, 1500000)},
     100,
     0},
    {"fabric",
     "Not enough L1 space for mux core memory requirements given current occupancy. Likely too many experts per device",
     "ttnn.experimental.selective_reduce_combine",
     {N(REQUESTED, 0)},
     0,
     0},
    {"cb-over-l1",
     "TT_FATAL: ttnn.concat: double-buffered tile-height chunk (2 x 32 x 30000 B = 1920000 B) exceeds L1 capacity (1400000 B)",
     "ttnn.concat",
     {N(REQUESTED, 1920000), N(LIMIT, 1400000)},
     520000,
     0},
    {"cb-over-l1",
     "TT_FATAL: ttnn.concat: required CB page size (2000000 B) exceeds per-core L1 capacity (1400000 B); op cannot fit",
     "ttnn.concat",
     {N(REQUESTED, 2000000), N(LIMIT, 1400000)},
     600000,
     0},
    {"cb-over-l1",
     "RM reshape dest staging does not fit in L1: need at least 1000 B dest + 24 B source, have 1023 B",
     "ttnn.reshape",
     {N(REQUESTED, 1024), N(LIMIT, 1023)},
     1,
     0},
    {"cb-over-l1",
     "ttnn::slice: required CB size 5000 B exceeds per-core L1 budget 4000 B (row_bytes=2500, misalignment=0)",
     "ttnn.slice",
     {N(REQUESTED, 5000), N(LIMIT, 4000)},
     1000,
     0},
    {"cb-over-l1",
     "Workload of Tiles 1000 at Tile Size 1088 (times 2 for output) exceeds L1 capacity 1499136",
     "ttnn.experimental.create_qkv_heads",
     {N(REQUESTED, 2176000), N(LIMIT, 1499136)},
     676864,
     0},
    {"cb-over-l1",
     "Not enough L1 for even a single CB page: aligned_input_stick_nbytes=200 exceeds l1_for_cb=150",
     "ttnn.rotate",
     {N(REQUESTED, 200), N(LIMIT, 150)},
     50,
     0},
    {"cb-over-l1",
     "untilize codegen: single-buffer CB plan exceeds L1 and cannot be reduced without chunking (pages_per_unit=4, "
     "page_size=500, minimum_bytes=2000, budget=1600)",
     "ttnn.untilize",
     {N(REQUESTED, 2000), N(LIMIT, 1600)},
     400,
     0},
    {"cb-over-l1",
     "TT_FATAL: not enough circular buffer memory for moreh_softmax_backward",
     "moreh_softmax_backward",
     {N(REQUESTED, 0)},
     0,
     0},
    {"cb-over-l1",
     "D2HStreamService: tensor page 9000 B exceeds service-core CB L1 budget 8192 B; use a layout",
     "",
     {N(REQUESTED, 9000), N(LIMIT, 8192)},
     808,
     0},
    {"cb-over-l1",
     "H2DStreamService: data CB 700 B + metadata CB 200 B + scratch reserve 150 B exceeds service-core free L1 1000 B",
     "",
     {N(REQUESTED, 1050), N(LIMIT, 1000)},
     50,
     0},
    {"compile-l1",
     "loc(\"z\"): error: 'func.func' op required L1 memory usage 1500000 exceeds memory capacity 1400000 (usable space is [1, "
     "2))",
     "",
     {N(REQUESTED, 1500000), N(LIMIT, 1400000)},
     100000,
     0},
    {"compile-dram",
     "error: 'd2m.generic' op required DRAM memory usage 1100 exceeds memory capacity 1000 (usable space is [32, 1032))",
     "d2m.generic",
     {N(REQUESTED, 1100), N(LIMIT, 1000)},
     100,
     0},
    {"compile-l1",
     "error: 'ttnn.conv2d' op L1SpillManagementBase: a live tensor has no contiguous L1 placement even after evicting every",
     "ttnn.conv2d",
     {N(REQUESTED, 0)},
     0,
     0},
    {"unknown", "RuntimeError: Bad StatusOr access: RESOURCE_EXHAUSTED: Error code: 13", "", {N(REQUESTED, 0)}, 0, 0},
    {"kv-cache",
     "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`",
     "",
     {N(REQUESTED, 0)},
     0,
     0},
    {"kv-cache",
     "ValueError: To serve at least one request with the models's max seq len (4096), (1.50 GiB KV cache is needed, which is "
     "larger than the available KV cache memory (0.25 GiB). Based on the available memory, the estimated maximum model length "
     "is "
     "640.",
     "",
     {N(SEQ_LEN, 4096), N(REQUESTED, 1610612736), N(LIMIT, 268435456), N(SEQ_FITS, 640)},
     1342177280,
     0},
    {"kv-cache",
     "ValueError: The model's max seq len (32768) is larger than the maximum number of tokens that can be stored in KV cache "
     "(20000). Try increasing",
     "",
     {N(SEQ_LEN, 32768), N(SEQ_FITS, 20000)},
     0,
     0},
    {"host-alloc", "terminate called after throwing an instance of 'std::bad_alloc'\n", "", {N(REQUESTED, 0)}, 0, 0},
    {"host-alloc", "MemoryError: std::bad_alloc\n", "", {N(REQUESTED, 0)}, 0, 0},
    {"host-alloc",
     "RuntimeError: [enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to "
     "allocate 4096 bytes. Error code 12 (Cannot allocate memory)",
     "",
     {N(REQUESTED, 4096)},
     0,
     0},
    {"host-alloc", "OSError: [Errno 12] Cannot allocate memory", "", {N(REQUESTED, 0)}, 0, 0},
    {"host-alloc",
     "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 2.00 MiB for an array with shape (512, 512)",
     "",
     {N(REQUESTED, 2097152)},
     0,
     0},
    {"host-killed",
     "[77.5] Out of memory: Killed process 17 (pt_main_thread) total-vm:9kB, anon-rss:4kB, file-rss:0kB",
     "",
     {N(PID, 17), N(RSS, 4096), N(RSS_KEPT, 4096)},
     0,
     0},
    {"host-killed", /* 50 + 30 of them stay, 7 are of files */
     "Out of memory: Killed process 19 (python3) total-vm:200kB, anon-rss:50kB, file-rss:7kB, shmem-rss:30kB, UID:0",
     "",
     {N(PID, 19), N(RSS, 87 * 1024), N(RSS_KEPT, 80 * 1024)},
     0,
     0},
    {"host-killed",
     "Memory cgroup out of memory: Killed process 18 (python3) total-vm:100kB, anon-rss:50kB",
     "",
     {N(PID, 18), N(RSS_KEPT, 51200)},
     0,
     0},
    {"host-killed",
     "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=docker-2a,mems_allowed=0,oom_memcg=/docker/2a,task_memcg=/"
     "docker/2a,task=pytest,pid=90,uid=0",
     "",
     {N(PID, 90)},
     0,
     0},
    {"host-killed", "memory: usage 8kB, limit 16kB, failcnt 3", "", {N(ALLOCATED, 8192), N(LIMIT, 16384)}, 0, 0},
    {"host-killed", "##[error]Process completed with exit code 137.", "", {N(REQUESTED, 0)}, 0, 0},
    {"host-killed", "python3 exited with code 137", "", {N(REQUESTED, 0)}, 0, 0},
    {"cb-over-l1",
     "DRAM Auto slice could not find valid slice configuration. Tried up to 31 slices for height-slicing on output dimension "
     "960. "
     "Available L1: 1331936 bytes. Operation requires more memory than available even with maximum slicing.",
     "",
     {N(LIMIT, 1331936)},
     0,
     0},
    {"cb-over-l1",
     "non_zero_indices: indices staging buffer requires 4194304 L1 bytes but per-core L1 is 1499136 bytes; maximum supported "
     "volume "
     "is ~46848 elements",
     "ttnn.nonzero",
     {N(REQUESTED, 4194304), N(LIMIT, 1499136)},
     2695168,
     0},
    {"cb-over-l1",
     "largest tensor 900000 must fit in global cb 800000",
     "ttnn.dram_prefetcher",
     {N(REQUESTED, 900000), N(LIMIT, 800000)},
     100000,
     0},
    {"cb-over-l1",
     "stream_in1 pipelines 3 in1 blocks per receiver in flight, so the global circular buffer must hold at least that many "
     "blocks/receiver, but it holds only 2; increase the GCB window.",
     "ttnn.matmul",
     {N(COUNT, 3), N(COUNT_LIMIT, 2)},
     0,
     0},
    {"kernel-config", "No available semaphore ID for teardown semaphore", "", {N(REQUESTED, 0)}, 0, 0},
    {"kernel-config",
     "No free L1 semaphore slot (per-core 16 limit) for the requested core range set",
     "",
     {N(COUNT_LIMIT, 16)},
     0,
     0},
    {"runtime-args",
     "Generated prefetcher command of size 70000 B exceeds max command size 65536 B",
     "",
     {N(REQUESTED, 70000), N(LIMIT, 65536)},
     4464,
     0},
    {"kernel-binary", "Failed to allocate binary region on first program on sub-device", "", {N(REQUESTED, 0)}, 0, 0},
    {"kernel-binary",
     "Watcher detected stack overflow on Device 2 Core 1-2: brisc! Kernel reader.cpp uses (at least) all of the stack.",
     "",
     {N(DEVICE, 2)},
     0,
     0},
    {"unknown",
     "Failed to apply state: cannot allocate region [1024, 5120) of size 4096 B at address 1024 in DRAM buffer type. Region "
     "may already "
     "be occupied or invalid.",
     "",
     {N(REQUESTED, 4096)},
     0,
     0},
    {"l1-exhausted",
     "Dispatch layout overflows L1 (dispatch_cb_end=0x180000, l1_size=0x170000)",
     "",
     {N(REQUESTED, 0x180000), N(LIMIT, 0x170000)},
     0x10000,
     0},
    {"l1-exhausted",
     "internal::ServiceCoreManager::reserve_l1_to_top: could not reserve [0x1000, 0x2000) on core 1-1 (out of range or already "
     "allocated)",
     "",
     {N(REQUESTED, 0)},
     0,
     0},
    {"fabric", "RelayMux Buffer End 1600000 Exceeds Max L1 1572864", "", {N(REQUESTED, 1600000), N(LIMIT, 1572864)}, 27136, 0},
    {"fabric",
     "All-to-all fabric mux requires L1 through address 0x180010, but each Tensix core has only 0x180000 bytes",
     "",
     {N(REQUESTED, 0x180010), N(LIMIT, 0x180000)},
     16,
     0},
    {"fabric",
     "Buffer size bytes should be less than or equal to: 4352, but got: 8192",
     "",
     {N(LIMIT, 4352), N(REQUESTED, 8192)},
     3840,
     0},
    {"cb-rule",
     "For buffer index 3, number of CB pages 70000 is greater than 65535. Would cause wraparound in the CB calculations.",
     "",
     {N(REQUESTED, 0)},
     0,
     0},
    {"compile-l1",
     "error: L1SpillManagementBase: ttnn.add requires an L1 input restored by an inserted reshard, but its circular-buffer "
     "region "
     "overlaps that reshard's L1 slot and the reshard cannot be evicted or relocated; the op cannot be placed within the L1 "
     "budget",
     "ttnn.add",
     {N(REQUESTED, 0)},
     0,
     0},
    {"compile-l1",
     "stateful: projected L1 (1500000B) exceeds optimizer budget (1300000B)",
     "",
     {N(REQUESTED, 1500000), N(LIMIT, 1300000)},
     200000,
     0},
    {"compile-l1",
     "Not enough L1 memory. totalL1Usage: 1500000 [overallPeakL1Usage=1400000, additionalL1Usage=100000] [cbPeakUsage=5, "
     "l1BuffersPeakUsage=6] limit: 1300000",
     "",
     {N(REQUESTED, 1500000), N(LIMIT, 1300000)},
     200000,
     0},
    {"compile-l1",
     "failed to allocate within usage limit 4096 after spilling all 3 free var(s) (needed at least 8192)",
     "",
     {N(LIMIT, 4096), N(REQUESTED, 8192)},
     4096,
     0},
    {"compile-l1",
     "error: 'd2m.generic' op peak scratch usage (300 elements) exceed scratch buffer capacity (256 elements)",
     "d2m.generic",
     {N(COUNT, 300), N(COUNT_LIMIT, 256)},
     0,
     0},
    {"l1-shards", "HeightSharded shard count 80 exceeds worker grid volume 64", "", {N(COUNT, 80), N(BANKS, 64)}, 0, 0},
    {"unknown",
     "RuntimeError: Unable to load model, a likely reason is the model is too large for the current device's HBM memory.",
     "",
     {N(REQUESTED, 0)},
     0,
     0},
    {"host-alloc", "HostAllocCommand: Failed to allocate host memory.", "", {N(REQUESTED, 0)}, 0, 0},
    {"hugepages",
     "UMD: Failed to allocate memory for device/host shared buffer (size: 1073741824 errno: Cannot allocate memory).",
     "",
     {N(REQUESTED, 1073741824)},
     0,
     0},
    {"hugepages",
     "Failed to pin pages for DMA buffer at virtual address 0x7f0000000000 with size 0x40000000 and flags 0x1: Cannot allocate "
     "memory",
     "",
     {N(REQUESTED, 0x40000000)},
     0,
     0},
    {"hugepages", "Failed pinning pages. See logs above. Physical device ID: 0. Channel: 0.", "", {N(REQUESTED, 0)}, 0, 0},
    {"host-killed",
     "tests/runner/test_models.py:512: running the test CRASHED with signal 9 (SIGKILL)",
     "",
     {N(REQUESTED, 0)},
     0,
     0},
    {"host-killed", "srun: error: n1: task 3: Exited with exit code 137", "", {N(REQUESTED, 0)}, 0, 0},
    {"host-killed", "worker 3 exited with code -9", "", {N(REQUESTED, 0)}, 0, 0},
    {"host-killed", "  traceback : Signal 9 (SIGKILL) received by PID 4242", "", {N(REQUESTED, 0)}, 0, 0},
    {"host-killed", "make: *** [Makefile:7: all] Error 137", "", {N(REQUESTED, 0)}, 0, 0},
    {"host-killed", "Command terminated by signal 9", "", {N(REQUESTED, 0)}, 0, 0},
    {"host-killed", "      Reason:       OOMKilled", "", {N(REQUESTED, 0)}, 0, 0},
    {"unknown",
     "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8589934592 bytes.",
     "",
     {N(REQUESTED, 8589934592)},
     0,
     0},
    {"unknown",
     "RESOURCE_EXHAUSTED: Attempting to allocate 12.00G. That was not possible. There are 10.50G free.",
     "",
     {N(REQUESTED, 12884901888), N(LIMIT, 11274289152)},
     0,
     0},
    {"unknown", "RESOURCE_EXHAUSTED: Out of memory allocating 4096 bytes.", "", {N(REQUESTED, 4096)}, 0, 0},
    {"not-memory", "TT_FATAL: Input tensors must have the same layout (assert.hpp:104)", "", {N(REQUESTED, 0)}, 0, 0},
};

static uint32_t known_of(const struct wording *w) {
    uint32_t known = 0;
    for (size_t i = 0; i < FIGURES && w->figures[i].value; i++) known |= 1u << w->figures[i].number;
    return known;
}

static void check_wording(const struct wording *w, const char *text) {
    struct failure f, more;
    if (!failure_next(slice_from(text), 0, &f)) fail_msg("not found: %s", text);
    if (failure_next(slice_from(text), f.at + f.length, &more)) fail_msg("found twice: %s", text);
    struct arena arena = {0};
    struct verdict v;
    verdict_of(&f, NULL, &arena, &v);
    assert_string_equal(failure_class(&f, v.kind), w->class);
    assert_string_equal(f.op, w->op);
    if (f.known != known_of(w)) fail_msg("other figures, %x: %s", f.known, text);
    for (size_t i = 0; i < FIGURES && w->figures[i].value; i++)
        assert_int_equal(f.number[w->figures[i].number], w->figures[i].value);
    assert_int_equal(v.shortfall_bytes, w->shortfall);
    assert_int_equal(v.overlap_bytes, w->overlap);
    assert_true(v.advice_len > 0);
    arena_release(&arena);
}

static void every_wording_gives_class_op_and_figures(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wordings / sizeof *wordings; i++) check_wording(&wordings[i], wordings[i].text);
}

/* As CI and loggers print them. */
static void prefixes_and_line_ends_change_nothing(void **state) {
    (void)state;
    static const char *const prefixes[] = {"2026-03-04T01:46:22.6151234Z ", "E   ", "\x1b[31m", "(EngineCore_DP0 pid=292) "};
    for (size_t i = 0; i < sizeof wordings / sizeof *wordings; i++) {
        if (strchr(wordings[i].text, '\n')) continue;
        for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++) {
            struct strbuf text = {0};
            strbuf_addf(&text, "first line\n%s%s\r\nlast line\n", prefixes[p], wordings[i].text);
            check_wording(&wordings[i], strbuf_text(&text));
            strbuf_release(&text);
        }
    }
}

static void warnings_are_warnings(void **state) {
    (void)state;
    static const char *const texts[] = {
        "warning | Metal | Allocating device buffers is potentially unsafe due to the existence of an active trace. These "
        "buffers",
        "Allocating device buffers is unsafe due to the existence of an active trace. These buffers may be corrupted",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct failure f;
        assert_true(failure_next(slice_from(texts[i]), 0, &f));
        assert_true(f.warning);
        assert_false(failure_is_memory(&f));
        assert_string_equal(failure_class(&f, VERDICT_UNSAFE), "trace-unsafe");
    }
    static const struct {
        const char *text, *class;
    } others[] = {
        {"ttnn.split: L1 budget exceeded (need ~900000 B, have 800000 B for 4 chunks); DRAM downgrade.", "cb-over-l1"},
        {"CircularBuffer depth reduced due to L1 pressure (only 4096 B available), performance may regress.", "cb-over-l1"},
        {"Real-time profiler disabled on device 0: not enough user-allocatable L1 on the reserved profiler core (1, 2) for the "
         "RT-profiler L1 layout (need 9000 B, L1 bank size is 8000 B).",
         "l1-exhausted"},
        {"Sliding ring reservation (3.50 GiB) >= KV budget (3.00 GiB); no room for full-attention pool. Raise "
         "gpu_memory_utilization or lower max_num_seqs.",
         "kv-cache"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct failure f;
        if (!failure_next(slice_from(others[i].text), 0, &f)) fail_msg("not found: %s", others[i].text);
        assert_true(f.warning);
        assert_true(failure_knows(&f, FAILURE_LIMIT));
        assert_string_equal(failure_class(&f, VERDICT_EXCEEDS_LIMIT), others[i].class);
    }
}

static void words_in_prose_and_in_code_are_no_failures(void **state) {
    (void)state;
    static const char *const texts[] = {
        "exit code 1370",
        "# exit code 137 means that the kernel killed it",
        "// the job died with exit code 137",
        "  --retry-oom N    run again after exit code 137",
        "If a container exited with code 137, look at its memory limit.",
        "+ echo the process failed with exit code 137",
        "a process that is killed usually has exit status 137",
        "Pods may be OOMKilled when they exceed their limit.",
        "rc=137 and exit code 0",
        "tests/runner/test_models.py::test_all[phi4] SKIPPED (running the test CRASHED with signal 9 - uses too much memory)",
        "catch (const std::bad_alloc &e) {",
        "see `std::bad_alloc` in the manual",
        "pip: Cannot allocate memory in the documentation of fork(2)",
        "We found that the device buffer pool is fine before trace replay",
        "TT_FATAL(a == b, \"Out of semaphores\");",
        "grpc: RESOURCE_EXHAUSTED: Received message larger than max (5 vs. 4)",
        "max seq len (4096) and KV cache",
    };
    struct failure f;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (failure_next(slice_from(texts[i]), 0, &f)) fail_msg("found in: %s", texts[i]);
}

/* Kernel, process and cgroup, as the message names them. */
static void who_it_was_about_is_told(void **state) {
    (void)state;
    static const struct {
        const char *text, *subject, *cgroup, *cores;
    } rows[] = {
        {"TT_THROW: 512 unique+common runtime args targeting kernel reader_bmm_tile on (x=3,y=1) are too large. Max allowable "
         "is "
         "341",
         "reader_bmm_tile", "", "(x=3,y=1)"},
        {"TT_THROW: /home/u/.cache/tt-metal-cache/ab12/kernels/compute_sdpa/998877/trisc1/trisc1.elf: segment[0] "
         "[0x5000,+0x2400) "
         "overflows region:0 limit of 0x2000 bytes, reduce the size of code",
         "compute_sdpa/trisc1.elf", "", ""},
        {"[77.5] Out of memory: Killed process 17 (pt_main_thread) total-vm:9kB, anon-rss:4kB, file-rss:0kB", "pt_main_thread",
         "", ""},
        {"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=docker-2a,mems_allowed=0,oom_memcg=/docker/2a,"
         "task_memcg=/docker/2a,task=pytest,pid=90,uid=0",
         "pytest", "/docker/2a", ""},
        {"oom_reaper: reaped process 17 (python), now anon-rss:0kB, file-rss:0kB", "python", "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct failure f;
        assert_true(failure_next(slice_from(rows[i].text), 0, &f));
        assert_string_equal(f.subject, rows[i].subject);
        assert_string_equal(f.cgroup, rows[i].cgroup);
        assert_string_equal(f.core_range, rows[i].cores);
        assert_false(failure_knows(&f, FAILURE_RSS) && !f.number[FAILURE_RSS]);
    }
}

/* The kernel, the shell and the CI tell of the same one; a runner that is shut down is another matter. */
static void a_kill_and_its_signal_are_one_failure(void **state) {
    (void)state;
    static const char log[] =
        "[1.3] Out of memory: Killed process 90 (python3) total-vm:80kB, anon-rss:40kB, file-rss:2kB, shmem-rss:0kB\n"
        "./run.sh: line 9:    90 Killed                  python3 demo.py\n"
        "##[error]Process completed with exit code 137.\n"
        "##[error]The runner has received a shutdown signal.\n";
    struct failure_set set = {0};
    failure_set_add_text(&set, slice_from(log));
    assert_int_equal(set.entries.len, 2);
    const struct failure *f = &set.entries.items[0].failure;
    assert_false(f->maybe_other);
    assert_int_equal(f->number[FAILURE_RSS], 42 * 1024);
    assert_int_equal(set.entries.items[0].count, 3);
    failure_set_release(&set);
}

/* A shell without a script says no more than this. */
static void the_last_word_of_a_log_may_be_killed(void **state) {
    (void)state;
    struct failure f;
    assert_true(failure_next(SLICE("step 3\n   \nKilled\n"), 0, &f));
    assert_true(f.maybe_other);
    assert_false(failure_next(SLICE("step 3\nKilled\nstep 4\n"), 0, &f));
    struct strbuf blanks = {0};
    strbuf_addz(&blanks, "step 3\nKilled\n");
    strbuf_fill(&blanks, ' ', 2000);
    assert_false(failure_next(strbuf_slice(&blanks), 0, &f));
    strbuf_release(&blanks);
    assert_false(failure_next(SLICE("the process was Killed\n"), 0, &f));
}

/* terminate and what() are printed together. */
static void a_bad_alloc_is_told_once(void **state) {
    (void)state;
    struct failure_set set = {0};
    failure_set_add_text(&set, SLICE("terminate called after throwing an instance of 'std::bad_alloc'\n"
                                     "  what():  std::bad_alloc\nAborted (core dumped)\n"));
    assert_int_equal(set.entries.len, 1);
    assert_int_equal(set.entries.items[0].count, 1);
    failure_set_release(&set);
}

/* Five lines of the kernel about one process, then one about another. */
static void a_kill_is_one_failure(void **state) {
    (void)state;
    static const char log[] =
        "[1.0] python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n"
        "[1.1] memory: usage 4194304kB, limit 4194304kB, failcnt 9\n"
        "[1.2] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/docker/2a,"
        "task_memcg=/docker/2a,task=python3,pid=90,uid=0\n"
        "[1.3] Memory cgroup out of memory: Killed process 90 (python3) total-vm:8000000kB, anon-rss:4000000kB\n"
        "[1.4] oom_reaper: reaped process 90 (python3), now anon-rss:0kB, file-rss:0kB\n"
        "[9.0] Out of memory: Killed process 91 (python3) total-vm:8000000kB, anon-rss:5000000kB\n";
    struct failure_set set = {0};
    failure_set_add_text(&set, slice_from(log));
    assert_int_equal(set.entries.len, 2);
    const struct failure *f = &set.entries.items[0].failure;
    assert_int_equal(f->number[FAILURE_PID], 90);
    assert_int_equal(f->number[FAILURE_RSS_KEPT], UINT64_C(4000000) * 1024);
    assert_int_equal(f->number[FAILURE_LIMIT], UINT64_C(4194304) * 1024);
    assert_string_equal(f->subject, "python3");
    assert_string_equal(f->cgroup, "/docker/2a");
    assert_int_equal(set.entries.items[1].failure.number[FAILURE_PID], 91);
    failure_set_release(&set);
}

static void fill_placeholders(struct strbuf *out, struct slice words) {
    unsigned value = 10000;
    while (words.len) {
        size_t open = slice_find_byte(words, '{'), close = slice_find_byte(words, '}');
        if (open == SLICE_NONE || close == SLICE_NONE || close < open) open = words.len;
        strbuf_add(out, slice_take(words, open));
        if (open == words.len) return;
        bool hex = slice_find(slice_take(words, close), SLICE("#x")) != SLICE_NONE;
        strbuf_addf(out, hex ? "0x%x" : "%u", value -= 64);
        words = slice_skip(words, close + 1);
    }
}

/* The checks of tt-metal that were looked at: those about memory have a row, the others are told apart. */
static void every_check_that_was_looked_at_keeps_its_class(void **state) {
    (void)state;
    FILE *file = fopen("tests/data/failures/tt_metal.tsv", "r");
    assert_non_null(file);
    char line[1024];
    size_t rows = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#') continue;
        struct slice rest = slice_trim(slice_from(line));
        size_t tab = slice_find_byte(rest, '\t');
        struct slice class = slice_take(rest, tab);
        rest = slice_skip(rest, tab + 1);
        struct slice words = slice_skip(rest, slice_find_byte(rest, '\t') + 1);
        struct strbuf text = {0};
        strbuf_addz(&text, "TT_FATAL: ");
        fill_placeholders(&text, words);
        strbuf_addc(&text, '\n');
        struct failure f;
        if (!failure_next(strbuf_slice(&text), 0, &f)) fail_msg("not found: %s", strbuf_text(&text));
        struct arena arena = {0};
        struct verdict v;
        verdict_of(&f, NULL, &arena, &v);
        if (!slice_equal(class, slice_from(failure_class(&f, v.kind)))) fail_msg("%s: %s", failure_class(&f, v.kind), line);
        arena_release(&arena);
        strbuf_release(&text);
        rows++;
    }
    fclose(file);
    assert_true(rows > 580);
}

static void every_class_is_in_the_list_of_classes(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < FAILURE_KINDS; kind++)
        for (unsigned pool = 0; pool <= FAILURE_SYSTEM_MEMORY; pool++)
            for (unsigned verdict = 0; verdict < VERDICT_KINDS; verdict++) {
                struct failure f = {.kind = (enum failure_kind)kind, .pool = (enum failure_pool)pool};
                const char *name = failure_class(&f, (enum verdict_kind)verdict);
                size_t i = 0;
                while (failure_classes[i] && strcmp(failure_classes[i], name) != 0) i++;
                assert_non_null(failure_classes[i]);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kill_and_its_signal_are_one_failure),
        cmocka_unit_test(the_last_word_of_a_log_may_be_killed),
        cmocka_unit_test(a_bad_alloc_is_told_once),
        cmocka_unit_test(every_wording_gives_class_op_and_figures),
        cmocka_unit_test(prefixes_and_line_ends_change_nothing),
        cmocka_unit_test(warnings_are_warnings),
        cmocka_unit_test(who_it_was_about_is_told),
        cmocka_unit_test(a_kill_is_one_failure),
        cmocka_unit_test(words_in_prose_and_in_code_are_no_failures),
        cmocka_unit_test(every_check_that_was_looked_at_keeps_its_class),
        cmocka_unit_test(every_class_is_in_the_list_of_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
