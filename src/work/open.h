/* SPDX-License-Identifier: Apache-2.0 */
/* From the user's name of a run to the run: a path that input/ reads, several of them (see struct work), the name of a
 * report under the home of ttmem, an id of the history, or branch:NAME for the newest run of a branch there. */
#ifndef TTMEM_WORK_OPEN_H
#define TTMEM_WORK_OPEN_H

#include "analysis/compare/footprint.h"
#include "input/input.h"
#include "model/census.h"
#include "work/work.h"

#define OPEN_HELP                                                                                                        \
    "RUN is what ttmem reads:\n"                                                                                         \
    "  a runtime log (a file, .gz, .zst, or - for stdin); several logs, or a folder of them, are the ranks of one run\n" \
    "  a folder of tt-metal's Inspector, a ttnn report or its database, a graph capture, tt-metal's memory CSVs, "       \
    "ttrt's memory_results.json\n"                                                                                       \
    "  a compiled TTNN module or the folder that codegen wrote (predicted)\n"                                            \
    "  a report: its folder, or its name under ~/.ttmem/reports\n"                                                       \
    "  a recording of ttmem top\n"                                                                                       \
    "  a run of ttmem history: its id, or branch:NAME for the newest of that branch\n"
/* For commands whose own text is more important. */
#define OPEN_HELP_SHORT "\n\nRUN is a log or any other input; ttmem summary --help lists them."

/* Reads a run and prints on stderr what the user should know about it. `spool_folder` is where a stream is kept if the
 * caller needs its bytes again, else NULL. Returns -1 with nothing to release. */
int open_run(struct input *in, const struct work *work, const char *word, const char *spool_folder, struct err *err);
/* Can what the word names be opened? For callers that create folders before they read. */
int open_try(const struct work *work, const char *word, struct err *err);
/* The same with all options of input_open; its progress is set here. */
int open_run_as(struct input *in, const struct work *work, const char *word, struct input_options options, struct err *err);

/* The same in two steps, for callers that read a log themselves: first its kind, then anything that is not a log. The second
 * releases if it fails. */
int open_probe(struct input *in, const struct work *work, const char *word, struct err *err);
int open_probed(struct input *in, const struct work *work, struct err *err);

/* What is kept of a run, for comparing: a run of the history without reading its log. Release it if 0 is returned. */
int open_footprint(const struct work *work, const char *word, struct footprint *out, struct err *err);

/* The same for one rank, by its name: the run is read again. -1 without an error text if that is not possible: it came
 * through a pipe, or only the history has it. */
int open_footprint_of_rank(const struct work *work, const char *word, struct slice rank, struct footprint *out);

/* Also gives the run itself, which is empty for one of the history. The caller releases `in` in any case, and starts it
 * empty: {.source = {.fd = -1}}. */
int open_footprint_and_run(const struct work *work, const char *word, struct footprint *out, struct input *in, struct err *err);

/* The same for two passes of one run, numbered from 1, on the rank with the highest DRAM peak of those that ran programs.
 * ERR_USAGE if it has no such passes. */
int open_passes(const struct work *work, const char *word, const uint64_t numbers[2], struct footprint *a, struct footprint *b,
                struct err *err);

/* What is in a run: for a log by counting its lines, without interpreting it. Must be released in any case. */
int open_census(struct census *census, const struct work *work, const char *word, struct err *err);

/* Appends the path that the word names: the word itself, the folder of a report by its name, or what a run of the history
 * was made from. ERR_LACKS if that is gone. */
int open_path(const struct work *work, const char *word, struct strbuf *path, struct err *err);

/* The folder of a report by its name; false if there is none. */
bool open_report_named(const char *name, struct strbuf *folder);

/* Reads the number of a record ("1516" or "#1516"). Without the # it counts the records of `rank`, if that is not negative;
 * with it, it is the printed number, which counts all. Returns -1 with a usage error if there is none of that number and
 * rank. */
int open_record(const struct input *in, const char *text, int rank, uint32_t *record, struct err *err);

/* ERR_LACKS for a log of tt-metal alone, which names neither ops nor tensors: no setting of TT-XLA would add them. */
int open_needs_ops(const struct input *in, struct err *err);

/* The rank that the word names: its tag, or its index among the ranks, from 0. -1 in *rank for no word. */
int open_rank(const struct input *in, const char *word, int *rank, struct err *err);

#endif
