/* What the lines of a log say, by their numbers, for callers that ask for lines further and further down. */
#ifndef TTMEM_PARSE_LINE_TEXT_H
#define TTMEM_PARSE_LINE_TEXT_H

#include <stdint.h>

#include "base/slice.h"

struct line_cursor {
    struct slice rest;
    uint64_t line; /* of the start of `rest`, 1-based */
};

/* The line's text: of the parts that progress bars cut it into the one with a failure, else the last that is not empty. Empty
 * for a line above the cursor or below the end. */
struct slice line_text_at(struct line_cursor *cursor, uint64_t number);

#endif
