/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inspector/join.h"

#include <string.h>

#include "base/num.h"
#include "model/inspector/to_run.h"

enum { AHEAD = 64, NEXT = 4, LEAST_PERCENT = 50, TIME_AT = 64, QUARTER_SECONDS = 900 };
static const int64_t SECOND = 1000000000, NEAR = 2 * (int64_t)1000000000;

/* Device ops with another name than the ttnn ops they come from; all others share the name. */
static const struct {
    const char *device, *ttnn; /* names between blanks */
} families[] = {
    {"binary_ng",
     " add subtract multiply divide maximum minimum eq ne gt ge lt le logical_and logical_or logical_xor pow_tensor "
     "pow_scalar remainder atan2 bitwise_and bitwise_or bitwise_xor "},
    {"unary",
     " relu relu6 exp sqrt rsqrt sigmoid tanh neg abs log log1p sin cos tan gelu silu erf erfc reciprocal floor ceil sign "
     "logical_not bitwise_not isfinite expm1 leaky_relu clamp_scalar hardsigmoid mish atan elu "},
    {"reduce", " sum mean max min prod "},
    {"matmul", " matmul linear "},
    {"transpose", " permute transpose "},
    {"permute", " permute transpose "},
    {"tilize", " to_layout tilize "},
    {"tilize_with_val_padding", " to_layout "},
    {"untilize", " to_layout untilize "},
    {"untilize_with_unpadding", " to_layout "},
    {"typecast", " typecast to_layout "},
    {"copy", " typecast to_memory_config clone "},
    {"embeddings", " embedding "},
    {"slice", " slice_static slice_dynamic "},
    {"layer_norm", " layer_norm rms_norm "},
    {"ternary", " where "},
    {"full", " full zeros ones "},
    {"pool2_d", " max_pool2d avg_pool2d global_avg_pool2d "},
    {"interleaved_to_sharded", " to_memory_config "},
    {"sharded_to_interleaved", " to_memory_config "},
    {"reshard", " to_memory_config "},
};

static struct slice bare(struct slice name) { return slice_starts(name, SLICE("ttnn.")) ? slice_skip(name, 5) : name; }

bool inspector_name_fits(struct slice device, struct slice logged) {
    char word[128];
    device = bare(device);
    logged = bare(logged);
    if (!device.len || !logged.len || logged.len + 2 > sizeof word) return false;
    if (slice_equal(device, logged)) return true;
    word[0] = ' ';
    memcpy(word + 1, logged.ptr, logged.len);
    word[logged.len + 1] = ' ';
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (slice_equal(device, slice_from(families[i].device)))
            return slice_find(slice_from(families[i].ttnn), slice_of(word, logged.len + 2)) != SLICE_NONE;
    return false;
}

/* --- times of lines --- */

/* "2026-08-22T16:19:27.1234567", with T or a blank: ns since 1970, taken as UTC; -1: not a time. */
static int64_t time_of(const char *p, size_t len) {
    static const char shape[] = "dddd-dd-ddTdd:dd:dd";
    enum { LEN = sizeof shape - 1 };
    if (len < LEN) return -1;
    for (unsigned i = 0; i < LEN; i++) {
        bool digit = p[i] >= '0' && p[i] <= '9';
        if (shape[i] == 'd' ? !digit : p[i] != shape[i] && !(shape[i] == 'T' && p[i] == ' ')) return -1;
    }
#define TWO(at) ((p[at] - '0') * 10 + (p[(at) + 1] - '0'))
    int year = TWO(0) * 100 + TWO(2), month = TWO(5), day = TWO(8);
    int64_t y = year - (month <= 2), era = y / 400, of_era = y - era * 400;
    int64_t days = era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 +
                   day - 1 - 719468;
    int64_t ns = ((days * 24 + TWO(11)) * 60 + TWO(14)) * 60 + TWO(17), unit = SECOND;
#undef TWO
    ns *= SECOND;
    if (len > LEN && (p[LEN] == '.' || p[LEN] == ','))
        for (size_t i = LEN + 1; i < len && p[i] >= '0' && p[i] <= '9' && unit > 1; i++) ns += (p[i] - '0') * (unit /= 10);
    return ns;
}

static int64_t time_in(struct slice line) {
    for (size_t i = 0; i < TIME_AT && i < line.len; i++)
        if (line.ptr[i] == '2') {
            int64_t found = time_of(line.ptr + i, line.len - i);
            if (found >= 0) return found;
        }
    return -1;
}

struct logged_op {
    struct slice name, place;
    uint64_t line;
    int64_t ns; /* -1: its line has no time */
};

typedef VEC(struct logged_op) logged_ops;

static void list_logged(const struct run *log, uint16_t rank, logged_ops *out) {
    for (size_t i = 0; i < log->records.len; i++) {
        const struct step *step = &log->steps.items[log->records.items[i]];
        if (step->rank != rank || step->op == NONE) continue;
        vec_push(out, ((struct logged_op){.name = step_name(log, step),
                                          .place = run_string(log, log->ops.items[step->op].display),
                                          .line = step->line,
                                          .ns = -1}));
    }
}

/* Returns false unless every op line has a time. */
static bool find_times(logged_ops *ops, struct slice text) {
    uint64_t line = 1;
    size_t next = 0;
    while (text.len && next < ops->len) {
        size_t end = slice_find_byte(text, '\n');
        for (; next < ops->len && ops->items[next].line == line; next++)
            if ((ops->items[next].ns = time_in(slice_take(text, end))) < 0) return false;
        text = end == SLICE_NONE ? slice_of("", 0) : slice_skip(text, end + 1);
        line++;
    }
    return ops->len && next == ops->len;
}

/* --- the walk --- */

struct join_walk {
    const logged_ops *logged;
    VEC(struct strbuf) names; /* of the kinds of device ops, by string id */
    struct inspector_rank *rank;
    bool timed;
    int64_t shift; /* offset of the log's clock: hosts print local time */
};

static struct slice device_name(struct join_walk *w, size_t op) {
    uint32_t id = w->rank->ops.items[op].name;
    while (w->names.len <= id) vec_push(&w->names, (struct strbuf){0});
    struct strbuf *name = &w->names.items[id];
    if (!name->len) inspector_op_name(name, strtab_get(&w->rank->strings, id));
    return strbuf_slice(name);
}

static bool fits(struct join_walk *w, size_t op, size_t logged) {
    if (op >= w->rank->ops.len || logged >= w->logged->len) return false;
    const struct logged_op *other = &w->logged->items[logged];
    if (!inspector_name_fits(device_name(w, op), other->name)) return false;
    if (!w->timed) return true;
    int64_t apart = (int64_t)w->rank->ops.items[op].time_ns - (other->ns + w->shift);
    return apart >= -NEAR && apart <= NEAR;
}

/* Does the next device op fit one of the next ops of the log too? The last one needs no such proof. */
static bool goes_on(struct join_walk *w, size_t op, size_t logged) {
    if (op + 1 >= w->rank->ops.len) return true;
    for (size_t i = 0; i <= NEXT; i++)
        if (fits(w, op + 1, logged + i)) return true;
    return false;
}

static uint64_t walk(struct join_walk *w) {
    size_t at = 0; /* next op of the log */
    uint64_t tied = 0;
    for (size_t op = 0; op < w->rank->ops.len; op++) {
        for (size_t ahead = 0; ahead < AHEAD; ahead++) {
            size_t logged = at + ahead;
            if (!fits(w, op, logged) || (ahead && !w->timed && !goes_on(w, op, logged))) continue;
            w->rank->ops.items[op].place = strtab_id(&w->rank->strings, w->logged->items[logged].place);
            tied++;
            at = logged + 1;
            break;
        }
    }
    return tied;
}

/* A log's clock is local time, which differs by whole quarters of an hour. */
static int64_t clock_shift(const struct inspector_rank *rank, const logged_ops *logged) {
    int64_t system = (int64_t)rank->ops.items[0].time_ns, quarter = QUARTER_SECONDS * SECOND;
    int64_t apart = system - logged->items[0].ns;
    int64_t steps = (apart + (apart < 0 ? -quarter : quarter) / 2) / quarter;
    return steps * quarter;
}

static uint64_t join_rank(struct inspector_rank *rank, const struct run *log, uint16_t number, struct slice text, bool *timed) {
    logged_ops logged = {0};
    list_logged(log, number, &logged);
    struct join_walk w = {.logged = &logged, .rank = rank};
    uint64_t tied = 0;
    w.timed = rank->ops.len && find_times(&logged, text);
    if (w.timed) w.shift = clock_shift(rank, &logged);
    if (logged.len && rank->ops.len) tied = walk(&w);
    if (tied * 100 < rank->ops.len * LEAST_PERCENT) {
        for (size_t i = 0; i < rank->ops.len; i++) rank->ops.items[i].place = 0;
        tied = 0;
    }
    *timed &= w.timed;
    for (size_t i = 0; i < w.names.len; i++) strbuf_release(&w.names.items[i]);
    vec_release(&w.names);
    vec_release(&logged);
    return tied;
}

enum { NO_RANK = 0x10000 };

/* The rank of the log that an Inspector folder belongs to: the one with the same number, or the only one on both sides. */
static unsigned rank_in_log(const struct run *log, struct slice name) {
    uint64_t wanted, number;
    unsigned found = NO_RANK, with_ops = 0, last = NO_RANK;
    bool numbered = num_at_end(name, &wanted) > 0; /* "1,3", "rank3", "3" */
    for (size_t i = 0; i < log->ranks.len; i++) {
        if (!log->ranks.items[i].records) continue;
        with_ops++;
        last = (unsigned)i;
        if (!numbered || !num_at_end(run_string(log, log->ranks.items[i].name), &number) || number != wanted) continue;
        if (found != NO_RANK) return NO_RANK; /* "host1,0" and "host2,0": ambiguous */
        found = (unsigned)i;
    }
    return found == NO_RANK && with_ops == 1 && !numbered ? last : found;
}

uint64_t inspector_join(struct inspector_data *data, const struct run *log, struct slice text, enum inspector_tie *by) {
    uint64_t tied = 0;
    bool timed = true;
    for (size_t i = 0; i < data->ranks.len; i++) {
        unsigned rank = rank_in_log(log, data->ranks.items[i].name);
        if (rank != NO_RANK) tied += join_rank(&data->ranks.items[i], log, (uint16_t)rank, text, &timed);
    }
    *by = !tied ? TIED_NOT : timed ? TIED_BY_TIME : TIED_BY_ORDER;
    return tied;
}
