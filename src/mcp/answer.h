/* SPDX-License-Identifier: Apache-2.0 */
/* Answers requests of the Model Context Protocol, over any transport. Between requests it keeps only the version that an
 * older client agreed on. */
#ifndef TTMEM_MCP_ANSWER_H
#define TTMEM_MCP_ANSWER_H

#include "mcp/offer.h"
#include "mcp/request.h"

enum { MCP_VERSION_ROOM = 16 };

/* What is known about the other side. */
struct mcp_peer {
    bool legacy; /* it started with initialize */
    char version[MCP_VERSION_ROOM];
};

/* Appends the answer as one line, or nothing for a notification. Returns 0, or the code of the error that was written. */
int mcp_answer(const struct mcp_offer *offer, struct mcp_peer *peer, const struct mcp_request *request,
               struct progress *progress, struct strbuf *out);

#endif
