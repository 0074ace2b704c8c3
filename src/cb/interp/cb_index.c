/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/interp/cb_index.h"

#include <string.h>

bool cb_index_by_name(struct slice name, int64_t *index) {
    static const struct {
        const char *prefix;
        int64_t base, count;
    } rows[] = {{"c_in", 0, 8}, {"dataflow", 8, 8}, {"c_out", 16, 8}, {"c_intermed", 24, 8}, {"c_", 0, 64}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!slice_starts(name, slice_from(rows[i].prefix))) continue;
        struct slice digits = slice_skip(name, strlen(rows[i].prefix));
        if (!digits.len || digits.len > 2) continue;
        int64_t n = 0;
        for (size_t k = 0; k < digits.len; k++) {
            if (digits.ptr[k] < '0' || digits.ptr[k] > '9') return false;
            n = n * 10 + digits.ptr[k] - '0';
        }
        if (n < rows[i].count) return *index = rows[i].base + n, true;
    }
    return false;
}
