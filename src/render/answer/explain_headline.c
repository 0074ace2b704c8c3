/* SPDX-License-Identifier: Apache-2.0 */
/* A failure in one line. */
#include "base/amounts.h"
#include "base/num.h"
#include "base/utf8.h"
#include "render/answer/explain.h"

static void headline_oom(struct strbuf *out, const struct explanation *e) {
    static const char *const words[] = {[VERDICT_UNKNOWN] = "cause unknown",
                                        [VERDICT_FRAGMENTED] = "fragmented",
                                        [VERDICT_EXHAUSTED] = "exhausted",
                                        [VERDICT_EXCEEDS_BANK] = "exceeds bank"};
    const struct failure *f = &e->entry->failure;
    strbuf_addf(out, "Out of %s: %s", f->pool ? failure_pool_name(f->pool) : "memory", words[e->verdict.kind]);
    if (!e->verdict.has_shortfall) return;
    strbuf_addz(out, ", short by ");
    add_bytes(out, e->verdict.shortfall_bytes);
    strbuf_addz(out, " per bank");
    if (!e->verdict.shortfall_total_bytes) return;
    strbuf_addz(out, ", ");
    add_bytes(out, e->verdict.shortfall_total_bytes);
    strbuf_addz(out, " in total");
    if (e->verdict.kind != VERDICT_EXHAUSTED || e->verdict.contiguous_bytes <= e->verdict.shortfall_bytes) return;
    strbuf_addz(out, "; in one piece ");
    add_bytes(out, e->verdict.contiguous_bytes);
    strbuf_addz(out, " per bank");
}

static void headline_buffers(struct strbuf *out, const struct explanation *e) {
    const struct failure *f = &e->entry->failure;
    bool dataflow = f->kind == FAILURE_DFB_CLASH || f->kind == FAILURE_DFB_BEYOND_L1;
    bool clash = f->kind == FAILURE_CB_CLASH || f->kind == FAILURE_DFB_CLASH;
    strbuf_addf(out, "%s buffers %s", dataflow ? "Dataflow" : "Circular", clash ? "clash" : "exceed L1");
    if (e->verdict.has_overlap) {
        strbuf_addz(out, " by ");
        add_bytes(out, e->verdict.overlap_bytes);
    }
    if (f->core_range[0]) {
        strbuf_addz(out, " on cores ");
        utf8_add_printable(out, slice_from(f->core_range), true);
    }
}

static void headline_short(struct strbuf *out, const struct explanation *e, const char *what) {
    strbuf_addz(out, what);
    if (!e->verdict.has_shortfall) return;
    bool sentence = e->entry->failure.what != NULL;
    strbuf_addz(out, sentence ? ", short by " : " short by ");
    if (e->entry->failure.rounding) strbuf_addz(out, "about ");
    add_bytes(out, e->verdict.shortfall_bytes);
}

/* Kinds whose row says in words what is wrong. */
static void headline_what(struct strbuf *out, const struct explanation *e) {
    const struct failure *f = &e->entry->failure;
    if (f->warning) strbuf_addz(out, "Warning: ");
    headline_short(out, e, f->what ? f->what : failure_kind_name(f->kind));
    if (e->verdict.has_overlap) {
        strbuf_addz(out, " by ");
        add_bytes(out, e->verdict.overlap_bytes);
        if (f->kind == FAILURE_TRACE_OVERLAP) strbuf_addz(out, " per bank");
    }
    if (f->core_range[0]) {
        strbuf_addz(out, ", on ");
        utf8_add_printable(out, slice_from(f->core_range), true);
    }
}

static void headline(struct strbuf *out, const struct explanation *e) {
    switch (e->entry->failure.kind) {
        case FAILURE_OOM:
            headline_oom(out, e);
            break;
        case FAILURE_CB_CLASH:
        case FAILURE_DFB_CLASH:
        case FAILURE_CB_BEYOND_L1:
        case FAILURE_DFB_BEYOND_L1:
            headline_buffers(out, e);
            break;
        case FAILURE_TRACE_REGION:
            headline_short(out, e, "Trace region");
            if (e->verdict.trace_region_size && e->verdict.trace_region_size <= chip_most_dram_bytes(e->verdict.chip))
                strbuf_addf(out, ": set %s to at least %llu", setting_of(e->context.product, SETTING_TRACE_REGION).words,
                            (unsigned long long)e->verdict.trace_region_size);
            break;
        case FAILURE_KERNEL_CONFIG:
            strbuf_addz(out, "Kernel config buffer ");
            if (e->entry->failure.core_type[0]) strbuf_addf(out, "of %s cores ", e->entry->failure.core_type);
            out->len--;
            headline_short(out, e, "");
            break;
        case FAILURE_OOM_ADDRESS:
            headline_short(out, e, "Out of L1: interleaved buffers reached their lowest address,");
            break;
        case FAILURE_CB_RULE:
            strbuf_addf(out, "%s: %s", e->entry->failure.warning ? "Warning" : "Circular buffer rule broken",
                        e->entry->failure.rule);
            break;
        case FAILURE_NOT_MEMORY:
            strbuf_addz(out, failure_may_be_memory(&e->entry->failure) ? "A fatal error that may be about memory: "
                                                                       : "A fatal error that is not about memory: ");
            utf8_add_printable(out, slice_from(e->entry->failure.words), true);
            break;
        default:
            headline_what(out, e);
            break;
    }
}

void explain_headline(struct strbuf *out, const struct explanation *e) {
    headline(out, e);
    if (!e->verdict.contradiction.len) return;
    bool in_doubt = e->verdict.kind == VERDICT_UNKNOWN;
    strbuf_addz(out, in_doubt ? ", by figures that contradict each other" : "; other figures contradict each other");
}
