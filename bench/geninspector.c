/* SPDX-License-Identifier: Apache-2.0 */
/* geninspector -o FOLDER [--allocations N] [--seed N] [--live N] [--period OPS] [--chip NAME] [--odd] [--leak N]
 * Writes the files of an Inspector folder, and what is true about them to stdout as JSON.
 * geninspector --read FOLDER reads one, and says how many buffers there were: nothing but the reader, to be timed. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outfile.h"
#include "inspector_sim.h"
#include "model/inspector/data.h"

struct output {
    int fd;
    struct strbuf *text;
};

static int open_file(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

static void flush(struct output *o) {
    struct err err;
    if (write_all(o->fd, strbuf_slice(o->text), &err) != 0) {
        fprintf(stderr, "geninspector: cannot write\n");
        exit(5);
    }
    strbuf_clear(o->text);
}

static int read_folder(const char *folder) {
    struct inspector_data data;
    struct err err = {0};
    int rc = inspector_data_read(&data, folder, NULL, &err);
    size_t buffers = 0;
    for (size_t i = 0; i < data.ranks.len; i++) buffers += data.ranks.items[i].owners.all.len;
    if (rc == 0) printf("%zu\n", buffers);
    else fprintf(stderr, "geninspector: %s\n", err.text);
    inspector_data_release(&data);
    return rc == 0 ? 0 : 3;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--read") == 0) return read_folder(argv[2]);
    const char *folder = NULL, *chip = "n150";
    unsigned long long allocations = 10000, seed = 1, live = 200, period = 20, leak = 0;
    bool odd = false;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "0";
        if (strcmp(argv[i], "--odd") == 0) {
            odd = true;
            continue;
        }
        if (strcmp(argv[i], "-o") == 0) folder = value;
        else if (strcmp(argv[i], "--allocations") == 0) allocations = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0) seed = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--live") == 0) live = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--period") == 0) period = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--leak") == 0) leak = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--chip") == 0) chip = value;
        else return fprintf(stderr, "geninspector: what is %s?\n", argv[i]), 2;
        i++;
    }
    if (!folder || !chip_find(slice_from(chip)) || !period) return fprintf(stderr, "geninspector: -o FOLDER\n"), 2;
    mkdir(folder, 0777);
    struct insim s;
    insim_init(&s, seed, chip);
    s.most_live = live;
    s.odd_sizes = odd;
    struct output outputs[] = {{open_file(folder, "mesh_buffers_log.yaml"), &s.buffers},
                               {open_file(folder, "mesh_workloads_log.yaml"), &s.workloads},
                               {open_file(folder, "programs_log.yaml"), &s.programs},
                               {open_file(folder, "mesh_devices_log.yaml"), &s.devices},
                               {open_file(folder, "startup.yaml"), &s.startup}};
    unsigned long long kept = 0;
    while (s.allocations < allocations) {
        bool keeps = leak && s.ops >= period && s.ops % period == 3 && kept < leak;
        insim_op(&s, 17 + s.ops % period, s.ops < period, false, keeps);
        if (keeps) kept++;
        if (s.buffers.len > 1 << 20)
            for (size_t i = 0; i < 5; i++) flush(&outputs[i]);
    }
    for (size_t i = 0; i < 5; i++) flush(&outputs[i]);
    printf(
        "{\"ops\":%u,\"allocations\":%llu,\"entries\":%llu,\"dram_peak_bytes_per_bank\":%llu,\"l1_peak_bytes_per_bank\":%llu,"
        "\"dram_end_bytes_per_bank\":%llu,\"live\":%zu}\n",
        s.ops, (unsigned long long)s.allocations, (unsigned long long)s.entries, (unsigned long long)s.peak[SIM_DRAM],
        (unsigned long long)s.peak[SIM_L1], (unsigned long long)s.sum[SIM_DRAM], s.live.len);
    insim_release(&s);
    return 0;
}
