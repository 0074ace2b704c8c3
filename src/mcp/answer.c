/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/answer.h"

#include <stdio.h>
#include <string.h>

enum { LASTING_MS = 3600000, CHANGING_MS = 1000 };

/* One request while it is being answered. */
struct exchange {
    const struct mcp_offer *offer;
    struct mcp_peer *peer;
    const struct mcp_request *request;
    struct progress *progress;
    struct json j;               /* the open result object */
    struct strbuf message, data; /* of an error */
};

void mcp_result_release(struct mcp_result *result) {
    strbuf_release(&result->text);
    strbuf_release(&result->structured);
}

static int refuse(struct exchange *x, int code, const char *text) {
    strbuf_addz(&x->message, text);
    return code;
}

/* structuredContent and outputSchema exist since 2025-06-18; versions are dates, which sort as text. */
static bool takes_structure(const struct exchange *x) {
    return x->request->modern || strcmp(x->peer->version, "2025-06-18") >= 0;
}

/* How long, and by whom, a list may be cached. */
static void put_caching(struct exchange *x, unsigned ms) {
    if (!x->request->modern) return;
    json_member_u64(&x->j, "ttlMs", ms);
    json_member_text(&x->j, "cacheScope", ms == LASTING_MS ? "public" : "private");
}

static void put_capabilities(struct json *j) {
    json_key(j, "capabilities");
    json_object(j);
    json_key(j, "tools");
    json_object(j);
    json_object_end(j);
    json_key(j, "resources");
    json_object(j);
    json_object_end(j);
    json_object_end(j);
}

static void put_server_info(struct json *j, const struct mcp_offer *offer) {
    json_object(j);
    json_member_text(j, "name", offer->name);
    json_member_text(j, "title", offer->name);
    json_member_text(j, "version", offer->version);
    json_object_end(j);
}

static int initialize(struct exchange *x) {
    struct json_value value;
    struct slice wanted = {0};
    if (x->request->has_params && json_member(x->request->params, "protocolVersion", &value)) json_string_of(value, &wanted);
    if (!wanted.len) return refuse(x, MCP_BAD_PARAMS, "initialize needs protocolVersion");
    if (!mcp_is_legacy_version(wanted)) wanted = SLICE(MCP_NEWEST_LEGACY);
    x->peer->legacy = true;
    snprintf(x->peer->version, sizeof x->peer->version, "%.*s", SLICE_FMT(wanted));
    json_member_str(&x->j, "protocolVersion", wanted);
    put_capabilities(&x->j);
    json_key(&x->j, "serverInfo");
    put_server_info(&x->j, x->offer);
    json_member_text(&x->j, "instructions", x->offer->instructions);
    return 0;
}

static int ping(struct exchange *x) {
    (void)x;
    return 0;
}

static int discover(struct exchange *x) {
    json_key(&x->j, "supportedVersions");
    json_array(&x->j);
    json_text(&x->j, MCP_MODERN);
    json_array_end(&x->j);
    put_capabilities(&x->j);
    json_member_text(&x->j, "instructions", x->offer->instructions);
    put_caching(x, LASTING_MS);
    return 0;
}

static int list_tools(struct exchange *x) {
    json_key(&x->j, "tools");
    json_array(&x->j);
    x->offer->list_tools(x->offer->context, &x->j, takes_structure(x));
    json_array_end(&x->j);
    put_caching(x, LASTING_MS);
    return 0;
}

static int call_tool(struct exchange *x) {
    struct json_value value, arguments;
    struct slice name;
    struct err err = {0};
    struct mcp_result result = {0};
    if (!x->request->has_params || !json_member(x->request->params, "name", &value) || !json_string_of(value, &name))
        return refuse(x, MCP_BAD_PARAMS, "tools/call needs the name of a tool");
    bool given = json_member(x->request->params, "arguments", &arguments);
    if (given && json_kind_of(arguments) != JSON_OBJECT) return refuse(x, MCP_BAD_PARAMS, "arguments is not an object");
    int rc = x->offer->call_tool(x->offer->context, name, given ? &arguments : NULL, x->progress, &result, &err);
    if (rc == 0) {
        json_key(&x->j, "content");
        json_array(&x->j);
        json_object(&x->j);
        json_member_text(&x->j, "type", "text");
        json_member_str(&x->j, "text", strbuf_slice(&result.text));
        json_object_end(&x->j);
        json_array_end(&x->j);
        if (result.structured.len && takes_structure(x)) {
            json_key(&x->j, "structuredContent");
            json_raw(&x->j, strbuf_slice(&result.structured));
        }
        json_member_bool(&x->j, "isError", result.is_error);
    }
    mcp_result_release(&result);
    return rc == 0 ? 0 : refuse(x, MCP_BAD_PARAMS, err.text);
}

static int list_resources(struct exchange *x) {
    json_key(&x->j, "resources");
    json_array(&x->j);
    x->offer->list_resources(x->offer->context, &x->j);
    json_array_end(&x->j);
    put_caching(x, CHANGING_MS);
    return 0;
}

static int list_templates(struct exchange *x) {
    json_key(&x->j, "resourceTemplates");
    json_array(&x->j);
    x->offer->list_templates(x->offer->context, &x->j);
    json_array_end(&x->j);
    put_caching(x, LASTING_MS);
    return 0;
}

static int read_resource(struct exchange *x) {
    struct json_value value;
    struct slice uri;
    struct strbuf text = {0};
    struct err err = {0};
    const char *mime;
    if (!x->request->has_params || !json_member(x->request->params, "uri", &value) || !json_string_of(value, &uri))
        return refuse(x, MCP_BAD_PARAMS, "resources/read needs the uri of a resource");
    int rc = x->offer->read_resource(x->offer->context, uri, &text, &mime, &err);
    if (rc == 0) {
        json_key(&x->j, "contents");
        json_array(&x->j);
        json_object(&x->j);
        json_member_str(&x->j, "uri", uri);
        json_member_text(&x->j, "mimeType", mime);
        json_member_str(&x->j, "text", strbuf_slice(&text));
        json_object_end(&x->j);
        json_array_end(&x->j);
        put_caching(x, CHANGING_MS);
    }
    strbuf_release(&text);
    if (rc == 0) return 0;
    struct json data = {.out = &x->data};
    json_object(&data);
    json_member_str(&data, "uri", uri);
    json_object_end(&data);
    return refuse(x, x->request->modern ? MCP_BAD_PARAMS : MCP_NO_RESOURCE, err.text);
}

static const struct {
    const char *name;
    bool legacy, modern;
    int (*answer)(struct exchange *x);
} methods[] = {
    {"initialize", true, false, initialize},
    {"ping", true, false, ping},
    {"server/discover", false, true, discover},
    {"tools/list", true, true, list_tools},
    {"tools/call", true, true, call_tool},
    {"resources/list", true, true, list_resources},
    {"resources/templates/list", true, true, list_templates},
    {"resources/read", true, true, read_resource},
};

/* Checks that both sides speak the same revision. */
static int check_era(struct exchange *x) {
    const struct mcp_request *request = x->request;
    if (request->modern && !slice_equal(request->version, SLICE(MCP_MODERN))) {
        struct json j = {.out = &x->data};
        json_object(&j);
        json_key(&j, "supported");
        json_array(&j);
        json_text(&j, MCP_MODERN);
        json_array_end(&j);
        json_member_str(&j, "requested", request->version);
        json_object_end(&j);
        return refuse(x, MCP_BAD_VERSION, "Unsupported protocol version");
    }
    if (request->modern || x->peer->legacy || slice_equal(request->method, SLICE("initialize"))) return 0;
    return refuse(x, MCP_BAD_PARAMS,
                  "params._meta needs " MCP_META_VERSION " and " MCP_META_CLIENT ", or open with initialize");
}

static int dispatch(struct exchange *x) {
    int rc = check_era(x);
    if (rc != 0) return rc;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (slice_equal(x->request->method, slice_from(methods[i].name)) &&
            (x->request->modern ? methods[i].modern : methods[i].legacy))
            return methods[i].answer(x);
    strbuf_addf(&x->message, "there is no method '%.*s'", (int)(x->request->method.len < 100 ? x->request->method.len : 100),
                x->request->method.ptr);
    return MCP_NO_METHOD;
}

int mcp_answer(const struct mcp_offer *offer, struct mcp_peer *peer, const struct mcp_request *request,
               struct progress *progress, struct strbuf *out) {
    if (!request->id.len) return 0;
    struct strbuf result = {0};
    struct exchange x = {.offer = offer, .peer = peer, .request = request, .progress = progress, .j = {.out = &result}};
    json_object(&x.j);
    int code = dispatch(&x);
    if (code == 0) {
        if (request->modern) {
            json_member_text(&x.j, "resultType", "complete");
            json_key(&x.j, "_meta");
            json_object(&x.j);
            json_key(&x.j, MCP_META_SERVER);
            put_server_info(&x.j, offer);
            json_object_end(&x.j);
        }
        json_object_end(&x.j);
        strbuf_addz(out, "{\"jsonrpc\":\"2.0\",\"id\":");
        strbuf_add(out, request->id);
        strbuf_addz(out, ",\"result\":");
        strbuf_add(out, strbuf_slice(&result));
        strbuf_addz(out, "}\n");
    } else {
        mcp_error(out, request->id, code, strbuf_slice(&x.message), strbuf_slice(&x.data));
    }
    strbuf_release(&result);
    strbuf_release(&x.message);
    strbuf_release(&x.data);
    return code;
}
