/* SPDX-License-Identifier: Apache-2.0 */
#include "work/open.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/failure/cut.h"
#include "analysis/run/overview.h"
#include "analysis/compare/ranks.h"
#include "base/num.h"
#include "input/rewritten.h"
#include "input/kinds.h"
#include "input/report/report_dir.h"
#include "store/report.h"
#include "work/history_store.h"
#include "work/run_cache.h"

bool open_report_named(const char *name, struct strbuf *folder) {
    struct err ignored;
    struct stat st;
    strbuf_clear(folder);
    if (!name[0] || name[0] == '.' || strchr(name, '/') || ttmem_home(folder, &ignored) != 0) return false;
    strbuf_addf(folder, "/reports/%s", name);
    return stat(strbuf_text(folder), &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_path(const char *word) { return strcmp(word, "-") == 0 || access(word, F_OK) == 0; }

/* A word that names no file and could be an id: without a history it is more likely a missing log. */
static bool is_of_history(const struct work *work, const char *word) {
    struct err ignored = {0};
    const char *address;
    if (is_path(word) || !history_word(word)) return false;
    if (strncmp(word, "branch:", 7) == 0) return true;
    return history_store_address(work, &address, &ignored) == 0 && history_exists(address);
}

/* Only an absolute path names the same file wherever the command runs. */
static int check_source(const char *word, struct slice source, struct strbuf *path, struct err *err) {
    strbuf_add(path, source);
    if (!source.len) return err_set(err, ERR_LACKS, "%.200s does not say what it was made from: name the log", word);
    if (slice_starts(source, SLICE("stdin:")) || slice_equal(source, SLICE("-")))
        return err_set(err, ERR_LACKS, "%.200s was read from a pipe, and its log was not kept: give a file that has it", word);
    if (slice_starts(source, SLICE("files:")))
        return err_set(err, ERR_LACKS, "%.200s was made from several files: name them, or their folder", word);
    if (source.ptr[0] != '/')
        return err_set(err, ERR_LACKS, "%.200s was made from %s, and the folder of that was not kept: name the log", word,
                       strbuf_text(path));
    if (access(strbuf_text(path), R_OK) != 0)
        return err_set(err, ERR_LACKS, "%.200s was made from %s, which is no longer there: give the path of that log now", word,
                       strbuf_text(path));
    return 0;
}

static int path_of_history(const struct work *work, const char *word, struct strbuf *path, struct err *err) {
    struct history_details details = {0};
    int64_t id;
    struct store *store = history_store_open(work, false, err);
    int rc = store ? history_find(store, word, &id, err) : -1;
    if (rc == 0) rc = history_details(store, id, &details, err);
    if (rc == 0) {
        rc = check_source(word, details.run.source, path, err);
        history_details_release(&details);
    }
    history_close(store);
    return rc;
}

/* A report that is only a page, as for a graph capture, is replaced by what it was made from. */
static bool path_of_page(const char *name, const char *folder, struct strbuf *path) {
    struct report_summary summary;
    struct strbuf text = {0};
    strbuf_addf(&text, "%s/%s%s", folder, name, report_suffixes[FILE_MEMORY]);
    struct json_reader *reader = access(strbuf_text(&text), F_OK) != 0 ? json_reader_new() : NULL;
    bool found = reader && report_summary_read(&summary, folder, name, reader, &text) && summary.source.len &&
                 summary.source.ptr[0] == '/';
    if (found) strbuf_add(path, summary.source);
    json_reader_free(reader);
    strbuf_release(&text);
    return found;
}

int open_path(const struct work *work, const char *word, struct strbuf *path, struct err *err) {
    if (!word[0]) return err_set(err, ERR_INPUT, "an empty argument names no run: is a variable unset?");
    struct strbuf folder = {0};
    bool named = !is_path(word) && open_report_named(word, &folder), stored = is_of_history(work, word);
    int rc = 0;
    if (named && stored)
        rc = err_set(err, ERR_LACKS, "%.200s is the report %s and a run of the history: name the folder, or the log of the run",
                     word, strbuf_text(&folder));
    else if (named && path_of_page(word, strbuf_text(&folder), path))
        rc = access(strbuf_text(path), R_OK) == 0
                 ? 0
                 : err_set(err, ERR_LACKS, "%.200s was made from %s, which is not there", word, strbuf_text(path));
    else if (named) strbuf_add(path, strbuf_slice(&folder));
    else if (stored) rc = path_of_history(work, word, path, err);
    else if (!is_path(word) && !strpbrk(word, "./"))
        rc = err_set(
            err, ERR_INPUT,
            "cannot find '%.200s': not a file or folder, not a report under ~/.ttmem/reports, not a run in the history", word);
    else strbuf_addz(path, word);
    strbuf_release(&folder);
    return rc;
}

static void say_notes(const struct work *work, struct slice notes) {
    while (notes.len) {
        struct slice line = slice_take(notes, slice_find_byte(notes, '\n'));
        work_note(work, "%.*s", SLICE_FMT(line));
        notes = slice_skip(notes, line.len + 1);
    }
}

/* Does the word name several runs? */
static bool is_together(const struct work *work, const char *word) {
    return work->together_count > 1 && word == work->together[0];
}

int open_try(const struct work *work, const char *word, struct err *err) {
    struct strbuf path = {0};
    if (is_together(work, word)) return 0; /* missing ones among them are noted when they are read */
    int rc = open_path(work, word, &path, err);
    if (rc == 0) rc = input_try(strbuf_text(&path), err);
    strbuf_release(&path);
    return rc;
}

/* Only Inspector needs to be told the board; nothing that is given is dropped silently. */
static void note_device(const struct work *work, const struct input *in) {
    if (work->device && work->device_is_of_run && in->run.origin != RUN_INSPECTOR)
        work_note(work, "--device %s is not used: it is for Inspector folders, which do not name their board", work->device);
}

int open_run_as(struct input *in, const struct work *work, const char *word, struct input_options options, struct err *err) {
    struct strbuf path = {0};
    struct progress own;
    bool together = is_together(work, word);
    int rc = together ? 0 : open_path(work, word, &path, err);
    options.last_run |= work->last_run;
    if (options.last_run && !options.spool_folder)
        options.spool_folder = input_temporary_folder(); /* its bytes are read twice */
    if (rc == 0 && work->device && !options.chip) rc = chip_choose(work->device, &options.chip, err);
    uint64_t identity;
    bool keep = rc == 0 && !together && work->runs && !options.last_run && !options.chip && !options.counts_only &&
                run_cache_identity(strbuf_text(&path), &identity);
    if (rc == 0 && !(keep && run_cache_get(work->runs, strbuf_text(&path), in))) {
        options.progress = work_begin(work, &own, "reading", 0);
        rc = together ? input_open_all(in, work->together, work->together_count, &options, err)
                      : input_open(in, strbuf_text(&path), &options, err);
        progress_end(options.progress);
        if (rc == 0 && keep) run_cache_put(work->runs, strbuf_text(&path), identity, in);
    }
    if (rc == 0) say_notes(work, strbuf_slice(&in->notes));
    if (rc == 0) note_device(work, in);
    strbuf_release(&path);
    return rc;
}

int open_run(struct input *in, const struct work *work, const char *word, const char *spool_folder, struct err *err) {
    return open_run_as(in, work, word, (struct input_options){.spool_folder = spool_folder}, err);
}

int open_probe(struct input *in, const struct work *work, const char *word, struct err *err) {
    struct strbuf path = {0};
    int rc = open_path(work, word, &path, err);
    if (rc == 0) rc = input_probe(in, strbuf_text(&path), err);
    strbuf_release(&path);
    return rc;
}

static int read_probed(struct input *in, const struct work *work, struct input_options options, struct err *err) {
    struct progress own;
    options.progress = work_begin(work, &own, "reading", 0);
    options.last_run |= work->last_run;
    if (options.last_run && !options.spool_folder) options.spool_folder = input_temporary_folder();
    int rc = work->device ? chip_choose(work->device, &options.chip, err) : 0;
    if (rc != 0) input_release(in);
    else rc = input_read(in, &options, err);
    progress_end(options.progress);
    if (rc == 0) say_notes(work, strbuf_slice(&in->notes));
    if (rc == 0) note_device(work, in);
    return rc;
}

int open_probed(struct input *in, const struct work *work, struct err *err) {
    return read_probed(in, work, (struct input_options){0}, err);
}

static void add_to_end(void *end, struct slice bytes) { stream_end_add(end, bytes); }

static int take_census(struct census *census, struct input *in, struct stream_end *end, struct progress *progress,
                       struct err *err) {
    const struct byte_taker bytes = {.context = end, .take = add_to_end};
    return census_take(census, &in->source, &bytes, progress, err);
}

static int count_log(struct census *census, const struct work *work, struct input *in, struct err *err) {
    const struct source *source = &in->source;
    struct stream_end end = {0};
    struct progress own, *progress = work_begin(work, &own, "reading", source->mapped ? source->bytes.len : 0);
    int rc = log_mend_tagged(&in->source, err);
    if (rc == 0) rc = take_census(census, in, &end, progress, err);
    int torn = rc == 0 && census->ranks.len > 1 ? log_mend_torn(&in->source, err) : 0;
    if (torn > 0) {
        census_release(census);
        *census = (struct census){0};
        rc = take_census(census, in, &end, progress, err);
    } else if (torn < 0) {
        rc = -1;
    }
    progress_end(progress);
    if (rc == 0 && (census->ops || census->blocks || census->programs.len))
        census_cut(census, source->mapped ? &source->bytes : NULL, source->mapped ? NULL : &end, NULL);
    stream_end_release(&end);
    return rc;
}

int open_census(struct census *census, const struct work *work, const char *word, struct err *err) {
    struct input in;
    *census = (struct census){0};
    bool together = is_together(work, word);
    int rc = together ? 0 : open_probe(&in, work, word, err);
    if (rc != 0) return -1;
    if (!together && in.kind == &input_log && !work->last_run) {
        rc = count_log(census, work, &in, err);
        work_note_change(work, &in.source);
        input_release(&in);
    } else {
        struct input_options counts = {.counts_only = true};
        rc = together ? open_run_as(&in, work, word, counts, err) : read_probed(&in, work, counts, err);
        if (rc == 0) {
            census_of_run(census, &in.run);
            census_cut(census, NULL, NULL, &in.run);
            input_release(&in);
        }
    }
    if (rc == 0 && !census->bytes) rc = input_empty(word, err);
    return rc;
}

static int footprint_of_history(const struct work *work, const char *word, struct footprint *out, struct err *err) {
    int64_t id;
    struct store *store = history_store_open(work, false, err);
    int rc = store ? history_find(store, word, &id, err) : -1;
    if (rc == 0) rc = history_footprint(store, id, out, err);
    history_close(store);
    return rc;
}

static int footprint_of_input(const struct work *work, const char *word, struct footprint *out, struct input *in,
                              struct err *err) {
    struct overview overview;
    if (open_run(in, work, word, input_temporary_folder(), err) != 0) {
        *in = (struct input){.source = {.fd = -1}}; /* after a failed open there is nothing to release */
        return -1;
    }
    /* host memory can be judged without a line of the device */
    bool host_only = !in->run.steps.len && in->run.host && in->run.host->samples.len;
    int rc = host_only ? 0 : input_check(in, err);
    if (rc == 0) {
        overview_make(&in->run, &overview);
        footprint_of_run(&in->run, &overview, strbuf_slice(&in->name), out);
        out->content = run_content(&in->run);
        overview_release(&overview);
    }
    return rc;
}

int open_footprint(const struct work *work, const char *word, struct footprint *out, struct err *err) {
    struct input in = {.source = {.fd = -1}};
    int rc = open_footprint_and_run(work, word, out, &in, err);
    input_release(&in);
    return rc;
}

int open_footprint_and_run(const struct work *work, const char *word, struct footprint *out, struct input *in,
                           struct err *err) {
    struct strbuf folder = {0};
    bool together = is_together(work, word), named = together || (!is_path(word) && open_report_named(word, &folder));
    strbuf_release(&folder);
    *out = (struct footprint){0};
    bool stored = !named && is_of_history(work, word);
    if (stored && work->last_run)
        return err_set(err, ERR_USAGE, "%.200s is a run of the history: --last-run takes the last pass of a log", word);
    int rc = stored ? footprint_of_history(work, word, out, err) : footprint_of_input(work, word, out, in, err);
    if (rc == 0 && is_together(work, word)) out->source = strtab_id(&out->strings, SLICE("several files"));
    else if (rc == 0) out->source = strtab_id(&out->strings, slice_from(word));
    return rc;
}

static int check_passes(const char *word, size_t count, const uint64_t numbers[2], struct err *err) {
    if (!count) return err_set(err, ERR_LACKS, "%.200s has no passes: no program ran in it", word);
    for (unsigned i = 0; i < 2; i++)
        if (!numbers[i] || numbers[i] > count)
            return err_set(err, ERR_USAGE, "%.200s has no pass %llu: it has %zu, numbered from 1", word,
                           (unsigned long long)numbers[i], count);
    return 0;
}

/* Of the ranks that ran programs, the one with the highest DRAM peak. */
static uint16_t rank_of_passes(const struct run *run, const struct overview *overview) {
    uint16_t best = 0;
    bool any = false;
    for (size_t i = 0; i < run->executions.len; i++) {
        uint16_t rank = run->executions.items[i].rank;
        if (run->executions.items[i].parent != NONE) continue;
        uint32_t highest = overview->by_rank[best].pools[POOL_DRAM].allocated;
        if (any && overview->by_rank[rank].pools[POOL_DRAM].allocated <= highest) continue;
        best = rank;
        any = true;
    }
    return best;
}

int open_footprint_of_rank(const struct work *work, const char *word, struct slice rank, struct footprint *out) {
    struct input in;
    struct err ignored = {0};
    struct stat st;
    struct work quiet = *work;
    int found = RANK_NONE;
    quiet.quiet = true; /* its notes were already printed */
    if (is_together(work, word) || stat(word, &st) != 0 || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) ||
        open_run(&in, &quiet, word, NULL, &ignored) != 0)
        return -1;
    for (size_t i = 0; i < in.run.ranks.len; i++)
        if (slice_equal(run_string(&in.run, in.run.ranks.items[i].name), rank)) found = (int)i;
    if (found != RANK_NONE) {
        struct overview overview;
        overview_make(&in.run, &overview);
        footprint_of_rank(&in.run, &overview, (uint16_t)found, out);
        overview_release(&overview);
    }
    input_release(&in);
    return found == RANK_NONE ? -1 : 0;
}

/* A log can contain several models, each with its own main: their passes differ because the programs do. */
static void note_other_program(const struct work *work, const struct run *run, const struct passes *passes,
                               const uint64_t numbers[2]) {
    uint32_t program[2];
    for (unsigned i = 0; i < 2; i++) program[i] = run->executions.items[passes->items.items[numbers[i] - 1].execution].program;
    if (program[0] == program[1]) return;
    work_note(work, "passes %llu and %llu ran different programs: what differs may be the program, not the pass",
              (unsigned long long)numbers[0], (unsigned long long)numbers[1]);
}

int open_passes(const struct work *work, const char *word, const uint64_t numbers[2], struct footprint *a, struct footprint *b,
                struct err *err) {
    struct input in;
    struct overview overview;
    struct passes passes;
    if (open_run(&in, work, word, input_temporary_folder(), err) != 0) return -1;
    int rc = input_check(&in, err);
    if (rc == 0) {
        overview_make(&in.run, &overview);
        passes_find(&in.run, rank_of_passes(&in.run, &overview), &passes);
        rc = check_passes(word, passes.items.len, numbers, err);
        if (rc == 0) note_other_program(work, &in.run, &passes, numbers);
        for (unsigned i = 0; rc == 0 && i < 2; i++) {
            struct footprint *out = i ? b : a;
            footprint_of_pass(&in.run, &overview, &passes, (uint32_t)numbers[i], strbuf_slice(&in.name), out);
            out->source = strtab_id(&out->strings, slice_from(word));
        }
        passes_release(&passes);
        overview_release(&overview);
    }
    input_release(&in);
    return rc;
}

int open_needs_ops(const struct input *in, struct err *err) {
    if (!overview_is_of_metal(&in->run)) return 0;
    return err_set(err, ERR_LACKS,
                   "%s is a log of tt-metal, which names neither ops nor tensors: ttmem run --inspector -- COMMAND records "
                   "every buffer (tt-metal from 2026-08-21 or later), and a ttnn report holds ops too",
                   in->path);
}

int open_rank(const struct input *in, const char *word, int *rank, struct err *err) {
    const struct run *run = &in->run;
    *rank = word ? rank_find(run, slice_from(word)) : -1;
    if (!word || *rank >= 0) return 0;
    if (*rank == RANK_SEVERAL)
        return err_set(err, ERR_USAGE,
                       "%s has several ranks whose tags end in '%.100s': give the whole tag; ttmem ranks lists them", in->path,
                       word);
    uint16_t tagged = 0;
    while (tagged < run->ranks.len && !run->ranks.items[tagged].name) tagged++;
    if (tagged == run->ranks.len)
        return err_set(err, ERR_USAGE, "%s has no rank '%.100s': its lines have no tags", in->path, word);
    struct slice first = rank_title(run, tagged);
    return err_set(err, ERR_USAGE, "%s has no rank '%.100s'; ttmem ranks lists them, %.*s first", in->path, word,
                   SLICE_FMT(first));
}

/* The nth record of a rank, or NONE. */
static uint32_t record_of_rank(const struct run *run, int rank, uint64_t number) {
    for (uint32_t i = 0; i < run->records.len; i++)
        if (run->steps.items[run->records.items[i]].rank == rank && !number--) return i;
    return NONE;
}

/* A number as printed, with its #, counts over all ranks, whichever rank is requested. */
static int check_rank(const struct run *run, uint64_t number, int rank, struct err *err) {
    uint16_t own = run->steps.items[run->records.items[number]].rank;
    if (rank < 0 || own == rank) return 0;
    struct slice name = rank_title(run, own), other = rank_title(run, (uint16_t)rank);
    return err_set(err, ERR_USAGE, "#%llu is an op of rank %.*s, not of rank %.*s", (unsigned long long)number, SLICE_FMT(name),
                   SLICE_FMT(other));
}

int open_record(const struct input *in, const char *text, int rank, uint32_t *record, struct err *err) {
    bool printed = text[0] == '#';
    const char *digits = printed ? text + 1 : text;
    int asked = rank;
    if (printed) rank = -1;
    uint64_t number, count = rank < 0 ? in->run.records.len : in->run.ranks.items[rank].records;
    if (!digits[0] || num_read_u64(slice_from(digits), &number) != strlen(digits))
        return err_set(err, ERR_USAGE, "an op is given by its number, such as 298, not '%.100s'", text);
    if (!count) return err_set(err, ERR_LACKS, "%s has no ops%s", in->path, rank < 0 ? "" : " of that rank");
    if (number >= count)
        return err_set(err, ERR_USAGE, "%s has ops 0 to %llu%s, but no op %llu", in->path, (unsigned long long)count - 1,
                       rank < 0 ? "" : " of that rank", (unsigned long long)number);
    *record = rank < 0 ? (uint32_t)number : record_of_rank(&in->run, rank, number);
    return printed ? check_rank(&in->run, number, asked, err) : 0;
}
