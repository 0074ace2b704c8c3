void add_shards(Program& program, const CoreRangeSet& cores, uint32_t tiles_per_shard, uint32_t r_tiles) {
    uint32_t cb0_tiles, cb1_tiles;
    if (tiles_per_shard > 16 || r_tiles > 16) {
        cb0_tiles = 2;
        cb1_tiles = 2;
    } else {
        cb0_tiles = std::min(6u, tiles_per_shard + 2);
        cb1_tiles = std::min(r_tiles, 6u);
    }
    constexpr uint32_t tile = 4096;
    auto config = [&](uint32_t index, uint32_t tiles) {
        return CircularBufferConfig(tiles * tile, {{index, tt::DataFormat::Float32}}).set_page_size(index, tile);
    };
    CreateCircularBuffer(program, cores, config(0, cb0_tiles));
    CreateCircularBuffer(program, cores, config(1, cb1_tiles));
    CreateCircularBuffer(program, cores, config(2, 2));
    CreateCircularBuffer(program, cores, config(16, 2));
    CreateKernel(program, "kernels/reader.cpp", cores, ReaderDataMovementConfig({0, 1}));
    CreateKernel(program, "kernels/add.cpp", cores, ComputeConfig{.compile_args = {0, 1, 16}});
    CreateKernel(program, "kernels/writer.cpp", cores, WriterDataMovementConfig({16}));
}
