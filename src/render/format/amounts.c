#include "render/format/amounts.h"

#include "base/num.h"

static uint64_t power_of_ten(unsigned exponent) {
    uint64_t power = 1;
    while (exponent-- > 0) power *= 10;
    return power;
}

/* part / whole in units of the last of `decimals` digits, rounded half up. */
static uint64_t rounded(unsigned __int128 part, uint64_t whole, unsigned decimals) {
    return whole ? (uint64_t)((part * power_of_ten(decimals) + whole / 2) / whole) : 0;
}

static void add_scaled(struct strbuf *out, __int128 part, uint64_t whole, unsigned decimals) {
    bool negative = part < 0;
    uint64_t units = rounded((unsigned __int128)(negative ? -part : part), whole, decimals), scale = power_of_ten(decimals);
    if (negative && units) strbuf_addc(out, '-');
    strbuf_addu(out, units / scale);
    if (!decimals) return;
    char digits[8];
    uint64_t rest = units % scale;
    for (unsigned i = decimals; i-- > 0; rest /= 10) digits[i] = (char)('0' + rest % 10);
    strbuf_addc(out, '.');
    strbuf_add(out, slice_of(digits, decimals));
}

void add_ratio(struct strbuf *out, int64_t part, uint64_t whole, unsigned decimals) { add_scaled(out, part, whole, decimals); }

void add_percent(struct strbuf *out, int64_t part, uint64_t whole) {
    add_scaled(out, (__int128)part * 100, whole, 1);
    strbuf_addc(out, '%');
}

void add_percent_beside(struct strbuf *out, uint64_t part, uint64_t whole, unsigned percent) {
    unsigned __int128 figure = (unsigned __int128)part * 100;
    unsigned decimals = 1;
    if (figure != (unsigned __int128)whole * percent)
        while (decimals < 6 && rounded(figure, whole, decimals) == percent * power_of_ten(decimals)) decimals++;
    add_scaled(out, (__int128)figure, whole, decimals);
    strbuf_addc(out, '%');
}

void add_grouped(struct strbuf *out, uint64_t n) {
    char text[NUM_ROOM];
    strbuf_add(out, slice_of(text, num_write_grouped(text, n)));
}

void add_size(struct strbuf *out, uint64_t bytes) {
    if (bytes >= NUM_MIB) {
        add_mb(out, bytes, 2);
        strbuf_addz(out, " MB");
    } else if (bytes >= 1024) {
        add_ratio(out, (int64_t)bytes, 1024, 1);
        strbuf_addz(out, " KB");
    } else {
        strbuf_addu(out, bytes);
        strbuf_addz(out, " B");
    }
}
