void drain(DataflowBuffer& buffer, uint32_t n) {
    buffer.wait_front(n);
    buffer.pop_front(n);
}

void kernel_main() {
    DataflowBuffer dst(dfb::dst);
    drain(dst, 1);
}
