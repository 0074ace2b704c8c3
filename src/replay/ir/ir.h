/* SPDX-License-Identifier: Apache-2.0 */
/* A TTNN module as a program to replay: functions, their ops in order, values by number, types parsed once each.
 *
 * The text must outlive the struct; slices point into it or into the arena. Nothing in it is trusted: what cannot be read is
 * counted in `odd` and left out. */
#ifndef TTMEM_REPLAY_IR_H
#define TTMEM_REPLAY_IR_H

#include "base/table/map.h"
#include "base/strbuf.h"
#include "parse/module.h"
#include "replay/ir/ir_type.h"

#define IR_NONE UINT32_MAX

enum ir_function_kind {
    IR_DEVICE, /* forward_device, or not given */
    IR_CONST_EVAL,
    IR_TRACE, /* the functions around a trace */
    IR_CPU,   /* on the host, or only a declaration */
};

struct ir_argument {
    struct slice name; /* ttir.name, or the name of the location */
    uint32_t type;     /* as printed: of the whole mesh if it is sharded */
    uint32_t held;     /* the part on one device */
    enum argument_role role;
    bool kv_cache;
};

struct ir_operand {
    uint32_t value; /* IR_NONE: not defined in this function */
    uint32_t type;
};

struct ir_op {
    struct slice name; /* "ttnn.reshape", "func.call" */
    struct slice ssa;  /* "%5", empty without results */
    struct slice callee, properties, attributes;
    struct slice location; /* inside loc( ), aliases not resolved */
    uint32_t line;         /* 1-based, in the module's text */
    uint32_t first_operand, operand_count;
    uint32_t first_result, result_count; /* values first_result ... */
    uint32_t first_result_type;          /* in result_types */
    struct slice text;                   /* as printed */
};

struct ir_function {
    struct slice name;
    enum ir_function_kind kind;
    uint32_t line;
    uint32_t first_argument, argument_count; /* their values are 0 ... */
    uint32_t first_op, op_count;
    uint32_t first_return, return_count; /* operands */
    uint32_t value_count;
    bool frees; /* contains a deallocate */
    bool called;
};

/* Counts of what should not be in a module's text. */
struct ir_odd {
    uint64_t undefined_values, missing_callees, cut_ops, unknown_types, call_cycles;
};

struct ir {
    struct slice text;
    uint32_t lines_before;     /* in the file, if the text is a part of it; set before reading */
    struct module_text helper; /* owns copies of names */
    struct ir_types types;
    VEC(struct ir_argument) arguments;
    VEC(struct ir_operand) operands;
    VEC(uint32_t) result_types;
    VEC(struct ir_op) ops;
    VEC(struct ir_function) functions;
    struct map functions_by_name;
    struct slice symbol;           /* of the module: "SyncTensorsGraph.6" */
    struct slice system_desc;      /* from the alias or the module's attributes; or empty */
    struct slice mesh;             /* "1x2" */
    uint64_t other_ops;            /* of TTIR and StableHLO */
    bool cut;                      /* the text ends inside the module */
    uint64_t batch_from, batch_to; /* types were changed for another batch; 0: as compiled */
    struct ir_odd odd;
};

/* Reads all of the text. A zeroed struct is ready. */
void ir_read(struct ir *ir, struct slice text);
void ir_release(struct ir *ir);

/* Adds one op with its types written out, as a log prints it, in no function: its operands are values 0, 1, ..., its results
 * those after them. The text must outlive the struct. False: it is not complete. */
bool ir_add_lone_op(struct ir *ir, struct slice text);

/* The function that a program runs: main, else the first for the device that nothing calls. NULL: none. */
const struct ir_function *ir_main(const struct ir *ir);

/* Finds a function by name; one with a body for the device takes precedence over a declaration. NULL: none. */
const struct ir_function *ir_function_find(const struct ir *ir, struct slice name);

/* The op's location as shown, with aliases resolved. */
void ir_location(const struct ir *ir, const struct ir_op *op, struct strbuf *out);

static inline const struct ir_type *ir_type_at(const struct ir *ir, uint32_t id) { return &ir->types.list.items[id]; }
static inline const struct ir_operand *ir_operand_at(const struct ir *ir, const struct ir_op *op, uint32_t i) {
    return &ir->operands.items[op->first_operand + i];
}
static inline const struct ir_type *ir_operand_type(const struct ir *ir, const struct ir_op *op, uint32_t i) {
    return ir_type_at(ir, ir_operand_at(ir, op, i)->type);
}
static inline const struct ir_type *ir_result_type(const struct ir *ir, const struct ir_op *op, uint32_t i) {
    return ir_type_at(ir, ir->result_types.items[op->first_result_type + i]);
}

/* Number of chips of the mesh that the program runs on; 1 if unknown. */
uint64_t ir_mesh_chips(const struct ir *ir);
/* The same along one axis; of the whole mesh if it is negative. 0: unknown. */
uint64_t ir_mesh_axis(const struct ir *ir, int64_t axis);

/* True for MLIR text of any dialect. */
bool ir_looks_like_mlir(struct slice text);

#endif
