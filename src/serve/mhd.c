/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/mhd.h"

struct mhd mhd;

static const char *const mhd_names[] = {MHD_FUNCTIONS(DYNLIB_NAME)};
static struct dynlib libmicrohttpd = DYNLIB("serving pages", TTMEM_MICROHTTPD_FILE, mhd_names, mhd);

int mhd_load(struct err *err) { return dynlib_load(&libmicrohttpd, ERR_INPUT, err); }
