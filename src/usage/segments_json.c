/* SPDX-License-Identifier: Apache-2.0 */
#include "usage/segments.h"

struct key_names {
    struct slice (*of)(const void *context, uint32_t tag);
    const void *context;
};

static void peak_function(struct json *json, const struct key_names *names, uint32_t tag) {
    struct slice name = names->of && tag ? names->of(names->context, tag) : slice_of("", 0);
    if (name.len) json_member_str(json, "peak_function", name);
    else json_member_null(json, "peak_function");
}

static void pool_json(struct json *json, const char *key, const struct usage_pool *pool, const struct key_names *names) {
    json_key(json, key);
    json_object(json);
    json_member_i64(json, "peak_bytes", pool->peak);
    json_member_i64(json, "allocated_bytes", pool->allocated);
    json_member_i64(json, "freed_bytes", pool->freed);
    json_member_i64(json, "change_bytes", pool->current);
    json_member_i64(json, "freed_earlier_bytes", pool->freed_earlier);
    json_member_u64(json, "allocation_count", pool->allocations);
    json_member_u64(json, "frees", pool->frees);
    json_member_u64(json, "frees_earlier", pool->frees_earlier);
    json_member_u64(json, "frees_unknown", pool->frees_unknown);
    json_member_u64(json, "frees_unseen", pool->frees_unseen);
    peak_function(json, names, pool->peak_tag);
    json_object_end(json);
}

static void per_core_json(struct json *json, const char *key, bool known, int64_t bytes) {
    if (known) json_member_i64(json, key, bytes);
    else json_member_null(json, key);
}

/* `whole`: buffers are counted over all banks, so what one core holds is unknown. */
static void l1_json(struct json *json, const struct usage_l1 *l1, bool whole, const struct key_names *names) {
    json_key(json, "l1");
    json_object(json);
    json_member_i64(json, "peak_cb_bytes", l1->peak_circular);
    per_core_json(json, "peak_buffer_bytes", !whole, l1->peak_buffer);
    json_member_i64(json, "peak_dataflow_bytes", l1->peak_dataflow);
    json_member_i64(json, "peak_scratchpad_bytes", l1->peak_scratchpad);
    per_core_json(json, "peak_total_bytes", !whole, l1->peak_total);
    per_core_json(json, "start_buffer_bytes", !whole, l1->at_start);
    per_core_json(json, "end_buffer_bytes", !whole, l1->at_end);
    peak_function(json, names, l1->peak_tag);
    json_object_end(json);
}

static void upstream_json(struct json *json, const struct usage_upstream *sums) {
    json_key(json, "upstream");
    json_object(json);
    json_key(json, "dram");
    json_object(json);
    json_member_i64(json, "peak_bytes", sums->dram_peak);
    json_member_i64(json, "allocated_bytes", sums->dram_allocated);
    json_member_i64(json, "freed_bytes", sums->dram_freed);
    json_object_end(json);
    json_key(json, "l1");
    json_object(json);
    json_member_u64(json, "peak_cb_bytes", sums->peak_circular);
    json_member_u64(json, "peak_buffer_bytes", sums->peak_buffer);
    json_member_u64(json, "peak_dataflow_bytes", sums->peak_dataflow);
    json_member_u64(json, "peak_scratchpad_bytes", sums->peak_scratchpad);
    json_member_u64(json, "peak_total_bytes", sums->peak_total);
    json_member_bool(json, "old_rule", sums->old_rule);
    json_object_end(json);
    json_object_end(json);
}

static void device_id(struct json *json, const char *key, uint64_t id) {
    if (id == USAGE_NO_DEVICE) json_member_null(json, key);
    else json_member_u64(json, key, id);
}

static void device_json(struct json *json, const struct segment_device *device, bool whole, const struct key_names *names) {
    json_object(json);
    device_id(json, "device_id", device->id);
    device_id(json, "mesh_device_id", device->tied ? device->mesh : USAGE_NO_DEVICE);
    pool_json(json, "dram", &device->pools[MEM_DRAM], names);
    l1_json(json, &device->l1, whole, names);
    pool_json(json, "l1_small", &device->pools[MEM_L1_SMALL], names);
    pool_json(json, "trace", &device->pools[MEM_TRACE], names);
    json_object_end(json);
}

void segment_json(struct json *json, const struct segment *segment, uint64_t main_device,
                  struct slice (*function_name)(const void *context, uint32_t tag), const void *context) {
    const struct key_names names = {function_name, context};
    struct usage_pool dram = segment_pool(segment, main_device, MEM_DRAM);
    struct usage_pool small = segment_pool(segment, main_device, MEM_L1_SMALL);
    struct usage_pool trace = segment_pool(segment, main_device, MEM_TRACE);
    struct usage_l1 l1 = segment_l1(segment);
    json_member_str(json, "name", slice_of(segment->name, segment->name_len));
    device_id(json, "device_id", main_device);
    pool_json(json, "dram", &dram, &names);
    l1_json(json, &l1, segment->l1_whole, &names);
    pool_json(json, "l1_small", &small, &names);
    pool_json(json, "trace", &trace, &names);
    upstream_json(json, &segment->upstream);
    json_key(json, "devices");
    json_array(json);
    for (size_t i = 0; i < segment->devices_len; i++) device_json(json, &segment->devices[i], segment->l1_whole, &names);
    json_array_end(json);
}

/* A pool or the L1 object is at most 11 members of 24 letters and 20 digits; a byte of a name becomes at most six. */
enum { OBJECT_ROOM = 11 * 52, ESCAPED = 6 };

size_t segment_json_room(const struct segment *segment, size_t longest_name) {
    size_t objects = 4 + 3 + 4 * segment->devices_len, names = 4 + 4 * segment->devices_len;
    return 256 + 128 * segment->devices_len + objects * OBJECT_ROOM + (names * longest_name + segment->name_len) * ESCAPED;
}
