// expect: 0 fixed 8192
// expect: 1 fixed 8192
// expect: 16 fixed 16384
CBHandle make_buffer(Program& program, const CoreSpec& core, tt::CBIndex index, uint32_t bytes, uint32_t page, tt::DataFormat format) {
    CircularBufferConfig config = CircularBufferConfig(bytes, {{index, format}}).set_page_size(index, page);
    return CreateCircularBuffer(program, core, config);
}

CBHandle make_bf16_buffer(Program& program, const CoreSpec& core, tt::CBIndex index, uint32_t tiles) {
    constexpr uint32_t tile = sizeof(bfloat16) * tt::constants::TILE_HW;
    return make_buffer(program, core, index, tiles * tile, tile, tt::DataFormat::Float16_b);
}

int main(int argc, char** argv) {
    Program program = CreateProgram();
    CoreCoord core = {0, 0};
    const uint32_t tiles = 4;
    make_bf16_buffer(program, core, tt::CBIndex::c_0, tiles);
    make_bf16_buffer(program, core, tt::CBIndex::c_1, tiles);
    make_bf16_buffer(program, core, tt::CBIndex::c_16, 2 * tiles);
}
