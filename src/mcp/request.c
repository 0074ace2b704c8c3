/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/request.h"

#include <string.h>

#include "base/json_write.h"
#include "mcp/raw_member.h"

static const char *const legacy_versions[] = {"2024-11-05", "2025-03-26", "2025-06-18", MCP_NEWEST_LEGACY};

bool mcp_is_legacy_version(struct slice version) {
    for (size_t i = 0; i < sizeof legacy_versions / sizeof *legacy_versions; i++)
        if (slice_equal(version, slice_from(legacy_versions[i]))) return true;
    return false;
}

/* Values that are echoed to the other side unchanged. */
static const struct {
    const char *path[3];
    size_t depth;
} echoed[] = {{{"id"}, 1}, {{"params", "_meta", "progressToken"}, 3}, {{"params", "requestId"}, 2}};
enum { ID, PROGRESS_TOKEN, REQUEST_ID, ECHOED, MOST_DIGITS = 18 };

static struct slice raw_of(struct slice text, unsigned which) {
    return raw_member(text, echoed[which].path, echoed[which].depth);
}

/* A string or an integer. */
static bool is_token(struct json_value value, struct slice raw) {
    struct slice text;
    return raw.len && (json_string_of(value, &text) || raw_is_integer(raw));
}

/* Replaces an integer with more digits than the parser takes by 0: only its text is used. */
static bool parse_request(struct json_reader *reader, struct slice text, struct json_value *root) {
    struct strbuf copy = {0};
    for (unsigned i = 0; i < ECHOED; i++) {
        struct slice raw = raw_of(text, i);
        if (raw.len <= MOST_DIGITS || !raw_is_integer(raw)) continue;
        if (!copy.len) strbuf_add(&copy, text);
        memset(copy.data + (raw.ptr - text.ptr), ' ', raw.len);
        copy.data[raw.ptr - text.ptr] = '0';
    }
    bool is_json = json_parse(reader, copy.len ? strbuf_slice(&copy) : text, root);
    strbuf_release(&copy);
    return is_json;
}

static int refuse(const char **why, int code, const char *reason) {
    *why = reason;
    return code;
}

/* Reads what every request may carry beside its parameters. */
static int read_meta(struct mcp_request *request, const char **why) {
    struct json_value meta, value;
    if (!request->has_params || !json_member(request->params, "_meta", &meta)) return 0;
    if (json_kind_of(meta) != JSON_OBJECT) return refuse(why, MCP_BAD_PARAMS, "_meta is not an object");
    if (json_member(meta, "progressToken", &value)) {
        struct slice raw = raw_of(request->text, PROGRESS_TOKEN);
        if (!is_token(value, raw)) return refuse(why, MCP_BAD_PARAMS, "progressToken is not a string or an integer");
        request->token = raw;
    }
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
    *request = (struct mcp_request){.text = text};
    if (!parse_request(reader, text, &root)) return refuse(why, MCP_NOT_JSON, "not JSON");
    if (json_kind_of(root) == JSON_ARRAY) return refuse(why, MCP_NOT_A_REQUEST, "one request at a time: batches are not taken");
    if (json_kind_of(root) != JSON_OBJECT) return refuse(why, MCP_NOT_A_REQUEST, "a request is a JSON object");
    if (json_member(root, "id", &value)) {
        struct slice raw = raw_of(text, ID);
        if (!is_token(value, raw)) return refuse(why, MCP_NOT_A_REQUEST, "id is not a string or an integer");
        request->id = raw;
    }
    if (!json_member(root, "jsonrpc", &value) || !json_string_of(value, &version) || !slice_equal(version, SLICE("2.0")))
        return refuse(why, MCP_NOT_A_REQUEST, "jsonrpc is not \"2.0\"");
    if (!json_member(root, "method", &value) || !json_string_of(value, &request->method))
        return refuse(why, MCP_NOT_A_REQUEST, "there is no method");
    request->has_params = json_member(root, "params", &request->params);
    if (request->has_params && json_kind_of(request->params) != JSON_OBJECT)
        return refuse(why, MCP_BAD_PARAMS, "params is not an object");
    return read_meta(request, why);
}

bool mcp_cancelled_id(const struct mcp_request *request, struct slice *id) {
    struct json_value value;
    if (!slice_equal(request->method, SLICE("notifications/cancelled")) || !request->has_params ||
        !json_member(request->params, "requestId", &value))
        return false;
    *id = raw_of(request->text, REQUEST_ID);
    return is_token(value, *id);
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
