#include "render/markdown.h"

#include "base/utf8.h"

enum { PATH_MOST = 200 };

/* Prefix of at most `most` characters; a bad byte counts as one. */
static struct slice take_characters(struct slice s, size_t most) {
    size_t at = 0;
    for (size_t i = 0; i < most && at < s.len; i++) {
        size_t n = utf8_char(slice_skip(s, at));
        at += n ? n : 1;
    }
    return slice_take(s, at);
}

static bool is_harmful(uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2060 && c <= 0x2069) || c == 0xfeff;
}

static void add_escaped(struct strbuf *out, struct slice s) {
    for (size_t i = 0; i < s.len;) {
        size_t n = utf8_char(slice_skip(s, i));
        uint32_t c = n ? utf8_decode(s.ptr + i, n) : 0;
        bool markup = n == 1 && strchr("\\`|<[*&", (int)c) && c;
        if (c == '\t') strbuf_addc(out, ' ');
        else if (is_harmful(c)) strbuf_addz(out, "\xef\xbf\xbd");
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

void md_log_word(struct strbuf *out, const char *path) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+=:,@%";
    static const char quoted[] = " ()[]{}!#$&;<>?*~\"^";
    size_t bare = strspn(path, plain), len = strlen(path);
    bool safe = len > 0 && len <= PATH_MOST && path[0] != '-';
    for (size_t i = bare; i < len && safe; i++) safe = strchr(plain, path[i]) || strchr(quoted, path[i]);
    if (!safe) strbuf_addz(out, "LOG");
    else if (bare == len) strbuf_addz(out, path);
    else strbuf_addf(out, "'%s'", path);
}
