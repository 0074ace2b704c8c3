#include "dataflow_api.h"
void kernel_main() {
    constexpr uint32_t cb_out = get_compile_time_arg_val(0);
    cb_wait_front(cb_out, 1);
    cb_pop_front(cb_out, 1);
}
