void kernel_main() {
    DataflowBuffer dfb_src(dfb::src);
    for (uint32_t i = 0; i < get_arg(args::tiles); i++) {
        dfb_src.reserve_back(1);
        noc_async_read_barrier();
        dfb_src.push_back(1);
    }
}
