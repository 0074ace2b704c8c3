// expect: 0 tensor-backed 0
// expect: 1 tensor-backed 0
// expect: 2 adaptive ?
// expect: 3 tensor-backed 0
CBHandle shard_buffer(Program& program, const CoreSpec& cores, uint32_t index, uint32_t tiles, const std::shared_ptr<MeshBuffer>& memory) {
    constexpr uint32_t tile = sizeof(bfloat16) * tt::constants::TILE_HW;
    CircularBufferConfig config = CircularBufferConfig(tiles * tile, {{index, tt::DataFormat::Float16_b}})
                                      .set_page_size(index, tile)
                                      // the shard itself is the buffer
                                      .set_globally_allocated_address(*(memory->get_backing_buffer()));
    return CreateCircularBuffer(program, cores, config);
}

void build(MeshDevice* device, size_t tiles_per_core) {
    Program program = CreateProgram();
    auto cores = device->all_cores();
    auto a = make_tensor(device), b = make_tensor(device);
    shard_buffer(program, cores, tt::CBIndex::c_0, tiles_per_core, a);
    shard_buffer(program, cores, tt::CBIndex::c_1, tiles_per_core, b);
    auto maybe = CircularBufferConfig(tiles_per_core * 2048, {{2, tt::DataFormat::Float16_b}}).set_page_size(2, 2048);
    if (a->is_sharded()) {
        maybe = maybe.set_globally_allocated_address(*a->buffer());
    }
    CreateCircularBuffer(program, cores, maybe);
    tt::tt_metal::create_cb(tt::CBIndex::c_3, program, cores, 2048, 4, tt::DataFormat::Float16_b, b->buffer());
}
