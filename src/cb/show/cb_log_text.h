/* SPDX-License-Identifier: Apache-2.0 */
/* What a log says about circular buffers and L1, for the terminal and as JSON members. */
#ifndef TTMEM_RENDER_CB_LOG_TEXT_H
#define TTMEM_RENDER_CB_LOG_TEXT_H

#include "cb/study/cb_runtime.h"
#include "base/json_write.h"
#include "base/term.h"

void cb_log_text(struct strbuf *out, const struct term *term, const struct cb_log *log, const struct cb_runtime *runtime,
                 struct slice name, bool is_sample);
/* Writes members into the caller's open object. */
void cb_log_json(struct json *j, const struct cb_log *log, const struct cb_runtime *runtime);
/* One sentence each, not escaped. */
void cb_partition_write(struct strbuf *out, const struct cb_partition *partition);
void cb_clash_write(struct strbuf *out, const struct cb_clash *clash);

#endif
