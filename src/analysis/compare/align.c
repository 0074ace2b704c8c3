/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/align.h"

#include <stdlib.h>
#include <string.h>

#include "base/table/map.h"
#include "base/vec.h"

enum { MAX_SPLITS = 6 };

struct aligning {
    const struct align_side *a, *b;
    size_t levels;
    uint32_t *match;
    size_t matched;
};

struct align_region {
    size_t a, a_end, b, b_end;
};

static void take(struct aligning *al, size_t a, size_t b) {
    al->match[a] = (uint32_t)b;
    al->matched++;
}

static struct align_region trim(struct aligning *al, size_t level, struct align_region r) {
    const uint64_t *a = al->a->keys[level], *b = al->b->keys[level];
    while (r.a < r.a_end && r.b < r.b_end && a[r.a] == b[r.b]) take(al, r.a++, r.b++);
    while (r.a < r.a_end && r.b < r.b_end && a[r.a_end - 1] == b[r.b_end - 1]) take(al, --r.a_end, --r.b_end);
    return r;
}

/* Walks the furthest points back from the end and notes the diagonals. `trace` holds the points of the diagonals -d, -d + 2,
 * ..., d for every number of edits d. */
static void walk_back(struct aligning *al, struct align_region r, const int32_t *trace, long edits, long x, long y) {
    for (long d = edits; d > 0; d--) {
        const int32_t *v = trace + (d - 1) * d / 2; /* d points of step d - 1 */
        long k = x - y;
        /* diagonal k of step d came from k + 1 (down) or k - 1 (right) of step d - 1, whichever reached further */
        long down = (k + 1 + (d - 1)) / 2, right = (k - 1 + (d - 1)) / 2;
        bool goes_down = k == -d || (k != d && v[right] < v[down]);
        long from_k = goes_down ? k + 1 : k - 1, from_x = v[goes_down ? down : right], from_y = from_x - from_k;
        long start_x = goes_down ? from_x : from_x + 1;
        while (x > start_x) {
            x--;
            y--;
            take(al, r.a + (size_t)x, r.b + (size_t)y);
        }
        x = from_x;
        y = from_y;
    }
    while (x > 0) {
        x--;
        y--;
        take(al, r.a + (size_t)x, r.b + (size_t)y);
    }
}

/* False, with nothing matched, if more than ALIGN_EDITS edits are needed. */
static bool myers(struct aligning *al, size_t level, struct align_region r) {
    const uint64_t *a = al->a->keys[level] + r.a, *b = al->b->keys[level] + r.b;
    long n = (long)(r.a_end - r.a), m = (long)(r.b_end - r.b);
    VEC(int32_t) trace = {0};
    for (long d = 0; d <= ALIGN_EDITS; d++) {
        vec_reserve(&trace, (size_t)((d + 1) * (d + 2) / 2));
        int32_t *now = trace.items + d * (d + 1) / 2;
        const int32_t *before = d ? trace.items + (d - 1) * d / 2 : NULL;
        for (long k = -d; k <= d; k += 2) {
            long i = (k + d) / 2, x = 0;
            if (d) {
                long right = i - 1, down = i; /* indices of k - 1 and k + 1 in the previous step */
                bool goes_down = k == -d || (k != d && before[right] < before[down]);
                x = goes_down ? before[down] : before[right] + 1;
            }
            long y = x - k;
            while (x < n && y < m && x >= 0 && y >= 0 && a[x] == b[y]) x++, y++;
            now[i] = (int32_t)x;
            if (x >= n && y >= m) {
                walk_back(al, r, trace.items, d, n, m);
                vec_release(&trace);
                return true;
            }
        }
    }
    vec_release(&trace);
    return false;
}

/* Index in `b` of the nth item of a key, for the nth item of that key in `a`; NONE if there is none. */
static uint32_t *nth_places(struct aligning *al, size_t level, struct align_region r) {
    const uint64_t *a = al->a->keys[level], *b = al->b->keys[level];
    size_t n = r.a_end - r.a, m = r.b_end - r.b;
    uint32_t *place = mem_alloc(n * sizeof *place), *next = mem_alloc(m * sizeof *next);
    struct map heads = {0};
    bool added;
    for (size_t i = m; i-- > 0;) {
        uint32_t *head = map_at(&heads, (struct hash128){b[r.b + i], hash_mix(0, b[r.b + i])}, &added);
        next[i] = added ? UINT32_MAX : *head;
        *head = (uint32_t)i;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t *head = map_find(&heads, (struct hash128){a[r.a + i], hash_mix(0, a[r.a + i])});
        place[i] = head ? *head : UINT32_MAX;
        if (head && *head != UINT32_MAX) *head = next[*head];
    }
    map_release(&heads);
    free(next);
    return place;
}

/* Matches the longest increasing run of indices. False if there is none. */
static bool match_increasing(struct aligning *al, struct align_region r, const uint32_t *place) {
    size_t n = r.a_end - r.a, len = 0;
    uint32_t *tails = mem_alloc(n * sizeof *tails), *back = mem_alloc(n * sizeof *back);
    for (size_t i = 0; i < n; i++) {
        if (place[i] == UINT32_MAX) continue;
        size_t low = 0, high = len;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (place[tails[middle]] < place[i]) low = middle + 1;
            else high = middle;
        }
        back[i] = low ? tails[low - 1] : UINT32_MAX;
        tails[low] = (uint32_t)i;
        if (low == len) len++;
    }
    for (uint32_t i = len ? tails[len - 1] : UINT32_MAX; i != UINT32_MAX; i = back[i]) take(al, r.a + i, r.b + place[i]);
    free(tails);
    free(back);
    return len > 0;
}

static void align_region(struct aligning *al, size_t level, unsigned splits, struct align_region r) {
    r = trim(al, level, r);
    if (r.a == r.a_end || r.b == r.b_end) return;
    bool again = false;
    if (!myers(al, level, r)) {
        uint32_t *place = nth_places(al, level, r);
        again = match_increasing(al, r, place) && splits < MAX_SPLITS;
        free(place);
    }
    size_t next = again ? level : level + 1;
    if (next == al->levels) return;
    /* the gaps between the matches */
    struct align_region gap = {r.a, r.a, r.b, r.b};
    for (size_t i = r.a; i <= r.a_end; i++) {
        if (i < r.a_end && al->match[i] == UINT32_MAX) continue;
        gap.a_end = i;
        gap.b_end = i < r.a_end ? al->match[i] : r.b_end;
        if (gap.a < gap.a_end && gap.b < gap.b_end) align_region(al, next, again ? splits + 1 : 0, gap);
        if (i < r.a_end) gap = (struct align_region){i + 1, i + 1, (size_t)al->match[i] + 1, (size_t)al->match[i] + 1};
    }
}

size_t align_sides(const struct align_side *a, const struct align_side *b, size_t levels, uint32_t *match) {
    struct aligning al = {a, b, levels, match, 0};
    memset(match, 0xff, a->len * sizeof *match);
    if (a->len && b->len) align_region(&al, 0, 0, (struct align_region){0, a->len, 0, b->len});
    return al.matched;
}
