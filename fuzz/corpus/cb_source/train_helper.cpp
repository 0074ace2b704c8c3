// expect: 0 adaptive ?
// expect: 1 fixed 2048
// expect: 5 fixed 8192
// expect: 6 fixed 256
#include "metal/common/program_utils.hpp"
constexpr auto kInputIndex = tt::CBIndex::c_0;
constexpr auto kMaskIndex = tt::CBIndex::c_1;
constexpr auto kSumIndex = tt::CBIndex::c_5;
constexpr uint32_t kMaskTiles = 1U;
constexpr uint32_t kSumTiles = 2U;

void NormFactory::create(const Tensor& input) {
    tt::tt_metal::Program program{};
    uint32_t Wt = input.padded_shape()[-1] / tt::constants::TILE_WIDTH;
    const uint32_t half_tile = tt::tile_size(tt::DataFormat::Float16_b);
    const uint32_t whole_tile = tt::tile_size(tt::DataFormat::Float32);
    create_circular_buffer(program, all_cores, kInputIndex, tt::DataFormat::Float16_b, half_tile, 2U * Wt);
    create_circular_buffer(program, all_cores, kMaskIndex, tt::DataFormat::Float16_b, half_tile, kMaskTiles);
    [[maybe_unused]] auto sum = create_circular_buffer(program, all_cores, kSumIndex, tt::DataFormat::Float32, whole_tile, kSumTiles);
    create_circular_buffer_bytes(program, all_cores, tt::CBIndex::c_6, tt::DataFormat::UInt32, 4 * 64);
}
