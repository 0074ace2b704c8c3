/* SPDX-License-Identifier: Apache-2.0 */
#include "model/module_lines.h"

#include "parse/logline.h"
#include "scan/lines.h"

bool module_own_line(const struct module *module, struct slice *line) {
    if (module->prefix.len) {
        size_t len = line_prefix_like(module->prefix, *line);
        if (!len) return false;
        *line = slice_skip(*line, len);
    } else if (module->prefix_parts) {
        struct line_prefix prefix = line_prefix_read(*line, module->prefix_parts | PREFIX_PAINT);
        char room[PREFIX_TAG_ROOM];
        if ((prefix.parts ^ module->prefix_parts) & ~(uint32_t)PREFIX_PAINT ||
            !slice_equal(line_prefix_writer(&prefix, room), module->tag))
            return false;
        *line = slice_skip(*line, prefix.len);
    } else {
        *line = slice_skip(*line, line_prefix_read(*line, PREFIX_CERTAIN).len);
    }
    return true;
}

void module_lines_init(struct module_lines *lines, const struct module *module, struct slice log) {
    *lines = (struct module_lines){.module = module, .log = log};
}

/* Takes one line from the rest; *whole is false if it continues in the next piece of text. */
static struct slice take_line(struct module_lines *lines, bool *whole) {
    const char *at = lines->rest.ptr, *end = at + lines->rest.len;
    bool ends;
    struct slice line = lines_take_part(&at, end, &ends);
    *whole = line.ptr + line.len < end || !lines->torn;
    lines->rest = slice_between(at, end);
    module_own_line(lines->module, &line);
    return line;
}

bool module_lines_next(struct module_lines *lines, struct slice *line) {
    strbuf_clear(&lines->joined);
    for (;;) {
        while (!lines->rest.len) {
            if (lines->run == lines->module->runs.len) {
                *line = strbuf_slice(&lines->joined);
                return lines->joined.len > 0;
            }
            const struct text_run *run = &lines->module->runs.items[lines->run++];
            if (run->offset > lines->log.len || run->length > lines->log.len - run->offset) continue;
            lines->rest = slice_of(lines->log.ptr + run->offset, run->length);
            lines->torn = run->torn;
        }
        bool whole;
        struct slice part = take_line(lines, &whole);
        if (whole && !lines->joined.len) {
            *line = part;
            return true;
        }
        strbuf_add(&lines->joined, part);
        if (!whole) continue;
        *line = strbuf_slice(&lines->joined);
        return true;
    }
}

void module_lines_release(struct module_lines *lines) { strbuf_release(&lines->joined); }
