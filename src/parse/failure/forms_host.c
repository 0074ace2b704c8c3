/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of other programs: tt-mlir's compiler, XLA, vLLM, and the host when it runs out of memory. Texts from tt-mlir
 * (D2M Allocate, L1SpillManagement), XLA's status codes, vLLM, PyTorch, NumPy, libstdc++, the Linux kernel, GitHub Actions. */
#include "parse/failure/forms.h"

static const struct failure_step usage_values[] = {
    FAR(REQUESTED, "memory usage", "exceeds"),
    FAR(LIMIT, "memory capacity", "("),
    {0},
};

static const struct failure_step kv_values[] = {
    FAR(SEQ_LEN, "max seq len (", ")"),
    STEP(SIZE, REQUESTED, ",", NULL),
    STEP(SIZE, LIMIT, "KV cache memory (", NULL),
    FAR(SEQ_FITS, "maximum model length is", NULL),
    {0},
};

static const struct failure_step tokens_values[] = {
    FAR(SEQ_LEN, "max seq len (", ")"),
    FAR(SEQ_FITS, "KV cache (", ")"),
    {0},
};

static const struct failure_step free_values[] = {
    STEP(SIZE, LIMIT, "Free memory on device", NULL),
    STEP(SIZE, REQUESTED, "memory utilization (", NULL),
    {0},
};

static const struct failure_step mmap_values[] = {
    FAR(REQUESTED, "unable to mmap", "bytes"),
    WORDS("Cannot allocate memory"),
    {0},
};

static const struct failure_step terminate_values[] = {
    WORDS("what(): std::bad_alloc"),
    {0},
};

static const struct failure_step torch_values[] = {
    FAR(REQUESTED, "tried to allocate", "bytes"),
    WORDS("(Cannot allocate memory)"),
    {0},
};

static const struct failure_step numpy_values[] = {
    STEP(SIZE, REQUESTED, "Unable to allocate", NULL),
    {0},
};

static const struct failure_step memory_error_values[] = {
    NEAR(SIZE, REQUESTED, ": Unable to allocate", NULL),
    NEAR(WORDS, NUMBERS, ": std::bad_alloc", NULL),
    {0},
};

static const struct failure_step killed_values[] = {
    FAR(PID, "process", "("),
    SUBJECT("(", ")"),
    STEP(KIB, RSS_KEPT, "anon-rss:", "kB"),
    STEP(KIB, RSS, "file-rss:", "kB"),            /* the reader adds the part that is kept */
    STEP(KIB_MORE, RSS_KEPT, "shmem-rss:", "kB"), /* since Linux 4.5 */
    {0},
};

/* The memory that it held is already freed. */
static const struct failure_step reaped_values[] = {
    FAR(PID, "process", "("),
    SUBJECT("(", ")"),
    {0},
};

static const struct failure_step oom_kill_values[] = {
    CGROUP("oom_memcg=", ","),
    SUBJECT(",task=", ","),
    FAR(PID, ",pid=", NULL),
    {0},
};

/* Of all its processes together. */
static const struct failure_step cgroup_values[] = {
    STEP(KIB, ALLOCATED, "usage", "kB"),
    STEP(KIB, LIMIT, "limit", "kB"),
    {0},
};

static const struct failure_step early_values[] = {
    FAR(PID, "process", "uid"),
    SUBJECT("\"", "\""),
    {0},
};

static const struct failure_step loader_values[] = {
    FAR(PID, "(pid", ")"),
    WORDS("is killed by signal: Killed"),
    {0},
};

/* The reason that a program built on LLVM prints, on its own line. */
static const struct failure_step llvm_values[] = {
    WORDS("llocation failed"),
    {0},
};

static const struct failure_step store_values[] = {
    FAR(REQUESTED, "Object size is", "bytes"),
    {0},
};

static const struct failure_step xla_values[] = {
    FAR(REQUESTED, "trying to allocate", "bytes"),
    FAR(REQUESTED, "allocating", "bytes"),
    STEP(SIZE, REQUESTED, "Attempting to reserve", NULL),
    STEP(SIZE, REQUESTED, "Attempting to allocate", NULL),
    STEP(SIZE, REQUESTED, "trying to allocate", NULL),
    STEP(SIZE, LIMIT, "There are", NULL),
    {0},
};

static const struct failure_step projected_values[] = {
    FAR(REQUESTED, "projected L1 (", "B"),
    FAR(LIMIT, "budget (", "B"),
    {0},
};

static const struct failure_step reshard_values[] = {
    NAME("L1SpillManagementBase:", "requires"),
    {0},
};

static const struct failure_step scratch_values[] = {
    FAR(COUNT, "usage (", "elements"),
    FAR(COUNT_LIMIT, "capacity (", "elements"),
    {0},
};

static const struct failure_step planner_values[] = {
    FAR(LIMIT, "usage limit", "after"),
    FAR(REQUESTED, "at least", ")"),
    {0},
};

static const struct failure_step validation_values[] = {
    FAR(REQUESTED, "totalL1Usage:", NULL),
    FAR(LIMIT, "limit:", NULL),
    {0},
};

static const struct failure_step grid_values[] = {
    FAR(COUNT, "shard count", "exceeds"),
    FAR(BANKS, "grid volume", NULL),
    {0},
};

static const struct failure_step sliding_values[] = {
    STEP(SIZE, REQUESTED, "reservation (", NULL),
    STEP(SIZE, LIMIT, "budget (", NULL),
    {0},
};

#define MORE_SHARDS "There are more shards than cores"
#define XLA_EXHAUSTED "XLA ran out of a resource on the device"
#define NO_PLACEMENT "The compiler finds no place for the tensors in L1"
#define BAD_ALLOC "The host has no memory left for the process"
#define KILLED "The host killed the process: its memory was full"
#define RUNNER_STOPPED "The CI runner was shut down while the job ran: this message does not say why"
#define RUNNER_LOST "The CI runner was lost while the job ran: this message does not say why"
#define WORKER_DIED FAILURE_RAY_WORKER ": a full host memory is one possible reason; this message does not say which it was"
#define KILLED_9 FAILURE_KILLED_FROM_OUTSIDE " (signal 9): this message does not say why"
#define KILLED_137 FAILURE_KILLED_FROM_OUTSIDE " (exit code 137): this message does not say why"

/* clang-format off: one row per wording */
const struct failure_form failure_forms_host[] = {
    {WHAT(COMPILE_L1, "required L1 memory usage", "exceeds memory capacity",
          "The compiled program needs more L1 than a core has", usage_values),
     .pool = FAILURE_L1, .op_before = true, .certain = true},
    {WHAT(COMPILE_DRAM, "required DRAM memory usage", "exceeds memory capacity",
          "The compiled program needs more DRAM than the chip has", usage_values),
     .pool = FAILURE_DRAM, .op_before = true, .certain = true},
    {WHAT(COMPILE_L1, "L1SpillManagementBase: a live tensor has no contiguous L1 placement", NULL, NO_PLACEMENT, NULL),
     .pool = FAILURE_L1, .op_before = true},
    {WHAT(COMPILE_L1, "a live tensor has no contiguous L1 placement", NULL, NO_PLACEMENT, NULL), .pool = FAILURE_L1,
     .op_before = true},
    {WHAT(COMPILE_L1, "L1SpillManagementBase:", "overlaps that reshard", NO_PLACEMENT, reshard_values), .pool = FAILURE_L1},
    {WHAT(COMPILE_L1, "stateful: projected L1 (", "exceeds optimizer budget", NO_PLACEMENT, projected_values),
     .pool = FAILURE_L1},
    {WHAT(COMPILE_L1, "Not enough L1 memory.", "totalL1Usage", "The compiled op needs more L1 than a core has",
          validation_values),
     .pool = FAILURE_L1},
    {WHAT(COMPILE_L1, "failed to allocate within usage limit", NULL, NO_PLACEMENT, planner_values), .pool = FAILURE_L1},
    {WHAT(COMPILE_L1, "peak scratch usage (", "scratch buffer capacity",
          "The compiled op needs more scratch memory than it has", scratch_values),
     .pool = FAILURE_L1, .op_before = true},
    {WHAT(L1_SHARDS, "HeightSharded shard count", "exceeds worker grid volume", MORE_SHARDS, grid_values), .pool = FAILURE_L1},
    {WHAT(L1_SHARDS, "WidthSharded shard count", "exceeds worker grid volume", MORE_SHARDS, grid_values), .pool = FAILURE_L1},
    {WHAT(XLA, "RESOURCE_EXHAUSTED:", "allocat", XLA_EXHAUSTED, xla_values), .unless = "larger than max", .nor = "quota"},
    {WHAT(XLA, "RESOURCE_EXHAUSTED:", "to reserve", XLA_EXHAUSTED, xla_values), .unless = "larger than max"},
    {WHAT(XLA, "RESOURCE_EXHAUSTED:", NULL, XLA_EXHAUSTED, NULL), .unless = "larger than max",
     .nor = "quota"}, /* of a service */

    {WHAT(XLA, "Out of memory allocating", "bytes", XLA_EXHAUSTED, xla_values)},
    {WHAT(XLA, "Unable to load model, a likely reason is the model is too large", NULL,
          "The model is too large for the memory of the device", NULL)},

    {WHAT(KV_CACHE, "Sliding ring reservation (", "no room for full-attention pool",
          "The KV cache of sliding windows leaves no room for the rest", sliding_values),
     .warning = true},
    {WHAT(KV_CACHE, "No available memory for the cache blocks", NULL, "There is no memory left for the KV cache", NULL)},
    {WHAT(KV_CACHE, "To serve at least one request with the model", "KV cache",
          "The KV cache of one request is larger than the memory left for it", kv_values)},
    {WHAT(KV_CACHE, "max seq len (", "stored in KV cache (", "The KV cache holds fewer tokens than a request may have",
          tokens_values)},

    {WHAT(KV_CACHE, "Free memory on device", "less than desired GPU memory utilization",
          "The device has less free memory than the server is told to use", free_values)},

    {WHAT(HOST_ALLOC, "terminate called after throwing an instance of 'std::bad_alloc", NULL, BAD_ALLOC, terminate_values),
     .certain = true},
    {WHAT(HOST_ALLOC, "unable to mmap", "Cannot allocate memory", BAD_ALLOC, mmap_values)},
    {WHAT(HOST_ALLOC, "std::bad_alloc", NULL, BAD_ALLOC, NULL), .wants_error = true},
    {WHAT(HOST_ALLOC, "LLVM ERROR: out of memory", NULL, BAD_ALLOC, llvm_values), .certain = true},
    {WHAT(HOST_ALLOC, "Failed to put object", "because it is full", "The object store of Ray, in the host's memory, is full",
          store_values),
     .certain = true},
    {WHAT(HOST_ALLOC, "HostAllocCommand: Failed to allocate host memory", NULL, BAD_ALLOC, NULL)},
    {WHAT(HOST_ALLOC, "DefaultCPUAllocator:", "tried to allocate", BAD_ALLOC, torch_values)},
    {WHAT(HOST_ALLOC, "MemoryError", NULL, BAD_ALLOC, memory_error_values), .wants_exception = true}, /* Python, NumPy */
    {WHAT(HOST_ALLOC, "Unable to allocate", "for an array with shape", BAD_ALLOC, numpy_values)},
    {WHAT(HOST_ALLOC, "fork: Cannot allocate memory", NULL, BAD_ALLOC, NULL)},
    {WHAT(HOST_ALLOC, "mmap failed: Cannot allocate memory", NULL, BAD_ALLOC, NULL)},
    {WHAT(HOST_ALLOC, "mmap: Cannot allocate memory", NULL, BAD_ALLOC, NULL)},
    {WHAT(HOST_ALLOC, "malloc: Cannot allocate memory", NULL, BAD_ALLOC, NULL)},
    {WHAT(HOST_ALLOC, "Cannot allocate memory", NULL, BAD_ALLOC, NULL), .wants_error = true},

    {WHAT(HOST_KILLED, "Out of memory: Killed process", NULL, KILLED, killed_values)},
    {WHAT(HOST_KILLED, "Out of memory: Kill process", NULL, KILLED, killed_values)},
    {WHAT(HOST_KILLED, "Memory cgroup out of memory: Killed process", NULL, KILLED, killed_values)},
    {WHAT(HOST_KILLED, "Memory cgroup out of memory: Kill process", NULL, KILLED, killed_values)},
    {WHAT(HOST_KILLED, "Killed process", "total-vm", KILLED, killed_values)},
    {WHAT(HOST_KILLED, "oom-kill:constraint=", NULL, KILLED, oom_kill_values)},
    {WHAT(HOST_KILLED, "oom_reaper: reaped process", NULL, KILLED, reaped_values)},
    {WHAT(HOST_KILLED, "invoked oom-killer", NULL, KILLED, NULL)},
    {WHAT(HOST_KILLED, "memory: usage", "kB, limit", KILLED, cgroup_values)},
    {WHAT(HOST_KILLED, "The runner has received a shutdown signal", NULL, RUNNER_STOPPED, NULL), .maybe_other = true},
    {WHAT(HOST_KILLED, "lost communication with the server", NULL, RUNNER_LOST, NULL), .maybe_other = true},
    {WHAT(HOST_KILLED, "oom_kill event", NULL, KILLED, NULL), .wants_event = true}, /* slurmstepd */
    {WHAT(HOST_KILLED, "oom-kill event(s) in", NULL, KILLED, NULL)},
    {WHAT(HOST_KILLED, "srun: error:", ": Out Of Memory", KILLED, NULL)},
    {WHAT(HOST_KILLED, "srun: error:", ": Killed", KILLED_9, NULL), .maybe_other = true},
    {WHAT(HOST_KILLED, "OOMKilled", NULL, KILLED, NULL), .wants_event = true}, /* kubectl, docker inspect */
    {WHAT(HOST_KILLED, "systemd-oomd killed", NULL, KILLED, NULL)},
    {WHAT(HOST_KILLED, "systemd-oomd[", "due to memory", KILLED, NULL)},
    {WHAT(HOST_KILLED, "sending SIGTERM to process", "badness", KILLED, early_values)}, /* earlyoom */
    {WHAT(HOST_KILLED, "sending SIGKILL to process", "badness", KILLED, early_values)},
    {WHAT(HOST_KILLED, "killed by the OOM killer", NULL, KILLED, NULL), .wants_event = true}, /* journald */
    {WHAT(HOST_KILLED, "Signals.SIGKILL: 9", NULL, KILLED_9, NULL), .maybe_other = true},     /* Python's subprocess */
    {WHAT(HOST_KILLED, "non-zero status 137", NULL, KILLED_137, NULL), .wants_event = true, .maybe_other = true}, /* GNU time */
    {WHAT(HOST_KILLED, "exit code 137", NULL, KILLED_137, NULL), .wants_event = true, .maybe_other = true},
    {WHAT(HOST_KILLED, "exit code: 137", NULL, KILLED_137, NULL), .wants_event = true, .maybe_other = true},
    {WHAT(HOST_KILLED, "exit status 137", NULL, KILLED_137, NULL), .wants_event = true, .maybe_other = true},
    {WHAT(HOST_KILLED, "exited with code 137", NULL, KILLED_137, NULL), .wants_event = true, .maybe_other = true},
    {WHAT(HOST_KILLED, "exited with code -9", NULL, KILLED_9, NULL), .wants_event = true, .maybe_other = true},
    {WHAT(HOST_KILLED, "Signal 9 (SIGKILL) received by PID", NULL, KILLED_9, NULL), .maybe_other = true}, /* torchrun */
    {WHAT(HOST_KILLED, "Exited with exit code 137", NULL, KILLED_137, NULL), .wants_event = true,
     .maybe_other = true},                                                              /* srun */
    {WHAT(HOST_KILLED, ": *** [", "Error 137", KILLED_137, NULL), .maybe_other = true}, /* make */
    {WHAT(HOST_KILLED, "CRASHED with signal 9", NULL, KILLED_9, NULL), .wants_event = true,
     .maybe_other = true}, /* pytest-forked */
    {WHAT(HOST_KILLED, "exited on signal 9", NULL, KILLED_9, NULL), .wants_event = true, .maybe_other = true}, /* mpirun */
    {WHAT(HOST_KILLED, "DataLoader worker (pid", "is killed by signal: Killed", KILLED_9, loader_values), .maybe_other = true},
    {WHAT(HOST_KILLED, "Killed", NULL, KILLED_9, NULL), .wants_shell = true, .maybe_other = true},
    {WHAT(HOST_KILLED, "Command terminated by signal 9", NULL, KILLED_9, NULL), .maybe_other = true}, /* GNU time */
    {WHAT(HOST_KILLED, ": *** [", "] Killed", KILLED_9, NULL), .maybe_other = true},                  /* make */
    {WHAT(HOST_KILLED, "fatal error: Killed signal terminated program", NULL, KILLED_9, NULL), .maybe_other = true}, /* gcc */
    {WHAT(HOST_KILLED, "internal compiler error: Killed", NULL, KILLED_9, NULL), .maybe_other = true},
    {WHAT(HOST_KILLED, "terminated with signal SIGKILL", NULL, KILLED_9, NULL),
     .maybe_other = true}, /* torch.multiprocessing */
    {WHAT(HOST_KILLED, "exitcode: -9", NULL, KILLED_9, NULL), .wants_event = true, .maybe_other = true}, /* torchrun */
    {WHAT(HOST_KILLED, "Task was killed due to the node running low on memory", NULL, KILLED, NULL)},    /* Ray */
    {WHAT(HOST_KILLED, "A worker died or was killed while executing a task by an unexpected system error", NULL, WORKER_DIED,
          NULL),
     .maybe_other = true},
    {.start = NULL},
};
