ProgramSpec f() {
  ProgramSpec spec;
  spec.dataflow_buffers.push_back({.unique_id = "input_tiles", .entry_size = 2048, .num_entries = 2});
  spec.dataflow_buffers.push_back({.unique_id = "out", .entry_size = 2048, .num_entries = 1});
  return spec;
}
