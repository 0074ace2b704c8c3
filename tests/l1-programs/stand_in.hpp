/* SPDX-License-Identifier: Apache-2.0 */
// Stand-ins for the classes of tt-metal that generated programs use. They do one thing: add up the bytes that a core of the
// program really gets. What the scan cannot see (compute, twice, input) is defined here, where it does not look.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace tt {
enum class DataFormat { Float16_b, Float32 };
inline uint32_t tile_size(DataFormat format) { return format == DataFormat::Float32 ? 4096 : 2048; }
}  // namespace tt

struct Buffer {};
struct CoreRange {};
struct Params {
    uint32_t a, b, c, d;
    bool p, q, r;
};

// Unknown functions: what they are given by reference or pointer changes.
inline void compute(uint32_t &n) { n = n % 7 + 3; }
inline void compute(uint32_t *n) { *n = *n % 5 + 2; }
inline uint32_t look(const uint32_t &n) { return n + 1; }
template <class T>
void enlarge_node(T &node) {
    node.n *= 2;
}
template <class F>
void twice(F f) {
    f();
    f();
}
template <class F>
void maybe(const Params &in, F f) {
    if (in.q) f();
}

struct CircularBufferConfig {
    uint64_t total_size;
    bool backed = false;
    CircularBufferConfig(uint64_t total, std::vector<std::pair<uint32_t, tt::DataFormat>>) : total_size(total) {}
    CircularBufferConfig &set_page_size(uint32_t, uint32_t) { return *this; }
    CircularBufferConfig &set_total_size(uint64_t n) {
        total_size = n;
        return *this;
    }
    CircularBufferConfig &set_globally_allocated_address(const Buffer &) {
        backed = true;
        return *this;
    }
};

struct CBFormatDescriptor {
    uint32_t buffer_index = 0;
    tt::DataFormat data_format = tt::DataFormat::Float16_b;
    uint32_t page_size = 0;
};
struct CBDescriptor {
    uint32_t total_size = 0;
    CoreRange core_ranges;
    std::vector<CBFormatDescriptor> format_descriptors;
    Buffer *buffer = nullptr;
};
struct ProgramDescriptor {
    std::vector<CBDescriptor> cbs;
};
struct DataflowBufferSpec {
    const char *unique_id = "";
    uint32_t entry_size = 0;
    uint32_t num_entries = 0;
    std::optional<const char *> borrowed_from;
};
struct ScratchpadSpec {
    const char *unique_id = "";
    uint32_t size_per_node = 0;
};
struct ProgramSpec {
    std::vector<DataflowBufferSpec> dataflow_buffers;
    std::vector<ScratchpadSpec> scratchpads;
};
#define TT_FATAL(condition, ...) \
    if (!(condition)) throw 1
#define TT_ASSERT(condition, ...)
struct Program {
    uint64_t bytes = 0;
};
inline uint64_t CreateCircularBuffer(Program &program, const CoreRange &, const CircularBufferConfig &config) {
    if (!config.backed) program.bytes += config.total_size;
    return config.total_size;
}
inline void UpdateCircularBufferTotalSize(Program &program, uint64_t handle, uint64_t bytes) {
    program.bytes += bytes - handle;
}
struct Refreshed {
    uint32_t v = 0;
    void refresh(const Params &in) { v = in.p ? 70 : 3; }
};
inline void grow_list_elsewhere(std::vector<CBDescriptor> &list) {
    list[0].total_size *= 3;
    list.push_back(CBDescriptor{.total_size = 96});
}
inline void grow_elsewhere(ProgramDescriptor &desc) { grow_list_elsewhere(desc.cbs); }
inline std::vector<CBDescriptor> made_elsewhere() { return {CBDescriptor{.total_size = 96}}; }
inline void enlarge_elsewhere(CircularBufferConfig &config) { config.set_total_size(config.total_size * 3); }
inline void add_elsewhere(Program &program) { program.bytes += 4096; }
inline void (*registered_elsewhere)();
inline void register_elsewhere(void (*function)()) { registered_elsewhere = function; }
inline void run_elsewhere() { registered_elsewhere(); }
inline uint64_t allocated(const Program &program) { return program.bytes; }
inline uint64_t allocated(const ProgramSpec &program) {
    uint64_t bytes = 0;
    for (const auto &dfb : program.dataflow_buffers)
        bytes += dfb.borrowed_from ? 0 : uint64_t{dfb.entry_size} * dfb.num_entries;
    for (const auto &pad : program.scratchpads) bytes += pad.size_per_node;
    return bytes;
}
inline uint64_t allocated(const ProgramDescriptor &program) {
    uint64_t bytes = 0;
    for (const auto &cb : program.cbs) bytes += cb.buffer ? 0 : cb.total_size;
    return bytes;
}
