/* Amounts for people: thousandths shown with two decimals, rounded half away from zero. By value, for use in printf arguments:
 * printf("%s MB", fixed2(peak).text). */
#ifndef TTMEM_RENDER_FIGURES_H
#define TTMEM_RENDER_FIGURES_H

#include <stdint.h>

struct figure {
    char text[32];
};

struct figure fixed2(int64_t thousandths);  /* 8278650 -> "8278.65" */
struct figure signed2(int64_t thousandths); /* 770 -> "+0.77" */
struct figure rounded(int64_t thousandths); /* 8278650 -> "8279" */
struct figure grouped(uint64_t n);          /* 969369600 -> "969,369,600" */

#endif
