/* SPDX-License-Identifier: Apache-2.0 */
/* Reports in the folders of a run's ranks: several form one run through the logs they were made from. */
#include "base/rank_folders.h"
#include "input/kinds.h"
#include "input/log_files.h"
#include "input/report/report_files.h"

static void rank_folder(struct strbuf *out, const char *path, uint64_t number) {
    strbuf_clear(out);
    strbuf_addf(out, "%s/rank.%llu", path, (unsigned long long)number);
}

static bool holds_logs(const char *path) {
    struct strbuf first = {0};
    bool holds = log_files_in(path, &first) > 0;
    strbuf_release(&first);
    return holds;
}

static bool rank_reports_is_folder(const char *path) {
    struct rank_folders ranks;
    struct strbuf below = {0};
    bool any = false;
    rank_folders_find(&ranks, path);
    for (size_t i = 0; !any && i < ranks.numbers.len; i++) {
        rank_folder(&below, path, ranks.numbers.items[i]);
        any = report_files_in(strbuf_text(&below)) > 0;
    }
    rank_folders_release(&ranks);
    strbuf_release(&below);
    return any && !holds_logs(path);
}

static int rank_reports_read(struct input *in, const struct input_options *options, struct err *err) {
    struct rank_folders ranks;
    struct log_files files = {0};
    struct strbuf below = {0}, log = {0};
    int rc = 0;
    rank_folders_find(&ranks, in->path);
    for (size_t i = 0; rc == 0 && i < ranks.numbers.len; i++) {
        rank_folder(&below, in->path, ranks.numbers.items[i]);
        strbuf_clear(&log);
        if (report_log(strbuf_text(&below), &log))
            vec_push(&files.items, ((struct log_file){.path = mem_strdup(strbuf_text(&log)),
                                                      .rank_folder = mem_strdup(strbuf_text(&below))}));
        else if (log.len)
            rc = err_set(err, ERR_LACKS,
                         "%s holds a report of %s, which is gone or changed: reports of several ranks are combined from their "
                         "logs; name one rank's folder",
                         strbuf_text(&below), strbuf_text(&log));
        else rc = err_set(err, ERR_LACKS, "%s holds no report that names its log: name one rank's folder", strbuf_text(&below));
    }
    if (rc == 0) rc = log_files_read(in, &files, options, err);
    rank_folders_release(&ranks);
    log_files_release(&files);
    strbuf_release(&below);
    strbuf_release(&log);
    return rc;
}

const struct input_kind input_rank_reports = {
    .name = "a folder of ranks' reports",
    .is_folder = rank_reports_is_folder,
    .read = rank_reports_read,
};
