// What a program allocates depends on what it is given: bounds hold for all of it.
void decided_by_a_flag(bool big) {
    ProgramDescriptor program;
    CBDescriptor in;
    in.total_size = 2048;
    in.core_ranges = all_cores;
    in.format_descriptors = {{.buffer_index = 0, .data_format = tt::DataFormat::Float16_b, .page_size = 2048}};
    if (big) {
        in.total_size = 1048576;
    }
    program.cbs.push_back(in);
}

void sharded_or_not(Program& program, bool sharded) {
    auto config = CircularBufferConfig(409600, {{1, tt::DataFormat::Float16_b}}).set_page_size(1, 2048);
    if (sharded) {
        config.set_globally_allocated_address(*input.buffer());
    }
    CreateCircularBuffer(program, all_cores, config);
}

void leaves_early(Program& program, bool small) {
    if (small) {
        CreateCircularBuffer(program, all_cores, CircularBufferConfig(4096, {{2, tt::DataFormat::Float16_b}}).set_page_size(2, 2048));
        return;
    }
    CreateCircularBuffer(program, all_cores, CircularBufferConfig(65536, {{3, tt::DataFormat::Float16_b}}).set_page_size(3, 2048));
}

void changed_by_others(Program& program) {
    uint32_t tiles = 4;
    compute(tiles);
    CreateCircularBuffer(program, all_cores, CircularBufferConfig(tiles * 2048, {{4, tt::DataFormat::Float16_b}}).set_page_size(4, 2048));
}

void never_fits(Program& program, bool more) {
    CreateCircularBuffer(program, all_cores, CircularBufferConfig(1048576, {{5, tt::DataFormat::Float16_b}}).set_page_size(5, 2048));
    uint32_t tiles = more ? 512 : 256;
    CreateCircularBuffer(program, all_cores, CircularBufferConfig(tiles * 2048, {{6, tt::DataFormat::Float16_b}}).set_page_size(6, 3000));
}
