/* SPDX-License-Identifier: Apache-2.0 */
#include "render/answer/status_line.h"

#include "base/amounts.h"
#include "base/num.h"
#include "base/utf8.h"

enum { BAR_CELLS = 12, WARN_PERCENT = 80, BAD_PERCENT = 90 };

static void add_clock(struct strbuf *out, int64_t ns) {
    int64_t s = ns / 1000000000;
    if (s >= 3600) strbuf_addf(out, "%lld:%02lld:%02lld", (long long)(s / 3600), (long long)(s / 60 % 60), (long long)(s % 60));
    else strbuf_addf(out, "%02lld:%02lld", (long long)(s / 60), (long long)(s % 60));
}

/* "3109.9", "1.21": enough digits to show differences. */
static void add_of(struct strbuf *out, uint32_t milli, uint32_t total) { add_milli(out, milli, total >= 100000 ? 1 : 3); }

/* From the fullest form to the one for 80 columns, which still shows the running program. */
enum form { FORM_BAR, FORM_WORDS, FORM_SHORT, FORM_SHORTEST };

static void add_dram(struct strbuf *out, const struct term *term, const struct watch_status *s, enum form form) {
    const struct pool_view *dram = &s->now[POOL_DRAM];
    int64_t percent = num_percent_milli(s->peak[POOL_DRAM], dram->total);
    enum tone tone = percent >= BAD_PERCENT * 1000 ? TONE_BAD : percent >= WARN_PERCENT * 1000 ? TONE_WARN : TONE_PLAIN;
    strbuf_addz(out, "  DRAM ");
    if (form == FORM_BAR) {
        if (tone != TONE_PLAIN) term_tone(out, term, tone);
        term_bar(out, term, dram->allocated, dram->total, BAR_CELLS);
        if (tone != TONE_PLAIN) term_tone(out, term, TONE_PLAIN);
        strbuf_addc(out, ' ');
    }
    bool words = form <= FORM_WORDS;
    if (s->at_least[POOL_DRAM]) strbuf_addz(out, words ? "at least " : ">=");
    add_of(out, dram->allocated, dram->total);
    strbuf_addz(out, words ? " now, " : " peak ");
    if (form != FORM_BAR && tone != TONE_PLAIN) term_tone(out, term, tone);
    add_of(out, s->peak[POOL_DRAM], dram->total);
    if (form != FORM_BAR && tone != TONE_PLAIN) term_tone(out, term, TONE_PLAIN);
    strbuf_addz(out, words ? " peak of " : form == FORM_SHORT ? " of " : "/");
    add_of(out, dram->total, dram->total);
    strbuf_addz(out, words ? " MB/bank" : " MB");
}

static void add_l1(struct strbuf *out, const struct watch_status *s, enum form form) {
    uint32_t total = s->now[POOL_L1].total;
    strbuf_addz(out, form == FORM_SHORTEST ? "  L1 " : "  L1 peak ");
    if (s->at_least[POOL_L1]) strbuf_addz(out, form <= FORM_WORDS ? "at least " : ">=");
    add_of(out, s->peak[POOL_L1], total);
    if (form > FORM_WORDS) return;
    strbuf_addz(out, " of ");
    add_of(out, total, total);
}

static void add_line(struct strbuf *line, const struct term *term, const struct watch_status *s, int64_t elapsed_ns,
                     enum form form) {
    if (s->failed) {
        term_tone(line, term, TONE_BAD);
        strbuf_addz(line, "FAILED  ");
        term_tone(line, term, TONE_PLAIN);
    }
    if (elapsed_ns >= 0) add_clock(line, elapsed_ns);
    if (elapsed_ns >= 0) strbuf_addz(line, "  ");
    add_scaled_size(line, s->bytes, false);
    const char *what = s->states ? "state" : "op";
    strbuf_addf(line, "  %s %s%s", figure_grouped(s->ops).text, what, s->ops == 1 ? "" : "s");
    if (s->seen[POOL_DRAM]) add_dram(line, term, s, form);
    if (s->seen[POOL_L1]) add_l1(line, s, form);
    if (!s->seen[POOL_DRAM]) {
        strbuf_addz(line, "  ");
        term_tone(line, term, TONE_DIM);
        strbuf_addz(line, "no memory line yet");
        term_tone(line, term, TONE_PLAIN);
    }
    if (s->program[0]) {
        strbuf_addz(line, "  ");
        term_text(line, term, slice_from(s->program), 40);
    }
}

void status_line(struct strbuf *out, const struct term *term, const struct watch_status *s, int64_t elapsed_ns) {
    struct strbuf line = {0};
    struct term plain = *term;
    plain.color = false;
    enum form form = FORM_BAR;
    for (; term->columns && form < FORM_SHORTEST; form++) {
        strbuf_clear(&line);
        add_line(&line, &plain, s, elapsed_ns, form);
        if (utf8_width(strbuf_slice(&line)) <= term->columns) break;
    }
    strbuf_clear(&line);
    add_line(&line, term, s, elapsed_ns, form);
    term_fit_lines(out, term, strbuf_slice(&line));
    strbuf_release(&line);
}
