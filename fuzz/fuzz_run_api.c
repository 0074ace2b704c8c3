/* SPDX-License-Identifier: Apache-2.0 */
/* libttmem_run on any file: opened, every table read by columns and by Arrow, what is alive asked for. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ttmem/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t seen;

static void read_table(ttmem_run *run, const char *name) {
    ttmem_column column;
    struct ArrowSchema schema;
    struct ArrowArray array;
    for (size_t c = 0; ttmem_run_column_name(name, c); c++) {
        if (ttmem_run_column(run, name, ttmem_run_column_name(name, c), &column) != TTMEM_RUN_OK) abort();
        for (size_t i = 0; i < column.length; i++) {
            if (!ttmem_column_valid(&column, i)) continue;
            if (column.type == TTMEM_INT64) seen += (uint64_t)((const int64_t *)column.values)[i];
            else
                for (int64_t k = column.offsets[i]; k < column.offsets[i + 1]; k++)
                    seen += ((const unsigned char *)column.values)[k];
        }
    }
    if (ttmem_run_arrow(run, name, &schema, &array) != TTMEM_RUN_OK) abort();
    schema.release(&schema);
    array.release(&array);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char path[64];
    static int fd = -1;
    if (fd < 0) fd = memfd_create("run", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size) return 0;
    if (!path[0]) {
        static const char folder[] = "/proc/self/fd/";
        size_t n = 0;
        for (; folder[n]; n++) path[n] = folder[n];
        if (fd >= 10) path[n++] = (char)('0' + fd / 10);
        path[n] = (char)('0' + fd % 10);
    }
    ttmem_run *run;
    const uint32_t *tensors;
    const char *text;
    size_t count;
    if (ttmem_run_open(path, &run) != TTMEM_RUN_OK) return 0;
    for (size_t t = 0; ttmem_run_table_name(t); t++) read_table(run, ttmem_run_table_name(t));
    if (ttmem_run_summary(run, &text, &count) != TTMEM_RUN_OK) abort();
    if (ttmem_run_alive(run, "dram", -1, &tensors, &count) == TTMEM_RUN_OK)
        for (size_t i = 0; i < count; i++) seen += tensors[i];
    ttmem_run_close(run);
    return 0;
}
