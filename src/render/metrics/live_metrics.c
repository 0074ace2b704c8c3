/* SPDX-License-Identifier: Apache-2.0 */
#include "render/metrics/live_metrics.h"

#include "base/num.h"
#include "base/vec.h"

#define ONE_THREAD                                                                                                       \
    " A lower bound, except of cb, with tt-metal from 2026-05-27 on, which counts only what the thread that opened the " \
    "first device allocates."

static const struct metric_family
    allocated = {"tt_memory_allocated_bytes", "gauge", "bytes",
                 "Device memory that live processes hold, over all banks, without padding." ONE_THREAD},
    capacity = {"tt_memory_capacity_bytes", "gauge", "bytes", "Device memory that there is for allocation, over all banks."},
    of_process = {"tt_memory_process_allocated_bytes", "gauge", "bytes",
                  "Device memory that a live process holds, over all banks, without padding." ONE_THREAD},
    updated = {"tt_memory_last_update_timestamp_seconds", "gauge", "seconds",
               "When a process last wrote the numbers of the chip, in seconds since 1970."},
    stale = {"tt_memory_stale_processes", "gauge", NULL,
             "Processes that are gone but whose numbers are still in the chip's segment; they are not in the sums."},
    resident = {"tt_host_memory_resident_bytes", "gauge", "bytes",
                "Resident host memory of a process that has a chip open, where it is seen."},
    resident_sum =
        {"tt_host_memory_resident_bytes", "gauge", "bytes",
         "Resident host memory of all processes that have a chip open, where they are seen; shared pages count for each."},
    errors_family = {"ttmem_scrape_errors", "counter", NULL,
                     "Segments that were found but not read, since this process of ttmem began."};

static const char *const reasons[] = {
    [DEVICE_NO_PERMISSION] = "no_permission",
    [DEVICE_UNREADABLE] = "unreadable",
    [DEVICE_SHORT] = "short",
    [DEVICE_VERSION] = "version",
    [DEVICE_NOT_ITS_NAME] = "not_its_name",
    [DEVICE_NOT_READY] = "not_ready",
};

/* The labels of a chip first; others are added after them. A 64-bit number is text here, because readers store values as
 * doubles. */
struct chip_labels {
    struct metric_label items[5];
    size_t count;
    char chip[NUM_ROOM], asic[NUM_ROOM], pid[NUM_ROOM];
};

static void add_label(struct chip_labels *labels, const char *name, struct slice value) {
    labels->items[labels->count++] = (struct metric_label){name, value};
}

static void label_chip(struct chip_labels *labels, const struct live_device *device) {
    labels->count = 0;
    add_label(labels, "chip", slice_of(labels->chip, num_write_u64(labels->chip, device->id)));
    add_label(labels, "asic", slice_of(labels->asic, num_write_u64(labels->asic, device->asic)));
}

static void label_process(struct chip_labels *labels, const struct live_process *process) {
    add_label(labels, "pid", slice_of(labels->pid, num_write_u64(labels->pid, (uint64_t)process->pid)));
    add_label(labels, "process", process->name);
}

static void value(struct strbuf *out, const struct metric_family *family, const struct chip_labels *labels, uint64_t number) {
    metrics_sample(out, family, labels->items, labels->count);
    strbuf_addu(out, number);
    strbuf_addc(out, '\n');
}

static void seconds(struct strbuf *out, const struct metric_family *family, const struct chip_labels *labels, uint64_t ns) {
    metrics_sample(out, family, labels->items, labels->count);
    strbuf_addf(out, "%llu.%09llu\n", (unsigned long long)(ns / 1000000000), (unsigned long long)(ns % 1000000000));
}

struct scrape {
    struct strbuf *out;
    enum metrics_form form;
    const struct live_metrics_options *options;
};

typedef void one_device_fn(const struct scrape *scrape, const struct live_device *device, struct chip_labels *labels);

static void each_device(const struct scrape *scrape, const struct live_devices *live, const struct metric_family *family,
                        one_device_fn *write) {
    bool begun = false;
    for (size_t i = 0; i < live_devices_count(live); i++) {
        const struct live_device *device = live_devices_get(live, i);
        struct chip_labels labels;
        if (device->problem != DEVICE_OK) continue;
        if (!begun) metrics_family(scrape->out, scrape->form, family);
        begun = true;
        label_chip(&labels, device);
        write(scrape, device, &labels);
    }
}

static void write_allocated(const struct scrape *scrape, const struct live_device *device, struct chip_labels *labels) {
    add_label(labels, "pool", slice_of("", 0));
    for (unsigned kind = 0; kind < SHM_KINDS; kind++) {
        labels->items[labels->count - 1].value = slice_from(shm_kind_keys[kind]);
        value(scrape->out, &allocated, labels, device->sum[kind]);
    }
}

static void write_capacity(const struct scrape *scrape, const struct live_device *device, struct chip_labels *labels) {
    (void)device;
    add_label(labels, "pool", slice_of("", 0));
    for (unsigned kind = 0; kind < SHM_KINDS; kind++) {
        uint64_t bytes = kind == SHM_CB ? 0 : live_capacity(scrape->options->chip, kind);
        labels->items[labels->count - 1].value = slice_from(shm_kind_keys[kind]);
        if (bytes) value(scrape->out, &capacity, labels, bytes);
    }
}

/* A process that reconnected has several slots: one sample for all of them. */
static bool is_first_of(const struct live_device *device, unsigned at) {
    for (unsigned i = 0; i < at; i++)
        if (device->processes[i].pid == device->processes[at].pid && process_counts(&device->processes[i])) return false;
    return true;
}

static uint64_t bytes_of(const struct live_device *device, int32_t pid, unsigned kind) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < device->process_count; i++)
        if (device->processes[i].pid == pid && process_counts(&device->processes[i]))
            sum = shm_sum(sum, device->processes[i].bytes[kind]);
    return sum;
}

static void write_processes(const struct scrape *scrape, const struct live_device *device, struct chip_labels *labels) {
    for (unsigned i = 0; i < device->process_count; i++) {
        const struct live_process *process = &device->processes[i];
        if (!process_counts(process) || !is_first_of(device, i)) continue;
        label_chip(labels, device);
        add_label(labels, "pool", slice_of("", 0));
        label_process(labels, process);
        for (unsigned kind = 0; kind < SHM_KINDS; kind++) {
            labels->items[2].value = slice_from(shm_kind_keys[kind]);
            value(scrape->out, &of_process, labels, bytes_of(device, process->pid, kind));
        }
    }
}

static void write_updated(const struct scrape *scrape, const struct live_device *device, struct chip_labels *labels) {
    seconds(scrape->out, &updated, labels, device->updated_ns);
}

static void write_stale(const struct scrape *scrape, const struct live_device *device, struct chip_labels *labels) {
    uint64_t gone = 0;
    for (unsigned i = 0; i < device->process_count; i++) gone += !process_counts(&device->processes[i]);
    value(scrape->out, &stale, labels, gone);
}

/* A process that has several chips open is one process of the host. */
static void write_resident(const struct scrape *scrape, const struct live_devices *live) {
    VEC(int32_t) seen = {0};
    uint64_t sum = 0;
    struct chip_labels labels = {0};
    bool apart = !scrape->options->no_process_labels;
    for (size_t i = 0; i < live_devices_count(live); i++) {
        const struct live_device *device = live_devices_get(live, i);
        for (unsigned k = 0; device->problem == DEVICE_OK && k < device->process_count; k++) {
            const struct live_process *process = &device->processes[k];
            size_t at = 0;
            while (at < seen.len && seen.items[at] != process->pid) at++;
            if (!process_counts(process) || !process->rss_bytes || at < seen.len) continue;
            if (!seen.len) metrics_family(scrape->out, scrape->form, apart ? &resident : &resident_sum);
            vec_push(&seen, process->pid);
            sum += process->rss_bytes;
            labels.count = 0;
            label_process(&labels, process);
            if (apart) value(scrape->out, &resident, &labels, process->rss_bytes);
        }
    }
    labels.count = 0;
    if (!apart && seen.len) value(scrape->out, &resident_sum, &labels, sum);
    vec_release(&seen);
}

static void write_errors(const struct scrape *scrape, const struct scrape_errors *errors) {
    metrics_family(scrape->out, scrape->form, &errors_family);
    for (unsigned i = DEVICE_OK + 1; i <= DEVICE_NOT_READY; i++) {
        metrics_sample(scrape->out, &errors_family, &(struct metric_label){"reason", slice_from(reasons[i])}, 1);
        strbuf_addu(scrape->out, errors->count[i]);
        strbuf_addc(scrape->out, '\n');
    }
}

void live_metrics(struct strbuf *out, enum metrics_form form, const struct live_devices *live,
                  const struct live_metrics_options *options, struct scrape_errors *errors) {
    const struct scrape scrape = {out, form, options};
    for (size_t i = 0; i < live_devices_count(live); i++) errors->count[live_devices_get(live, i)->problem]++;
    each_device(&scrape, live, &allocated, write_allocated);
    if (options->chip) each_device(&scrape, live, &capacity, write_capacity);
    if (!options->no_process_labels) {
        bool any = false;
        for (size_t i = 0; i < live_devices_count(live); i++) any = any || live_devices_get(live, i)->process_count;
        if (any) each_device(&scrape, live, &of_process, write_processes);
    }
    each_device(&scrape, live, &updated, write_updated);
    each_device(&scrape, live, &stale, write_stale);
    write_resident(&scrape, live);
    write_errors(&scrape, errors);
    metrics_build_info(out, form, options->version);
    metrics_end(out, form);
}
