void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_cos = get_compile_time_arg_val(1);
    CircularBuffer cos(cb_cos);
    cb_push_back(cb_in, 1);
    cos.reserve_back(4);
    cos.push_back(4);
}
