// expect: 0 adaptive ?
// expect: 2 fixed ?
// expect: 7 adaptive ?
namespace {
constexpr uint32_t kInIndex = tt::CBIndex::c_0;
constexpr uint32_t kOnesIndex = tt::CBIndex::c_2;
constexpr uint32_t kOutIndex = tt::CBIndex::c_7;

struct Mode {
    uint32_t buffering;
    uint32_t block;
};

Mode choose_mode(uint32_t width_tiles, uint32_t tile, IDevice* device) {
    const uint32_t room = device->l1_size_per_core();
    if (width_tiles * tile < room) {
        return {2, width_tiles};
    }
    return {1, 4};
}

void shape_of(const Tensor& tensor, uint32_t& width_tiles, tt::DataFormat& format, uint32_t& tile) {
    width_tiles = tt::div_up(tensor.logical_shape()[-1], 32);
    format = datatype_to_dataformat_converter(tensor.dtype());
    tile = tt::tile_size(format);
}
}  // namespace

Factory::cached_program_t Factory::create(const Params& params, const Tensor& input, Tensor& output) {
    Program program = CreateProgram();
    uint32_t width_tiles;
    tt::DataFormat format;
    uint32_t tile;
    shape_of(input, width_tiles, format, tile);
    const auto [buffering, block] = choose_mode(width_tiles, tile, input.device());
    const uint32_t block_bytes = buffering * block * tile;
    auto in = CircularBufferConfig(block_bytes, {{kInIndex, format}}).set_page_size(kInIndex, tile);
    CreateCircularBuffer(program, params.cores, in);
    auto ones = CircularBufferConfig(tile, {{kOnesIndex, format}}).set_page_size(kOnesIndex, tile);
    CreateCircularBuffer(program, params.cores, ones);
    auto out = CircularBufferConfig(block_bytes, {{kOutIndex, format}}).set_page_size(kOutIndex, tile);
    CreateCircularBuffer(program, params.cores, out);
}
