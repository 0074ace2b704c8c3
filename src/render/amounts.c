#include "render/amounts.h"

#include "base/num.h"

static void add_scaled(struct strbuf *out, __int128 part, uint64_t whole, unsigned decimals) {
    uint64_t scale = 1;
    for (unsigned i = 0; i < decimals; i++) scale *= 10;
    bool negative = part < 0;
    unsigned __int128 magnitude = (unsigned __int128)(negative ? -part : part) * scale;
    uint64_t rounded = whole ? (uint64_t)((magnitude + whole / 2) / whole) : 0;
    if (negative && rounded) strbuf_addc(out, '-');
    strbuf_addu(out, rounded / scale);
    if (!decimals) return;
    char digits[8];
    uint64_t rest = rounded % scale;
    for (unsigned i = decimals; i-- > 0; rest /= 10) digits[i] = (char)('0' + rest % 10);
    strbuf_addc(out, '.');
    strbuf_add(out, slice_of(digits, decimals));
}

void add_ratio(struct strbuf *out, int64_t part, uint64_t whole, unsigned decimals) { add_scaled(out, part, whole, decimals); }

void add_percent(struct strbuf *out, int64_t part, uint64_t whole) {
    add_scaled(out, (__int128)part * 100, whole, 1);
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
