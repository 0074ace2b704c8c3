// expect: 0 adaptive ?
// expect: 16+24 adaptive ?
// expect: 3+4+5 fixed 2048
#include <map>
#include "sizes.hpp"

void build(Program& program, const CoreRangeSet& cores) {
    auto params = pick_block_sizes(640, 640);
    uint32_t per_core_m = std::get<0>(params);
    uint32_t per_core_n = std::get<1>(params);
    uint32_t page = tt::tile_size(tt::DataFormat::Float16_b);
    uint32_t in_bytes = per_core_m * 2 * page;
    uint32_t out_bytes = per_core_m * per_core_n * page;
    CircularBufferConfig in_config = CircularBufferConfig(in_bytes, {{0, tt::DataFormat::Float16_b}}).set_page_size(0, page);
    CreateCircularBuffer(program, cores, in_config);

    uint32_t out_index = tt::CBIndex::c_16;
    uint32_t partials_index = 24;
    std::map<uint8_t, tt::DataFormat> spec{{out_index, tt::DataFormat::Float16_b}, {partials_index, tt::DataFormat::Float16_b}};
    CircularBufferConfig out_config(out_bytes, spec);
    out_config.set_page_size(out_index, page).set_page_size(partials_index, page);
    CreateCircularBuffer(program, cores, out_config);

    constexpr uint32_t row = 64, rows = 64 / (sizeof(uint32_t) / sizeof(bfloat16));
    std::map<uint8_t, tt::DataFormat> views;
    for (uint32_t view = 3; view <= 5; ++view) {
        views[view] = tt::DataFormat::UInt32;
    }
    auto view_config = CircularBufferConfig(rows * row, views).set_page_size(3, row).set_page_size(4, row).set_page_size(5, 4);
    CreateCircularBuffer(program, cores, view_config);
}
