// expect: 0 fixed 2048
// expect: 1 fixed 2048
// expect: 16 fixed 2048
int main() {
    Program program = CreateProgram();
    CoreCoord core{0, 0};
    constexpr uint32_t tiles = 1;
    constexpr uint32_t tile = 2 * 32 * 32;
    auto make_config = [&](tt::CBIndex index) {
        return CircularBufferConfig(tiles * tile, {{index, tt::DataFormat::Float16_b}}).set_page_size(index, tile);
    };
    tt_metal::CreateCircularBuffer(program, core, make_config(tt::CBIndex::c_0));
    tt_metal::CreateCircularBuffer(program, core, make_config(tt::CBIndex::c_1));
    tt_metal::CreateCircularBuffer(program, core, make_config(tt::CBIndex::c_16));
}
