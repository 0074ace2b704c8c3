// The second operand, buffer 2, is kept while the tiles of the first are gone over: the compute kernel pops it in fewer loops.
void product(Program& program) {
    uint32_t tile = tt::tile_size(tt::DataFormat::Float16_b);
    CreateCircularBuffer(program, cores, CircularBufferConfig(4 * tile, {{0, tt::DataFormat::Float16_b}}).set_page_size(0, tile));
    CreateCircularBuffer(program, cores, CircularBufferConfig(8 * tile, {{2, tt::DataFormat::Float16_b}}).set_page_size(2, tile));
    CreateCircularBuffer(program, cores, CircularBufferConfig(2 * tile, {{5, tt::DataFormat::Float16_b}}).set_page_size(5, tile));
    CreateKernel(program, "kernels/kept_compute.cpp", cores, ComputeConfig{});
    CreateKernel(program, "kernels/kept_writer.cpp", cores, WriterDataMovementConfig{});
}
