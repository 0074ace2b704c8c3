/* SPDX-License-Identifier: Apache-2.0 */
#include "input/names.h"

void report_name(struct strbuf *out, const char *path) {
    struct slice s = slice_from(path);
    if (slice_equal(s, SLICE("-"))) s = SLICE("stdin");
    while (s.len > 1 && s.ptr[s.len - 1] == '/') s.len--;
    const char *slash = s.len ? memrchr(s.ptr, '/', s.len) : NULL;
    if (slash) s = slice_between(slash + 1, s.ptr + s.len);
    if (slice_ends(s, SLICE(".gz"))) s = slice_take(s, s.len - 3);
    else if (slice_ends(s, SLICE(".zst"))) s = slice_take(s, s.len - 4);
    const char *dot = s.len ? memrchr(s.ptr, '.', s.len) : NULL;
    if (dot) s = slice_between(s.ptr, dot);
    if (slice_ends(s, SLICE("_profile"))) s = slice_take(s, s.len - 8);
    if (!s.len) s = SLICE("report");
    for (size_t i = 0; i < s.len; i++) strbuf_addc(out, s.ptr[i] == '_' ? '-' : s.ptr[i]);
}
