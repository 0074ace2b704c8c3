// One configuration serves several buffers: made again on other cores, changed and made again, or copied.
// expect: 0 fixed 8192
// expect: 0 fixed 8192
// expect: 0 fixed 16384
// expect: 1 fixed 4096
// expect: 2 fixed 4096
// expect: 3 fixed 2048
// expect: 4 fixed 6144
// expect: 5 fixed 6144
#include "host_api.hpp"

void reused(Program& program, const CoreRange& readers, const CoreRange& writers, const CoreRange& others) {
    auto config = CircularBufferConfig(4 * 2048, {{0, tt::DataFormat::Float16_b}}).set_page_size(0, 2048);
    CreateCircularBuffer(program, readers, config);
    CreateCircularBuffer(program, writers, config);
    config.set_total_size(8 * 2048);
    CreateCircularBuffer(program, others, config);
}

ProgramDescriptor described(const CoreRangeSet& cores) {
    ProgramDescriptor desc;
    CBDescriptor buffer;
    buffer.total_size = 2 * 2048;
    buffer.core_ranges = cores;
    buffer.format_descriptors.push_back(
        CBFormatDescriptor{.buffer_index = 1, .data_format = tt::DataFormat::Float16_b, .page_size = 2048});
    desc.cbs.push_back(buffer);
    buffer.format_descriptors[0].buffer_index = 2;
    desc.cbs.push_back(buffer);
    CBDescriptor smaller = buffer;
    smaller.total_size = 2048;
    smaller.format_descriptors[0].buffer_index = 3;
    desc.cbs.push_back(smaller);
    CBDescriptor larger = smaller;
    larger.total_size = 3 * 2048;
    larger.format_descriptors[0].buffer_index = 4;
    std::vector<CBDescriptor> more = {larger};
    larger.format_descriptors[0].buffer_index = 5;
    more.push_back(larger);
    desc.cbs = more;
    return desc;
}
