/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/show/cb_scan_json.h"

#include "device/chip.h"
#include "cb/show/cb_scan_text.h"
#include "render/format/json_parts.h"

static void bytes_or_null(struct json *j, const char *key, int64_t bytes) { json_member_i64_if(j, key, bytes >= 0, bytes); }

/* In index order. */
static void pages_json(struct json *j, const struct cb_decl *d) {
    json_key(j, "page_size_exprs");
    json_array(j);
    for (uint32_t k = 0; k < d->n_indices; k++) {
        if (d->indices[k].page_expr.len) json_str(j, d->indices[k].page_expr);
        else json_null(j);
    }
    json_array_end(j);
    json_key(j, "page_bytes");
    json_array(j);
    for (uint32_t k = 0; k < d->n_indices; k++) {
        if (d->indices[k].page_bytes < 0) json_null(j);
        else json_i64(j, d->indices[k].page_bytes);
    }
    json_array_end(j);
}

static void decl_json(struct json *j, const struct cb_file *file, const struct cb_decl *d) {
    json_object(j);
    json_member_text(j, "kind", cb_kind_name(d->kind));
    json_member_text_or_null(j, "name", d->name);
    json_key(j, "indices");
    json_array(j);
    for (uint32_t k = 0; k < d->n_indices; k++) {
        if (d->indices[k].index >= 0) json_i64(j, d->indices[k].index);
        else json_null(j);
    }
    json_array_end(j);
    json_key(j, "index_exprs");
    json_array(j);
    for (uint32_t k = 0; k < d->n_indices; k++) {
        if (d->indices[k].index < 0 && d->indices[k].index_expr.len) json_str(j, d->indices[k].index_expr);
        else json_null(j);
    }
    json_array_end(j);
    json_member_str(j, "total_size_expr", d->total_expr);
    json_member_str(j, "total_size_folded", d->total_folded);
    json_member_bool(j, "closed_formula", d->closed);
    json_member_i64(j, "min_bytes", d->min_bytes);
    bytes_or_null(j, "max_bytes", d->max_bytes);
    bytes_or_null(j, "total_bytes", d->min_bytes == d->max_bytes ? d->min_bytes : -1);
    bytes_or_null(j, "declared_bytes", d->total_bytes);
    pages_json(j, d);
    json_member_text_or_null(j, "data_format", d->indices[0].format);
    json_member_bool(j, "tensor_backed", d->tensor_backed);
    json_member_text_or_null(j, "tensor_backed_when", d->backed_when);
    json_member_text_or_null(j, "shares_memory_with", d->alias);
    json_member_bool(j, "global", d->global);
    json_member_bool(j, "repeats", d->repeats);
    json_member_text(j, "strategy", cb_strategy_name(d->strategy));
    json_key(j, "adapts_to");
    json_array(j);
    for (uint32_t k = 0; k < d->n_adapts_to; k++) json_str(j, d->adapts_to[k]);
    json_array_end(j);
    json_member_str(j, "core_range_expr", d->core_expr);
    json_key(j, "conditions");
    json_array(j);
    for (uint32_t k = 0; k < d->n_conditions; k++) {
        if (!d->conditions[k].text.len || d->conditions[k].sides < 2) continue;
        json_object(j);
        json_member_str(j, "if", d->conditions[k].text);
        json_member_bool(j, "is", d->conditions[k].side);
        json_object_end(j);
    }
    json_array_end(j);
    json_member_str(j, "function", file->source.programs.items[d->program].function);
    json_member_text_or_null(j, "program", file->source.programs.items[d->program].variable);
    json_member_u64(j, "line", d->line);
    json_object_end(j);
}

static void kernel_json(struct json *j, const struct cb_file *file, const struct cb_kernel *k) {
    json_object(j);
    json_member_str(j, "path", k->path);
    json_member_u64(j, "line", k->line);
    json_member_bool(j, "found", k->file.len > 0);
    bool found = k->file.len > 0;
    const struct kernel_facts *f = &k->facts;
    json_member_u64_if(j, "source_bytes", found, f->bytes);
    json_member_u64_if(j, "lines", found, f->lines);
    json_member_u64_if(j, "function_count", found, f->functions);
    json_member_u64_if(j, "loops", found, f->loops);
    json_member_u64_if(j, "complexity", found, f->complexity);
    json_key(j, "cb_operations");
    json_array(j);
    for (size_t i = 0; found && i < f->uses.len; i++) {
        const struct kernel_cb_use *use = &f->uses.items[i];
        uint32_t operations = 0;
        for (unsigned op = 0; op < KERNEL_CB_OPS; op++) operations += use->ops[op];
        /* a number passed to unseen code means a buffer only if the program has one of that index */
        if (!operations && !use->name.text[0] && !cb_file_has_index(file, k->program, use->index)) continue;
        json_object(j);
        json_member_i64_if(j, "index", use->index >= 0, use->index);
        json_member_text(j, "name", use->name.text[0] ? use->name.text : NULL);
        for (unsigned op = 0; op < KERNEL_CB_OPS; op++) json_member_u64(j, kernel_cb_op_names[op], use->ops[op]);
        json_member_bool(j, "handed_on", use->elsewhere);
        json_object_end(j);
    }
    json_array_end(j);
    json_object_end(j);
}

void cb_bounds_json(struct json *j, uint64_t least, uint64_t most, bool bounded) {
    json_member_u64_if(j, "total_bytes_per_core", bounded && least == most, most);
    json_member_u64(j, "known_bytes_per_core", least);
    json_member_u64(j, "min_bytes_per_core", least);
    json_member_u64_if(j, "max_bytes_per_core", bounded, most);
}

static void total_json(struct json *j, const struct cb_total *t) { cb_bounds_json(j, t->min_bytes, t->max_bytes, t->bounded); }

void cb_file_json(struct json *j, const struct cb_file *file, const struct chip *chip) {
    json_object(j);
    json_member_str(j, "path", file->path);
    json_member_bool(j, "partial", file->source.partial);
    json_member_text_or_null(j, "partial_reason", file->source.partial ? file->source.partial_reason : slice_of("", 0));
    json_key(j, "buffers");
    json_array(j);
    for (size_t i = 0; i < file->source.decls.len; i++) decl_json(j, file, &file->source.decls.items[i]);
    json_array_end(j);
    total_json(j, &file->largest);
    json_member_u64(j, "capacity_bytes_per_core", chip_l1_bank_bytes(chip));
    json_key(j, "programs");
    json_array(j);
    for (size_t i = 0; i < file->totals.len; i++) {
        if (!file->totals.items[i].buffers) continue;
        json_object(j);
        json_member_str(j, "function", file->source.programs.items[i].function);
        json_member_text_or_null(j, "program", file->source.programs.items[i].variable);
        json_member_u64(j, "line", file->source.programs.items[i].line);
        json_member_u64(j, "buffer_count", file->totals.items[i].buffers);
        total_json(j, &file->totals.items[i]);
        json_object_end(j);
    }
    json_array_end(j);
    json_key(j, "kernels");
    json_array(j);
    for (size_t i = 0; i < file->kernels.len; i++) kernel_json(j, file, &file->kernels.items[i]);
    json_array_end(j);
    json_key(j, "helpers");
    json_array(j);
    for (size_t i = 0; i < file->source.helpers.len; i++) {
        json_object(j);
        json_member_str(j, "function", file->source.helpers.items[i].name);
        json_member_u64(j, "line", file->source.helpers.items[i].line);
        json_member_i64(j, "min_bytes", file->source.helpers.items[i].min_bytes);
        bytes_or_null(j, "max_bytes", file->source.helpers.items[i].max_bytes);
        json_member_str(j, "total_size_folded", file->source.helpers.items[i].total);
        json_object_end(j);
    }
    json_array_end(j);
    json_key(j, "unread");
    json_array(j);
    for (size_t i = 0; i < file->source.unread.len; i++) {
        json_object(j);
        json_member_u64(j, "line", file->source.unread.items[i].line);
        json_member_str(j, "reason", file->source.unread.items[i].reason);
        json_object_end(j);
    }
    json_array_end(j);
    json_key(j, "findings");
    json_array(j);
    for (size_t i = 0; i < file->findings.len; i++) {
        const struct cb_finding *f = &file->findings.items[i];
        struct strbuf text = {0};
        cb_finding_write(&text, file, f);
        json_object(j);
        json_member_text(j, "kind", cb_finding_key(f->kind));
        json_member_text(j, "severity", cb_finding_severity(f->kind) == CB_ERROR ? "error" : "warning");
        json_member_u64(j, "line", f->line);
        json_member_str(j, "text", strbuf_slice(&text));
        json_object_end(j);
        strbuf_release(&text);
    }
    json_array_end(j);
    json_object_end(j);
}
