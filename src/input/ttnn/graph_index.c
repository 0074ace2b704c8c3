/* SPDX-License-Identifier: Apache-2.0 */
#include "input/ttnn/graph_index.h"

#include "base/num.h"
#include "parse/ttnn_words.h"

static struct graph_index_tensor tensor_of(struct graph_index *index, const struct graph_node *node) {
    struct strbuf shape = {0};
    ttnn_shape(&shape, node->shape);
    struct graph_index_tensor t = {.id = node->has_tensor_id ? node->tensor_id : node->counter,
                                   .address = node->address,
                                   .shape = strtab_id(&index->texts, strbuf_slice(&shape)),
                                   .dtype = strtab_id(&index->texts, ttnn_dtype(node->dtype)),
                                   .tiled = ttnn_is_tiled(node->layout),
                                   .layout = (uint8_t)ttnn_memory_layout(node->memory_config)};
    t.on_device = node->address && node->has_type && ttnn_pool((int64_t)node->type, &t.pool);
    strbuf_release(&shape);
    return t;
}

/* There is a tensor node for every use. */
static void add_tensor(struct graph_index *index, const struct graph_node *node) {
    uint32_t *known = node->has_tensor_id ? idmap_find(&index->by_id, node->tensor_id) : NULL;
    uint32_t at = known ? *known : (uint32_t)index->tensors.len;
    if (!known) {
        vec_push(&index->tensors, tensor_of(index, node));
        if (node->has_tensor_id) idmap_set(&index->by_id, node->tensor_id, at);
    } else if (!index->tensors.items[at].on_device) {
        index->tensors.items[at] = tensor_of(index, node); /* it was moved to the device */
    }
    idmap_set(&index->by_counter, node->counter, at);
    if (index->keep_places) {
        idmap_set(&index->place_of, node->counter, (uint32_t)index->places.len);
        vec_push(&index->places, ((struct graph_index_entry){.key = node->counter, .offset = node->offset}));
    }
    index->per_core |= slice_find(node->memory_config, SLICE("per_core_allocation=1")) != SLICE_NONE;
}

static void end_function(struct graph_index *index, const struct graph_node *node) {
    if (!index->open.len) return;
    uint64_t start = index->open.items[--index->open.len];
    struct graph_index_list list = {start, (uint32_t)index->result_counters.len, (uint32_t)node->connections_len};
    if (!node->connections_len) return;
    for (size_t i = 0; i < node->connections_len; i++) vec_push(&index->result_counters, node->connections[i]);
    idmap_set(&index->results_of, start, (uint32_t)index->results.len);
    vec_push(&index->results, list);
}

void graph_index_node(struct graph_index *index, const struct graph_node *node) {
    struct graph_index_entry *last = index->places.len ? &vec_last(&index->places) : NULL;
    if (last && !last->length && node->offset > last->offset) last->length = (size_t)(node->offset - last->offset);
    switch (node->kind) {
        case NODE_TENSOR:
            add_tensor(index, node);
            break;
        case NODE_BUFFER:
            if (node->connections_len) idmap_set(&index->in_buffer, node->counter, (uint32_t)node->connections[0]);
            break;
        case NODE_FUNCTION_START:
            vec_push(&index->open, node->counter);
            break;
        case NODE_FUNCTION_END:
            end_function(index, node);
            break;
        default:
            break;
    }
}

void graph_index_table(struct graph_index *index, enum graph_part part, struct slice name, struct slice text, uint64_t offset) {
    struct graph_index_entry entry = {.offset = offset, .length = text.len};
    if (part == GRAPH_PYTHON_IO) {
        python_io_add(&index->io, text);
        return;
    }
    if (!name.len || num_read_u64(name, &entry.key) != name.len) return;
    if (part == GRAPH_BUFFERS_AFTER) {
        idmap_set(&index->after_of, entry.key, (uint32_t)index->after.len);
        vec_push(&index->after, entry);
    } else if (part == GRAPH_PAGES_AT) {
        idmap_set(&index->pages_of, entry.key, (uint32_t)index->pages.len);
        vec_push(&index->pages, entry);
    }
}

const struct graph_index_tensor *graph_index_tensor(const struct graph_index *index, uint64_t counter) {
    const uint32_t *at = idmap_find(&index->by_counter, counter);
    return at ? &index->tensors.items[*at] : NULL;
}

const struct graph_index_entry *graph_index_place(const struct graph_index *index, uint64_t counter) {
    const uint32_t *at = idmap_find(&index->place_of, counter);
    return at ? &index->places.items[*at] : NULL;
}

const struct graph_index_tensor *graph_index_in_buffer(const struct graph_index *index, uint64_t counter) {
    const uint32_t *tensor = idmap_find(&index->in_buffer, counter);
    return tensor ? graph_index_tensor(index, *tensor) : NULL;
}

const uint64_t *graph_index_results(const struct graph_index *index, uint64_t function, size_t *count) {
    const uint32_t *at = idmap_find(&index->results_of, function);
    *count = at ? index->results.items[*at].count : 0;
    return at ? &index->result_counters.items[index->results.items[*at].first] : NULL;
}

const struct graph_index_entry *graph_index_after(const struct graph_index *index, uint64_t function) {
    const uint32_t *at = idmap_find(&index->after_of, function);
    return at ? &index->after.items[*at] : NULL;
}

struct buffer_tensor graph_index_as_buffer(const struct graph_index *index, const struct graph_index_tensor *t) {
    return (struct buffer_tensor){.id = t->id,
                                  .shape = strtab_get(&index->texts, t->shape),
                                  .dtype = strtab_get(&index->texts, t->dtype),
                                  .tiled = t->tiled,
                                  .on_device = t->on_device,
                                  .layout = (enum buffer_layout)t->layout,
                                  .pool = t->pool};
}

void graph_index_release(struct graph_index *index) {
    strtab_release(&index->texts);
    vec_release(&index->tensors);
    idmap_release(&index->by_counter);
    vec_release(&index->places);
    idmap_release(&index->place_of);
    idmap_release(&index->by_id);
    idmap_release(&index->in_buffer);
    vec_release(&index->open);
    vec_release(&index->results);
    idmap_release(&index->results_of);
    vec_release(&index->result_counters);
    vec_release(&index->after);
    vec_release(&index->pages);
    idmap_release(&index->after_of);
    idmap_release(&index->pages_of);
    python_io_release(&index->io);
    *index = (struct graph_index){0};
}
