/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/show/cb_sarif.h"

#include <string.h>

#include "base/strbuf.h"

/* One row per kind of finding; the ids never change. Severities come from cb_finding_severity. */
static const struct ci_rule rules[] = {
    [CB_PRODUCED_ONLY] = {"TTM001", "BufferNeverConsumed", "A buffer is filled and no kernel waits for it",
                          "Remove the buffer, or wait for it and pop what was pushed.", false},
    [CB_CONSUMED_ONLY] = {"TTM002", "BufferNeverFilled", "A buffer is waited for and no kernel fills it",
                          "The kernel that waits will hang: push to the buffer somewhere.", false},
    [CB_OVER_LIMIT] = {"TTM003", "BuffersBeyondL1", "The buffers of a core need more than its L1, whatever branches are taken",
                       "ttmem l1 shave finds the parameters that make them smaller.", false},
    [CB_BAD_PAGES] = {"TTM004", "SizeNotMultipleOfPage", "A buffer's size is not a multiple of its page size",
                      "tt-metal refuses such a buffer: round its size up to whole pages.", false},
    [CB_SAME_INDEX] = {"TTM005", "IndexMadeTwice", "An index is made twice on the same cores",
                       "tt-metal refuses the second: use another index.", false},
    [CB_BAD_INDEX] = {"TTM006", "IndexBeyondChip", "An index that the chip does not have", "Use a smaller index.", false},
    [CB_MANY_PAGES] = {"TTM007", "TooManyPages", "More pages than tt-metal counts", "Use a larger page size.", false},
    [CB_NO_PAGE_SIZE] = {"TTM008", "NoPageSize", "A buffer is never given a page size", "Call set_page_size.", false},
    [CB_NO_BYTES] = {"TTM009", "NoBytes", "A buffer of no bytes", "Give it a size, or do not make it.", false},
};

void cb_findings_make(struct cb_ci_findings *all, struct cb_files files) {
    struct strbuf text = {0};
    *all = (struct cb_ci_findings){0};
    for (size_t i = 0; i < files.len; i++)
        for (size_t k = 0; k < files.items[i].findings.len; k++) {
            const struct cb_file *file = &files.items[i];
            const struct cb_finding *f = &file->findings.items[k];
            strbuf_clear(&text);
            cb_finding_write(&text, file, f);
            struct ci_finding finding = {.rule = f->kind,
                                         .message = arena_copy(&all->arena, strbuf_slice(&text)),
                                         .path = file->path,
                                         .line = f->line,
                                         .scope = file->source.programs.items[f->program].function};
            vec_push(&all->items, finding);
        }
    struct ci_rule *told = arena_alloc(&all->arena, sizeof rules);
    memcpy(told, rules, sizeof rules);
    for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++)
        told[i].is_error = cb_finding_severity((enum cb_finding_kind)i) == CB_ERROR;
    all->findings = (struct ci_findings){told, sizeof rules / sizeof *rules, all->items.items, all->items.len};
    strbuf_release(&text);
}

void cb_findings_release(struct cb_ci_findings *all) {
    vec_release(&all->items);
    arena_release(&all->arena);
}
