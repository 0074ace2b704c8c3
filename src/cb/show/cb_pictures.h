/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of circular buffers: the L1 map of each strategy to scale, pressure by workload size, occupancy over time. */
#ifndef TTMEM_RENDER_CB_PICTURES_H
#define TTMEM_RENDER_CB_PICTURES_H

#include "cb/study/cb_report.h"
#include "cb/study/cb_runtime.h"
#include "render/chart/scene.h"

void cb_map_picture(struct scene *scene, const struct cb_study *study);
void cb_pressure_picture(struct scene *scene, const struct cb_study *studies, size_t n);
void cb_level_picture(struct scene *scene, const struct cb_runtime *runtime);

#endif
