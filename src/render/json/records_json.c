/* SPDX-License-Identifier: Apache-2.0 */
#include "render/json/records_json.h"

#include <pthread.h>
#include <stdlib.h>

#include "analysis/run/live_curve.h"
#include "analysis/run/weights.h"
#include "base/num.h"
#include "base/ordered.h"
#include "render/answer/explain.h"
#include "render/format/json_parts.h"
#include "render/format/predicted.h"
#include "render/json/op_json.h"
#include "render/json/summary_json.h"

enum { BATCH = 256, CACHE_BYTES = 40 << 20, MAX_WEIGHTS = 256 };

/* JSON of an op's text, made once for ops that repeat. */
struct fragment {
    struct slice head, tail;
};

/* The text of some records on its way to the file. Its memory is reused. */
struct batch {
    struct strbuf text;
    struct batch *next;
};

/* A text that a batch wrote, to be copied when it repeats. */
struct written {
    size_t at, length;
};

/* Where a batch last wrote the view of each pool, and the sums of its tensors. */
struct last_views {
    const struct block *block[POOL_COUNT];
    struct written view[POOL_COUNT];
    const struct live_point *point[LIVE_POOLS];
    struct written sums[LIVE_POOLS];
};

struct writer {
    const struct output_job *job;
    struct outfile *file;
    struct err *err;
    bool failed;
    unsigned depth; /* of the array of elements */
    struct live_point (*live)[LIVE_POOLS];
    struct fragment *fragments; /* by op; head.len 0: not kept */
    struct arena fragment_arena;
    struct op_text *scratch; /* by thread */
    struct last_views *last; /* by thread, cleared for each batch */
    pthread_mutex_t lock;
    struct batch *spare;
    void (*element)(struct writer *w, unsigned thread, struct json *j, uint32_t record);
};

static void view(struct json *j, const struct run *run, const struct block *block, enum pool pool) {
    const struct pool_config *config = block_config(run, block, pool);
    json_object(j);
    json_member_u64(j, "numBanks", config->banks);
    json_member_milli(j, "totalBytesPerBank_MB", config->total);
    json_member_milli(j, "totalBytesAllocatedPerBank_MB", block->allocated[pool]);
    bool cut = block->partial >> pool & 1;
    if (!block_free_known(block, pool)) json_member_null(j, "totalBytesFreePerBank_MB");
    else json_member_milli(j, "totalBytesFreePerBank_MB", block->free[pool]);
    if (!block_largest_known(block, pool)) json_member_null(j, "largestContiguousBytesFreePerBank_MB");
    else json_member_milli(j, "largestContiguousBytesFreePerBank_MB", block->largest[pool]);
    if (cut) json_member_bool(j, "partial", true);
    json_object_end(j);
}

static bool same_view(const struct block *a, const struct block *b, enum pool pool) {
    return a->have >> pool & 1 && a->config[pool] == b->config[pool] && a->allocated[pool] == b->allocated[pool] &&
           a->free[pool] == b->free[pool] && a->largest[pool] == b->largest[pool] && !((a->partial | b->partial) >> pool & 1);
}

static void write_again(struct json *j, struct written written) {
    strbuf_room(j->out, written.length);
    json_raw(j, slice_of(j->out->data + written.at, written.length));
}

static struct written written_since(const struct json *j, size_t at) { return (struct written){at, j->out->len - at}; }

/* Most pools do not change from one record to the next: their text is copied from where it was last written. */
static void views(struct json *j, const struct run *run, const struct block *block, struct last_views *last) {
    json_object(j);
    for (unsigned pool = 0; block && pool < POOL_COUNT; pool++) {
        if (!(block->have & 1u << pool)) continue;
        json_key(j, pool_names[pool]);
        if (last->block[pool] && same_view(last->block[pool], block, (enum pool)pool)) {
            write_again(j, last->view[pool]);
            continue;
        }
        size_t at = j->out->len;
        view(j, run, block, (enum pool)pool);
        last->block[pool] = block;
        last->view[pool] = written_since(j, at);
    }
    json_object_end(j);
}

/* {"DRAM": later - earlier, ...}, or only later; null if a block is missing. */
static void changes(struct json *j, const char *key, const struct block *earlier, const struct block *later, bool subtract) {
    json_key(j, key);
    if (!later || (subtract && !earlier)) {
        json_null(j);
        return;
    }
    json_object(j);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        if (!(later->have & 1u << pool) || (subtract && !(earlier->have & 1u << pool))) continue;
        json_key(j, pool_names[pool]);
        json_milli(j, (int64_t)later->allocated[pool] - (subtract ? (int64_t)earlier->allocated[pool] : 0));
    }
    json_object_end(j);
}

static const struct block *block_at(const struct run *run, uint32_t block) {
    return block == NONE ? NULL : &run->blocks.items[block];
}

const struct block *next_record_block(const struct run *run, const struct step *step) {
    if (step->after == NONE) return NULL;
    for (size_t i = run->blocks.items[step->after].step; i < run->steps.len; i++) {
        const struct step *next = &run->steps.items[i];
        if (next->rank == step->rank && next->record != NONE) return block_at(run, next->block);
    }
    return NULL;
}

void json_member_const_eval(struct json *j, const struct run *run, const struct step *step) {
    bool miss;
    struct slice graph = step_const_eval(run, step, &miss);
    json_member_text_or_null(j, "const_eval_graph", graph);
    bool told = graph.len ? miss : step->op != NONE;
    if (told) json_member_bool(j, "const_eval_cache_miss", miss);
    else json_member_null(j, "const_eval_cache_miss");
}

static void member_mb(struct json *j, const char *key, uint64_t bytes) {
    json_member_milli(j, key, num_bytes_to_milli_mb(bytes));
}

/* With the names of the older tool. */
static void padding(struct json *j, const struct live_sum *sum) {
    json_object(j);
    json_member_u64(j, "unpadded_bytes", sum->logical_bytes);
    json_member_u64(j, "padded_bytes", sum->padded_bytes);
    json_member_u64(j, "num_tensors", sum->tensors);
    member_mb(j, "unpadded_MB", sum->logical_bytes);
    member_mb(j, "padded_MB", sum->padded_bytes);
    member_mb(j, "overhead_MB", sum->padding_bytes);
    json_member_milli(j, "overhead_pct", num_percent_milli((int64_t)sum->padding_bytes, (int64_t)sum->logical_bytes));
    json_member_per_bank(j, "per_bank_bytes", sum);
    json_object_end(j);
}

static bool same_point(const struct live_point *a, const struct live_point *b) {
    return a->logical_bytes == b->logical_bytes && a->padded_bytes == b->padded_bytes && a->padding_bytes == b->padding_bytes &&
           a->per_bank_bytes == b->per_bank_bytes && a->tensors == b->tensors && a->bank_unknown == b->bank_unknown;
}

static void unpadded(struct json *j, const struct writer *w, uint32_t record, struct last_views *last) {
    json_key(j, "unpadded_memory");
    json_object(j);
    for (unsigned pool = 0; w->live && pool < LIVE_POOLS; pool++) {
        const struct live_point *point = &w->live[record][pool];
        json_key(j, pool_names[pool]);
        if (last->point[pool] && same_point(last->point[pool], point)) {
            write_again(j, last->sums[pool]);
            continue;
        }
        struct live_sum sum = {.tensors = point->tensors,
                               .logical_bytes = point->logical_bytes,
                               .padded_bytes = point->padded_bytes,
                               .padding_bytes = point->padding_bytes,
                               .per_bank_bytes = point->per_bank_bytes,
                               .bank_unknown = point->bank_unknown};
        size_t at = j->out->len;
        padding(j, &sum);
        last->point[pool] = point;
        last->sums[pool] = written_since(j, at);
    }
    json_object_end(j);
}

static void memory_element(struct writer *w, unsigned thread, struct json *j, uint32_t record) {
    const struct run *run = w->job->run;
    const struct step *step = &run->steps.items[run->records.items[record]];
    const struct block *before = block_at(run, step->block), *after = block_at(run, step->after);
    json_object(j);
    json_member_text_or_null(j, "op_type", run_string(run, step->op_type));
    json_key(j, "memory");
    views(j, run, before, &w->last[thread]);
    json_member_u64(j, "index", record);
    json_member_str(j, "mlir_op", step_name(run, step));
    json_member_text_or_null(j, "loc", step->op == NONE ? slice_of("", 0) : run_string(run, run->ops.items[step->op].display));
    json_member_const_eval(j, run, step);
    if (step->op == NONE) json_member_null(j, "is_weight_op");
    else json_member_bool(j, "is_weight_op", step_is_weight_op(run, step));
    unpadded(j, w, record, &w->last[thread]);
    changes(j, "after", NULL, after, false);
    changes(j, "delta_MB", before, after, true);
    changes(j, "freed_MB", next_record_block(run, step), after, true);
    json_member_index(j, "program_index", step_program(run, step));
    json_member_rank(j, run, step->rank);
    json_member_u64_if(j, "line", step->line > 0, step->line);
    json_object_end(j);
}

static void weights(struct json *j, const struct run *run, const uint32_t *entries, size_t count) {
    json_key(j, "weights");
    json_array(j);
    for (size_t i = 0; i < count; i++) {
        const struct registry_entry *entry = &run->registry.items[entries[i]];
        json_object(j);
        json_member_u64(j, "registry_index", entries[i]);
        json_member_str(j, "name", entry->name);
        json_member_str(j, "shape", entry->shape);
        json_member_str(j, "dtype", entry->dtype);
        json_key(j, "bytes");
        if (entry->bytes_known) json_u64(j, entry->bytes);
        else json_null(j);
        json_object_end(j);
    }
    json_array_end(j);
}

/* Members of a block without an op line: only the type of the op is known. */
static void anonymous_head(struct json *j, const struct run *run, const struct step *step) {
    static const char *const lists[] = {"input_types", "input_shapes", "input_dtypes", "output_shapes", "output_dtypes"};
    json_member_null(j, "result");
    json_member_str(j, "mlir_op", step_name(run, step));
    json_key(j, "inputs");
    json_raw(j, SLICE("[]"));
    json_member_null(j, "attributes");
    for (unsigned i = 0; i < 5; i++) {
        json_key(j, lists[i]);
        json_raw(j, SLICE("[]"));
        if (i == 0) json_member_null(j, "output_type");
    }
    json_member_null(j, "output_layout_info");
    json_member_null(j, "loc");
}

/* Members written as a piece of text inside an object, with the comma after the members before it. */
static struct slice members(struct writer *w, struct strbuf *out, unsigned thread, uint32_t op_id, bool head) {
    const struct run *run = w->job->run;
    const struct op *op = &run->ops.items[op_id];
    struct json j = {
        .out = out, .pretty = w->job->pretty, .depth = w->depth + 1, .has_items = head ? 0 : (uint64_t)1 << (w->depth + 1)};
    struct slice text = run_op_text(run, op);
    size_t start = out->len;
    if (head) op_json_head(&j, run, op, text, &w->scratch[thread]);
    else op_json_tail(&j, run, op, &w->scratch[thread]);
    return slice_of(out->data + start, out->len - start);
}

static void operation_element(struct writer *w, unsigned thread, struct json *j, uint32_t record) {
    const struct run *run = w->job->run;
    const struct step *step = &run->steps.items[run->records.items[record]];
    const struct op *op = step->op == NONE ? NULL : &run->ops.items[step->op];
    const struct fragment *kept = op && w->fragments && w->fragments[step->op].head.len ? &w->fragments[step->op] : NULL;
    uint32_t entries[MAX_WEIGHTS];
    size_t weight_count = step_weights(run, step, entries, MAX_WEIGHTS);
    json_object(j);
    if (kept) strbuf_add(j->out, kept->head);
    else if (op) members(w, j->out, thread, step->op, true);
    if (op) j->has_items |= (uint64_t)1 << j->depth;
    else anonymous_head(j, run, step);
    json_member_u64(j, "index", record);
    json_member_index(j, "program_index", step_program(run, step));
    json_member_const_eval(j, run, step);
    bool miss;
    if (step->op == NONE) json_member_null(j, "is_weight_op");
    else json_member_bool(j, "is_weight_op", weight_count > 0 || step_const_eval(run, step, &miss).len > 0);
    weights(j, run, entries, weight_count);
    if (kept) strbuf_add(j->out, kept->tail);
    else if (op) members(w, j->out, thread, step->op, false);
    else {
        json_key(j, "results");
        json_raw(j, SLICE("[]"));
        json_member_null(j, "loc_full");
    }
    json_member_rank(j, run, step->rank);
    json_member_u64_if(j, "line", step->line > 0, step->line);
    json_member_bool(j, "truncated", op && op->truncated);
    json_object_end(j);
}

/* Renders the ops that occur more than once, as far as the cache reaches. */
static void keep_fragments(struct writer *w) {
    const struct run *run = w->job->run;
    uint32_t *uses = mem_zalloc(run->ops.len + 1, sizeof *uses);
    for (size_t i = 0; i < run->records.len; i++) {
        uint32_t op = run->steps.items[run->records.items[i]].op;
        if (op != NONE) uses[op]++;
    }
    w->fragments = mem_zalloc(run->ops.len + 1, sizeof *w->fragments);
    struct strbuf text = {0};
    for (uint32_t i = 0; i < run->ops.len && w->fragment_arena.total < CACHE_BYTES; i++) {
        if (uses[i] < 2) continue;
        strbuf_clear(&text);
        w->fragments[i].head = arena_copy(&w->fragment_arena, members(w, &text, 0, i, true));
        strbuf_clear(&text);
        w->fragments[i].tail = arena_copy(&w->fragment_arena, members(w, &text, 0, i, false));
    }
    strbuf_release(&text);
    free(uses);
}

static void *make_batch(void *context, unsigned thread, size_t number) {
    struct writer *w = context;
    pthread_mutex_lock(&w->lock);
    struct batch *batch = w->spare;
    if (batch) w->spare = batch->next;
    pthread_mutex_unlock(&w->lock);
    if (!batch) batch = mem_zalloc(1, sizeof *batch);
    struct json j = {
        .out = &batch->text, .pretty = w->job->pretty, .depth = w->depth, .has_items = number ? (uint64_t)1 << w->depth : 0};
    w->last[thread] = (struct last_views){0};
    size_t begin = number * BATCH, end = begin + BATCH, count = w->job->run->records.len;
    for (size_t i = begin; i < end && i < count; i++) w->element(w, thread, &j, (uint32_t)i);
    return batch;
}

static void take_batch(void *context, size_t number, void *result) {
    struct writer *w = context;
    struct batch *batch = result;
    (void)number;
    if (!w->failed && outfile_write(w->file, strbuf_slice(&batch->text), w->err) != 0) w->failed = true;
    if (w->job->progress) progress_add(w->job->progress, BATCH);
    strbuf_clear(&batch->text);
    pthread_mutex_lock(&w->lock);
    batch->next = w->spare;
    w->spare = batch;
    pthread_mutex_unlock(&w->lock);
}

static void release_batches(struct writer *w) {
    while (w->spare) {
        struct batch *batch = w->spare;
        w->spare = batch->next;
        strbuf_release(&batch->text);
        free(batch);
    }
}

static int write_elements(struct writer *w, struct strbuf *text) {
    if (outfile_write(w->file, strbuf_slice(text), w->err) != 0) return -1;
    struct ordered_work work = {w, make_batch, take_batch};
    unsigned threads = ordered_threads();
    w->scratch = mem_zalloc(threads, sizeof *w->scratch);
    w->last = mem_zalloc(threads, sizeof *w->last);
    if (w->element == operation_element) keep_fragments(w);
    pthread_mutex_init(&w->lock, NULL);
    ordered_run(&work, (w->job->run->records.len + BATCH - 1) / BATCH, threads);
    pthread_mutex_destroy(&w->lock);
    release_batches(w);
    for (unsigned i = 0; i < threads; i++) op_release(&w->scratch[i]);
    free(w->scratch);
    free(w->last);
    free(w->fragments);
    arena_release(&w->fragment_arena);
    return w->failed ? -1 : 0;
}

static void json_programs(struct json *j, const struct run *run) {
    json_array(j);
    for (size_t i = 0; i < run->programs.len; i++) {
        const struct program *program = &run->programs.items[i];
        json_object(j);
        json_member_str(j, "name", run_string(run, program->name));
        json_member_index(j, "start_op_index", program->first_record);
        json_member_index(j, "end_op_index", program->last_record);
        json_member_u64(j, "runs", program->runs);
        json_member_u64(j, "records", program->records);
        struct weight_sum weights = weights_of_program(run, (uint32_t)i);
        bool known = program->module != NONE;
        json_key(j, "weights");
        if (known) json_u64(j, weights.count);
        else json_null(j);
        json_key(j, "weight_bytes");
        if (known) json_u64(j, weights.bytes);
        else json_null(j);
        json_object_end(j);
    }
    json_array_end(j);
}

/* By pool as first seen, with the names of the older tool. */
static void memory_config(struct json *j, const struct run *run) {
    json_object(j);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        for (size_t i = 0; i < run->configs.len; i++) {
            if (run->configs.items[i].pool != pool) continue;
            json_key(j, pool_names[pool]);
            json_object(j);
            json_member_u64(j, "num_banks", run->configs.items[i].banks);
            json_member_milli(j, "total_bytes_per_bank_MB", run->configs.items[i].total);
            json_object_end(j);
            break;
        }
    }
    json_object_end(j);
}

static void peaks_by_pool(struct json *j, const struct run *run, const struct peaks *peaks) {
    json_object(j);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        const struct peak *peak = &peaks->pools[pool];
        if (!peak->seen) continue;
        json_key(j, pool_names[pool]);
        json_object(j);
        json_member_milli(j, "allocated_MB", peak->allocated);
        if (peak->total || !peak->allocated) json_member_milli(j, "capacity_MB", peak->total);
        else json_member_null(j, "capacity_MB");
        json_member_index(j, "op_index", peak->after_record);
        json_member_index(j, "before_op_index", peak->before_record);
        json_member_rank(j, run, peak->rank);
        json_member_u64_if(j, "line", peak->line > 0, peak->line);
        json_member_text(j, "source", peak_source_of(run, peak->source));
        json_member_bool(j, "at_least", peak->at_least);
        json_object_end(j);
    }
    json_object_end(j);
}

static void metadata(struct json *j, const struct output_job *job) {
    const struct run *run = job->run;
    json_object(j);
    json_key(j, "memory_config");
    memory_config(j, run);
    json_member_u64(j, "total_operations", run->records.len);
    json_key(j, "programs");
    json_programs(j, run);
    json_member_u64(j, "schema_version", JSON_SCHEMA_VERSION);
    struct strbuf generator = {0};
    strbuf_addf(&generator, "ttmem %s", job->version);
    json_member_str(j, "generator", strbuf_slice(&generator));
    strbuf_clear(&generator);
    json_key(j, "source");
    json_object(j);
    json_member_text(j, "path", job->path);
    json_member_u64(j, "bytes", run->bytes);
    struct hash128 content = run_content(job->run);
    strbuf_addf(&generator, "%016llx%016llx", (unsigned long long)content.high, (unsigned long long)content.low);
    json_member_str(j, "xxh128", strbuf_slice(&generator));
    json_object_end(j);
    strbuf_release(&generator);
    json_key(j, "ranks");
    json_array(j);
    for (size_t i = 0; i < run->ranks.len; i++)
        if (rank_is_listed(run, i)) json_rank(j, run, (uint16_t)i);
    json_array_end(j);
    json_key(j, "peaks");
    peaks_by_pool(j, run, &job->overview->peaks);
    json_member_u64(j, "blocks", run->block_count);
    json_key(j, "missing");
    json_missing(j, job->overview);
    json_key(j, "failures");
    explain_json_list(j, &job->overview->failures, 0);
    json_object_end(j);
}

int memory_json(const struct output_job *job, struct outfile *file, struct err *err) {
    struct writer w = {
        .job = job, .file = file, .err = err, .depth = 2, .element = memory_element, .live = live_curve(job->run)};
    struct strbuf text = {0};
    struct json j = {.out = &text, .pretty = job->pretty};
    json_document(&j);
    json_key(&j, "metadata");
    metadata(&j, job);
    json_key(&j, "operations");
    json_array(&j);
    int rc = write_elements(&w, &text);
    if (rc == 0) rc = outfile_write(file, job->pretty ? SLICE("\n  ]\n}\n") : SLICE("]}\n"), err);
    free(w.live);
    strbuf_release(&text);
    return rc;
}

int operations_json(const struct output_job *job, struct outfile *file, struct err *err) {
    struct writer w = {.job = job, .file = file, .err = err, .depth = 1, .element = operation_element};
    struct strbuf text = {0};
    strbuf_addc(&text, '[');
    int rc = write_elements(&w, &text);
    if (rc == 0) rc = outfile_write(file, job->pretty ? SLICE("\n]\n") : SLICE("]\n"), err);
    strbuf_release(&text);
    return rc;
}
