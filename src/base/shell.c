#include "base/shell.h"

static bool plain(struct slice word) {
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+";
    for (size_t i = 0; i < word.len; i++)
        if (!memchr(safe, word.ptr[i], sizeof safe - 1)) return false;
    return word.len > 0;
}

void shell_word(struct strbuf *out, struct slice word) {
    if (plain(word)) {
        strbuf_add(out, word);
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
