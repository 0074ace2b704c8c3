/* SPDX-License-Identifier: Apache-2.0 */
/* Tools and resources of ttmem as a Model Context Protocol server: the answers of the commands, read only. */
#ifndef TTMEM_CMD_MCP_TOOLS_H
#define TTMEM_CMD_MCP_TOOLS_H

#include "mcp/offer.h"
#include "work/work.h"

/* Runs that stay open between requests, and the folders that may be read. Calls from several threads wait for each other. */
struct mcp_tools;

/* `roots`: folders outside which nothing is read. Returns -1 if one cannot be used. */
int mcp_tools_new(struct mcp_tools **tools, const struct work *work, const char *const *roots, size_t count, struct err *err);
void mcp_tools_free(struct mcp_tools *tools);

void mcp_tools_offer(struct mcp_tools *tools, struct mcp_offer *offer);

#endif
