/* Findings: what they are called, how bad they are, what they say. */
#include "cb/study/cb_scan.h"

static const struct {
    const char *key;
    enum cb_severity severity;
} kinds[] = {
    [CB_PRODUCED_ONLY] = {"produced_only", CB_WARNING},
    [CB_CONSUMED_ONLY] = {"consumed_only", CB_ERROR},
    [CB_OVER_LIMIT] = {"over_limit", CB_ERROR},
    [CB_BAD_PAGES] = {"bad_pages", CB_ERROR},
    [CB_SAME_INDEX] = {"same_index", CB_ERROR},
    [CB_BAD_INDEX] = {"bad_index", CB_ERROR},
    [CB_MANY_PAGES] = {"many_pages", CB_ERROR},
    [CB_NO_PAGE_SIZE] = {"no_page_size", CB_WARNING},
    [CB_NO_BYTES] = {"no_bytes", CB_ERROR},
};

enum cb_severity cb_finding_severity(enum cb_finding_kind kind) { return kinds[kind].severity; }
const char *cb_finding_key(enum cb_finding_kind kind) { return kinds[kind].key; }

void cb_finding_write(struct strbuf *out, const struct cb_file *file, const struct cb_finding *f) {
    (void)file;
    switch (f->kind) {
        case CB_PRODUCED_ONLY:
            strbuf_addf(out, "CB %d is filled but no kernel waits for it", (int)f->index);
            break;
        case CB_CONSUMED_ONLY:
            strbuf_addf(out, "CB %d is waited for but no kernel fills it", (int)f->index);
            break;
        case CB_OVER_LIMIT:
            strbuf_addf(out, "%llu B per core do not fit the %llu B there are", (unsigned long long)f->bytes,
                        (unsigned long long)f->limit);
            break;
        case CB_BAD_PAGES:
            strbuf_addf(out, "CB %d: %llu B are not a multiple of its page of %llu B", (int)f->index,
                        (unsigned long long)f->bytes, (unsigned long long)f->limit);
            break;
        case CB_SAME_INDEX:
            strbuf_addf(out, "CB %d is made a second time on the same cores (first at line %llu)", (int)f->index,
                        (unsigned long long)f->limit);
            break;
        case CB_MANY_PAGES:
            strbuf_addf(out, "CB %d has %llu pages: no more than %llu can be counted", (int)f->index,
                        (unsigned long long)f->bytes, (unsigned long long)f->limit);
            break;
        case CB_NO_PAGE_SIZE:
            strbuf_addf(out, "CB %d is never given a page size", (int)f->index);
            break;
        case CB_NO_BYTES:
            strbuf_addf(out, "CB %d has no bytes", (int)f->index);
            break;
        case CB_BAD_INDEX:
            strbuf_addf(out, "CB %d does not exist: the chip has %llu", (int)f->index, (unsigned long long)f->limit);
            break;
    }
}
