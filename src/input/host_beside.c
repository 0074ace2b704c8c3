/* SPDX-License-Identifier: Apache-2.0 */
#include "input/host_beside.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/host_record.h"

/* The only recording in a folder; false if there is none or several. */
static bool only_recording(struct strbuf *out, const char *folder) {
    DIR *list = opendir(folder);
    unsigned found = 0;
    for (const struct dirent *entry; list && (entry = readdir(list));) {
        if (!slice_ends(slice_from(entry->d_name), SLICE("_host.jsonl"))) continue;
        strbuf_clear(out);
        strbuf_addf(out, "%s/%s", folder, entry->d_name);
        found++;
    }
    if (list) closedir(list);
    return found == 1;
}

/* "logs/x/x_profile.log.gz" -> "logs/x/x_host.jsonl" */
void host_path_beside(struct strbuf *out, const char *log) {
    if (only_recording(out, log)) return;
    strbuf_clear(out);
    struct slice path = slice_from(log);
    static const char *const ends[] = {".gz", ".zst", ".log", "_profile"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (slice_ends(path, slice_from(ends[i]))) path = slice_take(path, path.len - strlen(ends[i]));
    strbuf_add(out, path);
    strbuf_addz(out, "_host.jsonl");
}

bool host_is_beside(const char *log) {
    struct strbuf path = {0};
    host_path_beside(&path, log);
    bool is = strcmp(log, "-") != 0 && access(strbuf_text(&path), F_OK) == 0;
    strbuf_release(&path);
    return is;
}

int host_file_read(struct host_record *record, const char *path, struct err *err) {
    struct source source;
    if (source_open(&source, path, err) != 0) return -1;
    int rc = source_spool(&source, input_temporary_folder(), err);
    if (rc == 0) rc = host_record_read(record, source.bytes, path, err);
    source_release(&source);
    return rc;
}

/* NULL with a note if it cannot be read. */
static struct host_record *open_record_at(struct input *in, const char *path) {
    struct err err = {0};
    struct host_record *record = mem_zalloc(1, sizeof *record);
    if (host_file_read(record, path, &err) == 0) {
        if (record->l1_per_core) in->run.warnings[WARN_PER_CORE_L1] = 1;
        return record;
    }
    input_note(in, "host memory is left out: %s", err.text);
    free(record);
    return NULL;
}

void host_beside_read(struct input *in, const char *log) {
    struct strbuf path = {0};
    host_path_beside(&path, log);
    in->run.host = open_record_at(in, strbuf_text(&path));
    if (in->run.host) host_record_tie(in->run.host, &in->run, in->source.bytes);
    strbuf_release(&path);
}

uint64_t host_beside_peak(const char *log) {
    struct err ignored = {0};
    struct host_record record = {0};
    struct strbuf path = {0};
    uint64_t peak = 0;
    host_path_beside(&path, log);
    if (host_is_beside(log) && host_file_read(&record, strbuf_text(&path), &ignored) == 0) {
        for (size_t i = 0; i < record.samples.len; i++)
            if (record.samples.items[i].rss_bytes > peak) peak = record.samples.items[i].rss_bytes;
        for (size_t i = 0; i < record.processes.len; i++) {
            uint64_t own = record.processes.items[i].peak_rss_bytes;
            if (own != HOST_UNKNOWN && own > peak) peak = own;
        }
        host_record_release(&record);
    }
    strbuf_release(&path);
    return peak;
}

void host_of_folder_read(struct input *in, const char *folder) {
    static const char *const where[] = {"", "/..", "/../..", "/../../.."};
    struct strbuf path = {0}, place = {0};
    for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
        strbuf_clear(&place);
        strbuf_addf(&place, "%s%s", folder, where[i]);
        if (!only_recording(&path, strbuf_text(&place))) continue;
        in->run.host = open_record_at(in, strbuf_text(&path));
        if (in->run.host) host_record_tie_times(in->run.host, &in->run, in->run.inspector->start_unix_ns);
        break;
    }
    strbuf_release(&path);
    strbuf_release(&place);
}
