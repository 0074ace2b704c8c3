/* SPDX-License-Identifier: Apache-2.0 */
/* The sections `meta`, `registry`, `locations` and the module texts of a page. */
#include <stdlib.h>
#include <time.h>

#include "analysis/rules/computed.h"
#include "base/num.h"
#include "model/module_lines.h"
#include "render/json/ir_json.h"
#include "render/format/json_parts.h"
#include "render/page/page_beside.h"
#include "render/page/page_failures.h"
#include "render/page/page_fit.h"
#include "render/page/page_l1.h"
#include "render/page/page_leaks.h"
#include "render/page/page_run.h"
#include "render/format/warning_words.h"

enum { PAGE_FORMAT = 1 };

/* Bytes of its lines, without what was between them in the log. */
static uint64_t module_bytes(const struct run *run, const struct module *module) {
    struct module_lines lines;
    struct slice line;
    uint64_t bytes = 0;
    for (module_lines_init(&lines, module, run->text); module_lines_next(&lines, &line);) bytes += line.len + 1;
    module_lines_release(&lines);
    return bytes;
}

static bool is_shown(const struct run *run, uint32_t module) {
    uint32_t set = run->modules.items[module].set;
    return module_of_stage(run, set, SLICE("ttir")) == module || module_of_stage(run, set, SLICE("ttnn")) == module;
}

void page_modules(struct page_data *page, const struct output_job *job, struct page_ids *ids) {
    const struct run *run = job->run;
    ids->modules = mem_alloc(sizeof *ids->modules * (run->modules.len + 1));
    for (uint32_t i = 0; i < run->modules.len; i++) {
        ids->modules[i] = NONE;
        if (!is_shown(run, i)) continue;
        ids->modules[i] = (uint32_t)page->modules.len;
        struct page_module *module = vec_add(&page->modules);
        *module = (struct page_module){
            .module = &run->modules.items[i], .text = run->text, .bytes = module_bytes(run, &run->modules.items[i])};
        struct page_lines lines = {page, ids->modules[i]};
        module->lines = module_index(module->module, run->text, page_line, &lines);
    }
}

/* Index in `names` of the program that runs a compilation; the compilation's first name if none does. */
static uint32_t name_of_set(const struct run *run, uint32_t set, const uint32_t *names) {
    for (size_t i = 0; i < run->programs.len; i++) {
        uint32_t module = run->programs.items[i].module;
        if (module != NONE && run->modules.items[module].set == set) return names[run->programs.items[i].name];
    }
    return NONE;
}

static void member_modules(struct json *j, const struct page_data *page, const struct run *run, const uint32_t *names) {
    json_key(j, "modules");
    json_array(j);
    for (size_t i = 0; i < page->modules.len; i++) {
        const struct module *module = page->modules.items[i].module;
        char section[NUM_ROOM] = "ir";
        json_object(j);
        json_member_text(j, "stage", slice_starts(module->stage, SLICE("ttnn")) ? "ttnn" : "ttir");
        json_member_str(j, "name", module->text.symbol);
        json_member_index(j, "program", name_of_set(run, module->set, names));
        json_member_u64(j, "bytes", page->modules.items[i].bytes);
        json_member_u64(j, "lines", page->modules.items[i].lines);
        json_member_str(j, "section", slice_of(section, 2 + num_write_u64(section + 2, i)));
        json_object_end(j);
    }
    json_array_end(j);
}

enum { KIND_PROGRAM, KIND_CONST_EVAL, KIND_TRACE, KIND_NESTED };

static unsigned execution_kind(const struct run *run, const struct execution *e) {
    if (e->const_eval) return KIND_CONST_EVAL;
    if (e->parent == NONE) return KIND_PROGRAM;
    uint32_t op = e->caller == NONE ? NONE : run->steps.items[e->caller].op;
    return op != NONE && run->ops.items[op].kind == OP_TRACE ? KIND_TRACE : KIND_NESTED;
}

static int64_t execution_depth(const struct run *run, const struct execution *e) {
    int64_t depth = 0;
    for (uint32_t i = e->parent; i != NONE; i = run->executions.items[i].parent) depth++;
    return depth;
}

static int64_t module_for(const struct run *run, const struct page_ids *ids, const struct execution *e, struct slice stage) {
    uint32_t program = run->executions.items[e->top].program;
    uint32_t module = program == NONE ? NONE : run->programs.items[program].module;
    if (module == NONE) return -1;
    uint32_t found = module_of_stage(run, run->modules.items[module].set, stage);
    return found == NONE || ids->modules[found] == NONE ? -1 : (int64_t)ids->modules[found];
}

enum program_column {
    PROGRAM_NAME,
    PROGRAM_KIND,
    PROGRAM_DEPTH,
    PROGRAM_RANK,
    PROGRAM_FIRST,
    PROGRAM_LAST,
    PROGRAM_TTIR,
    PROGRAM_TTNN,
    PROGRAM_COLUMNS
};

static int64_t program_value(const struct run *run, const struct page_ids *ids, const struct execution *e,
                             enum program_column column, const uint32_t *names) {
    switch (column) {
        case PROGRAM_NAME:
            return names[e->name];
        case PROGRAM_KIND:
            return execution_kind(run, e);
        case PROGRAM_DEPTH:
            return execution_depth(run, e);
        case PROGRAM_RANK:
            return ids->ranks[e->rank];
        case PROGRAM_FIRST:
            return e->first_step;
        case PROGRAM_LAST:
            return (int64_t)e->end_step - 1;
        case PROGRAM_TTIR:
            return module_for(run, ids, e, SLICE("ttir"));
        default:
            return module_for(run, ids, e, SLICE("ttnn"));
    }
}

static void member_programs(struct json *j, const struct run *run, const struct page_ids *ids, uint32_t *names) {
    static const char *const keys[PROGRAM_COLUMNS] = {"name",       "kind",      "depth", "rank",
                                                      "first_step", "last_step", "ttir",  "ttnn"};
    uint32_t count = 0;
    json_key(j, "programs");
    json_object(j);
    json_key(j, "names");
    json_array(j);
    for (size_t i = 0; i < run->executions.len; i++) {
        uint32_t name = run->executions.items[i].name;
        if (names[name] != NONE) continue;
        names[name] = count++;
        json_str(j, run_string(run, name));
    }
    json_array_end(j);
    for (unsigned column = 0; column < PROGRAM_COLUMNS; column++) {
        json_key(j, keys[column]);
        json_array(j);
        for (size_t i = 0; i < run->executions.len; i++)
            json_i64(j, program_value(run, ids, &run->executions.items[i], column, names));
        json_array_end(j);
    }
    json_object_end(j);
}

/* The first date in the input, else today. */
static void member_created(struct json *j, const struct run *run) {
    char text[32];
    time_t now = time(NULL);
    struct tm parts;
    struct slice today = slice_of(text, strftime(text, sizeof text, "%Y-%m-%d", localtime_r(&now, &parts)));
    json_member_str(j, "created", run->created ? run_string(run, run->created) : today);
}

static void member_configs(struct json *j, const struct run *run, const struct page_ids *ids) {
    json_key(j, "pools");
    json_array(j);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) json_text(j, pool_names[pool]);
    json_array_end(j);
    json_key(j, "configs");
    json_array(j);
    for (size_t i = 0; i < ids->config_keys[0].len; i++) {
        json_array(j);
        for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
            uint32_t config = ids->config_keys[pool].items[i];
            if (config == NONE) {
                json_null(j);
                continue;
            }
            json_array(j);
            json_u64(j, run->configs.items[config].banks);
            json_u64(j, run->configs.items[config].total);
            json_array_end(j);
        }
        json_array_end(j);
    }
    json_array_end(j);
}

/* If addresses are known: rank, pool, first address and bytes of each region. */
static void member_regions(struct json *j, const struct run *run, const struct page_ids *ids) {
    if (!run->regions.len || !run->addresses.len) return;
    json_key(j, "regions");
    json_array(j);
    for (size_t i = 0; i < run->regions.len; i++) {
        const struct region *region = &run->regions.items[i];
        json_array(j);
        json_u64(j, ids->ranks[region->rank]);
        json_u64(j, region->pool);
        json_u64(j, region->base);
        json_u64(j, region->bytes);
        json_array_end(j);
    }
    json_array_end(j);
}

static void member_peaks(struct json *j, const struct run *run, const struct page_ids *ids, const struct peaks *peaks) {
    json_key(j, "peaks");
    json_object(j);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        const struct peak *peak = &peaks->pools[pool];
        if (!peak->seen) continue;
        json_key(j, pool_names[pool]);
        json_object(j);
        json_member_u64(j, "allocated", peak->allocated);
        json_member_u64(j, "capacity", peak->total);
        json_member_i64(j, "step", peak->after_record == NONE ? -1 : (int64_t)run->records.items[peak->after_record]);
        json_member_index(j, "before_step", peak->step);
        json_member_index(j, "op_index", peak->after_record);
        json_member_index(j, "before_op_index", peak->before_record);
        json_member_u64(j, "rank", ids->ranks[peak->rank]);
        json_member_u64(j, "line", peak->line);
        json_member_text(j, "source", peak_source_of(run, peak->source));
        json_member_bool(j, "at_least", peak->at_least);
        if (peak->at_least) json_member_text(j, "why", peak_bound_words(peak));
        json_object_end(j);
    }
    json_object_end(j);
}

/* Where a rank's device was opened again: from that step on, nothing from before exists. */
static void member_reopened(struct json *j, const struct run *run, const struct page_ids *ids) {
    if (!run->parts.len) return;
    json_key(j, "reopened");
    json_array(j);
    for (size_t i = 0; i < run->parts.len; i++) {
        const struct run_part *part = &run->parts.items[i];
        if (part->step >= run->steps.len) continue;
        json_array(j);
        json_u64(j, part->step);
        json_u64(j, ids->ranks[part->rank]);
        json_u64(j, part->line);
        json_array_end(j);
    }
    json_array_end(j);
}

/* If no tensor is known: which DRAM at the peak was taken at which step, by difference; -1: from the start. */
static void member_held(struct json *j, const struct run *run, const struct holders *held) {
    enum { MOST = 500 };
    json_key(j, "held_at_peak");
    json_array(j);
    for (size_t i = 0; i < held->len && i < MOST; i++) {
        if (held->items[i].submit) continue; /* what it came with is unknown */
        json_array(j);
        json_i64(j, held->items[i].record == NONE ? -1 : (int64_t)run->records.items[held->items[i].record]);
        json_u64(j, held->items[i].milli);
        json_array_end(j);
    }
    json_array_end(j);
}

static void member_ranks(struct json *j, const struct run *run, const struct page_ids *ids) {
    json_key(j, "ranks");
    json_array(j);
    for (size_t i = 0, next = 0; i < run->ranks.len && next < ids->rank_count; i++) {
        if (!run->ranks.items[i].records && !run->ranks.items[i].blocks) continue;
        next++;
        struct slice tag = run_string(run, run->ranks.items[i].name);
        json_str(j, tag.len ? tag : SLICE("none"));
    }
    json_array_end(j);
}

/* What existed before any op, by rank, and from which step: ops left none of it. Bytes per bank. */
static void member_before_ops(struct json *j, const struct computed *computed, const struct page_ids *ids) {
    json_key(j, "before_ops");
    json_array(j);
    for (size_t i = 0; i < computed->before.len; i++) {
        json_array(j);
        json_u64(j, computed->before.items[i].step);
        json_u64(j, ids->ranks[computed->before.items[i].rank]);
        json_u64(j, computed->before.items[i].bytes);
        json_array_end(j);
    }
    json_array_end(j);
}

/* Memory in no tensor (computed.h), one row per op and class: its step, the step at which it is gone or -1, rank, class, bytes
 * per bank. The page shows no more of it than tensors leave. */
static void member_computed(struct json *j, const struct run *run, const struct page_ids *ids) {
    struct computed computed;
    computed_find(run, (uint32_t)run->steps.len, COMPUTED_ALL_RANKS, &computed);
    json_key(j, "computed");
    json_array(j);
    for (size_t i = 0; i < computed.parts.len; i++) {
        const struct computed_part *part = &computed.parts.items[i];
        uint64_t bytes = part->bytes;
        for (; i + 1 < computed.parts.len && part[1].step == part->step && part[1].class == part->class; i++, part++)
            bytes += part[1].bytes;
        json_array(j);
        json_u64(j, part->step);
        json_i64(j, part->gone == NONE ? -1 : (int64_t)part->gone);
        json_u64(j, ids->ranks[part->rank]);
        json_u64(j, page_classes[part->class]);
        json_u64(j, bytes);
        json_array_end(j);
    }
    json_array_end(j);
    member_before_ops(j, &computed, ids);
    computed_release(&computed);
}

static void member_source(struct json *j, const struct output_job *job) {
    json_key(j, "source");
    json_object(j);
    json_member_text(j, "path", job->path);
    json_member_u64(j, "bytes", job->run->bytes);
    json_member_u64(j, "lines", job->run->lines);
    json_object_end(j);
}

void page_meta(struct page_data *page, const struct output_job *job, const struct page_ids *ids) {
    const struct run *run = job->run;
    uint32_t *names = mem_alloc(sizeof *names * (run->strings.strings.len + 1));
    for (size_t i = 0; i <= run->strings.strings.len; i++) names[i] = NONE;
    struct json j = {.out = &page->meta};
    struct strbuf generator = {0};
    strbuf_addf(&generator, "ttmem %s", job->version);
    json_object(&j);
    json_member_u64(&j, "format", PAGE_FORMAT);
    json_member_str(&j, "name", job->name);
    json_member_str(&j, "generator", strbuf_slice(&generator));
    if (job->note) json_member_text(&j, "note", job->note);
    member_created(&j, run);
    member_source(&j, job);
    json_member_text(&j, "chip", run->chip ? run->chip->title : NULL);
    json_member_text_or_null(&j, "mesh", run->mesh);
    json_member_u64(&j, "steps", run->steps.len);
    json_member_u64(&j, "records", run->records.len);
    json_member_u64(&j, "blocks", run->blocks.len);
    json_member_u64(&j, "tensors", page_len(&page->columns, COL_TEN_BIRTH));
    json_member_u64(&j, "ops", run->records.len);
    json_member_u64(&j, "weight_ops", job->overview->weight_records);
    json_member_u64_if(&j, "program_runs", job->overview->program_runs, job->overview->program_runs);
    json_member_u64_if(&j, "main_runs", job->overview->program_runs, job->overview->main_runs);
    json_member_text_or_null(&j, "main_name",
                             job->overview->main_name == NONE ? slice_of("", 0) : run_string(run, job->overview->main_name));
    member_ranks(&j, run, ids);
    member_configs(&j, run, ids);
    member_regions(&j, run, ids);
    member_computed(&j, run, ids);
    json_member_bool(&j, "predicted", run->origin == RUN_PREDICTED);
    json_member_text(&j, "input_word", run_origin_word(run->origin));
    if (run_l1_is_per_core(run)) json_member_bool(&j, "l1_per_core", true);
    page_beside_meta(&j, run);
    member_programs(&j, run, ids, names);
    member_peaks(&j, run, ids, &job->overview->peaks);
    member_reopened(&j, run, ids);
    member_held(&j, run, &job->overview->holders);
    page_failures(&j, job, ids);
    page_caveats(&j, job);
    page_fit(&j, run);
    page_leaks(&j, run, &job->overview->leaks);
    page_l1(&j, run, false);
    json_key(&j, "weights");
    json_object(&j);
    json_member_u64(&j, "bytes", job->overview->weight_bytes);
    json_member_u64(&j, "count", job->overview->weight_count);
    json_object_end(&j);
    json_key(&j, "roles_known");
    json_bool(&j, run->registry.len > 0 && !(run->told_by_files & TOLD_NO_ROLES));
    member_modules(&j, page, run, names);
    json_object_end(&j);
    strbuf_release(&generator);
    free(names);
}

void page_registry(struct page_data *page, const struct run *run) {
    if (!run->registry.len) return;
    struct json j = {.out = &page->registry};
    json_object(&j);
    json_key(&j, "entries");
    json_array(&j);
    for (size_t i = 0; i < run->registry.len; i++) {
        const struct registry_entry *entry = &run->registry.items[i];
        char ssa[NUM_ROOM] = "%arg";
        json_array(&j);
        json_u64(&j, i);
        json_str(&j, slice_of(ssa, 4 + num_write_u64(ssa + 4, entry->argument)));
        json_str(&j, entry->name);
        json_text(&j, role_names[entry->role]);
        json_str(&j, entry->shape);
        json_str(&j, entry->dtype);
        if (entry->bytes_known) json_u64(&j, entry->bytes);
        else json_null(&j);
        json_index(&j, entry->program);
        if (entry->local_shape.len) json_str(&j, entry->local_shape);
        else json_null(&j);
        json_bool(&j, entry->kv_cache);
        json_u64(&j, entry->buffer);
        json_array_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
}
