/* SPDX-License-Identifier: Apache-2.0 */
/* Circular buffers of sources as JSON: {"files": [...], ...}. */
#ifndef TTMEM_RENDER_CB_SCAN_JSON_H
#define TTMEM_RENDER_CB_SCAN_JSON_H

#include "cb/study/cb_scan.h"
#include "base/json_write.h"

struct chip;

void cb_file_json(struct json *j, const struct cb_file *file, const struct chip *chip);

/* The members that bound the bytes of a core. */
void cb_bounds_json(struct json *j, uint64_t least, uint64_t most, bool bounded);

#endif
