/* SPDX-License-Identifier: Apache-2.0 */
/* What would make a source's buffers smaller, as text and as JSON. */
#ifndef TTMEM_RENDER_CB_SHAVE_TEXT_H
#define TTMEM_RENDER_CB_SHAVE_TEXT_H

#include "base/json_write.h"
#include "base/term.h"
#include "cb/study/cb_shave.h"

void cb_shave_text(struct strbuf *out, const struct term *term, const struct shave *shave);
void cb_shave_json(struct json *j, const struct shave *shave);

#endif
