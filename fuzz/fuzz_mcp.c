/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the Model Context Protocol: every line is answered with one line of JSON, or with nothing. */
#include <stdlib.h>

#include "json_mutator.h"
#include "base/json_read.h"
#include "mcp/answer.h"
#include "mcp/raw_member.h"

static void list_nothing(void *context, struct json *j) {
    (void)context;
    (void)j;
}

static void list_tools(void *context, struct json *j, bool with_output_schemas) {
    (void)with_output_schemas;
    list_nothing(context, j);
}

/* Says what it was called with. */
static int call_tool(void *context, struct slice name, const struct json_value *arguments, struct progress *progress,
                     struct mcp_result *result, struct err *err) {
    (void)context;
    (void)progress;
    if (!arguments) return err_set(err, ERR_USAGE, "no arguments");
    strbuf_add(&result->text, name);
    result->is_error = name.len % 2;
    return 0;
}

static int read_resource(void *context, struct slice uri, struct strbuf *text, const char **mime, struct err *err) {
    (void)context;
    *mime = "text/plain";
    strbuf_add(text, uri);
    return uri.len % 3 ? 0 : err_set(err, ERR_INPUT, "there is none");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct mcp_offer offer = {.name = "fuzz",
                                           .version = "1",
                                           .instructions = "",
                                           .list_tools = list_tools,
                                           .call_tool = call_tool,
                                           .list_resources = list_nothing,
                                           .list_templates = list_nothing,
                                           .read_resource = read_resource};
    struct json_reader *reader = json_reader_new(), *check = json_reader_new();
    struct mcp_peer peer = {0};
    struct progress progress = {0};
    struct strbuf reply = {0};
    for (struct slice left = slice_of((const char *)data, size), line; left.len; left = slice_skip(left, line.len + 1)) {
        struct mcp_request request;
        struct json_value root;
        struct slice id;
        const char *why = "";
        line = slice_take(left, slice_find_byte(left, '\n'));
        strbuf_clear(&reply);
        int code = mcp_request_read(reader, line, &request, &why);
        if (code != 0) mcp_error(&reply, request.id, code, slice_from(why), slice_from(""));
        else if (!mcp_cancelled_id(&request, &id)) mcp_answer(&offer, &peer, &request, &progress, &reply);
        if (reply.len && slice_find_byte(strbuf_slice(&reply), '\n') != reply.len - 1) abort();
        /* an id beyond 64 bits goes back as it came, and the parser does not take such numbers */
        if (reply.len && !(raw_is_integer(request.id) && request.id.len > 18) &&
            !json_parse(check, slice_of(reply.data, reply.len - 1), &root))
            abort();
    }
    strbuf_release(&reply);
    json_reader_free(reader);
    json_reader_free(check);
    return 0;
}
