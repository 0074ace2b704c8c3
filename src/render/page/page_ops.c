/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/page_ops.h"

#include <stdlib.h>

#include "base/ordered.h"
#include "parse/op.h"

enum { BATCH = 512, MAX_WEIGHTS = 256 };

/* What the text of an op adds to what the run knows. Slices point into the log or the run. */
struct parsed_op {
    struct slice result, properties, attributes, location;
    VEC(struct slice) operands;
};

/* The strings of an op in the page; made once, used by all its templates. */
struct op_strings {
    uint32_t name, loc, loc_full, attrs;
    uint32_t first_value;   /* of its operands and results in `values` */
    uint64_t last_use;      /* program and arguments of its last step, and the resulting template: a loop repeats them */
    uint32_t last_template; /* plus 1 */
};

struct ops_maker {
    struct page_data *page;
    const struct run *run;
    const uint32_t *types;
    struct op_text *scratch; /* by thread */
    struct op_strings *ops;
    VEC(uint32_t) values; /* str ids */
    struct map known;
};

static void *parse_batch(void *context, unsigned thread, size_t number) {
    struct ops_maker *m = context;
    struct parsed_op *batch = mem_zalloc(BATCH, sizeof *batch);
    for (size_t i = 0; i < BATCH && number * BATCH + i < m->run->ops.len; i++) {
        struct op_text *text = &m->scratch[thread];
        struct parsed_op *out = &batch[i];
        op_parse(run_op_text(m->run, &m->run->ops.items[number * BATCH + i]), text);
        out->result = text->result;
        out->properties = text->properties;
        out->attributes = text->attributes;
        out->location = text->location;
        for (size_t k = 0; k < text->operands.len; k++) vec_push(&out->operands, text->operands.items[k].value);
    }
    return batch;
}

static uint32_t attributes_text(struct page_data *page, const struct parsed_op *op) {
    if (!op->properties.len || !op->attributes.len)
        return page_text(page, op->properties.len ? op->properties : op->attributes);
    struct strbuf both = {0};
    strbuf_add(&both, op->properties);
    strbuf_addz(&both, ", ");
    strbuf_add(&both, op->attributes);
    uint32_t id = page_text(page, strbuf_slice(&both));
    strbuf_release(&both);
    return id;
}

static void take_op(struct ops_maker *m, uint32_t id, const struct parsed_op *parsed) {
    struct page_data *page = m->page;
    const struct op *op = &m->run->ops.items[id];
    struct slice shown = run_string(m->run, op->display);
    struct op_strings *strings = &m->ops[id];
    *strings = (struct op_strings){.name = page_str(page, run_string(m->run, op->name)),
                                   .loc = page_str(page, shown),
                                   .loc_full = page_location(page, parsed->location, shown),
                                   .attrs = attributes_text(page, parsed),
                                   .first_value = (uint32_t)m->values.len};
    for (unsigned i = 0; i < op->operand_count; i++)
        vec_push(&m->values, i < parsed->operands.len ? page_str(page, parsed->operands.items[i]) : 0);
    for (unsigned i = 0; i < op->result_count; i++) {
        struct strbuf value = {0};
        strbuf_add(&value, parsed->result);
        if (op->result_count > 1) strbuf_addf(&value, "#%u", i);
        vec_push(&m->values, page_str(page, strbuf_slice(&value)));
        strbuf_release(&value);
    }
}

static void take_batch(void *context, size_t number, void *result) {
    struct ops_maker *m = context;
    struct parsed_op *batch = result;
    for (size_t i = 0; i < BATCH && number * BATCH + i < m->run->ops.len; i++) {
        take_op(m, (uint32_t)(number * BATCH + i), &batch[i]);
        vec_release(&batch[i].operands);
    }
    free(batch);
}

static void push_values(struct ops_maker *m, const struct op *op, const struct op_strings *strings) {
    struct page_columns *c = &m->page->columns;
    for (unsigned i = 0; i < op->operand_count + (unsigned)op->result_count; i++) {
        bool in = i < op->operand_count;
        page_push(c, in ? COL_IN_NAME : COL_OUT_NAME, m->values.items[strings->first_value + i]);
        page_push(c, in ? COL_IN_TYPE : COL_OUT_TYPE, m->types[m->run->refs.items[op->first_ref + i].type]);
    }
}

/* Ends a template and returns its number. */
static uint32_t add_template(struct ops_maker *m, const struct step *step, struct slice name) {
    uint32_t entries[MAX_WEIGHTS];
    size_t count = step_weights(m->run, step, entries, MAX_WEIGHTS);
    for (size_t i = 0; i < count; i++) page_push(&m->page->columns, COL_WEIGHT, entries[i]);
    if (step->op == NONE) page_template_end(m->page, page_str(m->page, name), 0, 0, 0);
    else {
        const struct op_strings *strings = &m->ops[step->op];
        push_values(m, &m->run->ops.items[step->op], strings);
        page_template_end(m->page, strings->name, strings->loc, strings->loc_full, strings->attrs);
    }
    return (uint32_t)page_len(&m->page->columns, COL_TPL_NAME) - 1;
}

static uint32_t template_of(struct ops_maker *m, const struct step *step) {
    struct slice name = step->kind == STEP_BEFORE_SUBMIT  ? SLICE("before submit")
                        : step->flags & STEP_INSIDE       ? SLICE("inside the op")
                        : step->kind == STEP_AFTER_SUBMIT ? SLICE("after submit")
                                                          : run_string(m->run, step->op_type);
    /* weights are what the arguments mean to the program */
    uint64_t high = step->arguments ? (uint64_t)step_program(m->run, step) << 32 | step->arguments : 0;
    struct op_strings *op = step->op == NONE ? NULL : &m->ops[step->op];
    if (op && op->last_template && op->last_use == high) return op->last_template - 1;
    uint64_t low = step->op == NONE ? hash_bytes64(name) | (uint64_t)1 << 63 : step->op;
    bool added;
    uint32_t *id = map_at(&m->known, (struct hash128){low, high}, &added);
    if (added) *id = add_template(m, step, name);
    if (op) {
        op->last_use = high;
        op->last_template = *id + 1;
    }
    return *id;
}

void page_ops(struct page_data *page, const struct run *run, const uint32_t *types) {
    struct ops_maker m = {.page = page, .run = run, .types = types};
    unsigned threads = ordered_threads();
    m.scratch = mem_zalloc(threads, sizeof *m.scratch);
    m.ops = mem_zalloc(run->ops.len + 1, sizeof *m.ops);
    struct ordered_work work = {&m, parse_batch, take_batch};
    ordered_run(&work, (run->ops.len + BATCH - 1) / BATCH, threads);
    page_reserve(&page->columns, COL_STEP_TEMPLATE, run->steps.len);
    for (size_t i = 0; i < run->steps.len; i++)
        page_push(&page->columns, COL_STEP_TEMPLATE, template_of(&m, &run->steps.items[i]));
    for (unsigned i = 0; i < threads; i++) op_release(&m.scratch[i]);
    free(m.scratch);
    free(m.ops);
    vec_release(&m.values);
    map_release(&m.known);
}
