void f(Program& program) {
  CreateCircularBuffer(program, core, CircularBufferConfig(4096, {{0, tt::DataFormat::Float16_b}}).set_page_size(0, 2048));
  CreateCircularBuffer(program, core, CircularBufferConfig(2048, {{1, tt::DataFormat::Float16_b}}).set_page_size(1, 2048));
}
