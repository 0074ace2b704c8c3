/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/foreign/graph_scan.h"

#include <stdlib.h>

#include "base/try.h"

void graph_scan_init(struct graph_scan *scan, graph_part_fn on_part, void *context) {
    *scan = (struct graph_scan){.on_part = on_part, .context = context};
}

void graph_scan_release(struct graph_scan *scan) {
    free(scan->held);
    scan->held = NULL;
    scan->held_len = scan->held_cap = 0;
}

static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/* Members of a report whose value is kept; all others are skipped. */
static const struct {
    const char *name;
    enum graph_part part;
    enum { MEMBER_WHOLE, MEMBER_ITEMS, MEMBER_ENTRIES } form; /* passed on whole, by item, or by member */
    bool is_table;
} members[] = {{"graph", GRAPH_NODE, MEMBER_ITEMS, false},
               {"captured_graph", GRAPH_NODE, MEMBER_ITEMS, false},
               {"devices", GRAPH_DEVICE, MEMBER_ITEMS, false},
               {"metadata", GRAPH_METADATA, MEMBER_WHOLE, false},
               {"python_io", GRAPH_PYTHON_IO, MEMBER_ITEMS, true},
               {"per_operation_buffers", GRAPH_BUFFERS_AFTER, MEMBER_ENTRIES, true},
               {"buffer_pages_by_address", GRAPH_PAGES_AT, MEMBER_ENTRIES, true}};

static void begin_value(struct graph_scan *scan, uint64_t offset, bool keeps) {
    scan->state = GRAPH_SCAN_VALUE;
    scan->value_offset = offset;
    scan->keeps = keeps;
    scan->depth = 0;
    scan->in_string = scan->escaped = false;
    scan->held_len = 0;
}

/* Keeps the bytes of a value that did not end in this push. */
static bool hold(struct graph_scan *scan, struct slice bytes) {
    if (!scan->keeps) return true;
    if (scan->held_len + bytes.len > GRAPH_VALUE_MAX) {
        scan->oversized++;
        scan->keeps = false;
        return true;
    }
    if (scan->held_cap < scan->held_len + bytes.len &&
        !try_reserve_in((void **)&scan->held, &scan->held_cap, scan->held_len + bytes.len, 1)) {
        scan->no_memory = true;
        return false;
    }
    if (bytes.len) memcpy(scan->held + scan->held_len, bytes.ptr, bytes.len);
    scan->held_len += bytes.len;
    return true;
}

static bool hand_out(struct graph_scan *scan, struct slice bytes) {
    if (!scan->keeps) return true;
    struct slice value = bytes;
    if (scan->held_len) {
        if (!hold(scan, bytes)) return false;
        if (!scan->keeps) return true;
        value = slice_of(scan->held, scan->held_len);
    } else if (bytes.len > GRAPH_VALUE_MAX) {
        scan->oversized++;
        return true;
    }
    scan->stopped = !scan->on_part(scan->context, scan->part, value, scan->value_offset);
    return !scan->stopped;
}

/* Position of the quote that ends the string, or SLICE_NONE; a quote after an odd number of backslashes does not. */
static size_t end_of_string(struct graph_scan *scan, struct slice bytes) {
    size_t from = scan->escaped && bytes.len; /* a backslash of the previous push escapes the first byte */
    for (size_t at = from;;) {
        size_t found = slice_find_byte(slice_skip(bytes, at), '"');
        size_t quote = found == SLICE_NONE ? bytes.len : at + found, slashes = 0;
        while (quote - slashes > from && bytes.ptr[quote - slashes - 1] == '\\') slashes++;
        if (quote == bytes.len) {
            scan->escaped = bytes.len ? slashes % 2 : scan->escaped;
            return SLICE_NONE;
        }
        if (slashes % 2 == 0) {
            scan->escaped = false;
            return quote;
        }
        at = quote + 1;
    }
}

/* Position after the value's last byte, or SLICE_NONE if it continues. A number or word ends before a separator. */
static size_t end_of_value(struct graph_scan *scan, struct slice bytes) {
    static const unsigned char class_of[256] = {['"'] = 1, ['{'] = 2, ['['] = 2, ['}'] = 3, [']'] = 3, [','] = 4};
    for (size_t i = 0; i < bytes.len; i++) {
        if (!scan->in_string) {
            switch (class_of[(unsigned char)bytes.ptr[i]]) {
                case 0:
                    continue;
                case 1:
                    scan->in_string = true;
                    i++;
                    break;
                case 2:
                    scan->depth++;
                    continue;
                case 3:
                    if (!scan->depth) return i; /* closes the container of a bare number or word */
                    if (!--scan->depth) return i + 1;
                    continue;
                default:
                    if (!scan->depth) return i;
                    continue;
            }
        }
        size_t end = end_of_string(scan, slice_skip(bytes, i));
        if (end == SLICE_NONE) return SLICE_NONE;
        scan->in_string = false;
        i += end;
        if (!scan->depth) return i + 1; /* the value is the string itself */
    }
    return SLICE_NONE;
}

/* Each step reads from `bytes` in its state and returns the number of bytes used. */

static size_t step_value(struct graph_scan *scan, struct slice bytes, bool *go_on) {
    size_t end = end_of_value(scan, bytes);
    if (end == SLICE_NONE) {
        *go_on = hold(scan, bytes);
        return bytes.len;
    }
    scan->state = scan->in_items ? GRAPH_SCAN_ITEMS : GRAPH_SCAN_MEMBERS;
    *go_on = hand_out(scan, slice_take(bytes, end));
    scan->held_len = 0;
    return end;
}

static size_t step_items(struct graph_scan *scan, char c, uint64_t offset) {
    if (is_space(c) || c == ',') return 1;
    if (c == ']') {
        scan->state = scan->in_report ? GRAPH_SCAN_MEMBERS : GRAPH_SCAN_END;
        scan->in_items = false;
        return 1;
    }
    if (c == '}' || c == ':') {
        scan->stray++;
        return 1;
    }
    begin_value(scan, offset, true);
    return 0;
}

static size_t step_members(struct graph_scan *scan, char c) {
    if (c == '"') {
        scan->state = GRAPH_SCAN_NAME;
        scan->name_len = 0;
        scan->escaped = false;
    } else if (c == '}') {
        if (!scan->in_entries) scan->state = GRAPH_SCAN_END;
        scan->in_entries = false;
    } else if (!is_space(c) && c != ',') {
        scan->stray++;
    }
    return 1;
}

static size_t scan_step_name(struct graph_scan *scan, char c) {
    if (scan->escaped) scan->escaped = false;
    else if (c == '\\') scan->escaped = true;
    else if (c == '"') {
        scan->state = GRAPH_SCAN_COLON;
        return 1;
    }
    if (scan->name_len < sizeof scan->name) scan->name[scan->name_len++] = c;
    return 1;
}

static size_t step_colon(struct graph_scan *scan, char c, uint64_t offset) {
    if (is_space(c) || c == ':') return 1;
    struct slice name = slice_of(scan->name, scan->name_len);
    if (scan->in_entries) {
        begin_value(scan, offset, true);
        return 0;
    }
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (!slice_equal(name, slice_from(members[i].name)) || (members[i].is_table && !scan->wants_tables)) continue;
        scan->part = members[i].part;
        if (members[i].form == MEMBER_ITEMS && c == '[') {
            scan->in_items = true;
            scan->found |= members[i].part == GRAPH_NODE;
            scan->state = GRAPH_SCAN_ITEMS;
            return 1;
        }
        if (members[i].form == MEMBER_ENTRIES && c == '{') {
            scan->in_entries = true;
            scan->state = GRAPH_SCAN_MEMBERS;
            return 1;
        }
        if (members[i].form == MEMBER_WHOLE && c == '{') {
            begin_value(scan, offset, true);
            return 0;
        }
    }
    begin_value(scan, offset, false);
    return 0;
}

static size_t step_start(struct graph_scan *scan, char c) {
    bool byte_order_mark = scan->offset < 3 && (c == '\xef' || c == '\xbb' || c == '\xbf');
    if (is_space(c) || byte_order_mark) return 1;
    scan->in_report = c == '{';
    scan->in_items = scan->found = c == '[';
    scan->part = GRAPH_NODE;
    scan->state = c == '[' ? GRAPH_SCAN_ITEMS : c == '{' ? GRAPH_SCAN_MEMBERS : GRAPH_SCAN_FOREIGN;
    return 1;
}

bool graph_scan_push(struct graph_scan *scan, struct slice bytes) {
    uint64_t start = scan->offset;
    bool go_on = !scan->stopped && !scan->no_memory;
    for (size_t i = 0; i < bytes.len && go_on;) {
        char c = bytes.ptr[i];
        scan->offset = start + i;
        switch (scan->state) {
            case GRAPH_SCAN_START:
                i += step_start(scan, c);
                break;
            case GRAPH_SCAN_MEMBERS:
                i += step_members(scan, c);
                break;
            case GRAPH_SCAN_NAME:
                i += scan_step_name(scan, c);
                break;
            case GRAPH_SCAN_COLON:
                i += step_colon(scan, c, start + i);
                break;
            case GRAPH_SCAN_ITEMS:
                i += step_items(scan, c, start + i);
                break;
            case GRAPH_SCAN_VALUE:
                i += step_value(scan, slice_skip(bytes, i), &go_on);
                break;
            case GRAPH_SCAN_END:
                scan->stray += !is_space(c);
                i++;
                break;
            case GRAPH_SCAN_FOREIGN:
                i = bytes.len;
                break;
        }
    }
    scan->offset = start + bytes.len;
    return go_on;
}

enum graph_scan_end graph_scan_finish(const struct graph_scan *scan) {
    switch (scan->state) {
        case GRAPH_SCAN_START:
            return GRAPH_EMPTY;
        case GRAPH_SCAN_FOREIGN:
            return GRAPH_NOT_JSON;
        case GRAPH_SCAN_END:
            return GRAPH_WHOLE;
        default:
            return GRAPH_CUT;
    }
}
