/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TTMEM_CMD_VERSION_H
#define TTMEM_CMD_VERSION_H

#include "base/strbuf.h"

/* "ttmem VERSION (commit)" and a line per feature. */
void version_text(struct strbuf *out);

#endif
