/* SPDX-License-Identifier: Apache-2.0 */
/* Module dumps: the text of runtime-log.md 4.2 and 4.3, from the same ops that are executed. */
#include "genlog.h"

#include <stdlib.h>
#include <string.h>

enum stage_kind { STAGE_SHLO, STAGE_TTIR, STAGE_TTNN };
static const struct stage {
    const char *name, *old_header;
    enum stage_kind kind;
} stages[] = {
    {"vhlo", "VHLO Module:", STAGE_SHLO},
    {"shlo", "SHLO Module:", STAGE_SHLO},
    {"shlo_frontend", "SHLO Module after frontend StableHLO pipeline:", STAGE_SHLO},
    {"shlo_compiler", "SHLO Module after compiler StableHLO pipeline:", STAGE_SHLO},
    {"shlo_set_mesh_attr", NULL, STAGE_SHLO},
    {"shlo_compiler_cleaned", NULL, STAGE_SHLO},
    {"ttir", "TTIR Module:", STAGE_TTIR},
    {"ttnn", "TTNN Module:", STAGE_TTNN},
    {"ttnn_runtime", NULL, STAGE_TTNN},
};

/* What the module being printed refers to, in order of first use. */
struct aliases {
    struct type **types;
    size_t type_count, type_cap;
    struct loc **locs;
    size_t loc_count, loc_cap;
    uint32_t first_loc;
};

struct dump {
    struct gen *g;
    struct graph *graph;
    struct text line;
    struct aliases a;
};

static void put_line(struct dump *d) {
    undialect(d->g, &d->line);
    sink_begin(&d->g->sink, -1);
    sink_put(&d->g->sink, d->line.p, d->line.len);
    sink_end(&d->g->sink, NULL);
    d->line.len = 0;
    if (rng_chance(&d->g->sink.rng, d->g->opt.interleave)) noise_line(d->g, -1, &d->g->sink.rng, true);
}

#define LINE(d, ...) (text_printf(&(d)->line, __VA_ARGS__), put_line(d))

static void note_type(struct dump *d, struct type *t) {
    if (t->kind != TYPE_TENSOR || t->alias_module == d->g->module_serial) return;
    t->alias_module = d->g->module_serial;
    t->alias_id = (uint32_t)d->a.type_count;
    GROW(d->a.types, d->a.type_count, d->a.type_cap);
    d->a.types[d->a.type_count++] = t;
}

static void note_loc(struct dump *d, struct loc *l) {
    if (!l || l->alias_module == d->g->module_serial) return;
    note_loc(d, l->a);
    note_loc(d, l->b);
    l->alias_module = d->g->module_serial;
    l->alias_id = d->a.first_loc + (uint32_t)d->a.loc_count;
    GROW(d->a.locs, d->a.loc_count, d->a.loc_cap);
    d->a.locs[d->a.loc_count++] = l;
}

static void note_all(struct dump *d) {
    d->g->module_serial++;
    d->a.type_count = d->a.loc_count = 0;
    d->a.first_loc = (uint32_t)d->graph->arg_count + 1;
    for (size_t i = 0; i < d->graph->fn_count; i++) {
        struct fn *f = &d->graph->fns[i];
        for (size_t v = 0; v < f->value_count; v++) note_type(d, f->values[v].type);
        for (size_t k = 0; k < f->op_count; k++) note_loc(d, f->ops[k].loc);
    }
}

static void loc_aliases(struct dump *d) {
    for (size_t i = 0; i < d->a.loc_count; i++) {
        const struct loc *l = d->a.locs[i];
        text_printf(&d->line, "#loc%u = loc(", l->alias_id);
        switch (l->kind) {
            case LOC_CHILD:
                text_printf(&d->line, "\"%s\"(#loc%u)", l->name, l->a->alias_id);
                break;
            case LOC_FUSED:
            case LOC_FUSED_META:
                text_printf(&d->line, "fused%s[#loc%u, #loc%u]", l->kind == LOC_FUSED ? "" : "<\"meta\">", l->a->alias_id,
                            l->b->alias_id);
                break;
            case LOC_CALLSITE:
                text_printf(&d->line, "callsite(#loc%u at #loc%u)", l->a->alias_id, l->b->alias_id);
                break;
            default:
                loc_text(&d->line, l);
        }
        text_puts(&d->line, ")");
        put_line(d);
    }
}

static void arg_loc_aliases(struct dump *d) {
    for (size_t i = 0; i < d->graph->arg_count; i++) LINE(d, "#loc%zu = loc(\"p%zu.%zu\")", i + 1, i, 3 * i + 1);
}

static void put_alias_type(struct dump *d, const struct type *t) {
    if (t->kind != TYPE_TENSOR) text_puts(&d->line, t->full);
    else if (t->alias_id) text_printf(&d->line, "%s, #ttnn_layout%u>", t->head, t->alias_id);
    else text_printf(&d->line, "%s, #ttnn_layout>", t->head);
}

/* The StableHLO type of a main argument: the whole tensor over all devices. */
static void put_global_type(struct dump *d, const struct arg_info *a, const struct type *t) {
    const char *x = strchr(t->plain, 'x');
    if (a->global_batch && x) text_printf(&d->line, "tensor<%u%s", a->global_batch, x);
    else text_puts(&d->line, t->plain);
}

static void put_main_args(struct dump *d, enum stage_kind kind) {
    static const char *const roles[] = {"input", "parameter", "constant"};
    const struct fn *f = &d->graph->fns[0];
    int n = 0;
    for (size_t v = 0; v < f->value_count; v++) {
        if (f->values[v].arg < 0) continue;
        const struct type *t = f->values[v].type;
        const struct arg_info *a = &d->graph->args[f->values[v].arg];
        text_printf(&d->line, "%s%%arg%d: ", n++ ? ", " : "", f->values[v].arg);
        if (kind == STAGE_TTNN) put_alias_type(d, t);
        else put_global_type(d, a, t);
        text_printf(&d->line, " {ttcore.argument_type = #ttcore.argument_type<%s>, ", roles[a->role]);
        if (kind != STAGE_SHLO && !d->g->opt.old_dialect)
            text_printf(&d->line, "ttcore.local_shape = #ttcore<local_shape local_shape = %s>, ", t->plain);
        if (kind != STAGE_SHLO)
            text_printf(&d->line, "ttcore.shard_status = #ttcore.shard_status<%s>, ",
                        a->global_batch && d->g->opt.mesh_y * d->g->opt.mesh_x > 1 ? "presharded" : "unsharded");
        text_printf(&d->line, "ttir.name = \"%s\"} loc(\"p%d.%d\")", a->name, f->values[v].arg, 3 * f->values[v].arg + 1);
    }
}

static void put_results(struct dump *d, const struct fn *f, enum stage_kind kind, bool attrs) {
    bool many = attrs || f->return_count != 1;
    text_puts(&d->line, many ? "(" : "");
    for (int i = 0; i < f->return_count; i++) {
        text_puts(&d->line, i ? ", " : "");
        if (kind == STAGE_TTNN) put_alias_type(d, f->values[f->returns[i]].type);
        else text_puts(&d->line, f->values[f->returns[i]].type->plain);
        if (attrs) text_puts(&d->line, " {ttcore.shard_status = #ttcore.shard_status<unsharded>}");
    }
    text_puts(&d->line, many ? ")" : "");
}

/* ---- TTNN */

static void ttnn_return(struct dump *d, const struct fn *f) {
    text_puts(&d->line, "        return");
    for (int i = 0; i < f->return_count; i++) {
        text_puts(&d->line, i ? ", " : " ");
        value_text(&d->line, &f->values[f->returns[i]]);
    }
    for (int i = 0; i < f->return_count; i++) {
        text_puts(&d->line, i ? ", " : " : ");
        put_alias_type(d, f->values[f->returns[i]].type);
    }
    text_puts(&d->line, " loc(#loc)");
    put_line(d);
}

static void ttnn_fn(struct dump *d, const struct fn *f) {
    static const char *const kinds[] = {"forward_device", "const_eval", "forward_device", "trace_main"};
    text_printf(&d->line, "      func.func %s@%s(", f->kind == FN_MAIN ? "" : "private ", f->name);
    if (f->kind == FN_MAIN) {
        put_main_args(d, STAGE_TTNN);
    } else {
        for (int i = 0; i < f->arg_count; i++) {
            text_printf(&d->line, "%s%%arg%d: ", i ? ", " : "", i);
            put_alias_type(d, f->values[i].type);
            text_puts(&d->line, " loc(unknown)");
        }
    }
    text_puts(&d->line, ")");
    if (f->return_count) {
        text_puts(&d->line, " -> ");
        put_results(d, f, STAGE_TTNN, f->kind == FN_MAIN);
    }
    LINE(d, " attributes {tt.function_type = \"%s\"} {", kinds[f->kind]);
    for (size_t i = 0; i < f->op_count; i++) {
        text_puts(&d->line, "        ");
        op_text(d->g, &d->line, f, &f->ops[i], true);
        put_line(d);
    }
    ttnn_return(d, f);
    LINE(d, "      } loc(#loc)");
}

/* Functions nobody calls, so that a module of any size can be made. */
static void padding(struct dump *d, uint64_t until) {
    const struct fn *main_fn = &d->graph->fns[0];
    const struct type *t = main_fn->values[1].type;
    for (unsigned n = 0; sink_bytes(&d->g->sink) < until && !d->g->sink.full; n++) {
        text_printf(&d->line, "      func.func private @unused_%u(%%arg0: ", n);
        put_alias_type(d, t);
        text_puts(&d->line, " loc(unknown)) -> ");
        put_alias_type(d, t);
        LINE(d, " attributes {tt.function_type = \"forward_device\"} {");
        for (int i = 0; i < 40; i++) {
            text_printf(&d->line, "        %%%d = \"ttnn.relu\"(%%%s%d) : (", i, i ? "" : "arg", i ? i - 1 : 0);
            put_alias_type(d, t);
            text_puts(&d->line, ") -> ");
            put_alias_type(d, t);
            LINE(d, " loc(#loc)");
        }
        text_puts(&d->line, "        return %39 : ");
        put_alias_type(d, t);
        LINE(d, " loc(#loc)");
        LINE(d, "      } loc(#loc)");
    }
}

static void module_attrs(struct dump *d) {
    text_printf(&d->line,
                "attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, "
                "mhlo.use_auto_spmd_partitioning = false, ttcore.meshes = #ttcore.meshes<[<\"mesh\" = %ux%u>]>",
                d->g->opt.mesh_y, d->g->opt.mesh_x);
}

static void system_desc(struct dump *d) {
    const struct chip *c = d->g->opt.chip;
    LINE(d,
         "#system_desc = #ttcore.system_desc<[{role = host, target_triple = \"x86_64-pc-linux\"}], [{arch = <%s>, grid = "
         "%ux%u, l1_size = %u, "
         "num_dram_channels = %u, dram_channel_size = %llu, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = %llu, "
         "noc_dram_address_align_bytes = %llu}], "
         "[0], [1 : i32], [ 0x0x0x0]>",
         c->arch, c->grid_y, c->grid_x, c->arch[0] == 'w' ? 1499136u : 1572864u, c->dram_banks,
         (unsigned long long)(c->arch[0] == 'w' ? 1073741824u : 4278190080u), (unsigned long long)c->dram_align,
         (unsigned long long)c->dram_align);
}

static void ttnn_module(struct dump *d) {
    uint64_t start = sink_bytes(&d->g->sink);
    note_all(d);
    LINE(d, "#dram = #ttnn.buffer_type<dram>");
    LINE(d, "#l1 = #ttnn.buffer_type<l1>");
    LINE(d, "#loc = loc(unknown)");
    arg_loc_aliases(d);
    system_desc(d);
    LINE(d, "#system_memory = #ttnn.buffer_type<system_memory>");
    for (size_t i = 0; i < d->a.type_count; i++) {
        if (i) text_printf(&d->line, "#ttnn_layout%zu", i);
        else text_puts(&d->line, "#ttnn_layout");
        LINE(d, " = %s", d->a.types[i]->alias_layout);
    }
    text_printf(&d->line, "module @SyncTensorsGraph.%d ", d->graph->tag);
    module_attrs(d);
    LINE(d, "} {");
    LINE(d, "  ttcore.device_module {");
    text_printf(&d->line, "    builtin.module @SyncTensorsGraph.%d ", d->graph->tag);
    module_attrs(d);
    LINE(d, ", ttcore.system_desc = #system_desc} {");
    for (size_t i = 1; i < d->graph->fn_count; i++) ttnn_fn(d, &d->graph->fns[i]);
    if (d->g->opt.module_bytes && d->graph->index == 0) padding(d, start + d->g->opt.module_bytes);
    ttnn_fn(d, &d->graph->fns[0]);
    LINE(d, "    } loc(#loc)");
    LINE(d, "  } loc(#loc)");
    LINE(d, "} loc(#loc)");
    loc_aliases(d);
}

/* ---- StableHLO and TTIR: the computation without layouts, transfers and deallocates */

static bool only_in_ttnn(const struct op *op) {
    static const char *const names[] = {"ttnn.to_device", "ttnn.to_layout", "ttnn.from_device", "ttnn.to_memory_config",
                                        "ttnn.capture_or_execute_trace"};
    if (op->kind == OP_DEALLOC || op->kind == OP_GET_DEVICE || op->kind == OP_LOAD_CACHED || op->result_count != 1) return true;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (!strcmp(op->name, names[i])) return true;
    return false;
}

static void put_mapped(struct dump *d, int mapped) {
    if (mapped < 0) text_printf(&d->line, "%%arg%d", -mapped - 1);
    else text_printf(&d->line, "%%%d", mapped);
}

static void high_op(struct dump *d, const struct fn *f, const struct op *op, const int *map, int number, enum stage_kind kind) {
    const char *dot = strchr(op->name, '.');
    text_printf(&d->line, kind == STAGE_TTIR ? "        %%%d = \"ttir.%s\"(" : "    %%%d = stablehlo.%s ", number,
                dot ? dot + 1 : op->name);
    uint32_t n = 0;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (f->values[op->operands[i]].type->kind == TYPE_TENSOR) {
            text_puts(&d->line, n++ ? ", " : "");
            put_mapped(d, map[op->operands[i]]);
        }
    text_puts(&d->line, kind == STAGE_TTIR ? ") : (" : " : (");
    n = 0;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (f->values[op->operands[i]].type->kind == TYPE_TENSOR)
            text_printf(&d->line, "%s%s", n++ ? ", " : "", f->values[op->operands[i]].type->plain);
    text_printf(&d->line, ") -> %s loc(#loc", f->values[op->first_result].type->plain);
    if (op->loc) text_printf(&d->line, "%u", op->loc->alias_id);
    LINE(d, ")");
}

static void high_body(struct dump *d, const struct fn *f, enum stage_kind kind) {
    int *map = xrealloc(NULL, (f->value_count + 1) * sizeof *map), next = 0;
    for (size_t v = 0; v < f->value_count; v++) map[v] = -1 - (f->values[v].arg >= 0 ? f->values[v].arg : 0);
    for (size_t i = 0; i < f->op_count; i++) {
        const struct op *op = &f->ops[i];
        if (!only_in_ttnn(op)) {
            map[op->first_result] = next;
            high_op(d, f, op, map, next++, kind);
        } else {
            for (int k = 0; k < op->result_count && op->operand_count; k++) map[op->first_result + k] = map[op->operands[0]];
        }
    }
    text_puts(&d->line, kind == STAGE_TTIR ? "        return " : "    return ");
    for (int i = 0; i < f->return_count; i++) {
        text_puts(&d->line, i ? ", " : "");
        put_mapped(d, map[f->returns[i]]);
    }
    for (int i = 0; i < f->return_count; i++)
        text_printf(&d->line, "%s%s", i ? ", " : " : ", f->values[f->returns[i]].type->plain);
    LINE(d, " loc(#loc)");
    free(map);
}

static void high_module(struct dump *d, enum stage_kind kind) {
    const struct fn *f = &d->graph->fns[0];
    bool ttir = kind == STAGE_TTIR;
    note_all(d);
    if (ttir) LINE(d, "#loc = loc(unknown)");
    arg_loc_aliases(d);
    text_printf(&d->line, "module @SyncTensorsGraph.%d ", d->graph->tag);
    if (ttir) {
        module_attrs(d);
        LINE(d, "} {");
        LINE(d, "  ttcore.device_module {");
        LINE(d, "    builtin.module @SyncTensorsGraph.%d {", d->graph->tag);
        text_puts(&d->line, "    ");
    } else {
        LINE(d,
             "attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, "
             "mhlo.use_auto_spmd_partitioning = false} {");
    }
    text_puts(&d->line, "  func.func @main(");
    put_main_args(d, kind);
    text_puts(&d->line, ") -> ");
    put_results(d, f, kind, ttir);
    LINE(d, " {");
    high_body(d, f, kind);
    LINE(d, ttir ? "      } loc(#loc)" : "  } loc(#loc)");
    if (ttir) {
        LINE(d, "    } loc(#loc)");
        LINE(d, "  } loc(#loc)");
    }
    LINE(d, "} loc(#loc)");
    if (!ttir) LINE(d, "#loc = loc(unknown)");
    loc_aliases(d);
}

static void dump_stage(struct dump *d, const struct stage *s) {
    char header[96];
    bool old = d->g->opt.old_dialect && s->old_header;
    snprintf(header, sizeof header, old ? "%s" : "MLIR Module %s:", old ? s->old_header : s->name);
    noise_loguru(d->g, "module_builder.cc", 1278, header, &(struct event){.kind = EV_MODULE, .rank = -1});
    if (s->kind == STAGE_TTNN) ttnn_module(d);
    else high_module(d, s->kind);
    if (!d->g->opt.old_dialect) sink_line(&d->g->sink, -1, "------------------ END OF MLIR MODULE ------------------");
}

void modules_dump(struct gen *g, struct graph *graph) {
    struct dump d = {.g = g, .graph = graph};
    if (!strcmp(g->opt.modules, "none")) return;
    for (size_t i = 0; i < ARRAY_LEN(stages); i++) {
        size_t n = strlen(stages[i].name);
        for (const char *p = g->opt.modules; *p;) {
            size_t len = strcspn(p, ",");
            if (len == n && !memcmp(p, stages[i].name, n)) dump_stage(&d, &stages[i]);
            p += len + (p[len] == ',');
        }
    }
    text_release(&d.line);
    free(d.a.types);
    free(d.a.locs);
}

bool module_list_valid(const char *list) {
    for (const char *p = list; *p;) {
        size_t len = strcspn(p, ","), i = 0;
        while (i < ARRAY_LEN(stages) && (strlen(stages[i].name) != len || memcmp(p, stages[i].name, len) != 0)) i++;
        if (i == ARRAY_LEN(stages) && strcmp(list, "none") != 0) return false;
        p += len + (p[len] == ',');
    }
    return true;
}
