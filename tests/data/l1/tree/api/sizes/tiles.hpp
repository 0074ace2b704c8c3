#pragma once
// Double buffered, with one more for the remainder.
inline uint32_t tiles_of(uint32_t depth) { return 2 * (depth + 1); }
