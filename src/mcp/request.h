/* SPDX-License-Identifier: Apache-2.0 */
/* A request of the Model Context Protocol: one JSON object. Revisions up to 2025-11-25 agree on a version once (initialize);
 * since 2026-07-28 every request carries its version. */
#ifndef TTMEM_MCP_REQUEST_H
#define TTMEM_MCP_REQUEST_H

#include "base/json_read.h"
#include "base/strbuf.h"

enum mcp_code {
    MCP_NOT_JSON = -32700,
    MCP_NOT_A_REQUEST = -32600,
    MCP_NO_METHOD = -32601,
    MCP_BAD_PARAMS = -32602,
    MCP_NO_RESOURCE = -32002, /* only in the older revisions */
    MCP_HEADER_MISMATCH = -32020,
    MCP_BAD_VERSION = -32022,
};

#define MCP_MODERN "2026-07-28"
#define MCP_NEWEST_LEGACY "2025-11-25"
#define MCP_META_VERSION "io.modelcontextprotocol/protocolVersion"
#define MCP_META_CLIENT "io.modelcontextprotocol/clientCapabilities"
#define MCP_META_SERVER "io.modelcontextprotocol/serverInfo"

struct mcp_request {
    struct slice id; /* as written in the text; empty for a notification */
    struct slice method;
    struct json_value params; /* an object if has_params */
    bool has_params;
    bool modern;          /* carries its own version */
    struct slice version; /* that version */
    struct slice token;   /* progress token as written in the text; empty: progress was not requested */
    struct slice text;    /* of the request itself */
};

/* Returns 0, or the error code and the reason why this is not a request. What is known by then (the id) is filled in. Valid
 * until the reader's next text, and as long as this text. */
int mcp_request_read(struct json_reader *reader, struct slice text, struct mcp_request *request, const char **why);

/* Is it one of the older revisions that are supported? */
bool mcp_is_legacy_version(struct slice version);

/* {"jsonrpc":...,"id":...,"error":{...}} and a newline. `data` is JSON and may be empty. */
void mcp_error(struct strbuf *out, struct slice id, int code, struct slice message, struct slice data);

/* The id in a notification that cancels a request, as in struct mcp_request. False: it is another message. */
bool mcp_cancelled_id(const struct mcp_request *request, struct slice *id);

#endif
