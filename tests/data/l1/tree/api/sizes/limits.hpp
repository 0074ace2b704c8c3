#pragma once
#include "detail/pages.hpp"
namespace limits {
enum Pages : uint32_t { FEW = 2, PAGES };
}
