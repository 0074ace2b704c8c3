/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as wrapped or coded text: what comes out does not depend on the pieces in which it is handed in. */
#include <stdint.h>
#include <stdlib.h>

#include "source/recoder.h"

static void recode(struct strbuf *out, struct slice bytes, size_t piece) {
    struct recoder *recoder = recoder_for(bytes);
    for (; recoder && bytes.len; bytes = slice_skip(bytes, piece)) recoder_take(recoder, slice_take(bytes, piece), false, out);
    if (recoder) recoder_take(recoder, slice_of("", 0), true, out);
    recoder_free(recoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    struct slice bytes = slice_of((const char *)data + 1, size - 1);
    struct strbuf whole = {0}, pieces = {0};
    recode(&whole, bytes, bytes.len);
    recode(&pieces, bytes, (size_t)data[0] + 1);
    if (!slice_equal(strbuf_slice(&whole), strbuf_slice(&pieces))) abort();
    strbuf_release(&whole);
    strbuf_release(&pieces);
    return 0;
}
