/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the tensor that splits free memory as soon as its operands exist: before short-lived neighbours. */
#ifndef TTMEM_PREDICT_FIT_MODULE_PLACE_H
#define TTMEM_PREDICT_FIT_MODULE_PLACE_H

#include "analysis/fit/fit.h"

/* `number` of a change is the module and the line of the op: module << 32 | line. */
extern const struct fit_kind module_place;

#endif
