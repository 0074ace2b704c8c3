/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the nodes of a ttnn graph capture in a stream of bytes, without reading them: the items of the top-level array, or
 * of "graph" (and "devices", ...) in a report object. Bytes are pushed in pieces of any size and passed on as whole values,
 * so memory stays at one node. Values of other members are skipped.
 *
 * A cut file gives everything before the cut. Owns its buffer; never ends the process. */
#ifndef TTMEM_PARSE_GRAPH_SCAN_H
#define TTMEM_PARSE_GRAPH_SCAN_H

#include <stdint.h>

#include "base/slice.h"

enum graph_part {
    GRAPH_NODE,
    GRAPH_DEVICE,
    GRAPH_METADATA,
    GRAPH_PYTHON_IO,     /* a record of python_io */
    GRAPH_BUFFERS_AFTER, /* from per_operation_buffers: what is alive after a function; scan->name is its counter */
    GRAPH_PAGES_AT,      /* from buffer_pages_by_address: pages of a buffer; scan->name is its address */
};

/* `text` is valid during the call. Return false to stop the scan. */
typedef bool (*graph_part_fn)(void *context, enum graph_part part, struct slice text, uint64_t offset);

enum graph_scan_state {
    GRAPH_SCAN_START,   /* before the first bracket */
    GRAPH_SCAN_MEMBERS, /* in the report object, between members */
    GRAPH_SCAN_NAME,    /* in the name of a member */
    GRAPH_SCAN_COLON,   /* after it */
    GRAPH_SCAN_ITEMS,   /* in an array of nodes or devices, between items */
    GRAPH_SCAN_VALUE,   /* in an item, or in a value that is skipped */
    GRAPH_SCAN_END,     /* after the capture */
    GRAPH_SCAN_FOREIGN, /* not a capture */
};

struct graph_scan {
    graph_part_fn on_part;
    void *context;
    enum graph_scan_state state;
    enum graph_part part;
    bool wants_tables; /* pass on GRAPH_PYTHON_IO and the parts after it: set before the first push */
    bool in_entries;   /* in an object whose members are passed on one by one */
    bool found;        /* an array of nodes */
    bool in_report, in_items, keeps, in_string, escaped, stopped;
    bool no_memory;
    unsigned depth;  /* brackets inside the value */
    uint64_t offset; /* position of the next byte to be pushed */
    uint64_t value_offset;
    char *held; /* start of a value that crosses a push */
    size_t held_len, held_cap;
    char name[32];
    size_t name_len;

    /* what was found */
    uint64_t oversized; /* values longer than GRAPH_VALUE_MAX, skipped */
    uint64_t stray;     /* bytes that belong to no value: "{}" instead of an array, text after the capture */
};

#define GRAPH_VALUE_MAX ((size_t)64 << 20)

void graph_scan_init(struct graph_scan *scan, graph_part_fn on_part, void *context);
void graph_scan_release(struct graph_scan *scan);

/* False: stopped by the callback, or out of memory. */
bool graph_scan_push(struct graph_scan *scan, struct slice bytes);

enum graph_scan_end { GRAPH_WHOLE, GRAPH_CUT, GRAPH_EMPTY, GRAPH_NOT_JSON };

/* What the bytes were. */
enum graph_scan_end graph_scan_finish(const struct graph_scan *scan);

#endif
