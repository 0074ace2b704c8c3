/* SPDX-License-Identifier: Apache-2.0 */
/* Settings under which a ttnn program writes its report (graph capture, buffers, Python stacks) into a folder, and finding
 * what it wrote.
 *
 * ttnn before 2026-06-26 writes db.sqlite while it runs, later versions at the end of a pytest test. For other programs a
 * hook that Python loads at its start begins a capture when a device is opened and writes graph_capture.json when it is
 * closed. */
#ifndef TTMEM_WORK_TTNN_ENV_H
#define TTMEM_WORK_TTNN_ENV_H

#include "base/err.h"
#include "base/strbuf.h"

enum { TTNN_SETTINGS = 3 };

/* Makes the folder and fills `values` with "NAME=VALUE". The user's TTNN_CONFIG_OVERRIDES go first; a key that is null there
 * is left out, because an older ttnn ends with an error on unknown keys. ERR_USAGE if that is not JSON. */
int ttnn_env(struct strbuf values[TTNN_SETTINGS], const char *folder, const char *name, struct err *err);

/* The path of the newest report below the folder: a database, else a folder of captures. False: nothing was written. */
bool ttnn_env_report(struct strbuf *path, const char *folder);

/* Removes the hook again. */
void ttnn_env_clear(const char *folder);

#endif
