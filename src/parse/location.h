/* SPDX-License-Identifier: Apache-2.0 */
/* MLIR locations -> readable names.
 *   unknown | "name" | "name"("child") | "file":1:2 [to ...] | fused[a, b] | fused<meta>[a, b] | callsite(a at b) */
#ifndef TTMEM_PARSE_LOCATION_H
#define TTMEM_PARSE_LOCATION_H

#include "base/strbuf.h"

/* The meaning of aliases like #loc5: the text inside loc( ), empty if unknown. */
struct location_names {
    void *context;
    struct slice (*find)(void *context, struct slice alias);
};

/* Like location_display, with aliases resolved. */
void location_display_with(struct strbuf *out, struct slice location, const struct location_names *names);

/* Appends the readable name (escapes decoded): the name, "file:line:column", the parts of a fused location joined by ", ",
 * the callee of a call site. Appends nothing for an unknown location. */
void location_display(struct strbuf *out, struct slice location);

#endif
