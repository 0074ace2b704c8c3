// A product of blocks: its buffers depend on the block sizes, on double buffering and on a format.
void matmul(Program& program, uint32_t in0_block_w, uint32_t per_core_M, uint32_t per_core_N) {
    const uint32_t double_buffer = 2;
    tt::DataFormat in_format = tt::DataFormat::Float16_b;
    uint32_t tile = tt::tile_size(in_format);
    uint32_t in0_tiles = per_core_M * in0_block_w * double_buffer;
    uint32_t in1_tiles = per_core_N * in0_block_w * 2;
    uint32_t out_tiles = per_core_M * per_core_N;
    CreateCircularBuffer(program, cores, CircularBufferConfig(in0_tiles * tile, {{0, in_format}}).set_page_size(0, tile));
    CreateCircularBuffer(program, cores, CircularBufferConfig(in1_tiles * tile, {{1, in_format}}).set_page_size(1, tile));
    CreateCircularBuffer(program, cores, CircularBufferConfig(out_tiles * 2048, {{16, tt::DataFormat::Float16_b}}).set_page_size(16, 2048));
}
