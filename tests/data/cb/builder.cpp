// expect: 3 fixed 4096
// expect: 20 fixed 512
#define SCRATCH(index) CreateCircularBuffer(program, cores, CircularBufferConfig(512, {{index, tt::DataFormat::UInt32}}).set_page_size(index, 512))
void build(Program& program, const CoreRangeSet& cores) {
    CircularBufferConfig config(4096);
    config.index(tt::CBIndex::c_3).set_data_format(tt::DataFormat::Float16_b).set_page_size(2048);
    CreateCircularBuffer(program, cores, config);
    SCRATCH(20);
}
