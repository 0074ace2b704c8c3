/* SPDX-License-Identifier: Apache-2.0 */
/* A run written to a file, changed at some places and read again, with a check that fits: it is refused, or every number in it
 * is one that the rest of the program can follow. The input is a log, a line "====", then the changes: a place and a value
 * each. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/table/hash.h"
#include "model/run_file.h"
#include "render/json/summary_json.h"
#include "two_logs.h"

enum { CHECK_AT = 24, TEXTS_AT = 40, CHANGE_BYTES = 7 };

static char *written(const struct run *run, size_t *size) {
    int fd = memfd_create("run", MFD_CLOEXEC);
    struct outfile file = {.path = "run", .fd = fd};
    struct err err = {0};
    if (fd < 0 || run_file_write(run, &file, &err) != 0) abort();
    *size = (size_t)lseek(fd, 0, SEEK_END);
    char *bytes = malloc(*size);
    if (!bytes || pread(fd, bytes, *size, 0) != (ssize_t)*size) abort();
    close(fd);
    return bytes;
}

static void change(char *bytes, size_t size, struct slice changes) {
    for (; changes.len >= CHANGE_BYTES; changes = slice_skip(changes, CHANGE_BYTES)) {
        uint32_t place, value;
        memcpy(&place, changes.ptr, 3);
        place &= 0xffffff;
        memcpy(&value, changes.ptr + 3, sizeof value);
        size_t at = CHECK_AT + 16 + place % (size - CHECK_AT - 16 - sizeof value);
        memcpy(bytes + at, &value, sizeof value);
    }
}

static void mend_check(char *bytes, size_t size) {
    uint64_t texts;
    size_t head = run_file_head_bytes();
    memcpy(&texts, bytes + TEXTS_AT, sizeof texts);
    if (texts > size - head) return;
    struct slice rest = slice_of(bytes + head, size - head);
    uint64_t check =
        hash_mix(hash_bytes64(slice_take(rest, rest.len - texts)), hash_bytes64(slice_skip(rest, rest.len - texts)));
    memcpy(bytes + CHECK_AT, &check, sizeof check);
}

static void use(const struct run *run) {
    struct overview overview;
    struct footprint footprint;
    struct strbuf text = {0};
    overview_make(run, &overview);
    summary_json(&text, run, &overview, &(struct summary_origin){.name = SLICE("fuzz"), .path = SLICE("fuzz")}, false);
    footprint_of_run(run, &overview, SLICE("fuzz"), &footprint);
    footprint_release(&footprint);
    strbuf_release(&text);
    overview_release(&overview);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice log, changes;
    struct fuzz_run r;
    struct run again;
    size_t len;
    fuzz_split(slice_of((const char *)data, size), &log, &changes);
    fuzz_run_read(&r, log, SLICE("fuzz"));
    r.run.text = log;
    char *bytes = written(&r.run, &len);
    fuzz_run_release(&r);
    change(bytes, len, changes);
    mend_check(bytes, len);
    if (run_file_read(&again, slice_of(bytes, len)) == RUN_FILE_READ) use(&again);
    else if (changes.len < CHANGE_BYTES) abort();
    run_release(&again);
    free(bytes);
    return 0;
}
