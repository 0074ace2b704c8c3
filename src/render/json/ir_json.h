/* SPDX-License-Identifier: Apache-2.0 */
/* <name>_ir.json: the TTIR and TTNN text of each compiled graph, with the line of each location. */
#ifndef TTMEM_RENDER_IR_JSON_H
#define TTMEM_RENDER_IR_JSON_H

#include "base/outfile.h"
#include "model/run.h"

int ir_json(const struct run *run, bool pretty, struct outfile *file, struct err *err);

/* <name>_inputs_registry.json */
int registry_json(const struct run *run, bool pretty, struct outfile *file, struct err *err);

/* The module of a compilation at this stage ("ttnn" also accepts ttnn_runtime), or NONE. */
uint32_t module_of_stage(const struct run *run, uint32_t set, struct slice stage);

#endif
