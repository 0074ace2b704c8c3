/* SPDX-License-Identifier: Apache-2.0 */
/* The recording of host memory beside a log. */
#ifndef TTMEM_INPUT_HOST_BESIDE_H
#define TTMEM_INPUT_HOST_BESIDE_H

#include "input/input.h"

/* Is there "<name>_host.jsonl" beside "<name>_profile.log" (or "<name>.log")? Or, for a folder, exactly one in it? */
bool host_is_beside(const char *log);

/* "x_profile.log" -> "x_host.jsonl" */
void host_path_beside(struct strbuf *out, const char *log);

/* Reads a recording by its path, without a run. */
int host_file_read(struct host_record *record, const char *path, struct err *err);

/* Reads it into the run, whose bytes must be in memory. Problems become notes, and the run does without it. */
void host_beside_read(struct input *in, const char *log);

/* The recording beside an Inspector folder or above it, where ttmem run --inspector puts both. Matched by time. */
void host_of_folder_read(struct input *in, const char *folder);

/* The highest resident memory of one process in the recording beside a log; 0: no recording. */
uint64_t host_beside_peak(const char *log);

#endif
