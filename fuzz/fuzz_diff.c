/* SPDX-License-Identifier: Apache-2.0 */
/* Two logs compared, in every form. The causes and the rest add up to the difference of the peaks, both ways round, and a run
 * does not differ from itself. */
#include <stdint.h>
#include <stdlib.h>

#include "analysis/compare/diff.h"
#include "render/compare/diff.h"
#include "two_logs.h"

static void refuse_wrong_sums(const struct diff *d) {
    for (int pool = 0; pool < POOL_COUNT; pool++) {
        const struct diff_pool *p = &d->pools[pool];
        int64_t sum = p->rest;
        for (size_t i = 0; i < p->tensors.len; i++) {
            int64_t of_causes = 0;
            for (int c = 0; c < CAUSE_COUNT; c++) of_causes += p->tensors.items[i].by_cause[c];
            if (of_causes != p->tensors.items[i].bytes) abort();
            sum += p->tensors.items[i].bytes;
        }
        if (p->seen && p->has_live && sum != p->difference) abort();
    }
}

static void compare(const struct fuzz_run *a, const struct fuzz_run *b, bool same) {
    struct diff d;
    struct strbuf out = {0};
    struct term term = {.utf8 = true, .columns = 80};
    diff_make(&a->footprint, &b->footprint, &d);
    refuse_wrong_sums(&d);
    if (same && (d.added || d.removed || d.pools[POOL_DRAM].difference || d.pools[POOL_L1].difference)) abort();
    struct diff_request request = {.diff = &d, .a = SLICE("a"), .b = SLICE("b")};
    diff_text(&out, &term, &request);
    diff_json(&out, &request);
    diff_markdown(&out, &request);
    diff_html(&out, &request);
    strbuf_release(&out);
    diff_release(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice first, second;
    struct fuzz_run a, b;
    fuzz_split(slice_of((const char *)data, size), &first, &second);
    fuzz_run_read(&a, first, SLICE("a"));
    fuzz_run_read(&b, second, SLICE("b"));
    compare(&a, &b, false);
    compare(&b, &a, false);
    compare(&a, &a, true);
    fuzz_run_release(&a);
    fuzz_run_release(&b);
    return 0;
}
