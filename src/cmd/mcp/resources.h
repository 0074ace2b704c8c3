/* SPDX-License-Identifier: Apache-2.0 */
/* Resources of ttmem mcp: the reports under the home of ttmem, and what agents should know. */
#ifndef TTMEM_CMD_MCP_RESOURCES_H
#define TTMEM_CMD_MCP_RESOURCES_H

#include "base/json_write.h"
#include "work/work.h"

void resources_list(void *context, struct json *j);
void resources_templates(void *context, struct json *j);

/* -1: none at that address. */
int resource_read(const struct work *work, struct slice uri, struct strbuf *text, const char **mime, struct err *err);

#endif
