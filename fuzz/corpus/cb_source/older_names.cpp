// expect: 2 fixed 2048
// expect: 8 fixed 2048
// expect: 17 fixed 2048
// expect: 25 fixed 2048
// expect: 31 fixed 8192
void build(Program& program, CoreCoord core) {
    uint32_t index[] = {tt::CB::c_in2, tt::CB::dataflow0, tt::CB::c_out1, tt::CB::c_intermed1};
    for (auto one : index) {
        tt_metal::CircularBufferConfig config = tt_metal::CircularBufferConfig(2048, {{one, tt::DataFormat::Float16_b}}).set_page_size(one, 2048);
        auto cb = tt_metal::CreateCircularBuffer(program, core, config);
    }
    // the form of 2023: program, index, core, tiles, bytes, format
    auto cb_last = tt_metal::CreateCircularBuffer(program, CB::c_intermed7, core, 4, 4 * 2048, tt::DataFormat::Float16_b);
}
