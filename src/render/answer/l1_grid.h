/* SPDX-License-Identifier: Apache-2.0 */
/* The cores of a program as a grid: one cell per core, fuller ones darker, and the name of the fullest. */
#ifndef TTMEM_RENDER_L1_GRID_H
#define TTMEM_RENDER_L1_GRID_H

#include "analysis/run/l1_map.h"
#include "base/json_write.h"
#include "base/term.h"

/* Writes nothing if no core is known. */
void l1_grid_text(struct strbuf *out, const struct term *term, const l1_areas *areas);

/* Member "cores": {"fullest": {...}, "areas": [...]}, null if no core is known. */
void l1_grid_json(struct json *j, const l1_areas *areas, bool bytes_known);

#endif
