/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of sources as SARIF 2.1.0, for code scanning. */
#ifndef TTMEM_RENDER_CB_SARIF_H
#define TTMEM_RENDER_CB_SARIF_H

#include "base/json_write.h"
#include "cb/study/cb_compare.h"

void cb_sarif(struct json *j, struct cb_files files, const char *version);

#endif
