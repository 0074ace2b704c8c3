/* SPDX-License-Identifier: Apache-2.0 */
/* Building functions op by op; used by genlog_graph.c (programs) and genlog_edge.c (awkward ops). */
#ifndef GENLOG_BUILD_H
#define GENLOG_BUILD_H

#include "genlog.h"

struct builder {
    struct gen *g;
    struct graph *graph;
    int fn; /* function that receives the ops */
    uint32_t batch, seq, hidden, heads;
    enum dtype dt;
    struct type *act; /* type of the running activation */
    int act_value;    /* the running activation */
    int *weights;     /* values usable as weights in `fn` */
    size_t weight_count, weight_cap;
    uint32_t conv_channels;
    uint32_t layer; /* of the block that is being built, and its part of the model */
    const char *part;
    int changed; /* records that --change put in, less those it took out */
};

struct emit {
    const char *name, *attrs, *discard;
    enum op_kind kind;
    int in[8];
    uint32_t nin;
    struct type *out[3];
    int nout, callee;
    struct loc *loc;
};

struct fn *builder_fn(struct builder *b);
int fn_add(struct builder *b, const char *name, enum fn_kind kind);
int fn_arg(struct builder *b, struct type *t, const uint32_t *weights, uint32_t weight_count);
int emit(struct builder *b, const struct emit *e); /* the first result, or -1 */
int get_device(struct builder *b);                 /* once per function */
void fn_return(struct builder *b, int value);
void fn_finish(struct builder *b, int fn); /* deallocates, records, op text */
const char *format(struct builder *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct type *value_type(struct builder *b, int value);
struct type *tensor(struct builder *b, enum dtype dt, bool tiled, enum mem mem, enum mem_layout layout, uint32_t rank,
                    const uint32_t *dims);
struct loc *loc_new(struct builder *b, enum loc_kind kind, const char *name, const char *display, struct loc *a,
                    struct loc *b2);
struct loc *loc_stem(struct builder *b, const char *stem);

#define DIMS(...) \
    (uint32_t)(sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)), (const uint32_t[]) { __VA_ARGS__ }
#define DRAM_TILE true, MEM_DRAM, ML_INTERLEAVED
#define DRAM_ROWS false, MEM_DRAM, ML_INTERLEAVED
#define HOST_ROWS false, MEM_HOST, ML_NONE
#define DRAM_CONFIG "memory_config = #ttnn.memory_config<<dram>, <interleaved>>"

void edge_op(struct builder *b); /* genlog_edge.c */

#endif
