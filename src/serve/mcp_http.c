/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/mcp_http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "mcp/answer.h"
#include "serve/answer.h"

enum { MOST_BYTES = 4 << 20 };

struct mcp_post {
    struct strbuf body;
    bool too_long;
};

struct mcp_post *mcp_post_new(void) {
    return mem_zalloc(1, sizeof(struct mcp_post));
}

void mcp_post_add(struct mcp_post *post, struct slice more) {
    post->too_long |= post->body.len + more.len > MOST_BYTES;
    if (!post->too_long) strbuf_add(&post->body, more);
}

void mcp_post_free(struct mcp_post *post) {
    strbuf_release(&post->body);
    free(post);
}

static const char *header(struct MHD_Connection *connection, const char *name) {
    return mhd.lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* Takes over the text. */
static enum MHD_Result answer_json(struct MHD_Connection *connection, unsigned status, struct strbuf *text) {
    struct MHD_Response *response =
        mhd.create_response_from_buffer(text->len, (void *)(uintptr_t)strbuf_text(text), MHD_RESPMEM_MUST_FREE);
    if (!response) {
        strbuf_release(text);
        return MHD_NO;
    }
    answer_headers(response, "application/json");
    enum MHD_Result rc = mhd.queue_response(connection, status, response);
    mhd.destroy_response(response);
    return rc;
}

enum MHD_Result mcp_http_refuse(struct MHD_Connection *connection) {
    static const char text[] = "POST a request of the Model Context Protocol\n";
    struct MHD_Response *response =
        mhd.create_response_from_buffer(sizeof text - 1, (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
    if (!response) return MHD_NO;
    answer_headers(response, "text/plain; charset=utf-8");
    mhd.add_response_header(response, MHD_HTTP_HEADER_ALLOW, "POST");
    enum MHD_Result rc = mhd.queue_response(connection, MHD_HTTP_METHOD_NOT_ALLOWED, response);
    mhd.destroy_response(response);
    return rc;
}

/* Origin names another site's page; this server's own pages do not ask. */
static bool is_own_origin(struct MHD_Connection *connection) {
    const char *origin = header(connection, "Origin"), *host = header(connection, MHD_HTTP_HEADER_HOST);
    if (!origin) return true;
    return host && strncmp(origin, "http://", 7) == 0 && strcasecmp(origin + 7, host) == 0;
}

static int base64_digit(char c) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* The value of a header that may be written =?base64?...?= if it is not ASCII. */
static void decode_header(const char *text, struct strbuf *out) {
    static const char before[] = "=?base64?", after[] = "?=";
    struct slice all = slice_trim(slice_from(text));
    if (!slice_starts(all, slice_from(before)) || !slice_ends(all, slice_from(after))) {
        strbuf_add(out, all);
        return;
    }
    unsigned bits = 0, count = 0;
    for (const char *c = all.ptr + strlen(before); c < all.ptr + all.len - strlen(after) && *c != '='; c++) {
        int digit = base64_digit(*c);
        if (digit < 0) return;
        bits = (bits << 6 | (unsigned)digit) & 0xffff;
        count += 6;
        if (count >= 8) strbuf_addc(out, (char)(bits >> (count -= 8) & 0xff));
    }
}

static bool header_is(struct MHD_Connection *connection, const char *name, struct slice wanted) {
    const char *given = header(connection, name);
    struct strbuf value = {0};
    if (given) decode_header(given, &value);
    bool same = given && slice_equal(strbuf_slice(&value), wanted);
    strbuf_release(&value);
    return same;
}

/* Since 2026-07-28 the request is repeated in the headers, so that proxies can distinguish requests. Returns NULL, or the
 * header that does not match. */
static const char *wrong_header(struct MHD_Connection *connection, const struct mcp_request *request) {
    static const struct { const char *method, *parameter; } named[] = {{"tools/call", "name"}, {"resources/read", "uri"}};
    struct json_value value;
    struct slice name;
    if (!header_is(connection, "MCP-Protocol-Version", request->version)) return "MCP-Protocol-Version";
    if (!header_is(connection, "Mcp-Method", request->method)) return "Mcp-Method";
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (slice_equal(request->method, slice_from(named[i].method)) && request->has_params &&
            json_member(request->params, named[i].parameter, &value) && json_string_of(value, &name) &&
            !header_is(connection, "Mcp-Name", name))
            return "Mcp-Name";
    return NULL;
}

/* An older client agrees on a version once and then names it in a header; those before 2025-06-18 do not. */
static bool is_legacy_client(struct MHD_Connection *connection, const struct mcp_request *request) {
    const char *version = header(connection, "MCP-Protocol-Version");
    return version ? mcp_is_legacy_version(slice_trim(slice_from(version))) || slice_equal(request->method, SLICE("initialize"))
                   : !slice_equal(request->method, SLICE("server/discover"));
}

static struct mcp_peer peer_of(struct MHD_Connection *connection, const struct mcp_request *request) {
    struct mcp_peer peer = {.legacy = !request->modern};
    const char *version = header(connection, "MCP-Protocol-Version");
    snprintf(peer.version, sizeof peer.version, "%s", version ? version : "2025-03-26");
    return peer;
}

static unsigned status_of(int code, bool modern) {
    switch (code) {
        case 0:
            return MHD_HTTP_OK;
        case MCP_NO_METHOD:
            return modern ? MHD_HTTP_NOT_FOUND : MHD_HTTP_OK;
        case MCP_NOT_JSON:
        case MCP_NOT_A_REQUEST:
        case MCP_BAD_VERSION:
        case MCP_HEADER_MISMATCH:
            return MHD_HTTP_BAD_REQUEST;
        default:
            return MHD_HTTP_OK;
    }
}

static unsigned answer_request(const struct mcp_offer *offer, struct MHD_Connection *connection, struct slice body,
                               struct strbuf *text) {
    struct json_reader *reader = json_reader_new();
    struct mcp_request request;
    struct progress progress = {0};
    const char *why = "";
    unsigned status;
    int code = mcp_request_read(reader, body, &request, &why);
    const char *odd = code == 0 && request.modern && request.id.len ? wrong_header(connection, &request) : NULL;
    if (code != 0) {
        mcp_error(text, request.id, code, slice_from(why), slice_from(""));
        status = MHD_HTTP_BAD_REQUEST;
    } else if (odd) {
        struct strbuf message = {0};
        strbuf_addf(&message, "the header %s is not what the request says", odd);
        mcp_error(text, request.id, code = MCP_HEADER_MISMATCH, strbuf_slice(&message), slice_from(""));
        strbuf_release(&message);
        status = status_of(code, request.modern);
    } else if (request.id.len && !request.modern && !is_legacy_client(connection, &request)) {
        mcp_error(text, request.id, MCP_BAD_PARAMS, SLICE("params._meta needs " MCP_META_VERSION " and " MCP_META_CLIENT),
                  slice_from(""));
        status = MHD_HTTP_BAD_REQUEST;
    } else if (!request.id.len) {
        status = MHD_HTTP_ACCEPTED;
    } else {
        struct mcp_peer peer = peer_of(connection, &request);
        status = status_of(mcp_answer(offer, &peer, &request, &progress, text), request.modern);
    }
    json_reader_free(reader);
    return status;
}

enum MHD_Result mcp_http_answer(const struct mcp_offer *offer, struct MHD_Connection *connection, const struct mcp_post *post) {
    struct strbuf text = {0};
    const char *type = header(connection, MHD_HTTP_HEADER_CONTENT_TYPE);
    if (!is_own_origin(connection))
        return answer_text(connection, MHD_HTTP_FORBIDDEN, "this server answers no other site's pages\n");
    if (post->too_long) return answer_text(connection, MHD_HTTP_CONTENT_TOO_LARGE, "a request is at most 4 MiB\n");
    if (!type || strncasecmp(type, "application/json", 16) != 0)
        return answer_text(connection, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, "a request is application/json\n");
    unsigned status = answer_request(offer, connection, strbuf_slice(&post->body), &text);
    return answer_json(connection, status, &text);
}
