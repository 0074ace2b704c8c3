#include "compute_kernel_api/eltwise_binary.h"
namespace NAMESPACE {
void MAIN {
    constexpr auto cb_a = tt::CBIndex::c_0;
    constexpr auto cb_b = tt::CBIndex::c_1;
    constexpr auto cb_mid = tt::CBIndex::c_2;
    constexpr auto cb_out = tt::CBIndex::c_16;
    for (uint32_t i = 0; i < 4; i++) {
        cb_wait_front(cb_a, 1);
        cb_wait_front(cb_b, 1);
        add_tiles(cb_a, cb_b, 0, 0, 0);
        cb_reserve_back(cb_mid, 1);
        pack_tile(0, cb_mid);
        cb_push_back(cb_mid, 1);
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);
        cb_push_back(cb_out, 1);
        cb_pop_front(cb_a, 1);
        cb_pop_front(cb_b, 1);
    }
}
}  // namespace NAMESPACE
