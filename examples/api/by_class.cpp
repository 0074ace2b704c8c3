// SPDX-License-Identifier: Apache-2.0
// What is alive at the DRAM peak of a run, by class, through libttmem_run:
//   c++ -std=c++17 by_class.cpp -lttmem_run && ./a.out transformer_profile.log
#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include <ttmem/run.h>

int main(int argc, char **argv) {
    ttmem_run *opened = nullptr;
    if (argc != 2 || ttmem_run_open(argv[1], &opened) != TTMEM_RUN_OK) {
        std::fprintf(stderr, "%s\n", argc == 2 ? ttmem_run_last_error() : "usage: by_class RUN");
        return 1;
    }
    std::unique_ptr<ttmem_run, void (*)(ttmem_run *)> run(opened, ttmem_run_close);
    ttmem_column classes, sizes;
    const uint32_t *tensors;
    size_t count;
    if (ttmem_run_column(run.get(), "tensors", "class", &classes) != TTMEM_RUN_OK ||
        ttmem_run_column(run.get(), "tensors", "bytes_per_bank", &sizes) != TTMEM_RUN_OK ||
        ttmem_run_alive(run.get(), "dram", -1, &tensors, &count) != TTMEM_RUN_OK) {
        std::fprintf(stderr, "%s\n", ttmem_run_last_error());
        return 1;
    }
    std::map<std::string, int64_t> sums;
    for (size_t i = 0; i < count; i++) {
        const int64_t *place = classes.offsets + tensors[i];
        std::string name(static_cast<const char *>(classes.values) + place[0], static_cast<size_t>(place[1] - place[0]));
        sums[name] += static_cast<const int64_t *>(sizes.values)[tensors[i]];
    }
    for (const auto &[name, bytes] : sums) std::printf("%-12s %12lld\n", name.c_str(), static_cast<long long>(bytes));
    return 0;
}
