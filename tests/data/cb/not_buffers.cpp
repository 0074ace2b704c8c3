// nothing is declared here: types, signatures, comments and strings only
#include <tt-metalium/circular_buffer_config.hpp>
// CreateCircularBuffer(program, core, CircularBufferConfig(2048, {{0, format}}));
CBHandle CreateCircularBuffer(Program& program, const CoreSpec& core, const CircularBufferConfig& config);
void describe(const CircularBufferConfig& config) { log("CircularBufferConfig(2048, {{0, Float16_b}}) %u", config.total_size()); }
struct Holder {
    CBDescriptor descriptor;
    std::vector<CircularBufferConfig> configs;
};
// a helper for other files: makes what it is given
inline CBHandle make_any(Program& program, const CoreSpec& core, uint32_t index, uint32_t bytes) {
    return CreateCircularBuffer(program, core, CircularBufferConfig(bytes, {{index, tt::DataFormat::UInt32}}).set_page_size(index, bytes));
}
