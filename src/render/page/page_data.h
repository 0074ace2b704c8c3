/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that a report page shows, ready to be packed: columns, string tables, the JSON of `meta` and `registry`, module
 * texts. web/DATA.md explains each part. Made from a run (page_from_run) or from the files of a report (store/report_read). */
#ifndef TTMEM_RENDER_PAGE_DATA_H
#define TTMEM_RENDER_PAGE_DATA_H

#include "base/json_write.h"
#include "base/table/map.h"
#include "base/vec.h"
#include "model/run.h"
#include "render/json/module_index.h"
#include "render/page/page_columns.h"

enum page_flag {
    PAGE_RECORD = 1,
    PAGE_WEIGHT = 2,
    PAGE_CACHE_MISS = 4,
    PAGE_FREE = 8,
    PAGE_SUBMIT = 16,
    PAGE_BARE = 32,
    PAGE_TRUNCATED = 64,
    PAGE_GROWTH_ELSEWHERE = 128,
};

enum page_class {
    PAGE_CLASS_WEIGHT,
    PAGE_CLASS_ACTIVATION,
    PAGE_CLASS_CONST_EVAL,
    PAGE_CLASS_INPUT,
    PAGE_CLASS_KV_CACHE,
    PAGE_CLASS_TEMPORARY,
    PAGE_CLASS_RESHAPE_MAP,
    PAGE_CLASS_TABLE,
    PAGE_CLASS_BINARY,
    PAGE_CLASS_CIRCULAR_BUFFER
};

/* By enum live_class. */
extern const enum page_class page_classes[];

enum { PAGE_NO_POOL = 255 };

/* A module's text: the lines of a dump in a log, or text with another owner. */
struct page_module {
    const struct module *module; /* NULL: `text` */
    struct slice text;           /* the log's bytes if `module` is set */
    uint64_t lines;
    uint64_t bytes; /* approximate size of its text */
};

/* Strings stored once; id 0 is the empty one. */
struct page_strings {
    enum page_column offsets, bytes;
    struct map ids;
};

struct page_data {
    struct page_columns columns;
    struct page_strings str, text;
    struct strbuf meta, registry; /* JSON; an empty registry is left out */
    VEC(struct page_module) modules;
    struct strbuf scratch;
};

void page_data_init(struct page_data *page);
void page_data_release(struct page_data *page);

/* Id of a short string, of a long one. Invalid UTF-8 is replaced. */
uint32_t page_str(struct page_data *page, struct slice s);
uint32_t page_text(struct page_data *page, struct slice s);

/* Id of a full location; 0 if it is only the shown one in quotes. */
uint32_t page_location(struct page_data *page, struct slice full, struct slice shown);

/* Adds the row of a tensor type to the type table and returns its number. */
uint32_t page_type(struct page_data *page, const struct tensor_type *type, const struct memory_geometry *geometry);

/* Adds an op line of a module to `locations`; context for module_index. */
struct page_lines {
    struct page_data *page;
    uint32_t module; /* in meta.modules */
};
void page_line(void *context, const struct ir_line *line);

/* Ends a template whose operands, results and weights were pushed. */
void page_template_end(struct page_data *page, uint32_t name, uint32_t loc, uint32_t loc_full, uint32_t attrs);

#endif
