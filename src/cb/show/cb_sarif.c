/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/show/cb_sarif.h"

enum { MAX_RESULTS = 25000 }; /* more than these are refused by code scanning */

/* One row per kind of finding; the ids stay. */
static const struct {
    const char *id, *name, *text, *help;
} rules[] = {
    [CB_PRODUCED_ONLY] = {"TTM001", "BufferNeverConsumed", "A buffer is filled and no kernel waits for it",
                          "Remove the buffer, or wait for it and pop what was pushed."},
    [CB_CONSUMED_ONLY] = {"TTM002", "BufferNeverFilled", "A buffer is waited for and no kernel fills it",
                          "The kernel that waits will hang: push to the buffer somewhere."},
    [CB_OVER_LIMIT] = {"TTM003", "BuffersBeyondL1", "The buffers of a core need more than its L1, whatever branches are taken",
                       "ttmem l1 shave tells which parameters make them smaller."},
    [CB_BAD_PAGES] = {"TTM004", "SizeNotMultipleOfPage", "A buffer's size is not a multiple of its page size",
                      "tt-metal refuses such a buffer: round its size up to whole pages."},
    [CB_SAME_INDEX] = {"TTM005", "IndexMadeTwice", "An index is made twice on the same cores",
                       "tt-metal refuses the second: use another index."},
    [CB_BAD_INDEX] = {"TTM006", "IndexBeyondChip", "An index that the chip does not have", "Use a smaller index."},
    [CB_MANY_PAGES] = {"TTM007", "TooManyPages", "More pages than tt-metal counts", "Use a larger page size."},
    [CB_NO_PAGE_SIZE] = {"TTM008", "NoPageSize", "A buffer is never given a page size", "Call set_page_size."},
    [CB_NO_BYTES] = {"TTM009", "NoBytes", "A buffer of no bytes", "Give it a size, or do not make it."},
};

static const char *level_of(enum cb_finding_kind kind) { return cb_finding_severity(kind) == CB_ERROR ? "error" : "warning"; }

static void text_object(struct json *j, const char *key, const char *text) {
    json_key(j, key);
    json_object(j);
    json_member_text(j, "text", text);
    json_object_end(j);
}

static void rules_json(struct json *j) {
    json_key(j, "rules");
    json_array(j);
    for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++) {
        json_object(j);
        json_member_text(j, "id", rules[i].id);
        json_member_text(j, "name", rules[i].name);
        text_object(j, "shortDescription", rules[i].text);
        text_object(j, "fullDescription", rules[i].text);
        text_object(j, "help", rules[i].help);
        json_key(j, "defaultConfiguration");
        json_object(j);
        json_member_text(j, "level", level_of((enum cb_finding_kind)i));
        json_object_end(j);
        json_object_end(j);
    }
    json_array_end(j);
}

/* A path as a reference relative to the root: bytes that have a meaning there are written in hexadecimal. */
static void uri_write(struct strbuf *out, struct slice path) {
    while (slice_starts(path, SLICE("./"))) path = slice_skip(path, 2);
    if (path.len && path.ptr[0] == '/') strbuf_addz(out, "file://");
    for (size_t i = 0; i < path.len; i++) {
        char c = path.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("/._-~", c);
        if (plain && c) strbuf_addc(out, c);
        else strbuf_addf(out, "%%%02X", (unsigned char)c);
    }
}

static uint64_t hash_text(uint64_t hash, struct slice text) {
    for (size_t i = 0; i < text.len; i++) hash = (hash ^ (unsigned char)text.ptr[i]) * 0x100000001b3u;
    return (hash ^ 0xff) * 0x100000001b3u;
}

static void result_json(struct json *j, const struct cb_file *file, const struct cb_finding *f) {
    struct strbuf text = {0}, uri = {0}, print = {0};
    cb_finding_write(&text, file, f);
    uri_write(&uri, file->path);
    /* without the line: a finding that moves is the same */
    uint64_t hash = hash_text(0xcbf29ce484222325u, slice_from(rules[f->kind].id));
    hash = hash_text(hash_text(hash, strbuf_slice(&uri)), file->source.programs.items[f->program].function);
    strbuf_addf(&print, "%016llx", (unsigned long long)hash_text(hash, strbuf_slice(&text)));
    json_object(j);
    json_member_text(j, "ruleId", rules[f->kind].id);
    json_member_u64(j, "ruleIndex", f->kind);
    json_member_text(j, "level", level_of(f->kind));
    json_key(j, "message");
    json_object(j);
    json_member_str(j, "text", strbuf_slice(&text));
    json_object_end(j);
    json_key(j, "locations");
    json_array(j);
    json_object(j);
    json_key(j, "physicalLocation");
    json_object(j);
    json_key(j, "artifactLocation");
    json_object(j);
    json_member_str(j, "uri", strbuf_slice(&uri));
    if (!slice_starts(strbuf_slice(&uri), SLICE("file:"))) json_member_text(j, "uriBaseId", "SRCROOT");
    json_object_end(j);
    json_key(j, "region");
    json_object(j);
    json_member_u64(j, "startLine", f->line ? f->line : 1);
    json_object_end(j);
    json_object_end(j);
    json_object_end(j);
    json_array_end(j);
    json_key(j, "partialFingerprints");
    json_object(j);
    json_member_str(j, "ttmem/v1", strbuf_slice(&print));
    json_object_end(j);
    json_object_end(j);
    strbuf_release(&text);
    strbuf_release(&uri);
    strbuf_release(&print);
}

void cb_sarif(struct json *j, struct cb_files files, const char *version) {
    json_object(j);
    json_member_text(j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_member_text(j, "version", "2.1.0");
    json_key(j, "runs");
    json_array(j);
    json_object(j);
    json_key(j, "tool");
    json_object(j);
    json_key(j, "driver");
    json_object(j);
    json_member_text(j, "name", "ttmem");
    json_member_text(j, "version", version);
    rules_json(j);
    json_object_end(j);
    json_object_end(j);
    json_key(j, "results");
    json_array(j);
    size_t n = 0;
    for (size_t i = 0; i < files.len; i++)
        for (size_t k = 0; k < files.items[i].findings.len && n < MAX_RESULTS; k++, n++)
            result_json(j, &files.items[i], &files.items[i].findings.items[k]);
    json_array_end(j);
    json_object_end(j);
    json_array_end(j);
    json_object_end(j);
}
