/* SPDX-License-Identifier: Apache-2.0 */
#include "base/term.h"

#include <langinfo.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/utf8.h"

static bool is_set(const char *name) {
    const char *value = getenv(name);
    return value && value[0];
}

struct term term_of(int fd, bool no_color) {
    struct term term = {.is_tty = isatty(fd), .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0};
    const char *kind = getenv("TERM");
    bool dumb = !kind || strcmp(kind, "dumb") == 0;
    term.color = !no_color && !is_set("NO_COLOR") && ((term.is_tty && !dumb) || is_set("CLICOLOR_FORCE"));
    if (term.is_tty) {
        struct winsize size;
        if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col) term.columns = size.ws_col;
        else term.columns = 80;
    }
    return term;
}

void term_tone(struct strbuf *out, const struct term *term, enum tone tone) {
    static const char *const codes[] = {[TONE_PLAIN] = "\x1b[0m", [TONE_DIM] = "\x1b[2m",   [TONE_BOLD] = "\x1b[1m",
                                        [TONE_GOOD] = "\x1b[32m", [TONE_WARN] = "\x1b[33m", [TONE_BAD] = "\x1b[31m"};
    if (term->color) strbuf_addz(out, codes[tone]);
}

void term_bar(struct strbuf *out, const struct term *term, int64_t part, int64_t whole, unsigned width) {
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (part < 0) part = 0;
    if (part > whole) part = whole;
    uint64_t filled = whole > 0 ? (uint64_t)((unsigned __int128)(uint64_t)part * width * 8 / (uint64_t)whole) : 0;
    if (part > 0 && filled == 0) filled = 1;
    unsigned cells = (unsigned)(filled / 8);
    for (unsigned i = 0; i < cells; i++) strbuf_addz(out, term->utf8 ? "█" : "#");
    if (cells < width && filled % 8) {
        strbuf_addz(out, term->utf8 ? eighths[filled % 8] : (filled % 8 >= 4 ? "#" : "-"));
        cells++;
    }
    for (; cells < width; cells++) strbuf_addz(out, term->utf8 ? "░" : ".");
}

void term_text(struct strbuf *out, const struct term *term, struct slice text, size_t width) {
    struct strbuf clean = {0};
    utf8_add_printable(&clean, text, !term->utf8);
    struct slice shown = strbuf_slice(&clean);
    if (width && utf8_width(shown) > width) {
        const char *ellipsis = term->utf8 ? "…" : "...";
        size_t room = term->utf8 ? 1 : 3;
        strbuf_add(out, utf8_fit(shown, width > room ? width - room : 0));
        strbuf_addz(out, ellipsis);
    } else {
        strbuf_add(out, shown);
    }
    strbuf_release(&clean);
}

/* Length of the SGR sequence at the start of `s`, or 0. Only tones of term_tone reach here. */
static size_t tone_len(struct slice s) {
    if (s.len < 3 || s.ptr[0] != '\x1b' || s.ptr[1] != '[') return 0;
    size_t end = slice_find_byte(s, 'm');
    return end == SLICE_NONE ? 0 : end + 1;
}

static size_t line_width(struct slice line) {
    size_t width = 0;
    for (size_t i = 0; i < line.len;) {
        size_t tone = tone_len(slice_skip(line, i)), n = tone ? tone : utf8_char(slice_skip(line, i));
        if (!n) n = 1;
        if (!tone) width += utf8_width(slice_of(line.ptr + i, n));
        i += n;
    }
    return width;
}

/* A cut line ends with a mark, because half a number must not look like a number. */
static void fit_line(struct strbuf *out, const struct term *term, struct slice line) {
    bool cut = line_width(line) > term->columns, toned = false;
    size_t width = 0, room = term->columns - cut;
    for (size_t i = 0; i < line.len;) {
        size_t tone = tone_len(slice_skip(line, i));
        if (tone) {
            toned = true;
            strbuf_add(out, slice_of(line.ptr + i, tone));
            i += tone;
            continue;
        }
        size_t n = utf8_char(slice_skip(line, i));
        if (!n) n = 1;
        struct slice c = slice_of(line.ptr + i, n);
        width += utf8_width(c);
        if (width > room) break;
        strbuf_add(out, c);
        i += n;
    }
    if (cut) strbuf_addz(out, term->utf8 ? "…" : ">");
    if (toned) term_tone(out, term, TONE_PLAIN);
}

void term_fit_lines(struct strbuf *out, const struct term *term, struct slice text) {
    if (!term->columns) {
        strbuf_add(out, text);
        return;
    }
    while (text.len) {
        size_t end = slice_find_byte(text, '\n');
        fit_line(out, term, slice_take(text, end == SLICE_NONE ? text.len : end));
        if (end == SLICE_NONE) break;
        strbuf_addc(out, '\n');
        text = slice_skip(text, end + 1);
    }
}

const char *term_dot(const struct term *term) { return term->utf8 ? " · " : " - "; }
