/* SPDX-License-Identifier: Apache-2.0 */
#include "render/host/host_moment.h"

#include "analysis/run/host.h"
#include "base/amounts.h"
#include "render/format/json_parts.h"

enum { SHOWN = 5, LISTED = 50 };

static void add_process(struct strbuf *out, const struct term *term, const struct host_record *record,
                        const struct host_size *size) {
    const struct host_record_process *process = &record->processes.items[size->process];
    if (process->name.len) term_text(out, term, process->name, 40);
    else strbuf_addz(out, "a process");
    strbuf_addf(out, " (pid %llu) ", (unsigned long long)process->pid);
    add_scaled_size(out, size->rss_bytes, true);
}

bool host_moment_text(struct strbuf *out, const struct term *term, const struct run *run, uint32_t step) {
    if (!run->host) return false;
    struct host_moment moment;
    host_at(run->host, step, &moment);
    size_t count = moment.processes.len, shown = count < SHOWN ? count : SHOWN;
    for (size_t i = 0; i < shown; i++) {
        if (i) strbuf_addz(out, ", ");
        add_process(out, term, run->host, &moment.processes.items[i]);
    }
    if (count > shown) strbuf_addf(out, " and %zu more", count - shown);
    if (count > 1) {
        strbuf_addz(out, "; together at most ");
        add_scaled_size(out, moment.together_bytes, true);
    }
    if (count && moment.hugepages_bytes != HOST_UNKNOWN && moment.hugepages_bytes) {
        strbuf_addz(out, "; huge pages ");
        add_scaled_size(out, moment.hugepages_bytes, true);
    }
    if (count && moment.cgroup_bytes != HOST_UNKNOWN && run->host->cgroup_limit_bytes != HOST_UNKNOWN) {
        strbuf_addz(out, "; cgroup ");
        add_scaled_size(out, moment.cgroup_bytes, true);
        strbuf_addz(out, " of ");
        add_scaled_size(out, run->host->cgroup_limit_bytes, true);
    }
    host_moment_release(&moment);
    return count > 0;
}

static void member_bytes(struct json *j, const char *key, uint64_t bytes) {
    if (bytes == HOST_UNKNOWN) json_member_null(j, key);
    else json_member_u64(j, key, bytes);
}

void host_moment_json(struct json *j, const struct run *run, uint32_t step) {
    struct host_moment moment = {0};
    if (run->host) host_at(run->host, step, &moment);
    json_key(j, "host");
    if (!moment.known) {
        json_null(j);
        host_moment_release(&moment);
        return;
    }
    json_object(j);
    json_key(j, "processes");
    json_array(j);
    for (size_t i = 0; i < moment.processes.len && i < LISTED; i++) {
        const struct host_record_process *process = &run->host->processes.items[moment.processes.items[i].process];
        json_object(j);
        json_member_u64(j, "pid", process->pid);
        json_member_text_or_null(j, "name", process->name);
        json_member_u64(j, "rss_bytes", moment.processes.items[i].rss_bytes);
        json_object_end(j);
    }
    json_array_end(j);
    json_member_u64(j, "process_count", moment.processes.len);
    json_member_u64(j, "together_at_most_bytes", moment.together_bytes);
    member_bytes(j, "hugepages_bytes", moment.hugepages_bytes);
    member_bytes(j, "available_bytes", moment.available_bytes);
    member_bytes(j, "cgroup_bytes", moment.cgroup_bytes);
    member_bytes(j, "cgroup_limit_bytes", run->host->cgroup_limit_bytes);
    json_object_end(j);
    host_moment_release(&moment);
}
