/* SPDX-License-Identifier: Apache-2.0 */
#include "render/ci/findings.h"

#include <string.h>

#include "base/strbuf.h"

enum { MAX_RESULTS = 25000 }; /* code scanning refuses more than these */

static void text_object(struct json *j, const char *key, const char *text) {
    json_key(j, key);
    json_object(j);
    json_member_text(j, "text", text);
    json_object_end(j);
}

static void rules_json(struct json *j, const struct ci_findings *findings) {
    json_key(j, "rules");
    json_array(j);
    for (size_t i = 0; i < findings->rule_count; i++) {
        const struct ci_rule *rule = &findings->rules[i];
        json_object(j);
        json_member_text(j, "id", rule->id);
        json_member_text(j, "name", rule->name);
        text_object(j, "shortDescription", rule->text);
        text_object(j, "fullDescription", rule->text);
        text_object(j, "help", rule->help);
        json_key(j, "defaultConfiguration");
        json_object(j);
        json_member_text(j, "level", rule->is_error ? "error" : "warning");
        json_object_end(j);
        json_object_end(j);
    }
    json_array_end(j);
}

static struct slice without_dot(struct slice path) {
    while (slice_starts(path, SLICE("./"))) path = slice_skip(path, 2);
    return path;
}

/* A path as a reference relative to the root: special bytes are written in hexadecimal. */
static void uri_write(struct strbuf *out, struct slice path) {
    path = without_dot(path);
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

/* Without the line, so that a finding that moves is the same. */
static void fingerprint(struct strbuf *out, const struct ci_findings *findings, const struct ci_finding *f, struct slice uri) {
    uint64_t hash = hash_text(0xcbf29ce484222325u, slice_from(findings->rules[f->rule].id));
    hash = hash_text(hash_text(hash, uri), f->scope);
    if (!f->is_figure) hash = hash_text(hash, f->message);
    strbuf_addf(out, "%016llx", (unsigned long long)hash);
}

static void location_json(struct json *j, const struct ci_finding *f, struct slice uri) {
    json_key(j, "locations");
    json_array(j);
    if (uri.len) {
        json_object(j);
        json_key(j, "physicalLocation");
        json_object(j);
        json_key(j, "artifactLocation");
        json_object(j);
        json_member_str(j, "uri", uri);
        if (!slice_starts(uri, SLICE("file:"))) json_member_text(j, "uriBaseId", "SRCROOT");
        json_object_end(j);
        json_key(j, "region");
        json_object(j);
        json_member_u64(j, "startLine", f->line ? f->line : 1);
        json_object_end(j);
        json_object_end(j);
        json_object_end(j);
    }
    json_array_end(j);
}

static void result_json(struct json *j, const struct ci_findings *findings, const struct ci_finding *f) {
    const struct ci_rule *rule = &findings->rules[f->rule];
    struct strbuf uri = {0}, print = {0};
    uri_write(&uri, f->path);
    fingerprint(&print, findings, f, strbuf_slice(&uri));
    json_object(j);
    json_member_text(j, "ruleId", rule->id);
    json_member_u64(j, "ruleIndex", f->rule);
    json_member_text(j, "level", rule->is_error ? "error" : "warning");
    json_key(j, "message");
    json_object(j);
    json_member_str(j, "text", f->message);
    json_object_end(j);
    location_json(j, f, strbuf_slice(&uri));
    json_key(j, "partialFingerprints");
    json_object(j);
    json_member_str(j, "ttmem/v1", strbuf_slice(&print));
    json_object_end(j);
    json_object_end(j);
    strbuf_release(&uri);
    strbuf_release(&print);
}

void findings_sarif(struct json *j, const struct ci_findings *findings, const char *version) {
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
    rules_json(j, findings);
    json_object_end(j);
    json_object_end(j);
    json_key(j, "results");
    json_array(j);
    for (size_t i = 0; i < findings->count && i < MAX_RESULTS; i++) result_json(j, findings, &findings->items[i]);
    json_array_end(j);
    json_object_end(j);
    json_array_end(j);
    json_object_end(j);
}

void findings_code_quality(struct json *j, const struct ci_findings *findings, struct slice fallback) {
    struct strbuf uri = {0}, print = {0};
    json_array(j);
    for (size_t i = 0; i < findings->count; i++) {
        const struct ci_finding *f = &findings->items[i];
        strbuf_clear(&uri);
        strbuf_clear(&print);
        uri_write(&uri, f->path);
        fingerprint(&print, findings, f, strbuf_slice(&uri));
        json_object(j);
        json_member_str(j, "description", f->message);
        json_member_text(j, "check_name", findings->rules[f->rule].id);
        json_member_str(j, "fingerprint", strbuf_slice(&print));
        json_member_text(j, "severity", findings->rules[f->rule].is_error ? "major" : "minor");
        json_key(j, "location");
        json_object(j);
        json_member_str(j, "path", f->path.len ? without_dot(f->path) : fallback);
        json_key(j, "lines");
        json_object(j);
        json_member_u64(j, "begin", f->path.len && f->line ? f->line : 1);
        json_object_end(j);
        json_object_end(j);
        json_object_end(j);
    }
    json_array_end(j);
    strbuf_release(&uri);
    strbuf_release(&print);
}
