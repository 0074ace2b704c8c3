/* SPDX-License-Identifier: Apache-2.0 */
#include "render/json/summary_json.h"

#include <stdio.h>

#include "analysis/run/top_ops.h"
#include "render/answer/explain.h"
#include "render/host/host_text.h"
#include "render/answer/live_rows.h"
#include "render/format/json_parts.h"
#include "render/search/leaks_report.h"
#include "render/format/warning_words.h"

enum { PASSES_LISTED = 1000, LEAKS_LISTED = 20, FAILURES_LISTED = 256 };

/* Do as many ranks as are listed have a higher DRAM peak? Of equal ones the first are listed. */
static bool is_left_out(const struct run *run, const struct overview *o, size_t rank, size_t limit) {
    size_t higher = 0;
    int64_t own = peak_bytes(&o->by_rank[rank].pools[POOL_DRAM]);
    for (size_t i = 0; limit && i < run->ranks.len; i++) {
        int64_t other = peak_bytes(&o->by_rank[i].pools[POOL_DRAM]);
        higher += rank_is_listed(run, i) && (other > own || (other == own && i < rank));
    }
    return limit && higher >= limit;
}

/* Members "ranks" and "ranks_left_out". */
static void ranks(struct json *j, const struct run *run, const struct overview *o, size_t limit) {
    size_t left_out = 0;
    json_key(j, "ranks");
    json_array(j);
    for (size_t i = 0; i < run->ranks.len; i++) {
        if (!rank_is_listed(run, i)) continue;
        if (is_left_out(run, o, i, limit)) {
            left_out++;
            continue;
        }
        json_object(j);
        json_member_rank(j, run, (uint16_t)i);
        json_member_u64(j, "records", run->ranks.items[i].records);
        json_member_u64_if(j, "blocks", !(run->told_by_files & TOLD_NO_COUNTS), run->ranks.items[i].blocks);
        json_key(j, "peaks");
        json_peaks(j, run, &o->by_rank[i]);
        json_object_end(j);
    }
    json_array_end(j);
    json_member_u64(j, "ranks_left_out", left_out);
}

static void programs(struct json *j, const struct run *run, const struct overview *o) {
    json_array(j);
    for (size_t i = 0; i < o->programs.len; i++) {
        const struct named_count *row = &o->programs.items[i];
        json_object(j);
        json_member_str(j, "name", run_string(run, row->name));
        json_member_u64(j, "run_count", row->runs);
        json_member_u64(j, "records", row->records);
        json_member_u64(j, "graphs", row->graphs);
        json_object_end(j);
    }
    json_array_end(j);
}

static void const_eval(struct json *j, const struct run *run, const struct overview *o) {
    json_array(j);
    for (size_t i = 0; i < o->const_eval.len; i++) {
        const struct named_count *row = &o->const_eval.items[i];
        json_object(j);
        json_member_str(j, "graph", run_string(run, row->name));
        json_member_u64(j, "run_count", row->runs);
        bool told = row->hits || row->misses;
        json_member_u64_if(j, "hits", told && !run->told_by_files, row->hits);
        json_member_u64_if(j, "misses", told, row->misses);
        json_member_u64(j, "records", row->records);
        json_object_end(j);
    }
    json_array_end(j);
}

static void growth(struct json *j, const struct run *run, const struct overview *o) {
    json_array(j);
    for (size_t i = 0; i < o->growth.len; i++) {
        const struct growth *row = &o->growth.items[i];
        json_object(j);
        json_member_op(j, "op", run, row->record);
        json_member_i64(j, "change_bytes_per_bank",
                        step_growth_bytes(run, &run->steps.items[run->records.items[row->record]], POOL_DRAM));
        json_member_text(j, "bound", change_kind_keys[row->kind]);
        json_object_end(j);
    }
    json_array_end(j);
}

/* Null if too few passes show it. */
static void dram_growth(struct json *j, const struct slope *slope) {
    if (!slope->known) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_i64(j, "bytes_per_bank", slope->per_step);
    json_member_i64(j, "low_bytes_per_bank", slope->low);
    json_member_i64(j, "high_bytes_per_bank", slope->high);
    json_member_i64_if(j, "lowest_bytes_per_bank", slope->least != INT64_MIN, slope->least);
    json_member_i64_if(j, "highest_bytes_per_bank", slope->most != INT64_MAX, slope->most);
    json_member_bool(j, "grows", slope->rises);
    json_member_u64(j, "passes", slope->points);
    json_object_end(j);
}

/* Null if there is no vLLM telemetry beside the run. */
static void kv_cache(struct json *j, const struct kv_cache *kv) {
    uint32_t most = 0;
    if (!kv) {
        json_null(j);
        return;
    }
    for (size_t i = 0; i < kv->samples.len; i++)
        if (kv->samples.items[i].used > most) most = kv->samples.items[i].used;
    json_object(j);
    json_key(j, "highest_used_percent");
    json_milli(j, (int64_t)most * 1000 / (KV_FULL / 100));
    if (kv->blocks) json_member_u64(j, "blocks", kv->blocks);
    else json_member_null(j, "blocks");
    json_member_u64(j, "samples", kv->samples.len);
    json_member_u64(j, "preempted", kv->preempted);
    json_member_text(j, "of", kv->of_slots ? "slots" : "blocks");
    json_member_u64_if(j, "slots", kv->slots, kv->slots);
    json_member_u64_if(j, "most_slots_taken", kv->slots, kv->most_slots);
    json_member_u64_if(j, "requests_completed", kv->slots, kv->requests);
    json_member_u64_if(j, "tokens", kv->slots, kv->tokens);
    json_object_end(j);
}

/* Null if the run is not from Inspector. */
static void inspector(struct json *j, const struct inspector_facts *facts) {
    if (!facts) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_u64(j, "buffer_count", facts->buffers);
    json_member_u64(j, "buffers_with_bounds", facts->bounded);
    json_member_u64(j, "tensors_by_size_and_order", facts->named);
    json_member_u64(j, "tensors_with_several_candidates", facts->several);
    json_member_u64(j, "operations_in_the_log", facts->tied_ops);
    static const char *const ties[] = {NULL, "time", "order"};
    json_member_text(j, "tied_by", facts->tied_by <= TIED_BY_ORDER ? ties[facts->tied_by] : NULL);
    json_member_u64(j, "views", facts->views);
    json_member_u64(j, "move_count", facts->moves);
    json_member_u64(j, "torn_entries", facts->torn);
    json_member_u64(j, "replayed_addresses", facts->replayed);
    json_member_u64(j, "equal_addresses", facts->as_placed);
    json_member_u64(j, "addresses_beyond_the_device", facts->beyond);
    const struct chip *likelier = facts->likelier ? chip_row(facts->likelier - 1) : NULL;
    json_member_text(j, "likelier_chip", likelier ? likelier->name : NULL);
    json_member_u64(j, "programs_made", facts->programs_made);
    json_member_u64(j, "programs_kept", facts->programs_kept);
    json_key(j, "programs_kept_at_pass_ends");
    json_array(j);
    /* of very many passes only the last ones */
    size_t passes = facts->pass_programs.len;
    for (size_t i = passes > PASSES_LISTED ? passes - PASSES_LISTED : 0; i < passes; i++)
        json_i64(j, facts->pass_programs.items[i]);
    json_array_end(j);
    json_member_u64(j, "meshes", facts->meshes);
    json_member_bool(j, "device_named", facts->chip_named);
    json_object_end(j);
}

static void padding(struct json *j, const struct live_set *set) {
    if (set->tensors.len) json_sum(j, &set->sum);
    else json_null(j);
}

static void warnings(struct json *j, const struct run *run) {
    json_object(j);
    for (unsigned i = 0; i < WARN_COUNT; i++) json_member_u64(j, warning_names[i], run->warnings[i]);
    json_object_end(j);
}

static void listed_files(struct json *j, const struct summary_origin *origin) {
    json_key(j, "files");
    json_array(j);
    for (size_t i = 0; i < origin->file_count; i++) {
        char check[17];
        snprintf(check, sizeof check, "%016llx", (unsigned long long)origin->files[i].check);
        json_object(j);
        json_member_text(j, "suffix", origin->files[i].suffix);
        json_member_u64(j, "file_bytes", origin->files[i].bytes);
        json_member_text(j, "check", check);
        json_object_end(j);
    }
    json_array_end(j);
}

/* Null if the run ended normally, or because of a memory failure. */
static void other_fatal(struct json *j, const struct run *run) {
    uint16_t rank = 0;
    const struct failure_entry *fatal = run_other_fatal(run, &rank);
    json_key(j, "not_memory_failure");
    if (!fatal) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_text(j, "message", fatal->failure.words);
    json_member_u64(j, "line", fatal->line);
    json_member_bool(j, "maybe_memory", failure_may_be_memory(&fatal->failure));
    json_member_text_or_null(j, "rank", run_string(run, run->ranks.items[rank].name));
    json_member_index(j, "rank_index", run_rank_index(run, rank));
    json_object_end(j);
}

static void chips_or_null(struct json *j, const char *key, uint64_t chips) {
    if (chips) json_member_u64(j, key, chips);
    else json_member_null(j, key);
}

void summary_json(struct strbuf *out, const struct run *run, const struct overview *o, const struct summary_origin *origin,
                  bool pretty) {
    struct json j = {.out = out, .pretty = pretty};
    json_document(&j);
    json_member_str(&j, "name", origin->name);
    json_member_text_or_null(&j, "source_path", origin->path);
    listed_files(&j, origin);
    json_member_text(&j, "contents", o->shape);
    json_member_bool(&j, "predicted", run->origin == RUN_PREDICTED);
    json_member_u64_if(&j, "estimated_bytes_per_bank", run->origin == RUN_PREDICTED, run->estimated_bytes);
    json_member_bool(&j, "l1_per_core", run_l1_is_per_core(run));
    json_member_u64(&j, "records", run->records.len);
    bool counted = !(run->told_by_files & TOLD_NO_COUNTS);
    json_member_u64_if(&j, "blocks", counted, run->block_count);
    json_member_u64_if(&j, "op_lines", counted, run->op_lines);
    json_member_u64_if(&j, "deallocates", counted && run_tells_ops(run), run->deallocates);
    json_member_u64_if(&j, "get_devices", counted && run_tells_ops(run), run->get_devices);
    json_member_u64_if(&j, "lines", counted, run->lines);
    json_member_u64(&j, "input_bytes", run->bytes);
    json_member_text(&j, "chip", run->chip ? run->chip->name : NULL);
    json_member_text_or_null(&j, "mesh", run->mesh);
    chips_or_null(&j, "chip_count", run_mesh_chips(run));
    chips_or_null(&j, "chips_opened", run->chips_opened);
    ranks(&j, run, o, origin->ranks);
    json_key(&j, "pools");
    json_pools(&j, run);
    json_key(&j, "peaks");
    json_peaks(&j, run, &o->peaks);
    json_all_banks(&j, run, &o->peaks);
    json_member_u64_if(&j, "program_runs", o->program_runs, o->program_runs);
    json_member_u64_if(&j, "main_runs", o->program_runs, o->main_runs);
    json_key(&j, "programs");
    programs(&j, run, o);
    json_key(&j, "const_eval");
    const_eval(&j, run, o);
    json_key(&j, "op_counts");
    json_object(&j);
    for (size_t i = 0; i < o->op_counts.len; i++) {
        json_key_slice(&j, run_string(run, o->op_counts.items[i].name));
        json_u64(&j, o->op_counts.items[i].records);
    }
    json_object_end(&j);
    json_member_u64(&j, "weight_records", o->weight_records);
    json_key(&j, "weight_sum");
    json_object(&j);
    json_member_u64(&j, "count", o->weight_count);
    json_member_u64(&j, "total_bytes", o->weight_bytes);
    json_member_rank(&j, run, o->weights_rank);
    json_object_end(&j);
    json_key(&j, "held_at_peak");
    json_holders(&j, run, &o->holders);
    json_key(&j, "padding_at_peak");
    json_object(&j);
    json_key(&j, pool_keys[POOL_DRAM]);
    padding(&j, &o->at_peak);
    json_key(&j, pool_keys[POOL_L1]);
    padding(&j, &o->at_l1_peak);
    json_object_end(&j);
    json_key(&j, "computed_at_peak");
    live_rows_json_computed(&j, &o->at_peak);
    json_key(&j, "growth");
    growth(&j, run, o);
    json_key(&j, "dram_growth_per_pass");
    dram_growth(&j, &o->dram_growth);
    json_key(&j, "leaks");
    leaks_json(&j, &(struct leak_page){run, &o->leaks, LEAKS_LISTED});
    bool late = o->late.seen;
    json_member_u64_if(&j, "late_free_bytes_per_bank", late, late ? o->late.bytes - o->late.without_bytes : 0);
    json_member_u64_if(&j, "duplicate_bytes_per_bank", o->duplicates.known && !o->duplicates.bank_unknown, o->duplicates.extra);
    json_key(&j, "failures");
    explain_json_list(&j, &o->failures, FAILURES_LISTED);
    explain_json_counts(&j, &o->failures, FAILURES_LISTED);
    other_fatal(&j, run);
    const struct peak *l1 = &o->peaks.pools[POOL_L1];
    json_member_l1_inside(&j, run, l1->seen ? l1->after_record : NONE);
    json_member_u64_if(&j, "unreadable_graphs", run->l1.told || run->l1.unreadable, run->l1.unreadable);
    json_key(&j, "host");
    host_json(&j, run, &o->host);
    json_key(&j, "kv_cache");
    kv_cache(&j, run->kv);
    json_key(&j, "inspector");
    inspector(&j, run->inspector);
    explain_json_cut(&j, &o->failures);
    json_key(&j, "missing");
    json_missing(&j, o);
    json_key(&j, "warnings");
    warnings(&j, run);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}
