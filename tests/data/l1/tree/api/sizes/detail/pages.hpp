#pragma once
constexpr uint32_t kPage = 1024;
#define DEPTH 5
