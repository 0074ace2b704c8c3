/* SPDX-License-Identifier: Apache-2.0 */
/* A log in every format for other programs. What is JSON parses, what is a table has the same number of columns in each row. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json_read.h"
#include "render/export/export.h"
#include "two_logs.h"

static struct slice bytes_of(int fd, char **buffer) {
    off_t size = lseek(fd, 0, SEEK_END);
    *buffer = malloc((size_t)size + 1);
    if (!*buffer || pread(fd, *buffer, (size_t)size, 0) != size) abort();
    return slice_of(*buffer, (size_t)size);
}

static void refuse_bad_json(struct slice text) {
    struct json_reader *reader = json_reader_new();
    struct json_value root;
    if (!json_parse(reader, text, &root)) {
        fprintf(stderr, "%s in %.*s\n", json_error(reader), SLICE_FMT(text));
        abort();
    }
    json_reader_free(reader);
}

/* Commas outside quotes, by row; a row ends at a line break outside quotes. */
static void refuse_ragged_rows(struct slice text) {
    size_t columns = 0, here = 1;
    bool quoted = false, first = true;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (c == ',') here++;
        if (c != '\n') continue;
        if (!first && here != columns) abort();
        columns = here;
        first = false;
        here = 1;
    }
    if (quoted) abort();
}

static void export_one(const struct export_format *format, const struct fuzz_run *r, const char *table) {
    struct output_job job = {
        .run = &r->run, .overview = &r->overview, .name = SLICE("fuzz"), .path = "fuzz.log", .version = "1", .table = table};
    struct err err = {0};
    char *buffer = NULL;
    int fd = memfd_create("export", MFD_CLOEXEC);
    if (fd < 0) return;
    struct outfile file = {.path = "export", .fd = fd};
    if (format->write(&job, &file, &err) == 0) {
        struct slice text = bytes_of(fd, &buffer);
        if (text.len && (text.ptr[0] == '{' || text.ptr[0] == '[')) refuse_bad_json(text);
        if (table) refuse_ragged_rows(text);
    }
    free(buffer);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fuzz_run r;
    fuzz_run_read(&r, slice_of((const char *)data, size), SLICE("fuzz"));
    for (const struct export_format *format = export_formats; format->name; format++) {
        if (format->needs_file) continue; /* a database is written by its library, row by row from the same tables */
        if (strcmp(format->name, "csv") != 0) export_one(format, &r, NULL);
        for (const char *const *table = export_tables; strcmp(format->name, "csv") == 0 && *table; table++)
            export_one(format, &r, *table);
    }
    fuzz_run_release(&r);
    return 0;
}
