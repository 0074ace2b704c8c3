/* Logs that were opened lately, newest first: one path per line in <home of ttmem>/recent_logs. */
#ifndef TTMEM_STORE_RECENT_H
#define TTMEM_STORE_RECENT_H

#include "base/strbuf.h"

enum { RECENT_MAX = 50 };

/* Appends the paths, a line end behind each. Nothing when there are none. */
void recent_read(struct strbuf *out);

/* Puts a path in front. A home that cannot be written forgets it. */
void recent_add(const char *path);

#endif
