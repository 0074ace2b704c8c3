/* Circular buffers of sources as JSON: {"files": [...], ...}. */
#ifndef TTMEM_RENDER_CB_SCAN_JSON_H
#define TTMEM_RENDER_CB_SCAN_JSON_H

#include "cb/study/cb_scan.h"
#include "base/json_write.h"

struct chip;

void cb_file_json(struct json *j, const struct cb_file *file, const struct chip *chip);

#endif
