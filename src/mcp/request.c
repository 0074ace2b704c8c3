/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/request.h"

#include <stdio.h>
#include <string.h>

#include "base/json_write.h"

static const char *const legacy_versions[] = {"2024-11-05", "2025-03-26", "2025-06-18", MCP_NEWEST_LEGACY};

bool mcp_is_legacy_version(struct slice version) {
    for (size_t i = 0; i < sizeof legacy_versions / sizeof *legacy_versions; i++)
        if (slice_equal(version, slice_from(legacy_versions[i]))) return true;
    return false;
}

/* A string or an integer, written as it came. False: neither, or longer than anybody needs. */
static bool read_token(struct json_value value, char *room, size_t size, struct slice *out) {
    struct slice text;
    int64_t number;
    struct strbuf quoted = {0};
    if (json_string_of(value, &text)) json_quote(&quoted, text);
    else if (json_i64_of(value, &number)) strbuf_addf(&quoted, "%lld", (long long)number);
    bool fits = quoted.len > 0 && quoted.len < size;
    if (fits) {
        memcpy(room, quoted.data, quoted.len);
        *out = slice_of(room, quoted.len);
    }
    strbuf_release(&quoted);
    return fits;
}

static int refuse(const char **why, int code, const char *reason) {
    *why = reason;
    return code;
}

/* What every request may carry beside its parameters. */
static int read_meta(struct mcp_request *request, const char **why) {
    struct json_value meta, value;
    if (!request->has_params || !json_member(request->params, "_meta", &meta)) return 0;
    if (json_kind_of(meta) != JSON_OBJECT) return refuse(why, MCP_BAD_PARAMS, "_meta is not an object");
    if (json_member(meta, "progressToken", &value) &&
        !read_token(value, request->token_text, sizeof request->token_text, &request->token))
        return refuse(why, MCP_BAD_PARAMS, "progressToken is not a string or an integer");
    if (!json_member(meta, MCP_META_VERSION, &value)) return 0;
    request->modern = true;
    if (!json_string_of(value, &request->version)) return refuse(why, MCP_BAD_PARAMS, MCP_META_VERSION " is not a string");
    if (request->id.len && (!json_member(meta, MCP_META_CLIENT, &value) || json_kind_of(value) != JSON_OBJECT))
        return refuse(why, MCP_BAD_PARAMS, "_meta needs " MCP_META_CLIENT ", an object");
    return 0;
}

int mcp_request_read(struct json_reader *reader, struct slice text, struct mcp_request *request, const char **why) {
    struct json_value root, value;
    struct slice version;
    *request = (struct mcp_request){0};
    if (!json_parse(reader, text, &root)) return refuse(why, MCP_NOT_JSON, "not JSON");
    if (json_kind_of(root) == JSON_ARRAY) return refuse(why, MCP_NOT_A_REQUEST, "one request at a time: batches are not taken");
    if (json_kind_of(root) != JSON_OBJECT) return refuse(why, MCP_NOT_A_REQUEST, "a request is a JSON object");
    if (json_member(root, "id", &value) && !read_token(value, request->id_text, sizeof request->id_text, &request->id))
        return refuse(why, MCP_NOT_A_REQUEST, "id is not a string or an integer");
    if (!json_member(root, "jsonrpc", &value) || !json_string_of(value, &version) || !slice_equal(version, SLICE("2.0")))
        return refuse(why, MCP_NOT_A_REQUEST, "jsonrpc is not \"2.0\"");
    if (!json_member(root, "method", &value) || !json_string_of(value, &request->method))
        return refuse(why, MCP_NOT_A_REQUEST, "there is no method");
    request->has_params = json_member(root, "params", &request->params);
    if (request->has_params && json_kind_of(request->params) != JSON_OBJECT)
        return refuse(why, MCP_BAD_PARAMS, "params is not an object");
    return read_meta(request, why);
}

bool mcp_cancelled_id(const struct mcp_request *request, char *room, size_t size, struct slice *id) {
    struct json_value value;
    return slice_equal(request->method, SLICE("notifications/cancelled")) && request->has_params &&
           json_member(request->params, "requestId", &value) && read_token(value, room, size, id);
}

void mcp_error(struct strbuf *out, struct slice id, int code, struct slice message, struct slice data) {
    struct json j = {.out = out};
    json_object(&j);
    json_member_text(&j, "jsonrpc", "2.0");
    if (id.len) {
        json_key(&j, "id");
        json_raw(&j, id);
    }
    json_key(&j, "error");
    json_object(&j);
    json_member_i64(&j, "code", code);
    json_member_str(&j, "message", message);
    if (data.len) {
        json_key(&j, "data");
        json_raw(&j, data);
    }
    json_object_end(&j);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}
