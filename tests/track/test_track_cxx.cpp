/* SPDX-License-Identifier: Apache-2.0 */
// ttmem.hpp: the seed example of a training loop, guards, errors.
#include <string>

#include "check.hpp"
#include "ttmem/ttmem.hpp"

static void allocate(uint64_t address, uint64_t size, ttmem_buffer_type type = TTMEM_DRAM) {
    ttmem_buffer buffer{};
    buffer.type = type;
    buffer.address = address;
    buffer.size = size;
    buffer.page_size = 2048;
    ttmem_buffer_allocate(ttmem_default(), &buffer, nullptr);
}

static void deallocate(uint64_t address) {
    ttmem_buffer buffer{};
    buffer.address = address;
    ttmem_buffer_deallocate(ttmem_default(), &buffer);
}

// The example of the training documentation, namespaces changed.
static void the_training_example_runs() {
    ttmem::ScopeGuard guard = ttmem::MemoryUsageTracker::begin_capture();

    allocate(1 << 20, 1863 << 20);
    ttmem::MemoryUsageTracker::snapshot("MODEL_CREATION");

    allocate(uint64_t(3) << 30, uint64_t(3708) << 20);
    ttmem::MemoryUsageTracker::snapshot("OPTIMIZER_CREATION");

    allocate(uint64_t(8) << 30, 996 << 20);
    deallocate(uint64_t(8) << 30);
    allocate(uint64_t(8) << 30, 192 << 20);
    ttmem::MemoryUsageTracker::snapshot("FORWARD_PASS");
    ttmem::MemoryUsageTracker::snapshot("BACKWARD_PASS");

    ttmem::MemoryUsageTracker::end_capture("ITERATION_COMPLETE");
    ttmem::MemoryUsageTracker::print_memory_usage();

    CHECK_EQUAL(ttmem::MemoryUsageTracker::get_trace_names().size(), 5u);
    CHECK_EQUAL(ttmem::MemoryUsageTracker::get_dram_usage("FORWARD_PASS").peak, 996LL << 20);
    CHECK_EQUAL(ttmem::MemoryUsageTracker::get_dram_usage("FORWARD_PASS").total_deallocations, 996LL << 20);
    CHECK_EQUAL(ttmem::MemoryUsageTracker::get_dram_usage_all().back().first, std::string("ITERATION_COMPLETE"));
    std::string summary = ttmem::MemoryUsageTracker::summary();
    CHECK(summary.find("--- OPTIMIZER_CREATION ---\n  DRAM: Segment Peak 3708.00 MB") != std::string::npos);
    CHECK(summary.find("Overall DRAM Peak: 6567.00 MB, Final DRAM Usage: 5763.00 MB\n\n") != std::string::npos);
    ttmem::MemoryUsageTracker::clear();
}

static void a_guard_ends_and_clears() {
    {
        ttmem::ScopeGuard guard = ttmem::MemoryUsageTracker::begin_capture(ttmem::IGraphProcessor::RunMode::NO_DISPATCH);
        ttmem::MemoryUsageTracker::snapshot("one");
        ttmem::ScopeGuard moved = std::move(guard);
        CHECK_EQUAL(ttmem_is_active(ttmem_default()), 1);
    }
    CHECK_EQUAL(ttmem_is_active(ttmem_default()), 0);
    CHECK_EQUAL(ttmem::MemoryUsageTracker::get_trace_names().size(), 0u);
    {
        ttmem::ScopeGuard guard = ttmem::MemoryUsageTracker::begin_capture();
        ttmem::MemoryUsageTracker::end_capture();
        guard.release();
    }
    CHECK_EQUAL(ttmem::MemoryUsageTracker::get_trace_names().at(0), std::string("END_TRACE"));
    ttmem::MemoryUsageTracker::clear();
}

template <typename Action>
static std::string error_of(Action action) {
    try {
        action();
    } catch (const std::runtime_error &error) {
        return error.what();
    }
    return "nothing thrown";
}

static void failures_throw_the_texts_of_tt_train() {
    using namespace ttmem;
    CHECK_EQUAL(error_of([] { MemoryUsageTracker::snapshot("x"); }),
                std::string("MemoryUsageTracker: Cannot snapshot - capture is not active"));
    ScopeGuard guard = MemoryUsageTracker::begin_capture();
    CHECK_EQUAL(error_of([] { ScopeGuard second = MemoryUsageTracker::begin_capture(); }),
                std::string("MemoryUsageTracker: Capture already active"));
    MemoryUsageTracker::snapshot("repeated");
    MemoryUsageTracker::snapshot("repeated");
    MemoryUsageTracker::snapshot("unique");
    CHECK_EQUAL(error_of([] { MemoryUsageTracker::get_dram_usage("x"); }),
                std::string("MemoryUsageTracker: Trace 'x' not found"));
    CHECK_EQUAL(error_of([] { MemoryUsageTracker::get_l1_usage("repeated"); }),
                std::string("MemoryUsageTracker: Trace 'repeated' is ambiguous (2 segments share this name); "
                            "use get_dram_usage_all()/get_l1_usage_all() instead"));
    CHECK_EQUAL(error_of([] { MemoryUsageTracker::get_dram_usage("unique"); }), std::string("nothing thrown"));
}

int main() {
    return run_tests({{"the_training_example_runs", the_training_example_runs},
                      {"a_guard_ends_and_clears", a_guard_ends_and_clears},
                      {"failures_throw_the_texts_of_tt_train", failures_throw_the_texts_of_tt_train}});
}
