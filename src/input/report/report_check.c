/* SPDX-License-Identifier: Apache-2.0 */
#include "input/report/report_check.h"

#include <stdio.h>

#include "base/table/hash.h"
#include "base/json_split.h"
#include "base/json_write.h"
#include "base/num.h"
#include "input/report/report_dir.h"
#include "input/report/report_told.h"

enum { ENDS = 64 << 10, LONGEST_GENERATOR = 60 };

/* What each file contains. */
static const struct {
    const char *kinds; /* first byte */
    const char *what;
    bool optional;
} forms[PART_COUNT] = {[PART_MEMORY] = {"{[", "a list of records or an object that holds one", false},
                       [PART_OPERATIONS] = {"[", "a list of ops", false},
                       [PART_REGISTRY] = {"{", "an object with entries", false},
                       [PART_IR] = {"{", "an object with modules", false},
                       [PART_SUMMARY] = {"{", "an object", true}};

uint64_t report_file_check(struct slice bytes) {
    struct slice tail = bytes.len > ENDS ? slice_skip(bytes, bytes.len - ENDS) : bytes;
    return hash_mix(hash_mix(hash_bytes64(slice_take(bytes, ENDS)), hash_bytes64(tail)), bytes.len);
}

static int check_one(const struct report_files *files, struct slice suffix, struct slice check, struct err *err) {
    char found[17];
    const char *name = strbuf_text((struct strbuf *)(uintptr_t)&files->name);
    const char *folder = strbuf_text((struct strbuf *)(uintptr_t)&files->folder);
    for (unsigned part = 0; part < PART_COUNT; part++) {
        if (!slice_equal(suffix, slice_from(report_suffixes[report_part_file((enum report_part)part)]))) continue;
        if (!files->have[part] && part == PART_RUN) return 0; /* the other files suffice */
        if (!files->have[part])
            return err_set(err, ERR_LACKS, "%s lacks %s%.*s, which the report had: ttmem analyze writes it again", folder, name,
                           SLICE_FMT(suffix));
        snprintf(found, sizeof found, "%016llx", (unsigned long long)report_file_check(files->parts[part].bytes));
        if (slice_equal(check, slice_from(found))) return 0;
        return err_set(err, ERR_INPUT, "%s and %s_summary.json do not belong together: one is cut, changed or from another run",
                       files->parts[part].path, name);
    }
    return 0;
}

int report_check_listed(const struct report_files *files, struct err *err) {
    struct json_value root, list, item;
    struct json_reader *reader = json_reader_new();
    int rc = 0;
    bool has = reader && files->have[PART_SUMMARY];
    if (has && !json_parse(reader, files->parts[PART_SUMMARY].bytes, &root))
        rc = err_set(err, ERR_INPUT, "%s is cut off or not JSON", files->parts[PART_SUMMARY].path);
    else if (has && json_member(root, "files", &list))
        for (struct json_walk w = json_walk_of(list); rc == 0 && json_next(&w, NULL, &item);)
            rc = check_one(files, told_text(item, "suffix"), told_text(item, "check"), err);
    json_reader_free(reader);
    return rc;
}

static int check_file(struct input *in, const struct report_files *files, enum report_part part, struct err *err) {
    const struct source *source = &files->parts[part];
    char kind = json_split_kind(source->bytes);
    bool whole = json_split_whole(source->bytes);
    if (!forms[part].what || (whole && strchr(forms[part].kinds, kind))) return 0;
    if (forms[part].optional) {
        input_note(in, "%s is cut off or not JSON: it was not read", source->path);
        return 0;
    }
    if (!source->bytes.len) return err_set(err, ERR_INPUT, "%s is empty: it should hold %s", source->path, forms[part].what);
    if (!whole) return err_set(err, ERR_INPUT, "%s is cut off or not JSON: it should hold %s", source->path, forms[part].what);
    return err_set(err, ERR_INPUT, "%s should hold %s", source->path, forms[part].what);
}

int report_check_files(struct input *in, const struct report_files *files, struct err *err) {
    for (unsigned part = 0; part < PART_COUNT; part++)
        if (files->have[part] && check_file(in, files, (enum report_part)part, err) != 0) return -1;
    return 0;
}

static int check_version(const char *path, struct slice text, struct slice generator, struct err *err) {
    struct slice digits;
    uint64_t version;
    if (json_split_kind(text) != '{' || !json_split_member(text, "schema_version", &digits) ||
        num_read_u64(slice_trim(digits), &version) == 0 || version <= JSON_SCHEMA_VERSION)
        return 0;
    if (!generator.len) generator = SLICE("the version that wrote it");
    return err_set(err, ERR_LACKS, "%s has schema_version %llu, and this ttmem knows reports up to %d: read it with %.*s", path,
                   (unsigned long long)version, JSON_SCHEMA_VERSION, SLICE_FMT(slice_take(generator, LONGEST_GENERATOR)));
}

int report_check_versions(const struct report_files *files, struct err *err) {
    const char *memory = files->parts[PART_MEMORY].path;
    struct slice metadata = slice_of("", 0), text = slice_of("", 0);
    struct json_value generator;
    struct json_reader *reader = json_reader_new();
    int rc = 0;
    json_split_member(files->parts[PART_MEMORY].bytes, "metadata", &metadata);
    json_split_member(metadata, "generator", &text);
    struct slice words = slice_of("", 0);
    if (reader && text.len && json_parse(reader, text, &generator)) json_string_of(generator, &words);
    for (unsigned part = 0; rc == 0 && part < PART_COUNT; part++)
        if (files->have[part] && part != PART_RUN)
            rc = check_version(files->parts[part].path, files->parts[part].bytes, part ? slice_of("", 0) : words, err);
    if (rc == 0) rc = check_version(memory, metadata, words, err);
    if (rc == 0 && !files->have[PART_SUMMARY] && slice_starts(words, SLICE("ttmem")))
        rc = err_set(err, ERR_LACKS, "%s lacks %s%s, which the report had: ttmem analyze writes it again",
                     strbuf_text((struct strbuf *)(uintptr_t)&files->folder),
                     strbuf_text((struct strbuf *)(uintptr_t)&files->name), report_suffixes[FILE_SUMMARY]);
    json_reader_free(reader);
    return rc;
}

int report_check_summary(const struct report_files *files, struct json_reader *reader, struct err *err) {
    struct slice text = files->parts[PART_MEMORY].bytes, records = text, item;
    struct json_value root;
    uint64_t counted, there = 0;
    if (!files->have[PART_SUMMARY] || !json_parse(reader, files->parts[PART_SUMMARY].bytes, &root)) return 0;
    if (!told_u64(root, "records", &counted) ||
        (json_split_kind(text) == '{' && !json_split_member(text, "operations", &records)))
        return 0;
    for (struct json_items items = json_split_items(records); json_split_next(&items, &item);) there++;
    if (counted == there) return 0;
    return err_set(err, ERR_INPUT, "%s and %s are from different runs: one counts %llu ops, the other has %llu",
                   files->parts[PART_SUMMARY].path, files->parts[PART_MEMORY].path, (unsigned long long)counted,
                   (unsigned long long)there);
}

int report_check_pair(const struct report_files *files, uint64_t index, struct json_value record, struct json_value op,
                      struct err *err) {
    static const char *const members[] = {"mlir_op", "loc"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        struct slice here = told_text(record, members[i]), there = told_text(op, members[i]);
        if (!here.len || !there.len || slice_equal(here, there)) continue;
        return err_set(err, ERR_INPUT, "%s and %s are from different runs: op %llu is %.*s in one and %.*s in the other",
                       files->parts[PART_MEMORY].path, files->parts[PART_OPERATIONS].path, (unsigned long long)index,
                       (int)(here.len < 80 ? here.len : 80), here.ptr, (int)(there.len < 80 ? there.len : 80), there.ptr);
    }
    return 0;
}
