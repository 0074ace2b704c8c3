#include "work/load_host.h"

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

void load_host(struct loaded *loaded, const struct work *work) {
    struct strbuf path = {0};
    struct source source;
    struct err err = {0};
    if (!loaded->source.mapped || strcmp(loaded->source.path, "-") == 0) return;
    path_beside(&path, loaded->source.path);
    if (access(strbuf_text(&path), F_OK) == 0) {
        struct host_record *record = mem_zalloc(1, sizeof *record);
        int rc = source_open(&source, strbuf_text(&path), &err);
        if (rc == 0) {
            rc = source_spool(&source, work_temporary_folder(), &err);
            if (rc == 0) rc = host_record_read(record, source.bytes, strbuf_text(&path), &err);
            source_release(&source);
        }
        if (rc == 0) {
            host_record_tie(record, &loaded->run, loaded->source.bytes);
            loaded->run.host = record;
        } else {
            work_note(work, "host memory is left out: %s", err.text);
            free(record);
        }
    }
    strbuf_release(&path);
}
