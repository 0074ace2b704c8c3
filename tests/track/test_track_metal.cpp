/* SPDX-License-Identifier: Apache-2.0 */
// ttmem_metal.hpp against a stand-in of tt-metal's interfaces.
#include "check.hpp"
#include "ttmem/ttmem_metal.hpp"

namespace metal = tt::tt_metal;
using metal::Buffer;
using metal::BufferType;
#if TT_METAL_AGE >= 2026
using metal::CoreRange;
using metal::CoreRangeSet;
#endif

static metal::IGraphProcessor &processor() { return *metal::GraphTracker::instance().processors.back(); }

static void events_reach_the_tracker() {
    ttmem::ScopeGuard guard = ttmem::MemoryUsageTracker::begin_capture();
    ttmem::ScopeGuard attached = ttmem::metal::attach();
    metal::IDevice device(1), chip(0);
    Buffer weights(&device, 1 << 20, 2097152, 2048, BufferType::DRAM, std::nullopt, 176128, 7);
    Buffer output(&device, 1400000, 65536, 2048, BufferType::L1, std::nullopt, 2048, 8);
    processor().track_function_start("ttnn::matmul", {});
    processor().track_allocate(&weights);
    processor().track_allocate(&output);
    processor().track_program(nullptr, &device);
    CoreRangeSet left({CoreRange{{0, 0}, {3, 7}}}), right({CoreRange{{4, 0}, {7, 7}}});
    processor().track_allocate_cb(left, 105664, 4096, false, &chip);
    processor().track_allocate_cb(right, 105664, 8192, false, &chip);
    processor().track_allocate_cb(left, 1400000, 2048, true, &chip);
    processor().track_function_end(std::any(1));
    processor().track_deallocate(&output);
    processor().track_deallocate(&weights);
    ttmem::MemoryUsageTracker::snapshot("MATMUL");
    ttmem::DRAMUsage dram = ttmem::MemoryUsageTracker::get_dram_usage("MATMUL");
    CHECK_EQUAL(dram.peak, 2097152);
    CHECK_EQUAL(dram.total_deallocations, 2097152);
    ttmem::L1UsagePerCore l1 = ttmem::MemoryUsageTracker::get_l1_usage("MATMUL");
    CHECK_EQUAL(l1.peak_cb, 8192u);  // disjoint cores do not add up
#if TT_METAL_AGE >= 2026
    CHECK_EQUAL(l1.peak_total, 8192u + 2048u);
#endif
    CHECK(ttmem::MemoryUsageTracker::json().find("\"peak_function\":\"ttnn::matmul\"") != std::string::npos);
}

#if TT_METAL_AGE >= 2026
static void dataflow_buffers_and_scratchpads_are_counted_apart() {
    ttmem::ScopeGuard guard = ttmem::MemoryUsageTracker::begin_capture();
    ttmem::ScopeGuard attached = ttmem::metal::attach();
    metal::IDevice device(0);
    CoreRangeSet cores({CoreRange{{0, 0}, {7, 7}}});
    processor().track_allocate_cb(cores, 0, 1024, false, &device);
    processor().track_allocate_dataflow_buffer(cores, 0, 2048, false, &device);
    processor().track_allocate_dataflow_buffer(cores, 0, 4096, true, &device);
    processor().track_allocate_scratchpad(cores, 0, 512, &device);
    ttmem::MemoryUsageTracker::snapshot("PROGRAM");
    ttmem::L1UsagePerCore l1 = ttmem::MemoryUsageTracker::get_l1_usage("PROGRAM");
    CHECK_EQUAL(l1.peak_cb, 1024u);
    CHECK_EQUAL(l1.peak_dataflow_buffer, 2048u);
    CHECK_EQUAL(l1.peak_scratchpad, 512u);
    CHECK_EQUAL(l1.peak_total, 3584u);
    CHECK(!processor().is_capture_processor());
}
#endif

static void no_dispatch_takes_circular_buffers_from_the_program() {
    ttmem::ScopeGuard guard = ttmem::MemoryUsageTracker::begin_capture(metal::IGraphProcessor::RunMode::NO_DISPATCH);
    {
        ttmem::ScopeGuard attached = ttmem::metal::attach(metal::IGraphProcessor::RunMode::NO_DISPATCH);
        metal::IDevice device(0);
        metal::IGraphHooks &hook = *metal::GraphTracker::instance().hook;
        Buffer huge(&device, 0, std::uint64_t(1) << 40, 2048, BufferType::DRAM, std::nullopt, 0, 1);
        CHECK(hook.hook_allocate(&huge) && hook.hook_program(nullptr) && hook.hook_write_to_device(&huge));
        processor().track_allocate(&huge);
        metal::Program program;
        CoreRangeSet cores({CoreRange{{0, 0}, {7, 7}}});
        for (std::size_t size : {4096, 4096})
            program.buffers.push_back(std::make_shared<metal::CircularBuffer>(cores, size, false));
        program.buffers.push_back(std::make_shared<metal::CircularBuffer>(cores, 65536, true));
        processor().track_program(&program, &device);
        processor().track_program(&program, &device);  // programs do not stack
    }
    CHECK(metal::GraphTracker::instance().processors.empty() && !metal::GraphTracker::instance().hook);
    ttmem::MemoryUsageTracker::snapshot("HUGE");
    CHECK_EQUAL(ttmem::MemoryUsageTracker::get_l1_usage("HUGE").peak_cb, 8192u);
    CHECK_EQUAL(ttmem::MemoryUsageTracker::get_dram_usage("HUGE").peak, 1LL << 40);
    CHECK_EQUAL(ttmem::MemoryUsageTracker::fit().failures, 1u);  // a terabyte does not fit a 12 GB board
}

static void only_its_own_processor_is_removed() {
    auto &tracker = metal::GraphTracker::instance();
    auto before = std::make_shared<metal::IGraphProcessor>(), after = std::make_shared<metal::IGraphProcessor>();
    tracker.push_processor(before);
    {
        ttmem::ScopeGuard attached = ttmem::metal::attach();
        tracker.push_processor(after);  // as tt-metal does when the first device opens
        CHECK_EQUAL(tracker.processors.size(), 3u);
    }
    CHECK_EQUAL(tracker.processors.size(), 2u);
    CHECK(tracker.processors[0] == before && tracker.processors[1] == after);
    {
        ttmem::ScopeGuard attached = ttmem::metal::attach();
        tracker.processors.clear();  // GraphTracker::clear()
        tracker.push_processor(after);
    }
    CHECK_EQUAL(tracker.processors.size(), 1u);
    tracker.processors.clear();
}

int main() {
    return run_tests({
        {"events_reach_the_tracker", events_reach_the_tracker},
            {"only_its_own_processor_is_removed", only_its_own_processor_is_removed},
#if TT_METAL_AGE >= 2026
            {"dataflow_buffers_and_scratchpads_are_counted_apart", dataflow_buffers_and_scratchpads_are_counted_apart},
#endif
        {
            "no_dispatch_takes_circular_buffers_from_the_program", no_dispatch_takes_circular_buffers_from_the_program
        }
    });
}
