#include "parse/clean_line.h"

#include "base/num.h"

/* Position of the first \n or \r, or the length. In windows: a file of \r alone must not be searched to its end per line. */
static size_t line_len(struct slice s) {
    enum { WINDOW = 1024 };
    for (size_t at = 0; at < s.len; at += WINDOW) {
        struct slice window = slice_take(slice_skip(s, at), WINDOW);
        const char *newline = memchr(window.ptr, '\n', window.len);
        size_t len = newline ? (size_t)(newline - window.ptr) : window.len;
        const char *cr = memchr(window.ptr, '\r', len);
        if (cr) return at + (size_t)(cr - window.ptr);
        if (newline) return at + len;
    }
    return s.len;
}

bool next_line(struct slice *rest, struct slice *line) {
    if (!rest->len) return false;
    size_t len = line_len(*rest);
    *line = slice_take(*rest, len);
    bool both = len + 1 < rest->len && rest->ptr[len] == '\r' && rest->ptr[len + 1] == '\n';
    *rest = slice_skip(*rest, len + (both ? 2 : 1));
    return true;
}

/* Length of the escape sequence at the start of `s` (which begins with ESC): CSI up to its final letter, else two bytes. */
static size_t escape_len(struct slice s) {
    if (s.len < 2) return s.len;
    if (s.ptr[1] != '[') return 2;
    size_t i = 2;
    while (i < s.len && (unsigned char)s.ptr[i] >= 0x20 && (unsigned char)s.ptr[i] < 0x40) i++;
    return i < s.len ? i + 1 : i;
}

/* Length of a tag that starts at `s` ("["): [<job name><job>,<rank>], optionally [host], <stream>:, optionally a space. */
static size_t tag_len(struct slice s, struct mpi_tag *tag) {
    static const struct slice streams[] = {{"<stdout>:", 9}, {"<stderr>:", 9}, {"<stddiag>:", 10}};
    enum { LONGEST_NAME = 64 };
    struct slice window = slice_take(s, LONGEST_NAME);
    size_t close = slice_find_byte(window, ']'), comma = slice_find_byte(window, ',');
    if (close == SLICE_NONE || comma == SLICE_NONE || comma > close) return 0;
    size_t job_start = comma;
    while (job_start > 1 && s.ptr[job_start - 1] >= '0' && s.ptr[job_start - 1] <= '9') job_start--;
    struct mpi_tag found = {.tagged = true};
    if (num_read_u64(slice_between(s.ptr + job_start, s.ptr + comma), &found.job) != comma - job_start || job_start == comma)
        return 0;
    struct slice rank = slice_between(s.ptr + comma + 1, s.ptr + close);
    if (!rank.len || num_read_u64(rank, &found.rank) != rank.len) return 0;
    size_t at = close + 1;
    if (at < s.len && s.ptr[at] == '[') {
        size_t host = slice_find_byte(slice_take(slice_skip(s, at), LONGEST_NAME), ']');
        if (host == SLICE_NONE) return 0;
        at += host + 1;
    }
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        if (!slice_starts(slice_skip(s, at), streams[i])) continue;
        at += streams[i].len;
        *tag = found;
        return at < s.len && s.ptr[at] == ' ' ? at + 1 : at;
    }
    return 0;
}

struct slice clean_line(struct slice line, struct strbuf *room, struct mpi_tag *tag) {
    *tag = (struct mpi_tag){0};
    bool tags = line.len && memchr(line.ptr, '<', line.len);
    if (!line.len || (!tags && !memchr(line.ptr, '\x1b', line.len) && !memchr(line.ptr, '\0', line.len))) return line;
    strbuf_clear(room);
    size_t kept = 0;
    for (size_t i = 0; i < line.len;) {
        struct slice here = slice_skip(line, i);
        struct mpi_tag found;
        size_t drop = 0;
        if (here.ptr[0] == '\x1b') drop = escape_len(here);
        else if (here.ptr[0] == '\0') drop = 1;
        else if (tags && here.ptr[0] == '[' && (drop = tag_len(here, &found)) && !tag->tagged) *tag = found;
        if (!drop) {
            i++;
            continue;
        }
        strbuf_add(room, slice_of(line.ptr + kept, i - kept));
        i += drop;
        kept = i;
    }
    strbuf_add(room, slice_skip(line, kept));
    return strbuf_slice(room);
}
