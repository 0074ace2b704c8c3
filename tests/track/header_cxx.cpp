/* SPDX-License-Identifier: Apache-2.0 */
// Compiled as C++17 and C++20: both headers stand alone.
#include "ttmem/ttmem.h"
#include "ttmem/ttmem.hpp"

int header_compiles() { return static_cast<int>(sizeof(ttmem::DRAMUsage)); }
