/* SPDX-License-Identifier: Apache-2.0 */
/* A recording of ttmem top as a run: lines of JSON, the first of which names the format. A device is a rank, a sample is a
 * state without an op, a process takes the place of a tensor. Bytes are sums over all banks: pools have one bank. Its size
 * is 0 if the recording does not give the device's capacity. */
#include <stdlib.h>

#include "base/json_read.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/strbuf.h"
#include "model/buffers.h"
#include "input/kinds.h"
#include "model/run.h"

static const struct slice mark = {"{\"ttmem_recording\":", 19};
static const char *const keys[POOL_COUNT] = {"dram_bytes", "l1_bytes", "l1_small_bytes", "trace_bytes"};

struct recorded_device {
    uint64_t chip, capacity[POOL_COUNT]; /* 0: not recorded */
    bool used[POOL_COUNT];
    uint16_t rank;
};

struct recording {
    struct json_reader *json;
    struct buffers *builder; /* NULL while devices are counted */
    VEC(struct recorded_device) devices;
    uint64_t line, samples, wrong, first_ns;
    bool may_lack; /* tt-metal may have counted one thread only */
};

static bool recording_looks_like(struct slice bytes) { return slice_starts(bytes, mark); }

static bool number_of(struct json_value object, const char *name, uint64_t *out) {
    struct json_value value;
    return json_member(object, name, &value) && json_u64_of(value, out);
}

static struct recorded_device *device_of(struct recording *r, uint64_t chip) {
    for (size_t i = 0; i < r->devices.len; i++)
        if (r->devices.items[i].chip == chip) return &r->devices.items[i];
    if (r->builder || r->devices.len == UINT8_MAX) return NULL;
    vec_push(&r->devices, ((struct recorded_device){.chip = chip}));
    return &vec_last(&r->devices);
}

static void measure(struct recording *r, struct recorded_device *device, struct json_value sample) {
    struct json_value memory, capacity, may;
    uint64_t bytes;
    bool lacks = true; /* recordings of older versions do not say */
    if (json_member(sample, "may_be_lower_bound", &may)) json_bool_of(may, &lacks);
    r->may_lack |= lacks;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        if (json_member(sample, "capacity", &capacity) && number_of(capacity, keys[pool], &bytes) && bytes) {
            device->capacity[pool] = bytes;
            device->used[pool] = true;
        }
        if (json_member(sample, "memory", &memory) && number_of(memory, keys[pool], &bytes) && bytes) device->used[pool] = true;
    }
}

static void add_process(struct recording *r, const struct recorded_device *device, struct json_value process) {
    struct json_value memory, name, counted;
    struct buffer_tensor tensor = {.on_device = true, .raw = true};
    uint64_t pid;
    bool counts = true;
    char text[NUM_ROOM + 8] = "pid ";
    if (!number_of(process, "pid", &pid) || !json_member(process, "memory", &memory)) return;
    if (json_member(process, "counted", &counted)) json_bool_of(counted, &counts);
    if (!counts) return;
    tensor.shape = json_member(process, "name", &name) && json_string_of(name, &tensor.shape) ? tensor.shape : SLICE("process");
    tensor.dtype = slice_of(text, 4 + num_write_u64(text + 4, pid));
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        struct device_buffer buffer = {.pool = (enum pool)pool, .address = pid, .tensor = &tensor};
        if (number_of(memory, keys[pool], &buffer.bank_bytes)) buffers_take(r->builder, device->rank, &buffer);
    }
}

/* "+12.3 s" after the start. */
static void name_sample(struct strbuf *out, uint64_t ns) {
    strbuf_addf(out, "+%llu.%llu s", (unsigned long long)(ns / 1000000000), (unsigned long long)(ns / 100000000 % 10));
}

static void add_sample(struct recording *r, const struct recorded_device *device, struct json_value sample, uint64_t time_ns) {
    struct json_value memory, list, process;
    struct strbuf name = {0};
    buffers_at(r->builder, device->rank, time_ns > r->first_ns ? time_ns - r->first_ns : 0);
    buffers_all_begin(r->builder, device->rank);
    if (json_member(sample, "processes", &list))
        for (struct json_walk walk = json_walk_of(list); json_next(&walk, NULL, &process);) add_process(r, device, process);
    buffers_all_end(r->builder, device->rank);
    for (unsigned pool = 0; json_member(sample, "memory", &memory) && pool < POOL_COUNT; pool++) {
        uint64_t bytes, free = 0;
        if (!device->used[pool] || !number_of(memory, keys[pool], &bytes)) continue;
        if (device->capacity[pool] > bytes) free = device->capacity[pool] - bytes;
        buffers_state(r->builder, device->rank, (enum pool)pool, bytes, free, free);
    }
    name_sample(&name, time_ns > r->first_ns ? time_ns - r->first_ns : 0);
    buffers_add_state(r->builder, device->rank, strbuf_slice(&name), r->line);
    strbuf_release(&name);
}

static bool read_chip(struct json_value sample, uint64_t *chip) {
    struct json_value value;
    struct slice text;
    return json_member(sample, "chip", &value) && json_string_of(value, &text) && text.len &&
           num_read_u64(text, chip) == text.len;
}

static void take_line(struct recording *r, struct slice line) {
    struct json_value root, list, sample;
    uint64_t time_ns, chip;
    if (!json_parse(r->json, line, &root) || !number_of(root, "time_ns", &time_ns) || !json_member(root, "devices", &list)) {
        if (r->line > 1 && line.len) r->wrong++;
        return;
    }
    if (!r->samples++ && !r->builder) r->first_ns = time_ns;
    for (struct json_walk walk = json_walk_of(list); json_next(&walk, NULL, &sample);) {
        struct json_value memory; /* a segment that could not be read has none */
        bool good = json_member(sample, "memory", &memory) && read_chip(sample, &chip);
        struct recorded_device *device = good ? device_of(r, chip) : NULL;
        if (!device) continue;
        if (r->builder) add_sample(r, device, sample, time_ns);
        else measure(r, device, sample);
    }
}

static void take_lines(struct recording *r, struct slice bytes) {
    r->line = r->samples = r->wrong = 0;
    while (bytes.len) {
        size_t end = slice_find_byte(bytes, '\n');
        r->line++;
        take_line(r, slice_take(bytes, end));
        bytes = end == SLICE_NONE ? slice_of("", 0) : slice_skip(bytes, end + 1);
    }
}

static void make_ranks(struct recording *r) {
    for (size_t i = 0; i < r->devices.len; i++) {
        struct recorded_device *device = &r->devices.items[i];
        char name[NUM_ROOM];
        size_t length = r->devices.len > 1 ? num_write_u64(name, device->chip) : 0;
        device->rank = buffers_rank(r->builder, slice_of(name, length));
        for (unsigned pool = 0; pool < POOL_COUNT; pool++)
            if (device->used[pool])
                buffers_pool(r->builder, device->rank, (enum pool)pool, 1, false, 0, device->capacity[pool]);
    }
}

static int recording_read(struct run *run, struct slice bytes, const char *path, struct err *err) {
    struct recording r = {.json = json_reader_new()};
    if (!r.json) mem_exhausted();
    take_lines(&r, bytes);
    int rc = r.samples ? 0 : err_set(err, ERR_LACKS, "%s is a recording without a sample", path);
    if (rc == 0) {
        r.builder = buffers_begin(run, RUN_RECORDING, bytes.len);
        make_ranks(&r);
        take_lines(&r, bytes);
        buffers_end(r.builder);
        run->warnings[WARN_MALFORMED_POOL] = r.wrong;
        if (r.may_lack) run->one_thread_pools = (1 << POOL_COUNT) - 1;
    }
    json_reader_free(r.json);
    vec_release(&r.devices);
    return rc;
}

const struct input_kind input_recording = {
    .name = "a recording of ttmem top",
    .is_content = recording_looks_like,
    .read_bytes = recording_read,
};
