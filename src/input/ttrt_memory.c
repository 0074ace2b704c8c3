/* SPDX-License-Identifier: Apache-2.0 */
/* memory_results.json of ttrt: an object of ops by number, each with the state of the pools AFTER it and the blocks of their
 * allocators. Before May 2025 a pool was an object per device, without blocks. Numbers are JSON numbers or texts. */
#include "base/json_read.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/strbuf.h"
#include "model/buffers.h"
#include "input/kinds.h"
#include "model/run.h"

enum { LOOK = 1 << 20 };

static const char *const ttrt_keys[POOL_COUNT] = {"dram", "l1", "l1_small", "trace"};

struct results {
    struct buffers *builder;
    struct json_reader *json;
    uint64_t operations, wrong;
};

static bool ttrt_memory_looks_like(struct slice bytes) {
    struct slice head = slice_take(bytes, LOOK);
    size_t at = 0;
    while (at < head.len && memchr(" \t\r\n", head.ptr[at], 4)) at++;
    return at < head.len && head.ptr[at] == '{' && slice_find(head, SLICE("\"debug_str\"")) != SLICE_NONE &&
           slice_find(head, SLICE("\"dram\"")) != SLICE_NONE && slice_find(head, SLICE("ytes_allocat")) != SLICE_NONE;
}

static bool number_of(struct json_value object, const char *name, uint64_t *out) {
    struct json_value value;
    struct slice text;
    if (!json_member(object, name, &value)) return false;
    if (json_u64_of(value, out)) return true;
    return json_string_of(value, &text) && text.len && num_read_u64(text, out) == text.len;
}

static void add_blocks(struct results *r, uint16_t rank, enum pool pool, struct json_value view) {
    struct json_value table, row;
    struct slice allocated;
    if (!json_member(view, "block_table", &table)) return;
    for (struct json_walk walk = json_walk_of(table); json_next(&walk, NULL, &row);) {
        struct json_value is_allocated;
        struct device_buffer buffer = {.pool = pool};
        if (!json_member(row, "allocated", &is_allocated) || !json_string_of(is_allocated, &allocated) ||
            !number_of(row, "address", &buffer.address) || !number_of(row, "size", &buffer.bank_bytes)) {
            r->wrong++;
            continue;
        }
        if (slice_equal(allocated, SLICE("yes"))) buffers_take(r->builder, rank, &buffer);
    }
}

/* Member names: of the newer format, then of the older one. */
static bool either(struct json_value view, const char *name, const char *older, uint64_t *out) {
    return number_of(view, name, out) || number_of(view, older, out);
}

static void add_pool(struct results *r, uint16_t rank, enum pool pool, struct json_value view) {
    uint64_t banks = 0, total, allocated, free = 0, largest = 0;
    number_of(view, "num_banks", &banks);
    if (!either(view, "total_bytes_per_bank", "bytes_allocatable_per_bank", &total) ||
        !either(view, "total_bytes_allocated_per_bank", "bytes_allocated_per_bank", &allocated)) {
        r->wrong++;
        return;
    }
    either(view, "total_bytes_free_per_bank", "bytes_free_per_bank", &free);
    if (!number_of(view, "largest_contiguous_bytes_free_per_bank", &largest)) largest = free;
    buffers_pool(r->builder, rank, pool, banks < UINT16_MAX ? (unsigned)banks : 0, true, 0, total);
    buffers_state(r->builder, rank, pool, allocated, free, largest);
    add_blocks(r, rank, pool, view);
}

static uint16_t rank_of(struct results *r, struct slice device) {
    struct slice prefix = SLICE("device_");
    struct slice number = slice_starts(device, prefix) ? slice_skip(device, prefix.len) : device;
    return buffers_rank(r->builder, slice_equal(number, SLICE("0")) ? slice_of("", 0) : number);
}

static void add_pools(struct results *r, struct json_value operation, uint16_t first) {
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        struct json_value view, device, any;
        struct slice name;
        if (!json_member(operation, ttrt_keys[pool], &view)) continue;
        if (json_member(view, "num_banks", &any)) {
            add_pool(r, first, (enum pool)pool, view);
            continue;
        }
        for (struct json_walk walk = json_walk_of(view); json_next(&walk, &name, &device);)
            add_pool(r, rank_of(r, name), (enum pool)pool, device);
    }
}

static void add_operation(struct results *r, struct slice number, struct json_value operation) {
    struct json_value value;
    struct slice text = slice_of("", 0), location = slice_of("", 0);
    uint64_t line = 0;
    uint16_t rank = buffers_rank(r->builder, slice_of("", 0));
    if (json_kind_of(operation) != JSON_OBJECT || num_read_u64(number, &line) != number.len) {
        r->wrong++;
        return;
    }
    if (json_member(operation, "debug_str", &value)) json_string_of(value, &text);
    if (json_member(operation, "loc", &value)) json_string_of(value, &location);
    /* an op that was printed without its location gets it back */
    struct strbuf whole = {0};
    if (text.len && slice_starts(location, SLICE("loc(")) && slice_find(text, SLICE(" loc(")) == SLICE_NONE) {
        strbuf_add(&whole, text);
        strbuf_addc(&whole, ' ');
        strbuf_add(&whole, location);
        text = strbuf_slice(&whole);
    }
    struct buffer_op op = {.name = SLICE("operation"), .text = text, .location = location, .line = line};
    buffers_op(r->builder, rank, &op);
    strbuf_release(&whole);
    buffers_all_begin(r->builder, rank);
    add_pools(r, operation, rank);
    buffers_all_end(r->builder, rank);
    r->operations++;
}

static int ttrt_memory_read(struct run *run, struct slice bytes, const char *path, struct err *err) {
    struct results r = {.json = json_reader_new()};
    struct json_value root, operation;
    struct slice number;
    if (!r.json) mem_exhausted();
    int rc = 0;
    if (!json_parse(r.json, bytes, &root)) {
        rc = err_set(err, ERR_INPUT, "%s is cut off or not JSON: %s", path, json_error(r.json));
    } else {
        r.builder = buffers_begin(run, RUN_TTRT_MEMORY, bytes.len);
        for (struct json_walk walk = json_walk_of(root); json_next(&walk, &number, &operation);)
            add_operation(&r, number, operation);
        buffers_end(r.builder);
        if (r.wrong) run->warnings[WARN_MALFORMED_POOL] = r.wrong;
        if (!r.operations) rc = err_set(err, ERR_LACKS, "%s holds no op of ttrt run --memory", path);
    }
    json_reader_free(r.json);
    return rc;
}

const struct input_kind input_ttrt_memory = {
    .name = "memory results of ttrt",
    .is_content = ttrt_memory_looks_like,
    .read_bytes = ttrt_memory_read,
};
