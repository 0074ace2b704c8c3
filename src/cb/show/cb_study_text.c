/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/show/cb_study_text.h"

#include "base/amounts.h"
#include "device/chip.h"
#include "cb/show/cb_text.h"
#include "render/format/json_parts.h"

enum { LABEL = 28, COLUMN = 22, MAP_WIDTH = 60 };

static const enum tone level_tones[] = {[CB_LOW] = TONE_GOOD, [CB_MEDIUM] = TONE_WARN, [CB_HIGH] = TONE_BAD};

static void kib_write(struct strbuf *out, uint64_t bytes) {
    if (bytes % 1024 == 0) strbuf_addf(out, "%llu KB", (unsigned long long)(bytes / 1024));
    else {
        add_grouped(out, bytes);
        strbuf_addz(out, " B");
    }
}

static void label(struct strbuf *out, const char *text) {
    strbuf_addz(out, "  ");
    text_left(out, slice_from(text), LABEL - 2);
}

/* A cell, coloured by a level; -1: no colour. */
static void cell(struct strbuf *out, const struct term *term, struct strbuf *text, int level) {
    size_t used = utf8_width(strbuf_slice(text));
    strbuf_fill(out, ' ', used < COLUMN ? COLUMN - used : 1);
    if (level >= 0) term_tone(out, term, level_tones[level]);
    strbuf_add(out, strbuf_slice(text));
    if (level >= 0) term_tone(out, term, TONE_PLAIN);
    strbuf_clear(text);
}

typedef int row_fn(struct strbuf *out, const struct cb_case *c, const struct cb_study *study);

static int row_cb_bytes(struct strbuf *out, const struct cb_case *c, const struct cb_study *s) {
    (void)s;
    kib_write(out, c->pressure.cb_bytes);
    return -1;
}
static void percent_write(struct strbuf *out, int64_t milli) {
    add_milli(out, milli, 1);
    strbuf_addz(out, " %");
}
static int row_miss(struct strbuf *out, const struct cb_case *c, const struct cb_study *s) {
    (void)s;
    percent_write(out, c->pressure.miss_milli);
    return -1;
}
static int row_coverage(struct strbuf *out, const struct cb_case *c, const struct cb_study *s) {
    (void)s;
    percent_write(out, c->pressure.coverage_milli);
    return -1;
}
static int row_used(struct strbuf *out, const struct cb_case *c, const struct cb_study *s) {
    (void)s;
    percent_write(out, c->pressure.used_milli);
    return c->pressure.fits ? -1 : (int)CB_HIGH;
}
static int row_score(struct strbuf *out, const struct cb_case *c, const struct cb_study *s) {
    (void)s;
    add_milli(out, c->pressure.score_milli, 1);
    strbuf_addf(out, "  %s", cb_level_names[c->pressure.pressure]);
    return (int)c->pressure.pressure;
}
static int row_thrashing(struct strbuf *out, const struct cb_case *c, const struct cb_study *s) {
    (void)s;
    strbuf_addz(out, cb_level_names[c->pressure.thrashing]);
    return (int)c->pressure.thrashing;
}
const char *cb_verdict(const struct cb_pressure *p) {
    return !p->fits ? "does not fit" : !p->kernels_fit ? "kernels too large" : cb_level_names[p->verdict];
}

static int row_verdict(struct strbuf *out, const struct cb_case *c, const struct cb_study *s) {
    (void)s;
    strbuf_addz(out, cb_verdict(&c->pressure));
    return (int)c->pressure.verdict;
}
static int row_again(struct strbuf *out, const struct cb_case *c, const struct cb_study *s) {
    (void)s;
    add_grouped(out, c->pressure.fetched_again);
    return -1;
}
static int row_stall(struct strbuf *out, const struct cb_case *c, const struct cb_study *s) {
    (void)s;
    uint64_t stall = 0;
    for (unsigned i = 0; i < c->sizes.n_buffers; i++) stall += c->pressure.uses[i].producer_stall;
    add_grouped(out, stall);
    return -1;
}
static int row_wait(struct strbuf *out, const struct cb_case *c, const struct cb_study *s) {
    (void)s;
    uint64_t wait = 0;
    for (unsigned i = 0; i < c->sizes.n_buffers; i++) wait += c->pressure.uses[i].consumer_wait;
    add_grouped(out, wait);
    return -1;
}
static int row_time(struct strbuf *out, const struct cb_case *c, const struct cb_study *s) {
    (void)s;
    add_grouped(out, c->pressure.total_time);
    return -1;
}
static int row_single(struct strbuf *out, const struct cb_case *c, const struct cb_study *s) {
    (void)s;
    bool any = false;
    for (unsigned i = 0; i < c->sizes.n_buffers; i++) {
        if (!c->pressure.uses[i].single) continue;
        strbuf_addf(out, "%sCB%d", any ? ", " : "", (int)c->sizes.buffers[i].index);
        any = true;
    }
    if (!any) strbuf_addz(out, "no");
    return -1;
}

static const struct {
    const char *label;
    row_fn *write;
} rows[] = {
    {"circular buffers", row_cb_bytes},
    {"miss rate of operand B", row_miss},
    {"coverage (operands A, B)", row_coverage},
    {"L1 used of the room", row_used},
    {"pressure score", row_score},
    {"thrashing risk", row_thrashing},
    {"verdict", row_verdict},
    {"tiles fetched again", row_again},
    {"reader and compute stall", row_stall},
    {"compute and writer wait", row_wait},
    {"time, units", row_time},
    {"double-buffering lost", row_single},
};

static void buffer_rows(struct strbuf *out, const struct term *term, const struct cb_study *study) {
    struct strbuf text = {0};
    bool differ = false; /* the source's role for a buffer differs from that of the other columns */
    for (int64_t index = 0; index < 64; index++) {
        const struct cb_sim_buffer *any = NULL;
        for (unsigned c = 0; c < study->n_cases; c++)
            for (unsigned i = 0; i < study->cases[c].sizes.n_buffers; i++) {
                const struct cb_sim_buffer *b = &study->cases[c].sizes.buffers[i];
                if (b->index == index && (!any || b->has_role)) any = b;
            }
        if (!any) continue;
        strbuf_addf(&text, "CB%d  %s", (int)index, cb_role_names[cb_sim_role(any)]);
        label(out, strbuf_text(&text));
        strbuf_clear(&text);
        for (unsigned c = 0; c < study->n_cases; c++) {
            const struct cb_case *k = &study->cases[c];
            for (unsigned i = 0; i < k->sizes.n_buffers; i++)
                if (k->sizes.buffers[i].index == index) {
                    differ |= cb_sim_role(&k->sizes.buffers[i]) != cb_sim_role(any);
                    strbuf_addf(&text, "%llu %s, peak %llu", (unsigned long long)k->sizes.buffers[i].tiles,
                                k->sizes.buffers[i].tiles == 1 ? "tile" : "tiles",
                                (unsigned long long)k->pressure.uses[i].high_water);
                    break;
                }
            if (!text.len) strbuf_addc(&text, '-');
            cell(out, term, &text, -1);
        }
        strbuf_addc(out, '\n');
    }
    if (differ)
        strbuf_addz(out, "  (roles are those of the source; the other columns have operand A in CB0, operand B in CB1)\n");
    strbuf_release(&text);
}

/* --- the L1 map, to scale --- */

struct map_region {
    const char *name;
    uint64_t bytes;
    const char *fill, *ascii;
};

static void map_line(struct strbuf *out, const struct term *term, const struct cb_study *s, const struct cb_case *c) {
    uint64_t firmware = s->chip->l1_firmware_end, base = s->chip->l1_unreserved_base, l1 = s->chip->l1_bytes;
    if (!firmware) firmware = base;
    uint64_t cbs = c->pressure.cb_bytes, buffers = s->workload.l1_buffer_bytes, room = l1 - base;
    uint64_t shown = cbs > room ? room : cbs;
    struct map_region regions[] = {{"firmware", firmware, "▓", "f"},
                                   {"kernel ring", base - firmware, "▒", "k"},
                                   {"CBs", shown, "█", "#"},
                                   {"free", room > shown + buffers ? room - shown - buffers : 0, "░", "."},
                                   {"buffers", buffers, "▚", "b"}};
    struct strbuf name = {0}; /* it may come from a file and contain anything */
    term_text(&name, term, c->sizes.name, 15);
    strbuf_addz(out, "  ");
    text_left(out, strbuf_slice(&name), 16);
    strbuf_release(&name);
    uint64_t at = 0;
    unsigned drawn = 0;
    for (unsigned i = 0; i < sizeof regions / sizeof *regions; i++) {
        at += regions[i].bytes;
        unsigned until = (unsigned)((at * MAP_WIDTH + l1 / 2) / l1);
        if (regions[i].bytes && until <= drawn && drawn < MAP_WIDTH) until = drawn + 1; /* small regions stay visible */
        for (; drawn < until && drawn < MAP_WIDTH; drawn++) strbuf_addz(out, term->utf8 ? regions[i].fill : regions[i].ascii);
    }
    strbuf_addz(out, "  ");
    kib_write(out, cbs);
    strbuf_addz(out, c->pressure.fits ? " of CBs\n" : " of CBs: does not fit\n");
}

static void map(struct strbuf *out, const struct term *term, const struct cb_study *s) {
    const struct chip *chip = s->chip;
    uint64_t firmware = chip->l1_firmware_end, base = chip->l1_unreserved_base;
    strbuf_addz(out, "\n  L1 of a core, to scale: ");
    if (firmware) {
        strbuf_addf(out, "firmware ");
        add_grouped(out, firmware);
        strbuf_addz(out, " B, kernel ring ");
        add_grouped(out, base - firmware);
        strbuf_addz(out, " B, ");
    } else {
        strbuf_addz(out, "reserved ");
        add_grouped(out, base);
        strbuf_addz(out, " B (as in a log of 2025-02), ");
    }
    strbuf_addz(out, "then room of ");
    add_grouped(out, chip_l1_bank_bytes(chip));
    strbuf_addz(out, " B\n");
    for (unsigned i = 0; i < s->n_cases; i++) map_line(out, term, s, &s->cases[i]);
    if (s->workload.kernel_bytes) {
        strbuf_addz(out, "  kernels: ");
        add_grouped(out, s->workload.kernel_bytes);
        strbuf_addz(out, " B");
        if (firmware) {
            strbuf_addz(out, " in the kernel ring of ");
            add_grouped(out, base - firmware);
            strbuf_addz(out, s->workload.kernel_bytes > base - firmware ? " B: too large, whatever the circular buffers are\n"
                                                                        : " B\n");
        } else {
            strbuf_addz(out, "; how much room they have on this chip is not known\n");
        }
    }
}

/* --- sentences --- */

static void advice_write(struct strbuf *out, const struct cb_case *c) {
    for (unsigned i = 0; i < c->sizes.n_buffers; i++)
        strbuf_addf(out, "%sCB%d %llu", i ? ", " : "", (int)c->sizes.buffers[i].index,
                    (unsigned long long)c->sizes.buffers[i].tiles);
    strbuf_addz(out, " tiles: ");
    kib_write(out, c->pressure.cb_bytes);
    strbuf_addz(out, ", score ");
    add_milli(out, c->pressure.score_milli, 1);
    strbuf_addf(out, ", %s", cb_level_names[c->pressure.verdict]);
}

void cb_low_write(struct strbuf *out, const struct cb_study *study) {
    if (study->low_exists) advice_write(out, &study->low);
    else strbuf_addz(out, "none that fits does");
}

void cb_best_write(struct strbuf *out, const struct cb_study *study) {
    if (study->best_exists) advice_write(out, &study->best);
    else strbuf_addz(out, "none: there is no room for a tile in each of four buffers");
}

void cb_trade_write(struct strbuf *out, const struct cb_study *study) {
    if (study->n_cases < 2) return;
    const struct cb_pressure *f = &study->cases[0].pressure, *a = &study->cases[1].pressure;
    uint64_t f_again = f->fetched_again, a_again = a->fetched_again;
    if (a->cb_bytes < f->cb_bytes && a_again > f_again)
        strbuf_addf(out, "adaptive: %llu B less of L1, for %llu more tiles fetched again",
                    (unsigned long long)(f->cb_bytes - a->cb_bytes), (unsigned long long)(a_again - f_again));
    else if (a_again < f_again && a->cb_bytes == f->cb_bytes)
        strbuf_addf(out, "adaptive: %llu fewer tiles fetched again, in the same L1", (unsigned long long)(f_again - a_again));
    else if (a_again < f_again)
        strbuf_addf(out, "adaptive: %llu fewer tiles fetched again, for %s%llu B of L1",
                    (unsigned long long)(f_again - a_again), a->cb_bytes >= f->cb_bytes ? "+" : "-",
                    (unsigned long long)(a->cb_bytes >= f->cb_bytes ? a->cb_bytes - f->cb_bytes : f->cb_bytes - a->cb_bytes));
    else if (a->cb_bytes != f->cb_bytes)
        strbuf_addf(out, "adaptive: %llu B %s of L1, with the same tiles fetched again",
                    (unsigned long long)(a->cb_bytes > f->cb_bytes ? a->cb_bytes - f->cb_bytes : f->cb_bytes - a->cb_bytes),
                    a->cb_bytes > f->cb_bytes ? "more" : "less");
}

void cb_study_text(struct strbuf *out, const struct term *term, const struct cb_study *study) {
    const struct cb_workload *w = &study->workload;
    strbuf_addf(out, "%llu + %llu tiles of %llu B%s%s%s%s workload\n\n", (unsigned long long)w->a_tiles,
                (unsigned long long)w->b_tiles, (unsigned long long)w->tile_bytes, term_dot(term), study->chip->title,
                term_dot(term), study->class->name);
    struct strbuf text = {0};
    label(out, "");
    for (unsigned c = 0; c < study->n_cases; c++) {
        term_text(&text, term, study->cases[c].sizes.name, COLUMN - 2);
        cell(out, term, &text, -1);
    }
    strbuf_addc(out, '\n');
    buffer_rows(out, term, study);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        label(out, rows[r].label);
        for (unsigned c = 0; c < study->n_cases; c++) {
            int level = rows[r].write(&text, &study->cases[c], study);
            cell(out, term, &text, level);
        }
        strbuf_addc(out, '\n');
    }
    map(out, term, study);
    strbuf_addc(out, '\n');
    cb_trade_write(&text, study);
    if (text.len) {
        strbuf_addz(out, "  ");
        strbuf_add(out, strbuf_slice(&text));
        strbuf_addc(out, '\n');
    }
    strbuf_addz(out, "  smallest that reaches LOW: ");
    cb_low_write(out, study);
    strbuf_addz(out, "\n  best within the room:      ");
    cb_best_write(out, study);
    strbuf_addc(out, '\n');
    strbuf_release(&text);
}

/* --- json --- */

static void case_json(struct json *j, const struct cb_case *c) {
    const struct cb_pressure *p = &c->pressure;
    json_object(j);
    json_member_str(j, "strategy", c->sizes.name);
    json_key(j, "buffers");
    json_array(j);
    for (unsigned i = 0; i < c->sizes.n_buffers; i++) {
        const struct cb_sim_buffer *b = &c->sizes.buffers[i];
        json_object(j);
        json_member_i64(j, "index", b->index);
        json_member_text(j, "role", cb_role_names[cb_sim_role(b)]);
        json_member_u64(j, "tiles", b->tiles);
        json_member_u64(j, "total_bytes", cb_sim_bytes(b));
        json_member_bool(j, "shared", b->shared);
        json_member_bool(j, "tensor_backed", b->tensor_backed);
        json_member_u64(j, "high_water_tiles", p->uses[i].high_water);
        json_member_u64(j, "producer_stall", p->uses[i].producer_stall);
        json_member_u64(j, "consumer_wait", p->uses[i].consumer_wait);
        json_member_bool(j, "double_buffering_lost", p->uses[i].single);
        json_object_end(j);
    }
    json_array_end(j);
    json_member_u64(j, "cb_bytes", p->cb_bytes);
    json_member_milli(j, "cb1_miss_rate_percent", p->miss_milli);
    json_member_milli(j, "coverage_percent", p->coverage_milli);
    json_member_milli(j, "memory_efficiency_percent", p->efficiency_milli);
    json_member_milli(j, "l1_used_percent", p->used_milli);
    json_member_milli(j, "pressure_score", p->score_milli);
    json_member_text(j, "thrashing_risk", cb_level_names[p->thrashing]);
    json_member_text(j, "pressure", cb_level_names[p->pressure]);
    json_member_text(j, "coverage_level", cb_level_names[p->coverage]);
    json_member_text(j, "verdict", cb_level_names[p->verdict]);
    json_member_bool(j, "fits", p->fits && p->kernels_fit);
    json_member_bool(j, "kernels_fit", p->kernels_fit);
    json_member_u64(j, "tiles_fetched", p->fetched);
    json_member_u64(j, "tiles_fetched_again", p->fetched_again);
    json_member_u64(j, "time_units", p->total_time);
    json_member_u64(j, "ideal_time_units", p->ideal_time);
    json_object_end(j);
}

void cb_study_json(struct json *j, const struct cb_study *study) {
    const struct cb_workload *w = &study->workload;
    json_key(j, "workload");
    json_object(j);
    json_member_u64(j, "a_tiles", w->a_tiles);
    json_member_u64(j, "b_tiles", w->b_tiles);
    json_member_u64(j, "tile_bytes", w->tile_bytes);
    json_member_u64(j, "passes", w->passes);
    json_member_text(j, "workload_class", study->class->name);
    json_object_end(j);
    json_key(j, "l1");
    json_object(j);
    json_member_text(j, "arch", study->chip->arch);
    json_member_u64(j, "l1_bytes", study->chip->l1_bytes);
    json_member_u64_if(j, "firmware_bytes", study->chip->l1_firmware_end > 0, study->chip->l1_firmware_end);
    json_member_u64(j, "base_bytes", study->chip->l1_unreserved_base);
    json_member_u64(j, "available_bytes", chip_l1_bank_bytes(study->chip));
    json_member_u64(j, "kernel_bytes", w->kernel_bytes);
    json_member_u64_if(j, "kernel_ring_bytes", cb_kernel_ring(study->chip) > 0, cb_kernel_ring(study->chip));
    json_member_u64(j, "l1_buffer_bytes", w->l1_buffer_bytes);
    json_object_end(j);
    json_key(j, "strategies");
    json_array(j);
    for (unsigned i = 0; i < study->n_cases; i++) case_json(j, &study->cases[i]);
    json_array_end(j);
    json_key(j, "smallest_low");
    if (study->low_exists) case_json(j, &study->low);
    else json_null(j);
    json_key(j, "best_within_l1");
    if (study->best_exists) case_json(j, &study->best);
    else json_null(j);
}
