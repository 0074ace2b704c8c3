/* Inside of cb_source: the symbolic interpreter's state, shared by its files (cb_exec: statements and functions, cb_eval:
 * expressions, cb_loop: loops and switch, cb_call and cb_construct: calls and objects, cb_function: parameters and frames,
 * cb_record: what is kept). Not included from elsewhere. */
#ifndef TTMEM_PARSE_CB_INTERP_H
#define TTMEM_PARSE_CB_INTERP_H

#include "cb/interp/cb_source.h"
#include "cb/interp/cb_value.h"
#include "cb/interp/cpp_tree.h"

enum {
    INTERP_MAX_STEPS = 400000,     /* nodes visited from one entry */
    INTERP_MAX_TOTAL = 2000000,    /* and of one file */
    INTERP_MAX_MEMORY = 128 << 20, /* bytes of values */
    INTERP_MAX_DEPTH = 160,        /* nested expressions and statements */
    INTERP_MAX_CALLS = 16,         /* nested calls */
    INTERP_MAX_LOOP = 64,          /* iterations unrolled */
    INTERP_MAX_DECLS = 2048,
    INTERP_TEXT = 400, /* longest expression kept */
};

struct cb_cell {
    struct slice name;
    const struct val *value;
    bool fixed;          /* given by --set */
    uint64_t set_bit;    /* by which one */
    uint64_t decided_by; /* given values that decided the branches it was made in: it does not depend on these */
};

struct binding {
    struct binding *next;
    struct slice name;
    struct cb_cell *cell;
    struct slice written; /* a parameter: the argument as written */
    bool is_param;
};

struct scope {
    struct scope *up;
    struct binding *bindings;
};

struct val_lambda {
    const struct cpp_tree *tree;
    TSNode node;
    struct scope *scope;
};

struct function {
    const struct cpp_tree *tree;
    TSNode node;
    TSNode params;   /* parameter_list */
    TSNode template; /* template_parameter_list, or null */
    struct slice name;
    uint32_t min_args, max_args;
    uint32_t sites;   /* creation sites, calls of other functions with sites included */
    bool owns;        /* makes its own program */
    uint32_t calls;   /* calls of it in the file */
    bool main_file;   /* not of an include */
    bool visited;     /* already run where it is listed */
    bool ran;         /* run at all, from a call or by itself */
    uint8_t counting; /* 0 not yet, 1 under way, 2 done */
};

struct early_return {
    const struct val *condition; /* the return was taken when this holds */
    const struct val *value;
};

struct cb_frame {
    struct cb_frame *up;
    const struct function *function; /* NULL for a lambda */
    struct slice name;
    uint32_t call_line;
    uint64_t site;
    bool single; /* one creation site: the caller's line names the buffer */
    bool owns_program;
    uint64_t decided_by;      /* given values that decided whether an earlier return was taken */
    uint64_t decided_outside; /* and the branches around its call */
    const void *program_key;
    VEC(struct early_return) early;
    const struct val *result;
};

struct undo {
    struct cb_cell *cell;
    const struct val *old;
};

struct seen_site {
    uint64_t key;  /* what it is: where its configuration was made, call path, indices and size */
    uint64_t site; /* the first two of these */
    uint64_t made; /* the call that makes it */
    size_t decl;
};

/* Code that is certain not to run. */
struct code_range {
    const struct cpp_tree *tree;
    uint32_t from, to; /* bytes */
};

/* What the cells changed since a mark hold now; the journal keeps the values before. */
struct cell_change {
    struct cb_cell *cell;
    const struct val *before, *after;
};
typedef VEC(struct cell_change) changes;

/* A place that counts as making a buffer, or a call of a function of the file. */
struct site {
    uint32_t at;       /* byte */
    uint32_t function; /* called, from 1; 0: none */
    uint32_t configured;
    bool made, declared;
    bool owns; /* makes a program */
    TSNode node;
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
    const struct val_object *object;
    struct cb_condition *conditions;
    uint32_t n_conditions, line;
    uint64_t made;
    bool repeats;
    const struct cb_cell *program;
};

enum flow { FLOW_NEXT, FLOW_RETURN, FLOW_BREAK, FLOW_CONTINUE };

struct interp {
    struct cb_source *out;
    struct arena *arena;
    const struct cpp_tree *tree; /* of the code that runs */
    struct strbuf *macros;       /* function-like macros that make buffers, as functions; NULL: not collected */
    const struct cb_set *sets;
    size_t n_sets;
    VEC(struct function) functions;
    struct scope globals, types; /* types: structures defined in the file */
    struct scope *scope;
    struct cb_frame *frame;
    VEC(struct undo) journal;
    VEC(struct cb_condition) conditions;
    VEC(struct seen_site) seen;   /* what was recorded in this entry, against repeats of a loop */
    VEC(uint64_t) listed;         /* places in the sources that made a buffer, in any entry */
    bool only_new;                /* places that are listed already are passed over */
    VEC(struct pushed_cb) pushed; /* read when the function ends: fields may be set after the push */
    VEC(const struct val *) kernels;
    VEC(struct counted_sites) counted;
    VEC(struct tree_sites) site_lists;
    VEC(const void *) reached; /* calls that make buffers and were run, by node id */
    VEC(struct code_range) skipped;
    uint32_t steps, depth, calls, next_condition;
    uint32_t open_loops;    /* loops around that run an unknown number of times */
    uint32_t program_loops; /* and around the place where the program was made */
    uint64_t decided_by;    /* given values that decided the branches around */
    bool mute;              /* a dry run: nothing is recorded */
    bool exhausted;         /* out of steps */
    bool too_deep;
};

/* cb_function.c */
const struct val *interp_call_function(struct interp *in, struct function *f, TSNode call, TSNode args);
const struct val *interp_call_lambda(struct interp *in, const struct val_lambda *lambda, TSNode call, TSNode args);
void interp_run_entry(struct interp *in, struct function *f);

/* cb_source.c: does the call make a circular buffer, or put a descriptor in a program's list? */
bool interp_makes_buffer(const struct cpp_tree *tree, TSNode call);
/* Places that make a circular buffer in a piece of code, calls of functions that do included. */
uint32_t interp_count_sites(struct interp *in, const struct cpp_tree *tree, TSNode body);

/* cb_exec.c */
enum flow interp_exec(struct interp *in, TSNode node);
void interp_declare(struct interp *in, TSNode declaration);
struct cb_cell *interp_bind_name(struct interp *in, struct slice name, const struct val *value);
struct binding *interp_find_binding(const struct interp *in, struct slice name);
void interp_assign(struct interp *in, struct cb_cell *cell, const struct val *value);
void interp_open_scope(struct interp *in, struct scope *scope);
enum flow interp_exec_block(struct interp *in, TSNode node);
enum flow interp_exec_children(struct interp *in, TSNode node);
/* Puts the values of the mark back and tells what had changed. */
void interp_take_back(struct interp *in, size_t mark, changes *out);
const struct val *interp_changed_to(const changes *list, const struct cb_cell *cell, const struct val *otherwise);
struct slice interp_condition_text(struct interp *in, const struct val *condition);
TSNode interp_unwrap_declarator(TSNode declarator);
void interp_bind_declarator(struct interp *in, TSNode declarator, const struct val *value); /* `name` or `[a, b]` */

/* cb_loop.c */
enum flow interp_exec_switch(struct interp *in, TSNode node);
enum flow interp_exec_for(struct interp *in, TSNode node);
enum flow interp_exec_range_for(struct interp *in, TSNode node);
enum flow interp_exec_while(struct interp *in, TSNode node);
enum flow interp_exec_do(struct interp *in, TSNode node);
/* A function that something else calls, no one knows how often. */
void interp_call_repeatedly(struct interp *in, const struct val_lambda *lambda, TSNode call);

/* cb_eval.c */
const struct val *interp_eval(struct interp *in, TSNode node);
struct cb_cell *interp_place(struct interp *in, TSNode node);   /* of a plain variable, or NULL */
struct slice interp_written(struct interp *in, TSNode node);    /* source text; a bare parameter gives the argument's */
struct slice interp_tidy(struct interp *in, struct slice text); /* runs of white space made one space, cut to INTERP_TEXT */
const struct val *interp_unknown(struct interp *in, TSNode node);
struct slice interp_last_name(const struct cpp_tree *tree, TSNode node);
/* The element that a list has at a number, a map under it; NULL: not known. */
const struct val *interp_find_in_list(const struct val_list *list, const struct val *key);

void interp_set_field(struct interp *in, TSNode target, const struct val *value, struct slice text);

/* cb_call.c */
const struct val *interp_eval_call(struct interp *in, TSNode node);

/* cb_construct.c */
const struct val *interp_eval_braces(struct interp *in, TSNode list, struct slice type);
const struct val *interp_eval_field_value(struct interp *in, struct slice field_name, TSNode value);
struct slice interp_element_type(struct slice list); /* of a field that is a list; "" when it is none that is known */
bool interp_is_constructible(const struct interp *in, struct slice type);
/* One index of a buffer. */
void interp_add_entry(struct interp *in, struct val_list *entries, const struct val *index, struct slice index_text,
                      const struct val *format, struct slice format_written);
const struct val *interp_construct(struct interp *in, struct slice type, TSNode args, TSNode whole);
const struct val *interp_find_constant(struct interp *in, struct slice text, struct slice last);

/* cb_record.c */
void interp_stamp(struct interp *in, struct val_object *object, TSNode node);
uint64_t interp_site_of(const struct interp *in, TSNode node); /* with the calls that led there */
/* `by`: the call that makes the buffer. */
void interp_record_config(struct interp *in, const struct val *config, struct slice core_expr, TSNode by);
void interp_record_pushed(struct interp *in, const struct val *item, TSNode by); /* a descriptor put in a list */
void interp_note_skipped(struct interp *in, TSNode node);                        /* code that does not run */
void interp_note_reached(struct interp *in, TSNode call);
bool interp_is_accounted(const struct interp *in, const struct cpp_tree *tree, TSNode call); /* reached or skipped */
void interp_record_kernel(struct interp *in, const struct val *path, const struct val_list *args, TSNode call);
void interp_record_described_kernel(struct interp *in, const struct val_object *descriptor);
void interp_record_simple(struct interp *in, TSNode call, const struct val *index, struct slice index_text,
                          const struct val *total, struct slice total_text, const struct val *page, struct slice page_text,
                          const struct val *format, struct slice format_text, struct slice core, const struct val *buffer);
void interp_note_unfollowed(struct interp *in, struct slice reason);
void interp_finish_pushed(struct interp *in, size_t from);

static inline bool is_kind(TSNode node, enum cpp_kind kind) { return cpp_kind(node) == kind; }
static inline bool exists(TSNode node) { return !ts_node_is_null(node); }

#endif
