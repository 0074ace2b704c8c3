#ifndef TTMEM_CMD_VERSION_H
#define TTMEM_CMD_VERSION_H

#include "base/strbuf.h"

/* "ttmem 0.1.0 (commit)" and a line per feature. */
void version_text(struct strbuf *out);

#endif
