/* SPDX-License-Identifier: Apache-2.0 */
/* The log files of tt-metal's Inspector (TT_METAL_LOGS_PATH/generated/inspector/): lists of entries, a head line and its
 * fields in a fixed order, nothing quoted. Read in blocks as they come: a file may be growing, and larger than memory.
 *
 * Writers do not lock: entries of two threads may be mixed. An entry counts if all of its keys came in order; anything else
 * counts as torn, and reading continues at the next line that is exactly a known head. Kernel sources inside entries can
 * contain any text. */
#ifndef TTMEM_PARSE_INSPECTOR_H
#define TTMEM_PARSE_INSPECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

enum inspector_kind {
    INSPECTOR_ALLOCATED,
    INSPECTOR_DEALLOCATED,
    INSPECTOR_RUNTIME_ENTRY,
    INSPECTOR_WORKLOAD_CREATED,
    INSPECTOR_WORKLOAD_DESTROYED,
    INSPECTOR_WORKLOAD_PROGRAM,
    INSPECTOR_WORKLOAD_BINARY,
    INSPECTOR_PROGRAM_CREATED,
    INSPECTOR_PROGRAM_DESTROYED,
    INSPECTOR_MESH_CREATED,
    INSPECTOR_OTHER,
};

/* Fields that a kind does not have are 0 or empty. Texts point into the parser's buffer: valid during the call. */
struct inspector_event {
    enum inspector_kind kind;
    uint64_t time_ns;
    uint64_t id; /* buffer, workload, program or mesh */
    uint64_t address, size, device_bytes;
    struct slice buffer_type; /* "DRAM", "L1", "SYSTEM_MEMORY", "L1_SMALL", "TRACE" */
    uint64_t runtime_id, trace_id;
    struct slice name;       /* of a runtime entry: the C++ name of the op */
    struct slice parameters; /* of a runtime entry, without its quotes */
    struct slice status;     /* of a binary: "NotSent", "InFlight", "Committed" */
    struct slice devices;    /* of a mesh: "[0, 1]" */
    bool has_parent;         /* of a mesh */
};

typedef void inspector_sink(void *who, const struct inspector_event *event);

struct inspector_parser {
    inspector_sink *sink;
    void *who;
    struct strbuf buffer; /* bytes that are not taken yet */
    bool in_tail;         /* lines that are not a head belong to the previous entry */
    bool in_torn;         /* they have been counted */
    uint64_t entries, torn;
};

void inspector_init(struct inspector_parser *p, inspector_sink *sink, void *who);

/* Room for the next bytes of the file, then the number that came. */
char *inspector_room(struct inspector_parser *p, size_t room);
void inspector_took(struct inspector_parser *p, size_t n);

/* The input has ended: the rest is torn. */
void inspector_finish(struct inspector_parser *p);
void inspector_release(struct inspector_parser *p);

/* startup.yaml: both clocks at one moment. False: not that file. */
struct inspector_startup {
    uint64_t system_ns, high_resolution_ns;
};
bool inspector_startup_read(struct slice text, struct inspector_startup *out);

#endif
