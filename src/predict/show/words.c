/* SPDX-License-Identifier: Apache-2.0 */
#include "base/strbuf.h"
#include "predict/show/show.h"
#include "render/format/json_parts.h"

const char *show_class_words(enum memory_class class) {
    static const char *const words[MEMORY_CLASSES] = {
        "weights",
        "const-eval results",
        "KV caches",
        "inputs",
        "constants",
        "activations",
        "temporaries",
        "maps of tiled reshapes",
        "tables of convolutions",
        "kernel binaries",
        "there before",
    };
    return words[class];
}

unsigned show_largest_maps(const struct replay *r, const struct map_made **largest, unsigned room) {
    unsigned count = 0;
    for (size_t i = 0; i < r->maps_made.len; i++) {
        const struct map_made *map = &r->maps_made.items[i];
        uint64_t bytes = r->memory.buffers.items[map->buffer].bytes;
        unsigned at = count;
        while (at && r->memory.buffers.items[largest[at - 1]->buffer].bytes < bytes) at--;
        if (at == room) continue;
        for (unsigned k = count < room ? count : room - 1; k > at; k--) largest[k] = largest[k - 1];
        largest[at] = map;
        if (count < room) count++;
    }
    return count;
}

void show_op_json(struct json *j, const struct replay *r, const struct op_state *s) {
    const struct ir_op *op = s ? place_op(r, s) : NULL;
    const struct ir *ir = s ? r->runs.items[s->program].ir : NULL;
    struct strbuf location = {0};
    if (op) ir_location(ir, op, &location);
    json_op_words(j, &(struct json_op_words){
                         .index = s && s->record != IR_NONE ? s->record : NONE,
                         .name = op ? op->name : SLICE("arguments"),
                         .line = op ? op->line : 0,
                         .location = strbuf_slice(&location),
                         .program = ir ? ir->functions.items[s->function].name : slice_of("", 0),
                         .rank = slice_of("", 0),
                     });
    strbuf_release(&location);
}
