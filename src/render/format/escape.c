/* SPDX-License-Identifier: Apache-2.0 */
#include "render/format/escape.h"

#include "base/utf8.h"

static const char *entity(char c) {
    static const char set[] = "&<>\"'";
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    const char *at = c ? strchr(set, c) : NULL;
    return at ? entities[at - set] : NULL;
}

void escape_xml(struct strbuf *out, struct slice text) {
    struct strbuf clean = {0};
    utf8_add_printable(&clean, text, false);
    for (size_t i = 0; i < clean.len; i++) {
        /* U+FFFE and U+FFFF are not characters, and XML refuses them */
        if (i + 2 < clean.len && memcmp(clean.data + i, "\xef\xbf", 2) == 0 && (unsigned char)clean.data[i + 2] > 0xbd)
            clean.data[i + 2] = '\xbd';
        const char *escaped = entity(clean.data[i]);
        if (escaped) strbuf_addz(out, escaped);
        else strbuf_addc(out, clean.data[i]);
    }
    strbuf_release(&clean);
}

void escape_github(struct strbuf *out, struct slice text, bool property) {
    struct strbuf safe = {0};
    utf8_add_printable(&safe, text, false);
    struct slice s = strbuf_slice(&safe);
    for (size_t i = 0; i < s.len; i++) {
        bool special = s.ptr[i] == '%' || s.ptr[i] == '\r' || s.ptr[i] == '\n';
        if (special || (property && (s.ptr[i] == ':' || s.ptr[i] == ','))) strbuf_addf(out, "%%%02X", (unsigned char)s.ptr[i]);
        else strbuf_addc(out, s.ptr[i]);
    }
    strbuf_release(&safe);
}

void escape_json_in_html(struct strbuf *out, struct slice json) {
    for (size_t at; (at = slice_find_byte(json, '<')) != SLICE_NONE; json = slice_skip(json, at + 1)) {
        strbuf_add(out, slice_take(json, at));
        strbuf_addz(out, "\\u003c");
    }
    strbuf_add(out, json);
}

void escape_url_part(struct strbuf *out, const char *text) {
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || strchr("-_.~", *p);
        if (plain) strbuf_addc(out, (char)*p);
        else strbuf_addf(out, "%%%02X", *p);
    }
}
