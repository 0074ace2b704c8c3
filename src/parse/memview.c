/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/memview.h"

#include "base/num.h"

const char *const pool_names[POOL_COUNT] = {"DRAM", "L1", "L1_SMALL", "TRACE"};
const char *const pool_keys[POOL_COUNT] = {"dram", "l1", "l1_small", "trace"};

enum field { BANKS, TOTAL, ALLOCATED, FREE, LARGEST, FIELD_COUNT };

static const struct slice field_names[FIELD_COUNT] = {
#define NAME(text) \
    { text, sizeof text - 1 }
    NAME("numBanks: "),
    NAME("totalBytesPerBank: "),
    NAME("totalBytesAllocatedPerBank: "),
    NAME("totalBytesFreePerBank: "),
    NAME("largestContiguousBytesFreePerBank: "),
#undef NAME
};

#define PLACES(view) \
    { &(view)->banks, &(view)->total, &(view)->allocated, &(view)->free, &(view)->largest }

/* Units besides MB: bytes per unit, as a fraction of thousandths of a MB. */
static const struct {
    const char *name;
    uint64_t bytes;
} units[] = {{"MB", NUM_MIB}, {"GB", (uint64_t)NUM_MIB << 10}, {"KB", 1024}, {"B", 1}};

static bool to_u32(uint64_t n, uint32_t *out) {
    *out = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
    return n <= UINT32_MAX;
}

/* "1022.169 MB" */
static bool read_size(struct slice value, uint32_t *out) {
    uint64_t thousandths;
    size_t used = num_read_thousandths(value, &thousandths);
    if (!used) return false;
    struct slice unit = slice_trim(slice_skip(value, used));
    if (slice_equal(unit, SLICE("MB"))) return to_u32(thousandths, out);
    for (size_t i = 1; i < sizeof units / sizeof *units; i++)
        if (slice_equal(unit, slice_from(units[i].name)))
            return to_u32((uint64_t)(((unsigned __int128)thousandths * units[i].bytes + NUM_MIB / 2) / NUM_MIB), out);
    return false;
}

static bool read_field(enum field field, struct slice value, struct pool_view *view) {
    uint32_t *const places[FIELD_COUNT] = PLACES(view);
    if (field != BANKS) return read_size(value, places[field]);
    uint64_t n;
    return num_read_u64(value, &n) == value.len && to_u32(n, &view->banks);
}

/* Figures that exceed the pool's size, and so cannot be of one pool. Each is rounded. */
static bool exceeds_its_pool(const struct pool_view *view) {
    enum { ROUNDING = 2 };
    return (uint64_t)view->allocated + view->free > (uint64_t)view->total + ROUNDING;
}

/* Fields in the order of the format, as in nearly every line; anything else is left to parse_slow. Where it fails, `view` holds
 * anything. */
static bool parse_fast(struct slice s, struct pool_view *view) {
    const char *p = s.ptr, *end = s.ptr + s.len;
    uint32_t *const places[FIELD_COUNT] = PLACES(view);
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        if (!slice_starts(slice_between(p, end), field_names[f])) return false;
        p += field_names[f].len;
        uint64_t n = 0;
        const char *digits = p;
        while (p < end && (unsigned char)(*p - '0') < 10) n = n * 10 + (unsigned)(*p++ - '0');
        if (p == digits || p - digits > 6) return false;
        if (f != BANKS) {
            if (end - p < 7 || p[0] != '.' || memcmp(p + 4, " MB", 3) != 0) return false;
            unsigned a = (unsigned char)(p[1] - '0'), b = (unsigned char)(p[2] - '0'), c = (unsigned char)(p[3] - '0');
            if (a > 9 || b > 9 || c > 9) return false;
            n = n * 1000 + a * 100 + b * 10 + c;
            p += 7;
        }
        *places[f] = (uint32_t)n;
        if (f + 1 == FIELD_COUNT) break;
        if (end - p < 2 || p[0] != ',' || p[1] != ' ') return false;
        p += 2;
    }
    return p < end && *p == '}';
}

/* Any order, any unit, cut lines. A field counts only if a comma or brace closes it: "10" of a cut "1022.169" is not a
 * number. *torn: another view or a logger's bar is between its braces, or a field occurs twice: two lines in one. */
static unsigned parse_slow(struct slice s, struct pool_view *view, bool *torn) {
    unsigned seen = 0, named = 0;
    while (s.len) {
        size_t end = 0;
        for (; end < s.len && s.ptr[end] != ',' && s.ptr[end] != '}'; end++) *torn |= s.ptr[end] == '{' || s.ptr[end] == '|';
        if (end == s.len) break;
        struct slice item = slice_trim(slice_take(s, end));
        for (unsigned f = 0; f < FIELD_COUNT; f++) {
            struct slice name = field_names[f];
            if (!slice_starts(item, name)) continue;
            *torn |= named >> f & 1;
            named |= 1u << f;
            if (read_field((enum field)f, slice_skip(item, name.len), view)) seen |= 1u << f;
        }
        if (s.ptr[end] == '}') break;
        s = slice_skip(s, end + 1);
    }
    return seen;
}

static enum memview_state nothing(struct pool_view *view) {
    *view = (struct pool_view){0};
    return MEMVIEW_NONE;
}

enum memview_state memview_parse(struct slice text, struct pool_view *view) {
    struct slice open = SLICE("MemoryView{");
    if (!slice_starts(text, open)) return nothing(view);
    text = slice_skip(text, open.len);
    /* figures of another line may have replaced its own */
    if (parse_fast(text, view)) return exceeds_its_pool(view) ? nothing(view) : MEMVIEW_WHOLE;
    *view = (struct pool_view){0};
    bool torn = false;
    unsigned seen = parse_slow(text, view, &torn);
    if (torn) return nothing(view);
    if (seen == (1u << FIELD_COUNT) - 1) return MEMVIEW_WHOLE;
    return seen & 1u << ALLOCATED ? MEMVIEW_PARTIAL : MEMVIEW_NONE;
}
