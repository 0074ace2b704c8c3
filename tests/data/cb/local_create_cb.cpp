// expect: 0 adaptive ?
// expect: 1 adaptive ?
// expect: 2 fixed 4096
enum class SearchCB : std::underlying_type_t<tt::CBIndex> { HAYSTACK = tt::CBIndex::c_0, NEEDLES, FOUND };

// the same name as the library's, with another order of arguments
static CBHandle create_cb(Program& program, const DataType& dtype, const SearchCB& which, const CoreRangeSet& cores, const uint32_t& page) {
    const uint32_t index{static_cast<uint32_t>(which)};
    const auto format{datatype_to_dataformat_converter(dtype)};
    const auto config{CircularBufferConfig{page, {{index, format}}}.set_page_size(index, page)};
    return CreateCircularBuffer(program, cores, config);
}

SearchFactory::cached_program_t SearchFactory::create(const SearchParams& args, const Tensor& haystack, Tensor& found) {
    Program program{};
    const auto& dtype = haystack.dtype();
    const uint32_t& chunk = args.chunk_size;
    const uint32_t& chunk_bytes = chunk * haystack.element_size();
    create_cb(program, dtype, SearchCB::HAYSTACK, all_cores, chunk_bytes);
    create_cb(program, dtype, SearchCB::NEEDLES, all_cores, chunk_bytes);
    create_cb(program, DataType::UINT32, SearchCB::FOUND, all_cores, 4096);
}
