/* SPDX-License-Identifier: Apache-2.0 */
/* What was opened and typed lately, newest first: one per line in <home of ttmem>/recent_logs and similar files. */
#ifndef TTMEM_STORE_RECENT_H
#define TTMEM_STORE_RECENT_H

#include "base/strbuf.h"

enum { RECENT_MAX = 50 };
enum recent_kind { RECENT_LOGS, RECENT_SCRIPTS, RECENT_ARGUMENTS, RECENT_REPORTS };

/* Appends the entries, each with a line end. */
void recent_lines(struct strbuf *out, enum recent_kind kind);

/* Puts an entry first; a path becomes absolute. If the home cannot be written, the entry is lost. */
void recent_add(const char *entry, enum recent_kind kind);

#endif
