#include "render/status_line.h"

#include "base/num.h"
#include "base/utf8.h"

enum { BAR_CELLS = 12, WARN_PERCENT = 80, BAD_PERCENT = 90 };

static void add_time(struct strbuf *out, int64_t ns) {
    int64_t s = ns / 1000000000;
    if (s >= 3600) strbuf_addf(out, "%lld:%02lld:%02lld", (long long)(s / 3600), (long long)(s / 60 % 60), (long long)(s % 60));
    else strbuf_addf(out, "%02lld:%02lld", (long long)(s / 60), (long long)(s % 60));
}

static void add_bytes(struct strbuf *out, uint64_t bytes) {
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
    size_t unit = 0;
    double amount = (double)bytes;
    while (amount >= 1024 && unit < 4) amount /= 1024, unit++;
    strbuf_addf(out, unit ? "%.1f %s" : "%.0f %s", amount, units[unit]);
}

/* "3109.9", "1.21": enough to tell neighbours apart. */
static void add_mb(struct strbuf *out, uint32_t milli, uint32_t total) {
    strbuf_addf(out, "%.*f", total >= 100000 ? 1 : 3, (double)milli / 1000);
}

static void add_pool(struct strbuf *out, const struct term *term, const struct watch_status *s) {
    const struct pool_view *dram = &s->now[POOL_DRAM];
    if (s->seen[POOL_DRAM]) {
        int64_t percent = num_percent_milli(s->peak[POOL_DRAM], dram->total);
        enum tone tone = percent >= BAD_PERCENT * 1000 ? TONE_BAD : percent >= WARN_PERCENT * 1000 ? TONE_WARN : TONE_PLAIN;
        strbuf_addz(out, "  DRAM ");
        if (tone != TONE_PLAIN) term_tone(out, term, tone);
        term_bar(out, term, dram->allocated, dram->total, BAR_CELLS);
        if (tone != TONE_PLAIN) term_tone(out, term, TONE_PLAIN);
        strbuf_addc(out, ' ');
        add_mb(out, dram->allocated, dram->total);
        strbuf_addz(out, " now, ");
        add_mb(out, s->peak[POOL_DRAM], dram->total);
        strbuf_addz(out, " peak of ");
        add_mb(out, dram->total, dram->total);
        strbuf_addz(out, " MB/bank");
    }
    if (s->seen[POOL_L1]) {
        strbuf_addz(out, "  L1 peak ");
        add_mb(out, s->peak[POOL_L1], s->now[POOL_L1].total);
        strbuf_addz(out, " of ");
        add_mb(out, s->now[POOL_L1].total, s->now[POOL_L1].total);
    }
}

void status_line(struct strbuf *out, const struct term *term, const struct watch_status *s, int64_t elapsed_ns) {
    struct strbuf line = {0};
    if (s->failed) {
        term_tone(&line, term, TONE_BAD);
        strbuf_addz(&line, "FAILED  ");
        term_tone(&line, term, TONE_PLAIN);
    }
    if (elapsed_ns >= 0) add_time(&line, elapsed_ns);
    if (elapsed_ns >= 0) strbuf_addz(&line, "  ");
    add_bytes(&line, s->bytes);
    char number[NUM_ROOM];
    strbuf_addf(&line, "  %.*s %s", (int)num_write_grouped(number, s->ops), number, s->ops == 1 ? "op" : "ops");
    add_pool(&line, term, s);
    if (!s->seen[POOL_DRAM]) {
        strbuf_addz(&line, "  ");
        term_tone(&line, term, TONE_DIM);
        strbuf_addz(&line, "no memory line yet");
        term_tone(&line, term, TONE_PLAIN);
    }
    if (s->program[0]) {
        strbuf_addz(&line, "  ");
        term_text(&line, term, slice_from(s->program), 40);
    }
    term_fit_lines(out, term, strbuf_slice(&line));
    strbuf_release(&line);
}
