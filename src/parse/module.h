/* SPDX-License-Identifier: Apache-2.0 */
/* The text of one MLIR module, line by line -> what the model needs: mesh, chip, functions with their arguments and the
 * sequence of their ops. Works on a stream: only the current line is read twice. */
#ifndef TTMEM_PARSE_MODULE_H
#define TTMEM_PARSE_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

enum argument_role { ROLE_UNKNOWN, ROLE_INPUT, ROLE_PARAMETER, ROLE_CONSTANT };

extern const char *const role_names[]; /* "unknown", "input", "parameter", "constant" */

struct module_argument {
    uint32_t number; /* of %argN */
    enum argument_role role;
    bool kv_cache;
    struct slice name;       /* ttir.name, or the name of the location */
    struct slice type;       /* "tensor<...>", aliases not resolved */
    struct slice local_type; /* from local_shape; empty if the signature has none */
};

struct module_op {
    uint64_t key;   /* op_key */
    uint64_t place; /* location_key, once module_finish has run */
    uint32_t alias; /* #locN + 1; 0: the location is written out */
    uint32_t line;  /* in the module, from 1 */
};

struct module_function {
    struct slice name;
    bool has_signature; /* arguments were read */
    uint32_t first_argument, argument_count;
    uint32_t first_op, op_count;
    uint32_t first_result, result_count; /* what it returns: value_code, in module_text.results */
};

struct module_alias {
    struct slice name, text; /* "#ttnn_layout3" */
};

/* The meaning of #locN. */
struct module_place {
    uint32_t number; /* N + 1; 0 is #loc */
    uint32_t order;
    struct slice text; /* inside loc( ) */
};

struct module_text {
    struct arena arena;
    bool lines_stay; /* lines passed in stay valid for the life of the module: nothing is copied */
    bool wants_ops;
    VEC(struct module_argument) arguments;
    VEC(struct module_op) ops;
    VEC(struct module_function) functions;
    VEC(uint32_t) results;
    VEC(struct module_alias) layouts;
    VEC(struct module_place) places; /* in input order; module_finish sorts and then drops them */
    struct slice symbol;             /* "SyncTensorsGraph.20" */
    struct slice mesh;               /* "1x2" */
    struct slice arch;               /* from the system description: "wormhole_b0" */
    uint64_t dram_align;             /* likewise, 0 if not given */
    uint64_t dram_banks, l1_banks;   /* likewise */
    uint32_t lines;                  /* so far */
    bool body_seen, body_closed;
    bool in_function;
    size_t function_indent;
    VEC(uint64_t) prefix;       /* per op: running key of its function up to and including it */
    VEC(uint64_t) place_prefix; /* the same with locations */
};

/* A zeroed struct with lines_stay and wants_ops set is ready. Returns false if the line is after the end of the module. */
bool module_line(struct module_text *module, struct slice line);

/* Resolves locations and fills the running keys. */
void module_finish(struct module_text *module);

void module_release(struct module_text *module);

/* The function whose arguments are the model's: main, else the first with a signature; NULL if there is none. */
const struct module_function *module_main(const struct module_text *module);

/* The type of an argument with its layout alias written out; the type itself if it has none. In the module's arena. */
struct slice module_full_type(struct module_text *module, struct slice type);

/* Reads one argument of a signature, "%arg0: tensor<...> {attributes} loc("p0.1")"; texts are kept according to lines_stay.
 * False: not an argument. */
bool module_argument_parse(struct module_text *module, struct slice item, struct module_argument *argument);

/* The running key of a sequence: start with 0, add each op in order. */
uint64_t sequence_key(uint64_t running, uint64_t key);

#endif
