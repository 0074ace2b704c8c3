/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of the processes on the host when an op was printed. */
#ifndef TTMEM_RENDER_HOST_MOMENT_H
#define TTMEM_RENDER_HOST_MOMENT_H

#include "base/json_write.h"
#include "base/term.h"
#include "model/run.h"

/* "python3 (pid 12) 57.1 GB, sh (pid 11) 3.2 MB; huge pages 1.0 GB", without a line end. False, with nothing written, if
 * this was not recorded. */
bool host_moment_text(struct strbuf *out, const struct term *term, const struct run *run, uint32_t step);

/* Member "host": an object, or null if this was not recorded. */
void host_moment_json(struct json *j, const struct run *run, uint32_t step);

#endif
