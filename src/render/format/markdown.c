#include "render/format/markdown.h"

#include "base/utf8.h"

/* Prefix of at most `most` characters; a bad byte counts as one. */
static struct slice take_characters(struct slice s, size_t most) {
    size_t at = 0;
    for (size_t i = 0; i < most && at < s.len; i++) {
        size_t n = utf8_char(slice_skip(s, at));
        at += n ? n : 1;
    }
    return slice_take(s, at);
}

/* Square brackets are common in locations and stay as they are, but where they open a link, a footnote or a definition. */
static bool is_bracket_markup(struct slice s, size_t i) {
    if (s.ptr[i] == '(') return i && s.ptr[i - 1] == ']';
    return s.ptr[i] == '[' && (!i || (i + 1 < s.len && s.ptr[i + 1] == '^'));
}

static void add_escaped(struct strbuf *out, struct slice s) {
    for (size_t i = 0; i < s.len;) {
        size_t n = utf8_char(slice_skip(s, i));
        uint32_t c = n ? utf8_decode(s.ptr + i, n) : 0;
        bool markup = n == 1 && c && (strchr("\\`|<*&", (int)c) || is_bracket_markup(s, i));
        if (c == '\t' || c == '\n') strbuf_addc(out, ' ');
        else if (utf8_is_hidden(c)) strbuf_addz(out, "\xef\xbf\xbd");
        else {
            if (markup) strbuf_addc(out, '\\');
            strbuf_add(out, slice_of(s.ptr + i, n));
        }
        i += n ? n : 1;
    }
}

void md_text(struct strbuf *out, struct slice text, size_t most) {
    bool cut = most && take_characters(text, most).len < text.len;
    add_escaped(out, cut ? take_characters(text, most - 3) : text);
    if (cut) strbuf_addz(out, "...");
}

void md_item(struct strbuf *out, struct slice text, size_t most) {
    if (text.len && text.ptr[0] && strchr("#>-+=~", text.ptr[0])) strbuf_addc(out, '\\');
    md_text(out, text, most);
}

void md_cell(struct strbuf *out, struct slice text, size_t most) {
    strbuf_addz(out, "| ");
    if (text.len) md_text(out, text, most);
    else strbuf_addz(out, "N/A");
    strbuf_addc(out, ' ');
}

void md_code(struct strbuf *out, struct slice text) {
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < text.len; i++) {
        run = text.ptr[i] == '`' ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    bool touches = text.len && (text.ptr[0] == '`' || text.ptr[text.len - 1] == '`');
    strbuf_fill(out, '`', longest + 1);
    strbuf_addz(out, touches ? " " : "");
    strbuf_add(out, text);
    strbuf_addz(out, touches ? " " : "");
    strbuf_fill(out, '`', longest + 1);
}
