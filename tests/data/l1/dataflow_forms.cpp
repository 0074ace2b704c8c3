// Dataflow buffers and scratchpads of Metal 2.0, in every form that sources write them.
namespace m2 = tt::tt_metal::experimental;
const DFBSpecName IN{"in"};
const DFBSpecName OUT{"out"};
const ScratchpadSpecName WORK{"work"};

DataflowBufferSpec make_dfb(const DFBSpecName& id, uint32_t entries, uint32_t size) {
    return DataflowBufferSpec{.unique_id = id, .entry_size = size, .num_entries = entries};
}

ProgramSpec pushed(bool convert) {
    ProgramSpec spec;
    spec.dataflow_buffers.push_back(DataflowBufferSpec{
        .unique_id = IN, .entry_size = 2048, .num_entries = 4, .data_format_metadata = tt::DataFormat::Float16_b});
    if (convert) {
        spec.dataflow_buffers.push_back(m2::DataflowBufferSpec{.unique_id = OUT, .entry_size = 1088, .num_entries = 2});
    }
    spec.scratchpads.push_back(ScratchpadSpec{.unique_id = WORK, .size_per_node = 512});
    spec.kernels.push_back(KernelSpec{
        .unique_id = KernelSpecName{"reader"}, .source = "kernels/reader_dfb.cpp", .dfb_bindings = {ProducerOf(IN, "src")}});
    spec.kernels.push_back(KernelSpec{
        .unique_id = KernelSpecName{"writer"},
        .source = "kernels/writer_dfb.cpp",
        .dfb_bindings = {DFBBinding{.dfb_spec_name = IN, .accessor_name = "dst", .endpoint_type = DFBEndpointType::CONSUMER}}});
    return spec;
}

ProgramSpec listed(const Tensor& input, bool sharded) {
    DataflowBufferSpec in_dfb{.unique_id = IN, .entry_size = 32, .num_entries = 8};
    DataflowBufferSpec out_dfb{.unique_id = OUT, .entry_size = 64, .num_entries = 8};
    if (sharded) {
        in_dfb.borrowed_from = INPUT;
    }
    out_dfb.num_entries = 16;
    return ProgramSpec{.name = "listed", .dataflow_buffers = {in_dfb, out_dfb}};
}

ProgramSpec grouped(uint32_t tiles) {
    Group<DataflowBufferSpec> dfbs = {
        DataflowBufferSpec{.unique_id = DFBSpecName{"a"}, .entry_size = 100, .num_entries = 3},
        make_dfb(DFBSpecName{"b"}, std::min(tiles, 4u), 1024),
    };
    dfbs.push_back(make_dfb(OUT, 1, 256));
    ProgramSpec spec{.name = "grouped", .dataflow_buffers = std::move(dfbs)};
    return spec;
}

ProgramSpec shared(bool same) {
    DataflowBufferSpec out{.unique_id = OUT, .entry_size = 2048, .num_entries = 8};
    DataflowBufferSpec partials{.unique_id = DFBSpecName{"partials"}, .entry_size = 2048, .num_entries = 8};
    out.advanced_options.alias_with = {DFBSpecName{"partials"}};
    partials.advanced_options.alias_with = {OUT};
    ProgramSpec spec;
    spec.dataflow_buffers.push_back(out);
    spec.dataflow_buffers.push_back(partials);
    return spec;
}

ProgramSpec from_elsewhere(const Options& options) {
    ProgramSpec spec;
    spec.dataflow_buffers.push_back(options.describe_input());
    spec.dataflow_buffers.push_back(make_dfb(IN, 2, 32));
    spec.kernels.push_back(KernelSpec{.unique_id = KernelSpecName{"r"}, .source = "x.cpp", .dfb_bindings = {ProducerOf(IN, "x")}});
    return spec;
}
