// while, do, switch with fall-through, templates, std::clamp; a loop over cores makes one buffer of each core.
// expect: 0 fixed 2048
// expect: 1 fixed 2048
// expect: 2 fixed 4096
// expect: 3 fixed 4096
// expect: 4 adaptive ?
// expect: 5 fixed 16384
// expect: 6 fixed 2048
// expect: 7 fixed 8192
// expect: 8 fixed 4096
// expect: 9 fixed 12288
// expect: 10 fixed 2048
#include "host_api.hpp"

enum class Mode { Small, Medium, Large };
constexpr auto df = tt::DataFormat::Float16_b;

void loops(Program& program, const CoreRange& core) {
    uint32_t index = 0;
    while (index < 2) {
        CreateCircularBuffer(program, core, CircularBufferConfig(2048, {{index, df}}));
        index++;
    }
    do {
        CreateCircularBuffer(program, core, CircularBufferConfig(4096, {{index, df}}));
        index++;
    } while (index < 4);
}

uint32_t tiles_of(Mode mode) {
    switch (mode) {
        case Mode::Small: return 1;
        case Mode::Medium: return 2;
        default: return 4;
    }
}

void switches(Program& program, const CoreRange& core, Mode mode) {
    uint32_t tiles = 1;
    switch (mode) {
        case Mode::Small: tiles = 2; break;
        case Mode::Medium:
        case Mode::Large: tiles = 8; break;
        default: tiles = 3;
    }
    CreateCircularBuffer(program, core, CircularBufferConfig(tiles * 2048, {{4, df}}));
    switch (Mode::Medium) {
        case Mode::Small: tiles = 100; break;
        case Mode::Medium: tiles = 7;
        case Mode::Large: tiles += 1; break;
        default: tiles = 200;
    }
    CreateCircularBuffer(program, core, CircularBufferConfig(tiles * 2048, {{5, df}}));
    CreateCircularBuffer(program, core, CircularBufferConfig(tiles_of(Mode::Small) * 2048, {{6, df}}));
}

template <uint32_t tiles, uint32_t index = 7>
void make(Program& program, const CoreRange& core) {
    CreateCircularBuffer(program, core, CircularBufferConfig(tiles * 2048, {{index, df}}));
}

void templates(Program& program, const CoreRange& core) {
    constexpr uint32_t four = 4;
    make<four>(program, core);
    make<2, 8>(program, core);
    CreateCircularBuffer(program, core, CircularBufferConfig(2048 * std::clamp(9u, 1u, 6u), {{9, df}}));
}

void cores(Program& program, const std::vector<CoreCoord>& all) {
    for (const auto& core : all) {
        CreateCircularBuffer(program, core, CircularBufferConfig(2048, {{10, df}}));
    }
}
