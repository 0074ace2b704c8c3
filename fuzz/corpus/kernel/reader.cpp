#include "dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    uint32_t n = get_arg_val<uint32_t>(0);
    for (uint32_t i = 0; i < n; i++) {
        cb_reserve_back(cb_a, 1);
        cb_push_back(cb_a, 1);
        if (i < 4 && n > 4) {
            cb_reserve_back(cb_b, 1);
            cb_push_back(cb_b, 1);
        }
    }
}
