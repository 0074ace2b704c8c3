/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/graph/graph_legacy.h"

static void lift(struct graph_legacy *legacy) {
    uint32_t sum = legacy->circular + legacy->buffer;
    if (sum > legacy->peak) legacy->peak = sum;
}

/* The buffers that exist when an outermost function starts are its inputs. The first node that is neither a tensor nor an L1
 * buffer ends the run and is handled like any other. */
static bool is_input(struct graph_legacy *legacy, const struct graph_node *node) {
    if (node->kind == NODE_TENSOR) return true;
    if (node->kind != NODE_BUFFER || !node->is_l1) return false;
    legacy->buffer += (uint32_t)node->size;
    return true;
}

void graph_legacy_node(struct graph_legacy *legacy, const struct graph_node *node, const struct mem_event *event) {
    if (legacy->in_inputs) {
        if (is_input(legacy, node)) return;
        legacy->in_inputs = false;
        lift(legacy);
    }
    switch (node->kind) {
        case NODE_FUNCTION_START:
            legacy->in_inputs = legacy->depth++ == 0;
            if (legacy->in_inputs) return; /* counted when the run ends */
            break;
        case NODE_FUNCTION_END:
            if (legacy->depth) legacy->depth--;
            break;
        case NODE_CIRCULAR_BUFFER:
        case NODE_SCRATCHPAD:
            legacy->circular += (uint32_t)event->size;
            break;
        case NODE_DATAFLOW_BUFFER:
            if (!event->borrowed) legacy->circular += (uint32_t)event->size;
            break;
        case NODE_RELEASE_PROGRAM:
            legacy->circular = 0;
            break;
        case NODE_BUFFER_ALLOCATE:
            if (node->is_l1) legacy->buffer += (uint32_t)event->size;
            break;
        case NODE_BUFFER_DEALLOCATE:
            if (!event->node_is_dram) legacy->buffer -= (uint32_t)event->node_size;
            break;
        default:
            break;
    }
    lift(legacy);
}

uint32_t graph_legacy_peak(struct graph_legacy *legacy) {
    if (legacy->in_inputs) lift(legacy);
    return legacy->peak;
}
