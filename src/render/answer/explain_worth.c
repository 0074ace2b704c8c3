/* SPDX-License-Identifier: Apache-2.0 */
/* The gain of a piece of advice, in words. */
#include "base/amounts.h"
#include "render/answer/explain.h"

/* " Enough together with lines 2 and 3." */
static void add_partners(struct strbuf *out, const struct verdict *v, size_t i) {
    unsigned others = v->together & ~(1u << i), left = (unsigned)__builtin_popcount(others);
    if (!left) return;
    strbuf_addz(out, left > 1 ? " Enough together with lines " : " Enough together with line ");
    for (unsigned k = 0; others >> k; k++) {
        if (!(others >> k & 1)) continue;
        strbuf_addf(out, "%u%s", k + 1, left > 2 ? ", " : left == 2 ? " and " : ".");
        left--;
    }
}

void explain_worth(struct strbuf *out, const struct verdict *v, size_t i) {
    switch ((enum advice_worth)v->worth[i]) {
        case ADVICE_ENOUGH:
        case ADVICE_GOAL:
            strbuf_addz(out, i == v->sufficient              ? " This alone is enough."
                             : v->sufficient < v->advice_len ? " Also enough alone."
                                                             : " Enough alone.");
            break;
        case ADVICE_PART:
            add_partners(out, v, i);
            break;
        case ADVICE_SHORT:
            strbuf_addz(out, " Not enough alone: ");
            add_bytes(out, v->gain[i]);
            strbuf_addz(out, " of ");
            add_bytes(out, v->missing_in_sum);
            strbuf_addc(out, '.');
            break;
        case ADVICE_NOT_KNOWN:
            strbuf_addz(out, " Not known to be enough.");
            break;
        case ADVICE_REMARK:
            break;
    }
}
