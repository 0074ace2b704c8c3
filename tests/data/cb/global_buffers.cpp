// The memory of a global circular buffer is not the program's.
// expect: 31 fixed 0
// expect: 31+0 fixed 0
// expect: 1 fixed 0
// expect: 2 fixed 2048
#include "global_circular_buffer.hpp"

void with_global(Program& program, const CoreRangeSet& cores, const CoreRangeSet& receivers, const GlobalCircularBuffer& global) {
    constexpr uint32_t page = 2048;
    CircularBufferConfig sender(4 * page);
    sender.remote_index(31).set_page_size(page).set_data_format(tt::DataFormat::Float16_b);
    experimental::CreateCircularBuffer(program, cores, sender, global);
    CircularBufferConfig receiver(4 * page);
    receiver.remote_index(31).set_page_size(page).set_data_format(tt::DataFormat::Float16_b);
    receiver.index(0).set_page_size(page).set_data_format(tt::DataFormat::Float16_b);
    experimental::CreateCircularBuffer(program, receivers, receiver, global);
}

ProgramDescriptor described(const CoreRangeSet& cores, GlobalCircularBuffer* global) {
    ProgramDescriptor desc;
    desc.cbs.push_back(CBDescriptor{
        .total_size = 4096,
        .core_ranges = cores,
        .format_descriptors = {{CBFormatDescriptor{
            .buffer_index = 1, .data_format = tt::DataFormat::Float16_b, .page_size = 2048}}},
        .global_circular_buffer = global});
    desc.cbs.push_back(CBDescriptor{
        .total_size = 2048,
        .core_ranges = cores,
        .format_descriptors = {{CBFormatDescriptor{
            .buffer_index = 2, .data_format = tt::DataFormat::Float16_b, .page_size = 2048}}},
        .global_circular_buffer = nullptr});
    return desc;
}
