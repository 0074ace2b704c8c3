/* A log line without what terminals and mpirun put into it: escape sequences, NUL bytes, and the tags of `mpirun --tag-output`
 * ("[1,0]<stdout>:"), which may also stand inside a long line. */
#ifndef TTMEM_PARSE_CLEAN_LINE_H
#define TTMEM_PARSE_CLEAN_LINE_H

#include <stdint.h>

#include "base/slice.h"
#include "base/strbuf.h"

struct mpi_tag {
    bool tagged;
    uint64_t job;
    uint64_t rank;
};

/* Takes the next line off `*rest`; \n, \r\n and a lone \r end a line. False at the end. */
bool next_line(struct slice *rest, struct slice *line);

/* Returns the clean text: `line` itself where nothing had to go, else text in `room` (valid until its next use). */
struct slice clean_line(struct slice line, struct strbuf *room, struct mpi_tag *tag);

#endif
