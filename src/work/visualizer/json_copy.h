/* SPDX-License-Identifier: Apache-2.0 */
/* A value that was read, written again. */
#ifndef TTMEM_WORK_JSON_COPY_H
#define TTMEM_WORK_JSON_COPY_H

#include "base/json_read.h"
#include "base/json_write.h"

/* Numbers with a fraction keep three decimals. */
void json_copy(struct json *j, struct json_value value);

#endif
