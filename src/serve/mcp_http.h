/* SPDX-License-Identifier: Apache-2.0 */
/* The Model Context Protocol over HTTP: one request per POST, one JSON object as its answer, no sessions. */
#ifndef TTMEM_SERVE_MCP_HTTP_H
#define TTMEM_SERVE_MCP_HTTP_H

#include "mcp/offer.h"
#include "serve/mhd.h"

#define MCP_HTTP_PATH "/mcp"

/* The body of a POST while it comes in. */
struct mcp_post;

struct mcp_post *mcp_post_new(void);
void mcp_post_add(struct mcp_post *post, struct slice more);
void mcp_post_free(struct mcp_post *post);

/* Call when all of it has come. */
enum MHD_Result mcp_http_answer(const struct mcp_offer *offer, struct MHD_Connection *connection, const struct mcp_post *post);

/* For other methods: only POST is allowed. */
enum MHD_Result mcp_http_refuse(struct MHD_Connection *connection);

#endif
