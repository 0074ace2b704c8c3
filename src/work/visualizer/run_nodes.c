/* SPDX-License-Identifier: Apache-2.0 */
#include "work/visualizer/run_nodes.h"

static void begin_node(struct run_nodes *n, const char *kind) {
    json_object(&n->json);
    json_member_u64(&n->json, "counter", n->count);
    json_member_u64(&n->json, "id", n->count);
    json_member_text(&n->json, "node_type", kind);
    json_key(&n->json, "params");
    json_object(&n->json);
}

static void end_node(struct run_nodes *n, bool connected) {
    json_object_end(&n->json);
    static const char *const lists[] = {"arguments", "input_tensors"};
    for (size_t i = 0; i < 2; i++) {
        json_key(&n->json, lists[i]);
        json_array(&n->json);
        json_array_end(&n->json);
    }
    json_key(&n->json, "connections");
    json_array(&n->json);
    if (connected) json_u64(&n->json, n->count - 1);
    json_array_end(&n->json);
    json_member_u64(&n->json, "stacking_level", 1);
    json_object_end(&n->json);
    n->count++;
}

static void function_node(struct run_nodes *n, const char *kind, struct slice name) {
    begin_node(n, kind);
    json_member_str(&n->json, "name", name);
    end_node(n, false);
}

static void bare_node(struct run_nodes *n, const char *kind) {
    begin_node(n, kind);
    end_node(n, false);
}

void run_nodes_begin(struct run_nodes *n, struct slice name) {
    strbuf_clear(&n->out);
    n->json = (struct json){.out = &n->out};
    n->count = 0;
    json_array(&n->json);
    bare_node(n, "capture_start");
    function_node(n, "function_start", name);
}

static void buffer_params(struct run_nodes *n, const struct node_buffer *b) {
    uint64_t size;
    json_member_u64(&n->json, "size", __builtin_mul_overflow(b->bank_bytes, b->banks, &size) ? b->bank_bytes : size);
    json_member_text(&n->json, "type", b->type == 0 || b->type == 4 ? "DRAM" : "L1");
    json_member_i64(&n->json, "buffer_type", b->type);
    json_member_text(&n->json, "layout", b->layout);
    json_member_u64(&n->json, "device_id", 0);
}

static void event_node(struct run_nodes *n, const char *kind, const struct node_buffer *b) {
    begin_node(n, "buffer");
    buffer_params(n, b);
    end_node(n, false);
    begin_node(n, kind);
    buffer_params(n, b);
    json_member_u64(&n->json, "address", b->address);
    json_member_u64(&n->json, "max_size_per_bank", b->bank_bytes);
    end_node(n, true);
}

void run_nodes_allocate(struct run_nodes *n, const struct node_buffer *buffer) { event_node(n, "buffer_allocate", buffer); }
void run_nodes_free(struct run_nodes *n, const struct node_buffer *buffer) { event_node(n, "buffer_deallocate", buffer); }

void run_nodes_program(struct run_nodes *n, enum node_program kind, uint64_t address, uint64_t bytes, struct core_range cores) {
    static const struct {
        const char *node, *flag;
    } kinds[] = {[NODE_PROGRAM_CIRCULAR] = {"circular_buffer_allocate", "globally_allocated"},
                 [NODE_PROGRAM_DATAFLOW] = {"dataflow_buffer_allocate", "borrows_memory"},
                 [NODE_PROGRAM_SCRATCHPAD] = {"scratchpad_allocate", NULL}};
    struct strbuf text = {0};
    strbuf_addf(&text, "{[%u-%u - %u-%u]}", cores.x0, cores.y0, cores.x1, cores.y1);
    begin_node(n, kinds[kind].node);
    json_member_u64(&n->json, "size", bytes);
    json_member_u64(&n->json, "address", kind == NODE_PROGRAM_CIRCULAR ? address : 0);
    json_member_str(&n->json, "core_range_set", strbuf_slice(&text));
    if (kinds[kind].flag) json_member_text(&n->json, kinds[kind].flag, "0");
    json_member_u64(&n->json, "device_id", 0);
    end_node(n, false);
    strbuf_release(&text);
}

void run_nodes_release_program(struct run_nodes *n) {
    begin_node(n, "circular_buffer_deallocate_all");
    json_member_u64(&n->json, "device_id", 0);
    end_node(n, false);
}

void run_nodes_end(struct run_nodes *n, struct visualizer *v, struct slice name, int64_t operation, int64_t rank) {
    function_node(n, "function_end", name);
    bare_node(n, "capture_end");
    json_array_end(&n->json);
    visualizer_row(v, VIS_CAPTURED_GRAPH, "isi", operation, strbuf_slice(&n->out), rank);
}

void run_nodes_clear(struct run_nodes *n) { strbuf_release(&n->out); }
