/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem schema: the JSON Schemas of what ttmem writes. */
#include "base/json_read.h"
#include "base/json_write.h"
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "render/json/schemas.h"

/* What the schema describes, in a line. The text stays valid until the reader parses another one. */
static struct slice title_of(struct json_reader *reader, struct slice text) {
    struct json_value root, value;
    struct slice title = slice_of("", 0);
    if (reader && json_parse(reader, text, &root) && json_member(root, "title", &value)) json_string_of(value, &title);
    return title;
}

static int list(struct invocation *inv, bool as_json, struct err *err) {
    struct json_reader *reader = json_reader_new();
    struct strbuf text = {0};
    struct json j = {.out = &text, .pretty = true};
    if (as_json) {
        json_document(&j);
        json_key(&j, "schemas");
        json_array(&j);
    }
    for (size_t i = 0; i < schema_count(); i++) {
        struct schema_file schema = schema_at(i);
        struct slice title = title_of(reader, schema.text);
        if (as_json) {
            json_object(&j);
            json_member_text(&j, "name", schema.name);
            json_member_str(&j, "title", title);
            json_object_end(&j);
        } else {
            strbuf_addf(&text, "%-20s  %.*s\n", schema.name, SLICE_FMT(title));
        }
    }
    if (as_json) {
        json_array_end(&j);
        json_object_end(&j);
        strbuf_addc(&text, '\n');
    }
    int rc = emit_answer(inv, strbuf_slice(&text), !as_json, err);
    strbuf_release(&text);
    json_reader_free(reader);
    return rc;
}

static int run(struct invocation *inv, struct err *err) {
    struct schema_file schema;
    if (!inv->args.words.len) return list(inv, args_has(&inv->args, "json"), err);
    const char *name = inv->args.words.items[0];
    if (!schema_find(name, &schema)) return err_set(err, ERR_USAGE, "unknown schema '%.60s'; ttmem schema lists them", name);
    return emit_answer(inv, schema.text, false, err);
}

static const struct option options[] = {OPTION_JSON, OPTION_OUTPUT, OPTIONS_END};

const struct command cmd_schema = {
    .name = "schema",
    .summary = "Print the JSON Schema of what a command writes",
    .synopsis = "[NAME] [--json] [-o FILE]",
    .details =
        "Without NAME the schemas are listed. A command's output has the name of the command, with a dash between two words\n"
        "(history-list); files of a report are report-memory and so on; common holds the parts that the others refer to.",
    .example = "ttmem schema summary",
    .options = options,
    .max_words = 1,
    .run = run,
};
