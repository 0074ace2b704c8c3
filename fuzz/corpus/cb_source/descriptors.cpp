// expect: 0 fixed 4096
// expect: 1 tensor-backed 0
// expect: 2+3 adaptive ?
// expect: 4 fixed 2176
// expect: 5 fixed 1024
// expect: 6 fixed 64
ProgramDescriptor CopyFactory::create_descriptor(const CopyParams& params, const Tensor& input, Tensor& output) {
    ProgramDescriptor desc;
    const uint32_t tile = tt::tile_size(tt::DataFormat::Float16_b);
    desc.cbs.push_back(CBDescriptor{
        .total_size = 2 * tile,
        .core_ranges = params.cores,
        .format_descriptors = {{CBFormatDescriptor{
            .buffer_index = static_cast<uint8_t>(tt::CBIndex::c_0),
            .data_format = tt::DataFormat::Float16_b,
            .page_size = tile,
        }}},
    });
    desc.cbs.push_back(tt::tt_metal::CBDescriptor{
        .total_size = params.shard_tiles * tile,
        .core_ranges = params.cores,
        .format_descriptors = {{CBFormatDescriptor{.buffer_index = 1, .data_format = tt::DataFormat::Float16_b, .page_size = tile}}},
        .buffer = input.buffer(),
    });
    desc.cbs.push_back(CBDescriptor{
        .total_size = params.shard_tiles * tile,
        .core_ranges = params.cores,
        .format_descriptors =
            {{CBFormatDescriptor{.buffer_index = 2, .data_format = tt::DataFormat::Float16_b, .page_size = tile},
              CBFormatDescriptor{.buffer_index = 3, .data_format = tt::DataFormat::Float16_b, .page_size = tile}}},
    });
    CBDescriptor scale;
    scale.total_size = 2 * tt::tile_size(tt::DataFormat::Bfp8_b);
    scale.core_ranges = params.cores;
    scale.format_descriptors.push_back(CBFormatDescriptor{.buffer_index = 4, .data_format = tt::DataFormat::Bfp8_b, .page_size = 1088});
    desc.cbs.push_back(std::move(scale));
    auto& scratch = desc.cbs.emplace_back();
    scratch.total_size = 1024;
    scratch.core_ranges = params.cores;
    scratch.format_descriptors.push_back(CBFormatDescriptor{5, tt::DataFormat::UInt32, 1024});
    desc.cbs.push_back({.total_size = 64, .core_ranges = params.cores, .format_descriptors = {{{.buffer_index = 6, .data_format = tt::DataFormat::UInt32, .page_size = 64}}}});
    // only an address: no buffer is declared here
    ProgramDescriptor addresses;
    addresses.cbs.push_back(CBDescriptor{.buffer = output.buffer()});
    return desc;
}
