/* SPDX-License-Identifier: Apache-2.0 */
#include "base/amounts.h"

#include "base/num.h"

static uint64_t power_of_ten(unsigned exponent) {
    uint64_t power = 1;
    while (exponent-- > 0) power *= 10;
    return power;
}

static uint64_t magnitude(int64_t n) { return n < 0 ? 0 - (uint64_t)n : (uint64_t)n; }

/* part / whole in units of the last of `decimals` digits. */
static uint64_t rounded(unsigned __int128 part, uint64_t whole, unsigned decimals) {
    return whole ? (uint64_t)((part * power_of_ten(decimals) + whole / 2) / whole) : 0;
}

static size_t write_units(char *out, uint64_t units, unsigned decimals) {
    uint64_t scale = power_of_ten(decimals), rest = units % scale;
    size_t len = num_write_u64(out, units / scale);
    if (!decimals) return len;
    out[len++] = '.';
    for (unsigned i = decimals; i-- > 0; rest /= 10) out[len + i] = (char)('0' + rest % 10);
    return len + decimals;
}

/* `plus`: the sign of an amount that is not negative. An amount that rounds to zero has no minus. */
static size_t write_ratio(char *out, __int128 part, uint64_t whole, unsigned decimals, bool plus) {
    uint64_t units = rounded((unsigned __int128)(part < 0 ? -part : part), whole, decimals);
    size_t len = 0;
    if (part < 0 && units) out[len++] = '-';
    else if (plus) out[len++] = '+';
    return len + write_units(out + len, units, decimals);
}

static struct figure figure_of(__int128 part, uint64_t whole, unsigned decimals, bool plus) {
    struct figure figure;
    figure.text[write_ratio(figure.text, part, whole, decimals, plus)] = '\0';
    return figure;
}

struct figure figure_milli(int64_t thousandths, unsigned decimals) {
    return figure_of(thousandths, 1000, decimals, false);
}

struct figure figure_change(int64_t thousandths, unsigned decimals) {
    return figure_of(thousandths, 1000, decimals, true);
}

struct figure figure_ratio(int64_t part, uint64_t whole, unsigned decimals) {
    return figure_of(part, whole, decimals, false);
}

struct figure figure_percent(int64_t part, uint64_t whole, unsigned decimals) {
    return figure_of((__int128)part * 100, whole, decimals, false);
}

struct figure figure_grouped(uint64_t n) {
    struct figure figure;
    figure.text[num_write_grouped(figure.text, n)] = '\0';
    return figure;
}

static size_t write_bytes(char *out, uint64_t bytes) {
    size_t len = bytes < NUM_MIB ? num_write_grouped(out, bytes) : write_ratio(out, bytes, NUM_MIB, 2, false);
    struct slice unit = bytes < NUM_MIB ? SLICE(" B") : SLICE(" MB");
    memcpy(out + len, unit.ptr, unit.len);
    return len + unit.len;
}

struct figure figure_bytes(uint64_t bytes) {
    struct figure figure;
    figure.text[write_bytes(figure.text, bytes)] = '\0';
    return figure;
}

struct figure figure_signed_bytes(int64_t bytes, bool plus) {
    struct figure figure;
    bool sign = bytes < 0 || plus;
    if (sign) figure.text[0] = bytes < 0 ? '-' : '+';
    figure.text[sign + write_bytes(figure.text + sign, magnitude(bytes))] = '\0';
    return figure;
}

static void add_written(struct strbuf *out, __int128 part, uint64_t whole, unsigned decimals) {
    strbuf_took(out, write_ratio(strbuf_room(out, NUM_ROOM), part, whole, decimals, false));
}

void add_ratio(struct strbuf *out, int64_t part, uint64_t whole, unsigned decimals) { add_written(out, part, whole, decimals); }

void add_mb_even(struct strbuf *out, uint64_t bytes) {
    unsigned __int128 scaled = (unsigned __int128)bytes * 100;
    uint64_t hundredths = (uint64_t)(scaled / NUM_MIB), rest = (uint64_t)(scaled % NUM_MIB);
    hundredths += rest > NUM_MIB / 2 || (rest == NUM_MIB / 2 && hundredths % 2);
    strbuf_took(out, write_units(strbuf_room(out, NUM_ROOM), hundredths, 2));
}

void add_percent(struct strbuf *out, int64_t part, uint64_t whole) {
    add_written(out, (__int128)part * 100, whole, 1);
    strbuf_addz(out, " %");
}

void add_percent_close(struct strbuf *out, int64_t part, uint64_t whole) {
    add_written(out, (__int128)part * 100, whole, 1);
    strbuf_addc(out, '%');
}

void add_percent_beside(struct strbuf *out, uint64_t part, uint64_t whole, unsigned percent) {
    unsigned __int128 figure = (unsigned __int128)part * 100;
    unsigned decimals = 1;
    if (figure != (unsigned __int128)whole * percent)
        while (decimals < 6 && rounded(figure, whole, decimals) == percent * power_of_ten(decimals)) decimals++;
    add_written(out, (__int128)figure, whole, decimals);
    strbuf_addc(out, '%');
}

void add_grouped(struct strbuf *out, uint64_t n) { strbuf_took(out, num_write_grouped(strbuf_room(out, NUM_ROOM), n)); }

void add_bytes(struct strbuf *out, uint64_t bytes) {
    add_grouped(out, bytes);
    strbuf_addz(out, " B");
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

void add_log_size(struct strbuf *out, int64_t bytes, bool plus) {
    uint64_t size = magnitude(bytes);
    if (bytes < 0 || plus) strbuf_addc(out, bytes < 0 ? '-' : '+');
    if (size >= 10240 || !size) {
        add_mb(out, size, 3);
        strbuf_addz(out, " MB");
    } else {
        add_size(out, size);
    }
}

void add_scaled_size(struct strbuf *out, uint64_t bytes, bool fine) {
    static const char *const units[] = {" B", " KB", " MB", " GB", " TB"};
    unsigned unit = 0;
    uint64_t one = 1;
    while (unit < 4 && bytes >= one * 1024) one *= 1024, unit++;
    add_written(out, bytes, one, !unit ? 0 : fine && bytes / one < 100 ? 2 : 1);
    strbuf_addz(out, units[unit]);
}
