/* SPDX-License-Identifier: Apache-2.0 */
/* The cores that a program lies on, as a grid: a cell per core, the fuller the darker, and the fullest by name. */
#ifndef TTMEM_RENDER_L1_GRID_H
#define TTMEM_RENDER_L1_GRID_H

#include "analysis/run/l1_map.h"
#include "base/json_write.h"
#include "base/term.h"

/* Nothing where no core is known. */
void l1_grid_text(struct strbuf *out, const struct term *term, const l1_areas *areas);

/* Member "cores": {"fullest": {...}, "areas": [...]}, null where no core is known. */
void l1_grid_json(struct json *j, const l1_areas *areas, bool bytes_known);

#endif
