/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a program: lower and upper bound for the core that has most, on any path through the branches. */
#ifndef TTMEM_ANALYSIS_CB_TOTAL_H
#define TTMEM_ANALYSIS_CB_TOTAL_H

#include "cb/study/cb_scan.h"

struct cb_total cb_total_of(const struct cb_source *source, uint32_t program);

#endif
