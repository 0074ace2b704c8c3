/* SPDX-License-Identifier: Apache-2.0 */
/* The Model Context Protocol over stdin and stdout: one JSON object per line in each direction. One thread reads and one
 * works, so that a request can be cancelled while it runs and progress can be sent. */
#ifndef TTMEM_MCP_STDIO_H
#define TTMEM_MCP_STDIO_H

#include "mcp/offer.h"

enum { MCP_LINE_BYTES = 4 << 20 }; /* longest request */

/* Runs until the input ends and everything is answered. Returns 0, or -1 if the output fails; ERR_OUTPUT without a text if
 * its reader is gone. */
int mcp_stdio(const struct mcp_offer *offer, int in, int out, struct err *err);

#endif
