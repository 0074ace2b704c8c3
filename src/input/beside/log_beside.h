/* SPDX-License-Identifier: Apache-2.0 */
/* The log of the run that wrote an Inspector folder: it names the chip and has the locations of ops. */
#ifndef TTMEM_INPUT_BESIDE_LOG_BESIDE_H
#define TTMEM_INPUT_BESIDE_LOG_BESIDE_H

#include "input/input.h"

/* Opens the only log in the folder, beside it, or above the folders that tt-metal and ttmem run --inspector make around it.
 * False if there is none, or it cannot be read or records no run. */
bool log_beside_open(struct input *log, const char *folder);

/* Opens the logs of the ranks whose folders are in this one, as one run. */
bool logs_of_ranks_open(struct input *log, const char *folder);

/* Its file name. */
const char *log_beside_name(const struct input *log);

/* The chip that it names, or NULL. */
const struct chip *log_beside_chip(const struct input *log);

#endif
