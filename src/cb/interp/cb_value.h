/* SPDX-License-Identifier: Apache-2.0 */
/* Values of C++ expressions as far as the source alone determines them: numbers and data formats if they fold, else
 * expressions over unknowns ("free" names). Built by folding constructors; immutable, except lists and structures, which the
 * interpreter changes in place. All of it lives in one arena. */
#ifndef TTMEM_PARSE_CB_VALUE_H
#define TTMEM_PARSE_CB_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "device/tile.h"

enum val_kind {
    VAL_NUM,
    VAL_FORMAT, /* tt::DataFormat or ttnn DataType */
    VAL_TEXT,   /* a string */
    VAL_NULL,   /* nullptr, std::nullopt */
    VAL_FREE,   /* unknown: the source text */
    VAL_NAMED,  /* a variable whose value is not a constant */
    VAL_OP,
    VAL_LIST,   /* vector, array, map, tuple, braces */
    VAL_OBJECT, /* a structure by field names, including CircularBufferConfig and CBDescriptor */
    VAL_LAMBDA,
};

enum val_op {
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_MOD,
    OP_SHL,
    OP_SHR,
    OP_BIT_AND,
    OP_BIT_OR,
    OP_XOR,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_EQ,
    OP_NE,
    OP_AND,
    OP_OR,
    OP_MIN,
    OP_MAX,
    OP_ROUND_UP,
    OP_ROUND_DOWN,
    OP_DIV_UP,
    OP_NOT,
    OP_NEG,
    OP_TILE_BYTES,    /* for an unknown format */
    OP_ELEMENT_BYTES, /* likewise */
    OP_COND,          /* a ? b : c */
};

/* Arithmetic types, in the order in which C++ converts them; VAL_ANY: unknown. */
enum val_type { VAL_ANY, VAL_BOOL, VAL_U8, VAL_I8, VAL_U16, VAL_I16, VAL_I32, VAL_U32, VAL_I64, VAL_U64, VAL_FLOAT };

struct val_list;
struct val_object;
struct val_lambda;

struct val {
    enum val_kind kind;
    enum val_op op;
    enum val_type type; /* of a number; for a named value the type it was converted to */
    bool given;         /* VAL_FREE: a parameter or a property of one */
    uint16_t depth;
    uint32_t size; /* number of nodes, shared ones counted each time; saturates */
    uint64_t sets; /* bit n: depends on the n-th given value */
    union {
        int64_t num;
        const struct data_format *format;
        struct slice text; /* VAL_TEXT, VAL_FREE, VAL_NAMED */
        struct val_list *list;
        struct val_object *object;
        struct val_lambda *lambda;
    };
    const struct val *a, *b, *c; /* VAL_OP; a: VAL_NAMED */
};

struct val_list {
    const struct val **items;
    uint32_t len, cap;
    uint64_t born;       /* val_clock() when it was made */
    uint32_t loops;      /* loops of unknown bounds around the place where it was made */
    enum val_type type;  /* of its items, if known */
    bool open;           /* an unknown number of items follows */
    bool sized;          /* list(n): its items have their type's initial value */
    bool map;            /* items are pairs, found by their first element */
    bool decays;         /* T list[n]: its name is a pointer to it */
    bool refers;         /* its items are pointers, which a copy shares */
    bool placed;         /* a program's list of buffers */
    bool unseen;         /* code that is not seen may have put buffers in it */
    const void *program; /* the variable that holds the program it belongs to, if known */
    const void *origin;  /* the list that it is a copy of, or itself */
};

struct val_field {
    struct val_field *next;
    struct slice name;
    struct slice text; /* as written */
    const struct val *value;
    enum val_type type; /* as declared, if known */
    bool refers;        /* a pointer or reference, which a copy shares */
};

struct val_object {
    struct slice type; /* last component of the name, "" if unknown */
    struct val_field *fields;
    uint64_t born;       /* val_clock() when it was made */
    uint32_t line;       /* where it was made, seen from the program */
    uint32_t conditions; /* number of unknown conditions that held where it was made */
    struct slice function;
    const void *program;
    uint64_t site;  /* identifies where it was made, including the calls that led there */
    uint64_t place; /* the same without the calls */
    bool recorded;
    const struct val_object *origin; /* the recorded object: itself, or the one it is a copy of */
    bool escaped;                    /* other code may change it at any time */
    bool shared;                     /* a pointer to it is kept somewhere */
    bool forgetting;                 /* set while its fields are made unknown */
};

/* Counts lists, objects and variables of this thread: older ones have smaller numbers. */
uint64_t val_clock(void);
uint64_t val_tick(void);

const struct val *val_num(struct arena *arena, int64_t num);
const struct val *val_num_of(struct arena *arena, enum val_type type, int64_t num);
const struct val *val_format(struct arena *arena, const struct data_format *format);
const struct val *val_text(struct arena *arena, struct slice text);
const struct val *val_given(struct arena *arena, struct slice text); /* a parameter or a property of one */
const struct val *val_null(struct arena *arena);
const struct val *val_free(struct arena *arena, struct slice text);
const struct val *val_named(struct arena *arena, struct slice name, const struct val *value);
/* The value converted to a type, as in an assignment or a cast. */
const struct val *val_convert(struct arena *arena, enum val_type type, const struct val *value);
enum val_type val_type_by_name(struct slice name);
enum val_type val_type_of(const struct val *value);
bool val_wrap(enum val_type type, int64_t *num); /* false: does not fit the representation */
enum val_type val_common_type(enum val_type a, enum val_type b);
/* Certainly the same number, whatever it is: equal constants, variables and operations. */
bool val_same(const struct val *a, const struct val *b);

/* The range of numbers that a value can be. */
struct val_range {
    int64_t low, high; /* INT64_MIN, INT64_MAX: no bound */
};
struct val_range val_range(const struct val *value);
const struct val *val_op1(struct arena *arena, enum val_op op, const struct val *a);
const struct val *val_op2(struct arena *arena, enum val_op op, const struct val *a, const struct val *b);
const struct val *val_cond(struct arena *arena, const struct val *condition, const struct val *yes, const struct val *no);
const struct val *val_list_new(struct arena *arena);
void val_list_add(struct arena *arena, struct val_list *list, const struct val *item);
const struct val *val_object_new(struct arena *arena, struct slice type);
struct val_field *val_object_field(const struct val_object *object, struct slice name); /* NULL if absent */
struct val_field *val_object_set(struct arena *arena, struct val_object *object, struct slice name, const struct val *value);

/* The same field with another value. */
struct val_field *val_object_like(struct arena *arena, struct val_object *object, const struct val_field *like,
                                  const struct val *value);

/* The value of a variable after a branch: `condition ? yes : no`, for objects field by field. */
const struct val *val_merge(struct arena *arena, const struct val *condition, const struct val *yes, const struct val *no);

/* Merges the parts: the fields of two objects, the items of two lists. If the lengths differ, the list is open. */
struct val_field *val_merge_fields(struct arena *arena, const struct val *condition, const struct val_field *yes,
                                   const struct val_field *no, unsigned depth);
void val_merge_items(struct arena *arena, const struct val *condition, struct val_list *into, const struct val_list *yes,
                     const struct val_list *no, unsigned depth);

/* Copies a list or object as C++ assignment does; returns anything else as it is. Circular buffers are copied deeply, other
 * objects and lists share their contents. */
const struct val *val_copy(struct arena *arena, const struct val *value);

/* A deep copy. */
const struct val *val_clone(struct arena *arena, const struct val *value);

/* The value, also marked as depending on the given names. */
const struct val *val_with_sets(struct arena *arena, const struct val *value, uint64_t sets);

/* The value without names around it. */
const struct val *val_bare(const struct val *value);
bool val_is_num(const struct val *value, int64_t *num);
/* 1 true, 0 false, -1 unknown. */
int val_truth(const struct val *value);
/* The value as a condition: `sharded ? buffer : nullptr` becomes `sharded`. */
const struct val *val_as_condition(struct arena *arena, const struct val *value);

/* Writes the expression with its free names and folded constants; at most `limit` bytes. */
void val_write(struct strbuf *out, const struct val *value, size_t limit);

/* Calls back for every name that the value depends on; `by_format`: only through the size of a data format. */
typedef void val_name_fn(void *ctx, struct slice name, bool by_format);
void val_names(const struct val *value, val_name_fn *each, void *ctx);
/* The same for texts about which nothing is known, after all names. */
void val_unknowns(const struct val *value, val_name_fn *each, void *ctx);
/* Does it depend only on parameters and their properties? Then it is a formula of these. */
bool val_is_closed(const struct val *value);
/* Does the name stand for the size of a data format, in the spelling of tt-metal's sources? */
bool val_names_format(struct slice name);

#endif
