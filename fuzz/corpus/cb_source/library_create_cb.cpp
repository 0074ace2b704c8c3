// expect: 0 adaptive ?
// expect: 1 fixed ?
// expect: 2+3 fixed 8192
// expect: 4 adaptive ?
// expect: 5 fixed 2048
// expect: 5 tensor-backed 0
#include "ttnn/operations/cb_utils.hpp"

void build(Program& program, const Config& config, const Tensor& input) {
    const uint32_t double_buffered = 2;
    uint32_t block_tiles = config.m_block * config.k_block;
    tt::DataFormat format = datatype_to_dataformat_converter(input.dtype());
    uint32_t tile = tt::tile_size(format);
    tt::tt_metal::create_cb(tt::CBIndex::c_0, program, grid, tile, block_tiles * double_buffered, format);
    tt::tt_metal::create_cb(tt::CBIndex::c_1, program, grid, tile, double_buffered, format);
    uint32_t pair[] = {tt::CBIndex::c_2, tt::CBIndex::c_3};
    auto [ids, handle] = create_cb(pair, program, grid, 4096, 2, tt::DataFormat::Float32);
    if (config.use_bias) {
        uint32_t bias_index = tt::CBIndex::c_4;
        create_cb(bias_index, program, grid, tile, config.k_block, format);
    }
    if (input.is_sharded()) {
        create_cb(tt::CBIndex::c_5, program, grid, 2048, 1, tt::DataFormat::Float16_b, input.buffer());
    } else {
        create_cb(tt::CBIndex::c_5, program, grid, 2048, 1, tt::DataFormat::Float16_b);
    }
}
