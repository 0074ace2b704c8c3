/* SPDX-License-Identifier: Apache-2.0 */
#include "work/visualizer/op_graph.h"

#include "base/num.h"
#include "work/visualizer/json_copy.h"

void op_graph_clear(struct op_graph *graph) {
    strbuf_clear(&graph->texts);
    vec_clear(&graph->nodes);
    vec_clear(&graph->numbers);
}

static void add_numbers(struct op_graph *graph, struct json_value list, size_t *first, size_t *count) {
    struct json_value item;
    uint64_t number;
    *first = graph->numbers.len;
    for (struct json_walk walk = json_walk_of(list); json_next(&walk, NULL, &item);)
        if (json_u64_of(item, &number)) vec_push(&graph->numbers, number);
    *count = graph->numbers.len - *first;
}

/* The number of a device, if the report lists it. */
static bool device_number(const struct op_graph *graph, struct json_value value, uint64_t *number) {
    struct slice text;
    uint64_t id;
    bool is_text = json_string_of(value, &text);
    if (is_text ? !text.len || num_read_u64(text, &id) != text.len : !json_u64_of(value, &id)) return false;
    *number = id;
    for (size_t i = 0; i < graph->device_count; i++)
        if (graph->devices[i] == id) *number = i;
    return graph->device_count > 0;
}

/* A list inside a text, as Python writes it. */
static void copy_device_tensors(struct json *j, struct op_graph *graph, struct json_value value) {
    struct strbuf text = {0};
    struct json inner = {.out = &text};
    struct json_value list = value, item, member;
    struct slice name, written;
    uint64_t number;
    bool read = graph->inner && json_string_of(value, &written) && json_parse(graph->inner, written, &list);
    for (struct json_walk walk = json_walk_of(list); read && json_next(&walk, NULL, &item);) {
        bool first = true;
        strbuf_addz(&text, text.len ? ", {" : "[{");
        for (struct json_walk members = json_walk_of(item); json_next(&members, &name, &member); first = false) {
            bool device = slice_equal(name, SLICE("device_id")) || slice_equal(name, SLICE("mesh_device_id"));
            strbuf_addz(&text, first ? "" : ", ");
            json_quote(&text, name);
            strbuf_addz(&text, ": ");
            if (device && device_number(graph, member, &number)) strbuf_addf(&text, "%llu", (unsigned long long)number);
            else json_copy(&inner, member);
        }
        strbuf_addc(&text, '}');
    }
    if (text.len) strbuf_addc(&text, ']');
    if (text.len) json_str(j, strbuf_slice(&text));
    else json_copy(j, value);
    strbuf_release(&text);
}

static void copy_params(struct json *j, struct op_graph *graph, struct json_value params) {
    struct slice name;
    struct json_value value;
    uint64_t number;
    json_object(j);
    for (struct json_walk walk = json_walk_of(params); json_next(&walk, &name, &value);) {
        json_key_slice(j, name);
        if (slice_equal(name, SLICE("device_id")) && device_number(graph, value, &number)) json_u64(j, number);
        else if (slice_equal(name, SLICE("device_tensors"))) copy_device_tensors(j, graph, value);
        else json_copy(j, value);
    }
    json_object_end(j);
}

void op_graph_add(struct op_graph *graph, struct json_value node) {
    struct op_graph_node added = {.text = graph->texts.len};
    struct json j = {.out = &graph->texts};
    struct slice name;
    struct json_value value;
    json_object(&j);
    for (struct json_walk walk = json_walk_of(node); json_next(&walk, &name, &value);) {
        if (slice_equal(name, SLICE("counter"))) {
            json_u64_of(value, &added.counter);
        } else if (slice_equal(name, SLICE("connections"))) {
            added.has_connections = true;
            add_numbers(graph, value, &added.connections, &added.connections_len);
        } else if (slice_equal(name, SLICE("input_tensors"))) {
            added.has_inputs = true;
            add_numbers(graph, value, &added.inputs, &added.inputs_len);
        } else if (!slice_equal(name, SLICE("id"))) {
            json_key_slice(&j, name);
            if (graph->device_count && slice_equal(name, SLICE("params")) && json_kind_of(value) == JSON_OBJECT)
                copy_params(&j, graph, value);
            else json_copy(&j, value);
        }
    }
    added.length = graph->texts.len - added.text; /* the object stays open */
    vec_push(&graph->nodes, added);
}

void op_graph_lone(struct op_graph *graph) {
    struct op_graph_node *node = &vec_last(&graph->nodes);
    if (!node->has_connections) return;
    node->connections = graph->numbers.len;
    node->connections_len = 1;
    vec_push(&graph->numbers, 0); /* the end */
}

static uint64_t place_of(const struct op_graph *graph, uint64_t counter) {
    const uint32_t *place = idmap_find(&graph->places, counter);
    return place ? *place : counter;
}

static void write_list(struct json *j, const struct op_graph *graph, const char *key, size_t first, size_t count) {
    json_key(j, key);
    json_array(j);
    for (size_t i = 0; i < count; i++) json_u64(j, place_of(graph, graph->numbers.items[first + i]));
    json_array_end(j);
}

static void write_end(struct op_graph *graph, const char *type, const char *connections, size_t place) {
    strbuf_addf(&graph->out,
                "{\"arguments\":[],\"connections\":[%s],\"counter\":%zu,\"id\":%zu,\"input_tensors\":[],\"node_type\":\"%s\","
                "\"params\":{},\"stacking_level\":0}",
                connections, place, place, type);
}

static void write_node(struct op_graph *graph, const struct op_graph_node *node, size_t place) {
    struct strbuf rest = {0};
    struct json j = {.out = &rest};
    strbuf_add(&graph->out, slice_take(slice_skip(strbuf_slice(&graph->texts), node->text), node->length));
    json_object(&j);
    json_member_u64(&j, "counter", place);
    json_member_u64(&j, "id", place);
    if (node->has_connections) write_list(&j, graph, "connections", node->connections, node->connections_len);
    if (node->has_inputs) write_list(&j, graph, "input_tensors", node->inputs, node->inputs_len);
    json_object_end(&j);
    if (node->length > 1) strbuf_addc(&graph->out, ',');
    strbuf_add(&graph->out, slice_skip(strbuf_slice(&rest), 1));
    strbuf_release(&rest);
}

static void write_edges(struct op_graph *graph, struct visualizer *v, const struct op_graph_node *node, size_t place,
                        int64_t operation, int64_t rank) {
    for (size_t k = 0; k < node->connections_len; k++)
        visualizer_row(v, VIS_EDGES, "iiiiiii", operation, (int64_t)place,
                       (int64_t)place_of(graph, graph->numbers.items[node->connections + k]), (int64_t)k, (int64_t)0,
                       (int64_t)k, rank);
}

/* Where a counter leads: to the last of the nodes that have it. Start and end have 0. */
static void find_places(struct op_graph *graph) {
    idmap_clear(&graph->places);
    for (size_t i = 0; i < graph->nodes.len; i++) idmap_set(&graph->places, graph->nodes.items[i].counter, (uint32_t)i + 1);
    idmap_set(&graph->places, 0, (uint32_t)graph->nodes.len + 1);
}

void op_graph_write(struct op_graph *graph, struct visualizer *v, int64_t operation, int64_t rank) {
    find_places(graph);
    strbuf_clear(&graph->out);
    strbuf_addc(&graph->out, '[');
    write_end(graph, "capture_start", "1", 0);
    visualizer_row(v, VIS_EDGES, "iiiiiii", operation, (int64_t)0, (int64_t)1, (int64_t)0, (int64_t)0, (int64_t)0, rank);
    for (size_t i = 0; i < graph->nodes.len; i++) {
        const struct op_graph_node *node = &graph->nodes.items[i];
        strbuf_addc(&graph->out, ',');
        write_node(graph, node, i + 1);
        write_edges(graph, v, node, i + 1, operation, rank);
    }
    strbuf_addc(&graph->out, ',');
    write_end(graph, "capture_end", "", graph->nodes.len + 1);
    strbuf_addc(&graph->out, ']');
    visualizer_row(v, VIS_CAPTURED_GRAPH, "isi", operation, strbuf_slice(&graph->out), rank);
}

void op_graph_write_as_is(struct op_graph *graph, struct visualizer *v, int64_t operation, int64_t rank) {
    idmap_clear(&graph->places);
    strbuf_clear(&graph->out);
    for (size_t i = 0; i < graph->nodes.len; i++) {
        const struct op_graph_node *node = &graph->nodes.items[i];
        strbuf_addc(&graph->out, i ? ',' : '[');
        write_node(graph, node, (size_t)node->counter);
        write_edges(graph, v, node, (size_t)node->counter, operation, rank);
    }
    strbuf_addc(&graph->out, ']');
    visualizer_row(v, VIS_CAPTURED_GRAPH, "isi", operation, strbuf_slice(&graph->out), rank);
}

void op_graph_release(struct op_graph *graph) {
    strbuf_release(&graph->texts);
    strbuf_release(&graph->out);
    vec_release(&graph->nodes);
    vec_release(&graph->numbers);
    idmap_release(&graph->places);
    json_reader_free(graph->inner);
}
