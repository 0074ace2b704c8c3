// expect: 0 fixed 2048
// expect: 1 fixed 2048
// expect: 2 fixed 2048
// expect: 3 fixed 4096
// expect: 4 fixed 8192
// expect: 5 fixed 128
// expect: 9 fixed 128
void build(Program& program, const CoreRangeSet& cores, uint32_t n) {
    uint32_t next_cb_index = tt::CBIndex::c_0;
    auto add = [&](uint32_t tiles) {
        uint32_t index = next_cb_index++;
        CreateCircularBuffer(program, cores, CircularBufferConfig(tiles * 2048, {{index, tt::DataFormat::Float16_b}}).set_page_size(index, 2048));
        return index;
    };
    for (int i = 0; i < 3; i++) {
        add(1);
    }
    add(2);
    uint32_t last = add(4);
    for (uint32_t index : {last + 1, 9u}) {
        CreateCircularBuffer(program, cores, CircularBufferConfig(128, {{index, tt::DataFormat::UInt8}}).set_page_size(index, 128));
    }
}
