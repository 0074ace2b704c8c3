/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/page_leaks.h"

#include "base/strbuf.h"
#include "render/search/leaks_report.h"

enum { MOST_ROWS = 200 };

static void row(struct json *j, const struct run *run, const struct leak_row *leak) {
    const struct tensor_type *type = &run->types.items[run->tensors.items[leak->tensor].type];
    const struct step *step = &run->steps.items[run->records.items[leak->record]];
    json_array(j);
    json_u64(j, run->records.items[leak->record]);
    json_str(j, type->shape);
    json_str(j, type->dtype);
    json_u64(j, leak->pool);
    json_bool(j, !leak->suspect);
    json_u64(j, leak->passes);
    json_u64(j, leak->of);
    json_u64(j, leak->tensors);
    json_u64(j, leak->bytes);
    json_u64(j, step->op == NONE ? 0 : run->ops.items[step->op].ir_line);
    json_array_end(j);
}

void page_leaks(struct json *j, const struct run *run, const struct leaks *leaks) {
    struct strbuf end = {0};
    if (!leaks->rows.len) return;
    json_key(j, "leaks");
    json_object(j);
    leaks_end_words(&end, leaks);
    json_member_str(j, "end", strbuf_slice(&end));
    json_member_u64(j, "count", leaks->rows.len);
    json_key(j, "rows");
    json_array(j);
    for (size_t i = 0; i < leaks->rows.len && i < MOST_ROWS; i++) row(j, run, &leaks->rows.items[i]);
    json_array_end(j);
    json_object_end(j);
    strbuf_release(&end);
}
