/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of cb_source: the symbolic interpreter's state, shared by its files (cb_exec: statements and branches,
 * cb_declare: declarations, cb_eval, cb_operator, cb_assign, cb_literal: expressions, cb_loop: loops and switch, cb_call,
 * cb_overload, cb_builtin, cb_method, cb_foreign and cb_construct: calls and objects, cb_function: parameters and frames,
 * cb_global: names of the file, cb_state: changes, cb_reach: what can be changed through what, cb_share: things with several
 * names, cb_path: conditions, cb_record: results, cb_sites: buffers that were not reached). No other file includes it. */
#ifndef TTMEM_PARSE_CB_INTERP_H
#define TTMEM_PARSE_CB_INTERP_H

#include "cb/interp/cb_source.h"
#include "cb/interp/cb_value.h"
#include "cb/interp/cpp_tree.h"

enum {
    INTERP_MAX_STEPS = 400000,     /* nodes visited from one entry point */
    INTERP_MAX_TOTAL = 2000000,    /* nodes visited in one file */
    INTERP_MAX_MEMORY = 128 << 20, /* bytes of values */
    INTERP_MAX_DEPTH = 160,        /* nested expressions and statements */
    INTERP_MAX_CALLS = 16,         /* nested calls */
    INTERP_MAX_LOOP = 64,          /* iterations unrolled */
    INTERP_MAX_DECLS = 2048,
    INTERP_TEXT = 400,    /* longest expression kept */
    GLOBAL_CHAINS = 1024, /* a power of two */
};

/* The sizes of dataflow buffers are set when the program runs. */
#define INTERP_OVERRIDDEN SLICE("dataflow buffers are given other sizes when the program runs")

struct cb_cell {
    struct slice name;
    const struct val *value;
    enum val_type type;        /* as declared */
    uint64_t born;             /* val_clock() when it was made */
    struct val_object *object; /* set for a reference to a field of this object */
    struct slice field;
    struct val_list *list; /* set for a reference to an item of this list */
    uint32_t item;
    bool fixed;          /* given by --set */
    bool constant;       /* const or constexpr */
    bool escaped;        /* its address went to unknown code: its value is unknown for ever */
    bool pointer;        /* a copy of it is the same thing */
    bool optional;       /* std::optional: true if it holds something, even 0 */
    bool program;        /* a program, or its description: code that gets it can add buffers */
    uint64_t set_bit;    /* the bit of that --set */
    uint64_t decided_by; /* given values that decided the branches in which it was made; it does not depend on them */
};

struct binding {
    struct binding *next;
    struct binding *chain; /* names of the file: the next one with the same hash */
    struct slice name;
    struct slice owner; /* names of the file: the innermost namespace, class or enum; "" */
    struct slice path;  /* all enclosing scopes: a::b */
    struct cb_cell *cell;
    struct slice written; /* of a parameter: the argument as written */
    bool is_param;
    bool points; /* `T *name = &variable`: stands for the variable until it points elsewhere */
};

struct scope {
    struct scope *up;
    struct binding *bindings;
};

struct val_lambda {
    const struct cpp_tree *tree;
    TSNode node;
    struct scope *scope;
    const struct val *self; /* the object whose member function it is, or NULL */
};

struct function {
    const struct cpp_tree *tree;
    TSNode node;
    TSNode params;   /* parameter_list */
    TSNode template; /* template_parameter_list, or null */
    struct slice name;
    struct slice owner; /* the innermost class or namespace; "" */
    struct slice path;  /* all enclosing scopes: a::b */
    uint32_t min_args, max_args;
    uint32_t sites;   /* creation sites, including those of functions it calls */
    bool owns;        /* makes its own program */
    uint32_t calls;   /* number of calls in the file */
    bool main_file;   /* not from an include */
    bool visited;     /* already run where it is listed */
    bool ran;         /* run at all, from a call or on its own */
    uint8_t counting; /* 0 not yet, 1 in progress, 2 done */
    uint8_t jumping;  /* does it have a goto? 0 not examined, 1 no, 2 yes */
};

struct early_return {
    const struct val *condition; /* the return was taken if this holds */
    const struct val *value;     /* NULL: none */
};

struct cb_frame {
    struct cb_frame *up;
    struct scope *caller_scope;
    const struct function *function; /* NULL for a lambda */
    struct slice name;
    uint32_t call_line;
    uint64_t site;
    bool single; /* one creation site: the caller's line names the buffer */
    bool owns_program;
    uint64_t decided_by;      /* given values that decided whether an earlier return was taken */
    uint64_t decided_outside; /* given values that decided the branches around the call */
    const void *program_key;
    VEC(struct early_return) early;
    const struct val *left; /* a return was taken if this holds; NULL: none so far */
    uint64_t born;          /* val_clock() at its start */
    size_t mark;            /* length of the journal at its start */
    bool jumps;             /* it has a goto, so which parts run is unknown */
    uint64_t left_at;       /* val_clock() where the first return may have been taken */
    size_t conditions;      /* number of conditions that held around the call */
    bool by_reference;      /* it returns a reference, not a copy */
    const struct val *self; /* the object whose member function is running, or NULL */
    const struct val *result;
};

/* Something that can change: a variable, the fields of an object, or the items of a list. Exactly one is set. */
struct spot {
    struct cb_cell *cell;
    struct val_object *object;
    struct val_list *list;
};

struct spot_state {
    const struct val *value;
    struct val_field *fields;
    const struct val **items;
    uint32_t len;
    bool open;
};

struct undo {
    struct spot spot;
    struct spot_state old;
};

struct seen_site {
    uint64_t key;  /* its identity: where its configuration was made, call path, indices and size */
    uint64_t site; /* the first two parts of the key */
    uint64_t made; /* the call that makes it */
    size_t decl;
};

/* Code that certainly does not run. */
struct code_range {
    const struct cpp_tree *tree;
    uint32_t from, to; /* byte range */
};

/* The state holds what changed since a mark; the journal holds the values before. */
struct cell_change {
    struct spot spot;
    struct spot_state before, after;
};
typedef VEC(struct cell_change) changes;

/* A condition that was seen, kept to recognise it again. */
struct known_condition {
    const struct val *value;
    uint32_t id;
};

/* A replacement for the number at a byte of the text. */
struct other_number {
    uint32_t at;
    const struct val *value;
};

/* A place that counts as making a buffer, or a call of a function of the file. */
struct site {
    uint32_t at;       /* byte offset */
    uint32_t function; /* the called function, counted from 1; 0: none */
    uint32_t configured;
    bool made, declared;
    bool owns; /* makes a program */
    TSNode node;
};

/* A declared function, and which of its parameters it may change (bit n). Overloads are merged. */
struct prototype {
    struct slice name;
    uint64_t changes;
};

struct tree_sites {
    const struct cpp_tree *tree;
    VEC(struct site) sites;
};

struct counted_sites {
    const void *id;
    uint32_t sites;
};

/* A descriptor put in a program's list, and the conditions that held there. */
struct pushed_cb {
    struct val_object *object;
    struct cb_condition *conditions;
    uint32_t n_conditions, line;
    uint64_t made;
    bool repeats;
    bool loose;           /* in a list that is not, or not yet, a program's */
    const void *list;     /* origin of the list it was put in; NULL: unknown */
    size_t placed_under;  /* number of conditions that held when it was put in a program's list */
    uint32_t placed_last; /* the last of these, with its side */
    const struct cb_cell *program;
    const void *owner; /* as in buffer_maker */
    struct slice owner_name;
};

/* The items of one list are also in another: a + b. Lists are identified by their origins. */
struct list_join {
    const void *from, *to;
    const struct val *choice; /* instead of `from`: a choice between lists */
};

/* What makes a buffer. */
struct buffer_maker {
    uint64_t made; /* the place of the call */
    uint32_t line;
    bool repeats;
    const struct cb_cell *program;
    const void *owner; /* the function that owns the program, if that is not the nearest one with a program; else NULL */
    struct slice owner_name;
};

enum flow { FLOW_NEXT, FLOW_RETURN, FLOW_BREAK, FLOW_CONTINUE, FLOW_THROW };

struct interp {
    struct cb_source *out;
    struct arena *arena;
    const struct cpp_tree *tree; /* of the running code */
    const struct cpp_tree *main_tree;
    VEC(struct other_number) numbers;
    struct strbuf *macros; /* function-like macros that make buffers, written as functions; NULL: not collected */
    const struct cb_set *sets;
    size_t n_sets;
    VEC(struct function) functions;
    VEC(struct prototype) prototypes;
    struct scope globals, types; /* types: structures defined in the file */
    struct scope aliases;        /* using Name = type; the value is the text of the type */
    struct binding *global_chains[GLOBAL_CHAINS];
    VEC(struct cb_cell *) given; /* by --set, and values that follow from the chip */
    struct slice owner;          /* while reading the file: the innermost namespace, class or enum */
    struct slice owner_path;     /* all enclosing scopes: a::b */
    struct scope *scope;
    struct cb_frame *frame;
    VEC(struct undo) journal;
    VEC(struct cb_condition) conditions;
    VEC(const struct val *) path; /* the conditions that hold, as values, in the same order */
    VEC(struct known_condition) known_conditions;
    uint32_t loose_leaves;        /* breaks and continues that may have been taken */
    VEC(struct seen_site) seen;   /* what this entry recorded, to recognise repeats in a loop */
    VEC(uint64_t) listed;         /* places in the sources that made a buffer, from any entry */
    bool only_new;                /* skip places that are already listed */
    VEC(struct pushed_cb) pushed; /* read when the function ends: fields may be set after the push */
    VEC(struct list_join) joins;
    VEC(const struct val *) kernels;
    VEC(struct counted_sites) counted;
    VEC(struct tree_sites) site_lists;
    VEC(const void *) reached; /* node ids of the calls that make buffers and were run */
    VEC(struct code_range) skipped;
    uint32_t steps, depth, calls, next_condition;
    uint32_t open_loops;    /* enclosing loops that run an unknown number of times */
    uint32_t program_loops; /* the same for the place where the program was made */
    uint64_t decided_by;    /* given values that decided the enclosing branches */
    uint64_t globals_until; /* val_clock() after reading the file */
    uint32_t reading;       /* above 0: iterators are only used to read */
    bool saw_program;       /* a function that makes its own program ran in this entry */
    bool python;            /* objects and lists are shared, not copied; `and` and `or` return one of their sides */
    bool wants_truth;       /* the next expression is evaluated for its truth */
    bool narrowing;         /* arguments are being evaluated to choose a function */
    uint32_t forgetting;    /* nesting of objects whose fields are being made unknown */
    bool mute;              /* a dry run: nothing is recorded */
    bool exhausted;         /* out of steps */
    bool too_deep;
};

/* cb_function.c */
/* `self` is the object whose member function it is, or NULL. */
const struct val *interp_call_function(struct interp *in, struct function *f, TSNode call, TSNode args, const struct val *self);
const struct val *interp_call_lambda(struct interp *in, const struct val_lambda *lambda, TSNode call, TSNode args);
/* Runs a constructor, which fills the object. */
void interp_call_constructor(struct interp *in, struct function *f, TSNode call, TSNode args, const struct val *object);
void interp_run_entry(struct interp *in, struct function *f);
bool interp_returns_reference(const struct function *f);

/* cb_constructor.c */
bool interp_has_constructor(const struct interp *in, struct slice type);
/* The object that the constructor makes; NULL if there is none or it is not certain which one runs. */
const struct val *interp_run_constructor(struct interp *in, struct slice type, TSNode args, TSNode whole);
void interp_note_unrun_constructor(struct interp *in, struct slice type);
void interp_init_fields(struct interp *in, const struct function *f, struct val_object *object);

/* cb_global.c: names of the file */
void interp_add_global(struct interp *in, struct binding *binding);
/* Finds the variable or constant of a name. If several scopes have one, it has only what is certain of all. `owner` is the
 * scope that qualifies the name, or "". NULL: there is none. */
struct cb_cell *interp_global(struct interp *in, struct slice name, struct slice owner);
/* The scope of the running code: unqualified names are looked up there first, then in the scopes around it. */
struct slice interp_scope_path(const struct interp *in);
struct slice interp_outer_path(struct slice path); /* a from a::b, "" from a */
struct slice interp_inner_path(struct interp *in, struct slice path, struct slice name);
struct slice interp_owner_of(const struct cpp_tree *tree, TSNode qualified); /* B from A::B::name; "" */
enum val_type interp_number_type(const struct interp *in, const struct cpp_tree *tree, TSNode type);
void interp_note_alias(struct interp *in, struct slice name, struct slice type);
/* The definition of a type; NULL if there is none, or if several of that name differ. */
const struct val_lambda *interp_find_type(const struct interp *in, struct slice name);
bool interp_has_type(const struct interp *in, struct slice name); /* one or several */

/* cb_reach.c: what can be changed through a name */
void interp_forget_mentioned(struct interp *in, TSNode node); /* everything that an expression names */
void interp_escape_mentioned(struct interp *in, TSNode node); /* permanently */
void interp_escape_value(struct interp *in, const struct val *value);
/* cb_share.c */
bool interp_is_pointer_type(struct slice type);
bool interp_shares(struct interp *in,
                   TSNode node); /* does the expression yield a pointer, so that a copy of it is the same thing? */
const struct val *interp_taken(struct interp *in, TSNode node, const struct val *value);   /* by value, as it is stored */
void interp_write_anywhere(struct interp *in, struct slice name, const struct val *value); /* to one unknown object */
void interp_escape_reached(struct interp *in, TSNode target); /* whatever a reference to the target can change */

/* What a lambda captures of its surroundings. */
struct scope *interp_capture(struct interp *in, TSNode lambda);
const struct val *interp_condition(struct interp *in, TSNode node); /* the value of an expression in a condition */
const struct val *interp_has_value(struct interp *in, const struct val *optional); /* NULL: unknown */

/* cb_overload.c: a function is named but not called; if it makes buffers, unknown code may call it */
void interp_note_function_value(struct interp *in, struct slice name);
/* Does a call return an object or list that nothing else refers to? */
bool interp_is_fresh(struct interp *in, TSNode node);

/* cb_kinds.c: tt-metal's names for buffers, programs, kernels */
bool interp_is_buffer_type(struct slice type); /* in a program's list: CBDescriptor, DataflowBufferSpec, ScratchpadSpec */
bool interp_is_config_type(struct slice type); /* passed to a call: CircularBufferConfig, DataflowBufferConfig */
bool interp_is_buffer_list(struct slice name); /* the fields that hold them */
bool interp_is_program_type(struct slice type);
bool interp_is_kernel_type(struct slice type);
struct slice interp_role_of(struct slice index_text); /* the name of an index as written; "" if it is a plain one */

/* cb_sites.c: does the call make a circular buffer, or put a descriptor in a program's list? */
bool interp_makes_buffer(const struct cpp_tree *tree, TSNode call);
/* Number of places in a piece of code that make a circular buffer, including calls of functions that do. */
uint32_t interp_count_sites(struct interp *in, const struct cpp_tree *tree, TSNode body);
void interp_count_all(struct interp *in); /* counts the sites and calls of every function */
void interp_check_reached(struct interp *in);
void interp_check_described(struct interp *in);
void interp_release_sites(struct interp *in);

void interp_define_type(struct interp *in, TSNode node); /* a class, structure or union */

/* cb_exec.c */
enum flow interp_exec(struct interp *in, TSNode node);
struct cb_cell *interp_bind_name(struct interp *in, struct slice name, const struct val *value);
struct binding *interp_find_binding(const struct interp *in, struct slice name);
void interp_open_scope(struct interp *in, struct scope *scope);
struct slice interp_condition_text(struct interp *in, const struct val *condition);
struct binding *interp_bind_cell(struct interp *in, struct slice name, struct cb_cell *cell);
/* The function may have returned since; the following code runs only if it did not. */
void interp_note_maybe_left(struct interp *in, const struct val *before);

/* cb_declare.c */
void interp_declare(struct interp *in, TSNode declaration);
void interp_declare_enum(struct interp *in, TSNode node);
TSNode interp_unwrap_declarator(TSNode declarator);
/* Binds `name` or `[a, b]`; NULL if it is not one variable. */
struct cb_cell *interp_bind_declarator(struct interp *in, TSNode declarator, const struct val *value);
/* A field or an item as a variable; NULL if it is neither. */
struct cb_cell *interp_part_cell(struct interp *in, TSNode node, struct slice name);

/* What an assignment stores: a copy in C++, the object itself in Python. */
static inline const struct val *interp_copy(const struct interp *in, const struct val *value) {
    return in->python ? value : val_clone(in->arena, value);
}

/* cb_state.c: changes, and how to undo them */
void interp_assign(struct interp *in, struct cb_cell *cell, const struct val *value);
const struct val *interp_cell_value(const struct cb_cell *cell);
struct val_field *interp_write_field(struct interp *in, struct val_object *object, struct slice name, const struct val *value);
void interp_write_item(struct interp *in, struct val_list *list, uint32_t at, const struct val *value);
void interp_append_item(struct interp *in, struct val_list *list, const struct val *value);
void interp_clear_list(struct interp *in, struct val_list *list);
void interp_write_object(struct interp *in, struct val_object *object, const struct val *value); /* object = value */
void interp_restore_globals(struct interp *in, uint64_t until);  /* everything older than `until` gets its old value back */
void interp_open_list(struct interp *in, struct val_list *list); /* from here on its contents are unknown */
/* Restores the state at the mark and lists what had changed. Things made after `since` keep their state. */
void interp_take_back(struct interp *in, size_t mark, uint64_t since, changes *out);
void interp_put_back(struct interp *in, const changes *list);
/* After a branch: `condition ? yes : no` for everything that either side changed. */
void interp_merge_sides(struct interp *in, const struct val *condition, const changes *yes, const changes *no);
/* One side left the function: its changes that are visible outside have happened if the condition holds. */
void interp_merge_left(struct interp *in, const struct val *condition, const changes *left);
void interp_forget(struct interp *in, const changes *changed);        /* makes all of it unknown */
void interp_forget_value(struct interp *in, const struct val *value); /* an object or list that other code may change */
void interp_forget_cell(struct interp *in, struct cb_cell *cell);
void interp_forget_items(struct interp *in, struct val_list *list); /* and everything in them */
bool interp_in_changes(const changes *list, struct spot spot);

/* cb_path.c: conditions that hold */
struct branch {
    uint32_t id;
    bool flipped; /* the condition is the negation of the one with this id */
};
/* The side of a condition, if the conditions that hold decide it: 1 or 0; -1: unknown. */
int known_side(const struct interp *in, const struct val *condition);
/* Under these conditions, does the condition hold? 1 yes, 0 no, -1 unknown. */
int interp_side_among(const struct interp *in, const struct cb_condition *list, uint32_t n, const struct val *condition);
void interp_push_side(struct interp *in, const struct val *condition, bool side);
void interp_push_choice(struct interp *in, uint32_t id, uint32_t which, uint32_t sides, struct slice text,
                        const struct val *holds);
void interp_push_maybe(struct interp *in); /* a condition about which nothing is known */
void interp_drop_conditions(struct interp *in, size_t len);
const struct val *interp_path_since(struct interp *in, size_t from); /* all that hold since, as one value; NULL: none */
/* Notes that the function may have returned here if `condition` holds; the following code runs only if it does not. */
void interp_note_left(struct interp *in, const struct val *condition, const struct val *result);

/* cb_keep.c: copies the results into the source's own arena */
void cb_source_keep(struct cb_source *source);

/* cb_loop.c */
enum flow interp_exec_switch(struct interp *in, TSNode node);
enum flow interp_exec_for(struct interp *in, TSNode node);
enum flow interp_exec_range_for(struct interp *in, TSNode node);
enum flow interp_exec_while(struct interp *in, TSNode node);
enum flow interp_exec_do(struct interp *in, TSNode node);
/* A function that other code calls an unknown number of times. */
void interp_call_repeatedly(struct interp *in, const struct val_lambda *lambda, TSNode call);

/* cb_eval.c */
const struct val *interp_eval(struct interp *in, TSNode node);
struct cb_cell *interp_place(struct interp *in, TSNode node);   /* for a plain variable, else NULL */
struct slice interp_written(struct interp *in, TSNode node);    /* source text; for a bare parameter that of the argument */
struct slice interp_tidy(struct interp *in, struct slice text); /* collapses white space, cuts to INTERP_TEXT */
const struct val *interp_unknown(struct interp *in, TSNode node);
struct slice interp_last_name(const struct cpp_tree *tree, TSNode node);
/* The list item at an index, or the map entry of a key; NULL: unknown. */
const struct val *interp_find_in_list(const struct val_list *list, const struct val *key);

void interp_escape(struct interp *in, struct cb_cell *cell);   /* its address goes to unknown code */
const struct val *interp_peek(struct interp *in, TSNode node); /* the value, without the side effects of computing it */
void interp_set_field(struct interp *in, TSNode target, const struct val *value, struct slice text);

struct cb_cell *interp_variable(struct interp *in, struct slice name, struct binding **binding);
/* The value of the field `a.b`. If the object has no such field and `make` is set, creates a list there. */
const struct val *interp_field_of(struct interp *in, TSNode node, bool make);
bool interp_is_objectlike(const struct val *v);
void interp_point_elsewhere(struct interp *in, struct binding *pointer);

/* cb_operator.c */
bool interp_find_operator(struct slice text, enum val_op *op);
const struct val *interp_binary(struct interp *in, TSNode node);
const struct val *interp_unary(struct interp *in, TSNode node);
const struct val *interp_conditional(struct interp *in, TSNode node);

/* cb_foreign.c: functions of tt-metal that take a program and do not change its buffers */
bool interp_keeps_buffers(struct slice name);
void interp_note_handed_object(struct interp *in, struct slice type, TSNode args);
/* Marks the first argument of CreateCircularBuffer as a program. */
void interp_note_program(struct interp *in, TSNode argument);
/* cb_declare.c: notes a factor of 2, which may be double buffering. */
void interp_note_double(struct interp *in, TSNode number, TSNode whole);

/* cb_literal.c, cb_assign.c */
const struct val *interp_number(struct interp *in, TSNode node);
const struct val *interp_string(struct interp *in, TSNode node);
const struct val *interp_assignment(struct interp *in, TSNode node);

/* cb_call.c */
struct call {
    TSNode node;  /* the whole call */
    TSNode *args; /* argument nodes */
    uint32_t n;
    struct slice name;
};

const struct val *interp_eval_call(struct interp *in, TSNode node);

/* cb_foreign.c: an argument of a function that is not available and may change it */
void interp_forget_argument(struct interp *in, TSNode argument);
void interp_note_prototype(struct interp *in, TSNode declaration);

/* cb_builtin.c: the product of two arguments, as a helper would have written it */
struct slice interp_product_text(struct interp *in, struct slice a, struct slice b);

/* cb_construct.c */
const struct val *interp_eval_braces(struct interp *in, TSNode list, struct slice type);
const struct val *interp_eval_field_value(struct interp *in, struct slice field_name, TSNode value);
struct slice interp_element_type(struct slice list); /* of a field that is a list; "" if unknown */
/* Gives a new list the type of its items: std::vector<uint32_t>. */
void interp_type_items(struct interp *in, const struct val *value, const struct cpp_tree *tree, TSNode type);
bool interp_is_own_type(const struct interp *in, struct slice type);
bool interp_is_constructible(const struct interp *in, struct slice type);
/* Adds one index of a buffer. */
const struct val *interp_add_entry(struct interp *in, struct val_list *entries, const struct val *index,
                                   struct slice index_text, const struct val *format,
                                   struct slice format_written); /* `entries` may be NULL */
const struct val *interp_construct(struct interp *in, struct slice type, TSNode args, TSNode whole);
const struct val *interp_find_constant(struct interp *in, struct slice text, struct slice last);

/* cb_record.c, cb_record_kernel.c */
const struct cb_frame *interp_naming_frame(const struct interp *in, uint32_t *line, const struct cb_frame **program);
bool interp_leaves_buffers(struct slice name);
const struct val *interp_field_default(struct interp *in, const struct cpp_tree *tree, TSNode value, const struct val *object);
bool interp_has_base(const struct interp *in, TSNode definition); /* of a class */
bool interp_is_aggregate(const struct interp *in, struct slice type);
bool interp_class_is_seen(struct interp *in, struct slice type);
size_t interp_outside_program(const struct interp *in, const struct cb_cell *program);
void interp_maker_program(const struct interp *in, struct buffer_maker *maker, const struct cb_cell *program);
uint32_t interp_program_id(struct interp *in, const void *key, struct slice function, const struct cb_cell *cell);
const struct cb_cell *interp_program_of(struct interp *in, TSNode call);
struct slice interp_text_of(struct interp *in, const struct val *v);
const struct val *interp_field_value(const struct val_object *object, const char *name);
struct slice interp_field_text(const struct val_object *object, const char *name);
struct slice interp_name_of(struct interp *in, const struct val *id, struct slice text);
void interp_stamp(struct interp *in, struct val_object *object, TSNode node);
uint64_t interp_site_of(const struct interp *in, TSNode node); /* includes the calls that led there */
/* `by` is the call that makes the buffer. */
void interp_record_config(struct interp *in, const struct val *config, struct slice core_expr, TSNode by);
void interp_note_skipped(struct interp *in, TSNode node);         /* code that does not run */
bool interp_is_listed(const struct interp *in, TSNode described); /* did this description become a buffer? */
void interp_note_reached(struct interp *in, TSNode call);
bool interp_is_accounted(const struct interp *in, const struct cpp_tree *tree, TSNode call); /* reached or skipped */
void interp_record_kernel(struct interp *in, const struct val *path, const struct val_list *args, TSNode call);
/* A kernel that is added to a program's list. */
void interp_note_kernel(struct interp *in, const struct val *kernel);
/* A program's list of kernels; if it is not fully known, kernels are missing. */
void interp_note_kernels(struct interp *in, const struct val *list);
void interp_record_described_kernel(struct interp *in, const struct val_object *object);
void interp_record_simple(struct interp *in, TSNode call, const struct val *index, struct slice index_text,
                          const struct val *total, struct slice total_text, const struct val *page, struct slice page_text,
                          const struct val *format, struct slice format_text, struct slice core, const struct val *buffer);
void interp_note_unfollowed(struct interp *in, struct slice reason);
void interp_note_unread(struct interp *in, TSNode node, struct slice reason); /* a buffer whose size is not read */
/* The handle of the last recorded buffer; an unknown buffer has none. */
const struct val *interp_handle(struct interp *in, size_t before);
void interp_change_total(struct interp *in, const struct val *handle, const struct val *total, struct slice text);
struct buffer_maker interp_maker_of(struct interp *in, TSNode call);
void interp_record_object(struct interp *in, const struct val_object *object, struct slice core,
                          const struct buffer_maker *maker);

/* cb_pushed.c: descriptors in lists; a list that is not a program's (`placed`) may become one later */
void interp_record_pushed(struct interp *in, const struct val *item, TSNode by, const struct val_list *list, bool placed);
void interp_place_list(struct interp *in, const struct val *list, TSNode by); /* the list becomes a program's */
void interp_drop_pushed(struct interp *in, const struct val_list *list); /* its items may be gone; NULL: those of any list */
void interp_finish_pushed(struct interp *in, size_t from, bool has_program);
/* Marks the lists of a program as its own, and their items as belonging to that variable. */
void interp_own_program(struct interp *in, const struct val *program, const struct cb_cell *cell);
/* The items of a program's list are also put in another program's. */
void interp_copy_buffers(struct interp *in, const void *from, const struct val_list *into, const struct cb_cell *program);
/* A copy of a program has its own buffers, equal to those that the other has so far. */
void interp_copy_program(struct interp *in, const struct val *copy, const struct cb_cell *cell);
void interp_join_list(struct interp *in, const struct val *from, const struct val_list *to);
bool interp_is_list_choice(const struct val *value, unsigned depth); /* a choice between fully known lists */
/* Code that is not available may have changed the list. */
void interp_note_list_lost(struct interp *in, struct val_list *list, bool grows);
/* Puts all items of one list in another. */
void interp_extend_list(struct interp *in, struct val_list *list, const struct val *more, TSNode by, bool placed);

static inline bool is_kind(TSNode node, enum cpp_kind kind) { return cpp_kind(node) == kind; }
static inline bool exists(TSNode node) { return !ts_node_is_null(node); }

#endif
