/* SPDX-License-Identifier: Apache-2.0 */
/* What a server of the Model Context Protocol offers, as data and three calls: the protocol knows no tool by name. */
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
    bool is_error;            /* the text says what is missing, and what would give it */
};

struct mcp_offer {
    const char *name, *version, *instructions;
    void *context;
    /* Writes the items of "tools" into an array that is open. */
    void (*list_tools)(void *context, struct json *j, bool with_output_schemas);
    /* 0; -1: no such tool, or arguments that do not fit it. `progress` is told how far reading is. */
    int (*call_tool)(void *context, struct slice name, const struct json_value *arguments, struct progress *progress,
                     struct mcp_result *result, struct err *err);
    /* Items of "resources" and of "resourceTemplates". */
    void (*list_resources)(void *context, struct json *j);
    void (*list_templates)(void *context, struct json *j);
    /* 0 with its text; -1: no such resource. */
    int (*read_resource)(void *context, struct slice uri, struct strbuf *text, const char **mime, struct err *err);
};

void mcp_result_release(struct mcp_result *result);

#endif
