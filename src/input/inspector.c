/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of tt-metal's Inspector. */
#include <stdlib.h>
#include <unistd.h>

#include "base/amounts.h"
#include "base/rank_folders.h"
#include "input/host_beside.h"
#include "input/kinds.h"
#include "input/log_files.h"
#include "input/kv_beside.h"
#include "input/beside/log_beside.h"
#include "model/inspector/join.h"
#include "model/inspector/to_run.h"

/* Does every rank of a run folder have Inspector's files? Otherwise the logs cover more ranks. */
static bool every_rank_has_one(const char *path) {
    struct rank_folders ranks;
    struct strbuf below = {0}, folder = {0};
    bool all = true;
    rank_folders_find(&ranks, path);
    for (size_t i = 0; i < ranks.numbers.len && all; i++) {
        strbuf_clear(&below);
        strbuf_addf(&below, "%s/rank.%llu", path, (unsigned long long)ranks.numbers.items[i]);
        all = inspector_folder_of(strbuf_text(&below), &folder);
    }
    rank_folders_release(&ranks);
    strbuf_release(&below);
    strbuf_release(&folder);
    return all;
}

bool inspector_is_folder(const char *path) {
    struct strbuf folder = {0}, log = {0};
    bool found = inspector_folder_of(path, &folder);
    if (found && inspector_of_ranks(path)) found = every_rank_has_one(path) || log_files_in(path, &log) == 0;
    strbuf_release(&folder);
    strbuf_release(&log);
    return found;
}

/* startup.yaml represents the run: no other file has its times. */
static int open_startup(struct source *source, const char *folder, struct err *err) {
    struct strbuf startup = {0};
    strbuf_addf(&startup, "%s/startup.yaml", folder);
    int rc = source_open(source, access(strbuf_text(&startup), R_OK) == 0 ? strbuf_text(&startup) : "/dev/null", err);
    strbuf_release(&startup);
    return rc;
}

static void note_counts(struct input *in, const struct inspector_data *data) {
    const struct inspector_facts *facts = in->run.inspector;
    if (facts->meshes > 1)
        input_note(in,
                   "%llu meshes own devices, and Inspector does not say which one a buffer is on: figures are sums over them, "
                   "and there is no map",
                   (unsigned long long)facts->meshes);
    if (facts->chip_named && !facts->beyond && data->likelier)
        input_note(in, "%s does not match: the buffers are laid out as on %s; figures per bank are likely wrong",
                   data->chip->title, data->likelier->title);
    if (facts->chip_named && facts->beyond)
        input_note(in, "%s is not the device: there are buffers at addresses that it does not have: %s", data->chip->title,
                   figure_grouped(facts->beyond).text);
    uint64_t torn = 0, lost = 0, unknown = 0, unplaced = 0;
    for (size_t i = 0; i < data->ranks.len; i++) {
        const struct inspector_rank *rank = &data->ranks.items[i];
        torn += rank->torn;
        lost += rank->owners.lost_frees + rank->owners.unbelievable;
        unknown += rank->owners.unknown_frees;
        unplaced += rank->owners.unplaced;
    }
    if (torn)
        input_note(in, "torn entries left out (two threads wrote at once, or the program was killed): %s",
                   figure_grouped(torn).text);
    if (lost) input_note(in, "frees that are missing, and damaged entries: %s", figure_grouped(lost).text);
    if (unknown) input_note(in, "frees of unknown buffers, left out: %s", figure_grouped(unknown).text);
    if (unplaced)
        input_note(in, "buffers without an address (per-core L1, devices of other hosts), not counted: %s",
                   figure_grouped(unplaced).text);
}

static uint64_t op_count(const struct inspector_data *data) {
    uint64_t ops = 0;
    for (size_t i = 0; i < data->ranks.len; i++) ops += data->ranks.items[i].ops.len;
    return ops;
}

/* What the log of the same run adds: locations of ops, and the chip. A log of other ops is from another run. */
static int read_with_log(struct input *in, struct inspector_data *data, const char *folder, const struct input_options *options,
                         struct err *err) {
    struct input log;
    bool of_ranks = inspector_of_ranks(folder);
    if (options->counts_only || !(of_ranks ? logs_of_ranks_open(&log, folder) : log_beside_open(&log, folder)))
        return inspector_data_read(data, folder, options->chip, err);
    const char *name = of_ranks ? "the logs of the ranks" : log_beside_name(&log);
    const struct chip *chip = options->chip ? options->chip : log_beside_chip(&log);
    int rc = inspector_data_read(data, folder, chip, err);
    if (rc == 0)
        data->tied_ops = inspector_join(data, &log.run, log.source.mapped ? log.source.bytes : slice_of("", 0), &data->tied_by);
    bool foreign = rc == 0 && !data->tied_ops && op_count(data) && log.run.op_lines;
    if (foreign) {
        input_note(in, "the ops in %s are not those of this folder: nothing is taken from there", name);
        inspector_data_release(data);
        rc = inspector_data_read(data, folder, options->chip, err);
    } else if (rc == 0) {
        if (data->tied_ops)
            input_note(in, "%s of %s ops are found in %s, by %s: taken for the same run", figure_grouped(data->tied_ops).text,
                       figure_grouped(op_count(data)).text, name,
                       data->tied_by == TIED_BY_TIME ? "time and name" : "the order of their names");
        if (chip && !options->chip) input_note(in, "the chip is %s by %s", chip->title, name);
    }
    input_release(&log);
    return rc;
}

static int inspector_read(struct input *in, const struct input_options *options, struct err *err) {
    struct strbuf folder = {0};
    struct inspector_data data = {0};
    int rc = inspector_folder_of(in->path, &folder) ? 0 : err_set(err, ERR_INPUT, "%s is not an Inspector folder", in->path);
    if (options->last_run)
        rc = err_set(err, ERR_USAGE, "%s is an Inspector folder: --last-run takes the last pass of a log", in->path);
    if (rc == 0) rc = open_startup(&in->source, strbuf_text(&folder), err);
    if (rc == 0) rc = read_with_log(in, &data, strbuf_text(&folder), options, err);
    data.no_replay = options->counts_only;
    if (rc == 0) rc = inspector_run_make(&in->run, &data, in->path, err);
    if (rc == 0) host_of_folder_read(in, strbuf_text(&folder));
    if (rc == 0) kv_beside_read(in, strbuf_text(&folder), 3);
    if (rc == 0) note_counts(in, &data);
    if (in->source.mapped) in->run.content = hash_bytes(in->source.bytes);
    inspector_data_release(&data);
    strbuf_release(&folder);
    return rc;
}

const struct input_kind input_inspector = {
    .name = "an Inspector folder",
    .is_folder = inspector_is_folder,
    .read = inspector_read,
};
