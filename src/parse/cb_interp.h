/* Inside of cb_source: the symbolic interpreter's state, shared by its files (cb_exec: statements and functions, cb_eval:
 * expressions, cb_call and cb_construct: calls and objects, cb_function: parameters and frames, cb_record: what is kept). Not
 * included from elsewhere. */
#ifndef TTMEM_PARSE_CB_INTERP_H
#define TTMEM_PARSE_CB_INTERP_H

#include "parse/cb_source.h"
#include "parse/cb_value.h"
#include "parse/cpp_tree.h"

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

struct cell {
    struct slice name;
    const struct val *value;
    bool fixed; /* given by --set */
};

struct binding {
    struct binding *next;
    struct slice name;
    struct cell *cell;
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
    TSNode params; /* parameter_list */
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

struct frame {
    struct frame *up;
    const struct function *function; /* NULL for a lambda */
    struct slice name;
    uint32_t call_line;
    uint64_t site;
    bool single; /* one creation site: the caller's line names the buffer */
    bool owns_program;
    const void *program_key;
    VEC(struct early_return) early;
    const struct val *result;
};

struct undo {
    struct cell *cell;
    const struct val *old;
};

struct seen_site {
    uint64_t key; /* call path and indices */
    size_t decl;
};

struct counted_sites {
    const void *id;
    uint32_t sites;
};

/* A descriptor put in a program's list, and the conditions that held there. */
struct pushed_cb {
    const struct val_object *object;
    struct cb_condition *conditions;
    uint32_t n_conditions;
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
    struct frame *frame;
    VEC(struct undo) journal;
    VEC(struct cb_condition) conditions;
    VEC(struct seen_site) seen;   /* what was recorded in this entry, against repeats of a loop */
    VEC(uint64_t) listed;         /* places in the sources that made a buffer, in any entry */
    bool only_new;                /* places that are listed already are passed over */
    VEC(struct pushed_cb) pushed; /* read when the function ends: fields may be set after the push */
    VEC(const struct val *) kernels;
    VEC(struct counted_sites) counted;
    uint32_t steps, depth, calls, next_condition;
    bool mute;      /* a dry run: nothing is recorded */
    bool exhausted; /* out of steps */
    bool too_deep;
};

/* cb_function.c */
const struct val *call_function(struct interp *in, struct function *f, TSNode call, TSNode args);
const struct val *call_lambda(struct interp *in, const struct val_lambda *lambda, TSNode call, TSNode args);
void run_entry(struct interp *in, struct function *f);

/* cb_source.c: places that make a circular buffer in a piece of code, calls of functions that do included. */
uint32_t count_sites(struct interp *in, const struct cpp_tree *tree, TSNode body);

/* cb_exec.c */
enum flow exec(struct interp *in, TSNode node);
void declare(struct interp *in, TSNode declaration);
struct cell *bind_name(struct interp *in, struct slice name, const struct val *value);
struct binding *find_binding(const struct interp *in, struct slice name);
void assign(struct interp *in, struct cell *cell, const struct val *value);
void open_scope(struct interp *in, struct scope *scope);

/* cb_eval.c */
const struct val *eval(struct interp *in, TSNode node);
const struct val *eval_braces(struct interp *in, TSNode list, struct slice type);
struct cell *place(struct interp *in, TSNode node);      /* of a plain variable, or NULL */
struct slice written(struct interp *in, TSNode node);    /* source text; a bare parameter gives the argument's */
struct slice tidy(struct interp *in, struct slice text); /* runs of white space made one space, cut to INTERP_TEXT */
const struct val *unknown(struct interp *in, TSNode node);
struct slice last_name(const struct cpp_tree *tree, TSNode node);
void set_field(struct interp *in, TSNode target, const struct val *value, struct slice text);

/* cb_call.c */
const struct val *eval_call(struct interp *in, TSNode call);

/* cb_construct.c */
bool is_constructible(const struct interp *in, struct slice type);
/* One index of a buffer. */
void add_entry(struct interp *in, struct val_list *entries, const struct val *index, struct slice index_text,
               const struct val *format, struct slice format_written);
const struct val *construct(struct interp *in, struct slice type, TSNode args, TSNode whole);
const struct val *find_constant(struct interp *in, struct slice text, struct slice last);

/* cb_record.c */
void stamp(struct interp *in, struct val_object *object, TSNode node);
void record_config(struct interp *in, const struct val *config, struct slice core_expr);
void record_pushed(struct interp *in, const struct val *item); /* a descriptor put in a list */
void record_kernel(struct interp *in, const struct val *path, const struct val_list *args, uint32_t line);
void record_simple(struct interp *in, TSNode call, const struct val *index, struct slice index_text, const struct val *total,
                   struct slice total_text, const struct val *page, struct slice page_text, const struct val *format,
                   struct slice format_text, struct slice core, const struct val *buffer);
void note_unfollowed(struct interp *in, struct slice reason);
void finish_pushed(struct interp *in, size_t from);

static inline bool is_kind(TSNode node, enum cpp_kind kind) { return cpp_kind(node) == kind; }
static inline bool exists(TSNode node) { return !ts_node_is_null(node); }

#endif
