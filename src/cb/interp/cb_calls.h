/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of the interpreter that the files for calls share. */
#ifndef TTMEM_PARSE_CB_CALLS_H
#define TTMEM_PARSE_CB_CALLS_H

#include "cb/interp/cb_interp.h"

typedef const struct val *builtin_fn(struct interp *in, const struct call *call);

/* cb_builtin.c */
builtin_fn *interp_find_builtin(struct slice name);
const struct val *interp_arg(struct interp *in, const struct call *call, uint32_t i);
struct slice interp_arg_text(struct interp *in, const struct call *call, uint32_t i);
bool interp_is_config(const struct val *v);
const struct val *interp_fn_tuple(struct interp *in, const struct call *call);
const struct val *interp_fn_tile_size(struct interp *in, const struct call *call);

/* cb_method.c */
const struct val *interp_eval_method(struct interp *in, const struct call *call, TSNode callee, TSNode args_node);

/* cb_overload.c: returns NULL if the file and its headers have no such function. `headers`: functions defined in a header
 * count too. */
const struct val *interp_call_named(struct interp *in, const struct call *call, TSNode callee, TSNode args, bool headers);
const struct val *interp_call_member(struct interp *in, const struct call *call, TSNode owner, const struct val *object,
                                     TSNode args);
const struct val *interp_call_choice(struct interp *in, const struct val *choice, TSNode call, TSNode args, unsigned depth);

/* cb_constructor.c: a container constructs an element from arguments. */
void interp_note_emplaced(struct interp *in, const struct call *call);

/* cb_foreign.c: functions whose definition is not available */
const struct val *interp_eval_foreign(struct interp *in, const struct call *call);
bool interp_changes_nothing(const struct interp *in, const struct call *call);
void interp_forget_arguments(struct interp *in, const struct call *call);
/* The call gets a program, and what it adds to the program is unknown. */
void interp_note_handed(struct interp *in, const struct call *call);
void interp_kernel_by_name(struct interp *in, const struct call *call);

#endif
