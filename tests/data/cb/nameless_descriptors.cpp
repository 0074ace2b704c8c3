// Descriptors in braces, without the names of their types.
// expect: 0 fixed 2048
// expect: 1 fixed 4096
// expect: 2 fixed 2048
// expect: 3+16 fixed 4096
// expect: 4 fixed 2048
// expect: 5 fixed 6144
// expect: 6 fixed 2048
#include "program_descriptors.hpp"

ProgramDescriptor designated(const CoreRangeSet& cores) {
    return ProgramDescriptor{
        .kernels = {},
        .cbs =
            {{
                {.total_size = 2048,
                 .core_ranges = cores,
                 .format_descriptors = {{{.buffer_index = 0, .data_format = tt::DataFormat::Float16_b, .page_size = 2048}}}},
                {.total_size = 2 * 2048,
                 .core_ranges = cores,
                 .format_descriptors = {{.buffer_index = 1, .data_format = tt::DataFormat::Float16_b, .page_size = 2048}}},
            }},
    };
}

ProgramDescriptor by_position(const CoreRangeSet& cores) {
    return {.cbs = {{2048, cores, {{2, tt::DataFormat::Float16_b, 2048}}},
                    {4096, cores, {{3, tt::DataFormat::Float16_b, 2048}, {16, tt::DataFormat::Float16_b, 2048}}}}};
}

void pushed(ProgramDescriptor& desc, const CoreRangeSet& cores) {
    desc.cbs.push_back(
        {.total_size = 2048,
         .core_ranges = cores,
         .format_descriptors = {{{.buffer_index = 4, .data_format = tt::DataFormat::Float16_b, .page_size = 2048}}}});
    desc.cbs.push_back({3 * 2048, cores, {{5, tt::DataFormat::Float16_b, 2048}}});
}

ProgramDescriptor assigned(const CoreRangeSet& cores) {
    ProgramDescriptor desc;
    desc.cbs = {{.total_size = 2048,
                 .core_ranges = cores,
                 .format_descriptors = {{.buffer_index = 6, .data_format = tt::DataFormat::Float16_b, .page_size = 2048}}}};
    return desc;
}
