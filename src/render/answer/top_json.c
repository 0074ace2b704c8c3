/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_write.h"
#include "base/num.h"
#include "base/utf8.h"
#include "render/format/json_parts.h"
#include "render/answer/top_view.h"

/* By kind of memory; null if nothing was read. */
static void amounts(struct json *j, const char *key, const uint64_t *bytes) {
    char name[32];
    json_key(j, key);
    if (!bytes) {
        json_null(j);
        return;
    }
    json_object(j);
    for (unsigned kind = 0; kind < SHM_KINDS; kind++) {
        size_t length = strlen(shm_kind_keys[kind]);
        memcpy(name, shm_kind_keys[kind], length);
        memcpy(name + length, "_bytes", sizeof "_bytes");
        json_member_u64(j, name, bytes[kind]);
    }
    json_object_end(j);
}

static void processes(struct json *j, const struct live_device *device) {
    json_key(j, "processes");
    json_array(j);
    for (unsigned i = 0; device->problem == DEVICE_OK && i < device->process_count; i++) {
        const struct live_process *process = &device->processes[i];
        json_object(j);
        json_member_i64(j, "pid", process->pid);
        json_member_str(j, "name", process->name);
        json_member_text(j, "state", process_state_names[process->state]);
        json_member_bool(j, "counted", process_counts(process));
        json_member_u64(j, "updated_ns", process->updated_ns);
        amounts(j, "memory", process->bytes);
        if (process->rss_bytes) json_member_u64(j, "rss_bytes", process->rss_bytes);
        else json_member_null(j, "rss_bytes");
        json_member_str(j, "command", process->command);
        json_object_end(j);
    }
    json_array_end(j);
}

static void chip_list(struct json *j, const struct live_device *device) {
    json_key(j, "chips");
    json_array(j);
    for (unsigned i = 0; device->problem == DEVICE_OK && i < device->chip_count; i++) {
        json_object(j);
        json_member_u64(j, "chip_id", device->chips[i].id);
        json_member_bool(j, "remote", device->chips[i].remote);
        amounts(j, "memory", device->chips[i].bytes);
        json_object_end(j);
    }
    json_array_end(j);
}

static void device_json(struct json *j, const struct live_device *device, const struct top_options *options) {
    char chip[NUM_ROOM];
    json_object(j);
    /* a name, not an amount: readers that store numbers as doubles would lose its last digits */
    json_member_str(j, "chip", slice_of(chip, num_write_u64(chip, device->asic)));
    bool readable = device->problem == DEVICE_OK;
    struct strbuf why = {0};
    if (!readable) live_device_problem(device, &why);
    json_member_text_or_null(j, "problem", strbuf_slice(&why));
    strbuf_release(&why);
    json_member_u64_if(j, "device_id", readable, device->id);
    json_member_u64_if(j, "updated_ns", readable, device->updated_ns);
    json_member_u64_if(j, "segment_version", readable, device->version);
    json_key(j, "may_be_lower_bound");
    if (readable) json_bool(j, live_device_may_lack(device, SHM_DRAM));
    else json_null(j);
    amounts(j, "memory", readable ? device->sum : NULL);
    amounts(j, "segment", readable ? device->total : NULL);
    amounts(j, "peak", readable ? device->peak : NULL);
    json_key(j, "capacity");
    if (options->chip && readable) {
        json_object(j);
        json_member_u64(j, "dram_bytes", live_capacity(options->chip, SHM_DRAM));
        json_member_u64(j, "l1_bytes", live_capacity(options->chip, SHM_L1));
        json_object_end(j);
    } else {
        json_null(j);
    }
    chip_list(j, device);
    processes(j, device);
    json_object_end(j);
}

void top_json(struct strbuf *out, const struct live_devices *live, const struct top_options *options) {
    struct json j = {.out = out};
    json_document(&j);
    json_member_u64(&j, "time_ns", live_devices_now(live));
    json_key(&j, "devices");
    json_array(&j);
    for (size_t i = 0; i < live_devices_count(live); i++) device_json(&j, live_devices_get(live, i), options);
    json_array_end(&j);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}

void top_recording_header(struct strbuf *out, const struct top_options *options, const char *version) {
    struct json j = {.out = out};
    json_object(&j);
    json_member_u64(&j, "ttmem_recording", 1);
    json_member_u64(&j, "schema_version", JSON_SCHEMA_VERSION);
    json_member_text(&j, "generator_version", version);
    json_member_text(&j, "device", options->chip ? options->chip->name : NULL);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}

/* --- CSV --- */

void top_csv_header(struct strbuf *out) {
    strbuf_addz(out, "time_ns,chip,device_id,pid,process,state");
    for (unsigned kind = 0; kind < SHM_KINDS; kind++) strbuf_addf(out, ",%s_bytes", shm_kind_keys[kind]);
    strbuf_addz(out, ",rss_bytes,may_be_lower_bound\r\n");
}

static void csv_text(struct strbuf *out, struct slice text) {
    struct strbuf clean = {0};
    utf8_add_printable(&clean, text, false);
    strbuf_addc(out, '"');
    for (size_t i = 0; i < clean.len; i++) {
        if (clean.data[i] == '"') strbuf_addc(out, '"');
        strbuf_addc(out, clean.data[i]);
    }
    strbuf_addc(out, '"');
    strbuf_release(&clean);
}

/* `rss` 0: unknown. */
static void csv_amounts(struct strbuf *out, const struct live_device *device, const uint64_t *bytes, uint64_t rss) {
    for (unsigned kind = 0; kind < SHM_KINDS; kind++) {
        strbuf_addc(out, ',');
        strbuf_addu(out, bytes[kind]);
    }
    strbuf_addc(out, ',');
    if (rss) strbuf_addu(out, rss);
    strbuf_addf(out, ",%s\r\n", live_device_may_lack(device, SHM_DRAM) ? "true" : "false");
}

void top_csv(struct strbuf *out, const struct live_devices *live) {
    unsigned long long now = live_devices_now(live);
    for (size_t i = 0; i < live_devices_count(live); i++) {
        const struct live_device *device = live_devices_get(live, i);
        unsigned long long chip = device->asic;
        if (device->problem != DEVICE_OK) continue;
        strbuf_addf(out, "%llu,%llu,%u,,,sum", now, chip, device->id);
        csv_amounts(out, device, device->sum, 0);
        for (unsigned k = 0; k < device->process_count; k++) {
            const struct live_process *process = &device->processes[k];
            strbuf_addf(out, "%llu,%llu,%u,%d,", now, chip, device->id, process->pid);
            csv_text(out, process->name);
            strbuf_addf(out, ",%s", process_state_names[process->state]);
            csv_amounts(out, device, process->bytes, process->rss_bytes);
        }
    }
}
