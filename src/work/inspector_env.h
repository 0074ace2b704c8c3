/* SPDX-License-Identifier: Apache-2.0 */
/* The settings with which tt-metal's Inspector records the buffers and ops of a program that is run. */
#ifndef TTMEM_WORK_INSPECTOR_ENV_H
#define TTMEM_WORK_INSPECTOR_ENV_H

#include "base/err.h"
#include "base/strbuf.h"

enum { INSPECTOR_SETTINGS = 4 };

/* Makes the folder and fills `values` with "NAME=VALUE". They replace the user's: only exactly 1 switches Inspector's logs
 * on, and a separate path keeps other processes from emptying the folder. */
int inspector_env(struct strbuf values[INSPECTOR_SETTINGS], const char *folder, struct err *err);

/* If vLLM's telemetry was requested (TTXLA_TELEMETRY) without a path: beside the log. False: nothing to set. */
bool telemetry_env(struct strbuf *value, const char *folder);

#endif
