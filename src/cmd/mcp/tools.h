/* SPDX-License-Identifier: Apache-2.0 */
/* Tools and resources of ttmem as a server of the Model Context Protocol: what the commands answer, read only. */
#ifndef TTMEM_CMD_MCP_TOOLS_H
#define TTMEM_CMD_MCP_TOOLS_H

#include "mcp/offer.h"
#include "work/work.h"

/* Runs that stay open between requests, and the folders that may be read. Calls from several threads wait for each other. */
struct mcp_tools;

/* `roots`: folders outside of which nothing is read. -1 when one cannot be. */
int mcp_tools_new(struct mcp_tools **tools, const struct work *work, const char *const *roots, size_t count, struct err *err);
void mcp_tools_free(struct mcp_tools *tools);

void mcp_tools_offer(struct mcp_tools *tools, struct mcp_offer *offer);

#endif
