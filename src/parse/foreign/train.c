/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/foreign/train.h"

#include "base/table/map.h"
#include "base/num.h"
#include "base/strbuf.h"
#include "parse/logline.h"
#include "scan/lines.h"

enum {
    NAME_REACH = 1000,     /* how far above a summary its name may be, in bytes */
    LONGEST_NAME = 200,    /* longest name kept, in bytes */
    LONGEST_WRAPPED = 600, /* bytes of a figure line wrapped over several lines */
    WRAPPED_LINES = 3,
    LONGEST_LINE = 16 << 20, /* in a stream: longer lines are read in parts, so that memory stays bounded */
};

#define MOST_MB ((int64_t)20000000000000000) /* thousandths; above 2^64 bytes, which a wrapped counter may print */

/* The lines of one rank, or of everything without a tag. */
struct stream {
    struct slice rank;   /* "1,0" from the tags, empty: none */
    size_t open;         /* summary + 1 that takes figures, 0: none */
    size_t closed;       /* summary + 1 whose totals were read last */
    struct slice header; /* a phase name that waits for its first figure; ptr NULL: none */
    uint64_t header_line;
    struct slice above; /* last line that may name a summary, as in the file */
    struct train_value parameters;
    struct train_value device_mb;
    struct strbuf wrapped; /* an unfinished figure line */
    unsigned wrapped_lines;
};

struct train_parser {
    struct train_log *log;
    struct slice file;
    uint64_t line;
    size_t first_summary;
    VEC(struct stream) streams;
    struct map by_rank;
    struct train_value first_parameters, latest_parameters;
    struct train_value first_device, latest_device;
    struct strbuf room;
    bool line_starts;
};

static const struct figure_row {
    struct slice label;
    bool ends_line; /* the last figure of its line */
} figure_rows[TRAIN_FIGURES] = {
    [TRAIN_SEGMENT_PEAK] = {SLICE("Segment Peak"), false},
    [TRAIN_ALLOCATIONS] = {SLICE("Allocations"), false},
    [TRAIN_DEALLOCATIONS] = {SLICE("Deallocations"), false},
    [TRAIN_CHANGE] = {SLICE("Segment Change"), true},
    [TRAIN_CUMULATIVE_PEAK] = {SLICE("Cumulative Peak"), false},
    [TRAIN_CUMULATIVE_CURRENT] = {SLICE("Cumulative Current"), true},
    [TRAIN_L1_CB] = {SLICE("Peak CB"), false},
    [TRAIN_L1_BUFFER] = {SLICE("Peak Buffer"), false},
    [TRAIN_L1_TOTAL] = {SLICE("Peak Total"), true},
};

#define SEGMENT_FIGURES (1u << TRAIN_SEGMENT_PEAK | 1u << TRAIN_ALLOCATIONS | 1u << TRAIN_DEALLOCATIONS | 1u << TRAIN_CHANGE)

static bool contains(struct slice text, struct slice needle) { return slice_find(text, needle) != SLICE_NONE; }

static struct slice skip_blanks(struct slice s) {
    while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t' || s.ptr[0] == ':')) s = slice_skip(s, 1);
    return s;
}

/* Digits with grouping commas, copied without them: "1,863.25" -> "1863.25". Returns the bytes read; `len` above NUM_ROOM:
 * only the first were copied. */
static size_t plain_digits(struct slice s, char out[NUM_ROOM], size_t *len) {
    size_t i = 0;
    *len = 0;
    for (; i < s.len; i++) {
        bool digit = s.ptr[i] >= '0' && s.ptr[i] <= '9';
        bool inner = i && (s.ptr[i] == ',' || s.ptr[i] == '.') && i + 1 < s.len && s.ptr[i + 1] >= '0' && s.ptr[i + 1] <= '9';
        if (!digit && !inner) break;
        if (s.ptr[i] == ',') continue;
        if (*len < NUM_ROOM) out[*len] = s.ptr[i];
        ++*len;
    }
    return i;
}

enum figure_reading { NO_FIGURE, TOO_LARGE, FIGURE };

/* "+1863.25 MB" or "12 GB" at the start of `s`; a number that lost its unit was cut. */
static enum figure_reading read_figure(struct slice s, int64_t *mb) {
    s = skip_blanks(s);
    bool negative = s.len && s.ptr[0] == '-';
    if (s.len && (s.ptr[0] == '-' || s.ptr[0] == '+')) s = slice_skip(s, 1);
    char digits[NUM_ROOM];
    size_t len, used = plain_digits(s, digits, &len);
    if (!used) return NO_FIGURE;
    struct slice unit = skip_blanks(slice_skip(s, used));
    bool gb = slice_starts(unit, SLICE("GB"));
    if (!gb && !slice_starts(unit, SLICE("MB"))) return NO_FIGURE;
    uint64_t value;
    size_t read = len > NUM_ROOM ? 0 : num_read_thousandths(slice_of(digits, len), &value);
    if (read && read != len) return NO_FIGURE;
    if (!read || value > (uint64_t)MOST_MB / (gb ? 1024 : 1)) return TOO_LARGE;
    if (gb) value *= 1024;
    *mb = negative ? -(int64_t)value : (int64_t)value;
    return FIGURE;
}

static bool read_mb(struct slice s, int64_t *mb) { return read_figure(s, mb) == FIGURE; }

static enum figure_reading labelled_figure(struct slice text, struct slice label, int64_t *mb) {
    size_t at = slice_find(text, label);
    return at == SLICE_NONE ? NO_FIGURE : read_figure(slice_skip(text, at + label.len), mb);
}

static bool labelled_mb(struct slice text, struct slice label, int64_t *mb) {
    return labelled_figure(text, label, mb) == FIGURE;
}

static bool read_count(struct slice s, int64_t *count) {
    s = skip_blanks(s);
    char digits[NUM_ROOM];
    size_t len, used = plain_digits(s, digits, &len);
    uint64_t value;
    if (!used || len > NUM_ROOM || num_read_u64(slice_of(digits, len), &value) != len || value > INT64_MAX) return false;
    *count = (int64_t)value;
    return true;
}

/* The text after a key in the header that train.py prints, with right-aligned keys in their own column ("    params 1,234"),
 * or an empty slice. Anything looser is other output. */
static struct slice after_key(struct slice text, struct slice key) {
    struct slice row = text;
    for (size_t bar; (bar = slice_find(row, SLICE("| "))) != SLICE_NONE;) row = slice_skip(row, bar + 2);
    size_t indent = 0;
    while (indent < row.len && row.ptr[indent] == ' ') indent++;
    row = slice_skip(row, indent);
    if (!indent || !slice_starts(row, key)) return slice_of(NULL, 0);
    struct slice value = slice_skip(row, key.len);
    bool two = slice_starts(value, SLICE("  ")) && value.len > 2 && value.ptr[2] >= '0' && value.ptr[2] <= '9';
    return two ? slice_trim(value) : slice_of(NULL, 0);
}

/* "32,640 MB" and nothing more. */
static bool read_mb_row(struct slice value, int64_t *mb) {
    return slice_ends(value, SLICE(" MB")) && slice_find_byte(value, ' ') == value.len - 3 && read_mb(value, mb);
}

static void remember(struct train_value *nearest, struct train_value *latest, struct train_value *first,
                     struct train_value found) {
    *nearest = *latest = found;
    if (!first->known) *first = found;
}

/* Parameter count and device memory, in the wording of the C++ and of the Python trainer. */
static bool read_context(struct train_parser *p, struct stream *stream, struct slice text) {
    static const struct slice counts[] = {{"Total parameters:", 17}, {"Number of parameters:", 21}};
    struct train_value found = {.known = true, .line = p->line};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        size_t at = slice_find(text, counts[i]);
        if (at == SLICE_NONE || !read_count(slice_skip(text, at + counts[i].len), &found.value)) continue;
        remember(&stream->parameters, &p->latest_parameters, &p->first_parameters, found);
        return true;
    }
    if (read_count(after_key(text, SLICE("params")), &found.value)) {
        remember(&stream->parameters, &p->latest_parameters, &p->first_parameters, found);
        return true;
    }
    if (labelled_mb(text, SLICE("Available Device Memory"), &found.value) ||
        read_mb_row(after_key(text, SLICE("memory")), &found.value)) {
        if (found.value > 0) remember(&stream->device_mb, &p->latest_device, &p->first_device, found);
        else p->log->device_is_zero = true;
        return true;
    }
    return false;
}

static bool has_letter_or_digit(struct slice s) {
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c >= 0x80) return true;
    }
    return false;
}

/* The name without heading marks: "**Default mode:**" -> "Default mode". */
static struct slice plain_name(struct slice s) {
    static const char around[] = " \t*`=:-";
    while (s.len && s.ptr[0] && strchr(around, s.ptr[0])) s = slice_skip(s, 1);
    while (s.len && s.ptr[s.len - 1] && strchr(around, s.ptr[s.len - 1])) s.len--;
    return slice_take(s, LONGEST_NAME);
}

/* The second number of an MPI tag: "1,0" is job 1, rank 0. */
static bool tag_number(struct slice tag, uint64_t *rank) {
    size_t comma = slice_find_byte(tag, ',');
    return comma != SLICE_NONE && num_read_u64(slice_skip(tag, comma + 1), rank);
}

/* The line without colours and the prefixes of mpirun, CI and containers; lives in `room` or in the line. */
static struct slice clean_line(struct slice line, struct strbuf *room, struct slice *rank) {
    strbuf_clear(room);
    *rank = slice_of(NULL, 0);
    return logline_strip_prefix(logline_clean(line, strbuf_room(room, line.len)), rank);
}

static struct train_summary *open_summary(struct train_parser *p, struct stream *stream, bool has_head, const char *at) {
    uint64_t rank = 0;
    struct train_summary *summary = vec_add(&p->log->summaries);
    *summary = (struct train_summary){.file = p->file,
                                      .line = p->line,
                                      .has_rank = tag_number(stream->rank, &rank),
                                      .rank = rank,
                                      .has_head = has_head,
                                      .parameters = stream->parameters,
                                      .device_mb = stream->device_mb};
    if (!summary->parameters.known) summary->parameters = p->latest_parameters;
    if (!summary->device_mb.known) summary->device_mb = p->latest_device;
    if (stream->above.ptr && at - stream->above.ptr <= NAME_REACH) {
        struct strbuf room = {0};
        struct slice tag;
        summary->name = arena_copy(&p->log->text, plain_name(clean_line(stream->above, &room, &tag)));
        strbuf_release(&room);
    }
    stream->above = slice_of(NULL, 0);
    stream->open = p->log->summaries.len;
    stream->closed = 0;
    stream->wrapped_lines = 0;
    stream->header = slice_of(NULL, 0);
    return summary;
}

static struct train_phase *add_phase(struct train_parser *p, struct stream *stream, struct slice name, uint64_t line) {
    struct train_phase *phase = vec_add(&p->log->summaries.items[stream->open - 1].phases);
    *phase = (struct train_phase){.name = name, .line = line};
    return phase;
}

/* A header without figures: the phase is listed, without figures. Only if a summary is certainly being read. */
static void settle_header(struct train_parser *p, struct stream *stream) {
    if (stream->header.ptr && stream->open) add_phase(p, stream, stream->header, stream->header_line);
    stream->header = slice_of(NULL, 0);
}

/* "--- NAME ---", possibly after the prefix of a logger. A name inside other text is not a header. */
static bool read_header(struct train_parser *p, struct stream *stream, struct slice text) {
    struct slice row = slice_trim(text);
    size_t start = slice_starts(row, SLICE("--- ")) ? 0 : slice_find(row, SLICE("| --- "));
    if (start == SLICE_NONE) start = slice_find(row, SLICE(": --- "));
    if (start == SLICE_NONE || !slice_ends(row, SLICE(" ---"))) return false;
    row = slice_skip(row, start ? start + 2 : 0);
    if (row.len < sizeof "--- x ---" - 1) return false;
    struct slice name = slice_trim(slice_of(row.ptr + 4, row.len - 8));
    if (!name.len) return false;
    settle_header(p, stream);
    stream->header = arena_copy(&p->log->text, slice_take(name, LONGEST_NAME));
    stream->header_line = p->line;
    stream->wrapped_lines = 0;
    return true;
}

/* The phase that a figure belongs to. A waiting header takes it, unless the figure completes the previous phase: then the
 * header was another line ("--- Logging error ---"). A second figure of the same kind starts a phase whose header is
 * missing. */
static struct train_phase *phase_for(struct train_parser *p, struct stream *stream, enum train_figure figure, const char *at) {
    if (!stream->open) {
        struct slice header = stream->header;
        open_summary(p, stream, false, at);
        if (header.ptr) p->log->summaries.items[stream->open - 1].line = stream->header_line;
        return add_phase(p, stream, header, header.ptr ? stream->header_line : p->line);
    }
    struct train_summary *summary = &p->log->summaries.items[stream->open - 1];
    struct train_phase *last = summary->phases.len ? &vec_last(&summary->phases) : NULL;
    bool free_in_last = last && !train_has(last, figure);
    if (stream->header.ptr) {
        bool completes = free_in_last && last->known & SEGMENT_FIGURES && !(1u << figure & SEGMENT_FIGURES);
        struct slice header = stream->header;
        stream->header = slice_of(NULL, 0);
        return completes ? last : add_phase(p, stream, header, stream->header_line);
    }
    return free_in_last ? last : add_phase(p, stream, slice_of(NULL, 0), p->line);
}

/* Takes every figure of the text except those in `taken`; returns the set of figures in the text. */
static uint32_t take_figures(struct train_parser *p, struct stream *stream, struct slice text, uint32_t taken, const char *at) {
    uint32_t found = 0;
    for (enum train_figure f = 0; f < TRAIN_FIGURES; f++) {
        int64_t mb;
        enum figure_reading reading = labelled_figure(text, figure_rows[f].label, &mb);
        if (reading == NO_FIGURE) continue;
        found |= 1u << f;
        if (taken >> f & 1) continue;
        struct train_phase *phase = phase_for(p, stream, f, at);
        if (reading == TOO_LARGE) {
            p->log->summaries.items[stream->open - 1].too_large++;
            continue;
        }
        phase->known |= 1u << f;
        phase->mb[f] = mb;
        phase->lines[f] = p->line;
    }
    return found;
}

/* Does the text contain a label of a line whose last figure is still missing? */
static bool wants_more(struct slice text, uint32_t found) {
    for (enum train_figure f = 0, start = 0; f < TRAIN_FIGURES; f++) {
        if (!figure_rows[f].ends_line) continue;
        if (contains(text, figure_rows[start].label) && !(found >> f & 1)) return true;
        start = f + 1;
    }
    return false;
}

static uint32_t figures_in(struct slice text) {
    uint32_t found = 0;
    int64_t mb;
    for (enum train_figure f = 0; f < TRAIN_FIGURES; f++)
        if (labelled_figure(text, figure_rows[f].label, &mb) != NO_FIGURE) found |= 1u << f;
    return found;
}

/* Takes the figures of a line, joined with the previous lines if those lack their end. */
static bool read_figures(struct train_parser *p, struct stream *stream, struct slice text, const char *at) {
    if (contains(text, SLICE("DRAM:")) || contains(text, SLICE("L1:"))) stream->wrapped_lines = 0;
    if (!stream->wrapped_lines) {
        if (!contains(text, SLICE("Peak")) && !contains(text, SLICE(" MB"))) return false;
        strbuf_clear(&stream->wrapped);
    }
    uint32_t taken = stream->wrapped_lines ? figures_in(strbuf_slice(&stream->wrapped)) : 0;
    if (stream->wrapped_lines) strbuf_addc(&stream->wrapped, ' ');
    strbuf_add(&stream->wrapped, slice_trim(text));
    struct slice joined = strbuf_slice(&stream->wrapped);
    uint32_t found = take_figures(p, stream, joined, taken, at);
    bool more = wants_more(joined, found) && stream->wrapped_lines < WRAPPED_LINES && joined.len < LONGEST_WRAPPED;
    stream->wrapped_lines = more ? stream->wrapped_lines + 1 : 0;
    return (found & ~taken) != 0;
}

/* "Overall DRAM Peak: X MB, Final DRAM Usage: Y MB" ends a summary. */
static bool read_totals(struct train_parser *p, struct stream *stream, struct slice text, const char *at) {
    struct train_value peak = {.known = true, .line = p->line}, usage = peak;
    enum figure_reading reading = labelled_figure(text, SLICE("Overall DRAM Peak"), &peak.value);
    bool has_peak = reading != NO_FIGURE;
    if (has_peak) {
        settle_header(p, stream);
        if (!stream->open) open_summary(p, stream, false, at);
        struct train_summary *summary = &p->log->summaries.items[stream->open - 1];
        summary->has_totals = true;
        if (reading == FIGURE) summary->overall_peak = peak;
        else summary->too_large++;
        stream->closed = stream->open;
        stream->open = 0;
        stream->wrapped_lines = 0;
    }
    reading = stream->closed ? labelled_figure(text, SLICE("Final DRAM Usage"), &usage.value) : NO_FIGURE;
    bool has_usage = reading != NO_FIGURE;
    if (has_usage) {
        struct train_summary *summary = &p->log->summaries.items[stream->closed - 1];
        if (reading == TOO_LARGE) summary->too_large++;
        else if (!summary->final_usage.known) summary->final_usage = usage;
    }
    return has_peak || has_usage;
}

static struct stream *stream_of(struct train_parser *p, struct slice rank) {
    if (!rank.len) return &p->streams.items[0];
    bool added;
    uint32_t *place = map_at(&p->by_rank, hash_bytes(rank), &added);
    if (added) {
        *place = (uint32_t)p->streams.len;
        vec_push(&p->streams, ((struct stream){.rank = arena_copy(&p->log->text, rank)}));
    }
    return &p->streams.items[*place];
}

/* Outside a summary, and without any of the words in question: most lines of a training log. */
static bool is_other_output(const struct stream *stream, struct slice text) {
    static const struct slice words[] = {{"MB", 2}, {"===", 3}, {"---", 3}, {"aram", 4}, {"traces", 6}, {"GB", 2}};
    if (!text.len || stream->open || stream->wrapped_lines) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text.len >= words[i].len && find_bytes(text.ptr, text.len, words[i].ptr, words[i].len)) return false;
    return true;
}

/* A line that may need cleaning: with colours or tags. */
static bool is_dressed(struct slice line) {
    return line.len &&
           (memchr(line.ptr, '<', line.len) || memchr(line.ptr, '\x1b', line.len) || memchr(line.ptr, '\0', line.len));
}

static void pass_over(struct stream *stream, struct slice line, struct slice text) {
    struct slice row = slice_trim(text);
    if (row.len && row.ptr[0] != '#' && has_letter_or_digit(row)) stream->above = line;
}

static void feed(struct train_parser *p, struct slice line) {
    if (!line.len) return;
    if (!is_dressed(line) && is_other_output(&p->streams.items[0], line)) {
        pass_over(&p->streams.items[0], line, line);
        return;
    }
    struct slice rank;
    struct slice text = clean_line(line, &p->room, &rank);
    struct stream *stream = stream_of(p, rank);
    if (!slice_trim(text).len) return;
    if (is_other_output(stream, text)) {
        pass_over(stream, line, text);
        return;
    }
    if (read_context(p, stream, text)) return;
    if (contains(text, SLICE("=== Memory Usage Summary ==="))) {
        settle_header(p, stream);
        open_summary(p, stream, true, line.ptr);
        return;
    }
    if (contains(text, SLICE("No traces captured"))) p->log->captured_nothing = true;
    if (read_header(p, stream, text) || read_totals(p, stream, text, line.ptr) || read_figures(p, stream, text, line.ptr))
        return;
    struct slice row = slice_trim(text);
    if (!stream->open && row.ptr[0] != '#' && has_letter_or_digit(row)) stream->above = line;
}

/* Removes heads with nothing after them; gives the others what the file says elsewhere. */
static void finish_file(struct train_parser *p) {
    struct train_log *log = p->log;
    size_t kept = p->first_summary;
    for (size_t i = p->first_summary; i < log->summaries.len; i++) {
        struct train_summary *summary = &log->summaries.items[i];
        if (!summary->phases.len && !summary->has_totals) {
            log->empty_heads++;
            continue;
        }
        if (!summary->parameters.known) summary->parameters = p->first_parameters;
        if (!summary->device_mb.known) summary->device_mb = p->first_device;
        log->summaries.items[kept++] = *summary;
    }
    log->summaries.len = kept;
}

static void begin(struct train_parser *p, struct train_log *log, struct slice file) {
    *p = (struct train_parser){.log = log, .file = file, .first_summary = log->summaries.len, .line_starts = true};
    vec_push(&p->streams, ((struct stream){0}));
}

static void feed_lines(struct train_parser *p, struct slice text) {
    for (const char *at = text.ptr, *end = text.ptr + text.len; at < end;) {
        bool ends;
        p->line += p->line_starts;
        feed(p, lines_take_part(&at, end, &ends));
        p->line_starts = ends;
    }
}

static void finish(struct train_parser *p) {
    for (size_t i = 0; i < p->streams.len; i++) {
        settle_header(p, &p->streams.items[i]);
        strbuf_release(&p->streams.items[i].wrapped);
    }
    p->log->lines += p->line;
    finish_file(p);
    vec_release(&p->streams);
    map_release(&p->by_rank);
    strbuf_release(&p->room);
}

void train_parse(struct train_log *log, struct slice file, struct slice text) {
    struct train_parser p;
    begin(&p, log, file);
    feed_lines(&p, text);
    finish(&p);
}

struct train_reader {
    struct train_parser parser;
    struct strbuf text; /* text that may still name a summary, then unread text */
    size_t read;
};

struct train_reader *train_reader_new(struct train_log *log, struct slice file) {
    struct train_reader *reader = mem_zalloc(1, sizeof *reader);
    begin(&reader->parser, log, file);
    return reader;
}

/* Updates the lines that may name a summary after their text has moved; those before `first` are gone. */
static void move_names(struct train_reader *reader, const char *first, const char *to) {
    for (size_t i = 0; i < reader->parser.streams.len; i++) {
        struct slice *above = &reader->parser.streams.items[i].above;
        bool kept = above->ptr && above->ptr >= first;
        *above = kept ? slice_of(to + (above->ptr - first), above->len) : slice_of(NULL, 0);
    }
}

char *train_reader_room(struct train_reader *reader, size_t size) {
    struct strbuf *text = &reader->text;
    if (text->cap - text->len < size) {
        struct strbuf larger = {0};
        strbuf_room(&larger, 2 * text->len + size);
        strbuf_add(&larger, strbuf_slice(text));
        if (text->data) move_names(reader, text->data, larger.data);
        strbuf_release(text);
        *text = larger;
    }
    return strbuf_room(text, size);
}

/* Reads the first `len` unread bytes; forgets what is out of reach. */
static void read_on(struct train_reader *reader, size_t len) {
    struct strbuf *text = &reader->text;
    feed_lines(&reader->parser, slice_take(slice_skip(strbuf_slice(text), reader->read), len));
    reader->read += len;
    size_t drop = reader->read > NAME_REACH ? reader->read - NAME_REACH : 0;
    if (!text->data) return;
    move_names(reader, text->data + drop, text->data);
    memmove(text->data, text->data + drop, text->len - drop);
    text->len -= drop;
    reader->read -= drop;
}

void train_reader_took(struct train_reader *reader, size_t size) {
    strbuf_took(&reader->text, size);
    struct slice rest = slice_skip(strbuf_slice(&reader->text), reader->read);
    const char *lf = rest.len ? memrchr(rest.ptr, '\n', rest.len) : NULL;
    if (lf) read_on(reader, (size_t)(lf + 1 - rest.ptr));
    else if (rest.len > LONGEST_LINE) read_on(reader, rest.len);
}

void train_reader_finish(struct train_reader *reader) {
    read_on(reader, reader->text.len - reader->read);
    finish(&reader->parser);
    strbuf_release(&reader->text);
    free(reader);
}

void train_log_release(struct train_log *log) {
    for (size_t i = 0; i < log->summaries.len; i++) vec_release(&log->summaries.items[i].phases);
    vec_release(&log->summaries);
    arena_release(&log->text);
}
