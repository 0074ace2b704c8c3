/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in the Arrow C data interface: a struct array over the columns that are kept. Everything that the structs point to
 * is memory of the run, and each unreleased struct holds a reference to it. */
#include "api/call.h"
#include "base/mem.h"

static void release_schema(struct ArrowSchema *schema) {
    for (int64_t i = 0; i < schema->n_children; i++)
        if (schema->children[i]->release) schema->children[i]->release(schema->children[i]);
    ttmem_run *run = schema->private_data;
    schema->release = NULL;
    run_unref(run);
}

static void release_array(struct ArrowArray *array) {
    for (int64_t i = 0; i < array->n_children; i++)
        if (array->children[i]->release) array->children[i]->release(array->children[i]);
    ttmem_run *run = array->private_data;
    array->release = NULL;
    run_unref(run);
}

static void describe(struct ArrowSchema *schema, const char *format, const char *name, int64_t flags) {
    *schema = (struct ArrowSchema){.format = format, .name = name, .flags = flags};
}

static void column_array(struct ArrowArray *array, const ttmem_column *column) {
    const void **buffers = mem_zalloc(3, sizeof *buffers);
    buffers[0] = column->validity;
    buffers[1] = column->type == TTMEM_TEXT ? (const void *)column->offsets : column->values;
    if (column->type == TTMEM_TEXT) buffers[2] = column->values;
    *array = (struct ArrowArray){.length = (int64_t)column->length,
                                 .null_count = (int64_t)column->nulls,
                                 .n_buffers = column->type == TTMEM_TEXT ? 3 : 2,
                                 .buffers = buffers};
}

struct arrow_asked {
    const char *table;
    struct ArrowSchema schema;
    struct ArrowArray array;
};

static ttmem_run_status make(ttmem_run *run, void *context) {
    struct arrow_asked *asked = context;
    size_t index, columns = 0;
    const struct export_table *table = run_table_named(asked->table, &index);
    if (!table) return run_fail(TTMEM_RUN_BAD_ARGUMENT, "there is no table '%.60s'", asked->table);
    while (table->columns[columns].name) columns++;
    struct ArrowSchema *schemas = mem_zalloc(columns, sizeof *schemas),
                       **schema_list = mem_zalloc(columns, sizeof *schema_list);
    struct ArrowArray *arrays = mem_zalloc(columns, sizeof *arrays), **array_list = mem_zalloc(columns, sizeof *array_list);
    for (size_t i = 0; i < columns; i++) {
        const ttmem_column *column = run_column_made(run, table, i);
        describe(&schemas[i], column->type == TTMEM_TEXT ? "U" : "l", table->columns[i].name, ARROW_FLAG_NULLABLE);
        column_array(&arrays[i], column);
        schema_list[i] = &schemas[i];
        array_list[i] = &arrays[i];
    }
    describe(&asked->schema, "+s", "", 0);
    asked->schema.n_children = (int64_t)columns;
    asked->schema.children = schema_list;
    asked->array = (struct ArrowArray){.length = (int64_t)run_table_rows(run, index),
                                       .n_buffers = 1,
                                       .n_children = (int64_t)columns,
                                       .buffers = mem_zalloc(1, sizeof(void *)),
                                       .children = array_list};
    return TTMEM_RUN_OK;
}

/* From here on nothing can fail: the caller owns the structs. */
static void hand_out(ttmem_run *run, struct ArrowSchema *schema, struct ArrowArray *array) {
    atomic_fetch_add(&run->references, 2 * (size_t)(schema->n_children + 1));
    for (int64_t i = 0; i < schema->n_children; i++) {
        schema->children[i]->private_data = array->children[i]->private_data = run;
        schema->children[i]->release = release_schema;
        array->children[i]->release = release_array;
    }
    schema->private_data = array->private_data = run;
    schema->release = release_schema;
    array->release = release_array;
}

ttmem_run_status ttmem_run_arrow(ttmem_run *run, const char *table, struct ArrowSchema *schema, struct ArrowArray *array) {
    if (!table || !schema || !array) return run_fail(TTMEM_RUN_BAD_ARGUMENT, "the table or the pointer that takes it is NULL");
    schema->release = NULL;
    array->release = NULL;
    struct arrow_asked asked = {.table = table};
    ttmem_run_status status = run_call(run, make, &asked);
    if (status != TTMEM_RUN_OK) return status;
    *schema = asked.schema;
    *array = asked.array;
    hand_out(run, schema, array);
    return TTMEM_RUN_OK;
}
