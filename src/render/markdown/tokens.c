/* SPDX-License-Identifier: Apache-2.0 */
#include "render/markdown/tokens.h"

#include <string.h>

/* Fractions of a token. Both tokenizers cut a text into words (with the space before them), groups of at most three digits,
 * marks and line ends, and most words into one to three tokens: weights fitted to reports, erring upwards. */
enum { TOKEN = 16, SHORT_WORD = 2, PLAIN_WORD = 5, LETTER = 4, ODD_LETTER = 6, FOREIGN_BYTE = 12, DIGITS = 3, MARKS = 4 };

static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_letter(char c) { return is_lower(c) || is_upper(c); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A word ends where a capital follows a lower-case letter. */
static size_t word_length(struct slice text) {
    size_t len = 1;
    while (len < text.len && is_letter(text.ptr[len]) && !(is_upper(text.ptr[len]) && is_lower(text.ptr[len - 1]))) len++;
    return len;
}

/* Words with few vowels are not natural language, and split into many tokens. */
static uint64_t word_weight(struct slice word) {
    size_t vowels = 0;
    for (size_t i = 0; i < word.len; i++) vowels += strchr("aeiouyAEIOUY", word.ptr[i]) != NULL;
    if (word.len <= SHORT_WORD) return TOKEN;
    if (vowels * 5 < word.len) return TOKEN * word.len / 2 + LETTER;
    if (vowels * 4 <= word.len) return TOKEN + (word.len - 3) * ODD_LETTER;
    return TOKEN + (word.len > PLAIN_WORD ? (word.len - PLAIN_WORD) * LETTER : 0);
}

static size_t run_length(struct slice text) {
    size_t len = 1;
    while (len < text.len && text.ptr[len] == text.ptr[0]) len++;
    return len;
}

/* A single space belongs to the word or mark after it, a line end to the mark before it. */
static uint64_t blank_weight(struct slice text, size_t len, char before) {
    if (text.ptr[0] == '\n') return is_letter(before) || is_digit(before) ? TOKEN : 0;
    bool alone = len == text.len || is_digit(text.ptr[len]) || text.ptr[len] == '\n';
    return len > 1 || alone ? TOKEN : 0;
}

uint64_t tokens_of(struct slice text) {
    uint64_t weight = 0;
    char before = '\n';
    while (text.len) {
        char c = text.ptr[0];
        size_t len = 1;
        if (is_letter(c)) {
            len = word_length(text);
            weight += word_weight(slice_take(text, len));
        } else if (is_digit(c)) {
            while (len < text.len && is_digit(text.ptr[len])) len++;
            weight += TOKEN * ((len + DIGITS - 1) / DIGITS);
        } else if (c == ' ' || c == '\n') {
            len = run_length(text);
            weight += blank_weight(text, len, before);
        } else if ((unsigned char)c >= 128) {
            weight += FOREIGN_BYTE;
        } else {
            len = run_length(text);
            weight += TOKEN * ((len + MARKS - 1) / MARKS);
        }
        before = text.ptr[len - 1];
        text = slice_skip(text, len);
    }
    return (weight + TOKEN - 1) / TOKEN;
}
