/* SPDX-License-Identifier: Apache-2.0 */
/* The free memory of a pool at one moment: every hole, what bounds it and since when, and what is between holes. */
#ifndef TTMEM_RENDER_HOLES_MAP_H
#define TTMEM_RENDER_HOLES_MAP_H

#include "analysis/run/holes.h"
#include "render/answer/live_report.h"

void holes_map_text(struct strbuf *out, const struct term *term, const struct run *run, const struct live_place *place,
                    const struct holes *holes);

/* {"schema_version", "predicted", "pool", "peak", "op", "before_op", "address", "capacity_bytes_per_bank",
 *  "free_bytes_per_bank", "largest_free_bytes_per_bank", "holes", "left_out", "pins"} */
void holes_map_json(struct strbuf *out, const struct run *run, const struct live_place *place, const struct holes *holes);

#endif
