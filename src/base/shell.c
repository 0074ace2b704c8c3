/* SPDX-License-Identifier: Apache-2.0 */
#include "base/shell.h"

#include "base/utf8.h"

static bool plain(struct slice word) {
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+";
    for (size_t i = 0; i < word.len; i++)
        if (!memchr(safe, word.ptr[i], sizeof safe - 1)) return false;
    return word.len > 0;
}

/* Length of a character that a terminal shows as it is, 0 for a control character or a byte that is not UTF-8. */
static size_t printable(struct slice s) {
    size_t n = utf8_char(s);
    return n && !utf8_is_hidden(utf8_decode(s.ptr, n)) ? n : 0;
}

static bool all_printable(struct slice word) {
    for (size_t n; word.len; word = slice_skip(word, n))
        if (!(n = printable(word))) return false;
    return true;
}

/* $'a\nb\x07' in bash, zsh and ksh. */
static void add_with_escapes(struct strbuf *out, struct slice word) {
    strbuf_addz(out, "$'");
    for (size_t i = 0; i < word.len;) {
        size_t n = printable(slice_skip(word, i));
        if (!n) strbuf_addf(out, "\\x%02x", (unsigned char)word.ptr[i]);
        else if (word.ptr[i] == '\'' || word.ptr[i] == '\\') strbuf_addf(out, "\\%c", word.ptr[i]);
        else strbuf_add(out, slice_take(slice_skip(word, i), n));
        i += n ? n : 1;
    }
    strbuf_addc(out, '\'');
}

void shell_word(struct strbuf *out, struct slice word) {
    if (plain(word)) {
        strbuf_add(out, word);
        return;
    }
    if (!all_printable(word)) {
        add_with_escapes(out, word);
        return;
    }
    strbuf_addc(out, '\'');
    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] == '\'') strbuf_addz(out, "'\\''");
        else strbuf_addc(out, word.ptr[i]);
    }
    strbuf_addc(out, '\'');
}

bool shell_split(struct strbuf *out, const char *text, size_t *count) {
    *count = 0;
    char quote = 0;
    bool in_word = false;
    for (const char *p = text; *p; p++) {
        bool escapes = *p == '\\' && quote != '\'' && p[1];
        if (!quote && !escapes && (*p == ' ' || *p == '\t')) {
            if (in_word) strbuf_addc(out, '\0');
            in_word = false;
            continue;
        }
        *count += !in_word;
        in_word = true;
        if (escapes) strbuf_addc(out, *++p);
        else if (quote ? *p == quote : (*p == '\'' || *p == '"')) quote = quote ? 0 : *p;
        else strbuf_addc(out, *p);
    }
    if (in_word) strbuf_addc(out, '\0');
    return !quote;
}
