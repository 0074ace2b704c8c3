#include "render/format/escape.h"

#include "base/utf8.h"

static void replaced(struct strbuf *out, struct slice text, const char *set, const char *(*with)(char)) {
    struct strbuf clean = {0};
    utf8_add_printable(&clean, text, false);
    for (size_t i = 0; i < clean.len; i++) {
        char c = clean.data[i];
        /* U+FFFE and U+FFFF are not characters, XML refuses them */
        if (i + 2 < clean.len && memcmp(clean.data + i, "\xef\xbf", 2) == 0 && (unsigned char)clean.data[i + 2] > 0xbd)
            clean.data[i + 2] = '\xbd';
        if (strchr(set, c)) strbuf_addz(out, with(c));
        else strbuf_addc(out, c);
    }
    strbuf_release(&clean);
}

static const char *xml_entity(char c) {
    switch (c) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        default:
            return "&#39;";
    }
}

static const char *behind_backslash(char c) {
    static const char *const escaped[] = {"\\\\", "\\`", "\\*", "\\_", "\\[", "\\]", "\\|", "\\#", "&lt;", "&gt;", "&amp;"};
    static const char set[] = "\\`*_[]|#<>&";
    return escaped[strchr(set, c) - set];
}

static const char *in_code(char c) { return c == '|' ? "\\|" : "'"; }

void escape_xml(struct strbuf *out, struct slice text) { replaced(out, text, "&<>\"'", xml_entity); }
void escape_markdown(struct strbuf *out, struct slice text) { replaced(out, text, "\\`*_[]|#<>&", behind_backslash); }

void escape_markdown_code(struct strbuf *out, struct slice text) {
    strbuf_addc(out, '`');
    replaced(out, text, "`|", in_code);
    strbuf_addc(out, '`');
}
