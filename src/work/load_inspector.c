#include "work/load_inspector.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/amounts.h"
#include "model/inspector/to_run.h"

bool load_is_inspector(const char *path) {
    struct strbuf folder = {0};
    bool found = inspector_folder_of(path, &folder);
    strbuf_release(&folder);
    return found;
}

/* startup.yaml stands for the run: its times are in no other. */
static int open_source(struct source *source, const char *folder, const char *path, struct err *err) {
    struct strbuf startup = {0};
    strbuf_addf(&startup, "%s/startup.yaml", folder);
    int rc = source_open(source, access(strbuf_text(&startup), R_OK) == 0 ? strbuf_text(&startup) : "/dev/null", err);
    strbuf_release(&startup);
    if (rc != 0) return -1;
    free(source->path);
    source->path = mem_strdup(path);
    return 0;
}

static void say_counts(const struct work *work, const struct inspector_data *data) {
    uint64_t torn = 0, lost = 0, unknown = 0, unplaced = 0;
    for (size_t i = 0; i < data->ranks.len; i++) {
        const struct inspector_rank *rank = &data->ranks.items[i];
        torn += rank->torn;
        lost += rank->owners.lost_frees + rank->owners.unbelievable;
        unknown += rank->owners.unknown_frees;
        unplaced += rank->owners.unplaced;
    }
    if (torn)
        work_note(work, "torn entries left out (two threads wrote at once, or the program was killed): %s",
                  figure_grouped(torn).text);
    if (lost) work_note(work, "frees that are missing, and damaged entries: %s", figure_grouped(lost).text);
    if (unknown) work_note(work, "frees of buffers that nothing had told of, left out: %s", figure_grouped(unknown).text);
    if (unplaced)
        work_note(work, "buffers without an address (per-core L1, devices of other hosts), not counted: %s",
                  figure_grouped(unplaced).text);
}

int load_inspector(struct loaded *loaded, const struct work *work, const char *path, struct err *err) {
    struct strbuf folder = {0};
    struct inspector_data data = {0};
    int rc = inspector_folder_of(path, &folder) ? 0 : err_set(err, ERR_INPUT, "%s is not a folder of Inspector", path);
    if (rc == 0) rc = open_source(&loaded->source, strbuf_text(&folder), path, err);
    if (rc == 0) rc = inspector_data_read(&data, strbuf_text(&folder), NULL, err);
    if (rc == 0) rc = inspector_run_make(&loaded->run, &data, path, err);
    if (rc == 0) say_counts(work, &data);
    inspector_data_release(&data);
    strbuf_release(&folder);
    return rc;
}
