/* SPDX-License-Identifier: Apache-2.0 */
/* Findings: their names, severities and messages. */
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
    struct strbuf which = {0};
    if (f->name.len) strbuf_addf(&which, "dataflow buffer %.*s", (int)(f->name.len > 80 ? 80 : f->name.len), f->name.ptr);
    else if (f->index >= 0) strbuf_addf(&which, "CB %d", (int)f->index);
    else strbuf_addz(&which, "a buffer");
    for (size_t i = 0; i < which.len; i++)
        if ((unsigned char)which.data[i] < 0x20 || which.data[i] == 0x7f) which.data[i] = '?';
    const char *cb = strbuf_text(&which);
    switch (f->kind) {
        case CB_PRODUCED_ONLY:
            strbuf_addf(out, "%s is filled but no kernel waits for it", cb);
            break;
        case CB_CONSUMED_ONLY:
            strbuf_addf(out, "%s is waited for but no kernel fills it", cb);
            break;
        case CB_OVER_LIMIT:
            strbuf_addf(out, "%llu B per core do not fit the %llu B there are", (unsigned long long)f->bytes,
                        (unsigned long long)f->limit);
            break;
        case CB_BAD_PAGES:
            strbuf_addf(out, "%s: %llu B are not a multiple of its page of %llu B", cb, (unsigned long long)f->bytes,
                        (unsigned long long)f->limit);
            break;
        case CB_SAME_INDEX:
            strbuf_addf(out, "%s is made a second time on the same cores (first at line %llu)", cb,
                        (unsigned long long)f->limit);
            break;
        case CB_MANY_PAGES:
            strbuf_addf(out, "%s has %llu pages: no more than %llu can be counted", cb, (unsigned long long)f->bytes,
                        (unsigned long long)f->limit);
            break;
        case CB_NO_PAGE_SIZE:
            strbuf_addf(out, "%s is never given a page size", cb);
            break;
        case CB_NO_BYTES:
            strbuf_addf(out, "%s has no bytes", cb);
            break;
        case CB_BAD_INDEX:
            strbuf_addf(out, "%s does not exist: the chip has %llu", cb, (unsigned long long)f->limit);
            break;
    }
    strbuf_release(&which);
}
