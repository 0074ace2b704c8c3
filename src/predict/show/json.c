/* SPDX-License-Identifier: Apache-2.0 */
#include "base/num.h"
#include "predict/show/show.h"

enum { MAPS_SHOWN = 10 };

static const char *const bank_words[] = {"exact", "at_least", "estimate"};

static void pool_json(struct json *j, const char *key, const struct predict_pool *pool) {
    json_key(j, key);
    json_object(j);
    json_member_u64(j, "banks", pool->banks);
    json_member_u64(j, "capacity_bytes_per_bank", pool->bytes);
    json_object_end(j);
}

static void chip_json(struct json *j, const struct predict_device *device) {
    static const char *const sources[] = {"assumed", "module", "given", "log"};
    json_key(j, "chip_facts");
    json_object(j);
    json_member_text(j, "name", device->chip ? device->chip->name : NULL);
    json_member_text(j, "title", device->chip ? device->chip->title : NULL);
    json_member_text(j, "arch", device->chip ? device->chip->arch : NULL);
    json_member_text(j, "source", sources[device->source]);
    json_member_text(j, "dram_capacity_is", bank_words[device->bank]);
    pool_json(j, "dram", &device->pools[POOL_DRAM]);
    pool_json(j, "l1", &device->pools[POOL_L1]);
    pool_json(j, "l1_small", &device->pools[POOL_L1_SMALL]);
    pool_json(j, "trace", &device->pools[POOL_TRACE]);
    json_object_end(j);
}

static void classes_json(struct json *j, const struct memory_sums *sums) {
    json_key(j, "bytes_per_bank_by_class");
    json_object(j);
    for (int c = 0; c < MEMORY_CLASSES; c++) {
        json_key(j, memory_class_names[c]);
        json_u64(j, sums->bytes[c]);
    }
    json_object_end(j);
}

static void ssa_member(struct json *j, const struct replay *r, const struct op_state *s) {
    const struct ir_op *op = s ? place_op(r, s) : NULL;
    if (op && op->ssa.len) json_member_str(j, "ssa", op->ssa);
    else json_member_null(j, "ssa");
}

static void failure_json(struct json *j, const struct replay *r, const struct replay_program *run) {
    json_key(j, "failure");
    if (!run->failed) {
        json_null(j);
        return;
    }
    const struct memory_failure *f = &run->failure;
    const struct op_state *s = prediction_place(r, f->place);
    json_object(j);
    json_member_text(j, "kind", memory_failure_names[f->kind]);
    json_key(j, "op");
    show_op_json(j, r, s);
    ssa_member(j, r, s);
    json_key(j, "called_by");
    if (s && s->caller != IR_NONE) show_op_json(j, r, &r->states.items[s->caller]);
    else json_null(j);
    json_member_text(j, "pool", pool_keys[f->pool]);
    json_member_text(j, "class", memory_class_names[f->class]);
    json_member_u64(j, "requested_bytes_per_bank", f->want);
    json_member_u64(j, "allocated_bytes_per_bank", f->allocated);
    json_member_u64(j, "free_bytes_per_bank", f->free);
    json_member_u64(j, "largest_free_bytes_per_bank", f->largest);
    json_member_u64(j, "capacity_bytes_per_bank", r->device.pools[f->pool].bytes);
    classes_json(j, &f->sums);
    json_object_end(j);
}

static void peak_json(struct json *j, const char *key, const struct replay *r, const struct replay_program *run,
                      enum pool pool) {
    const struct memory_peak *peak = &run->peaks[pool];
    const struct op_state *s = prediction_place(r, peak->place);
    json_key(j, key);
    json_object(j);
    json_member_u64(j, "allocated_bytes_per_bank", peak->allocated);
    json_member_u64(j, "capacity_bytes_per_bank", r->device.pools[pool].bytes);
    json_member_milli(j, "used_percent", num_percent_milli((int64_t)peak->allocated, (int64_t)r->device.pools[pool].bytes));
    json_key(j, "op");
    show_op_json(j, r, s);
    ssa_member(j, r, s);
    json_member_u64(j, "estimated_bytes_per_bank", peak->sums.estimated);
    classes_json(j, &peak->sums);
    json_object_end(j);
}

static void hidden_json(struct json *j, const struct replay_program *run) {
    const struct memory_sums *sums = run->failed ? &run->failure.dram : &run->end_sums;
    json_key(j, "hidden");
    json_object(j);
    json_member_u64(j, "maps_bytes_per_bank", sums->bytes[MEMORY_RESHAPE_MAP]);
    json_member_u64(j, "map_count", sums->buffers[MEMORY_RESHAPE_MAP]);
    json_member_u64(j, "tables_bytes_per_bank", sums->bytes[MEMORY_TABLE]);
    json_member_u64(j, "table_count", sums->buffers[MEMORY_TABLE]);
    json_member_u64(j, "binaries_bytes_per_bank", sums->bytes[MEMORY_BINARY]);
    json_member_u64(j, "binary_count", sums->buffers[MEMORY_BINARY]);
    json_object_end(j);
}

static void margin_json(struct json *j, const struct replay_program *run) {
    if (run->margin[POOL_DRAM] == INT64_MAX) json_member_null(j, "margin_bytes_per_bank");
    else json_member_i64(j, "margin_bytes_per_bank", run->margin[POOL_DRAM]);
}

static void program_json(struct json *j, const struct replay *r, const struct replay_program *run) {
    const struct ir_function *f = ir_main(run->ir);
    json_object(j);
    json_member_str(j, "name", f->name);
    if (run->ir->symbol.len) json_member_str(j, "module", run->ir->symbol);
    else json_member_null(j, "module");
    json_member_u64(j, "op_count", run->records);
    json_member_text(j, "verdict", run->failed ? "does_not_fit" : replay_program_is_whole(run) ? "fits" : "unknown");
    failure_json(j, r, run);
    peak_json(j, "peak", r, run, POOL_DRAM);
    peak_json(j, "l1_peak", r, run, POOL_L1);
    json_member_bool(j, "l1_is_lower_bound", true);
    margin_json(j, run);
    json_member_u64(j, "largest_free_at_peak_bytes_per_bank", run->peaks[POOL_DRAM].largest_free);
    json_member_u64(j, "at_start_bytes_per_bank", run->dram_at_start);
    json_member_u64(j, "at_end_bytes_per_bank", run->dram_at_end);
    hidden_json(j, run);
    json_member_u64(j, "estimated_bytes_per_bank",
                    run->failed ? run->failure.dram.estimated : run->peaks[POOL_DRAM].sums.estimated);
    json_member_bool(j, "frees_by_last_use", run->frees_by_last_use);
    json_object_end(j);
}

static void plain_json(struct json *j, const struct replay *r, const char *key, bool sharded) {
    json_key(j, key);
    json_object(j);
    for (size_t i = 0; i < r->plain.len; i++) {
        if (r->plain.items[i].sharded != sharded) continue;
        json_key_slice(j, r->plain.items[i].name);
        json_u64(j, r->plain.items[i].count);
    }
    json_object_end(j);
}

static void maps_json(struct json *j, const struct replay *r) {
    const struct map_made *largest[MAPS_SHOWN];
    unsigned n = show_largest_maps(r, largest, MAPS_SHOWN);
    json_key(j, "largest_maps");
    json_array(j);
    for (unsigned i = 0; i < n; i++) {
        char in[128], out[128];
        ir_shape_text(&largest[i]->in, in, sizeof in);
        ir_shape_text(&largest[i]->out, out, sizeof out);
        json_object(j);
        json_member_u64(j, "bytes_per_bank", r->memory.buffers.items[largest[i]->buffer].bytes);
        json_member_text(j, "input_shape", in);
        json_member_text(j, "output_shape", out);
        json_key(j, "op");
        show_op_json(j, r, &r->states.items[largest[i]->state]);
        json_object_end(j);
    }
    json_array_end(j);
}

static void odd_json(struct json *j, const struct prediction *p) {
    struct ir_odd odd;
    prediction_odd(p, &odd);
    json_key(j, "oddities");
    json_object(j);
    json_member_u64(j, "undefined_values", odd.undefined_values);
    json_member_u64(j, "missing_callees", odd.missing_callees);
    json_member_u64(j, "cut_ops", odd.cut_ops);
    json_member_u64(j, "unknown_types", odd.unknown_types);
    json_member_u64(j, "call_cycles", odd.call_cycles);
    json_object_end(j);
}

static void what_if_json(struct json *j, const struct what_ifs *tried) {
    json_key(j, "what_if");
    json_array(j);
    for (size_t i = 0; i < tried->list.len; i++) {
        const struct what_if *row = &tried->list.items[i];
        json_object(j);
        json_member_text(j, "option", row->option);
        json_member_text(j, "meaning", row->words);
        json_member_bool(j, "exact", row->exact);
        json_member_text(j, "verdict", !row->fits ? "does_not_fit" : row->whole ? "fits" : "unknown");
        json_member_u64(j, "peak_bytes_per_bank", row->peak);
        json_member_u64(j, "capacity_bytes_per_bank", row->capacity);
        json_member_text(j, "capacity_is", bank_words[row->bank]);
        json_member_u64(j, "layouts_beyond_grid", row->left_out_layouts);
        json_object_end(j);
    }
    json_array_end(j);
}

void show_json(struct strbuf *out, const struct show *show) {
    const struct prediction *p = show->prediction;
    const struct replay *r = &p->replay;
    struct json json = {.out = out, .pretty = true}, *j = &json;
    json_document(j);
    json_member_bool(j, "predicted", true);
    chip_json(j, &r->device);
    if (p->modules[0].mesh.len) json_member_str(j, "mesh", p->modules[0].mesh);
    else json_member_null(j, "mesh");
    json_member_u64(j, "chip_count", ir_mesh_chips(&p->modules[0]));
    json_member_text(j, "verdict", !prediction_fits(p) ? "does_not_fit" : prediction_is_cut(p) ? "unknown" : "fits");
    json_key(j, "programs");
    json_array(j);
    for (size_t i = 0; i < r->runs.len; i++) program_json(j, r, &r->runs.items[i]);
    json_array_end(j);
    plain_json(j, r, "plain_ops", false);
    plain_json(j, r, "sharded_ops_taken_as_plain", true);
    json_key(j, "estimated_ops");
    json_array(j);
    for (size_t i = 0; i < r->estimated_ops.len; i++) json_str(j, r->estimated_ops.items[i]);
    json_array_end(j);
    maps_json(j, r);
    json_member_u64(j, "l1_small_tables", r->l1_small_tables);
    json_member_null(j, "l1_small_bytes_per_bank");
    json_member_u64(j, "traces", r->traces);
    json_member_null(j, "trace_bytes_per_bank");
    odd_json(j, p);
    what_if_json(j, show->tried);
    show_scale_json(j, p);
    show_search_json(j, show->found);
    show_compare_json(j, p, show->compare);
    show_decision_json(j, show->plan);
    show_per_op_json(j, show);
    json_object_end(j);
    strbuf_addc(out, '\n');
}
