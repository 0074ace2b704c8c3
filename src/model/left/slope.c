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

static size_t point_of(size_t i, size_t n, size_t count) { return i * (count - 1) / (n - 1); }

/* The first of the points that is not before the value of that index; n: none. */
static size_t first_point(size_t at, size_t n, size_t count) {
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (point_of(middle, n, count) < at) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* What is in both of two points, at [i * n + k] for i <= k: it changes no difference between them. */
static double *find_common(const struct slope_slack *slacks, size_t slack_count, size_t n, size_t count) {
    double *common = mem_zalloc(n * n, sizeof *common);
    for (size_t s = 0; s < slack_count; s++) {
        size_t first = first_point(slacks[s].first, n, count), end = first_point(slacks[s].last + 1, n, count);
        if (first < end) common[first * n + end - 1] += (double)slacks[s].most;
    }
    /* sums over all that begin no later and end no earlier */
    for (size_t i = 0; i < n; i++)
        for (size_t k = n; k-- > 0;) {
            double *at = &common[i * n + k];
            if (i) *at += common[(i - 1) * n + k];
            if (k + 1 < n) *at += common[i * n + k + 1];
            if (i && k + 1 < n) *at -= common[(i - 1) * n + k + 1];
        }
    return common;
}

/* Every slope lies between two; so does each of them in their order. */
static void find_range(const int64_t *values, size_t count, const double *common, size_t n, size_t low, size_t high,
                       struct slope *out) {
    size_t pairs = 0;
    double *least = mem_alloc(n * (n - 1) / 2 * sizeof *least), *most = mem_alloc(n * (n - 1) / 2 * sizeof *most);
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) {
            size_t from = point_of(i, n, count), to = point_of(k, n, count);
            double rise = (double)values[to] - (double)values[from], both = common[i * n + k];
            least[pairs] = (rise - (common[i * n + i] - both)) / (double)(to - from);
            most[pairs++] = (rise + (common[k * n + k] - both)) / (double)(to - from);
        }
    qsort(least, pairs, sizeof *least, rising);
    qsort(most, pairs, sizeof *most, rising);
    out->least = llround(least[low]);
    out->most = llround(most[high]);
    free(least);
    free(most);
}

void slope_find(const int64_t *values, size_t count, struct slope *out) { slope_find_bounded(values, count, NULL, 0, out); }

void slope_find_bounded(const int64_t *values, size_t count, const struct slope_slack *slacks, size_t slack_count,
                        struct slope *out) {
    *out = (struct slope){.points = count};
    if (count < SLOPE_LEAST) return;
    size_t n = count < MOST_POINTS ? count : MOST_POINTS, pairs = 0;
    double *slopes = mem_alloc(n * (n - 1) / 2 * sizeof *slopes);
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) {
            size_t from = point_of(i, n, count), to = point_of(k, n, count);
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
    out->least = out->low;
    out->most = out->high;
    if (!slack_count) return;
    double *common = find_common(slacks, slack_count, n, count);
    find_range(values, count, common, n, low, high, out);
    free(common);
}
