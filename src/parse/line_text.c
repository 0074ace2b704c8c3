#include "parse/line_text.h"

#include "parse/failure.h"
#include "scan/lines.h"

struct slice line_text_at(struct line_cursor *cursor, uint64_t number) {
    const char *at = cursor->rest.ptr, *end = at + cursor->rest.len;
    for (; cursor->line < number && at < end; cursor->line++) at = lines_behind(at, end);
    cursor->rest = slice_between(at, end);
    struct slice text = slice_of("", 0);
    bool ends = cursor->line != number;
    while (at < end && !ends && !failure_maybe(text)) {
        struct slice part = lines_take_part(&at, end, &ends);
        if (part.len) text = part;
    }
    return text;
}
