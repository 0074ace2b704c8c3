/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the truth as JSON: compact, keys in a fixed order. */
#include "genlog_truth.h"

#include <stdlib.h>
#include <string.h>

static size_t utf8_length(const unsigned char *p) {
    size_t n = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : *p >= 0xe0 && *p < 0xf0 ? 3 : *p >= 0xf0 && *p < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    return n;
}

static void put_string(FILE *f, const char *s) {
    if (!s) {
        fputs("null", f);
        return;
    }
    fputc('"', f);
    for (const unsigned char *p = (const unsigned char *)s; *p;) {
        size_t n = utf8_length(p);
        if (!n) {
            fputs("\xef\xbf\xbd", f); /* U+FFFD */
            p++;
            continue;
        }
        if (*p == '"' || *p == '\\') fprintf(f, "\\%c", *p);
        else if (*p < 0x20) fprintf(f, "\\u%04x", *p);
        else fwrite(p, 1, n, f);
        p += n;
    }
    fputc('"', f);
}

static void put_number(FILE *f, const char *key, uint64_t v) { fprintf(f, "\"%s\":%llu,", key, (unsigned long long)v); }

static void put_or_null(FILE *f, uint64_t v) {
    if (v == NONE) fputs("null", f);
    else fprintf(f, "%llu", (unsigned long long)v);
}

static void put_rank(FILE *f, int rank) {
    if (rank < 0) fputs("null", f);
    else fprintf(f, "\"1,%d\"", rank);
}

static void put_peaks(FILE *f, const struct peak *peaks) {
    bool comma = false;
    fputs("\"peaks\":{", f);
    for (int p = 0; p < POOL_COUNT; p++) {
        if (!peaks[p].set) continue;
        fprintf(f, "%s\"%s\":{\"allocated_thousandths\":%llu,\"line\":%llu,\"block_line\":%llu,\"op_index\":", comma ? "," : "",
                pool_names[p], (unsigned long long)peaks[p].value, (unsigned long long)peaks[p].line,
                (unsigned long long)peaks[p].block_line);
        put_or_null(f, peaks[p].op_index);
        fputs(",\"before_op_index\":", f);
        put_or_null(f, peaks[p].before);
        fputs(",\"block_op\":", f);
        put_string(f, peaks[p].block_op);
        fputs(",\"rank\":", f);
        put_rank(f, peaks[p].rank);
        fputc('}', f);
        comma = true;
    }
    fputc('}', f);
}

static void put_functions(struct truth *t, FILE *f, bool const_eval) {
    bool comma = false;
    for (size_t i = 0; i < t->fn_count; i++) {
        const struct fn_count *c = &t->fns[i];
        const struct fn *fn = &c->graph->fns[c->fn];
        if ((fn->kind == FN_CONST_EVAL) != const_eval) continue;
        fputs(comma ? ",{" : "{", f);
        comma = true;
        fprintf(f, "\"%s\":", const_eval ? "graph" : "name");
        put_string(f, fn->name);
        fprintf(f, ",\"module\":%d,\"runs\":%llu,", c->graph->index, (unsigned long long)c->runs);
        if (const_eval)
            fprintf(f, "\"hits\":%llu,\"misses\":%llu,", (unsigned long long)c->hits, (unsigned long long)c->misses);
        fprintf(f, "\"finished\":%llu,\"records\":%llu}", (unsigned long long)c->finished, (unsigned long long)c->records);
    }
}

static void put_config(struct truth *t, FILE *f) {
    fputs("\"memory_config\":{", f);
    for (int p = 0; p < POOL_COUNT; p++)
        if (t->peaks[p].set)
            fprintf(f, "%s\"%s\":{\"num_banks\":%u,\"total_thousandths\":%llu}", p ? "," : "", pool_names[p], t->g->banks[p],
                    (unsigned long long)thousandths_of_mb(t->g->totals[p]));
    fputs("},", f);
}

/* Is it the same buffer as a weight of an earlier program? */
static bool is_shared(const struct truth *t, uint32_t program, const struct value *value) {
    const char *name = t->g->graphs[program]->args[value->arg].name;
    for (uint32_t i = 0; i < program; i++) {
        const struct graph *gr = t->g->graphs[i];
        for (size_t v = 0; gr && v < gr->fns[0].value_count; v++) {
            const struct value *other = &gr->fns[0].values[v];
            if (other->arg >= 0 && other->type == value->type && !strcmp(gr->args[other->arg].name, name)) return true;
        }
    }
    return false;
}

static void put_weights(struct truth *t, FILE *f) {
    uint64_t count = 0, bytes = 0;
    for (uint32_t i = 0; t->modules && i < t->g->opt.programs; i++) {
        const struct graph *gr = t->g->graphs[i];
        if (!gr) continue;
        for (size_t v = 0; v < gr->fns[0].value_count; v++) {
            const struct value *val = &gr->fns[0].values[v];
            if (val->arg >= 0 && gr->args[val->arg].role != ROLE_INPUT && !is_shared(t, i, val)) {
                count++;
                bytes += val->type->logical;
            }
        }
    }
    fprintf(f, "\"weights\":{\"count\":%llu,\"bytes\":%llu},", (unsigned long long)count, (unsigned long long)bytes);
}

static void put_pools(FILE *f, const char *key, const uint64_t *v) {
    bool any = false;
    fprintf(f, ",\"%s\":", key);
    for (int p = 0; p < POOL_COUNT; p++)
        if (v[p] != NONE) {
            fprintf(f, "%s\"%s\":%llu", any ? "," : "{", pool_names[p], (unsigned long long)v[p]);
            any = true;
        }
    fputs(any ? "}" : "null", f);
}

static void put_difference(FILE *f, const char *key, const uint64_t *more, const uint64_t *less) {
    bool any = false;
    fprintf(f, ",\"%s\":", key);
    for (int p = 0; less && p < POOL_COUNT; p++)
        if (more[p] != NONE && less[p] != NONE) {
            fprintf(f, "%s\"%s\":%lld", any ? "," : "{", pool_names[p], (long long)more[p] - (long long)less[p]);
            any = true;
        }
    fputs(any ? "}" : "null", f);
}

/* The state before the next record of the same rank; NULL for the last one and for an op whose next record runs inside it.
 */
static const uint64_t *before_of_next(const struct truth *t, uint64_t index) {
    if (t->details[index].nests) return NULL;
    for (uint64_t i = index + 1; i < t->records; i++)
        if (t->details[i].rank == t->details[index].rank) return t->details[i].before;
    return NULL;
}

static void put_shape(FILE *f, const struct type *t) {
    if (t->kind != TYPE_TENSOR) {
        fputs("null", f);
        return;
    }
    fputc('"', f);
    for (uint32_t i = 0; i < t->rank; i++) fprintf(f, "%s%u", i ? "x" : "", t->dims[i]);
    fputc('"', f);
}

static void put_size(FILE *f, const char *prefix, const struct type *t) {
    if (t->kind != TYPE_TENSOR) {
        fprintf(f, "\"%sshape\":null,\"%sbytes_logical\":null,\"%sbytes_physical\":null,\"%sbytes_per_bank\":null", prefix,
                prefix, prefix, prefix);
        return;
    }
    fprintf(f, "\"%sshape\":", prefix);
    put_shape(f, t);
    fprintf(f, ",\"%sbytes_logical\":%llu,\"%sbytes_physical\":%llu,\"%sbytes_per_bank\":", prefix,
            (unsigned long long)t->logical, prefix, (unsigned long long)t->physical, prefix);
    if (t->mem == MEM_HOST) fputs("null", f);
    else fprintf(f, "%llu", (unsigned long long)t->per_bank);
}

static void put_op_detail(FILE *f, const struct detail *d) {
    const struct fn *fn = &d->graph->fns[d->fn];
    const struct op *op = d->op;
    struct text loc = {0};
    fputs(",\"weights\":[", f);
    for (uint32_t i = 0; i < op->weight_count; i++) {
        fputs(i ? "," : "", f);
        put_string(f, d->graph->args[op->weights[i]].name);
    }
    fputs("],\"result\":", f);
    if (!op->result_count) fputs("null", f);
    else if (op->result_count == 1) fprintf(f, "\"%%%d\"", op->ssa);
    else fprintf(f, "\"%%%d:%d\"", op->ssa, op->result_count);
    fputs(",\"loc\":", f);
    put_string(f, op->loc ? op->loc->display : NULL);
    loc_text(&loc, op->loc);
    fputs(",\"loc_full\":", f);
    put_string(f, loc.p);
    text_release(&loc);
    fputc(',', f);
    put_size(f, "out_", op->result_count ? fn->values[op->first_result].type : &(struct type){.kind = TYPE_DEVICE});
    fputs(",\"results\":[", f);
    for (int i = 0; i < op->result_count; i++) {
        fputs(i ? ",{" : "{", f);
        put_size(f, "", fn->values[op->first_result + i].type);
        fputc('}', f);
    }
    fprintf(f, "],\"live\":%u,\"live_bytes_per_bank\":{\"DRAM\":%llu,\"L1\":%llu}", d->live,
            (unsigned long long)d->live_bytes[0], (unsigned long long)d->live_bytes[1]);
    if (op->kind == OP_LOAD_CACHED) {
        fputs(",\"load_cached\":{\"graph\":", f);
        put_string(f, d->graph->fns[op->callee].name);
        fprintf(f, ",\"hit\":%s}", d->hit ? "true" : "false");
    }
    fprintf(f, ",\"truncated\":%s", d->truncated ? "true" : "false");
}

static void put_detail(struct truth *t, FILE *f, uint64_t index) {
    const struct detail *d = &t->details[index];
    bool anonymous = t->g->opt.no_ops;
    fprintf(f, "%s\n{\"index\":%llu,\"mlir_op\":", index ? "," : "", (unsigned long long)index);
    put_string(f, anonymous ? d->optype : d->op->name);
    fputs(",\"op_type\":", f);
    put_string(f, d->optype);
    fprintf(f, ",\"line\":%llu,\"rank\":", (unsigned long long)d->line);
    put_rank(f, d->rank);
    fputs(",\"program\":", f);
    put_string(f, anonymous ? NULL : d->graph->fns[d->fn].name);
    fprintf(f, ",\"module\":%d,\"const_eval_graph\":", anonymous ? -1 : d->graph->index);
    bool const_eval = !anonymous && d->const_eval_fn >= 0;
    put_string(f, const_eval ? d->graph->fns[d->const_eval_fn].name : NULL);
    fprintf(f, ",\"cache_miss\":%s", const_eval ? "true" : "false");
    put_pools(f, "before", d->before);
    put_pools(f, "after", d->after);
    put_difference(f, "delta", d->after, d->before);
    put_difference(f, "freed", d->after, before_of_next(t, index));
    if (!anonymous) put_op_detail(f, d);
    fputc('}', f);
}

/* What the arguments of every dumped main are, in registry order. */
static void put_registry(struct truth *t, FILE *f) {
    static const char *const roles[] = {"input", "parameter", "constant"};
    bool comma = false;
    fputs(",\"registry\":[", f);
    for (uint32_t i = 0; t->modules && i < t->g->opt.programs; i++) {
        const struct graph *gr = t->g->graphs[i];
        for (size_t v = 0; gr && v < gr->fns[0].value_count; v++) {
            const struct value *val = &gr->fns[0].values[v];
            if (val->arg < 0) continue;
            fprintf(f, "%s\n{\"module\":%u,\"index\":%d,\"name\":", comma ? "," : "", i, val->arg);
            put_string(f, gr->args[val->arg].name);
            fprintf(f, ",\"type\":\"%s\",\"shape\":", roles[gr->args[val->arg].role]);
            put_shape(f, val->type);
            fprintf(f, ",\"dtype\":\"%s\",\"bytes\":%llu}", dtype_attr(val->type->dt), (unsigned long long)val->type->logical);
            comma = true;
        }
    }
    fputs("\n]", f);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct name_count *)a)->name, ((const struct name_count *)b)->name);
}

static void put_op_counts(struct truth *t, FILE *f) {
    if (t->op_count) qsort(t->ops, t->op_count, sizeof *t->ops, by_name);
    fputs("\"op_counts\":{", f);
    for (size_t i = 0; i < t->op_count; i++) {
        fputs(i ? "," : "", f);
        put_string(f, t->ops[i].name);
        fprintf(f, ":%llu", (unsigned long long)t->ops[i].count);
    }
    fputs("},", f);
}

static void put_ranks(struct truth *t, FILE *f) {
    fputs("\"ranks\":[", f);
    for (int i = 0; i < t->rank_count; i++) {
        fputs(i ? ",{\"rank\":" : "{\"rank\":", f);
        put_rank(f, t->g->opt.ranks ? i : -1);
        fprintf(f, ",\"records\":%llu,", (unsigned long long)t->ranks[i].records);
        put_peaks(f, t->ranks[i].peaks);
        fputc('}', f);
    }
    fputs("],", f);
}

void truth_write(struct truth *t, FILE *f) {
    fputc('{', f);
    put_number(f, "records", t->records);
    put_number(f, "op_lines", t->op_lines);
    put_number(f, "blocks", t->blocks);
    put_number(f, "submit_blocks", t->submit_blocks);
    put_number(f, "deallocates", t->deallocates);
    put_number(f, "get_devices", t->get_devices);
    put_number(f, "memory_only_deallocates", t->memory_only_deallocates);
    put_number(f, "memory_only_get_devices", t->memory_only_get_devices);
    put_number(f, "lines", t->g->sink.lines);
    put_number(f, "bytes", sink_bytes(&t->g->sink));
    put_number(f, "modules", t->modules);
    put_number(f, "passes", t->passes);
    fputs("\"programs\":[", f);
    put_functions(t, f, false);
    fputs("],\"const_eval\":[", f);
    put_functions(t, f, true);
    fputs("],", f);
    put_op_counts(t, f);
    put_ranks(t, f);
    put_peaks(f, t->peaks);
    fputc(',', f);
    put_config(t, f);
    put_weights(t, f);
    put_number(f, "failures", t->ooms);
    put_number(f, "exceptions", t->throws);
    fprintf(f, "\"warnings_expected\":[%s],\"ambiguous_cut\":%s", t->truncated ? "\"truncated_op\"" : "",
            t->ambiguous ? "true" : "false");
    fputs(
        ",\"notes\":[\"returned device tensors stay allocated until the same program starts again\",\"arguments of main and "
        "const-eval results are "
        "retained for the whole log\",\"rank r > 0 holds r * 1572864 B of DRAM per bank that no tensor explains\"]",
        f);
    if (t->g->opt.truth_records) {
        put_registry(t, f);
        fputs(",\"records_detail\":[", f);
        for (uint64_t i = 0; i < t->records; i++) put_detail(t, f, i);
        fputs("\n]", f);
    }
    fputs("}\n", f);
}
