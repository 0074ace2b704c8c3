/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "base/strbuf.h"
#include "base/table/strtab.h"
#include "base/vec.h"
#include "input/rewritten.h"
#include "parse/line_prefix.h"
#include "scan/find.h"

enum { WRITE_BLOCK = 1 << 20, TIME_LEN = 24, LONGEST_JOB = 200, STREAM_LEN = sizeof "]<stdout>:" - 1 };

struct mpi_tag {
    size_t len;        /* including the time before it */
    struct slice text; /* without it: process and stream */
};

static const struct slice tag_mark = {"]<std", 5};

/* Where the next tag at or after `from` may be: *at is its mark, *open the bracket before that, or NULL. */
static bool next_mark(struct slice text, size_t from, size_t *at, const char **open) {
    const char *hit = from < text.len ? find_bytes(text.ptr + from, text.len - from, tag_mark.ptr, tag_mark.len) : NULL;
    if (!hit) return false;
    *at = (size_t)(hit - text.ptr);
    size_t reach = *at > LONGEST_JOB ? *at - LONGEST_JOB : 0;
    if (reach < from) reach = from;
    *open = memrchr(text.ptr + reach, '[', *at - reach);
    return true;
}

/* The next tag at or after `from`: its start, including the time before it, and its parts. SLICE_NONE: none. */
static size_t next_tag(struct slice text, size_t from, struct mpi_tag *tag) {
    size_t at;
    const char *open;
    for (; next_mark(text, from, &at, &open); from = at + tag_mark.len) {
        if (open) {
            size_t start = (size_t)(open - text.ptr);
            /* no further than this tag: a process's output may end right after it, where the next tag begins */
            struct slice one = slice_take(slice_skip(text, start), at - start + STREAM_LEN + 1);
            struct line_prefix read = line_prefix_read(one, PREFIX_MPI);
            /* Open MPI 5, which names the job, puts a space after it; with 4 a space belongs to the writer */
            bool names_job = read.tag_is_rank && read.tag.ptr != open + 1;
            if (read.len && !names_job && open[read.len - 1] == ' ') read.len--;
            *tag = (struct mpi_tag){read.len, slice_of(open, read.len)};
            if (read.tag_is_rank) {
                if (start < from + TIME_LEN || open[-1] == '\n') return start;
                struct slice time = slice_skip(text, start - TIME_LEN);
                struct line_prefix dated = line_prefix_read(slice_take(time, TIME_LEN), PREFIX_TIME);
                if (!dated.parts || dated.len != TIME_LEN) return start;
                tag->len += TIME_LEN;
                return start - TIME_LEN;
            }
        }
    }
    return SLICE_NONE;
}

/* Passes over what can only be tags at the beginning of a line, without reading them. */
static size_t pass_line_starts(struct slice text, size_t from) {
    size_t at;
    const char *open;
    while (next_mark(text, from, &at, &open) && (!open || open == text.ptr || open[-1] == '\n')) from = at + tag_mark.len;
    return from;
}

bool mpi_lines_tagged(struct slice head) {
    for (const char *at = head.ptr, *end = head.ptr + head.len; (at = find_bytes(at, (size_t)(end - at), "]<std", 5)); at++) {
        struct slice mark = slice_between(at, end);
        if (slice_starts(mark, SLICE("]<stdout>:")) || slice_starts(mark, SLICE("]<stderr>:"))) return true;
    }
    return false;
}

bool mpi_lines_torn(struct slice bytes) {
    struct mpi_tag tag;
    for (size_t at = 0; (at = next_tag(bytes, pass_line_starts(bytes, at), &tag)) != SLICE_NONE; at += tag.len)
        if (at && bytes.ptr[at - 1] != '\n') return true;
    return false;
}

struct mending {
    struct source *source;
    struct slice bytes;
    struct strtab tags;
    struct strbuf nobody;    /* the current line without a tag */
    VEC(struct strbuf) open; /* per tag, from id 1 on: the part of a line that a process has printed so far, with its tag */
    struct strbuf block;
    struct strbuf pending; /* in a stream: an unfinished line */
    size_t searched;       /* its bytes that have been searched for tags */
    bool tagged;           /* one was found there */
    bool passed;           /* its beginning was delivered already */
};

static struct strbuf *line_of(struct mending *m, struct slice tag) {
    size_t i = strtab_id(&m->tags, tag) - 1;
    if (i == m->open.len) vec_push(&m->open, ((struct strbuf){0}));
    return &m->open.items[i];
}

/* Everything up to the next tag comes from the process of the last tag. */
static void take_part(struct mending *m, struct strbuf *line, struct slice whole, struct slice text) {
    if (!line->len) strbuf_add(line, whole); /* with the tag */
    else strbuf_add(line, text);
    if (!line->len || line->data[line->len - 1] != '\n') return;
    strbuf_add(&m->block, strbuf_slice(line));
    strbuf_clear(line);
}

/* Times of the same minute agree up to here. */
enum { SAME_MINUTE = sizeof "Mon Nov 16 08:31" - 1 };

/* Is it the beginning of a tag that mpirun did not finish, before the complete tag `next`? It writes at most 8 KiB for 4 KiB
 * of a process's output, and loses what its tags leave no room for. Times may differ in their seconds, tags completely. */
static bool is_broken_tag(struct slice s, struct slice next) {
    size_t same = 0, timed = next.ptr[0] == '[' ? 0 : TIME_LEN;
    while (same < s.len && same < next.len && s.ptr[same] == next.ptr[same]) same++;
    if (same == s.len) return true;
    if (timed && same < SAME_MINUTE) return false;
    if (s.len <= timed) return true;
    struct slice rest = slice_skip(s, timed);
    size_t close = slice_find_byte(rest, ']');
    if (rest.ptr[0] != '[' || rest.len > LONGEST_JOB || slice_find_byte(rest, ' ') != SLICE_NONE) return false;
    struct slice stream = close == SLICE_NONE ? slice_of("", 0) : slice_skip(rest, close + 1);
    return slice_starts(SLICE("<stdout>:"), stream) || slice_starts(SLICE("<stderr>:"), stream);
}

/* Text before the first tag of a line has no writer; a line without a writer that tags interrupt continues after them.
 * Returns what a container or CI put before the tag, which stays there. */
static struct slice take_nobodys(struct mending *m, struct slice text, struct slice next) {
    size_t line = text.len;
    while (line && text.ptr[line - 1] != '\n') line--;
    struct slice whole = slice_take(text, line), last = slice_skip(text, line), none = slice_of("", 0);
    if (whole.len) take_part(m, &m->nobody, whole, whole);
    if (!last.len) return none;
    if (next.len && is_broken_tag(last, next)) return m->source->broken_tags++, none;
    struct slice both = next.len ? slice_between(last.ptr, next.ptr + next.len) : last;
    if (next.len && !m->nobody.len && line_prefix_read(both, PREFIX_ALL).len > last.len) return last;
    take_part(m, &m->nobody, last, last);
    return none;
}

/* Takes the next part of `rest`, up to the next tag or line end; complete lines go to the block. */
static void mend_next(struct mending *m, struct slice *rest) {
    struct mpi_tag tag, next;
    size_t at = next_tag(*rest, 0, &tag);
    struct slice found = at == SLICE_NONE ? slice_of("", 0) : slice_take(slice_skip(*rest, at), tag.len);
    struct slice lead = take_nobodys(m, slice_take(*rest, at), found);
    *rest = at == SLICE_NONE ? slice_of("", 0) : slice_skip(*rest, at);
    if (!rest->len) return;
    struct slice whole = slice_take(*rest, next_tag(*rest, tag.len, &next));
    size_t line_end = slice_find_byte(whole, '\n'); /* not beyond the tag, so that a line with many tags is searched once */
    if (line_end != SLICE_NONE) whole.len = line_end + 1;
    struct strbuf *line = line_of(m, tag.text);
    if (!line->len && lead.len) {
        strbuf_add(line, lead);
        take_part(m, line, whole, whole);
    } else take_part(m, line, whole, slice_skip(whole, tag.len));
    *rest = slice_skip(*rest, whole.len);
}

static void mend_end(struct mending *m) {
    bool another = m->nobody.len > 0; /* the very last one ends as the log does, without a line end */
    strbuf_add(&m->block, strbuf_slice(&m->nobody));
    strbuf_clear(&m->nobody);
    for (size_t i = 0; i < m->open.len; i++) {
        struct strbuf *text = &m->open.items[i];
        if (text->len && another) strbuf_addc(&m->block, '\n');
        another |= text->len > 0;
        strbuf_add(&m->block, strbuf_slice(text));
        strbuf_clear(text);
    }
}

static void mending_release(struct mending *m) {
    for (size_t i = 0; i < m->open.len; i++) strbuf_release(&m->open.items[i]);
    strtab_release(&m->tags);
    strbuf_release(&m->nobody);
    vec_release(&m->open);
    strbuf_release(&m->block);
    strbuf_release(&m->pending);
}

static int write_lines(int fd, void *who, struct err *err) {
    struct mending *m = who;
    struct slice rest = m->bytes;
    int rc = 0;
    while (rest.len && rc == 0) {
        mend_next(m, &rest);
        if (m->block.len < WRITE_BLOCK) continue;
        rc = write_all(fd, strbuf_slice(&m->block), err);
        strbuf_clear(&m->block);
    }
    mend_end(m);
    return rc == 0 ? write_all(fd, strbuf_slice(&m->block), err) : rc;
}

/* A stream is mended line by line, because no tag spans a line end. A line without an end must not take all memory: without
 * tags it is delivered as it comes, with tags it is cut, like the lines that wait for their end. */
enum { LONGEST_PENDING = 64 << 20, LONGEST_TAGGED = 128 << 20, LONGEST_TAG = 512 };

static size_t open_bytes(const struct mending *m) {
    size_t bytes = m->nobody.len;
    for (size_t i = 0; i < m->open.len; i++) bytes += m->open.items[i].len;
    return bytes;
}

static void mend_lines(struct mending *m, struct slice lines, struct strbuf *out) {
    bool passed = m->passed;
    m->passed = false;
    if (!open_bytes(m) && !mpi_lines_tagged(lines)) {
        strbuf_add(out, lines);
        return;
    }
    if (passed) strbuf_addc(out, '\n');
    while (lines.len) mend_next(m, &lines);
    strbuf_add(out, strbuf_slice(&m->block));
    strbuf_clear(&m->block);
}

static void clear_pending(struct mending *m) {
    if (m->pending.len > LONGEST_PENDING) strbuf_release(&m->pending);
    strbuf_clear(&m->pending);
    m->searched = 0;
    m->tagged = false;
}

/* Does the line that has no end yet contain a tag? Each of its bytes is searched once. */
static bool is_pending_tagged(struct mending *m) {
    size_t from = m->searched > LONGEST_TAG ? m->searched - LONGEST_TAG : 0;
    if (!m->tagged) m->tagged = mpi_lines_tagged(slice_skip(strbuf_slice(&m->pending), from));
    m->searched = m->pending.len;
    return m->tagged;
}

/* Delivers the beginning of a line that became too long. */
static void let_go(struct mending *m, struct strbuf *out) {
    size_t open = open_bytes(m);
    if (m->pending.len > LONGEST_PENDING && !open && !is_pending_tagged(m)) {
        size_t keep = LONGEST_TAG, drop = m->pending.len - keep;
        strbuf_add(out, slice_take(strbuf_slice(&m->pending), drop));
        memmove(m->pending.data, m->pending.data + drop, keep);
        m->pending.len = m->searched = keep;
        m->passed = true;
    } else if (m->pending.len + open > LONGEST_TAGGED) {
        mend_lines(m, strbuf_slice(&m->pending), out);
        clear_pending(m);
        mend_end(m);
        strbuf_add(out, strbuf_slice(&m->block));
        strbuf_clear(&m->block);
        if (out->len && out->data[out->len - 1] != '\n') strbuf_addc(out, '\n');
    }
}

static void mend_take(void *who, struct slice bytes, bool end, struct strbuf *out) {
    struct mending *m = who;
    const char *last = bytes.len ? memrchr(bytes.ptr, '\n', bytes.len) : NULL;
    size_t whole = last ? (size_t)(last + 1 - bytes.ptr) : 0;
    if (m->pending.len && (whole || end)) {
        /* the current line, then the others as they are */
        size_t first = whole ? slice_find_byte(bytes, '\n') + 1 : bytes.len;
        strbuf_add(&m->pending, slice_take(bytes, first));
        mend_lines(m, strbuf_slice(&m->pending), out);
        clear_pending(m);
        bytes = slice_skip(bytes, first);
        whole = whole ? whole - first : 0;
    }
    if (whole) mend_lines(m, slice_take(bytes, whole), out);
    strbuf_add(&m->pending, slice_skip(bytes, whole));
    if (!end) {
        let_go(m, out);
        return;
    }
    if (m->pending.len) mend_lines(m, strbuf_slice(&m->pending), out);
    clear_pending(m);
    mend_end(m);
    strbuf_add(out, strbuf_slice(&m->block));
}

static void mend_release(void *who) {
    mending_release(who);
    free(who);
}

void mpi_lines_filter(struct source *source) {
    if (source->mapped || source->filter.context) return;
    struct mending *m = mem_zalloc(1, sizeof *m);
    m->source = source;
    source->filter = (struct source_filter){m, mend_take, mend_release};
}

int mpi_lines_mend(struct source *source, struct err *err) {
    struct mending m = {.source = source, .bytes = source->bytes};
    int rc = source_rewrite(source, write_lines, &m, err);
    mending_release(&m);
    return rc;
}
