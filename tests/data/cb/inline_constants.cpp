// expect: 0 fixed 4096
// expect: 1 fixed 4096
// expect: 16 fixed 2048
#include <tt-metalium/host_api.hpp>
using namespace tt::tt_metal;

constexpr uint32_t kInputTiles = 2;

void add_one_core() {
    Program program = CreateProgram();
    CoreCoord core = {0, 0};
    const uint32_t bytes_per_tile = sizeof(bfloat16) * tt::constants::TILE_HEIGHT * tt::constants::TILE_WIDTH;
    tt::DataFormat format = tt::DataFormat::Float16_b;
    CircularBufferConfig left = CircularBufferConfig(kInputTiles * bytes_per_tile, {{tt::CBIndex::c_0, format}})
                                    .set_page_size(tt::CBIndex::c_0, bytes_per_tile);
    CreateCircularBuffer(program, core, left);
    auto right = tt::tt_metal::CircularBufferConfig{kInputTiles * bytes_per_tile, {{CBIndex::c_1, format}}};
    right.set_page_size(CBIndex::c_1, bytes_per_tile);
    tt_metal::CreateCircularBuffer(program, core, right);
    const uint32_t out_index = tt::CBIndex::c_16;
    tt_metal::CreateCircularBuffer(
        program, core, CircularBufferConfig(bytes_per_tile, {{out_index, format}}).set_page_size(out_index, bytes_per_tile));
}
