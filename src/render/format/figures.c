#include "render/format/figures.h"

#include <stdio.h>

#include "base/num.h"

static uint64_t magnitude(int64_t n) { return n < 0 ? 0 - (uint64_t)n : (uint64_t)n; }

static struct figure hundredths(int64_t thousandths, const char *plus) {
    uint64_t rounded_up = (magnitude(thousandths) + 5) / 10;
    struct figure figure;
    snprintf(figure.text, sizeof figure.text, "%s%llu.%02llu", thousandths < 0 && rounded_up ? "-" : plus,
             (unsigned long long)(rounded_up / 100), (unsigned long long)(rounded_up % 100));
    return figure;
}

struct figure fixed2(int64_t thousandths) {
    return hundredths(thousandths, "");
}
struct figure signed2(int64_t thousandths) {
    return hundredths(thousandths, "+");
}

struct figure rounded(int64_t thousandths) {
    struct figure figure;
    uint64_t whole = (magnitude(thousandths) + 500) / 1000;
    snprintf(figure.text, sizeof figure.text, "%s%llu", thousandths < 0 && whole ? "-" : "", (unsigned long long)whole);
    return figure;
}

struct figure grouped(uint64_t n) {
    struct figure figure;
    figure.text[num_write_grouped(figure.text, n)] = '\0';
    return figure;
}
