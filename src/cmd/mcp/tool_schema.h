/* SPDX-License-Identifier: Apache-2.0 */
/* The description of a tool for a client: its row as an item of tools/list. */
#ifndef TTMEM_CMD_MCP_TOOL_SCHEMA_H
#define TTMEM_CMD_MCP_TOOL_SCHEMA_H

#include "base/json_write.h"
#include "cmd/mcp/tool_table.h"

void tool_schema(struct json *j, const struct tool *tool, bool with_output_schema);

/* Is it one of "dram|l1"? */
bool tool_choice_allows(const char *choices, struct slice text);

#endif
