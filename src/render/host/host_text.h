/* SPDX-License-Identifier: Apache-2.0 */
/* The host memory of a run, as text and as JSON. */
#ifndef TTMEM_RENDER_HOST_TEXT_H
#define TTMEM_RENDER_HOST_TEXT_H

#include "analysis/run/host.h"
#include "base/json_write.h"
#include "base/term.h"

/* "57.1 GB peak in VLLM::EngineCore, at #1516 ttnn.mean, 8.30 GB at the end, +0.80 MB per pass", without a line end. */
void host_text_line(struct strbuf *out, const struct term *term, const struct run *run, const struct host_use *use);

/* A sentence about the end of a killed run; nothing for others. */
void host_text_killed(struct strbuf *out, const struct term *term, const struct run *run, const struct host_use *use);

/* A sentence about what the recording lacks; false: nothing. */
bool host_text_lacks(struct strbuf *out, const struct run *run);

/* An object, or null if host memory was not recorded. */
void host_json(struct json *j, const struct run *run, const struct host_use *use);

#endif
