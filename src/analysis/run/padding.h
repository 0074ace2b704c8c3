/* SPDX-License-Identifier: Apache-2.0 */
/* How a padded tensor could be stored in less memory: another view of the same elements in whole tiles, or rows. */
#ifndef TTMEM_ANALYSIS_PADDING_H
#define TTMEM_ANALYSIS_PADDING_H

#include "device/tensor_type.h"

struct padding_advice {
    uint64_t bytes; /* what the tensor would take; 0: nothing helps, and the text is empty */
    char text[160];
};

void padding_advise(const struct tensor_type *type, const struct memory_geometry *geometry, struct padding_advice *advice);

#endif
