/* SPDX-License-Identifier: Apache-2.0 */
/* What a Model Context Protocol server offers, as data and callbacks: the protocol code knows no tool by name. */
#ifndef TTMEM_MCP_OFFER_H
#define TTMEM_MCP_OFFER_H

#include "base/err.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/progress.h"

/* The result of a tool. */
struct mcp_result {
    struct strbuf text;       /* for people; many clients show only this */
    struct strbuf structured; /* a JSON object, empty: none */
    bool is_error;            /* the text says what is missing and how to get it */
};

struct mcp_offer {
    const char *name, *version, *instructions;
    void *context;
    /* Writes the items of "tools" into the open array. */
    void (*list_tools)(void *context, struct json *j, bool with_output_schemas);
    /* Returns 0, or -1 if there is no such tool or the arguments do not fit it. `progress` receives how far reading is. */
    int (*call_tool)(void *context, struct slice name, const struct json_value *arguments, struct progress *progress,
                     struct mcp_result *result, struct err *err);
    /* Items of "resources" and of "resourceTemplates". */
    void (*list_resources)(void *context, struct json *j);
    void (*list_templates)(void *context, struct json *j);
    /* Returns 0 with its text, or -1 if there is no such resource. */
    int (*read_resource)(void *context, struct slice uri, struct strbuf *text, const char **mime, struct err *err);
};

void mcp_result_release(struct mcp_result *result);

#endif
