#include "work/run_ref.h"

#include <unistd.h>

#include "work/history_store.h"
#include "work/load.h"
#include "store/report_dir.h"
#include "store/report_footprint.h"

static int load_from_log(const struct work *work, const char *path, struct footprint *out, struct err *err) {
    struct loaded loaded;
    struct overview overview;
    if (load_log(&loaded, work, path, work_temporary_folder(), err) != 0) return -1;
    int rc = load_check(&loaded, err);
    if (rc == 0) {
        overview_make(&loaded.run, &overview);
        footprint_of_run(&loaded.run, &overview, strbuf_slice(&loaded.name), out);
        out->content = hash_bytes(loaded.source.bytes);
        overview_release(&overview);
    }
    loaded_release(&loaded);
    return rc;
}

static int load_from_report(const char *folder, const char *name, struct footprint *out, struct err *err) {
    struct report_files files;
    if (report_files_open(&files, folder, name, err) != 0) return -1;
    int rc = report_footprint(out, &files, err);
    if (rc != 0) footprint_release(out);
    report_files_release(&files);
    return rc;
}

static int load_from_history(const struct work *work, const char *word, struct footprint *out, struct err *err) {
    int64_t id;
    struct store *store = history_store_open(work, false, err);
    int rc = store ? history_find(store, word, &id, err) : -1;
    if (rc == 0) rc = history_footprint(store, id, out, err);
    history_close(store);
    return rc;
}

/* A word that names no file and could be an id: without a history it is rather a log that is missing. */
static bool is_of_history(const struct work *work, const char *word) {
    struct err ignored = {0};
    const char *address;
    if (!history_word(word) || access(word, F_OK) == 0) return false;
    if (strncmp(word, "branch:", 7) == 0) return true;
    return history_store_address(work, &address, &ignored) == 0 && history_exists(address);
}

int run_ref_load(const struct work *work, const char *word, struct footprint *out, struct err *err) {
    struct strbuf folder = {0}, name = {0};
    int rc;
    *out = (struct footprint){0};
    if (report_folder_of(word, &folder, &name)) rc = load_from_report(strbuf_text(&folder), strbuf_text(&name), out, err);
    else if (is_of_history(work, word)) rc = load_from_history(work, word, out, err);
    else rc = load_from_log(work, word, out, err);
    if (rc == 0) out->source = strtab_id(&out->strings, slice_from(word));
    strbuf_release(&folder);
    strbuf_release(&name);
    return rc;
}

/* Only a whole path names the same file wherever the command runs. */
static int check_log(const char *word, struct slice source, struct strbuf *path, struct err *err) {
    strbuf_add(path, source);
    if (!source.len) return err_set(err, ERR_LACKS, "%.200s does not tell which log it was made from: name the log", word);
    if (slice_starts(source, SLICE("stdin:")) || slice_equal(source, SLICE("-")))
        return err_set(err, ERR_LACKS, "%.200s was read from a pipe, and its log was not kept: name a file with it", word);
    if (source.ptr[0] != '/' || access(strbuf_text(path), R_OK) != 0)
        return err_set(err, ERR_LACKS, "%.200s was made from %s, which is not there: name that log where it is now", word,
                       strbuf_text(path));
    return 0;
}

static int log_of_report(const char *word, const char *folder, const char *name, struct strbuf *path, struct err *err) {
    struct report_files files;
    struct report_summary summary = {0};
    struct json_reader *reader = json_reader_new();
    struct strbuf text = {0};
    int rc = report_files_open(&files, folder, name, err);
    if (rc == 0) {
        report_summary_read(&summary, folder, strbuf_text(&files.name), reader, &text);
        rc = check_log(word, summary.source, path, err);
        report_files_release(&files);
    }
    json_reader_free(reader);
    strbuf_release(&text);
    return rc;
}

static int log_of_history(const struct work *work, const char *word, struct strbuf *path, struct err *err) {
    struct history_details details = {0};
    struct strbuf source = {0}, folder = {0}, name = {0};
    int64_t id;
    struct store *store = history_store_open(work, false, err);
    int rc = store ? history_find(store, word, &id, err) : -1;
    if (rc == 0) rc = history_details(store, id, &details, err);
    if (rc == 0) {
        strbuf_add(&source, details.run.source);
        rc = report_folder_of(strbuf_text(&source), &folder, &name)
                 ? log_of_report(word, strbuf_text(&folder), strbuf_text(&name), path, err)
                 : check_log(word, details.run.source, path, err);
        history_details_release(&details);
    }
    strbuf_release(&source);
    strbuf_release(&folder);
    strbuf_release(&name);
    history_close(store);
    return rc;
}

int run_ref_log(const struct work *work, const char *word, struct strbuf *path, struct err *err) {
    struct strbuf folder = {0}, name = {0};
    int rc = 0;
    if (report_folder_of(word, &folder, &name)) rc = log_of_report(word, strbuf_text(&folder), strbuf_text(&name), path, err);
    else if (is_of_history(work, word)) rc = log_of_history(work, word, path, err);
    else strbuf_addz(path, word);
    strbuf_release(&folder);
    strbuf_release(&name);
    return rc;
}
