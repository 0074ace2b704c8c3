// expect: 0 fixed 4096
// expect: 16 fixed 8192
Program create_program(const std::shared_ptr<MeshBuffer>& a, size_t tile_bytes, uint32_t out_tiles = 2) {
    auto program = CreateProgram();
    auto core = CoreRange({0, 0});
    constexpr uint32_t in_tiles = 1;
    CircularBufferConfig in = CircularBufferConfig(in_tiles * tile_bytes, {{tt::CBIndex::c_0, tt::DataFormat::Float32}}).set_page_size(tt::CBIndex::c_0, tile_bytes);
    CreateCircularBuffer(program, core, in);
    CircularBufferConfig out = CircularBufferConfig(out_tiles * tile_bytes, {{tt::CBIndex::c_16, tt::DataFormat::Float32}}).set_page_size(tt::CBIndex::c_16, tile_bytes);
    CreateCircularBuffer(program, core, out);
    return program;
}

int main() {
    auto tile_bytes = tt::tile_size(tt::DataFormat::Float32);
    auto program = create_program(make_buffer(), tile_bytes);
}
