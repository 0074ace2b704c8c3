/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/host_samples.h"

#include <stddef.h>

bool host_looks_like(struct slice bytes) { return slice_starts(bytes, SLICE("{\"ttmem_host\":")); }

static const struct {
    const char *name;
    size_t at;
} numbers[] = {
    {"t_ms", offsetof(struct host_line, t_ms)},
    {"log_bytes", offsetof(struct host_line, log_bytes)},
    {"pid", offsetof(struct host_line, pid)},
    {"start", offsetof(struct host_line, start)},
    {"rss_bytes", offsetof(struct host_line, rss_bytes)},
    {"peak_rss_bytes", offsetof(struct host_line, peak_rss_bytes)},
    {"pss_bytes", offsetof(struct host_line, pss_bytes)},
    {"swap_bytes", offsetof(struct host_line, swap_bytes)},
    {"hugetlb_bytes", offsetof(struct host_line, hugetlb_bytes)},
    {"available_bytes", offsetof(struct host_line, available_bytes)},
    {"hugepages_bytes", offsetof(struct host_line, hugepages_bytes)},
    {"cgroup_bytes", offsetof(struct host_line, cgroup_bytes)},
    {"cgroup_limit_bytes", offsetof(struct host_line, cgroup_limit_bytes)},
    {"start_unix_ns", offsetof(struct host_line, start_unix_ns)},
    {"machine_bytes", offsetof(struct host_line, machine_bytes)},
    {"status", offsetof(struct host_line, status)},
    {"signal", offsetof(struct host_line, signal)},
    {"kernel_kills", offsetof(struct host_line, kernel_kills)},
    {"largest_rss_bytes", offsetof(struct host_line, largest_rss_bytes)},
    {"unreadable_processes", offsetof(struct host_line, unreadable_processes)},
};

/* The member that identifies each kind, in search order. */
static const struct {
    const char *name;
    enum host_line_kind kind;
    bool of_process;
} kinds[] = {
    {"ttmem_host", HOST_HEAD, false}, {"end", HOST_END, false},
    {"gone", HOST_GONE, true},        {"start", HOST_PROCESS, true},
    {"rss_bytes", HOST_SIZE, true},   {"peak_rss_bytes", HOST_PEAK, true},
    {"pss_bytes", HOST_SHARES, true}, {"available_bytes", HOST_MACHINE, false},
};

static bool kind_of(struct json_value object, struct host_line *out) {
    struct json_value value;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!json_member(object, kinds[i].name, &value)) continue;
        out->kind = kinds[i].kind;
        return !kinds[i].of_process || out->pid != HOST_UNKNOWN;
    }
    return false;
}

bool host_line_read(struct json_reader *reader, struct slice text, struct host_line *out) {
    struct json_value object, value;
    if (!json_parse(reader, text, &object) || json_kind_of(object) != JSON_OBJECT) return false;
    *out = (struct host_line){0};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uint64_t number = HOST_UNKNOWN;
        if (json_member(object, numbers[i].name, &value)) json_u64_of(value, &number);
        memcpy((char *)out + numbers[i].at, &number, sizeof number);
    }
    if (json_member(object, "l1_per_core", &value)) json_bool_of(value, &out->l1_per_core);
    if (json_member(object, "name", &value)) json_string_of(value, &out->name);
    if (json_member(object, "command", &value)) json_string_of(value, &out->command);
    if (!kind_of(object, out)) return false;
    if (out->kind == HOST_SIZE && out->rss_bytes == HOST_UNKNOWN) return false;
    return out->kind == HOST_HEAD || (out->t_ms != HOST_UNKNOWN && out->log_bytes != HOST_UNKNOWN);
}
