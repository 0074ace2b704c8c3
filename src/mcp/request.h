/* SPDX-License-Identifier: Apache-2.0 */
/* A request of the Model Context Protocol: one JSON object, read and distinguished by its era. Revisions up to 2025-11-25 agree
 * on a version once (initialize); since 2026-07-28 every request carries its version. */
#ifndef TTMEM_MCP_REQUEST_H
#define TTMEM_MCP_REQUEST_H

#include "base/json_read.h"
#include "base/strbuf.h"

enum mcp_code {
    MCP_NOT_JSON = -32700,
    MCP_NOT_A_REQUEST = -32600,
    MCP_NO_METHOD = -32601,
    MCP_BAD_PARAMS = -32602,
    MCP_NO_RESOURCE = -32002, /* of the older revisions only */
    MCP_HEADER_MISMATCH = -32020,
    MCP_BAD_VERSION = -32022,
};

#define MCP_MODERN "2026-07-28"
#define MCP_NEWEST_LEGACY "2025-11-25"
#define MCP_META_VERSION "io.modelcontextprotocol/protocolVersion"
#define MCP_META_CLIENT "io.modelcontextprotocol/clientCapabilities"
#define MCP_META_SERVER "io.modelcontextprotocol/serverInfo"

struct mcp_request {
    struct slice id; /* as it is in the text; empty for a notification */
    struct slice method;
    struct json_value params; /* an object when has_params */
    bool has_params;
    bool modern;          /* carries its version itself */
    struct slice version; /* that version */
    struct slice token;   /* of progress, as it is in the text; empty: nobody asked */
    struct slice text;    /* of the request itself */
};

/* 0, or the code and the reason why this is not a request. What is known by then (the id) is filled. Valid until the reader's
 * next text, and as long as this one. */
int mcp_request_read(struct json_reader *reader, struct slice text, struct mcp_request *request, const char **why);

/* One of the older revisions that are understood. */
bool mcp_is_legacy_version(struct slice version);

/* {"jsonrpc":...,"id":...,"error":{...}} and a newline. `data`: JSON, may be empty. */
void mcp_error(struct strbuf *out, struct slice id, int code, struct slice message, struct slice data);

/* A notification that takes a request back: its id, as in struct mcp_request. False: it is something else. */
bool mcp_cancelled_id(const struct mcp_request *request, struct slice *id);

#endif
