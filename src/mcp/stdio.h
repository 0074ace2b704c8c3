/* SPDX-License-Identifier: Apache-2.0 */
/* The Model Context Protocol over stdin and stdout: a JSON object per line each way. One thread reads, one works, so that a
 * request can be taken back while it runs and progress is told. */
#ifndef TTMEM_MCP_STDIO_H
#define TTMEM_MCP_STDIO_H

#include "mcp/offer.h"

enum { MCP_LINE_BYTES = 4 << 20 }; /* the longest request */

/* Until the input ends, and what it asked for is answered. 0, or -1 when the output fails; ERR_OUTPUT without a text when its
 * reader is gone. */
int mcp_stdio(const struct mcp_offer *offer, int in, int out, struct err *err);

#endif
