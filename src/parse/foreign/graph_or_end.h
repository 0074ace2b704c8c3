/* SPDX-License-Identifier: Apache-2.0 */
/* A graph_reader for the program, where running out of host memory does not return (base/mem.h). libttmem, which returns
 * errors, uses parse/foreign/graph.h alone. */
#ifndef TTMEM_PARSE_FOREIGN_GRAPH_OR_END_H
#define TTMEM_PARSE_FOREIGN_GRAPH_OR_END_H

#include "base/mem.h"
#include "parse/foreign/graph.h"

static inline void graph_reader_begin(struct graph_reader *reader, const struct graph_calls *calls) {
    if (graph_reader_init(reader, calls)) return;
    graph_reader_release(reader);
    mem_exhausted();
}

/* False: a callback stopped it. */
static inline bool graph_reader_take(struct graph_reader *reader, struct slice bytes) {
    bool all = graph_reader_push(reader, bytes);
    if (!reader->no_memory) return all;
    graph_reader_release(reader);
    mem_exhausted();
}

#endif
