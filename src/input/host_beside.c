#include "input/host_beside.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/host_record.h"

/* "logs/x/x_profile.log.gz" -> "logs/x/x_host.jsonl" */
static void path_beside(struct strbuf *out, const char *log) {
    struct slice path = slice_from(log);
    static const char *const ends[] = {".gz", ".zst", ".log", "_profile"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (slice_ends(path, slice_from(ends[i]))) path = slice_take(path, path.len - strlen(ends[i]));
    strbuf_add(out, path);
    strbuf_addz(out, "_host.jsonl");
}

bool host_is_beside(const char *log) {
    struct strbuf path = {0};
    path_beside(&path, log);
    bool is = strcmp(log, "-") != 0 && access(strbuf_text(&path), F_OK) == 0;
    strbuf_release(&path);
    return is;
}

static int read_record(struct host_record *record, const char *path, struct err *err) {
    struct source source;
    if (source_open(&source, path, err) != 0) return -1;
    int rc = source_spool(&source, input_temporary_folder(), err);
    if (rc == 0) rc = host_record_read(record, source.bytes, path, err);
    source_release(&source);
    return rc;
}

void host_beside_read(struct input *in, const char *log) {
    struct strbuf path = {0};
    struct err err = {0};
    struct host_record *record = mem_zalloc(1, sizeof *record);
    path_beside(&path, log);
    if (read_record(record, strbuf_text(&path), &err) == 0) {
        host_record_tie(record, &in->run, in->source.bytes);
        in->run.host = record;
    } else {
        input_note(in, "host memory is left out: %s", err.text);
        free(record);
    }
    strbuf_release(&path);
}
