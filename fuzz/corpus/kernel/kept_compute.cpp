void kernel_main() {
    CircularBuffer streamed(tt::CBIndex::c_0);
    CircularBuffer kept(tt::CBIndex::c_2);
    CircularBuffer out(tt::CBIndex::c_5);
    for (uint32_t block = 0; block < blocks; block++) {
        kept.wait_front(8);
        for (uint32_t i = 0; i < rows; i++) {
            streamed.wait_front(1);
            out.reserve_back(1);
            out.push_back(1);
            streamed.pop_front(1);
        }
        kept.pop_front(8);
    }
}
