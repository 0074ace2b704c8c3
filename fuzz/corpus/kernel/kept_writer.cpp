void kernel_main() {
    for (uint32_t i = 0; i < tiles; i++) {
        cb_wait_front(tt::CBIndex::c_5, 1);
        cb_pop_front(tt::CBIndex::c_5, 1);
    }
}
