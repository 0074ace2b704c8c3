/* SPDX-License-Identifier: Apache-2.0 */
#include "model/left/slope.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

enum { MOST_POINTS = 400 };

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

void slope_find(const int64_t *values, size_t count, struct slope *out) {
    *out = (struct slope){.points = count};
    if (count < SLOPE_LEAST) return;
    size_t n = count < MOST_POINTS ? count : MOST_POINTS, pairs = 0;
    double *slopes = mem_alloc(n * (n - 1) / 2 * sizeof *slopes);
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) {
            size_t from = i * (count - 1) / (n - 1), to = k * (count - 1) / (n - 1);
            slopes[pairs++] = ((double)values[to] - (double)values[from]) / (double)(to - from);
        }
    qsort(slopes, pairs, sizeof *slopes, rising);
    double spread = 1.959964 * sqrt((double)n * (double)(n - 1) * (double)(2 * n + 5) / 18);
    double first = floor(((double)pairs - spread) / 2), last = ceil(((double)pairs + spread) / 2);
    size_t low = first < 0 ? 0 : (size_t)first, high = last >= (double)pairs ? pairs - 1 : (size_t)last;
    double middle = pairs % 2 ? slopes[pairs / 2] : (slopes[pairs / 2 - 1] + slopes[pairs / 2]) / 2;
    out->known = true;
    out->per_step = llround(middle);
    out->low = llround(slopes[low]);
    out->high = llround(slopes[high]);
    out->rises = slopes[low] > 0;
    free(slopes);
}
