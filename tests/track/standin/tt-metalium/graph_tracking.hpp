/* SPDX-License-Identifier: Apache-2.0 */
// A stand-in for the two interfaces of tt-metal that ttmem_metal.hpp implements, and for what they mention.
// TT_METAL_AGE: 2026 (default) or 2025, which lacks what came later.
#pragma once

#include <any>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#ifndef TT_METAL_AGE
#define TT_METAL_AGE 2026
#endif

#if TT_METAL_AGE >= 2026
#define TT_METAL_CORES_BEGIN namespace tt::tt_metal {
#define TT_METAL_CORES_END }
#else
#define TT_METAL_CORES_BEGIN
#define TT_METAL_CORES_END
#endif

TT_METAL_CORES_BEGIN
struct CoreCoord {
    std::size_t x, y;
};
struct CoreRange {
    CoreCoord start_coord, end_coord;
};
class CoreRangeSet {
   public:
    explicit CoreRangeSet(std::vector<CoreRange> ranges) : ranges_(std::move(ranges)) {}
    const std::vector<CoreRange> &ranges() const { return ranges_; }

   private:
    std::vector<CoreRange> ranges_;
};
TT_METAL_CORES_END

namespace tt::tt_metal {

enum class BufferType { DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE };

class IDevice {
   public:
    explicit IDevice(int id) : id_(id) {}
    virtual ~IDevice() = default;
    virtual int id() const { return id_; }

   private:
    int id_;
};

class Buffer {
   public:
    Buffer(IDevice *device, std::uint32_t address, std::uint64_t size, std::uint64_t page_size, BufferType type,
           std::optional<std::uint32_t> cores, std::uint64_t per_bank, std::size_t id)
        : device_(device),
          address_(address),
          size_(size),
          page_size_(page_size),
          type_(type),
          cores_(cores),
          per_bank_(per_bank),
          id_(id) {}
    IDevice *device() const { return device_; }
    std::uint32_t address() const { return address_; }
    std::uint64_t size() const { return size_; }
    std::uint64_t page_size() const { return page_size_; }
    BufferType buffer_type() const { return type_; }
#if TT_METAL_AGE >= 2026
    std::optional<std::uint32_t> num_cores() const { return cores_; }
    std::uint64_t aligned_size_per_bank() const { return per_bank_; }
    std::size_t unique_id() const { return id_; }
#endif

   protected:
    IDevice *device_;
    std::uint32_t address_;
    std::uint64_t size_, page_size_;
    BufferType type_;
    std::optional<std::uint32_t> cores_;
    std::uint64_t per_bank_;
    std::size_t id_;
};

class CircularBuffer {
   public:
    CircularBuffer(CoreRangeSet cores, std::size_t size, bool global)
        : cores_(std::move(cores)), size_(size), global_(global) {}
    const CoreRangeSet &core_ranges() const { return cores_; }
    std::size_t size() const { return size_; }
    bool globally_allocated() const { return global_; }

   private:
    CoreRangeSet cores_;
    std::size_t size_;
    bool global_;
};

class Program {
   public:
    std::vector<std::shared_ptr<CircularBuffer>> buffers;
    std::vector<std::shared_ptr<CircularBuffer>> circular_buffers() const { return buffers; }
};

#if TT_METAL_AGE >= 2026
struct TrackedArgument {
    std::any value;
    std::string (*to_string_fn)(const std::any &);
};
#endif

class IGraphProcessor {
   public:
    enum class RunMode { NORMAL, NO_DISPATCH };
#if TT_METAL_AGE >= 2026
    virtual bool is_capture_processor() const { return true; }
#endif
    virtual void track_allocate(const Buffer *) {}
    virtual void track_deallocate(Buffer *) {}
    virtual void track_allocate_cb(const CoreRangeSet &, uint64_t, uint64_t, bool, const IDevice *) {}
#if TT_METAL_AGE >= 2026
    virtual void track_allocate_dataflow_buffer(const CoreRangeSet &, uint64_t, uint64_t, bool, const IDevice *) {}
    virtual void track_allocate_scratchpad(const CoreRangeSet &, uint64_t, uint64_t, const IDevice *) {}
#endif
    virtual void track_deallocate_cb(const IDevice *) {}
    virtual void track_program(Program *, const IDevice *) {}
#if TT_METAL_AGE >= 2026
    virtual void track_function_start(std::string_view, std::span<TrackedArgument>) {}
#else
    virtual void track_function_start(std::string_view, std::span<std::any>) {}
#endif
    virtual void track_function_end() {}
    virtual void track_function_end(const std::any &) {}
    virtual void begin_capture(RunMode) {}
    virtual ~IGraphProcessor() = default;
};

namespace distributed {
class MeshBuffer;
}

class IGraphHooks {
   public:
    virtual bool hook_allocate(const Buffer *) = 0;
    virtual bool hook_deallocate(Buffer *) = 0;
    virtual bool hook_program(Program *) = 0;
    virtual bool hook_write_to_device(const Buffer *) = 0;
    virtual bool hook_read_from_device(Buffer *) = 0;
#if TT_METAL_AGE >= 2026
    virtual bool hook_write_to_device(const distributed::MeshBuffer *) = 0;
    virtual bool hook_read_from_device(const distributed::MeshBuffer *) = 0;
#endif
    virtual ~IGraphHooks() = default;
};

class GraphTracker {
   public:
    static GraphTracker &instance() {
        static GraphTracker tracker;
        return tracker;
    }
    void push_processor(const std::shared_ptr<IGraphProcessor> &processor) { processors.push_back(processor); }
    void pop_processor() { processors.pop_back(); }
    bool add_hook(const std::shared_ptr<IGraphHooks> &added) {
        if (hook) return false;
        hook = added;
        return true;
    }
    void clear_hook() { hook.reset(); }
    const std::vector<std::shared_ptr<IGraphProcessor>> &get_processors() const { return processors; }

    std::vector<std::shared_ptr<IGraphProcessor>> processors;
    std::shared_ptr<IGraphHooks> hook;
};

}  // namespace tt::tt_metal
