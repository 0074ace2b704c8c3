/* SPDX-License-Identifier: Apache-2.0 */
/* What if: the events of a capture replayed on a simulated device with something different: on another chip, in another
 * order, with circular buffers halved, with a tensor sharded over cores of L1. Every result is a replay of the whole trace;
 * what does not fit is counted and left out, and the replay continues. Owns its memory. */
#ifndef TTMEM_ANALYSIS_GRAPH_WHAT_IF_H
#define TTMEM_ANALYSIS_GRAPH_WHAT_IF_H

#include "analysis/graph/graph_report.h"

enum graph_change_kind { CHANGE_NOTHING, CHANGE_CHIP, CHANGE_ORDER, CHANGE_HALVE, CHANGE_SHARD };
enum graph_order { ORDER_CAPTURED, ORDER_PERSISTENT_FIRST, ORDER_LARGEST_FIRST };

struct graph_change {
    enum graph_change_kind kind;
    const struct chip *chip;
    enum graph_order order;
    bool by_counter;  /* a node, else all of a function */
    uint64_t counter; /* of the allocation's node */
    struct slice function;
    unsigned cores;
};

/* One replay: changes made together, and the result. */
struct graph_what_if {
    VEC(struct graph_change) changes;
    const struct chip *chip;
    uint64_t matched;      /* buffers and circular buffers that changed */
    uint64_t cores_wanted; /* cores that a sharded buffer or a program needs, if the chip has fewer; else 0 */
    unsigned cores_there;
    uint64_t failures;
    struct graph_sim_failure worst; /* the one that lacks most */
    uint32_t worst_segment;
    uint64_t lacking; /* bytes per bank that the worst one lacks */
    bool uses_l1, uses_dram;
    int64_t l1_left;    /* least distance from the program's end, or the base, to the lowest L1 buffer, or the top */
    uint64_t dram_left; /* least that was free in a bank */
};

typedef VEC(struct graph_what_if) graph_what_ifs;

/* "chip=p150", "order=persistent-first", "halve-cb=NODE|FUNCTION", "shard=NODE|FUNCTION:CORES". The caller keeps the texts. */
int graph_change_parse(const char *text, struct graph_change *out, struct err *err);

/* Replays the unchanged trace, and with each requested change, several also all together; without any, with the obvious
 * ones: other boards, other orders, the function with the most circular buffers, the largest tensors. Returns -1 if one
 * needs something that the capture or the chip does not have. Does nothing if the trace was not kept. */
int graph_what_if(const struct graph_session *session, const struct graph_change *asked, size_t count, graph_what_ifs *out,
                  struct err *err);
void graph_what_ifs_release(graph_what_ifs *list);

#endif
