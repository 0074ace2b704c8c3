/* SPDX-License-Identifier: Apache-2.0 */
// libttmem for C++17: the interface of tt-train's MemoryUsageTracker, without a device.
//
//     ttmem::ScopeGuard guard = ttmem::MemoryUsageTracker::begin_capture();
//     ...
//     ttmem::MemoryUsageTracker::snapshot("FORWARD_PASS");
//     ttmem::MemoryUsageTracker::end_capture("ITERATION_COMPLETE");
//     ttmem::MemoryUsageTracker::print_memory_usage();
//
// The functions act on the tracker of the process (ttmem_default), and several threads may call them. A failure throws
// std::runtime_error with the text of ttmem_last_error. Events come from ttmem_metal.hpp, from the functions of ttmem.h, or
// from capture_json.
#ifndef TTMEM_TTMEM_HPP
#define TTMEM_TTMEM_HPP

#include <cstddef>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ttmem/ttmem.h"

namespace ttmem {

enum class RunMode { NORMAL, NO_DISPATCH };

// tt-metal's name of the mode: code written for it only has to change the namespace.
struct IGraphProcessor {
    using RunMode = ttmem::RunMode;
};

// Runs a function when it goes out of scope, unless released. It can be moved but not copied. Exceptions of the function are
// ignored.
class ScopeGuard {
   public:
    ScopeGuard() = default;
    explicit ScopeGuard(std::function<void()> action) : action_(std::move(action)) {}
    ScopeGuard(ScopeGuard &&other) noexcept : action_(std::move(other.action_)) { other.action_ = nullptr; }
    ScopeGuard &operator=(ScopeGuard &&other) noexcept {
        if (this != &other) {
            run();
            action_ = std::move(other.action_);
            other.action_ = nullptr;
        }
        return *this;
    }
    ScopeGuard(const ScopeGuard &) = delete;
    ScopeGuard &operator=(const ScopeGuard &) = delete;
    ~ScopeGuard() { run(); }

    void release() noexcept { action_ = nullptr; }

   private:
    void run() noexcept {
        if (!action_) return;
        try {
            action_();
        } catch (...) {
        }
        action_ = nullptr;
    }

    std::function<void()> action_;
};

struct DRAMUsage {
    long long peak = 0;
    long long total_allocations = 0;
    long long total_deallocations = 0;
};

struct L1UsagePerCore {
    std::size_t peak_cb = 0;
    std::size_t peak_l1 = 0;
    std::size_t peak_dataflow_buffer = 0;
    std::size_t peak_scratchpad = 0;
    std::size_t peak_total = 0;
};

namespace detail {

inline void check(ttmem_status status) {
    if (status != TTMEM_OK) throw std::runtime_error(ttmem_last_error());
}

inline std::string take_text(char *text) {
    if (!text) throw std::runtime_error(ttmem_last_error());
    std::string copy;
    try {
        copy = text;
    } catch (...) {
        ttmem_free(text);
        throw;
    }
    ttmem_free(text);
    return copy;
}

inline DRAMUsage from_c(const ttmem_dram_usage &usage) { return {usage.peak, usage.allocations, usage.deallocations}; }

inline L1UsagePerCore from_c(const ttmem_l1_usage &usage) {
    return {static_cast<std::size_t>(usage.peak_cb), static_cast<std::size_t>(usage.peak_buffer),
            static_cast<std::size_t>(usage.peak_dataflow_buffer), static_cast<std::size_t>(usage.peak_scratchpad),
            static_cast<std::size_t>(usage.peak_total)};
}

}  // namespace detail

namespace MemoryUsageTracker {

inline void end_capture(const std::string &name = "END_TRACE") {
    detail::check(ttmem_end_capture(ttmem_default(), name.c_str()));
}

inline void clear() { detail::check(ttmem_clear(ttmem_default())); }

// Starts a capture. The guard that it returns ends the capture and clears the tracker. Takes ttmem's RunMode or tt-metal's,
// which has the same order.
template <typename Mode = RunMode>
[[nodiscard]] ScopeGuard begin_capture(Mode mode = RunMode::NORMAL) {
    static_assert(std::is_enum<Mode>::value, "begin_capture takes a RunMode");
    detail::check(ttmem_begin_capture(ttmem_default(), static_cast<int>(mode) == 0 ? TTMEM_NORMAL : TTMEM_NO_DISPATCH));
    return ScopeGuard([] {
        end_capture();
        clear();
    });
}

inline void snapshot(const std::string &name) { detail::check(ttmem_snapshot(ttmem_default(), name.c_str())); }

inline std::vector<std::string> get_trace_names() {
    std::vector<std::string> names;
    std::string name;
    for (std::size_t i = 0, size = 0; i < ttmem_segment_count(ttmem_default()); i++) {
        ttmem_status status = ttmem_segment_name(ttmem_default(), i, nullptr, 0, &size);
        if (status == TTMEM_NOT_FOUND) break;  // cleared by another thread
        name.resize(size);
        detail::check(ttmem_segment_name(ttmem_default(), i, &name[0], size, &size));
        names.emplace_back(name.c_str());
    }
    return names;
}

inline DRAMUsage get_dram_usage(const std::string &name) {
    ttmem_dram_usage usage;
    detail::check(ttmem_get_dram_usage(ttmem_default(), name.c_str(), &usage));
    return detail::from_c(usage);
}

inline L1UsagePerCore get_l1_usage(const std::string &name) {
    ttmem_l1_usage usage;
    detail::check(ttmem_get_l1_usage(ttmem_default(), name.c_str(), &usage));
    return detail::from_c(usage);
}

inline std::vector<std::pair<std::string, DRAMUsage>> get_dram_usage_all() {
    std::vector<std::pair<std::string, DRAMUsage>> all;
    for (std::string &name : get_trace_names()) {
        ttmem_dram_usage usage;
        detail::check(ttmem_get_dram_usage_at(ttmem_default(), all.size(), &usage));
        all.emplace_back(std::move(name), detail::from_c(usage));
    }
    return all;
}

inline std::vector<std::pair<std::string, L1UsagePerCore>> get_l1_usage_all() {
    std::vector<std::pair<std::string, L1UsagePerCore>> all;
    for (std::string &name : get_trace_names()) {
        ttmem_l1_usage usage;
        detail::check(ttmem_get_l1_usage_at(ttmem_default(), all.size(), &usage));
        all.emplace_back(std::move(name), detail::from_c(usage));
    }
    return all;
}

inline void print_memory_usage() { detail::check(ttmem_print(ttmem_default(), stdout)); }

inline std::string summary() { return detail::take_text(ttmem_summary(ttmem_default())); }

inline std::string json() { return detail::take_text(ttmem_json(ttmem_default())); }

// Counts the text of a ttnn graph capture in the current segment.
inline void capture_json(std::string_view text) {
    detail::check(ttmem_capture_json(ttmem_default(), text.data(), text.size()));
}

// The chip that NO_DISPATCH simulates: "n150" (the default), "p150", ... Before begin_capture.
inline void set_chip(const std::string &name) { detail::check(ttmem_set_chip(ttmem_default(), name.c_str())); }

// Whether the NO_DISPATCH capture, so far or as a whole, would have fitted that chip.
inline ttmem_fit_result fit() {
    ttmem_fit_result result;
    detail::check(ttmem_fit(ttmem_default(), &result));
    return result;
}

}  // namespace MemoryUsageTracker

}  // namespace ttmem

#endif
