/* SPDX-License-Identifier: Apache-2.0 */
// Feeds a ttmem tracker from a running tt-metal program. Include this header in one file of the program, and link libttmem:
//
//     auto guard = ttmem::MemoryUsageTracker::begin_capture();
//     auto attached = ttmem::metal::attach();              // on the thread that dispatches
//     ... model ...
//     ttmem::MemoryUsageTracker::snapshot("MODEL_CREATION");
//
// It works with the IGraphProcessor and IGraphHooks of all tt-metal versions since early 2025. A method that a version does
// not have is a plain method that nothing calls there, which is why no method here says `override`.
#ifndef TTMEM_TTMEM_METAL_HPP
#define TTMEM_TTMEM_METAL_HPP

#include <any>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <tt-metalium/graph_tracking.hpp>

#if __has_include(<tt-metalium/device.hpp>)
#include <tt-metalium/device.hpp>
#endif
#if __has_include(<tt-metalium/program.hpp>)
#include <tt-metalium/program.hpp>
#endif
#if __has_include(<tt-metalium/circular_buffer.hpp>)
#include <tt-metalium/circular_buffer.hpp>
#endif
#if __has_include(<nlohmann/json.hpp>)
#include <nlohmann/json.hpp>
#define TTMEM_METAL_HAS_JSON 1
#endif

#include "ttmem/ttmem.h"
#include "ttmem/ttmem.hpp"

namespace tt::tt_metal::distributed {
class MeshBuffer;
}

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winconsistent-missing-override"
#pragma clang diagnostic ignored "-Wsuggest-override"
#elif defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsuggest-override"
#endif

namespace ttmem::metal {

namespace detail {

// The span of arguments of a function: std::any before 2026-02, TrackedArgument since.
template <typename>
struct second_argument;
template <typename Class, typename First, typename Second>
struct second_argument<void (Class::*)(First, Second)> {
    using type = Second;
};
using Arguments = second_argument<decltype(&tt::tt_metal::IGraphProcessor::track_function_start)>::type;

// Cores: in the global namespace before 2026, in tt::tt_metal since.
template <typename>
struct first_argument;
template <typename Class, typename First, typename... Rest>
struct first_argument<void (Class::*)(const First &, Rest...)> {
    using type = First;
};
using Cores = first_argument<decltype(&tt::tt_metal::IGraphProcessor::track_allocate_cb)>::type;

template <typename Number>
std::uint64_t number(const std::optional<Number> &value) {
    return value ? static_cast<std::uint64_t>(*value) : 0;
}
template <typename Number>
std::uint64_t number(const Number &value) {
    return static_cast<std::uint64_t>(value);
}

// Properties that not every version of Buffer has.
template <typename B>
auto size_per_bank(const B &buffer, int) -> decltype(static_cast<std::uint64_t>(buffer.aligned_size_per_bank())) {
    return static_cast<std::uint64_t>(buffer.aligned_size_per_bank());
}
template <typename B>
std::uint64_t size_per_bank(const B &, long) {
    return 0;
}
template <typename B>
auto unique_id(const B &buffer, int) -> decltype(static_cast<std::uint64_t>(buffer.unique_id())) {
    return static_cast<std::uint64_t>(buffer.unique_id()) + 1;  // 0 names no buffer
}
template <typename B>
std::uint64_t unique_id(const B &buffer, long) {
    return reinterpret_cast<std::uintptr_t>(&buffer);
}
template <typename B>
auto num_cores(const B &buffer, int) -> decltype(number(buffer.num_cores())) {
    return number(buffer.num_cores());
}
template <typename B>
std::uint64_t num_cores(const B &, long) {
    return 0;
}

template <typename Device>
std::uint64_t device_id(const Device *device) {
    return device ? static_cast<std::uint64_t>(device->id()) : 0;
}

template <typename Ranges>
std::vector<ttmem_core_range> core_ranges(const Ranges &set) {
    std::vector<ttmem_core_range> ranges;
    for (const auto &range : set.ranges())
        ranges.push_back({static_cast<std::uint16_t>(range.start_coord.x), static_cast<std::uint16_t>(range.start_coord.y),
                          static_cast<std::uint16_t>(range.end_coord.x), static_cast<std::uint16_t>(range.end_coord.y)});
    return ranges;
}

}  // namespace detail

// Listens to tt-metal's graph tracker. Events outside of a capture are ignored by the tracker.
class Processor : public tt::tt_metal::IGraphProcessor {
   public:
    using RunMode = tt::tt_metal::IGraphProcessor::RunMode;

    explicit Processor(ttmem_tracker *tracker = ttmem_default(), RunMode mode = RunMode::NORMAL)
        : tracker_(tracker), mode_(mode) {}

    // True tells tt-metal that a graph capture is running (GraphTracker::is_enabled). In NORMAL this only listens, so it is
    // false. In NO_DISPATCH nothing is allocated or dispatched, as in a capture of ttnn in that mode, and tt-metal is told so.
    bool is_capture_processor() const { return mode_ == RunMode::NO_DISPATCH; }

    void track_allocate(const tt::tt_metal::Buffer *buffer) {
        ttmem_buffer event = describe(*buffer);
        ttmem_buffer_allocate(tracker_, &event, nullptr);
    }

    void track_deallocate(tt::tt_metal::Buffer *buffer) {
        ttmem_buffer event = describe(*buffer);
        ttmem_buffer_deallocate(tracker_, &event);
    }

    void track_allocate_cb(const detail::Cores &cores, std::uint64_t address, std::uint64_t size, bool is_globally_allocated,
                           const tt::tt_metal::IDevice *device) {
        program_memory(ttmem_circular_buffer_allocate, cores, address, size, is_globally_allocated, device);
    }

    void track_allocate_dataflow_buffer(const detail::Cores &cores, std::uint64_t address, std::uint64_t size,
                                        bool borrows_memory, const tt::tt_metal::IDevice *device) {
        program_memory(ttmem_dataflow_buffer_allocate, cores, address, size, borrows_memory, device);
    }

    void track_allocate_scratchpad(const detail::Cores &cores, std::uint64_t address, std::uint64_t size,
                                   const tt::tt_metal::IDevice *device) {
        program_memory(ttmem_scratchpad_allocate, cores, address, size, false, device);
    }

    void track_deallocate_cb(const tt::tt_metal::IDevice *device) {
        ttmem_program_release(tracker_, detail::device_id(device));
    }

    // A program replaces the one before. When it runs, its circular buffers are reported one by one; in NO_DISPATCH it does not
    // run.
    void track_program(tt::tt_metal::Program *program, const tt::tt_metal::IDevice *device) {
        track_deallocate_cb(device);
        if (mode_ == RunMode::NO_DISPATCH && program) add_circular_buffers(*program, device);
    }

    void track_function_start(std::string_view name, detail::Arguments) {
        ttmem_function_start(tracker_, std::string(name).c_str());
    }
    void track_function_end() { ttmem_function_end(tracker_); }
    void track_function_end(const std::any &) { ttmem_function_end(tracker_); }

    void begin_capture(RunMode mode) {
        mode_ = mode;
        ttmem_begin_capture(tracker_, mode == RunMode::NO_DISPATCH ? TTMEM_NO_DISPATCH : TTMEM_NORMAL);
    }
#ifdef TTMEM_METAL_HAS_JSON
    nlohmann::json end_capture() {
        ttmem_end_capture(tracker_, nullptr);
        return nullptr;
    }
#endif

   private:
    static ttmem_buffer describe(const tt::tt_metal::Buffer &buffer) {
        ttmem_buffer event{};
        event.device = detail::device_id(buffer.device());
        event.type = static_cast<ttmem_buffer_type>(static_cast<int>(buffer.buffer_type()));
        event.address = static_cast<std::uint64_t>(buffer.address());
        event.id = detail::unique_id(buffer, 0);
        event.size = static_cast<std::uint64_t>(buffer.size());
        event.page_size = static_cast<std::uint64_t>(buffer.page_size());
        event.size_per_bank = detail::size_per_bank(buffer, 0);
        event.num_cores = detail::num_cores(buffer, 0);
        return event;
    }

    template <typename Feed>
    void program_memory(Feed feed, const detail::Cores &cores, std::uint64_t address, std::uint64_t size, bool borrowed,
                        const tt::tt_metal::IDevice *device) {
        std::vector<ttmem_core_range> ranges = detail::core_ranges(cores);
        ttmem_program_memory event{};
        event.device = detail::device_id(device);
        event.address = address;
        event.size = size;
        event.ranges = ranges.data();
        event.ranges_len = ranges.size();
        event.borrowed = borrowed;
        feed(tracker_, &event);
    }

    template <typename Program>
    void add_circular_buffers(const Program &program, const tt::tt_metal::IDevice *device) {
        for (const auto &cb : program.circular_buffers())
            track_allocate_cb(cb->core_ranges(), 0, static_cast<std::uint64_t>(cb->size()), cb->globally_allocated(), device);
    }

    ttmem_tracker *tracker_;
    RunMode mode_;
};

// Keeps tt-metal from allocating and running anything: NO_DISPATCH.
class Hooks : public tt::tt_metal::IGraphHooks {
   public:
    bool hook_allocate(const tt::tt_metal::Buffer *) { return true; }
    bool hook_deallocate(tt::tt_metal::Buffer *) { return true; }
    bool hook_program(tt::tt_metal::Program *) { return true; }
    bool hook_write_to_device(const tt::tt_metal::Buffer *) { return true; }
    bool hook_write_to_device(const tt::tt_metal::distributed::MeshBuffer *) { return true; }
    bool hook_read_from_device(tt::tt_metal::Buffer *) { return true; }
    bool hook_read_from_device(const tt::tt_metal::distributed::MeshBuffer *) { return true; }
};

namespace detail {

// tt-metal removes only the processor that was added last, and others may have been added since: its own memory tracking when
// the first device is opened, or a capture of ttnn. These are put back in their order. One that was removed stays removed.
inline void remove_processor(const std::shared_ptr<tt::tt_metal::IGraphProcessor> &own) {
    auto &tracker = tt::tt_metal::GraphTracker::instance();
    const auto all = tracker.get_processors();
    auto keep = all.size();
    for (std::size_t i = 0; i < all.size(); i++)
        if (all[i] == own) keep = i;
    for (std::size_t i = keep; i < all.size(); i++) tracker.pop_processor();
    for (std::size_t i = keep + 1; i < all.size(); i++) tracker.push_processor(all[i]);
}

}  // namespace detail

// Registers a Processor with the graph tracker of this thread, and in NO_DISPATCH the Hooks, until the returned guard ends; it
// must end on the same thread. Processors that others add or remove in the meantime are not affected.
[[nodiscard]] inline ScopeGuard attach(Processor::RunMode mode = Processor::RunMode::NORMAL,
                                       ttmem_tracker *tracker = ttmem_default()) {
    auto &graph_tracker = tt::tt_metal::GraphTracker::instance();
    if (mode == Processor::RunMode::NO_DISPATCH && !graph_tracker.add_hook(std::make_shared<Hooks>()))
        throw std::runtime_error("ttmem: tt-metal's graph tracker already has a hook");
    std::shared_ptr<tt::tt_metal::IGraphProcessor> own = std::make_shared<Processor>(tracker, mode);
    graph_tracker.push_processor(own);
    return ScopeGuard([mode, own] {
        detail::remove_processor(own);
        if (mode == Processor::RunMode::NO_DISPATCH) tt::tt_metal::GraphTracker::instance().clear_hook();
    });
}

}  // namespace ttmem::metal

#if defined(__clang__)
#pragma clang diagnostic pop
#elif defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif
