/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/mcp/tool_schema.h"

static struct slice next_choice(const char **choices) {
    struct slice left = slice_from(*choices), word = slice_take(left, slice_find_byte(left, '|'));
    *choices += word.len < left.len ? word.len + 1 : word.len;
    return word;
}

bool tool_choice_allows(const char *choices, struct slice text) {
    while (*choices)
        if (slice_equal(next_choice(&choices), text)) return true;
    return false;
}

static void put_type(struct json *j, enum tool_argument_kind kind) {
    json_key(j, "type");
    if (kind == ARGUMENT_INTEGER || kind == ARGUMENT_WORD) {
        json_text(j, "integer");
        json_member_u64(j, "minimum", 0);
    } else if (kind == ARGUMENT_RULES || kind == ARGUMENT_LIST) {
        json_text(j, "array");
        json_key(j, "items");
        json_object(j);
        json_member_text(j, "type", "string");
        json_object_end(j);
    } else if (kind == ARGUMENT_PLACE) {
        json_array(j);
        json_text(j, "integer");
        json_text(j, "string");
        json_array_end(j);
    } else {
        json_text(j, "string");
    }
}

static void put_argument(struct json *j, const struct tool_argument *argument) {
    json_key(j, argument->name);
    json_object(j);
    put_type(j, argument->kind);
    if (argument->choices) {
        json_key(j, "enum");
        json_array(j);
        for (const char *choices = argument->choices; *choices;) json_str(j, next_choice(&choices));
        json_array_end(j);
    }
    json_member_text(j, "description", argument->help);
    json_object_end(j);
}

static void put_input(struct json *j, const struct tool *tool) {
    json_key(j, "inputSchema");
    json_object(j);
    json_member_text(j, "type", "object");
    json_key(j, "properties");
    json_object(j);
    for (const struct tool_argument *a = tool->arguments; a->name; a++) put_argument(j, a);
    json_object_end(j);
    json_key(j, "required");
    json_array(j);
    for (const struct tool_argument *a = tool->arguments; a->name; a++)
        if (a->required) json_text(j, a->name);
    json_array_end(j);
    json_member_bool(j, "additionalProperties", false);
    json_object_end(j);
}

/* What every answer has; the rest is what `ttmem schema` prints, which is longer than all tools together. */
static void put_output(struct json *j) {
    json_key(j, "outputSchema");
    json_raw(j, SLICE("{\"type\":\"object\",\"properties\":{\"schema_version\":{\"type\":\"integer\"},"
                      "\"left_out\":{\"type\":\"integer\"},\"caveats\":{\"type\":\"array\"}},"
                      "\"required\":[\"schema_version\",\"left_out\",\"caveats\"]}"));
}

void tool_schema(struct json *j, const struct tool *tool, bool with_output_schema) {
    json_object(j);
    json_member_text(j, "name", tool->name);
    json_member_text(j, "description", tool->help);
    put_input(j, tool);
    if (with_output_schema) put_output(j);
    json_key(j, "annotations");
    json_raw(j, SLICE("{\"readOnlyHint\":true,\"openWorldHint\":false}"));
    json_object_end(j);
}
