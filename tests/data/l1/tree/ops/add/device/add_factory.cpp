// Constants and functions of headers elsewhere in the tree, some through other headers, none of them beside the source.
#include "sizes/limits.hpp"
#include <sizes/tiles.hpp>

void add(Program& program, const CoreRangeSet& cores) {
    // 3 * 1024
    CreateCircularBuffer(program, cores, CircularBufferConfig(limits::PAGES * kPage, {{0, tt::DataFormat::Float16_b}}).set_page_size(0, 1024));
    // 2 * (5 + 1) * 2048
    CreateCircularBuffer(program, cores, CircularBufferConfig(tiles_of(DEPTH) * 2048, {{1, tt::DataFormat::Float16_b}}).set_page_size(1, 2048));
}
