/* SPDX-License-Identifier: Apache-2.0 */
/* What keeps free memory apart, made as early as its operands are there: before what comes and goes beside it. */
#ifndef TTMEM_PREDICT_FIT_MODULE_PLACE_H
#define TTMEM_PREDICT_FIT_MODULE_PLACE_H

#include "analysis/fit/fit.h"

/* `number` of a change is the module and the line of the op: module << 32 | line. */
extern const struct fit_kind module_place;

#endif
